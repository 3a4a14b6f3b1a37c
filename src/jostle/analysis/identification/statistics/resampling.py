"""Computes intervals of a loss by a block bootstrap over slices.

The loss is that of the slices which occurred, so disturbed slices are not resampled. What is not
known is how long these slices would have taken undisturbed. This uncertainty has two parts, both
resampled from calm slices: that of the mean, and the scatter of single slices about the mean.
"""

from __future__ import annotations

import math

import numpy as np

from jostle.analysis.identification.resources.shared import Floats
from jostle.analysis.identification.statistics.case import Case, Rows
from jostle.analysis.interval import Interval

Rng = np.random.Generator

_DRAWS = 200
_LEAST_DOUBT = 0.06  # of a loss: calls are counted in one slice, but may span several
_FEWEST = 3  # blocks: with fewer nothing can be said of their spread
_TAIL = 0.025


def drawn(
    case: Case, lost: Floats, strengths: Floats, names: list[str], rng: Rng
) -> tuple[Interval, Interval, dict[str, Interval]]:
    """Compute the loss on a resource and the share of each suspect, with 95 % intervals.

    Args:
        case: The slices of the resource.
        lost: Seconds lost in each slice, [slices].
        strengths: Strength of each suspect from the regression, [suspects].
        names: Names of the suspects.
        rng: Random generator of the draws.

    Returns:
        Three results. First the seconds lost, with an interval that includes all errors. Then the
        seconds lost, with an interval from the sampling error only, which shows whether any time
        was lost. Last, for each suspect, its share of the loss, 0 to 1.
    """
    value = float(lost.sum())
    rows, still = np.flatnonzero(case.served.scored), np.flatnonzero(case.calm)
    where = np.flatnonzero(case.hit)
    if not len(where):
        none = Interval(0.0, 0.0, 0.0)
        return none, none, dict.fromkeys(names, none)
    several = case.heights.shape[1] > 1 or not case.calm_known
    fitted, _ = case.fit(rows)
    seconds, parts = np.empty(_DRAWS), np.empty((_DRAWS, case.heights.shape[1]))
    for k in range(_DRAWS):
        level, strong = case.fit(rows[_blocks(len(rows), rng)]) if several else (fitted, strengths)
        seconds[k] = _once(case, where, still, level, rng)
        parts[k] = _parts(case, strong)
    seconds = value + _wider(len(still if case.calm_known else where)) * (seconds - value)
    unsure = seconds + _unsure(case, where, still, case.level(still, fitted), rng)
    low, high = np.quantile(parts, (_TAIL, 1 - _TAIL), axis=0)
    share = _parts(case, strengths)
    shares = {
        name: Interval(float(share[k]), float(min(low[k], share[k])), float(max(high[k], share[k])))
        for k, name in enumerate(names)
    }
    return _interval(unsure, value), _interval(seconds, value), shares


def _once(case: Case, where: Rows, still: Rows, fitted: float, rng: Rng) -> float:
    """Draw the loss once, from resampled calm slices.

    If there are too few calm slices, the disturbed slices are resampled, and the undisturbed ratio
    is the fitted one.
    """
    if not case.calm_known:
        return float(case.lost(where[_blocks(len(where), rng)], fitted).sum())
    level = case.level(still[_blocks(len(still), rng)], fitted)
    calm = case.ratio[still]
    scatter = calm[_blocks(len(still), rng, len(where))] / float(calm.mean())
    return float(case.lost(where, level * scatter).sum())


def _unsure(case: Case, where: Rows, still: Rows, level: float, rng: Rng) -> Floats:
    """Draw the error of the loss that does not shrink with the number of slices.

    This error has two causes. If the job itself causes the stalls in calm slices, such stalls also
    occur in the disturbed slices and are no loss there. And the slices just before a load may
    already be disturbed. To which part each of the two is true is not known, so this part is drawn
    uniformly from 0 to 1.
    """
    if not case.calm_known:
        return np.zeros(_DRAWS)
    found = case.early(level) * rng.random(_DRAWS)
    usual = float(case.lost(where, level).sum())
    for k in range(_DRAWS):
        stalls = case.stalled(still[_blocks(len(still), rng, len(where))])
        theirs = float(rng.random())
        own = level + stalls * (1 - theirs)
        found[k] += float(case.lost(where, own, theirs).sum()) - usual
    return found


def _parts(case: Case, strengths: Floats) -> Floats:
    """Return the part of the fitted loss that each column of `case.heights` explains, 0 to 1."""
    parts = strengths * (case.heights * case.busy[:, None])[case.served.scored].sum(axis=0)
    total = float(parts.sum())
    return np.asarray(parts / total) if total > 0 else np.zeros(len(strengths))


def _blocks(size: int, rng: Rng, many: int = 0) -> Rows:
    """Draw blocks of consecutive positions, as a moving-block bootstrap does (Künsch, 1989).

    Args:
        size: Number of positions.
        rng: Random generator of the draw.
        many: Number of positions to draw; 0: `size`.
    """
    length, many = _length(size), many or size
    starts = rng.integers(0, size, -(-many // length))
    return np.asarray((starts[:, None] + np.arange(length)[None, :]).reshape(-1)[:many] % size)


def _length(size: int) -> int:
    """Return how many consecutive slices make a block."""
    return max(round(1.5 * math.cbrt(size)), 1)


def _wider(size: int) -> float:
    """Return the factor by which draws of few blocks spread too little.

    The factor corrects two errors. The variance of n blocks is too small by the factor (n - 1) / n.
    And it is only an estimate, so Student's t quantile replaces the normal one; their ratio is
    computed by an expansion in 1 / (n - 1).
    """
    many = max(size / _length(size), _FEWEST)
    free = many - 1
    return float(np.sqrt(many / free) * (1 + 1.21 / free + 1.44 / free**2 + 1.3 / free**3))


def _interval(draws: Floats, value: float) -> Interval:
    low, high = np.quantile(draws, (_TAIL, 1 - _TAIL))
    least = _LEAST_DOUBT * abs(value)
    return Interval(value, float(min(low, value - least)), float(max(high, value + least)))
