"""Computes medians, spreads and confidence intervals of a few repetitions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from jostle.analysis import (
    CONFIDENCE,
    LEAST_RUNS,
    half_width,
    interval,
    number,
    ratio_error,
    t_quantile,
)
from jostle_lab.analysis.study.setting import Summary

_SEED = 1  # equal values give equal intervals
NOTHING = Summary(0, None, None, None, None, None, None)


def known(values: Sequence[float | None]) -> list[float]:
    """Return the values that are neither None nor NaN."""
    return [float(value) for value in values if value is not None and math.isfinite(value)]


def median(values: Sequence[float | None]) -> float | None:
    """Return the median of the known values; None if there are none."""
    data = known(values)
    return float(np.median(data)) if data else None


def summary(values: Sequence[float | None]) -> Summary:
    """Summarise repetitions of one quantity, with Student's interval of the mean.

    Student's quantile for two values is 12.7: their interval would cover impossible values, so it
    is None.
    """
    data = known(values)
    if not data:
        return NOTHING
    mean, low, high = interval(data, CONFIDENCE)
    if len(data) < LEAST_RUNS:
        low = high = math.nan
    return Summary(
        len(data), float(np.median(data)), min(data), max(data), mean, number(low), number(high)
    )


def loss(isolated: Sequence[float], interfered: Sequence[float]) -> Summary:
    """Summarise the degradation over repetitions, whose standalone rates also vary.

    Args:
        isolated: Standalone rates.
        interfered: Rates alongside the other program.

    Returns:
        Median, least and greatest loss are relative to the median standalone rate. The mean loss is
        1 - (mean of `interfered`) / (mean of `isolated`); its interval is Welch's, by the delta
        method, or None where `isolated` or `interfered` has fewer than three runs. Runs of the same
        round are not paired, since the machine's noise is not the same in them.
    """
    base, data = known(isolated), known(interfered)
    middle = median(base)
    if not data or not middle:
        return NOTHING
    losses = [1 - value / middle for value in data]
    mean = 1 - float(np.mean(data)) / float(np.mean(base))
    half = half_width(base, data) if min(len(base), len(data)) >= LEAST_RUNS else math.nan
    return Summary(
        len(data),
        float(np.median(losses)),
        min(losses),
        max(losses),
        mean,
        number(mean - half),
        number(mean + half),
    )


def pooled_loss(parts: Sequence[tuple[Sequence[float], Sequence[float]]]) -> Summary:
    """Summarise a loss that was measured in several cells, each with its own standalone runs.

    All runs of a cell are compared with the same standalone runs, so their errors are not
    independent. Therefore each cell is one observation, not each run.

    Args:
        parts: For each cell, standalone rates and rates alongside the other program.

    Returns:
        Mean over the cells. If all cells have repetitions, the interval of this mean comes from the
        spread within the cells, else from the spread between them; None where neither is known.
    """
    cells = [(known(base), known(data)) for base, data in parts]
    cells = [(base, data) for base, data in cells if base and data]
    losses = summary([1 - float(np.mean(data)) / float(np.mean(base)) for base, data in cells])
    errors = [ratio_error(base, data) for base, data in cells]
    if losses.mean is None or any(math.isnan(error) for error, _ in errors):
        return losses
    squares = [error**2 for error, _ in errors]
    total = sum(squares)
    freedom = (
        total**2
        / sum(square**2 / freedom for square, (_, freedom) in zip(squares, errors, strict=True))
        if total
        else math.inf
    )
    half = t_quantile(freedom) * math.sqrt(total) / len(cells)
    return replace(losses, low=losses.mean - half, high=losses.mean + half)


def median_interval(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Return the 95 % interval of a median by bootstrap (percentiles of 4000 resamples).

    Args:
        values: The values; fewer than three give no interval.
    """
    data = np.asarray(known(values))
    if len(data) < 3:
        return None, None
    generator = np.random.default_rng(_SEED)
    medians = np.median(generator.choice(data, (4000, len(data))), axis=1)
    low, high = np.quantile(medians, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)
