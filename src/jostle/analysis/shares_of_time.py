"""The one rule for shares of time: what cannot be true is not known.

Every share of time in a digest is made here. More time than there was means that the divisor is
wrong, as where nobody saw when a process ended; such a share is NaN, and is shown as unknown.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.processes import Ints, JobProcesses

#: Time in calls and lifetimes come from different clocks, which may differ by this share.
CLOCK_TOLERANCE = 0.05


def share_of_time(spent: float, available: float) -> float:
    """Return the part of a time that was spent in a state, 0 to 1; NaN where that is not known.

    Args:
        spent: Time in the state.
        available: Lifetime of all processes or threads that could be in it, in the same unit.
    """
    if not available > 0 or not 0 <= spent <= available * (1 + CLOCK_TOLERANCE):
        return math.nan
    return min(spent / available, 1.0)


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
