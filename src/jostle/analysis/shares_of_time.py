"""The one rule for shares of time and for rates: what cannot be true is not known.

Every share of time and every rate in a digest is made here. More time in calls than there was means
that the divisor is wrong, as where nobody saw when a process ended; such a share is NaN, and is
shown as unknown. So is a rate per second of such a time.
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
#: Rates are per second: of less time than this, one call more or less makes any rate.
SHORTEST_S = 0.001
_NS = 1e9
#: What a job's time is divided into.
STATES = {
    "user CPU": ("os_user_ns",),
    "system CPU": ("os_system_ns",),
    "waiting for a core": ("os_runqueue_ns",),
    "kept by its CPU limit": ("os_throttled_ns",),
    "file reads": file_metrics("read_ns"),
    "file writes": file_metrics("write_ns"),
    "file sync": file_metrics("sync_ns"),
    "file metadata": file_metrics("meta_ns"),
    "sockets and pipes": ("stream_read_ns", "stream_write_ns"),
    "MPI calls": ("state_p2p_ns", "state_collective_ns", "state_onesided_ns", "state_mpi_ns"),
    "waiting for GPUs": ("gpu_wait_ns",),
}


def share_of_time(spent: float, available: float) -> float:
    """Return the part of a time that was spent in a state, 0 to 1; NaN where that is not known.

    Args:
        spent: Time in the state.
        available: Lifetime of all processes or threads that could be in it, in the same unit.
    """
    if not available > 0 or not 0 <= spent <= available * (1 + CLOCK_TOLERANCE):
        return math.nan
    return min(spent / available, 1.0)


def share_of_lives(spent: float, life: float, threads: float) -> float:
    """Return `share_of_time` of the processes' lifetime, of their threads' where that is exceeded.

    Args:
        spent: Time in the state, summed over threads.
        life: Lifetime of all processes.
        threads: Lifetime of all their threads.
    """
    of_life = share_of_time(spent, life)
    return share_of_time(spent, threads) if math.isnan(of_life) else of_life


def threads_time(sums: Mapping[str, Ints], job_processes: JobProcesses) -> NDArray[np.float64]:
    """Return how long the threads of each process lived at most, added up, in ns.

    Threads are counted at the end of each slice. Those that ended before are known by the CPU
    time that they took, as far as there were cores for them.
    """
    life = job_processes.life.astype(np.float64)
    cpu = sums["os_user_ns"].astype(np.float64) + sums["os_system_ns"]
    ran = np.minimum(np.ceil(cpu / np.maximum(life, 1)), sums["os_cpus"])
    result: NDArray[np.float64] = life * np.maximum(np.maximum(sums["os_threads"], ran), 1)
    return result


def seconds_for_rates(sums: Mapping[str, Ints], job_processes: JobProcesses) -> NDArray[np.float64]:
    """Return the lifetime of each process in s; NaN where no rate can be taken over it.

    That is less than `SHORTEST_S`, or less than its threads took of CPU time or were in MPI. Time
    in calls on files proves nothing: threads that ended may have been in them without CPU time.
    """
    life_s = job_processes.life / _NS
    limit_s = threads_time(sums, job_processes) / _NS * (1 + CLOCK_TOLERANCE)
    known = life_s >= SHORTEST_S
    for metrics in ((*STATES["user CPU"], *STATES["system CPU"]), STATES["MPI calls"]):
        known &= np.sum([sums[metric] / _NS for metric in metrics], axis=0) <= limit_s
    return np.where(known, life_s, np.nan)
