"""Computes how much core time other jobs took from a job, from the time its threads were queued.

The kernel measures how long threads were ready to run and waited for a core. If a job has at most
as many such threads as it may use cores, all their waiting is due to others; no comparison with
usual slices is needed. With more threads, they also wait for each other. Then others took the
difference between the core time that the job may use and the core time that it used. How large this
difference is depends on whether the threads wanted to run all at once (lower bound) or one after
the other (upper bound).
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
    """By how much others delayed a job on one node, for each row of the node's slices, [rows].

    Attributes:
        lost: Seconds by which the job was certainly delayed. They may exceed the length of the
            slice where the kernel recorded a wait late.
        most: Upper bound of the delay, seconds.
        wanted: Mean number of cores that the job would have used without others.
    """

    lost: Floats
    most: Floats
    wanted: Floats


def cores(slices: pa.Table) -> Floats:
    """Return how many cores a job's processes on a node may use together.

    Processes record their first core and their number of cores. Those with the same first core are
    assumed to share their cores. Others are assumed to have neighbouring cores, spread evenly
    around the mean of the first cores. Short-lived processes do not record their cores. A CPU limit
    of the control group counts as an upper bound of the number of cores.

    Args:
        slices: Slices of one node (repository.types.RunTables), n rows.

    Returns:
        Number of cores in each slice; 0 if it was not recorded, [n].
    """
    each, last = floats(slices, "os_cpus_max"), floats(slices, "os_first_cpu_max")
    together = np.maximum(floats(slices, "os_cpus_sum"), each)
    mean = floats(slices, "os_first_cpu_sum") * share(each, together)
    usable = np.minimum(2 * (last - mean).clip(0) + each, together)
    limit = floats(slices, "os_cpu_limit_max") / 1000
    return np.where((limit > 0) & (usable > 0), np.minimum(limit, usable), usable)


def starved(slices: pa.Table, begin: int, end: int) -> Starved:
    """Return by how much others delayed a job on one node, since they used cores that it wanted.

    Args:
        slices: Slices of the node (repository.types.RunTables).
        begin: Start of the job, ns; it is inside the first slice.
        end: End of the job, in ns.
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
    """Return one sentence for each node on which a job's own CPU limit kept it from running.

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
                f"it from running for {seconds:.3g} s, which is not part of the loss."
            )
    return said
