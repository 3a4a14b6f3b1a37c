"""Tests whether runs with a neighbour are slower than runs without it.

The tests are those of Bhatele et al. (2013, section 5.3).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.interval import Slowdown

Floats = NDArray[np.float64]

#: Fewest runs of each group for a test.
FEWEST = 3
_LEVEL = 0.05
_DIGITS = 9  # significant digits: values that differ by rounding only are ties
_MOST_NORMAL = 5000  # values up to which Shapiro-Wilk's p is accurate


@dataclass(frozen=True)
class Difference:
    """Comparison of runs with a neighbour and runs without it.

    Attributes:
        slowdown: Mean of the runs with the neighbour, divided by the mean of the runs without it,
            less 1. None: too few runs, since the ratio of a single run can have any value.
        normal: p values of the Shapiro-Wilk test, first of the runs with the neighbour, then of the
            runs without it; None: not tested, such as where the group has too few runs.
        equal_variance: p value of the Bartlett test of both groups; None: not tested.
        test: The test that compares the groups: "ANOVA"; "Kruskal-Wallis" where the assumptions of
            ANOVA fail; "": too few runs.
        p: p value of that test; None: too few runs.
    """

    slowdown: Slowdown | None
    normal: tuple[float | None, float | None]
    equal_variance: float | None
    test: str
    p: float | None


def difference(alongside: Floats, without: Floats) -> Difference:
    """Compare the runs with a neighbour with the runs without it.

    Args:
        alongside: A value for each run with the neighbour, shape (runs,).
        without: A value for each run without it.

    Returns:
        The result of ANOVA, if both groups appear normal (Shapiro-Wilk) and their variances equal
        (Bartlett); else that of the rank test of Kruskal and Wallis.
    """
    if len(alongside) < FEWEST or len(without) < FEWEST:
        return Difference(None, (None, None), None, "", None)
    from scipy import stats

    slowdown = _slowdown(alongside, without)
    alongside, without = _rounded(alongside), _rounded(without)
    normal = (_normal(alongside), _normal(without))
    equal = None
    if np.ptp(alongside) > 0 and np.ptp(without) > 0:
        equal = _finite(stats.bartlett(alongside, without).pvalue)
    sound = all(p is not None and p > _LEVEL for p in (*normal, equal))
    if sound:
        return Difference(
            slowdown, normal, equal, "ANOVA", _finite(stats.f_oneway(alongside, without).pvalue)
        )
    if np.ptp(np.concatenate([alongside, without])) == 0:
        return Difference(slowdown, normal, equal, "Kruskal-Wallis", 1.0)
    p = _finite(stats.kruskal(alongside, without).pvalue)
    return Difference(slowdown, normal, equal, "Kruskal-Wallis", p)


def _rounded(values: Floats) -> Floats:
    """Round values to _DIGITS significant digits, so that errors of rounding make no difference."""
    scale = 10.0 ** (_DIGITS - 1 - np.floor(np.log10(np.where(values > 0, values, 1.0))))
    rounded: Floats = np.rint(values * scale) / scale
    return rounded


def _normal(values: Floats) -> float | None:
    from scipy import stats

    if np.ptp(values) <= 0:
        return None
    found: Any = stats.shapiro(values[:_MOST_NORMAL])
    return _finite(found.pvalue)


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _slowdown(alongside: Floats, without: Floats) -> Slowdown:
    """Return the ratio of the two means, less 1, with its interval.

    The interval is computed by Welch's t for the logarithm of the ratio. A ratio of times is never
    negative, but an interval of the ratio itself may reach below a slowdown of -100 %.
    """
    above, below = float(alongside.mean()), float(without.mean())
    ratio = above / below
    parts = [
        values.var(ddof=1) / len(values) / mean**2 if len(values) > 1 else np.inf
        for values, mean in ((alongside, above), (without, below))
    ]
    spread = float(sum(parts))
    if not math.isfinite(spread):
        return Slowdown(ratio - 1, -1.0, math.inf)
    below_it = sum(
        part**2 / (len(values) - 1)
        for part, values in zip(parts, (alongside, without), strict=True)
    )
    degrees = max(spread**2 / max(below_it, 1e-300), 1.0)
    from scipy.special import stdtrit

    factor = float(np.exp(stdtrit(degrees, 0.975) * math.sqrt(spread)))
    return Slowdown(ratio - 1, ratio / factor - 1, ratio * factor - 1)
