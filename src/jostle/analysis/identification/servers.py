"""Lays out how slow the servers behind a mount were by themselves, slice by slice.

A neighbour's load makes a server's requests wait, but not the work on each of them: the time that
a disk or target is busy per byte stays the same, and so does the time that the server's processes
wait for storage. Both grow where the server is slow: a disk that rebuilds or fails, or a capped
volume. So a server's slowness is tested as loads are, after them: only what no load explains is
the server's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jostle.analysis.identification.resources import OPERATION, Axis, Floats, SharedResource
from jostle.analysis.series import resample
from jostle.repository.query.co_running import Beside, JobFacts
from jostle.values.arrow_columns import ints

#: Part of the usual work of a slice: with less, the time per byte tells nothing.
_LITTLE_WORK = 0.05
#: Times as long as usual, in a twentieth of the slices: a component that varies less is not tested.
_NOTABLE = 1.2
_MOST = 3  # components of one mount that are tested, the most varying
#: So small that sums of loads, in bytes, do not notice it: slowness is no load.
_SCALE = 1e-6
_LEAST_SLICES = 16


@dataclass(frozen=True)
class Slowness:
    """How slow a server's component was.

    Attributes:
        name: For users: "server s3 (disk sdb)".
        factor: Time per byte in the slowest twentieth of its slices, as a multiple of the usual.
        series: log of time per byte / the usual, not below 0, in tiny units; per slice.
    """

    name: str
    factor: float
    series: Floats


def with_servers(
    beside: Beside, resources: Iterable[SharedResource]
) -> tuple[Beside, list[SharedResource]]:
    """Add to the loads on each mount how slow its servers were, as suspects of kind server.

    Args:
        beside: From Repository.beside.
        resources: From shared_resources.

    Returns:
        The neighbours with the servers among them, and the resources that have any suspect.
    """
    others, found = dict(beside.others), []
    for resource in resources:
        slow = []
        if resource.kind == "file system":
            slow = server_slowness(beside, resource.name, resource.axis)
        for each in slow:
            others[each.name] = JobFacts(
                job=each.name,
                kind="server",
                start_ns=beside.job.start_ns,
                seen_ns=beside.job.last_ns,
                slice_ns=resource.axis[1],
                clocks=beside.job.clocks,
            )
        loads = resource.loads | {each.name: each.series for each in slow}
        if any(load.any() for load in loads.values()):
            servers = tuple(each.name for each in slow)
            found.append(replace(resource, loads=loads, servers=servers))
    return replace(beside, others=others), found


def times_as_slow(series: Floats) -> float:
    """Return how many times as long as usual a server took per byte where it was slow."""
    return float(np.exp(np.quantile(series[series > 0] / _SCALE, 0.9))) if series.any() else 1.0


def server_slowness(beside: Beside, mount: str, axis: Axis) -> list[Slowness]:
    """Return the slowness of the components behind a mount, those that varied most.

    Args:
        beside: From Repository.beside.
        mount: The mount.
        axis: The job's slices.
    """
    rows = beside.machines.servers
    rows = rows.filter(
        pc.and_(pc.equal(rows.column("mount"), mount), pc.equal(rows.column("job"), ""))
    )
    found = []
    keys = ("host", "kind", "name")
    for key in rows.group_by(list(keys)).aggregate([]).to_pylist():
        mine = rows
        for column in keys:
            mine = mine.filter(pc.equal(mine.column(column), key[column]))
        of_host = rows.filter(pc.equal(rows.column("host"), key["host"]))
        series = _per_work(mine, of_host, axis)
        if series is None:
            continue
        factor = float(np.exp(np.quantile(series[series > 0], 0.95))) if (series > 0).any() else 1.0
        if factor >= _NOTABLE:
            found.append(Slowness(_name(key), factor, series * _SCALE))
    return sorted(found, key=lambda each: (-each.factor, each.name))[:_MOST]


def _name(component: dict[str, str]) -> str:
    """Name a component for users: "server s3 (disk sdb)"."""
    host, kind = component["host"], component["kind"].replace("_", " ")
    what = (
        "its processes waited for storage" if kind == "machine" else f"{kind} {component['name']}"
    )
    return f"server {host} ({what})"


def _laid(rows: pa.Table, axis: Axis, *names: str) -> Floats:
    length = ints(rows, "slice_ns")
    values = sum((ints(rows, name) for name in names), np.zeros(rows.num_rows, np.int64))
    return resample(ints(rows, "slice") * length, length * ints(rows, "span"), values, axis)


def _work(rows: pa.Table, axis: Axis) -> Floats:
    """Return what components did, in bytes: an operation weighs as much as some of them."""
    ops = _laid(rows, axis, "storage_read_ops", "storage_write_ops", "storage_meta_ops")
    return OPERATION * ops + _laid(rows, axis, "storage_read_bytes", "storage_write_bytes")


def _per_work(rows: pa.Table, of_host: pa.Table, axis: Axis) -> Floats | None:
    """Return log(time per byte / the usual), at least 0; None where it cannot be told.

    Args:
        rows: The component's slices.
        of_host: Those of all components of its host.
        axis: The job's slices.
    """
    work = _work(rows, axis)
    spent = _laid(rows, axis, "storage_busy_ns")
    if rows.column("kind")[0].as_py() == "machine":
        spent = _laid(rows, axis, "pressure_io_ns")
        work = _work(of_host, axis)
        if not work.any():
            work = _laid(of_host, axis, "link_receive_bytes", "link_send_bytes")
    elif not spent.any():
        spent = _laid(rows, axis, "storage_read_ns", "storage_write_ns", "storage_meta_ns")
    on = (work > 0) & (spent > 0)
    if int(on.sum()) < _LEAST_SLICES:
        return None
    on &= work >= _LITTLE_WORK * float(np.median(work[on]))
    each = np.log(spent[on] / work[on])
    series = np.zeros(axis[2])
    series[on] = np.maximum(each - float(np.quantile(each, 0.25)), 0.0)
    return series
