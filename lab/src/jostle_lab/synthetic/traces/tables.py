"""Makes the tables that a repository would return for a synthetic (replayed) run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from jostle.repository import CoreReference, RunTables
from jostle.repository.writing import TABLES, MpiWorld, merge_world
from jostle_lab.synthetic.traces.accounts import Spans, stolen
from jostle_lab.synthetic.traces.program import Floats, Ints
from jostle_lab.synthetic.traces.rows import ReplayedRun, segment_rows, tokens

MOUNT = "sshfs:storage:/"
_CLASSES = {
    "MPI_Allreduce": "mpi_all_to_all",
    "MPI_Alltoall": "mpi_all_to_all",
    "MPI_Allgather": "mpi_all_to_all",
    "MPI_Barrier": "mpi_barrier",
    "MPI_Sendrecv": "mpi_sendrecv",
    "MPI_Recv": "mpi_recv",
    "MPI_Send": "mpi_send",
    "read": "posix_read",
    "write": "posix_write",
}
_CORE_PROBE_NS = 20_000_000  # between two runs of it
_REFERENCE_NS, _JOBS = 12_000.0, 20  # of its loop; jobs from which it was learnt
_UNSTEADY = 0.2  # of a single run of it
_SHORT_S = 1e-4  # as in runtime/src/mpi/mpi_account.c
_STATES = {
    "global": "state_collective_ns",
    "neighbours": "state_p2p_ns",
    "forth": "state_p2p_ns",
    "back": "state_p2p_ns",
    "send": "state_p2p_ns",
    "file": "state_io_ns",
}


def run_tables(run: ReplayedRun, job: str) -> RunTables:
    """Make the tables of a run.

    Args:
        run: The replayed run.
        job: Name of the job.
    """
    ranks = run.program.ranks
    processes = list(range(1, ranks + 1))
    world = MpiWorld(0, "synthetic", ranks, False, processes, list(range(ranks)))
    merged = merge_world(world, segment_rows(run, processes), tokens(run.script, job))
    slices, mount_slices = _slices(run)
    hosts = {_host(run, rank) for rank in range(ranks)}
    references = (
        {host: CoreReference(_REFERENCE_NS, _JOBS) for host in hosts} if run.core_probe else {}
    )
    return RunTables(
        job,
        _processes(run, job, processes),
        _mounts(run, job),
        (merged,),
        slices,
        mount_slices,
        references,
    )


def _host(run: ReplayedRun, rank: int) -> str:
    return f"node{rank // run.program.per_node + 1:03d}"


def _processes(run: ReplayedRun, job: str, processes: list[int]) -> pa.Table:
    end = run.init_ns + round(run.timeline.seconds * 1e9)
    slice_ns = run.program.slice_ns
    rows = [
        {
            "process": process,
            "job": job,
            "host": _host(run, rank),
            "boot_id": "b",
            "pid": process,
            "ppid": 1,
            "uid": 1000,
            "gid": 1000,
            "part": 0,
            "program": "synthetic",
            "command": "synthetic",
            "slice_ns": slice_ns,
            "start_ns": run.init_ns - 20_000_000,
            "end_ns": end + 5_000_000,
            "end_reason": "exit",
            "complete": True,
            "short": False,
            "first_slice": run.init_ns // slice_ns,
            "last_slice": end // slice_ns,
            "clock_state": 0,
            "clock_error_us": 10,
            "world": "synthetic",
            "world_size": run.program.ranks,
            "world_rank": rank,
            "spawned": False,
            "mpi_state": 4,
            "mpi_init_ns": run.init_ns,
            "mpi_ready_ns": run.init_ns + 1_000_000,
            "mpi_finalize_ns": end,
            "mpi_end_ns": end,
        }
        for rank, process in enumerate(processes)
    ]
    shape = TABLES["processes"].keys
    return pa.Table.from_pylist(rows, pa.schema(shape))


def _mounts(run: ReplayedRun, job: str) -> pa.Table:
    hosts = sorted({_host(run, rank) for rank in range(run.program.ranks)})
    rows = [
        {
            "job": job,
            "host": host,
            "mount": MOUNT,
            "path": "/scratch",
            "type": "fuse.sshfs",
            "source": "storage:/",
            "major": 0,
            "minor": 50,
            "shared": True,
        }
        for host in hosts
    ]
    has_files = any(call.sort == "file" for call in run.script.calls)
    return pa.Table.from_pylist(rows if has_files else [], pa.schema(TABLES["mounts"].keys))


def _slices(run: ReplayedRun) -> tuple[pa.Table, pa.Table]:
    """Return the rows per node and slice, and per mount and slice."""
    first = run.init_ns // run.program.slice_ns
    end = run.init_ns + round(run.timeline.seconds * 1e9)
    count = end // run.program.slice_ns - first + 1
    per_rank = [
        _rank_metrics(run, rank, int(first), int(count)) for rank in range(run.program.ranks)
    ]
    hosts = np.array([_host(run, rank) for rank in range(run.program.ranks)])
    by_host = [
        (host, [per_rank[i] for i in np.flatnonzero(hosts == host)])
        for host in dict.fromkeys(hosts.tolist())
    ]
    has_files = any(call.sort == "file" for call in run.script.calls)
    return (
        _rollup(run, "node_rollup", "host", by_host, int(first), int(count)),
        _rollup(
            run, "rollup", "mount", [(MOUNT, per_rank)] if has_files else [], int(first), int(count)
        ),
    )


def _rank_metrics(run: ReplayedRun, rank: int, first: int, count: int) -> dict[str, Ints]:
    """Return a rank's metrics per slice [count]."""
    script, timeline = run.script, run.timeline
    begin, end = timeline.begin_s[:, rank], timeline.end_s[:, rank]
    result: dict[str, Ints] = {}

    def put(name: str, spans: Spans) -> None:
        found = _per_slice(run, spans, first, count)
        result[name] = result[name] + found if name in result else found

    for number, call in enumerate(script.calls):
        if call.sort == "none":
            continue
        mine = np.flatnonzero(script.call == number)
        place = (run.init_ns + np.rint(end[mine] * 1e9).astype(np.int64)) // run.program.slice_ns
        ops = np.bincount((place - first).clip(0, count - 1), minlength=count)
        spans = Spans(begin[mine], end[mine], end[mine] - begin[mine])
        stem = _CLASSES[call.function]
        result[f"{stem}_ops"] = result.get(f"{stem}_ops", 0) + ops
        if stem != "mpi_barrier":
            result[f"{stem}_bytes"] = result.get(f"{stem}_bytes", 0) + ops * call.bytes
        put(f"{stem}_ns", spans)
        put(_STATES[call.sort], spans)
    waited = run.waits_s[:, rank]
    for name, late in (
        ("wait_mpi_ns", waited > 0),
        ("wait_short_ns", (waited > 0) & (waited < _SHORT_S)),
    ):
        put(name, Spans(end[late] - waited[late], end[late], waited[late]))
    put("wait_offcpu_ns", run.away[rank])
    robbed = stolen(script, timeline, run.effect, rank)
    put("os_runqueue_ns", robbed)
    whole = Spans(np.zeros(1), np.array([timeline.seconds]), np.array([timeline.seconds]))
    put("os_user_ns", whole)
    result["os_user_ns"] = (result["os_user_ns"] - result["os_runqueue_ns"]).clip(0)
    if run.core_probe:
        result |= _core_probe(run, rank, first, count)
    return result


def _core_probe(run: ReplayedRun, rank: int, first: int, count: int) -> dict[str, Ints]:
    """Return the metrics of a rank's core-speed probe in each slice.

    The probe is slowed where computation is, but less by the run's factor `core_probe`.
    """
    gap = run.script.gap_s[:, rank]
    slowed = run.effect.slowed_s
    slowed = slowed[:, rank if slowed.shape[1] > 1 else 0]
    until = run.timeline.begin_s[:, rank]
    work, more = (
        _per_slice(run, Spans(until - gap - slowed, until, amount), first, count)
        for amount in (gap, slowed)
    )
    ratio = 1 + np.divide(more, work, out=np.zeros(count), where=work > 0) / run.core_probe
    times = np.full(count, max(run.program.slice_ns // _CORE_PROBE_NS, 1), dtype=np.int64)
    random = np.random.default_rng([run.seed, rank, 2])
    noise = 1 + _UNSTEADY * (ratio - 1) * random.standard_normal(count) / np.sqrt(times)
    return {
        "core_probe_ns": np.rint(_REFERENCE_NS * ratio * noise * times).astype(np.int64),
        "core_probe_count": times,
    }


def _per_slice(run: ReplayedRun, spans: Spans, first: int, count: int) -> Ints:
    """Return the time of spans in each slice, in ns, as if it was spread evenly over a span."""
    width = run.program.slice_ns / 1e9
    offset = (run.init_ns - first * run.program.slice_ns) / 1e9
    edges: Floats = np.arange(1.0, count) * width - offset
    # The part of the spans before an edge: whole ones by a sum, those across it one by one.
    length = np.maximum(spans.end_s - spans.begin_s, 1e-12)
    order = np.argsort(spans.end_s, kind="stable")
    done = np.concatenate([[0.0], np.cumsum(spans.amount_s[order])])
    before = done[np.searchsorted(spans.end_s[order], edges)]
    before = before + _across(spans, length, edges)
    total = np.concatenate([[0.0], before, [done[-1]]])
    return np.rint(np.diff(total) * 1e9).astype(np.int64)


def _across(spans: Spans, length: Floats, edges: Floats) -> Floats:
    """Return, for each edge of slices, the time before it of the spans that the edge cuts."""
    low = np.searchsorted(edges, spans.begin_s, side="right")
    high = np.searchsorted(edges, spans.end_s, side="right")
    long = np.flatnonzero(high > low)
    result = np.zeros(len(edges))
    for span, a, b in zip(long.tolist(), low[long].tolist(), high[long].tolist(), strict=True):
        part = (edges[a:b] - spans.begin_s[span]) / length[span]
        result[a:b] += part * spans.amount_s[span]
    return result


def _rollup(
    run: ReplayedRun,
    table: str,
    key: str,
    groups: list[tuple[str, list[dict[str, Ints]]]],
    first: int,
    count: int,
) -> pa.Table:
    """Make the rows of a rollup (sums, minima, maxima): one for each group of ranks and slice."""
    stats: dict[str, Any] = {"sum": np.sum, "min": np.min, "max": np.max}
    names: list[str] = []
    columns: dict[str, list[Any]] = {name: [] for name in TABLES[table].values}
    members: list[int] = []
    for name, ranks in groups:
        names += [name] * count
        members += [len(ranks)] * count
        for column, values in columns.items():
            metric, _, stat = column.rpartition("_")
            held = [rank[metric] for rank in ranks if metric in rank]
            values.append(stats[stat](held, axis=0) if held else np.zeros(count, np.int64))
    slices = np.tile(np.arange(first, first + count), len(groups))
    order = np.lexsort((np.array(names), slices)) if names else np.empty(0, np.int64)
    data: dict[str, Any] = {
        key: np.array(names, dtype=object)[order],
        "slice": slices[order],
        "slice_ns": np.full(len(order), run.program.slice_ns),
        "count": np.array(members, dtype=np.int64)[order],
    }
    for column, values in columns.items():
        data[column] = np.concatenate(values)[order] if values else np.empty(0, np.int64)
    data[key] = pa.array(data[key].tolist(), pa.string())
    return pa.table(data)
