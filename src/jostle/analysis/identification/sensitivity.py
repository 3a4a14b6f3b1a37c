"""Fits how much longer a job's work takes where memory is slower, from the job's own pace.

A job that waits for memory all the time takes twice as long for its work where memory answers half
as fast; one that computes in its caches takes no longer. Its work is what is counted of it and does
not depend on memory: instructions, else its calls.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.interval import Interval

Floats = NDArray[np.float64]

#: The most: a job may need more of memory than the probe, which reads for a moment only.
MOST = 3.0
#: Of a job without a pace: that it waits for memory all the time is taken, and nothing is certain.
UNKNOWN = Interval(1.0, 0.0, 2.0)
_FEWEST = 16  # slices
#: Factor between the quickest and the slowest tenth of memory: with less, no pace shows anything.
_SPREAD = 1.05
#: Quantile beyond which paces are cut: a slice with other work is no effect of memory.
_CUT = 0.05
#: Neighbouring slices are alike: as if there were this part of them.
_INDEPENDENT = 0.25
#: Standard error from which on it is not known.
_VAGUE = 0.35


def sensitivity(slower: Floats, work: Floats, cpu: Floats) -> Interval | None:
    """Return how much longer a job's work takes, as a part of how much slower memory is.

    1 is a job that waits for memory all the time, 0 one that never does. The time that a unit of
    work takes is fitted as 1 + sensitivity * (how slow memory was - 1), quiet memory being 1.

    Args:
        slower: How long memory took, relative to quiet memory, shape (slices,); 0: not known.
        work: Units of work.
        cpu: CPU time that they took, any unit.

    Returns:
        It, with two standard errors either way, from 0 to MOST; None where the pace does not show
        it.
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
