"""Computes the confidence interval of the ratio of two means, each of a few measurements."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

CONFIDENCE = 0.95
LEAST_RUNS = 3  # with fewer no interval is given


def number(value: float) -> float | None:
    """Return a value, or None if it is NaN."""
    return value if math.isfinite(value) else None


def mean_ratio(base: Sequence[float], data: Sequence[float]) -> tuple[float | None, float | None]:
    """Return the 95 % interval of mean(data) / mean(base) (Welch's, by the delta method).

    Args:
        base: Values of the baseline, above 0.
        data: Values that are compared with the baseline.

    Returns:
        Lower and upper end. Both are None if `base` or `data` has fewer than three values, since
        two values do not show how much they scatter.
    """
    if min(len(base), len(data)) < LEAST_RUNS or float(np.mean(base)) <= 0:
        return None, None
    ratio = float(np.mean(data) / np.mean(base))
    half = half_width(list(base), list(data))
    return number(ratio - half), number(ratio + half)


def half_width(base: list[float], data: list[float]) -> float:
    """Return half the width of the 95 % interval of mean(data) / mean(base).

    It is nan if `base` or `data` has fewer than two values.
    """
    error, freedom = ratio_error(base, data)
    return t_quantile(freedom) * error if error else error


def t_quantile(freedom: float) -> float:
    """Return the quantile of Student's t for a two-sided interval with confidence `CONFIDENCE`.

    Args:
        freedom: Degrees of freedom.
    """
    from scipy import stats

    return float(stats.t.ppf((1 + CONFIDENCE) / 2, freedom))


def ratio_error(base: list[float], data: list[float]) -> tuple[float, float]:
    """Return standard error and degrees of freedom of mean(data) / mean(base).

    Both are nan if `base` or `data` has fewer than two values.
    """
    if min(len(base), len(data)) < 2:
        return math.nan, math.nan
    ratio = float(np.mean(data) / np.mean(base))
    parts = [
        float(np.var(data, ddof=1)) / len(data),
        ratio**2 * float(np.var(base, ddof=1)) / len(base),
    ]
    total = sum(parts)
    if total <= 0:
        return 0.0, math.inf
    freedom = total**2 / (parts[0] ** 2 / (len(data) - 1) + parts[1] ** 2 / (len(base) - 1))
    return math.sqrt(total) / float(np.mean(base)), freedom
