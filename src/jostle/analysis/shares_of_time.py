"""Computes shares of time and rates; impossible values become NaN (unknown).

Every share of time and every rate in a digest is computed here. If calls took more time than their
processes lived, the recorded lifetime is wrong, for example since the end of a process was not
recorded. Then the share of that lifetime is NaN and is shown as unknown; so is a rate per second
of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.processes import Ints, JobProcesses
from jostle.values.file_metrics import file_metrics

#: Time in calls and lifetimes come from different clocks, which may differ by this share.
CLOCK_TOLERANCE = 0.05
#: Least time for a rate per second: over less, a single call decides the rate.
SHORTEST_S = 0.001
_NS = 1e9
#: States that a job's time is divided into.
STATES = {
    "user CPU": ("os_user_ns",),
    "system CPU": ("os_system_ns",),
    "waiting for a core": ("os_runqueue_ns",),
    "throttled by its CPU limit": ("os_throttled_ns",),
    "file reads": file_metrics("read_ns"),
    "file writes": file_metrics("write_ns"),
    "file sync": file_metrics("sync_ns"),
    "file metadata": file_metrics("meta_ns"),
    "sockets and pipes": ("stream_read_ns", "stream_write_ns"),
    "MPI calls": ("state_p2p_ns", "state_collective_ns", "state_onesided_ns", "state_mpi_ns"),
    "waiting for GPUs": ("gpu_wait_ns",),
}


def share_of_time(spent: float, available: float) -> float:
    """Return the part of a lifetime that was spent in a state, 0 to 1; NaN where it is unknown.

    Args:
        spent: Time in the state.
        available: Lifetime of all processes or threads that could be in the state, in the same
            unit.
    """
    if not available > 0 or not 0 <= spent <= available * (1 + CLOCK_TOLERANCE):
        return math.nan
    return min(spent / available, 1.0)


def share_of_lives(spent: float, life: float, threads: float) -> float:
    """Return the part of the processes' lifetime that was spent in a state, 0 to 1.

    If the time in the state exceeds the lifetime of the processes, return its part of the threads'
    lifetime; NaN if it exceeds that, too.

    Args:
        spent: Time in the state, summed over threads.
        life: Lifetime of all processes.
        threads: Lifetime of all their threads.
    """
    of_life = share_of_time(spent, life)
    return share_of_time(spent, threads) if math.isnan(of_life) else of_life


def threads_time(sums: Mapping[str, Ints], job_processes: JobProcesses) -> NDArray[np.float64]:
    """Return an upper bound of the summed lifetime of the threads of each process, in ns.

    Threads are counted at the end of each slice. The number of threads that ended before is
    estimated from the CPU time of the process; it is at most the number of its cores.
    """
    life = job_processes.life.astype(np.float64)
    cpu = sums["os_user_ns"].astype(np.float64) + sums["os_system_ns"]
    ran = np.minimum(np.ceil(cpu / np.maximum(life, 1)), sums["os_cpus"])
    result: NDArray[np.float64] = life * np.maximum(np.maximum(sums["os_threads"], ran), 1)
    return result


def seconds_for_rates(sums: Mapping[str, Ints], job_processes: JobProcesses) -> NDArray[np.float64]:
    """Return the lifetime of each process in s, for rates; NaN where it is unfit for a rate.

    A lifetime is unfit if it is shorter than `SHORTEST_S`, or if the threads have more CPU time or
    more time in MPI calls than can fit into it. Time in file calls is not compared: threads that
    ended may have waited in such calls without using CPU time, so their number is unknown.
    """
    life_s = job_processes.life / _NS
    limit_s = threads_time(sums, job_processes) / _NS * (1 + CLOCK_TOLERANCE)
    known = life_s >= SHORTEST_S
    for metrics in ((*STATES["user CPU"], *STATES["system CPU"]), STATES["MPI calls"]):
        known &= np.sum([sums[metric] / _NS for metric in metrics], axis=0) <= limit_s
    return np.where(known, life_s, np.nan)
