"""Computes from the run queue how much core time other jobs took from a job.

The kernel measures how long threads were ready to run and waited for a core. As long as a job has
no more threads that want to run than cores it may use, others had these cores, whether it was so
all the time or never else: nothing has to be usual. With more of them they wait for each other too.
What others took is then what the job used less than it may. How much that is depends on whether its
threads wanted to run all at once (least) or one after the other (most).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from jostle.analysis.estimation.columns import Floats, Ints, share
from jostle.arrow_columns import floats

_TOP = 0.95  # quantile: what processes use together where nobody takes anything
_IDLE = 0.15  # of a core: what is left of the last one, and yet it is there
NEARLY = 0.05  # of a core: what clocks and the heartbeat make of a whole one
_THROTTLED = 0.01  # of the time: a limit that takes less is not worth a word


@dataclass(frozen=True)
class Starved:
    """What others took, in each row of the slices of one node.

    Attributes:
        lost: Seconds by which the job was delayed, as far as it is certain; where it is booked late
            more than the slice is long.
        most: What it may be.
        wanted: Cores that it would have used, on average.
    """

    lost: Floats
    most: Floats
    wanted: Floats


def cores(slices: pa.Table) -> Floats:
    """Return the cores that a job's processes on a node may use together; 0: not recorded.

    Those of equal first core have the same, others have theirs side by side: they reach as far
    below the mean of their first cores as above. Short-lived processes do not say which they had. A
    CPU limit of their control group counts as so many cores.

    Args:
        slices: Of one node, as in repository.types.RunTables.
    """
    each, last = floats(slices, "os_cpus_max"), floats(slices, "os_first_cpu_max")
    together = np.maximum(floats(slices, "os_cpus_sum"), each)
    mean = floats(slices, "os_first_cpu_sum") * share(each, together)
    found = np.minimum(2 * (last - mean).clip(0) + each, together)
    limit = floats(slices, "os_cpu_limit_max") / 1000
    return np.where((limit > 0) & (found > 0), np.minimum(limit, found), found)


def starved(slices: pa.Table, begin: int, end: int) -> Starved:
    """Return what others took of the cores that the processes of a job wanted.

    Args:
        slices: Of one node, as in repository.types.RunTables.
        begin: Start of the job, ns: its first slice is not whole.
        end: Its end.
    """
    length = alive(slices, begin, end)
    used = (floats(slices, "os_user_ns_sum") + floats(slices, "os_system_ns_sum")) / 1e9
    queued = floats(slices, "os_runqueue_ns_sum") / 1e9
    may, known = cores(slices), floats(slices, "os_cpus_max") > 0
    # What is booked late makes more of it than there are threads.
    there = floats(slices, "os_threads_sum").clip(1)
    wanted = np.minimum(share(used + queued, length), there)
    threads = np.maximum(np.where(known, floats(slices, "os_awake_sum"), there), wanted).clip(1)
    if not known.all():  # of older profiles: as many as it once used
        rate = share(used, length)
        once = np.ceil(float(np.quantile(rate, _TOP)) - _IDLE) if len(rate) else 1.0
        may = np.where(known, may, max(once, 1.0))
    crowded = threads > may + NEARLY
    at_once = np.minimum(wanted * may / threads, may)
    lost = np.where(crowded, np.minimum((at_once * length - used).clip(0), queued), queued)
    in_turn = np.minimum(may, wanted)
    most = np.where(crowded, np.minimum((in_turn * length - used).clip(0), queued), queued)
    speed = np.minimum(may, wanted.clip(1))
    return Starved(lost / speed, most / speed, in_turn)


def alive(slices: pa.Table, begin: int, end: int) -> Floats:
    """Return the seconds of each slice in which a job was there."""
    width: Ints = slices.column("slice_ns").to_numpy()
    start: Ints = slices.column("slice").to_numpy() * width
    within = np.minimum(start + width, end) - np.maximum(start, begin)
    result: Floats = np.minimum(within, width).clip(1) / 1e9
    return result


def own_limits(slices: pa.Table, run_s: float) -> list[str]:
    """Return where a job's own CPU limit kept it from running.

    Args:
        slices: Of the job, as in repository.types.RunTables.
        run_s: Seconds that are judged.
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
                f"it from running for {seconds:.3g} s: that is no part of the loss."
            )
    return said
