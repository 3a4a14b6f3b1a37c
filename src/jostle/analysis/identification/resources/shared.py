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
from jostle.repository.query.lifetimes import spans
from jostle.repository.query.resources.around_gpus import CCL_BYTES, CCL_NS, CCL_OPS
from jostle.repository.query.resources.co_running import COLLECTIVE, P2P, CoRunning, family_bytes
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
        ops: Number of operations; for CPU work, seconds of CPU time.
        size: Mean bytes of an operation; 0 for operations without data.
        seconds: Time spent in these operations, over all processes.
    """

    name: str
    ops: Floats
    size: Floats
    seconds: Floats


@dataclass(frozen=True)
class MeetingPlace:
    """A link of the fabric that carries traffic of the job and of other jobs.

    Attributes:
        name: Name, such as `link leaf1 > spine1`.
        own_load: The job's bytes on it, per slice.
        others_load: The bytes of all other jobs on it, per slice.
    """

    name: str
    own_load: Floats
    others_load: Floats


@dataclass(frozen=True)
class SharedResource:
    """A resource that the job shares with other jobs.

    Attributes:
        name: Name of the resource.
        kind: Kind of the resource.
        axis: Start (ns), length (ns) and number of the slices.
        calls: The job's operations on the resource, one entry for each kind of operation.
        busy: Time in these operations, seconds per slice, of the process that the job waits for.
            For file calls this is the slowest process of an MPI job, and for other jobs the mean.
        mean_busy: The same time, as the mean of all processes that are active on the resource.
        processes: Number of the job's processes that are active on the resource.
        own_load: The job's own load.
        loads: For each other job, by its name, its load.
        unit: Unit of the loads, per slice.
        raw_ns: Length of the longest slice in the records of the loads.
        mount: Identity of the mount that the resource is, or that it is a part of; "": none.
        apart: Jobs whose files are on other storage targets of the same file system.
        places: For each neighbour, the link on which it meets the job, if the fabric is known.
        bound: For memory: the job's sensitivity to its speed, from which the time of `calls` is
            computed.
        load_source: For memory: how the loads were counted.
        servers: Names in `loads` that stand for servers. Their series is not a load, but how slow
            the server was (see servers.py).
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
    """Return every resource that the job used, and that another job used while the job ran.

    Args:
        alongside: The job and its neighbours, from Repository.alongside.
        watched: Mounts whose servers or links are monitored. They are returned even if no other job
            used them.

    Returns:
        Mounts, nodes and the network. If a file system has metadata servers, its object servers
        and its metadata server replace the mount. The list is empty if the job has no slices.
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
    """Return the nodes to evaluate: for each set of other jobs, the node that they load most."""
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
    """Return the time axis of a job's slices, with longer steps if the slices are too many."""
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
    """Rows of one job on one resource, mapped onto a time axis; only its run time counts."""

    def __init__(self, table: pa.Table, axis: Axis, within: tuple[int, int] | None = None) -> None:
        """Map rows onto a time axis.

        Args:
            table: The rows.
            axis: The time axis onto which the rows are mapped.
            within: For rows of another job: start and end of the evaluated job. Nothing counts
                outside of this time.
        """
        self.axis = axis
        self._table = table
        self._within = within
        self._start, self._length = spans(table)
        self._whole = _slices(table)[1]

    def stretch(self, longest: Floats) -> None:
        """Extend rows backwards in time if their calls lasted longer than their slice.

        A call counts in the slice in which it ends, so its process has no row while the call lasts.
        A row is extended so that it is as long as its `longest` calls, but only over time that the
        calls of the row before do not fill.

        Args:
            longest: For each row, the longest time that a process was in calls, in ns.
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
        """Distribute one amount of each row over the slices of the axis."""
        return resample(self._start, self._length, values, self.axis, within=self._within)

    def active(self) -> Floats:
        """Return the number of active processes per slice.

        The processes of an extended row count for its whole time. If it reaches into the slice of
        another row, the processes of that row also count.
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
    """Yield the resources of a mount: the mount, or its object servers and its metadata server.

    Of the latter two, one on which the job spent no time is left out.
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
    """Return object servers and metadata server, each with the kinds of calls that wait for it."""
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
    """Return a mount, its object servers, or its metadata server as a shared resource.

    Args:
        alongside: The job and its neighbours.
        part: Kind of the resource, and the kinds of calls that wait for it, such as "read".
        mount: The mount.
        rows: The job's rows on the mount.
        others: For each other job, its rows on the mount.
        raw_ns: Length of the longest slice in these rows of other jobs.
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
    """Return the load of rows on a metadata server: operations, and a part of them for data."""
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
    """Add to the value of each slice those of the slice before and the slice after it.

    The size of a sync is the bytes written per sync. If calls are long, a write and its sync often
    end in different slices, and the bytes per sync of a single slice would be wrong.
    """
    return np.asarray(np.convolve(values, np.ones(3), "same")[: len(values)])


def per_operation(amount: Floats, ops: Floats) -> Floats:
    """Divide amounts by numbers of operations; 0 where there are none."""
    return np.divide(amount, ops, out=np.zeros(len(amount)), where=ops > 0)


def _counts(alongside: CoRunning, slowest: Floats, mean: Floats, axis: Axis) -> Floats:
    """Return the time that counts: of an MPI job the slowest process's, else the mean."""
    return spilled(slowest if alongside.job.ranks > 1 else mean, axis[1] / _NS)


def spilled(busy: Floats, slice_s: float) -> Floats:
    """Move time that exceeds the length of a slice to the slices before it.

    A call counts in the slice in which it ends, so the time of calls may exceed the length of the
    slice. The excess was spent in the slices before. But an excess of more than half a slice comes
    from threads and is dropped.
    """
    busy = np.minimum(busy, 1.5 * slice_s)
    for _ in range(_SPILLS):
        back = np.maximum(busy[1:] - slice_s, 0)
        busy[1:] -= back
        busy[:-1] += back
    return np.minimum(busy, slice_s)


def longest_slice(table: pa.Table, axis: Axis) -> int:
    """Return the length of the longest slice of a table, ns, at least the step of the axis."""
    lengths = table.column("slice_ns").to_numpy()
    return int(max(lengths.max(initial=0), axis[1]))


# ---- nodes ----


def _node(alongside: CoRunning, name: str, axis: Axis) -> SharedResource:
    """Return the cores of a node as a shared resource.

    The work is CPU time. Its service time is the CPU time and the wait for a core.
    """
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
    """Return the network as one resource: the loads are messages, the job's calls are MPI calls."""
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
    """Return a job's MPI calls and their load: bytes, and a fixed amount for each call."""
    calls, moved = [], np.zeros(axis[2])
    for name, families, more in (("p2p", P2P, ("mpi_wait_ns",)), ("collective", COLLECTIVE, ())):
        ops = rows.sum(*(f"mpi_{family}_ops" for family in families))
        sent = rows.sum(*(metric for family in families for metric in family_bytes(family)))
        seconds = rows.sum(*(f"mpi_{family}_ns" for family in families), *more) / _NS
        calls.append(CallSeries(f"MPI {name}", ops, per_operation(sent, ops), seconds))
        moved += sent + OPERATION * ops
    return tuple(calls), moved


def message_calls(rows: AxisRows, axis: Axis) -> tuple[tuple[CallSeries, ...], Floats, Floats]:
    """Return a job's calls on a node that send messages, by MPI and by collective libraries.

    Args:
        rows: Rows of CoRunning.own_nodes, of one host.
        axis: Time axis of the rows.

    Returns:
        The calls, their load (bytes, and a fixed amount for each call), and the least time that any
        rank spent in them, in seconds.
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
    """Return the least time that any rank spent in MPI, in seconds.

    A rank that something else slows makes the other ranks wait in MPI, but does not wait itself. So
    only time that all ranks spent in MPI can be a loss through the network.
    """
    least = np.full(axis[2], np.inf)
    for name in _names(alongside.own_nodes, "host"):
        rows = AxisRows(_where(alongside.own_nodes, "host", name), axis)
        here = rows.sum("state_p2p_ns_min", "state_collective_ns_min") / _NS
        ran = rows.sum("count") > 0
        least = np.where(ran, np.minimum(least, here), least)
    return np.minimum(np.where(np.isfinite(least), least, 0.0), axis[1] / _NS)


def enough(calls: CallSeries) -> NDArray[np.bool_]:
    """Return the slices with enough calls to evaluate their service time."""
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
