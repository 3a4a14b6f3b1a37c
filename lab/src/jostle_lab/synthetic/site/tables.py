"""Turns blocks of processes into sorted rows of a repository's tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.repository.writing import BINDING_COLUMNS, TABLES, PartitionChunk, dictionary, is_shared
from jostle.schema.metrics import BY_ID
from jostle.schema.profile import MpiAdapter, MpiState
from jostle_lab.synthetic.injected.rows import mount_of
from jostle_lab.synthetic.site.block import Block, Columns
from jostle_lab.synthetic.site.processes import (
    HOME,
    Ranks,
    boot_id,
    host_name,
    identity,
    job_name,
    scratch,
)
from jostle_lab.synthetic.site.spec import SiteSpec

Ints = NDArray[np.int64]
VERSION = "0.6.0"
MPI_LIBRARY = "Open MPI v4.1.6"


def slice_chunks(spec: SiteSpec, block: Block, mounts: Ints) -> Iterator[PartitionChunk]:
    """Return the rows of a block in the four tables of slices; they lie within an hour.

    Args:
        spec: The site.
        block: The rows of processes.
        mounts: Number of the scratch file system of each of the block's jobs.
    """
    by_id = np.concatenate([ranks.by_id for ranks in block.ranks])[block.place]
    by = block.begins[block.entry] + by_id
    lo = (spec.first_slice + int(block.slice.min())) * spec.slice_ns
    hi = (spec.first_slice + int(block.slice.max()) + 1) * spec.slice_ns
    ids = np.concatenate([ranks.ids for ranks in block.ranks])[block.place]
    nodes = np.concatenate([ranks.nodes for ranks in block.ranks])[block.place]
    used, host = np.unique(nodes, return_inverse=True)
    hosts = [host_name(node) for node in used.tolist()]
    names = [job_name(ranks.job) for ranks in block.ranks]
    at = spec.first_slice + block.slice
    keys = _Keys(spec, names, hosts, block.job, ids, host.astype(np.int64), at)
    # Entries, and so jobs and slices, keep their order; only that of ranks changes.
    yield PartitionChunk(
        "slices",
        keys.table(by, {name: values[by] for name, values in block.metrics.items()}),
        lo,
        hi,
    )
    starts = np.flatnonzero(np.append(True, (host[1:] != host[:-1]) | (np.diff(block.entry) > 0)))
    values = {name: column for name, column in block.metrics.items() if name in BY_ID}
    yield PartitionChunk(
        "node_rollup", keys.rollup(starts, np.arange(len(block)), values, "host"), lo, hi
    )
    yield from _mount_chunks(block, mounts, keys, by, lo, hi)


class _Keys:
    """The keys of a block's rows."""

    def __init__(
        self,
        spec: SiteSpec,
        names: list[str],
        hosts: list[str],
        job: Ints,
        ids: Ints,
        host: Ints,
        at: Ints,
    ) -> None:
        self._spec, self.names, self.hosts = spec, names, hosts
        self.job, self._ids, self.host, self.at = job, ids, host, at

    def table(
        self, rows: Ints, values: Mapping[str, Ints], mounts: pa.Array | None = None
    ) -> pa.Table:
        """Return some rows with their values."""
        columns: dict[str, Any] = {
            "job": dictionary(self.job[rows], self.names),
            "process": self._ids[rows],
            "host": dictionary(self.host[rows], self.hosts),
        }
        if mounts is not None:
            columns["mount"] = mounts
        columns["slice"] = self.at[rows]
        columns["slice_ns"] = np.full(len(rows), self._spec.slice_ns)
        columns["span"] = np.ones(len(rows), np.int32)
        return pa.table(columns | dict(values))

    def rollup(
        self,
        starts: Ints,
        rows: Ints,
        values: Mapping[str, Ints],
        resource: str,
        mount: tuple[Ints, list[str]] | None = None,
    ) -> pa.Table:
        """Return sums, minima and maxima of groups of rows.

        Args:
            starts: Index in `rows` of the begin of each group.
            rows: Rows of the block.
            values: Metrics of these rows.
            resource: Column of the groups: host or mount.
            mount: Index of the mount of each of `rows`, and the mounts' names.
        """
        first = rows[starts]
        place, names = (
            (self.host[first], self.hosts) if mount is None else (mount[0][starts], mount[1])
        )
        by = np.lexsort((place, self.job[first], self.at[first]))
        columns: dict[str, Any] = {
            "job": dictionary(self.job[first][by], self.names),
            resource: dictionary(place[by], names),
            "slice": self.at[first][by],
            "slice_ns": np.full(len(by), self._spec.slice_ns),
            "count": np.diff(np.append(starts, len(rows)))[by],
        }
        for name, column in values.items():
            columns[f"{name}_sum"] = np.add.reduceat(column, starts)[by]
            least = np.minimum.reduceat(column, starts)[by]
            if least.any():
                columns[f"{name}_min"] = least
            columns[f"{name}_max"] = np.maximum.reduceat(column, starts)[by]
        return pa.table(columns)


def _mount_chunks(
    block: Block, mounts: Ints, keys: _Keys, by: Ints, lo: int, hi: int
) -> Iterator[PartitionChunk]:
    """Return rows of mount_slices and their rollup: scratch file systems and homes."""
    rows = np.concatenate([block.scratch, block.home])
    if not len(rows):
        return
    split = len(block.scratch)
    names = {number: identity(*scratch(number)) for number in np.unique(mounts).tolist()}
    every = sorted({*names.values(), identity(*mount_of(HOME))})
    rank = {name: place for place, name in enumerate(every)}
    of_job = np.array([rank[names[number]] for number in mounts.tolist()])
    mount = np.concatenate(
        [
            of_job[block.job[block.scratch]],
            np.full(len(block.home), rank[identity(*mount_of(HOME))]),
        ]
    )
    values = together(block, split, len(rows))
    position = np.empty(len(block), np.int64)
    position[by] = np.arange(len(block))
    sort = np.lexsort((mount, position[rows]))
    yield PartitionChunk(
        "mount_slices",
        keys.table(
            rows[sort],
            {name: column[sort] for name, column in values.items()},
            dictionary(mount[sort], every),
        ),
        lo,
        hi,
    )
    groups = np.lexsort((rows, mount, block.entry[rows]))
    entry, place = block.entry[rows][groups], mount[groups]
    starts = np.flatnonzero(np.append(True, (np.diff(entry) != 0) | (np.diff(place) != 0)))
    yield PartitionChunk(
        "rollup",
        keys.rollup(
            starts,
            rows[groups],
            {name: column[groups] for name, column in values.items()},
            "mount",
            (place, every),
        ),
        lo,
        hi,
    )


def together(block: Block, split: int, count: int) -> Columns:
    """Return the mount metrics of a block: first the rows of scratch, then of home file systems.

    Metrics that are 0 in all rows are left out.
    """
    columns: Columns = {}
    for metrics, part in (
        (block.scratch_metrics, slice(0, split)),
        (block.home_metrics, slice(split, count)),
    ):
        for name, values in metrics.items():
            if values.any():
                columns.setdefault(name, np.zeros(count, np.int64))[part] = values
    return columns


# Processes and mounts


def process_table(spec: SiteSpec, of: Sequence[tuple[Ranks, Mapping[str, Any]]]) -> pa.Table:
    """Return rows of table processes: all ranks of some jobs, in their current state.

    Args:
        spec: The site.
        of: Processes of a job, and the columns that change: end_ns, end_reason, complete,
            last_slice, records and revision.
    """
    uid = _me()
    count = [len(ranks) for ranks, _ in of]
    table: dict[str, Any] = {name: [] for name in TABLES["processes"].keys}
    for ranks, state in of:
        program, name = ranks.program, job_name(ranks.job)
        same = {
            "job": name,
            "part": 0,
            "program": executable(ranks),
            "command": executable(ranks),
            "library": VERSION,
            "slice_ns": spec.slice_ns,
            "start_ns": ranks.start_ns,
            "short": False,
            "first_slice": ranks.start_ns // spec.slice_ns,
            "clock_state": 0,
            "clock_error_us": 200,
            "clock_steps": 0,
            "lost_threads": 0,
            "uid": uid,
            "gid": uid,
            "ppid": 1,
            "sid": int(ranks.pids[0]),
            "script": program.script,
            **dict.fromkeys(BINDING_COLUMNS, ""),
            **mpi_facts(spec, ranks, 0 if state["end_reason"] == "killed" else state["end_ns"]),
            **state,
        }
        each = {
            "process": ranks.ids,
            "pid": ranks.pids,
            "world_rank": np.arange(len(ranks)) * program.mpi,
            "host": [host_name(node) for node in ranks.nodes.tolist()],
            "boot_id": _boots(spec, ranks),
        }
        for column, parts in table.items():
            if column in each:
                parts.append(pa.array(each[column]))
            elif column in same:
                parts.append(same[column])
    return _assembled(table, count)


def mpi_facts(spec: SiteSpec, ranks: Ranks, end_ns: int) -> dict[str, Any]:
    """Return the fields on MPI and counters in the headers of a job's profiles, without ranks.

    Args:
        spec: The site.
        ranks: The processes.
        end_ns: When they ended; 0: they run.
    """
    program, name = ranks.program, job_name(ranks.job)
    mpi = program.mpi
    state = MpiState.FINALISED if end_ns else MpiState.INITIALISED
    return {
        "mpi_state": int(state) * mpi,
        "mpi_adapter": MpiAdapter.LOADED * mpi,
        "mpi_adapter_name": "openmpi" * mpi,
        "mpi_library": MPI_LIBRARY * mpi,
        "world": f"world-{name}" * mpi,
        "world_size": len(ranks) * mpi,
        "appnum": 0,
        "spawned": False,
        "thread_level": int(mpi and program.threads > 1),
        "omp_threads": program.threads * (program.threads > 1),
        "launcher": "slurm" * mpi,
        "batch": name,
        "perf_asked": 127,
        "perf_granted": 127 if spec.pmu else 120,
        "mpi_init_ns": ranks.start_ns * mpi,
        "mpi_ready_ns": ranks.start_ns * mpi,
        "mpi_finalize_ns": end_ns * mpi,
        "mpi_end_ns": end_ns * mpi,
    }


def _assembled(table: dict[str, list[Any]], count: list[int]) -> pa.Table:
    columns = {}
    index = pa.array(np.repeat(np.arange(len(count)), count))
    for name, kind in TABLES["processes"].keys.items():
        parts = table[name]
        if not parts:  # notes, warnings, papi_names; basis, since these are profiles
            nothing: list[int] | None = [] if pa.types.is_list(kind) else None
            columns[name] = pa.array([nothing] * sum(count), kind)
        elif isinstance(parts[0], pa.Array):
            columns[name] = pa.concat_arrays(parts).cast(kind)
        else:
            columns[name] = pa.array(parts, kind).take(index)
    return pa.table(columns)


def _boots(spec: SiteSpec, ranks: Ranks) -> list[str]:
    places = zip(ranks.nodes.tolist(), ranks.boots.tolist(), strict=True)
    known = {node: boot_id(spec, node, boot) for node, boot in set(places)}
    return [known[node] for node in ranks.nodes.tolist()]


def _me() -> int:
    import os

    return os.getuid()


def executable(ranks: Ranks) -> str:
    """Return the executable of the processes of a job."""
    return "/usr/bin/python3.11" if ranks.program.script else f"/opt/apps/{ranks.program.name}"


def mount_table(of: Sequence[tuple[Ranks, int]]) -> pa.Table:
    """Return rows of table mounts.

    Args:
        of: Processes of a job, and its scratch file system.
    """
    rows = []
    for ranks, number in of:
        for node in np.unique(ranks.nodes).tolist():
            for minor, (path, kind, source) in (
                (50 + 2 * number, scratch(number)),
                (50 + HOME, mount_of(HOME)),
            ):
                rows.append(
                    {
                        "job": job_name(ranks.job),
                        "host": host_name(node),
                        "mount": identity(path, kind, source),
                        "path": path,
                        "type": kind,
                        "source": source,
                        "major": 0,
                        "minor": minor,
                        "shared": is_shared(kind, source),
                    }
                )
    return pa.Table.from_pylist(rows, pa.schema(list(TABLES["mounts"].keys.items())))
