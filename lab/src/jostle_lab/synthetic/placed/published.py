"""Draws messaging rates and times that have the statistics published by Bhatele et al., 2013."""

from __future__ import annotations

import numpy as np

from jostle_lab.synthetic.placed.model import Floats

#: Mean and standard deviation of the rates, bytes/s, of runs with MILC among the conflicting jobs
#: and without it, and how many runs: with these numbers the analysis of variance gives p = 1.75e-7.
WITH, WITHOUT = (58.0e6, 9.12e6, 62), (66.0e6, 8.69e6, 91)
BEST_TO_WORST = 2.29
#: Pearson's r of hops and time, over communicators.
HOPS_R = 0.23
_NORMAL = ((0.145, 0.536), 0.06)  # Shapiro-Wilk p of the groups, and the tolerance
_AT_ONCE = 2000
_WITHIN = 0.07  # spread of the times of a run's communicators


def rates(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw the messaging rates (bytes/s) of runs with the program MILC as neighbour, and without.

    Both groups have the published means, standard deviations and results of a test for normality.
    The ratio of the best rate to the worst is the published one.
    """
    from scipy import stats

    while True:
        groups = [
            _scaled(rng.standard_normal((_AT_ONCE, count)), mean, spread)
            for mean, spread, count in (WITH, WITHOUT)
        ]
        both = np.concatenate(groups, axis=1)
        ratio = both.max(axis=1) / both.min(axis=1)
        for row in np.flatnonzero(abs(ratio - BEST_TO_WORST) < 0.004).tolist():
            normal = [float(stats.shapiro(group[row]).pvalue) for group in groups]
            if np.all(np.abs(np.array(normal) - _NORMAL[0]) < _NORMAL[1]):
                return groups[0][row], groups[1][row]


def _scaled(values: Floats, mean: float, spread: float) -> Floats:
    """Shift and scale each row to a given mean and standard deviation."""
    centred = values - values.mean(axis=1, keepdims=True)
    scaled: Floats = mean + spread * centred / values.std(axis=1, ddof=1, keepdims=True)
    return scaled


def communicator_times(hops: Floats, means: Floats, rng: np.random.Generator) -> Floats:
    """Draw the times in communicators, which correlate with hops as weakly as published.

    Args:
        hops: Mean hops of each communicator of each run, shape (runs, communicators).
        means: Mean time of each run's communicators.
        rng: Source of the random part that is independent of hops.

    Returns:
        Times, shape (runs, communicators), with the given means. Over all runs, their correlation
        with hops is HOPS_R.
    """
    own = hops - hops.mean(axis=1, keepdims=True)
    own = own / own.std()
    free = rng.standard_normal(hops.shape)
    free -= free.mean(axis=1, keepdims=True)

    def times(slope: float) -> Floats:
        inner: Floats = means[:, None] * (1 + _WITHIN * (slope * own + free) / np.hypot(slope, 1.0))
        return inner

    low, high = -20.0, 20.0
    for _ in range(80):
        middle = (low + high) / 2
        if np.corrcoef(times(middle).ravel(), hops.ravel())[0, 1] < HOPS_R:
            low = middle
        else:
            high = middle
    return times(low)
