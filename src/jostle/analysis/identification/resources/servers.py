"""Finds in which slices the servers behind a mount were slow by themselves, and how slow.

A neighbour's load makes a server's requests wait, but does not slow the work on each of them: the
time that a disk or target is busy per byte stays the same, and so does the time per byte that the
server's processes wait for storage. Both times grow if the server itself is slow, such as with a
disk that rebuilds or fails, or with a throttled volume. A server's slowness is tested in the same
way as loads, but after all loads: it counts as the cause only of what no load explains.

Some servers count only the time from a request to its answer, which includes the wait for other
requests. Such a server counts as slow while answers take longer and, at the same time, are fewer.
Under more load, there would be at least as many answers; under less load, they would not take
longer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jostle.analysis.identification.regression import nonnegative
from jostle.analysis.identification.resources.service_time import DRAIN_NS, Flags, reaching
from jostle.analysis.identification.resources.shared import OPERATION, Axis, Floats, SharedResource
from jostle.analysis.series import resample
from jostle.repository.query.resources.co_running import CoRunning, JobFacts
from jostle.values.arrow_columns import ints
from jostle.values.storage_servers import ALSO_METADATA, METADATA_COMPONENTS, OBJECT_COMPONENTS

#: Part of the usual work of a slice: with less, the time per byte is not evaluated.
_LITTLE_WORK = 0.05
#: Multiple of the usual time in a twentieth of the slices; components below it are not tested.
_NOTABLE = 1.2
#: The same where the time includes the wait for other requests, and these may overlap.
_NOTABLE_WAITING = 2.0
#: A server that is slow for less than half of this writes its journal, and does not count as slow.
_HESITATES_NS = 1_250_000_000
_MOST = 3  # components of one mount that are tested, those that vary most
#: So small that slowness does not change sums of loads in bytes, since it is no load.
_SCALE = 1e-6
_LEAST_SLICES = 16
#: Part of its usual height from which on the load of others counts as active.
_AT_WORK = 0.2
#: Part of its slowness under load that a server has without load, if it is slow by itself.
_AS_SLOW = 0.5
_USUAL = 0.25  # quantile of a time per work: a server is seldom faster than usual
#: Rows of servers that are no components: they count requests by client or by kind.
NO_COMPONENTS = ("ceph_client", "ceph_request", "beegfs_client", "lustre_job")
_WORK = (
    "storage_read_ops",
    "storage_write_ops",
    "storage_meta_ops",
    "storage_read_bytes",
    "storage_write_bytes",
)
_SHORT = {"ceph_osd": "object server", "ceph_mds": "metadata server"}


@dataclass(frozen=True)
class Slowness:
    """The slowdown of one component of a server.

    Attributes:
        name: Name for users, such as "server s3 (disk sdb)".
        factor: Time per byte in the slowest twentieth of its slow slices, as a multiple of the
            usual time.
        series: For each slice the logarithm of that multiple, not below 0, times _SCALE.
    """

    name: str
    factor: float
    series: Floats


def with_servers(
    alongside: CoRunning, resources: Iterable[SharedResource]
) -> tuple[CoRunning, list[SharedResource]]:
    """Add the slowness of each mount's servers to its loads, so that slow servers are tested, too.

    Args:
        alongside: The job and its neighbours, from Repository.alongside.
        resources: From shared_resources.

    Returns:
        The neighbours, now including the servers (of kind "server"), and the resources with any
        load or slow server.
    """
    others, found = dict(alongside.others), []
    for resource in resources:
        slow = []
        if resource.mount:
            slow = server_slowness(alongside, resource)
        for each in slow:
            others[each.name] = JobFacts(
                job=each.name,
                kind="server",
                start_ns=alongside.job.start_ns,
                seen_ns=alongside.job.last_ns,
                slice_ns=resource.axis[1],
                clocks=alongside.job.clocks,
            )
        loads = resource.loads | {
            each.name: _without_load(each.series, _free(resource)) for each in slow
        }
        if any(load.any() for load in loads.values()):
            servers = tuple(each.name for each in slow)
            found.append(replace(resource, loads=loads, servers=servers))
    return replace(alongside, others=others), found


def _free(resource: SharedResource) -> Flags:
    """Return the slices without much load of other jobs, neither in them nor shortly before."""
    others = resource.others
    if not others.any():
        return np.ones(len(others), dtype=bool)
    loaded = others > _AT_WORK * float(np.quantile(others[others > 0], 0.9))
    return ~reaching(loaded, int(-(-DRAIN_NS // resource.axis[1])))


def _without_load(series: Floats, free: Flags) -> Floats:
    """Return a server's slowness, except in slices in which loads may be its cause.

    If a server is about as slow without load of other jobs as with it, it is slow by itself, and
    its slowness is returned for all slices. Otherwise its own slowness in slices with load cannot
    be distinguished from the effect of the load, and the load counts as the cause there.
    """
    if int(free.sum()) < _LEAST_SLICES or free.all():
        return series
    without, alongside = (float(np.quantile(series[some], 0.9)) for some in (free, ~free))
    if without >= _AS_SLOW * alongside:
        return series
    return np.where(free, series, 0.0)


def times_as_slow(series: Floats) -> float:
    """Return the time per byte of a server in slow slices, as a multiple of its usual time."""
    return float(np.exp(np.quantile(series[series > 0] / _SCALE, 0.9))) if series.any() else 1.0


def server_slowness(alongside: CoRunning, resource: SharedResource) -> list[Slowness]:
    """Return the slowness of the server components behind a resource, the slowest ones first.

    Args:
        alongside: The job and its neighbours, from Repository.alongside.
        resource: A mount, or the part of it that serves its data or its metadata.

    Returns:
        At most _MOST components whose speed varied notably.
    """
    rows = alongside.machines.servers
    rows = rows.filter(
        pc.and_(pc.equal(rows.column("mount"), resource.mount), pc.equal(rows.column("job"), ""))
    )
    found = []
    keys = ("host", "kind", "name")
    components = rows.group_by(list(keys)).aggregate([]).to_pylist()
    for key in _behind(resource.kind, components):
        mine = rows
        for column in keys:
            mine = mine.filter(pc.equal(mine.column(column), key[column]))
        of_host = rows.filter(pc.equal(rows.column("host"), key["host"]))
        series = _per_work(mine, of_host, resource.axis)
        if series is None:
            continue
        factor = float(np.exp(np.quantile(series[series > 0], 0.95))) if (series > 0).any() else 1.0
        if factor >= (_NOTABLE_WAITING if _waits(mine) else _NOTABLE):
            found.append(Slowness(_name(key), factor, series * _SCALE))
    return sorted(found, key=lambda each: (-each.factor, each.name))[:_MOST]


def _behind(kind: str, components: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return the components that may slow a resource of a kind.

    A component that serves only data does not slow metadata, and one that serves only metadata does
    not slow data. The other components of a host, and the host itself, may slow whatever the host
    serves.
    """
    own = {
        "object servers": OBJECT_COMPONENTS,
        "metadata server": (*METADATA_COMPONENTS, *ALSO_METADATA),
    }.get(kind)
    every = [each for each in components if each["kind"] not in NO_COMPONENTS]
    if own is None:
        return every
    special = {*OBJECT_COMPONENTS, *METADATA_COMPONENTS}
    serving = {each["host"] for each in every if each["kind"] in own}
    known = {each["host"] for each in every if each["kind"] in special}
    return [
        each
        for each in every
        if each["kind"] in own
        or (each["kind"] not in special and (each["host"] in serving or each["host"] not in known))
    ]


def _name(component: dict[str, str]) -> str:
    """Name a component for users: "server s3 (disk sdb)"."""
    host, kind = component["host"], component["kind"].replace("_", " ")
    what = (
        "its processes waited for storage" if kind == "machine" else f"{kind} {component['name']}"
    )
    if component["kind"] in _SHORT:  # a name such as "mds.a" shows the kind
        what = f"{_SHORT[component['kind']]} {component['name']}"
    return f"server {host} ({what})"


def _laid(rows: pa.Table, axis: Axis, *names: str) -> Floats:
    length = ints(rows, "slice_ns")
    values = sum((ints(rows, name) for name in names), np.zeros(rows.num_rows, np.int64))
    return resample(ints(rows, "slice") * length, length * ints(rows, "span"), values, axis)


def _work(rows: pa.Table, axis: Axis) -> Floats:
    """Return the work of components in bytes: the bytes, and a fixed number for each operation."""
    ops = _laid(rows, axis, "storage_read_ops", "storage_write_ops", "storage_meta_ops")
    return OPERATION * ops + _laid(rows, axis, "storage_read_bytes", "storage_write_bytes")


def _usual_work(rows: pa.Table, of_host: pa.Table, axis: Axis) -> Floats:
    """Return the work of a Ceph metadata server: requests weighted by the usual time of their kind.

    A request that creates a file takes many times as long as a lookup, so the mean time of a
    request depends on the mix of kinds. If the kinds are not known, all requests count the same.
    """
    prefix = f"{rows.column('name')[0].as_py()} "
    kinds = of_host.filter(pc.equal(of_host.column("kind"), "ceph_request"))
    kinds = kinds.filter(pc.starts_with(kinds.column("name"), prefix))
    work = np.zeros(axis[2])
    for name in kinds.column("name").unique().to_pylist():
        mine = kinds.filter(pc.equal(kinds.column("name"), name))
        ops, spent = _laid(mine, axis, "storage_meta_ops"), _laid(mine, axis, "storage_meta_ns")
        on = (ops > 0) & (spent > 0)
        if on.any():
            work += ops * float(np.quantile(spent[on] / ops[on], _USUAL))
    return work if work.any() else _work(rows, axis)


def _usual_time(rows: pa.Table, axis: Axis, spent: Floats) -> Floats:
    """Return the time that a component's requests usually take, fitted from their number and bytes.

    The time is in ns per slice.

    Args:
        rows: The component's slices.
        axis: The job's slices.
        spent: Time of its requests, in ns.
    """
    counts = np.stack([_laid(rows, axis, name) for name in _WORK], axis=1)
    on = (spent > 0) & counts.any(axis=1)
    # Relative errors: slices with little work count as much as those with much.
    return counts @ nonnegative(counts[on] / spent[on, np.newaxis], np.ones(int(on.sum())))


def _waits(rows: pa.Table) -> bool:
    """Return whether the time of a component's requests includes the wait for other requests."""
    return rows.column("kind")[0].as_py() != "machine" and not ints(rows, "storage_busy_ns").any()


def _per_work(rows: pa.Table, of_host: pa.Table, axis: Axis) -> Floats | None:
    """Return for each slice how slow a component was: log(time per byte / usual time per byte).

    The value is at least 0. The result is None if there are too few slices with work.

    Args:
        rows: The component's slices.
        of_host: The slices of all components of its host.
        axis: The job's slices.
    """
    work = _work(rows, axis)
    spent = _laid(rows, axis, "storage_busy_ns")
    kind = rows.column("kind")[0].as_py()
    if kind == "machine":
        spent = _laid(rows, axis, "pressure_io_ns")
        work = _work(of_host, axis)
        if not work.any():
            work = _laid(of_host, axis, "link_receive_bytes", "link_send_bytes")
    elif _waits(rows):
        spent = _laid(rows, axis, "storage_read_ns", "storage_write_ns", "storage_meta_ns")
        if kind == "ceph_mds":
            work = _usual_work(rows, of_host, axis)
        else:
            work = _usual_time(rows, axis, spent)
        spent, work = _under_way(rows, axis, spent, work)
    on = (work > 0) & (spent > 0)
    if int(on.sum()) < _LEAST_SLICES:
        return None
    on &= work >= _LITTLE_WORK * float(np.median(work[on]))
    longer = np.log(spent[on] / work[on])
    if _waits(rows):
        fewer = -np.log(work[on])
        above = np.minimum(*(_above_usual(_steady(each, axis[1])) for each in (longer, fewer)))
    else:
        above = _above_usual(longer)
    series = np.zeros(axis[2])
    series[on] = np.maximum(above, 0.0)
    return series


def _under_way(rows: pa.Table, axis: Axis, spent: Floats, work: Floats) -> tuple[Floats, Floats]:
    """Distribute time and work over the slices in which the requests were in progress.

    A request is counted in the slice in which it ends. If it takes longer than a slice, part of its
    time and work belongs to the slices before.

    Args:
        rows: The component's slices.
        axis: The job's slices.
        spent: Time of its requests, in ns.
        work: Time that these requests usually take, in ns.
    """
    ops = sum(
        (_laid(rows, axis, name) for name in _WORK if name.endswith("_ops")), np.zeros(axis[2])
    )
    each = np.divide(spent, ops, out=np.zeros(axis[2]), where=ops > 0)
    laid = np.zeros((2, axis[2]))
    for k in np.flatnonzero(spent + work).tolist():
        first = max(k + 1 - max(int(-(-each[k] // axis[1])), 1), 0)
        laid[:, first : k + 1] += np.array([[spent[k]], [work[k]]]) / (k + 1 - first)
    return laid[0], laid[1]


def _above_usual(values: Floats) -> Floats:
    return values - float(np.quantile(values, _USUAL))


def _steady(values: Floats, slice_ns: int) -> Floats:
    """Return the running median of values over `_HESITATES_NS`, to remove short pauses."""
    half = int(_HESITATES_NS // slice_ns) // 2
    padded = np.pad(values, half, mode="reflect")
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1)
    return np.asarray(np.median(windows, axis=1))
