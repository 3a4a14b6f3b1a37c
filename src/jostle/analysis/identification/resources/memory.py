"""Measures the slowdown of memory on a job's shared nodes, and the loads of other jobs on it.

The runtime's memory probe measures how slow memory was: it reads main memory itself, so that
neither the job's own work nor waiting for a core affects the result. If a job has no probe, but
counters of its processor that show cache misses, the time per instruction is taken instead.

What slower memory costs depends on how much of its time the job waits for memory. This part, the
job's sensitivity, is fitted from the job's own speed (sensitivity.py). If it is not known, the
interval of the loss is wide.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from jostle.analysis.identification.model import LoadSource
from jostle.analysis.identification.regression import nonnegative
from jostle.analysis.identification.resources.buses import rows_by_job, rows_where
from jostle.analysis.identification.resources.sensitivity import UNKNOWN, sensitivity
from jostle.analysis.identification.resources.shared import (
    Axis,
    AxisRows,
    CallSeries,
    Floats,
    SharedResource,
    longest_slice,
    nodes,
    per_operation,
)
from jostle.analysis.interval import Interval
from jostle.analysis.series import resample
from jostle.repository.query.resources.co_running import COLLECTIVE, P2P, CoRunning, JobFacts
from jostle.values.arrow_columns import ints
from jostle.values.memory_probe import STREAM_WEIGHT

_NS = 1e9
_COMPUTED = ("os_user_ns", "os_system_ns")
_IN_MPI = ("state_p2p_ns", "state_collective_ns", "state_onesided_ns")
_MESSAGES = tuple(f"mpi_{family}_ops" for family in (*P2P, *COLLECTIVE))
_FILE_CALLS = tuple(
    f"{kind}_{what}_ops"
    for kind in ("posix", "stdio")
    for what in ("read", "write", "open", "close", "sync", "meta")
)
#: Bytes that a miss of the last-level cache moves.
_LINE = 64
#: Resident memory that fits into caches: a process with less does not wait for memory.
_SMALL = 4 << 20
#: Memory that is faster than quiet memory shortens work to no less than this part.
_LEAST_STRETCH = 0.5
#: A job with a smaller sensitivity loses nothing through slower memory.
_INSENSITIVE = 0.02
#: Quantile of the slices that counts as quiet memory.
_QUIET = 0.25
#: Part of the neighbours' CPU time that may be without counters where their cache misses count.
_UNCOUNTED = 0.05


@dataclass(frozen=True)
class _Neighbours:
    """The loads that other jobs put on a node, per slice.

    Attributes:
        cpu: CPU time, ns, for each job with a profile, and for each load without a profile.
        misses: For each job with a profile, the bytes of its misses of the last-level cache.
    """

    cpu: dict[str, Floats]
    misses: dict[str, Floats]


def with_memory(alongside: CoRunning, axis: Axis) -> tuple[CoRunning, list[SharedResource]]:
    """Find the memory that a job shares with others: that of nodes on which both computed.

    Args:
        alongside: The job and its neighbours, from Repository.alongside.
        axis: Time axis of the job's own slices.

    Returns:
        The neighbours, now including programs without a profile that computed on such a node, and
        the memory of each node. A node is left out if the speed of its memory was not measured, or
        if the job does not depend on that speed.
    """
    others, found = dict(alongside.others), list[SharedResource]()
    for host in _hosts(alongside) if axis[2] else []:
        rows = AxisRows(rows_where(alongside.own_nodes, host=host), axis)
        measured = _measured(alongside, rows)
        if measured is None or measured[1].value < _INSENSITIVE:
            continue
        near = _neighbours(alongside, host, axis)
        cpu = rows.sum(*_COMPUTED)
        own, loads, source = _loads(alongside, host, rows, cpu, near)
        loads = {name: load for name, load in loads.items() if load.any()}
        if not loads:
            continue
        calls, bound = measured
        slowest = np.minimum(rows.sum(*(f"{name}_max" for name in _COMPUTED)), cpu) / _NS
        computing = np.minimum(slowest, axis[1] / _NS)
        found.append(
            SharedResource(
                f"memory of {host}",
                "memory",
                axis,
                (calls,),
                computing,
                computing,
                rows.sum("count"),
                own,
                loads,
                "ns" if source == "cores" else "bytes",
                longest_slice(rows_where(alongside.node_loads, host=host), axis),
                bound=bound,
                load_source=source,
            )
        )
        for name in loads:
            others.setdefault(name, _unprofiled(alongside, name, axis))
    return replace(alongside, others=others), found


def _hosts(alongside: CoRunning) -> list[str]:
    """Return the nodes to evaluate: those shared with jobs, and one shared with other programs.

    The latter is the job's node with the most load of programs without a profile.
    """
    users = rows_where(alongside.core_use.users, kind="unprofiled")
    own = set(alongside.own_nodes["host"].to_pylist()) if alongside.own_nodes.num_rows else set()
    sums = users.group_by("host").aggregate([("cpu_ns", "sum")]).to_pylist()
    most = sorted((-row["cpu_ns_sum"], row["host"]) for row in sums if row["host"] in own)
    return list(dict.fromkeys([*nodes(alongside), *(host for _, host in most[:1])]))


def _unprofiled(alongside: CoRunning, name: str, axis: Axis) -> JobFacts:
    return JobFacts(
        job=name,
        kind="unprofiled",
        start_ns=axis[0],
        seen_ns=axis[0] + axis[1] * axis[2],
        slice_ns=axis[1],
        clocks=alongside.job.clocks,
    )


# ---- how slow it was ----


def _measured(alongside: CoRunning, rows: AxisRows) -> tuple[CallSeries, Interval] | None:
    """Return the job's work with its time at the measured speed of memory, and the sensitivity.

    Args:
        alongside: The job and its neighbours.
        rows: The job's rows on a node.

    Returns:
        The work per slice with its time, and the job's sensitivity to the speed of memory. With a
        memory probe, the work is CPU seconds, and their time is scaled by how slow memory was. With
        counters of the processor, the work is instructions, and their time is the CPU time. None:
        not measured.
    """
    size = rows.axis[2]
    cpu = rows.sum(*_COMPUTED) / _NS
    probes = rows.sum("memory_probe_count")
    if probes.any():
        time = rows.sum("memory_latency_ns") + STREAM_WEIGHT * rows.sum("memory_stream_ns")
        each = per_operation(time, probes)
        known = each > 0
        slower = each / (float(np.quantile(each[known], _QUIET)) if known.any() else 1.0)
        bound = _sensitivity(alongside, rows, slower)
        work = np.where(known, cpu, 0.0)
        took = work * np.maximum(1 + bound.value * (slower - 1), _LEAST_STRETCH)
        return CallSeries("memory", work, np.zeros(size), took), bound
    instructions, misses = rows.sum("perf_instructions"), rows.sum("perf_llc_misses")
    if not misses.any() or not instructions.any():
        return None
    # The time per instruction is the job's own and holds the whole loss. Its misses make no
    # classes, since a neighbour that takes its cache adds to them.
    return CallSeries("computation", instructions, np.zeros(size), cpu), Interval(1.0, 1.0, 1.0)


def _sensitivity(alongside: CoRunning, rows: AxisRows, slower: Floats) -> Interval:
    """Return the job's sensitivity to slower memory, fitted from its own speed."""
    cpu = rows.sum(*_COMPUTED)
    held = per_operation(rows.sum("os_rss_bytes"), rows.sum("count"))
    if held.any() and float(np.median(held[held > 0])) < _SMALL:
        return Interval(0.0, 0.0, 0.0)
    instructions = rows.sum("perf_instructions")
    if instructions.any():
        return sensitivity(slower, instructions, cpu) or UNKNOWN
    # A rank that spins in MPI computes nothing meanwhile.
    waits = rows.sum(*_IN_MPI)
    work = rows.sum(*_MESSAGES)
    if not work.any() and len(alongside.job.nodes) <= 1:
        work = AxisRows(alongside.own_mounts, rows.axis).sum(*_FILE_CALLS)
    return sensitivity(slower, work, cpu - np.minimum(waits, cpu)) or UNKNOWN


# ---- who loaded it ----


def _neighbours(alongside: CoRunning, host: str, axis: Axis) -> _Neighbours:
    cpu, misses = {}, {}
    for job, table in rows_by_job(rows_where(alongside.node_loads, host=host)):
        rows = AxisRows(table, axis, alongside.job.life)
        cpu[job] = rows.sum("cpu_ns")
        misses[job] = _LINE * rows.sum("llc_misses")
    users = rows_where(alongside.core_use.users, host=host, kind="unprofiled")
    for name, table in rows_by_job(users):
        load = resample(
            ints(table, "start_ns"),
            ints(table, "length_ns"),
            ints(table, "cpu_ns").astype(float),
            axis,
            within=alongside.job.life,
        )
        cpu[name] = cpu[name] + load if name in cpu else load
    return _Neighbours(cpu, misses)


def _loads(
    alongside: CoRunning, host: str, rows: AxisRows, own_cpu: Floats, near: _Neighbours
) -> tuple[Floats, Mapping[str, Floats], LoadSource]:
    """Return the job's own load, those of its neighbours, and how these loads were counted.

    If the cache misses of nearly all processes are known, they are the load. Else, if the node's
    memory controllers count bytes, these bytes are divided among the jobs by their CPU time. Else
    the load is the CPU time itself.
    """
    whole = sum((float(load.sum()) for load in near.cpu.values()), 0.0)
    blank = sum(
        float(load.sum())
        for name, load in near.cpu.items()
        if name not in near.misses or not near.misses[name].any()
    )
    if whole > 0 and blank <= _UNCOUNTED * whole:
        return _LINE * rows.sum("perf_llc_misses"), near.misses, "misses"
    table = rows_where(alongside.memory_traffic, host=host)
    if table.num_rows:
        moved = _moved(table, rows.axis)
        if moved.any():
            own, *others = _divided(moved, [own_cpu, *near.cpu.values()])
            return own, dict(zip(near.cpu, others, strict=True)), "controllers"
    return own_cpu, near.cpu, "cores"


def _moved(table: pa.Table, axis: Axis) -> Floats:
    """Return the bytes that the memory controllers of a node moved, per slice."""
    length = ints(table, "slice_ns")
    return resample(
        ints(table, "slice") * length,
        length * ints(table, "span"),
        ints(table, "bytes").astype(float),
        axis,
    )


def _divided(moved: Floats, cpu: list[Floats]) -> list[Floats]:
    """Divide the bytes of each slice among the users of cores.

    A user's part is in proportion to its CPU time in the slice, weighted by the bytes that a CPU
    second of this user usually moves. These weights are fitted by non-negative regression.

    Args:
        moved: Bytes of all users together, per slice.
        cpu: CPU time of each user of cores, per slice.
    """
    columns = np.array(cpu).T
    per_second = nonnegative(columns, moved)
    usual = columns * per_second
    whole = usual.sum(axis=1)
    share = np.divide(usual, whole[:, None], out=np.zeros_like(usual), where=whole[:, None] > 0)
    return list((share * moved[:, None]).T)


def bytes_or_cores(resource: SharedResource, job: str) -> str:
    """Return in a few words the load of a neighbour on a node's memory.

    Args:
        resource: The memory of a node.
        job: Name of the neighbour.
    """
    load = resource.loads[job]
    mean = load.sum() / max(float((load > 0).sum()), 1) / resource.axis[1]
    if resource.load_source == "cores":
        return f"{mean:.1f} cores busy, what they move is not counted: less certain"
    by = "cache misses" if resource.load_source == "misses" else "memory controllers"
    return f"{mean:.1f} GB/s by {by}"
