"""Fits for which part of its CPU time a job waits for memory, from its own pace.

A job that waits for memory all the time takes twice as long for its work where memory answers half
as fast; one that computes in its caches takes no longer. Its work is what is counted of it and does
not depend on memory: instructions, else its calls.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.interval import Interval

Floats = NDArray[np.float64]

#: Of a job without a pace: between nothing and all of its time.
UNKNOWN = Interval(0.5, 0.0, 1.0)
_FEWEST = 16  # slices
#: Factor between the quickest and the slowest tenth of memory: with less, no pace shows anything.
_SPREAD = 1.05
#: Quantile beyond which paces are cut: a slice with other work is no effect of memory.
_CUT = 0.05
#: Neighbouring slices are alike: as if there were this part of them.
_INDEPENDENT = 0.25
#: Standard error of the part from which on it is not known.
_VAGUE = 0.35


def memory_bound(slower: Floats, work: Floats, cpu: Floats) -> Interval | None:
    """Return the part of undisturbed CPU time that is waiting for memory, 0 to 1.

    The time that a unit of work takes is fitted as (1 - part) + part * how slow memory was.

    Args:
        slower: How long memory took, any unit, shape (slices,); 0: not known.
        work: Units of work.
        cpu: CPU time that they took, any unit.

    Returns:
        The part, with two standard errors either way; None where the pace does not show it.
    """
    on = (slower > 0) & (work > 0) & (cpu > 0)
    if int(on.sum()) < _FEWEST:
        return None
    low, high = np.quantile(slower[on], [0.1, 0.9])
    if high < _SPREAD * low:
        return None
    pace = cpu[on] / work[on]
    pace = np.clip(pace, *np.quantile(pace, [_CUT, 1 - _CUT]))
    memory = slower[on] / float(np.quantile(slower[on], 0.25))
    columns = np.column_stack([np.ones(len(memory)), memory])
    (fixed, slope), *_ = np.linalg.lstsq(columns, pace, rcond=None)
    undisturbed = float(fixed + slope)
    if undisturbed <= 0:
        return None
    rest = pace - columns @ np.array([fixed, slope])
    free = max(_INDEPENDENT * len(memory) - 2, 1.0)
    spread = float(((memory - memory.mean()) ** 2).sum()) * _INDEPENDENT
    error = float(np.sqrt((rest**2).sum() * _INDEPENDENT / free / spread)) / undisturbed
    if error > _VAGUE:
        return None
    part = float(np.clip(slope / undisturbed, 0.0, 1.0))
    return Interval(part, max(part - 2 * error, 0.0), min(part + 2 * error, 1.0))
