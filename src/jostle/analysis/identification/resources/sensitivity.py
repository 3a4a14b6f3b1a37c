"""Fits how much longer a job's work takes where memory is slower, from the job's own speed.

If memory answers half as fast, a job that waits for memory all the time takes twice as long for its
work, and a job that computes in its caches takes no longer. The unit of work is a count that does
not depend on the speed of memory: instructions, or calls if instructions are not counted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.interval import Interval

Floats = NDArray[np.float64]

#: Upper bound: a job may be more sensitive than the probe, which reads for a moment only.
MOST = 3.0
#: For a job of unknown speed: it is assumed to wait for memory all the time, with a wide interval.
UNKNOWN = Interval(1.0, 0.0, 2.0)
_FEWEST = 16  # slices
#: Least factor between the fastest and the slowest tenth of memory for a fit.
_SPREAD = 1.05
#: Quantile beyond which speeds are cut: a slice with other work is no effect of memory.
_CUT = 0.05
#: Part of the slices that counts as independent, since neighbouring slices are alike.
_INDEPENDENT = 0.25
#: Standard error from which on the sensitivity counts as unknown.
_VAGUE = 0.35


def sensitivity(slower: Floats, work: Floats, cpu: Floats) -> Interval | None:
    """Return the sensitivity of a job to slower memory.

    It is 1 for a job that waits for memory all the time, and 0 for a job that never does. The time
    that a unit of work takes is fitted as proportional to 1 + sensitivity * (slower - 1).

    Args:
        slower: Time of memory accesses, divided by that of quiet memory, shape (slices,); 0: not
            known.
        work: Units of work per slice.
        cpu: CPU time of these units, in any unit.

    Returns:
        The sensitivity, 0 to MOST, with an interval of two standard errors. None: the job's speed
        does not show it, for example since memory was always equally fast.
    """
    on = (slower > 0) & (work > 0) & (cpu > 0)
    if int(on.sum()) < _FEWEST:
        return None
    low, high = np.quantile(slower[on], [0.1, 0.9])
    if high < _SPREAD * low:
        return None
    pace = cpu[on] / work[on]
    pace = np.clip(pace, *np.quantile(pace, [_CUT, 1 - _CUT]))
    memory = slower[on] - 1
    columns = np.column_stack([np.ones(len(memory)), memory])
    (undisturbed, slope), *_ = np.linalg.lstsq(columns, pace, rcond=None)
    if undisturbed <= 0:
        return None
    rest = pace - columns @ np.array([undisturbed, slope])
    free = max(_INDEPENDENT * len(memory) - 2, 1.0)
    spread = float(((memory - memory.mean()) ** 2).sum()) * _INDEPENDENT
    error = float(np.sqrt((rest**2).sum() * _INDEPENDENT / free / spread) / undisturbed)
    if error > _VAGUE:
        return None
    value, low, high = np.clip(slope / undisturbed + error * np.array([0, -2, 2]), 0.0, MOST)
    return Interval(float(value), float(low), float(high))
