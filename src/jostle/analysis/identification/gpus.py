"""Lays out what jobs share around a GPU: the GPU itself, its bus, and the host's memory behind it.

What is shared is read from the place of GPUs in the tree of PCI devices. Two jobs on one GPU
divide its time, and copy over one link. On two GPUs they meet at the deepest bridge that both hang
below (a PCIe switch or a port), else at the root complex, else at the host's memory of a NUMA node.
A neighbour is looked at on the deepest place alone, which is the narrowest.

A job's copies are priced by their time on the GPU, which may pass beside computation: then the run
lost less than its copies did (caveats.py says so). The GPU itself is priced by the time for which
the job's threads wait for it, per launch (thesis §2.2.2 has copies only).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jostle.analysis.identification.resources import (
    Axis,
    AxisRows,
    CallSeries,
    Floats,
    SharedResource,
    longest_slice,
    per_operation,
)
from jostle.repository.query.co_running import Beside

_NS = 1e9
_WAYS = {"h2d": "copies to the GPU", "d2h": "copies from the GPU"}
#: Bytes that a copy weighs besides those it moves: small ones cost the bus, too.
_COPY = 4096


def gpu_resources(beside: Beside, axis: Axis) -> list[SharedResource]:
    """Lay out what a job shares with others around each of its GPUs.

    Args:
        beside: From Repository.beside.
        axis: Of the job's own slices.

    Returns:
        GPUs, then buses; none where nobody else used a GPU of the job's hosts.
    """
    if not axis[2] or not beside.own_gpus.num_rows or not beside.gpu_loads.num_rows:
        return []
    found: list[SharedResource] = []
    for key in _gpus(beside.own_gpus):
        host = _rows(beside.gpu_loads, host=key[0])
        found += _gpu(beside, key, _rows(host, gpu=key[1]), axis)
        found += _buses(beside, key, host, axis)
    return found


_Key = tuple[str, str, str, int]  # host, gpu, its path in the PCI tree, NUMA node


def _gpus(table: pa.Table) -> list[_Key]:
    columns = (table.column(name).to_pylist() for name in ("host", "gpu", "pci_path", "numa"))
    return sorted(set(zip(*columns, strict=True)))


def _rows(table: pa.Table, **where: str) -> pa.Table:
    for column, value in where.items():
        table = table.filter(pc.equal(table.column(column), value))
    return table


def _jobs(table: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    for job in sorted(set(table.column("job").to_pylist())):
        yield job, _rows(table, job=job)


# ---- the GPU itself ----


def _gpu(beside: Beside, key: _Key, theirs: pa.Table, axis: Axis) -> Iterator[SharedResource]:
    """Yield a GPU on which others run kernels, where the job waits for it."""
    host, gpu, _path, _numa = key
    rows = AxisRows(_rows(beside.own_gpus, host=host, gpu=gpu), axis)
    node = AxisRows(_rows(beside.own_nodes, host=host), axis)
    launches = rows.sum("gpu_launch_ops_sum", "gpu_graph_ops_sum")
    waits = node.sum("gpu_wait_ns") / _NS
    # NOTE: waits are counted for a process, not for each of its GPUs: of several, by launches.
    whole = AxisRows(_rows(beside.own_gpus, host=host), axis)
    share = per_operation(launches, whole.sum("gpu_launch_ops_sum", "gpu_graph_ops_sum"))
    loads = {}
    for job, table in _jobs(theirs):
        other = AxisRows(table, axis, beside.job.life)
        busy = other.sum("gpu_busy_ns_sum")
        loads[job] = busy if busy.any() else _presumed(other, axis)
    loads = {job: load for job, load in loads.items() if load.any()}
    if not loads or not waits.any():
        return
    active = rows.active()
    mean = np.minimum(per_operation(waits * share, np.maximum(active, 1)), axis[1] / _NS)
    own = rows.sum("gpu_busy_ns_sum")
    own = own if own.any() else _presumed(rows, axis)
    yield SharedResource(
        f"GPU {gpu} of {host}", "gpu", axis,
        (CallSeries("kernels", launches, np.zeros(axis[2]), waits * share),),
        mean, mean, active, own, loads, "ns", longest_slice(theirs, axis),
    )  # fmt: skip


def _presumed(rows: AxisRows, axis: Axis) -> Floats:
    """Return the time for which a job presumably used a GPU, ns: its kernels are not recorded.

    A launch may be of a microsecond or of a second. So launches are set against what is usual for
    the job itself: in a slice with its usual number or more it used the GPU all the time.
    """
    launches = rows.sum("gpu_launch_ops_sum", "gpu_graph_ops_sum")
    on = launches > 0
    usual = float(np.median(launches[on])) if on.any() else 1.0
    return np.asarray(np.minimum(launches / max(usual, 1e-9), 1.0) * axis[1])


# ---- its bus ----


def _place(own: _Key, other: tuple[str, str, int]) -> str:
    """Return the deepest place that two GPUs of a host share on the way to its memory.

    Args:
        own: The job's GPU.
        other: The other's gpu, path and NUMA node.

    Returns:
        In words, with the host; "" where they share nothing, or it is not known.
    """
    host, gpu, path, numa = own
    if other[0] == gpu:
        return f"bus to GPU {gpu} of {host}"
    mine, theirs = path.split("/"), other[1].split("/")
    if path and other[1]:
        common = [a for a, b in zip(mine[:-1], theirs[:-1], strict=False) if a == b]
        # A path that differs once does not come together again.
        depth = next((k for k, (a, b) in enumerate(zip(mine[:-1], theirs[:-1], strict=False))
                      if a != b), len(common))  # fmt: skip
        if depth > 1:
            return f"PCIe switch {mine[depth - 1]} of {host}"
        if depth == 1:
            return f"root complex {mine[0]} of {host}"
    if numa >= 0 and numa == other[2]:
        return f"memory of NUMA node {numa} of {host}"
    return ""


def _buses(beside: Beside, key: _Key, host: pa.Table, axis: Axis) -> Iterator[SharedResource]:
    """Yield the places where others' copies meet those to and from one GPU."""
    rows = AxisRows(_rows(beside.own_gpus, host=key[0], gpu=key[1]), axis)
    calls = []
    for way, name in _WAYS.items():
        ops, moved = rows.sum(f"gpu_{way}_ops_sum"), rows.sum(f"gpu_{way}_bytes_sum")
        seconds = rows.sum(f"gpu_{way}_ns_sum") / _NS
        calls.append(CallSeries(name, ops, per_operation(moved, ops), seconds))
    if not any(series.seconds.any() for series in calls):
        return
    loads: dict[str, dict[str, Floats]] = {}
    for other in sorted({(gpu, path, numa) for _host, gpu, path, numa in _gpus(host)}):
        place = _place(key, other)
        if not place:
            continue
        for job, table in _jobs(_rows(host, gpu=other[0])):
            load = _moved(AxisRows(table, axis, beside.job.life))
            if load.any():
                at = loads.setdefault(place, {})
                at[job] = at[job] + load if job in at else load
    active = rows.active()
    seconds = np.sum([series.seconds for series in calls], axis=0)
    mean = np.minimum(per_operation(seconds, np.maximum(active, 1)), axis[1] / _NS)
    for place, of_jobs in sorted(loads.items()):
        yield SharedResource(
            place, "bus", axis, tuple(calls), mean, mean, active, _moved(rows), of_jobs, "bytes",
            longest_slice(host, axis),
        )  # fmt: skip


def _moved(rows: AxisRows) -> Floats:
    moved = rows.sum(*(f"gpu_{way}_bytes_sum" for way in _WAYS))
    return moved + _COPY * rows.sum(*(f"gpu_{way}_ops_sum" for way in _WAYS))
