"""Compares runs with and without a neighbour by tests (Bhatele et al., 2013, section 5.3)."""

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
        slowdown: Mean with / mean without - 1, with its 95 % interval; None: too few runs, since
            the ratio of a single run can have any value.
        normal: Shapiro-Wilk p of each group; None: too few.
        equal_variance: Bartlett p; None: too few.
        test: "ANOVA", or "Kruskal-Wallis" where its assumptions fail; "" too few runs.
        p: p value of that test.
    """

    slowdown: Slowdown | None
    normal: tuple[float | None, float | None]
    equal_variance: float | None
    test: str
    p: float | None


def difference(alongside: Floats, without: Floats) -> Difference:
    """Compare two groups of runs.

    Args:
        alongside: A value per run with the neighbour, shape (runs,).
        without: The same for runs without it.

    Returns:
        The result of ANOVA where both groups appear normal (Shapiro-Wilk) and equal in variance
        (Bartlett), else of the rank test of Kruskal and Wallis.
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
    """Round to the significant digits."""
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
    """Return the ratio of the means less one; its interval by Welch's t on the ratio's logarithm.

    A ratio of times is never negative: an interval of the ratio itself reaches below -100 % where
    the mean without is small.
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
