"""Tests by e-values whether a component differs from its peers persistently, day after day.

A component is healthy if its persistent difference from its peers is within a tolerance m: a few
robust standard deviations of the peers' own persistent differences, plus a negligible amount. On a
day on which the component differs by x, p is the share of the peers' changes from day to day that
are at least x - m. For a healthy component, 0.3 / p^0.7 has a mean of at most 1 (Vovk and Wang,
2021), and so have products of these over several days. Quantities with this property are e-values;
they are valid for any number of days. It is not known on which day a fault began, so the evidence
is the mean of the products from each possible first day, which is an e-value as well. The false
discovery rate over all comparisons is controlled by the e-BH procedure (Wang and Ramdas, 2022),
which permits dependence between components.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
#: Fewest peers for a test: the spread of fewer is not known.
LEAST_PEERS = 5
LEAST_DAYS = 3
#: Upper bound of the expected share of healthy components among the reported ones.
FDR = 0.05
_KAPPA = 0.3
_Q_N = 2.2219
_MANY = 50
_MOST_PAIRED = 2000
#: Number of peers -> robust standard deviations that one healthy component in 2000 is beyond, where
#: the differences are normal (from 100 000 draws or more each; smooth in between).
_BEYOND = (
    (5, 27.7),
    (7, 10.3),
    (9, 6.7),
    (11, 5.5),
    (13, 4.8),
    (17, 4.2),
    (21, 4.1),
    (31, 3.7),
    (61, 3.5),
    (120, 3.3),
)
#: Residuals that are kept for the share p; a share below 1 in 20 000 needs no more.
_MOST_RESIDUALS = 20_000


@dataclass(frozen=True)
class Evidence:
    """The evidence that one component is persistently worse than its peers.

    Attributes:
        value: The e-value.
        since: Index of the day on which the fault most likely began.
        tolerance: Largest difference that counts as healthy.
        worse: Whether the component was significantly worse on each day (p < 0.05), (days,).
        peers: Number of peers.
    """

    value: float
    since: int
    tolerance: float
    worse: Flags
    peers: int


def evidence(differences: Floats, least: float) -> list[Evidence | None]:
    """Return the evidence on each component of a group of peers.

    Args:
        differences: Difference of each component from its peers on each day, (components, days);
            NaN: not compared.
        least: Persistent difference that is negligible, in addition to the spread of healthy peers.

    Returns:
        The evidence on each component. None if it has too few days, or too few peers with enough
        days.
    """
    known = ~np.isnan(differences)
    days = known.sum(axis=1)
    assessed = np.flatnonzero(days >= LEAST_DAYS)
    answer: list[Evidence | None] = [None] * len(differences)
    if len(assessed) - 1 < LEAST_PEERS:
        return answer
    levels = np.array([np.median(differences[row, known[row]]) for row in assessed])
    residuals = [
        _residuals(differences[row, known[row]], level)
        for row, level in zip(assessed, levels, strict=True)
    ]
    shared = np.sort(_thinned(np.concatenate(residuals)))
    spread = 0.0
    for place, row in enumerate(assessed):
        others = np.delete(levels, place)
        centre = np.median(others)
        if len(assessed) <= _MANY or not place:  # one of many components hardly changes the spread
            spread = _spread(others)
        tolerance = float(centre) + _beyond(len(others)) * spread + least
        pool = shared
        if len(assessed) <= _MANY:
            rest = [part for at, part in enumerate(residuals) if at != place]
            pool = np.sort(_thinned(np.concatenate(rest)))
        answer[row] = _of_one(differences[row], pool, tolerance, len(others))
    return answer


def significant(values: Floats, comparisons: int) -> Flags:
    """Return which e-values are significant, by the e-BH procedure.

    Args:
        values: The e-values.
        comparisons: Number of comparisons that were made in total.
    """
    order = np.argsort(-values)
    rank = np.arange(1, len(values) + 1)
    enough = np.flatnonzero(values[order] >= comparisons / (FDR * rank))
    chosen = np.zeros(len(values), dtype=bool)
    if len(enough):
        chosen[order[: enough[-1] + 1]] = True
    return chosen


def _beyond(peers: int) -> float:
    numbers, factors = np.array(_BEYOND).T
    return float(np.exp(np.interp(np.log(peers), np.log(numbers), np.log(factors))))


def _spread(values: Floats) -> float:
    """Return the robust standard deviation Q_n (Rousseeuw and Croux, 1993).

    It tolerates as many outliers as the median absolute deviation, and is more precise for few
    values.
    """
    values = values[:: max(1, len(values) // _MOST_PAIRED)]
    first, second = np.triu_indices(len(values), 1)
    distances = np.abs(values[first] - values[second])
    half = len(values) // 2 + 1
    place = half * (half - 1) // 2 - 1
    return float(_Q_N * np.partition(distances, place)[place])


def _residuals(values: Floats, level: float) -> Floats:
    """Return by how much a component differs from its own usual level on each day."""
    # With few values their level follows them: the factor corrects for it.
    changes: Floats = (values - level) * np.sqrt(len(values) / (len(values) - 1))
    return changes


def _thinned(values: Floats) -> Floats:
    return values[:: max(1, len(values) // _MOST_RESIDUALS)]


def _of_one(values: Floats, pool: Floats, tolerance: float, peers: int) -> Evidence:
    known = np.flatnonzero(~np.isnan(values))
    beyond = values[known] - tolerance
    larger = len(pool) - np.searchsorted(pool, beyond, side="left")
    p = (1 + larger) / (1 + len(pool))
    log_e = np.log(_KAPPA) + (_KAPPA - 1) * np.log(p)
    from_day = np.cumsum(log_e[::-1])[::-1]
    start = int(np.argmax(from_day))
    top = from_day[start]
    # Products up to any day would be valid; those up to the last day show the present state.
    value = float(np.exp(min(top, 700.0)) * np.exp(from_day - top).sum() / len(known))
    worse = np.zeros(len(values), dtype=bool)
    worse[known] = p < 0.05
    return Evidence(value, int(known[start]), tolerance, worse, peers)
