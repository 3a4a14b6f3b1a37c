"""Result types of a repository's queries, ingests and maintenance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from jostle.values.file_metrics import file_metrics

MAX_WARNINGS = 100

#: Metrics of how files are written and read; JobTables.accesses has their sums per slice.
ACCESS_METRICS = (
    *file_metrics(
        "open_ops",
        "close_ops",
        "read_ops",
        "read_bytes",
        "read_ns",
        "write_ops",
        "write_bytes",
        "write_ns",
        "seek_ops",
        "sync_ns",
        "meta_ns",
    ),
    *(f"access_{name}" for name in ("back_ops", "back_bytes", "gap_ops", "file_ops", "file_bytes")),
    *(
        f"access_read_{name}"
        for name in (
            "ahead_ops",
            "back_ops",
            "jump_bytes",
            "stride_ops",
            "stride_bytes",
            "again_ops",
            "again_bytes",
            "file_ops",
        )
    ),
)


@dataclass(frozen=True)
class WorldSegments:
    """Execution segments of one MPI world (parts between global synchronisations), ranks merged.

    Attributes:
        number: Number of the world in its job.
        world: Id of the mpirun that started the world, as the runtime found it; "": unknown.
        world_size: Number of ranks of the world.
        spawned: Whether the world was created by MPI_Comm_spawn.
        processes: Ids of the processes that were merged, in order of rank.
        ranks: Rank numbers of these processes.
        missing: Ranks without a profile.
        diverged: Ranks that were left out, since their global collectives differ from those of the
            other ranks, each with its number of global collectives before the first difference.
        segments: One row per segment that all ranks share, in order of time. The columns:
            start_ns and end_ns (medians over ranks),
            duration_ns (median), duration_min_ns and duration_max_ns over ranks,
            rule and level (how it ended, as in table segments),
            parts (of the rank with most segments in it: their number),
            token_hash and function of the call that ended it,
            globals, signature_sum and signature_set (as in table segments),
            recurring (whether five or more segments have this signature_set),
            for each value V of table segments: V (sum over ranks), V_min, V_max (over ranks), and
            V_median if V counts bytes,
            bin_ns and bins_from_ns (width of its time bins, and start of the first bin),
            wait_bins and offcpu_bins (lists: ns in each bin, sum over ranks),
            wait_min_bins and offcpu_max_bins (minimum, maximum over ranks in each bin).
        rule: The rule that ended the segments with most of the time: every, coalesced, epoch, raw,
            final; or none.
        rules: For each rule, the share (0 to 1) of the time in segments that it ended.
        coverage: Share of the time between a rank's first and last delimiter that is inside
            segments of recurring kind (five or more have the same signature_set), mean over ranks.
        merged_coverage: The same share, computed from the merged segments.
        segmentable: Whether the coverage is at least half.
        boundaries: Number of segment boundaries that all ranks share.
        boundaries_coarsest: Number of boundaries of the rank with the fewest.
        agreement: boundaries / boundaries_coarsest.
        rank_segments: Number of segments of each rank that has some, in order of rank.
        notes: Notes for users, one sentence each.
    """

    number: int
    world: str
    world_size: int
    spawned: bool
    processes: list[int]
    ranks: list[int]
    missing: list[int]
    diverged: dict[int, int]
    segments: pa.Table
    rule: str
    rules: dict[str, float]
    coverage: float
    merged_coverage: float
    segmentable: bool
    boundaries: int
    boundaries_coarsest: int
    agreement: float
    rank_segments: list[int]
    notes: list[str]

    @property
    def verdict(self) -> str:
        """Whether the world has usable segments: segmented, not segmentable, or no segments."""
        if not self.segments.num_rows:
            return "no segments"
        return "segmented" if self.segmentable else "not segmentable"

    def to_json(self) -> dict[str, Any]:
        """Return all fields but the table of segments as JSON-compatible values."""
        names = [name for name in self.__dataclass_fields__ if name != "segments"]
        plain = {name: getattr(self, name) for name in names}
        return {**plain, "segments": self.segments.num_rows, "verdict": self.verdict}


@dataclass(frozen=True)
class JobSegments:
    """The execution segments of a job: for each of its MPI worlds, in order of their start."""

    job: str
    worlds: tuple[WorldSegments, ...]


#: Runs of the core-speed probe in each mean: of means over fewer runs the lowest depend on chance.
CORE_PROBE_RUNS = 100


@dataclass(frozen=True)
class CoreReference:
    """Time that the core-speed probe (a short loop) takes on an undisturbed core of a node.

    Attributes:
        ns: Low quantile of the probe's times, ns; each time is a mean over CORE_PROBE_RUNS
            consecutive runs of the loop.
        jobs: Number of other jobs on the node whose times are included; 0: only the run's own.
        own_ns: The same quantile, ns, only over jobs with the run's program and number of ranks.
        own_jobs: Number of other jobs that own_ns includes; 0: none.
    """

    ns: float
    jobs: int
    own_ns: float = 0.0
    own_jobs: int = 0


#: Metrics of scope component that show why cores were slower, and the energy of their nodes.
CORE_METRICS = (
    "cpu_frequency_khz",
    "cpu_frequency_limit_khz",
    "cpu_throttle_ops",
    "cpu_throttle_ns",
    "cpu_quota_ns",
    "cpu_steal_ns",
    "power_energy_uj",
    "power_limit_uw",
    "power_temperature_mc",
)
NO_CORE_STATES = pa.table(
    {name: pa.array([], pa.string()) for name in ("host", "kind", "name")}
    | {name: pa.array([], pa.int64()) for name in ("slice", "slice_ns", "span", *CORE_METRICS)}
)


@dataclass(frozen=True)
class RunTables:
    """The tables from which the time that one run lost is estimated.

    Attributes:
        job: Name of the job.
        processes: One row per process (see docs/reference/repository.md, table processes).
        mounts: One row per mount identity, host and path that its processes used.
        worlds: Execution segments of each of its MPI worlds; empty for a job without MPI. Columns
            run_tables.UNUSED_COLUMNS may be missing.
        slices: One row per node and slice: host, slice, slice_ns, count (processes with a record),
            then <metric>_sum, _min and _max over the processes of run_tables.RUN_METRICS.
        mount_slices: One row per mount and slice, with the metrics of run_tables.RUN_MOUNT_METRICS:
            mount, slice, ...
        references: For each node, times of the core-speed probe on undisturbed cores, from the
            jobs before, during and after this run; empty if the run has no probe.
        others_cpu_s: For each node, CPU seconds of other jobs during this run; empty for a job
            with execution segments.
        core_states: Counters of agents for the run's nodes (kinds machine and power) and for its
            own control groups (kind batch_job): host, kind, name, slice, slice_ns, span, then
            CORE_METRICS (null: not known). Sorted by host, kind, name and time; empty without
            agents.
    """

    job: str
    processes: pa.Table
    mounts: pa.Table
    worlds: tuple[WorldSegments, ...]
    slices: pa.Table
    mount_slices: pa.Table
    references: Mapping[str, CoreReference] = field(default_factory=dict)
    others_cpu_s: Mapping[str, float] = field(default_factory=dict)
    core_states: pa.Table = field(default_factory=lambda: NO_CORE_STATES)


@dataclass(frozen=True)
class JobTables:
    """All tables of one job.

    Attributes:
        job: Name of the job.
        processes: One row per process (see docs/reference/repository.md, table processes).
        mounts: One row per mount identity, host and path that its processes used.
        totals: One row per process with slices: process and every metric of scope process
            summed over its slices (gauges: the highest level); histograms are lists of 32.
        mount_totals: One row per process and mount, with every metric of scope mount.
        segments: Execution segments of the job; None if no process has any.
        accesses: One row per mount and slice: mount, slice, slice_ns, count (processes with a
            record) and ACCESS_METRICS, summed over the processes; None if not requested.
        files: One row per mount and file: mount, path, hash (0: all without a row of their own),
            format, files, processes and FILE_VALUES, summed over the processes; None if not
            requested.
        gpus: One row per host and GPU that it used: host, gpu, name, memory_bytes and GPU_VALUES,
            summed over its life; None if not requested.
        process_gpus: One row per process and GPU: process, host, gpu, numa and GPU_VALUES.
        node_adapters: Network adapters of these nodes, if there are several: see
            around_gpus.adapter_loads.
        node_gpus: All known GPUs on the nodes where it used one: see Gpus.of_nodes.
    """

    job: str
    processes: pa.Table
    mounts: pa.Table
    totals: pa.Table
    mount_totals: pa.Table
    segments: JobSegments | None = None
    accesses: pa.Table | None = None
    files: pa.Table | None = None
    gpus: pa.Table | None = None
    process_gpus: pa.Table | None = None
    node_gpus: pa.Table | None = None
    node_adapters: pa.Table | None = None


@dataclass(frozen=True)
class IngestProgress:
    """Progress of an ingest.

    Attributes:
        profiles_done: Number of profiles checked.
        profiles_total: Number of profiles found.
        slices: Number of rows of table slices published so far.
    """

    profiles_done: int
    profiles_total: int
    slices: int


@dataclass
class IngestReport:
    """Result of an ingest.

    Attributes:
        profiles: Number of profiles and files of short-lived processes found.
        changed: Number of these with new data.
        processes: Number of processes whose row was written.
        finished: Number of processes that are now complete.
        slices: Number of published rows of table slices.
        mount_slices: Number of published rows of table mount_slices.
        segments: Number of published rows of table segments.
        component_slices: Number of published rows of table component_slices.
        batch_jobs: Number of published rows of table batch_jobs.
        commits: Number of commits to the repository.
        removed: Number of spool files removed.
        left: Number of files with more data, which the next pass ingests.
        expired: Number of profiles from before the retention horizon; they were neither ingested
            nor removed.
        bytes_written: Size of the Parquet files published, bytes.
        seconds: Wall-clock time of the ingest, in seconds.
        warnings: One sentence for each profile that could not be read completely, with the reason;
            at most MAX_WARNINGS.
    """

    profiles: int = 0
    changed: int = 0
    processes: int = 0
    finished: int = 0
    slices: int = 0
    mount_slices: int = 0
    segments: int = 0
    component_slices: int = 0
    batch_jobs: int = 0
    commits: int = 0
    removed: int = 0
    left: int = 0
    expired: int = 0
    bytes_written: int = 0
    seconds: float = 0.0
    warnings: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON-compatible values."""
        return asdict(self)

    def add(self, other: IngestReport) -> None:
        """Add the numbers of another report to this one."""
        for name in (
            "changed",
            "processes",
            "finished",
            "slices",
            "mount_slices",
            "segments",
            "component_slices",
            "batch_jobs",
            "commits",
            "removed",
            "left",
            "expired",
            "bytes_written",
        ):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.warnings = list(dict.fromkeys(self.warnings + other.warnings))
        if len(self.warnings) > MAX_WARNINGS:
            self.warnings[MAX_WARNINGS:] = ["Further warnings are left out."]


@dataclass(frozen=True)
class CompactReport:
    """Result of a compaction.

    Attributes:
        files_before: Number of files before the compaction.
        files_after: Number of files after it.
        bytes_before: Bytes of all files before the compaction.
        bytes_after: Bytes of all files after it.
        strays_removed: Number of removed files that are in no commit.
        damaged: Files that cannot be read, and stay unchanged.
    """

    files_before: int
    files_after: int
    bytes_before: int
    bytes_after: int
    strays_removed: int
    damaged: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON-compatible values."""
        return asdict(self)


@dataclass(frozen=True)
class ExpireReport:
    """Result of a removal of old data (retention).

    Attributes:
        horizon_ns: Slices that ended before this time (ns since the epoch) were removed.
        files_removed: Number of files removed from the repository.
        rows_removed: Number of rows of these files, all tables together.
        bytes_removed: Size of these files, bytes.
        processes_removed: Number of processes that ended before the horizon.
        damaged: Files that cannot be read, and stay unchanged.
    """

    horizon_ns: int
    files_removed: int
    rows_removed: int
    bytes_removed: int
    processes_removed: int
    damaged: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON-compatible values."""
        return asdict(self)


@dataclass(frozen=True)
class CoarsenReport:
    """Result of adding up old slices.

    Attributes:
        horizon_ns: Slices that began before this time (ns since the epoch) were checked.
        rows_before: Number of rows that were replaced.
        rows_after: Number of rows that replace them.
        bytes_before: Bytes of the files that were replaced.
        bytes_after: Bytes of the files that replace them.
        damaged: Files that cannot be read, and stay unchanged.
    """

    horizon_ns: int
    rows_before: int
    rows_after: int
    bytes_before: int
    bytes_after: int
    damaged: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON-compatible values."""
        return asdict(self)


@dataclass(frozen=True)
class ExportReport:
    """Result of an export: path of the file, number of rows, and bytes."""

    path: Path
    rows: int
    bytes: int

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON-compatible values."""
        return {**asdict(self), "path": str(self.path)}
