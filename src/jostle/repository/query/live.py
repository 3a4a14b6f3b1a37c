"""Reads the newest slices of all jobs, the input of `jostle.analysis.live`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from jostle.names.identity import is_wrapper
from jostle.repository.query.engine import Engine, total
from jostle.repository.query.process_kinds import jobs_of
from jostle.repository.query.resources.co_running import MPI_BYTES, MPI_NS, MPI_OPS
from jostle.repository.query.resources.watched import watched_processes
from jostle.values.core_lists import read_list
from jostle.values.file_metrics import file_metrics

#: Kinds of file calls with a separate time per operation.
CALLS = ("read", "write", "sync", "meta")
_OPS = {
    "read": file_metrics("read_ops"),
    "write": file_metrics("write_ops"),
    "sync": file_metrics("sync_ops"),
    "meta": file_metrics("open_ops", "close_ops", "meta_ops"),
}
_NS = {call: file_metrics(f"{call}_ns") for call in CALLS}
_BYTES = {"read": file_metrics("read_bytes"), "write": file_metrics("write_bytes")}
_MPI_OPS = (*MPI_OPS, "mpi_barrier_ops")
_NONE, _NO_TIME = (0,) * len(CALLS), (0.0,) * len(CALLS)
_CPU = ("os_user_ns", "os_system_ns")


@dataclass(frozen=True)
class LiveJob:
    """A job that may still run.

    Attributes:
        job: Name of the job.
        program: Program of the job.
        uid: Uid of its owner; None: several users, or not known.
        start_ns: Start of the job, ns since the epoch.
        end_ns: End of the job; 0 while it runs.
        processes: Number of its processes.
        ranks: Number of its processes that use MPI.
        nodes: Names of its nodes.
        slice_ns: Length of its slices.
    """

    job: str
    program: str = ""
    uid: int | None = None
    start_ns: int = 0
    end_ns: int = 0
    processes: int = 1
    ranks: int = 0
    nodes: tuple[str, ...] = ()
    slice_ns: int = 4_000_000_000


@dataclass(frozen=True)
class MountRow:
    """The load of a job, or of programs without a profile, on a mount in one slice.

    The fields ops, seconds, bytes and longest have one number for each kind of calls in CALLS.

    Attributes:
        job: Name of the job, or of the programs.
        mount: The mount.
        start_ns: Start of the slice, ns since the epoch.
        length_ns: Length of the slice.
        count: Number of processes with a record there; 0: programs without a profile.
        ops: Number of operations.
        seconds: Time in these operations, summed over the processes.
        bytes: Bytes that the operations moved.
        longest: Longest time, seconds, that one process spent in these operations.
    """

    job: str
    mount: str
    start_ns: int
    length_ns: int
    count: int
    ops: tuple[int, ...]
    seconds: tuple[float, ...]
    bytes: tuple[int, ...]
    longest: tuple[float, ...]


@dataclass(frozen=True)
class NodeRow:
    """The load of a job, or of programs without a profile, on a node in one slice.

    Attributes:
        job: Name of the job, or of the programs.
        host: The node.
        start_ns: Start of the slice, ns since the epoch.
        length_ns: Length of the slice.
        count: Number of processes with a record there; 0: programs without a profile.
        cpu_s: CPU time, seconds.
        queue_s: Time that runnable threads waited for a core, seconds.
        mpi_ops: Number of MPI calls that send or synchronise.
        mpi_bytes: Bytes that these calls sent.
        mpi_s: Time in MPI, seconds, summed over the processes.
        awake: Mean number of awake threads, summed over the processes.
        cores: Cores that its processes may run on; None: not known.
    """

    job: str
    host: str
    start_ns: int
    length_ns: int
    count: int
    cpu_s: float
    queue_s: float = 0.0
    mpi_ops: int = 0
    mpi_bytes: int = 0
    awake: int = 0
    mpi_s: float = 0.0
    cores: frozenset[int] | None = None


@dataclass(frozen=True)
class LiveRows:
    """The recorded slices of a span of time.

    Attributes:
        jobs: The jobs that ran in the span, without jobs that are only wrappers or launchers.
        mounts: Slices of jobs by mount, the earliest first.
        nodes: Slices of jobs by node, the earliest first.
        newest_ns: End of the newest slice; 0: there is none.
    """

    jobs: tuple[LiveJob, ...] = ()
    mounts: tuple[MountRow, ...] = ()
    nodes: tuple[NodeRow, ...] = ()
    newest_ns: int = 0


def live_rows(engine: Engine, span: tuple[int, int]) -> LiveRows:
    """Return the loads of all jobs in slices that begin in a span of time, ns since the epoch."""
    jobs = _jobs(engine, span)
    known = {job.job for job in jobs}
    mounts = tuple(row for row in _mounts(engine, span) if row.job in known)
    nodes = [row for row in _nodes(engine, span) if row.job in known]
    cores = _cores(engine, sorted({row.job for row in nodes}), span)
    nodes = [replace(row, cores=cores.get((row.job, row.host))) for row in nodes]
    every: list[MountRow | NodeRow] = [*mounts, *nodes]
    newest = max((row.start_ns + row.length_ns for row in every), default=0)
    unprofiled = _unprofiled(engine, sorted({row.host for row in nodes}), span)
    nodes += [row for row, _ in unprofiled if row.cpu_s > 0]
    disks = sorted({row.mount for row in mounts if ":/dev/" in row.mount})
    on_disks = [
        MountRow(row.job, disk, row.start_ns, row.length_ns, 0, _NONE, _NO_TIME, moved, _NO_TIME)
        for row, moved in unprofiled
        for disk in disks
        if any(moved) and disk.startswith(f"{row.host}:")
    ]
    return LiveRows(jobs, (*mounts, *on_disks), tuple(nodes), newest)


def _jobs(engine: Engine, span: tuple[int, int]) -> tuple[LiveJob, ...]:
    def question() -> str:
        kinds = engine.source("process_kinds", *span)
        return (
            "SELECT job, program, uid, start_ns, "
            "CASE WHEN running THEN 0 ELSE end_ns END AS end_ns, "
            "processes, mpi_processes AS ranks, nodes, slice_ns "
            f"FROM ({jobs_of(f'({kinds})')}) "
            "WHERE start_ns < $2 AND (running OR end_ns > $1) ORDER BY job"
        )

    rows = engine.ask(question, list(span)).to_pylist()
    return tuple(
        LiveJob(**{**row, "nodes": tuple(row["nodes"] or ())})
        for row in rows
        if not is_wrapper(row["program"] or "")
    )


def _mounts(engine: Engine, span: tuple[int, int]) -> list[MountRow]:
    values = [
        *(_sum(_OPS[call]) for call in CALLS),
        *(_sum(_NS[call]) for call in CALLS),
        *(_sum(_BYTES[call]) if call in _BYTES else "0" for call in CALLS),
        *(" + ".join(f"coalesce(max({name}_max), 0)" for name in _NS[call]) for call in CALLS),
    ]
    used = [f"{name}_sum" for line in (_OPS, _NS, _BYTES) for of in line.values() for name in of]
    used += [f"{name}_max" for of in _NS.values() for name in of]
    rows = _asked(engine, "rollup", "mount", span, values, used)
    n = len(CALLS)
    return [
        MountRow(
            job,
            mount,
            start,
            length,
            count,
            tuple(v[:n]),
            tuple(value / 1e9 for value in v[n : 2 * n]),
            tuple(v[2 * n : 3 * n]),
            tuple(value / 1e9 for value in v[3 * n :]),
        )
        for job, mount, start, length, count, *v in rows
    ]


def _nodes(engine: Engine, span: tuple[int, int]) -> list[NodeRow]:
    lines = [_CPU, ("os_runqueue_ns",), _MPI_OPS, MPI_BYTES, ("os_awake",), MPI_NS]
    used = [f"{name}_sum" for line in lines for name in line]
    rows = _asked(engine, "node_rollup", "host", span, [_sum(line) for line in lines], used)
    return [
        NodeRow(
            job, host, start, length, count, cpu / 1e9, queue / 1e9, ops, sent, awake, mpi / 1e9
        )
        for job, host, start, length, count, cpu, queue, ops, sent, awake, mpi in rows
    ]


def _unprofiled(
    engine: Engine, hosts: Sequence[str], span: tuple[int, int]
) -> list[tuple[NodeRow, tuple[int, ...]]]:
    """Return the load of processes without a profile on the cores and disks of some hosts.

    If a host has several disks, it is not known which of them these processes used.

    Returns:
        Rows of their load on nodes, each with their bytes from and to storage (in order of CALLS).
    """
    used: dict[tuple[str, str, int, int], tuple[NodeRow, tuple[int, ...]]] = {}
    for row in watched_processes(engine, hosts, span).to_pylist():
        start, length = row["slice"] * row["slice_ns"], row["slice_ns"] * row["span"]
        if not span[0] <= start < span[1]:
            continue
        key = row["host"], row["title"], start, length
        empty = NodeRow(row["title"], row["host"], start, length, 0, 0.0, cores=frozenset())
        old, moved = used.get(key, (empty, _NONE))
        cores = _united(old.cores, read_list(row["cores"]))
        new = replace(old, cpu_s=old.cpu_s + row["cpu_ns"] / 1e9, cores=cores)
        used[key] = new, (moved[0] + row["read_bytes"], moved[1] + row["write_bytes"], 0, 0)
    return [used[key] for key in sorted(used)]


def _cores(
    engine: Engine, jobs: Sequence[str], span: tuple[int, int]
) -> dict[tuple[str, str], frozenset[int] | None]:
    """Return the cores that the processes of jobs may run on, by job and host."""
    rows = engine.ask(
        lambda: (
            "SELECT DISTINCT job, host, coalesce(allowed_cpus, '') AS cpus "
            f"FROM ({engine.source('processes', *span)}) WHERE list_contains($1, job)"
        ),
        [list(jobs)],
    )
    found: dict[tuple[str, str], frozenset[int] | None] = {}
    for row in rows.to_pylist():
        key = row["job"], row["host"]
        found[key] = _united(found.get(key, frozenset()), read_list(row["cpus"]))
    return found


def _united(some: frozenset[int] | None, more: frozenset[int] | None) -> frozenset[int] | None:
    return None if some is None or more is None else some | more


def _sum(metrics: Sequence[str]) -> str:
    return " + ".join(total(f"{name}_sum") for name in dict.fromkeys(metrics))


def _asked(
    engine: Engine,
    table: str,
    resource: str,
    span: tuple[int, int],
    values: Sequence[str],
    used: Sequence[str],
) -> list[tuple[Any, ...]]:
    """Return rows of a rollup: job, resource, start, length, count, then the values."""
    named = ["job", resource, "slice", "slice_ns", "count", *used]
    columns = ", ".join(f"({value})::BIGINT AS v{at}" for at, value in enumerate(values))
    found = engine.ask(
        lambda: (
            f"SELECT job, {resource}, slice * slice_ns AS start_ns, slice_ns, "
            f"{total('count')}::BIGINT AS count, {columns} "
            f"FROM {engine.stored(table, *span, columns=list(dict.fromkeys(named)))} "
            "WHERE slice * slice_ns >= $1 AND slice * slice_ns < $2 "
            f"GROUP BY job, {resource}, slice, slice_ns ORDER BY start_ns, job, {resource}"
        ),
        list(span),
    )
    columns_read = [found.column(at).to_pylist() for at in range(found.num_columns)]
    return list(zip(*columns_read, strict=True))
