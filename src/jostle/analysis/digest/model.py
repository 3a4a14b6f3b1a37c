"""Result types of the digest of a job."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from jostle.analysis.access.model import AccessPattern
from jostle.analysis.binding.model import BindingAdvice
from jostle.analysis.digest.mpi_world import Advice, WorldDigest
from jostle.analysis.shares_of_time import share_of_time
from jostle.analysis.spread import Spread
from jostle.values.plain_values import MaybeNan, plain


@dataclass(frozen=True)
class Threads:
    """CPU time over run time: the number of cores kept busy, and its spread over processes."""

    min: float
    mean: float
    max: float


@dataclass(frozen=True)
class Rate:
    """A rate, and the time that it is divided by.

    Attributes:
        value: The rate.
        unit: bytes/s or ops/s.
        over: Description of the time that the rate is divided by.
        seconds: Length of that time, s.
    """

    value: float
    unit: str
    over: str
    seconds: float


@dataclass(frozen=True)
class Share:
    """The share of the processes' run time that was spent in one state.

    Attributes:
        name: Name of the state.
        seconds: Time in the state, summed over processes and threads.
        share: The same divided by the summed lifetime of the processes, or of their threads
            where one of the shares would exceed 1, 0 to 1; NaN where it is not known: more time
            was counted than there was. CPU time and time inside calls overlap.
    """

    name: str
    seconds: float
    share: MaybeNan


@dataclass(frozen=True)
class FileDigest:
    """What a job did with one file, or with all files that are not listed.

    Attributes:
        path: Path of the file, "…" before the end of a long one; "" without names, and for the
            rest.
        mount: Identity of the mount that it is on; "" for the rest.
        hash: Hash of the path, 16 digits; "" for the rest.
        format: HDF5 or netCDF, by its first bytes; "" if different or not seen, and for the rest.
        files: Number of files: 1, or that of the rest.
        processes: Number of processes that used it; for the rest, the most that used one of them.
        opens: Number of calls that opened it.
        reads: Number of read calls.
        writes: Number of write calls.
        syncs: Number of calls that synchronised or flushed it.
        read_bytes: Bytes read.
        write_bytes: Bytes written.
        seconds: Time in all calls on it, summed over processes and threads.
        meta_s: Part of this time in open, close and other metadata calls.
    """

    path: str
    mount: str
    hash: str
    format: str
    files: int
    processes: int
    opens: int
    reads: int
    writes: int
    syncs: int
    read_bytes: int
    write_bytes: int
    seconds: float
    meta_s: float


@dataclass(frozen=True)
class FormatDigest:
    """What a job did with all files of one format that have a row of their own.

    Attributes:
        format: HDF5 or netCDF: whose library wrote and reads them.
        files: Number of these files.
        read_bytes: Bytes read.
        write_bytes: Bytes written.
        seconds: Time in all calls on them, summed over processes and threads.
    """

    format: str
    files: int
    read_bytes: int
    write_bytes: int
    seconds: float


@dataclass(frozen=True)
class MountDigest:
    """What a job did on one mount.

    Attributes:
        mount: Identity of the shared resource.
        paths: Paths at which processes saw it mounted.
        type: Type of the file system.
        shared: Whether several nodes share it.
        processes: Number of processes with calls on it.
        metrics: Every metric of scope mount that is not zero, by id; over these processes.
        rates: read_bytes and write_bytes per second of the job, none where its time is not known;
            read_service and write_service per second spent in the calls, which do not depend on
            how much the job asked for.
        errors: Failed calls by class.
    """

    mount: str
    paths: list[str]
    type: str
    shared: bool
    processes: int
    metrics: dict[str, Spread]
    rates: dict[str, Rate]
    errors: dict[str, int]


@dataclass(frozen=True)
class AccessShape:
    """How a job accesses files in one direction.

    Attributes:
        direction: read or write.
        ops: Number of calls (posix and stdio).
        bytes: Bytes moved.
        mean_bytes: Mean bytes per call; 0 without calls.
        histogram: 32 counters of posix and stdio sizes; bucket b holds sizes in
            [2^(b-1), 2^b), bucket 0 size 0, bucket 31 all from 2^30.
        common_low: Lower bound of the most frequent bucket, bytes.
        common_high: Its upper bound, exclusive.
        small_share: Share of the calls in the histogram below 4 KiB.
        seeks_per_op: Seeks per call, of both directions together.
        pattern: In words: the access pattern of the mount with most of the bytes (see
            AccessPattern) where it has a name; else "many small", "large", "mixed sizes" or
            "none" by the sizes of calls, with "seeking" where seeks are frequent.
    """

    direction: str
    ops: int
    bytes: int
    mean_bytes: float
    histogram: list[int]
    common_low: int
    common_high: int
    small_share: float
    seeks_per_op: float
    pattern: str


@dataclass(frozen=True)
class Unaccounted:
    """Traffic that the kernel counted, but that no counted call explains.

    It is of io_uring, static code and calls inside libc, or of files that are left out on purpose:
    pseudo file systems (a read of /dev/zero counts here) and excluded paths.

    Attributes:
        direction: read or write.
        system: Bytes by the kernel's count (rchar or wchar).
        wrapped: Bytes of wrapped calls on files and streams.
        bytes: system - wrapped, at least 0. stdio reads ahead, so a little is normal.
        share: bytes / system; 0 without traffic.
        storage: Bytes that reached the storage layer; mapped files show only here.
    """

    direction: str
    system: int
    wrapped: int
    bytes: int
    share: float
    storage: int


@dataclass(frozen=True)
class ProfilerCost:
    """The time that jostle itself cost the job.

    Attributes:
        calls: Number of wrapped calls that were counted.
        heartbeat_s: CPU time of the runtime's threads that write records (heartbeats), s.
        total_s: Estimated cost of calls and heartbeats together, s.
        share_of_cpu: total_s over the CPU time of the job; 0 without CPU time, NaN where
            it is more than that.
    """

    calls: int
    heartbeat_s: float
    total_s: float
    share_of_cpu: MaybeNan


@dataclass(frozen=True)
class Clock:
    """How well the clocks of the job's nodes agree.

    Attributes:
        synchronised: Whether no process saw an unsynchronised clock.
        error_us: Largest error bound that the kernel gave, µs.
        steps: Number of jumps of the clock that were seen.
        text: The same in one sentence for users.
    """

    synchronised: bool
    error_us: int
    steps: int
    text: str


@dataclass(frozen=True)
class GpuDigest:
    """The copies, launches and kernels of a job on one GPU.

    Attributes:
        host: Node of the GPU.
        gpu: Its name there: PCI bus id, or the UUID of an instance.
        name: Model name; "" unknown.
        memory_bytes: Size of its memory; 0 unknown.
        to_bytes: Bytes copied from the host to it.
        back_bytes: Bytes copied from it to the host.
        within_bytes: Bytes copied within its memory.
        peer_bytes: Bytes copied to or from a different GPU.
        to_served: Bytes per second of the time of copies to it; None without any.
        back_served: The same for copies to the host.
        launches: Number of launches of kernels and graphs.
        busy_share: Part of the job's time in which its kernels ran, 0 to 1; None where kernels
            were not recorded, or added up to more than the job's time, as those of several
            processes may.
        lost_records: Copies that were not counted, since CUPTI dropped their records.
    """

    host: str
    gpu: str
    name: str
    memory_bytes: int
    to_bytes: int
    back_bytes: int
    within_bytes: int
    peer_bytes: int
    to_served: float | None
    back_served: float | None
    launches: int
    busy_share: float | None
    lost_records: int


@dataclass(frozen=True)
class JobDigest:
    """The digest of a job: its figures, each with minimum, mean and maximum over its processes.

    Attributes:
        job: Name of the job.
        programs: Number of processes by program, the most frequent first.
        hosts: Nodes of the job.
        processes: Number of processes with a profile of their own.
        short_processes: Number of processes too short for a profile; they count in totals only.
        start_ns: Start of the first process, ns since the epoch.
        end_ns: End of the last process, or of the last slice seen while the job runs.
        running: Whether some process has not ended.
        seconds: Wall-clock time, s.
        process_seconds: Lifetimes of all processes, summed, s.
        slice_ns: Slice lengths in use, ns.
        metrics: Every metric that is not zero and no histogram; mount metrics over all mounts.
            Gauges: total is the sum of each process's highest level, the others are of these.
        mounts: The mounts, the busiest first.
        rates: Rates of the whole job; none over its time where that is shorter than 1 ms, or than
            the time that was counted in it.
        shares: Where the time of the ranks went; without ranks that of all processes.
        effective_threads: CPU time over lifetime, per process; None where that is not known.
        cores: CPU time over the job's wall-clock time: cores in use on average; NaN where that
            time is not known.
        access: Shape of its reads and of its writes.
        errors: Failed calls by class.
        unaccounted: Traffic that no wrapped call explains.
        cost: Cost of jostle itself.
        clock: Agreement of its nodes' clocks.
        notes: Notes of the runtime, each once.
        warnings: Warnings of the reader of profiles, each once.
        mpi: The MPI programs, one entry per world; empty without MPI.
        files: The files with most time and bytes, the slowest first, and last all others together;
            empty where no process that is over recorded its files.
        formats: Its use of HDF5 and netCDF files; empty where no call moved the first bytes
            of such a file.
        gpus: Its use of each GPU; empty where that was not recorded.
        next: Advice what to examine next in a job without MPI; MPI worlds have their own.
        binding: Problems that a different binding of cores and GPUs would fix; empty if there are
            none.
        writing: The access pattern of its writes on each mount, phase by phase, the mount with the
            most bytes first.
        reading: The same for its reads.
    """

    job: str
    programs: dict[str, int]
    hosts: list[str]
    processes: int
    short_processes: int
    start_ns: int
    end_ns: int
    running: bool
    seconds: float
    process_seconds: float
    slice_ns: list[int]
    metrics: dict[str, Spread]
    mounts: list[MountDigest]
    rates: dict[str, Rate]
    shares: list[Share]
    effective_threads: Threads | None
    cores: MaybeNan
    access: list[AccessShape]
    errors: dict[str, int]
    unaccounted: list[Unaccounted]
    cost: ProfilerCost
    clock: Clock
    notes: list[str]
    warnings: list[str]
    mpi: list[WorldDigest] = field(default_factory=list)
    writing: list[AccessPattern] = field(default_factory=list)
    reading: list[AccessPattern] = field(default_factory=list)
    files: list[FileDigest] = field(default_factory=list)
    formats: list[FormatDigest] = field(default_factory=list)
    gpus: list[GpuDigest] = field(default_factory=list)
    next: list[Advice] = field(default_factory=list)
    binding: list[BindingAdvice] = field(default_factory=list)

    @property
    def file_share(self) -> float:
        """Return the share of the ranks' (else the processes') time in calls on files, 0 to 1.

        NaN where it is not known.
        """
        shares = (share.share for share in self.shares if share.name.startswith("file "))
        return share_of_time(sum(shares), 1.0)

    def to_json(self) -> dict[str, Any]:
        """Return the digest as JSON-compatible values."""
        found: dict[str, Any] = plain(self)
        return found
