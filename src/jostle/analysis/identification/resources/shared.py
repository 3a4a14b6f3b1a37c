"""Collects the resources that a job shares with other jobs: its calls and their load, per slice.

All times are in seconds, all arrays have shape (slices,) on the time axis of the job's own slices.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.analysis.identification.model import LoadSource, ResourceKind
from jostle.analysis.identification.resources.syncs import wait_for_metadata
from jostle.analysis.identification.resources.targets import shared_part
from jostle.analysis.interval import Interval
from jostle.analysis.series import resample
from jostle.repository.query.around_gpus import CCL_BYTES, CCL_NS, CCL_OPS
from jostle.repository.query.co_running import COLLECTIVE, P2P, CoRunning, family_bytes
from jostle.repository.query.lifetimes import spans
from jostle.values.storage_servers import FileKind, has_metadata_server, resource_name

Floats = NDArray[np.float64]
Axis = tuple[int, int, int]  # start ns, step ns, steps

#: Bytes that one operation counts for in addition to those it moves, so that metadata storms are a
#: load too, also on object servers, which keep the journals and tables of metadata servers.
OPERATION = 4096
#: Bytes that count as much as a metadata operation on a metadata server: they keep the devices of
#: its journal busy, and need sizes, locks and leases from it.
DATA_PER_REQUEST = 1 << 20
_NS = 1e9
_MOST_STEPS = 100_000
_FILES = ("posix", "stdio")
_FILE_OPS = ("open", "close", "read", "write", "seek", "sync")
#: Part of the usual amount of calls of a kind: slices with less are not evaluated for this kind.
_LITTLE = 0.02
_APART = 0.01  # part of a load on the job's own targets: with less they do not meet
_SPILLS = 4  # slices by which time of calls may be moved to earlier slices


@dataclass(frozen=True)
class CallSeries:
    """The job's operations of one kind on a resource, slice by slice.

    Attributes:
        name: Name of the kind, for users.
        ops: Number of operations (of CPU work: its seconds).
        size: Mean bytes of an operation; 0 for operations without data.
        seconds: Time spent in them, over all processes.
    """

    name: str
    ops: Floats
    size: Floats
    seconds: Floats


@dataclass(frozen=True)
class MeetingPlace:
    """A link of the fabric on which the job meets others.

    Attributes:
        name: Name, such as `link leaf1 > spine1`.
        own_load: The job's bytes on it, per slice.
        others_load: The bytes of all others on it, per slice.
    """

    name: str
    own_load: Floats
    others_load: Floats


@dataclass(frozen=True)
class SharedResource:
    """A resource that the job shares with others.

    Attributes:
        name: Name of the resource.
        kind: Kind of the resource.
        axis: Start, length (ns) and number of the slices.
        calls: The job's operations there, by kind.
        busy: Seconds per slice spent there by the process that the job waits for: the slowest of
            an MPI job, else the mean of those active there.
        mean_busy: The same, mean of all processes active there.
        processes: Number of processes active there.
        own_load: The job's own load.
        loads: The load of each other job, by name.
        unit: Unit of the loads, per slice.
        raw_ns: Longest slice of the records that the loads were made of.
        mount: Identity of the mount that it is, or is a part of; "": none.
        apart: Jobs whose files are on other storage targets of the same file system.
        places: Links on which neighbours meet the job, by neighbour, where the fabric is known.
        bound: For memory: the job's sensitivity to its speed, from which the time of `calls` is
            computed.
        load_source: For memory: how the loads were counted.
        servers: Names in `loads` whose series is not a load but a server's slowdown (see
            servers.py).
        of_messages: For buses: whether `calls` are messages to other nodes, as on the network.
    """

    name: str
    kind: ResourceKind
    axis: Axis
    calls: tuple[CallSeries, ...]
    busy: Floats
    mean_busy: Floats
    processes: Floats
    own_load: Floats
    loads: dict[str, Floats]
    unit: str
    raw_ns: int
    mount: str = ""
    servers: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    places: dict[str, MeetingPlace] = field(default_factory=dict)
    bound: Interval | None = None
    load_source: LoadSource = ""
    of_messages: bool = False

    def place(self, job: str) -> str:
        """Return the place where the job and a neighbour meet: a link, or the resource itself."""
        return self.places[job].name if job in self.places else self.name

    @property
    def others(self) -> Floats:
        """Load of all other jobs."""
        return np.sum(list(self.loads.values()), axis=0) if self.loads else np.zeros(self.axis[2])


def shared_resources(alongside: CoRunning, watched: Collection[str] = ()) -> list[SharedResource]:
    """Return every resource that both the job and, while it ran, another job used.

    Args:
        alongside: The job and its neighbours, from Repository.alongside.
        watched: Mounts whose servers or links are monitored: these also where no other job used
            them.

    Returns:
        Mounts (of some file systems their object servers and their metadata server), nodes and
        the network; none where the job has no slices.
    """
    axis = job_axis(alongside)
    if not axis[2]:
        return []
    own = set(_names(alongside.own_mounts, "mount"))
    shared = [
        resource
        for name in dict.fromkeys([*_names(alongside.mount_loads, "mount"), *sorted(watched)])
        if name in own
        for resource in _mount(alongside, name, axis)
    ]
    shared += [_node(alongside, name, axis) for name in nodes(alongside)]
    if alongside.network_loads.num_rows and alongside.own_nodes.num_rows:
        shared.append(network(alongside, axis))
    return [
        resource
        for resource in shared
        if resource.mount in watched or any(load.any() for load in resource.loads.values())
    ]


def nodes(alongside: CoRunning) -> list[str]:
    """Return the nodes to evaluate: of those shared with the same jobs the most loaded one."""
    best: dict[tuple[str, ...], tuple[float, str]] = {}
    for name in sorted(_names(alongside.node_loads, "host")):
        rows = _where(alongside.node_loads, "host", name)
        load = float(np.asarray(rows.column("cpu_ns").to_numpy(), dtype=np.float64).sum())
        jobs = tuple(sorted(_names(rows, "job")))
        best[jobs] = max(best.get(jobs, (-1.0, "")), (load, name))
    return sorted(name for _, name in best.values())


def _names(table: pa.Table, column: str) -> list[str]:
    return list(dict.fromkeys(table.column(column).to_pylist())) if table.num_rows else []


def job_axis(alongside: CoRunning) -> Axis:
    """Return the time axis of a job's slices, with longer steps where they would be too many."""
    own = [
        _slices(table) for table in (alongside.own_mounts, alongside.own_nodes) if table.num_rows
    ]
    if not own:
        return 0, 1, 0
    start = np.concatenate([start for start, _ in own])
    length = np.concatenate([length for _, length in own])
    step = int(length.max())
    end = int((start + length).max())
    step *= max(-(-(end - int(start.min())) // (step * (_MOST_STEPS - 1))), 1)
    begin = int(start.min()) // step * step
    return begin, step, -(-(end - begin) // step)


def _slices(table: pa.Table) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    length = np.asarray(table.column("slice_ns").to_numpy(), dtype=np.int64)
    return np.asarray(table.column("slice").to_numpy(), dtype=np.int64) * length, length


class AxisRows:
    """Rows of one resource (and job), mapped onto the axis by the time in which their job lived."""

    def __init__(self, table: pa.Table, axis: Axis, within: tuple[int, int] | None = None) -> None:
        """Map rows onto a time axis.

        Args:
            table: The rows.
            axis: The time axis onto which the rows are mapped.
            within: For others' rows: begin and end of the job's own life, outside of which nothing
                counts.
        """
        self.axis = axis
        self._table = table
        self._within = within
        self._start, self._length = spans(table)
        self._whole = _slices(table)[1]

    def stretch(self, longest: Floats) -> None:
        """Extend rows backwards in time if their calls lasted longer than their slice.

        A call counts in the slice in which it ends; while it lasts its process has no row. A row
        is extended by the longest time that a process was in calls, but only over time that the
        row before does not fill (several threads need no more than their own slice).
        """
        order = np.argsort(self._start, kind="stable")
        start, length, longest = self._start[order], self._length[order], longest[order]
        room = np.full(len(start), np.iinfo(np.int64).max, dtype=np.float64)
        room[1:] = start[1:] - (start + length)[:-1] + np.maximum(0, (length - longest)[:-1])
        # Calls of a job's first row cannot have begun before the job.
        room[:1] = 0
        back = np.clip(np.minimum(longest - length, room), 0, 60 * length).astype(np.int64)
        self._start = self._start.copy()
        self._length = self._length.copy()
        self._start[order] -= back
        self._length[order] += back
        self._whole = self._whole.copy()
        self._whole[order] += back

    def values(self, names: Iterable[str]) -> Floats:
        """Add up columns, per row."""
        out = np.zeros(self._table.num_rows)
        for name in names:
            if name in self._table.column_names:
                out += np.maximum(
                    np.asarray(self._table.column(name).to_numpy(), dtype=np.float64), 0
                )
        return out

    def lay(self, values: Floats) -> Floats:
        """Return amounts of the rows per slice of the axis."""
        return resample(self._start, self._length, values, self.axis, within=self._within)

    def active(self) -> Floats:
        """Return the number of active processes per slice; extended rows count all the time.

        Where an extended row reaches into the slice of another row, that row's processes count.
        """
        count = self.values(["count"])
        found: Floats = self.lay(count * self._whole / self.axis[1])
        return found.clip(max=float(count.max(initial=0.0)))

    def sum(self, *names: str) -> Floats:
        """Add up columns, per slice of the axis."""
        return self.lay(self.values(names))


def _where(table: pa.Table, column: str, value: str) -> pa.Table:
    import pyarrow.compute as pc

    return table.filter(pc.equal(table.column(column), value))


def _by_job(table: pa.Table) -> Iterable[tuple[str, pa.Table]]:
    for job in sorted(_names(table, "job")):
        yield job, _where(table, "job", job)


# ---- file systems ----

_MOUNT_TIMES = tuple(
    f"{kind}_{what}_ns" for kind in _FILES for what in ("read", "write", "sync", "meta")
)
_BYTES = tuple(f"{kind}_{what}_bytes" for kind in _FILES for what in ("read", "write"))
_OPS = tuple(f"{kind}_{what}_ops" for kind in _FILES for what in (*_FILE_OPS, "meta"))
_META_OPS = tuple(f"{kind}_{what}_ops" for kind in _FILES for what in ("open", "close", "meta"))
_ALL_CALLS = ("read", "write", "sync", "meta")


def _mount(alongside: CoRunning, name: str, axis: Axis) -> Iterable[SharedResource]:
    """Yield a mount as one resource, or the servers of its data and of its metadata as two.

    Of the two, a resource on which the job spent no time is left out.
    """
    rows = AxisRows(_where(alongside.own_mounts, "mount", name), axis)
    rows.stretch(rows.values(f"{time}_max" for time in _MOUNT_TIMES))
    theirs = _where(alongside.mount_loads, "mount", name)
    others = {}
    for job, table in _by_job(theirs):
        others[job] = AxisRows(table, axis, alongside.job.life)
        others[job].stretch(others[job].values(f"{time}_max" for time in _MOUNT_TIMES))
    longest = longest_slice(theirs, axis)
    if not has_metadata_server(name):
        return [_files(alongside, ("file system", _ALL_CALLS), name, rows, others, longest)]
    both = [
        _files(alongside, part, name, rows, others, longest)
        for part in _parts(rows, others.values())
    ]
    used = [part for part in both if any(calls.seconds.any() for calls in part.calls)]
    return used or both[:1]


def _parts(rows: AxisRows, others: Iterable[AxisRows]) -> list[tuple[FileKind, tuple[str, ...]]]:
    """Return the parts of a mount, and the kinds of calls whose time is spent on each."""
    asked, moved = (
        np.sum([other.sum(*names) for other in others], axis=0) + np.zeros(rows.axis[2])
        for names in (_META_OPS, _BYTES)
    )
    syncs, seconds, opened = (
        rows.sum(*(f"{kind}_{what}" for kind in _FILES))
        for what in ("sync_ops", "sync_ns", "open_ops")
    )
    late = wait_for_metadata(syncs, seconds / _NS, opened, asked, moved)
    return [
        ("object servers", ("read", "write") if late else ("read", "write", "sync")),
        ("metadata server", ("sync", "meta") if late else ("meta",)),
    ]


def _files(
    alongside: CoRunning,
    part: tuple[FileKind, tuple[str, ...]],
    mount: str,
    rows: AxisRows,
    others: dict[str, AxisRows],
    raw_ns: int,
) -> SharedResource:
    """Return a mount, or the servers of its data or its metadata, as a shared resource.

    Args:
        alongside: The job and its neighbours.
        part: Kind of the resource, and the ends of the names of calls whose time is spent there.
        mount: The mount.
        rows: The job's rows there.
        others: The rows of each other job.
        raw_ns: Length of the longest slice of the others' rows.
    """
    axis, (kind, ends) = rows.axis, part
    calls = tuple(each for each in _file_calls(rows) if each.name.endswith(ends))
    load = _asked if kind == "metadata server" else _moved
    loads, apart = {}, []
    for job, theirs in others.items():
        # Storage targets hold data: on the metadata server all jobs meet.
        share = 1.0 if kind == "metadata server" else shared_part(alongside, job, mount)
        if share < _APART:
            apart.append(job)
        else:
            loads[job] = share * load(theirs)
    active = rows.active()
    seconds = np.sum([call_series.seconds for call_series in calls], axis=0)
    times = [f"{each}_{what}_ns_max" for each in _FILES for what in ends]
    mean = seconds / np.maximum(active, 1)
    return SharedResource(
        resource_name(kind, mount),
        kind,
        axis,
        calls,
        _counts(alongside, rows.sum(*times) / _NS, mean, axis),
        np.minimum(mean, axis[1] / _NS),
        active,
        load(rows),
        loads,
        "ops" if kind == "metadata server" else "bytes",
        raw_ns,
        mount,
        apart=tuple(apart),
    )


def _moved(rows: AxisRows) -> Floats:
    return rows.sum(*_BYTES) + OPERATION * rows.sum(*_OPS)


def _asked(rows: AxisRows) -> Floats:
    """Return a load on a metadata server, in operations."""
    return rows.sum(*_META_OPS) + rows.sum(*_BYTES) / DATA_PER_REQUEST


def _file_calls(rows: AxisRows) -> Iterable[CallSeries]:
    for kind in _FILES:
        written = _around(rows.sum(f"{kind}_write_bytes"))
        for what in ("read", "write"):
            ops, moved = rows.sum(f"{kind}_{what}_ops"), rows.sum(f"{kind}_{what}_bytes")
            seconds = rows.sum(f"{kind}_{what}_ns") / _NS
            if kind == "stdio":  # most of its calls make no system call: bytes are its work
                ops = moved / OPERATION
            yield CallSeries(f"{kind} {what}", ops, per_operation(moved, ops), seconds)
        syncs = rows.sum(f"{kind}_sync_ops")
        size = per_operation(written, _around(syncs))
        yield CallSeries(f"{kind} sync", syncs, size, rows.sum(f"{kind}_sync_ns") / _NS)
        meta = rows.sum(*(name for name in _META_OPS if name.startswith(kind)))
        yield CallSeries(
            f"{kind} meta", meta, np.zeros(len(meta)), rows.sum(f"{kind}_meta_ns") / _NS
        )


def _around(values: Floats) -> Floats:
    """Add to each slice its two neighbours: what a sync flushes may have been written before it.

    With a few long calls in a slice, a write and its sync often end in two: two writes and three
    syncs would be another size of syncs.
    """
    return np.asarray(np.convolve(values, np.ones(3), "same")[: len(values)])


def per_operation(amount: Floats, ops: Floats) -> Floats:
    """Divide amounts by numbers of operations; 0 where there are none."""
    return np.divide(amount, ops, out=np.zeros(len(amount)), where=ops > 0)


def _counts(alongside: CoRunning, slowest: Floats, mean: Floats, axis: Axis) -> Floats:
    """Return the time of the process that the job waits for: the slowest one of an MPI job."""
    return spilled(slowest if alongside.job.ranks > 1 else mean, axis[1] / _NS)


def spilled(busy: Floats, slice_s: float) -> Floats:
    """Move time that exceeds a slice to the slices before it, as far as these have room.

    A call counts in the slice in which it ends, so a slice may hold more than its length; the time
    was spent before. An excess of more than half a slice comes from threads and is not moved.
    """
    busy = np.minimum(busy, 1.5 * slice_s)
    for _ in range(_SPILLS):
        back = np.maximum(busy[1:] - slice_s, 0)
        busy[1:] -= back
        busy[:-1] += back
    return np.minimum(busy, slice_s)


def longest_slice(table: pa.Table, axis: Axis) -> int:
    """Return the length of the longest slice of a table, ns; no less than that of the axis."""
    lengths = table.column("slice_ns").to_numpy()
    return int(max(lengths.max(initial=0), axis[1]))


# ---- nodes ----


def _node(alongside: CoRunning, name: str, axis: Axis) -> SharedResource:
    """Return a node: the work is CPU time; its service time includes the wait for a core."""
    rows = AxisRows(_where(alongside.own_nodes, "host", name), axis)
    cpu, queued = rows.sum("os_user_ns", "os_system_ns") / _NS, rows.sum("os_runqueue_ns") / _NS
    theirs = _where(alongside.node_loads, "host", name)
    loads = {
        job: AxisRows(table, axis, alongside.job.life).sum("cpu_ns")
        for job, table in _by_job(theirs)
    }
    active = rows.sum("count")
    # In many jobs most processes only wait for one that computes: the maximum shows the latter.
    slowest = rows.sum("os_runqueue_ns_max", "os_user_ns_max", "os_system_ns_max") / _NS
    slowest = np.minimum(slowest, np.minimum(cpu + queued, axis[1] / _NS))
    return SharedResource(
        name,
        "node",
        axis,
        (CallSeries("cpu", cpu, np.zeros(axis[2]), cpu + queued),),
        slowest,
        slowest,
        active,
        cpu * _NS,
        loads,
        "ns",
        longest_slice(theirs, axis),
    )


# ---- the network ----


def network(alongside: CoRunning, axis: Axis) -> SharedResource:
    """Return the network as one resource: others' messages, and time in the job's own MPI calls."""
    rows = AxisRows(alongside.own_nodes, axis)
    calls, moved = _mpi_calls(rows, axis)
    loads = {}
    for job, table in _by_job(alongside.network_loads):
        other = AxisRows(table, axis, alongside.job.life)
        loads[job] = other.sum("bytes") + OPERATION * other.sum("ops")
    active = rows.sum("count")
    least = _least(alongside, axis)
    return SharedResource(
        "network",
        "network",
        axis,
        calls,
        least,
        least,
        active,
        moved,
        loads,
        "bytes",
        longest_slice(alongside.network_loads, axis),
    )


def _mpi_calls(rows: AxisRows, axis: Axis) -> tuple[tuple[CallSeries, ...], Floats]:
    """Return a job's MPI calls, and what they sent (bytes)."""
    calls, moved = [], np.zeros(axis[2])
    for name, families, more in (("p2p", P2P, ("mpi_wait_ns",)), ("collective", COLLECTIVE, ())):
        ops = rows.sum(*(f"mpi_{family}_ops" for family in families))
        sent = rows.sum(*(metric for family in families for metric in family_bytes(family)))
        seconds = rows.sum(*(f"mpi_{family}_ns" for family in families), *more) / _NS
        calls.append(CallSeries(f"MPI {name}", ops, per_operation(sent, ops), seconds))
        moved += sent + OPERATION * ops
    return tuple(calls), moved


def message_calls(rows: AxisRows, axis: Axis) -> tuple[tuple[CallSeries, ...], Floats, Floats]:
    """Return a job's messages on a node, by MPI and by collective libraries.

    Args:
        rows: Rows of own_nodes, of one host.
        axis: Time axis of the rows.

    Returns:
        Calls, what they sent (bytes), and the least time that any rank spent in them, s.
    """
    calls, moved = _mpi_calls(rows, axis)
    ops, sent = rows.sum(*CCL_OPS), rows.sum(*CCL_BYTES)
    seconds = rows.sum(*CCL_NS) / _NS
    least = rows.sum("state_p2p_ns_min", "state_collective_ns_min", *(f"{n}_min" for n in CCL_NS))
    return (
        (*calls, CallSeries("collectives", ops, per_operation(sent, ops), seconds)),
        moved + sent + OPERATION * ops,
        np.minimum(least / _NS, axis[1] / _NS),
    )


def _least(alongside: CoRunning, axis: Axis) -> Floats:
    """Return the least time that any rank spent in MPI, s.

    A rank that something else slows makes the others wait in MPI but does not wait itself: so only
    time that all ranks spent there can be loss through the network.
    """
    least = np.full(axis[2], np.inf)
    for name in _names(alongside.own_nodes, "host"):
        rows = AxisRows(_where(alongside.own_nodes, "host", name), axis)
        here = rows.sum("state_p2p_ns_min", "state_collective_ns_min") / _NS
        ran = rows.sum("count") > 0
        least = np.where(ran, np.minimum(least, here), least)
    return np.minimum(np.where(np.isfinite(least), least, 0.0), axis[1] / _NS)


def enough(calls: CallSeries) -> NDArray[np.bool_]:
    """Return the slices in which there are enough calls to evaluate them."""
    on = (calls.ops > 0) & (calls.seconds > 0)
    if not on.any():
        return on
    return np.asarray(on & (calls.seconds >= _LITTLE * float(np.median(calls.seconds[on]))))


def only(resource: SharedResource, jobs: Sequence[str]) -> Floats:
    """Add up the loads of some jobs."""
    return (
        np.sum([resource.loads[job] for job in jobs], axis=0)
        if jobs
        else np.zeros(resource.axis[2])
    )
