"""Finds NVLink domains that several jobs use for copies between GPUs and for collectives.

An NVLink domain is the set of GPUs of a node that NVLink connects; the node's agent reports it. A
job on two or more of these GPUs is assumed to run the collectives of its library (NCCL, RCCL) over
NVLink. The cost of copies is their time on the GPU. The cost of collectives is the least time that
any rank spent in them, as on the network.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from jostle.analysis.identification.resources.buses import (
    copy_calls,
    devices_of,
    moved_by,
    rows_by_job,
    rows_where,
)
from jostle.analysis.identification.resources.shared import (
    OPERATION,
    Axis,
    AxisRows,
    CallSeries,
    Floats,
    SharedResource,
    longest_slice,
    per_operation,
)
from jostle.repository.query.resources.around_gpus import CCL_BYTES, CCL_NS, CCL_OPS
from jostle.repository.query.resources.co_running import CoRunning

_NS = 1e9
_WAYS = {"peer": "copies between GPUs"}


def nvlink_resources(alongside: CoRunning, axis: Axis) -> Iterator[SharedResource]:
    """Yield the NVLink domains of a job's GPUs in which other jobs move data, too.

    Args:
        alongside: The job and its neighbours, from Repository.alongside.
        axis: Time axis of the job's own slices.
    """
    used = {
        (device.host, alongside.hardware.domains.get((device.host, device.name), ""))
        for device in devices_of(alongside.own_gpus)
    }
    for host, domain in sorted(used):
        if domain:
            yield from _domain(alongside, host, domain, axis)


def _domain(alongside: CoRunning, host: str, domain: str, axis: Axis) -> Iterator[SharedResource]:
    gpus = [
        gpu
        for (at, gpu), name in alongside.hardware.domains.items()
        if (at, name) == (host, domain)
    ]
    own = _of_gpus(alongside.own_gpus, host, gpus)
    rows, node = AxisRows(own, axis), AxisRows(rows_where(alongside.own_nodes, host=host), axis)
    calls = [*copy_calls(rows, _WAYS)]
    active = np.maximum(rows.active(), 1)
    busy = per_operation(calls[0].seconds, active)
    load = moved_by(rows, _WAYS)
    if _several(own):
        ops, sent = node.sum(*CCL_OPS), node.sum(*CCL_BYTES)
        seconds = node.sum(*CCL_NS) / _NS
        calls.append(CallSeries("collectives", ops, per_operation(sent, ops), seconds))
        # A rank slowed by something else makes the others wait, but does not wait itself.
        busy = busy + node.sum(*(f"{name}_min" for name in CCL_NS)) / _NS
        load = load + sent + OPERATION * ops
    loads = {}
    theirs = _of_gpus(alongside.gpu_loads, host, gpus)
    for job, table in rows_by_job(theirs):
        loads[job] = _moved(alongside, job, table, axis)
    loads = {job: moved for job, moved in loads.items() if moved.any()}
    if not loads or not busy.any():
        return
    busy = np.minimum(busy, axis[1] / _NS)
    yield SharedResource(
        f"NVLink domain {domain} of {host}",
        "bus",
        axis,
        tuple(calls),
        busy,
        busy,
        rows.active(),
        load,
        loads,
        "bytes",
        longest_slice(theirs, axis),
    )


def _of_gpus(table: pa.Table, host: str, gpus: list[str]) -> pa.Table:
    here = rows_where(table, host=host)
    return here.filter(
        pa.array([gpu in gpus for gpu in here.column("gpu").to_pylist()], pa.bool_())
    )


def _several(table: pa.Table) -> bool:
    return len(set(table.column("gpu").to_pylist())) > 1


def _moved(alongside: CoRunning, job: str, table: pa.Table, axis: Axis) -> Floats:
    """Return the load of another job on a domain, in bytes per slice.

    If the job uses several GPUs of the domain, its collectives are included.
    """
    moved = moved_by(AxisRows(table, axis, alongside.job.life), _WAYS)
    if not _several(table):
        return moved
    host = table.column("host")[0].as_py()
    rows = AxisRows(
        rows_where(alongside.message_loads, host=host, job=job), axis, alongside.job.life
    )
    return moved + rows.sum("ccl_bytes") + OPERATION * rows.sum("ccl_ops")
