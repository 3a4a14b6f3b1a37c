"""Finds the PCI buses of nodes that several jobs use for GPU copies and for messages.

Which part of a bus two jobs share follows from where GPUs and network adapters are attached. Two
jobs on one GPU share the whole path from the GPU to memory. Two devices share the path from the
deepest bridge above both of them (a PCIe switch or a port). If there is none, they share the root
complex; else, if they are on the same NUMA node, its memory. A neighbour is tested only at the
deepest place that it shares with the job, since that place has the least bandwidth.

The cost of a job's copies is their time on the GPU. They may overlap with computation; then the run
lost less time than its copies did (caveats.py says so). The cost of a job's messages is measured as
on the network.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jostle.analysis.identification.resources.shared import (
    OPERATION,
    Axis,
    AxisRows,
    CallSeries,
    Floats,
    SharedResource,
    longest_slice,
    message_calls,
    per_operation,
)
from jostle.repository.query.resources.around_gpus import Device
from jostle.repository.query.resources.co_running import CoRunning

_NS = 1e9
_WAYS = {"h2d": "copies to the GPU", "d2h": "copies from the GPU"}
_Load = tuple[Device, str, Floats]  # a device, the job whose bytes pass it, and the bytes


def bus_resources(alongside: CoRunning, axis: Axis) -> Iterator[SharedResource]:
    """Yield the buses that a job's copies and messages share with those of other jobs.

    Args:
        alongside: The job and its neighbours, from Repository.alongside.
        axis: Time axis of the job's own slices.
    """
    for device in devices_of(alongside.own_gpus):
        rows = AxisRows(rows_where(alongside.own_gpus, host=device.host, gpu=device.name), axis)
        calls = copy_calls(rows, _WAYS)
        if any(series.seconds.any() for series in calls):
            active = rows.active()
            seconds = np.sum([series.seconds for series in calls], axis=0)
            mean = np.minimum(per_operation(seconds, np.maximum(active, 1)), axis[1] / _NS)
            loads = [*_copies(alongside, device.host, axis), *_messages(alongside, device, axis)]
            for place, of_jobs in _places(device, loads).items():
                yield SharedResource(
                    place,
                    "bus",
                    axis,
                    calls,
                    mean,
                    mean,
                    active,
                    moved_by(rows, _WAYS),
                    of_jobs,
                    "bytes",
                    longest_slice(rows_where(alongside.gpu_loads, host=device.host), axis),
                )
    if len(alongside.job.nodes) > 1:
        for adapter in alongside.hardware.adapters:
            yield from _adapter(alongside, adapter, axis)


def _adapter(alongside: CoRunning, adapter: Device, axis: Axis) -> Iterator[SharedResource]:
    """Yield the buses that messages through an adapter share with GPU copies of other jobs."""
    places = _places(adapter, list(_copies(alongside, adapter.host, axis)))
    rows = AxisRows(rows_where(alongside.own_nodes, host=adapter.host), axis)
    calls, moved, least = message_calls(rows, axis)
    if not places or not least.any():
        return
    for place, of_jobs in places.items():
        yield SharedResource(
            f"{place}, to adapter {adapter.name}",
            "bus",
            axis,
            calls,
            least,
            least,
            rows.sum("count"),
            moved,
            of_jobs,
            "bytes",
            longest_slice(rows_where(alongside.gpu_loads, host=adapter.host), axis),
            of_messages=True,
        )


# ---- where devices meet ----


def devices_of(table: pa.Table) -> list[Device]:
    """Return the GPUs that occur in a table of slices on GPUs, sorted by host and GPU."""
    columns = (table.column(name).to_pylist() for name in ("host", "gpu", "pci_path", "numa"))
    return [Device(*row) for row in sorted(set(zip(*columns, strict=True)))]


def meeting(own: Device, other: Device) -> tuple[int, str]:
    """Return the deepest place that two devices of a host share on the path to its memory.

    Args:
        own: GPU or adapter of the job.
        other: GPU or adapter of the other job.

    Returns:
        Depth of that place in the PCI tree, and its name, which includes the host. (-1, ""): the
        devices share no place, or it is not known.
    """
    host, name, path, numa = own
    if other.name == name:
        return len(path) + 1, f"bus to GPU {name} of {host}"
    mine, theirs = path.split("/")[:-1], other.path.split("/")[:-1]
    # Paths that have parted do not meet again.
    depth = next(
        (k for k, (a, b) in enumerate(zip(mine, theirs, strict=False)) if a != b),
        min(len(mine), len(theirs)),
    )
    # Roots that are no PCI host bridge (`platform`) do not count.
    root = next((k for k, part in enumerate(mine[:depth]) if part.startswith("pci")), depth)
    if depth > root + 1:
        return depth, f"PCIe switch {mine[depth - 1]} of {host}"
    if depth == root + 1:
        return depth, f"root complex {mine[root]} of {host}"
    if numa >= 0 and numa == other.numa:
        return 0, f"memory of NUMA node {numa} of {host}"
    return -1, ""


def _places(own: Device, loads: Sequence[_Load]) -> dict[str, dict[str, Floats]]:
    """Return for each place that a device shares with other jobs their loads there.

    Each load is the bytes per slice of one job, by its name.
    """
    found: dict[str, dict[str, Floats]] = {}
    for device, job, load in loads:
        _, place = meeting(own, device)
        if place and load.any():
            of_jobs = found.setdefault(place, {})
            of_jobs[job] = of_jobs[job] + load if job in of_jobs else load
    return dict(sorted(found.items()))


def _copies(alongside: CoRunning, host: str, axis: Axis) -> Iterator[_Load]:
    """Yield the bytes that other jobs copied to and from each GPU of a host."""
    here = rows_where(alongside.gpu_loads, host=host)
    for device in devices_of(here):
        for job, table in rows_by_job(rows_where(here, gpu=device.name)):
            yield device, job, moved_by(AxisRows(table, axis, alongside.job.life), _WAYS)


def _messages(alongside: CoRunning, own: Device, axis: Axis) -> Iterator[_Load]:
    """Yield the bytes that other jobs sent from a GPU's host to other nodes.

    If the host has several adapters, it is not known which of them a message takes. The adapter
    that is nearest to the GPU is assumed.
    """
    adapters = [adapter for adapter in alongside.hardware.adapters if adapter.host == own.host]
    if not adapters:
        return
    nearest = max(adapters, key=lambda adapter: meeting(own, adapter)[0])
    for job, table in rows_by_job(rows_where(alongside.message_loads, host=own.host)):
        rows = AxisRows(table, axis, alongside.job.life)
        yield nearest, job, rows.sum("bytes") + OPERATION * rows.sum("ops")


# ---- rows ----


def rows_where(table: pa.Table, **where: str) -> pa.Table:
    """Return the rows whose columns have the given values."""
    for column, value in where.items():
        table = table.filter(pc.equal(table.column(column), value))
    return table


def rows_by_job(table: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """Yield jobs and their rows."""
    for job in sorted(set(table.column("job").to_pylist())):
        yield job, rows_where(table, job=job)


def copy_calls(rows: AxisRows, ways: dict[str, str]) -> tuple[CallSeries, ...]:
    """Return the copies of a job in some directions.

    Args:
        rows: The job's rows on GPUs.
        ways: For each direction, as in the names of columns, its name for users.
    """
    calls = []
    for way, name in ways.items():
        ops, moved = rows.sum(f"gpu_{way}_ops_sum"), rows.sum(f"gpu_{way}_bytes_sum")
        seconds = rows.sum(f"gpu_{way}_ns_sum") / _NS
        calls.append(CallSeries(name, ops, per_operation(moved, ops), seconds))
    return tuple(calls)


def moved_by(rows: AxisRows, ways: dict[str, str]) -> Floats:
    """Return the load of copies on a bus: their bytes, and a fixed amount for each copy."""
    moved = rows.sum(*(f"gpu_{way}_bytes_sum" for way in ways))
    return moved + OPERATION * rows.sum(*(f"gpu_{way}_ops_sum" for way in ways))
