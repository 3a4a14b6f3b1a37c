"""Medians, spreads and intervals of a few repetitions."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from jostle.analysis.overhead import interval
from jostle.analysis.study_setting import Summary

CONFIDENCE = 0.95
NOTHING = Summary(0, None, None, None, None, None, None)


def known(values: Sequence[float | None]) -> list[float]:
    """Leaves out what is None or no number."""
    return [float(value) for value in values if value is not None and math.isfinite(value)]


def median(values: Sequence[float | None]) -> float | None:
    """Gives the median of the values that exist; None without any."""
    data = known(values)
    return float(np.median(data)) if data else None


def number(value: float) -> float | None:
    """Gives None for what is no number."""
    return value if math.isfinite(value) else None


def summary(values: Sequence[float | None]) -> Summary:
    """Describes repetitions of one quantity; the interval of the mean is Student's."""
    data = known(values)
    if not data:
        return NOTHING
    mean, low, high = interval(data, CONFIDENCE)
    return Summary(
        len(data), float(np.median(data)), min(data), max(data), mean, number(low), number(high)
    )


def loss(isolated: Sequence[float], interfered: Sequence[float]) -> Summary:
    """Describes the degradation over repetitions, whose standalone rates vary too.

    Args:
        isolated: Standalone rates.
        interfered: Rates beside the other program.

    Returns:
        Median, least and greatest against the median standalone rate; the mean is 1 - the ratio of
        the means, its interval Welch's by the delta method. Round-robin runs are not paired, as a
        program is not disturbed in the same way in equal rounds.
    """
    base, data = known(isolated), known(interfered)
    middle = median(base)
    if not data or not middle:
        return NOTHING
    losses = [1 - value / middle for value in data]
    mean = 1 - float(np.mean(data)) / float(np.mean(base))
    half = _half_width(base, data)
    return Summary(
        len(data),
        float(np.median(losses)),
        min(losses),
        max(losses),
        mean,
        number(mean - half),
        number(mean + half),
    )


def _half_width(base: list[float], data: list[float]) -> float:
    """Gives half the interval of mean(data) / mean(base); nan for fewer than two of either."""
    from scipy import stats

    if min(len(base), len(data)) < 2:
        return math.nan
    ratio = float(np.mean(data) / np.mean(base))
    parts = [
        float(np.var(data, ddof=1)) / len(data),
        ratio**2 * float(np.var(base, ddof=1)) / len(base),
    ]
    total = sum(parts)
    if total <= 0:
        return 0.0
    freedom = total**2 / (parts[0] ** 2 / (len(data) - 1) + parts[1] ** 2 / (len(base) - 1))
    quantile = float(stats.t.ppf((1 + CONFIDENCE) / 2, freedom))
    return quantile * math.sqrt(total) / float(np.mean(base))


def median_interval(values: Sequence[float], seed: int = 1) -> tuple[float | None, float | None]:
    """Gives the 95 % interval of a median by bootstrap (percentiles of 4000 resamples).

    Args:
        values: Fewer than three give no interval.
        seed: Of the generator: equal values give equal intervals.
    """
    data = np.asarray(known(values))
    if len(data) < 3:
        return None, None
    generator = np.random.default_rng(seed)
    medians = np.median(generator.choice(data, (4000, len(data))), axis=1)
    low, high = np.quantile(medians, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)
