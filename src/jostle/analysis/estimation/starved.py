"""Computes how much core time other jobs took from a job, from the time its threads were queued.

The kernel measures how long threads were ready to run and waited for a core. If no more threads of
a job want to run than it has cores, others had these cores; no comparison with usual
slices is needed. With more threads, they also wait for each other. Others then took the difference
between the cores that the job may use and those it used. The amount depends on whether its threads
wanted to run all at once (lower bound) or one after the other (upper bound).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from jostle.analysis.estimation.columns import Floats, Ints, share
from jostle.values.arrow_columns import floats

_TOP = 0.95  # quantile of the joint CPU use that counts as undisturbed
_IDLE = 0.15  # of a core: so much of the last core may be unused
NEARLY = 0.05  # of a core: by so much clocks and the heartbeat may change a whole one
_THROTTLED = 0.01  # of the time: a limit that takes less is not reported


@dataclass(frozen=True)
class Starved:
    """Core time that others took, per row of the slices of one node, [rows].

    Attributes:
        lost: Seconds by which the job was certainly delayed; may exceed the slice where the kernel
            recorded the wait late.
        most: Upper bound of the delay, seconds.
        wanted: Mean number of cores that the job would have used.
    """

    lost: Floats
    most: Floats
    wanted: Floats


def cores(slices: pa.Table) -> Floats:
    """Return the cores that a job's processes on a node may use together.

    Processes with the same first core share their cores; others have neighbouring ones, spread
    evenly around the mean of their first cores. Short-lived processes do not record their cores. A
    CPU limit of their control group counts as so many cores.

    Args:
        slices: Slices of one node (repository.types.RunTables), n rows.

    Returns:
        Number of cores, 0 if not recorded, [n].
    """
    each, last = floats(slices, "os_cpus_max"), floats(slices, "os_first_cpu_max")
    together = np.maximum(floats(slices, "os_cpus_sum"), each)
    mean = floats(slices, "os_first_cpu_sum") * share(each, together)
    usable = np.minimum(2 * (last - mean).clip(0) + each, together)
    limit = floats(slices, "os_cpu_limit_max") / 1000
    return np.where((limit > 0) & (usable > 0), np.minimum(limit, usable), usable)


def starved(slices: pa.Table, begin: int, end: int) -> Starved:
    """Return how much core time others took from the processes of a job.

    Args:
        slices: Slices of one node (repository.types.RunTables).
        begin: Start of the job, ns; it is within the first slice.
        end: End of the job, ns.
    """
    length = alive(slices, begin, end)
    used = (floats(slices, "os_user_ns_sum") + floats(slices, "os_system_ns_sum")) / 1e9
    queued = floats(slices, "os_runqueue_ns_sum") / 1e9
    may, known = cores(slices), floats(slices, "os_cpus_max") > 0
    # With waits that were recorded late it may exceed the number of threads.
    there = floats(slices, "os_threads_sum").clip(1)
    wanted = np.minimum(share(used + queued, length), there)
    threads = np.maximum(np.where(known, floats(slices, "os_awake_sum"), there), wanted).clip(1)
    if not known.all():  # older profiles: the most that it used at once
        rate = share(used, length)
        once = np.ceil(float(np.quantile(rate, _TOP)) - _IDLE) if len(rate) else 1.0
        may = np.where(known, may, max(once, 1.0))
    oversubscribed = threads > may + NEARLY
    at_once = np.minimum(wanted * may / threads, may)
    lost = np.where(oversubscribed, np.minimum((at_once * length - used).clip(0), queued), queued)
    in_turn = np.minimum(may, wanted)
    most = np.where(oversubscribed, np.minimum((in_turn * length - used).clip(0), queued), queued)
    speed = np.minimum(may, wanted.clip(1))
    return Starved(lost / speed, most / speed, in_turn)


def alive(slices: pa.Table, begin: int, end: int) -> Floats:
    """Return the seconds of each slice in which the job ran."""
    width: Ints = slices.column("slice_ns").to_numpy()
    start: Ints = slices.column("slice").to_numpy() * width
    within = np.minimum(start + width, end) - np.maximum(start, begin)
    result: Floats = np.minimum(within, width).clip(1) / 1e9
    return result


def own_limits(slices: pa.Table, run_s: float) -> list[str]:
    """Return one sentence per node on which a job's own CPU limit kept it from running.

    Args:
        slices: The job's slices (repository.types.RunTables).
        run_s: Length of the evaluated time, seconds.
    """
    hosts = np.array(slices.column("host").to_pylist(), dtype=object)
    throttled = floats(slices, "os_throttled_ns_max") / 1e9
    limit = floats(slices, "os_cpu_limit_max") / 1000
    said = []
    for host in sorted(set(hosts[throttled > 0].tolist())):
        at = hosts == host
        seconds, least = float(throttled[at].sum()), float(limit[at & (limit > 0)].min(initial=1e6))
        if seconds > _THROTTLED * run_s and least < 1e6:
            said.append(
                f"The job's own CPU limit on {host} ({least:.3g} cores, of its control group) kept "
                f"it from running for {seconds:.3g} s: this is not part of the loss."
            )
    return said
