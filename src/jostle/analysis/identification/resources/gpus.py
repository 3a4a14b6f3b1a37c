"""Finds the GPUs, buses and NVLink domains that a job shares with other jobs.

Two jobs on one GPU divide its time. The cost of sharing is the time for which the job's threads
wait for the GPU, per launch. (Section 2.2.2 of Shah, 2020, considers copies only.) Buses are found
by buses.py, and NVLink domains by nvlink.py.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from jostle.analysis.identification.resources.buses import (
    bus_resources,
    devices_of,
    rows_by_job,
    rows_where,
)
from jostle.analysis.identification.resources.nvlink import nvlink_resources
from jostle.analysis.identification.resources.shared import (
    Axis,
    AxisRows,
    CallSeries,
    Floats,
    SharedResource,
    longest_slice,
    per_operation,
)
from jostle.repository.query.resources.around_gpus import Device
from jostle.repository.query.resources.co_running import CoRunning

_NS = 1e9


def gpu_resources(alongside: CoRunning, axis: Axis) -> list[SharedResource]:
    """Return what a job shares with others on and around the GPUs of its hosts.

    Args:
        alongside: The job and its neighbours, from Repository.alongside.
        axis: Time axis of the job's own slices.

    Returns:
        GPUs, then buses, then NVLink domains; only those that another job used, too.
    """
    if not axis[2]:
        return []
    found: list[SharedResource] = []
    for device in devices_of(alongside.own_gpus):
        found += _gpu(alongside, device, axis)
    return [*found, *bus_resources(alongside, axis), *nvlink_resources(alongside, axis)]


def _gpu(alongside: CoRunning, device: Device, axis: Axis) -> Iterator[SharedResource]:
    """Yield a GPU as a resource, if other jobs run kernels on it and the job waits for it."""
    host, gpu = device.host, device.name
    theirs = rows_where(alongside.gpu_loads, host=host, gpu=gpu)
    rows = AxisRows(rows_where(alongside.own_gpus, host=host, gpu=gpu), axis)
    node = AxisRows(rows_where(alongside.own_nodes, host=host), axis)
    launches = rows.sum("gpu_launch_ops_sum", "gpu_graph_ops_sum")
    waits = node.sum("gpu_wait_ns") / _NS
    # NOTE: waits are counted for a process, not for each GPU: several share them by launches.
    whole = AxisRows(rows_where(alongside.own_gpus, host=host), axis)
    share = per_operation(launches, whole.sum("gpu_launch_ops_sum", "gpu_graph_ops_sum"))
    loads = {}
    for job, table in rows_by_job(theirs):
        other = AxisRows(table, axis, alongside.job.life)
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
        f"GPU {gpu} of {host}",
        "gpu",
        axis,
        (CallSeries("kernels", launches, np.zeros(axis[2]), waits * share),),
        mean,
        mean,
        active,
        own,
        loads,
        "ns",
        longest_slice(theirs, axis),
    )


def _presumed(rows: AxisRows, axis: Axis) -> Floats:
    """Return the estimated time for which a job used a GPU, ns, if its kernels are not recorded.

    A launch may take a microsecond or a second, so the number of launches is compared with the
    job's own usual number per slice. In a slice with at least this number, the job is assumed to
    use the GPU all the time.
    """
    launches = rows.sum("gpu_launch_ops_sum", "gpu_graph_ops_sum")
    on = launches > 0
    usual = float(np.median(launches[on])) if on.any() else 1.0
    return np.asarray(np.minimum(launches / max(usual, 1e-9), 1.0) * axis[1])
