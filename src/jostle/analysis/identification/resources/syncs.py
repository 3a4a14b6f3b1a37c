"""Decides whether a job's syncs wait for the object servers or for the metadata server.

A sync of a file that was written goes to the object servers. A sync of a file that was just created
also waits until the metadata server has recorded that the file exists. Which of the two takes more
time is decided by correlation: of the time of syncs with the load of other jobs on each of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Files opened per sync: with fewer, most syncs are of files that existed before.
_OPENED = 0.5
#: Fewest slices with syncs for a correlation.
_FEWEST = 16
#: Least rank correlation with the metadata load, and its least excess over that with data.
_LEAST, _MORE = 0.2, 0.1


def ranks(values: Floats) -> Floats:
    """Return ranks from 0 to 1; equal values get their mean rank."""
    _, where, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    middle = last - (counts + 1) / 2
    return np.asarray(middle[where.reshape(-1)] / max(len(values) - 1, 1))


def wait_for_metadata(
    syncs: Floats, seconds: Floats, opened: Floats, asked: Floats, moved: Floats
) -> bool:
    """Return whether a job's syncs wait for the metadata server rather than for the object servers.

    Args:
        syncs: Number of the job's syncs per slice; all arrays have shape (slices,).
        seconds: Time of these syncs, in seconds.
        opened: Number of files that the job opened per slice.
        asked: Metadata operations of all other jobs per slice.
        moved: Bytes that all other jobs moved per slice.
    """
    on = (syncs > 0) & (seconds > 0)
    if int(on.sum()) < _FEWEST or opened.sum() < _OPENED * syncs.sum():
        return False
    each = seconds[on] / syncs[on]
    with_metadata = _correlation(each, asked[on])
    return with_metadata >= _LEAST and with_metadata > _correlation(each, moved[on]) + _MORE


def _correlation(one: Floats, other: Floats) -> float:
    """Return Spearman's rank correlation of two series; 0 if one of them never changes."""
    a, b = ranks(one), ranks(other)
    if not np.ptp(a) or not np.ptp(b):
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])
