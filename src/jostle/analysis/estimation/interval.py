"""Computes the interval of an estimate.

A resampling of segments tells how the result depends on which of them came, and on how well
references are known; it does not tell what no segment shows. So the interval is widened by what
could not be judged, and by the errors that estimates of known truth had (docs/adr/0015).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jostle.analysis.estimation.columns import Floats
from jostle.analysis.estimation.light import DoubtName
from jostle.analysis.interval import Interval

_DRAWS = 400
_LEVEL = (0.025, 0.975)
# Shares of run time and of loss, calibrated on traces of known truth (seeds below 100), and on real
# runs, where the truth itself is known to some 2 points.
_FLOOR = 0.03
_OF_LOSS = 0.08
_CROWDED = 0.065  # of the run instead, where ranks have no core of their own
_UNSEEN = 0.5  # of the loss rate that is seen, in time that is not


@dataclass(frozen=True)
class Doubt:
    """Seconds by which the loss may be smaller and larger than it was told.

    Attributes:
        below, above: Seconds.
        most: What makes up most of each.
    """

    below: float
    above: float
    most: tuple[DoubtName, DoubtName] = ("method", "method")

    def around(self, lost: float, run: float) -> Interval:
        """Return the interval, within what is possible."""
        return Interval(lost, max(lost - self.below, 0.0), min(lost + self.above, max(run, lost)))


def doubt(
    lost: float,
    run: float,
    *,
    unsure: Floats,
    hidden: Floats,
    coverage: float,
    seed: int,
    crowded: bool = False,
    speed: Doubt | None = None,
) -> Doubt:
    """Return the doubt of a loss.

    Args:
        lost: Seconds.
        run: Seconds that were judged.
        unsure: Standard errors of its independent parts, seconds: of each reference times how much
            time was priced by it.
        hidden: What scatter may hide: losses below their thresholds, seconds.
        coverage: Share of the run that was judged.
        seed: Of the draws.
        crowded: Ranks have no core of their own (crowded.py).
        speed: Doubt of what slow cores cost (speed.py); part of `lost`.
    """
    drawn = np.zeros(_DRAWS)
    if len(unsure):
        random = np.random.default_rng(seed)
        for error in unsure[np.argsort(-unsure, kind="stable")[:200]]:
            drawn += random.standard_normal(_DRAWS) * error
        rest = np.sort(unsure)[: max(len(unsure) - 200, 0)]
        drawn += random.standard_normal(_DRAWS) * float(np.sqrt((rest**2).sum()))
    low, high = np.quantile(drawn, _LEVEL)
    known = (_CROWDED if crowded else _FLOOR) * run + _OF_LOSS * lost
    unseen = max(1 - coverage, 0.0) * run
    missed = (_UNSEEN * unseen * lost / max(run, 1e-9),
              unseen * (lost / max(run, 1e-9) + _FLOOR))  # fmt: skip
    below = float(np.hypot(low, known)) + missed[0]
    above = float(np.hypot(high, known)) + float(hidden.sum())
    above += missed[1]
    if speed is not None:
        below, above = float(np.hypot(below, speed.below)), float(np.hypot(above, speed.above))
    method: DoubtName = "shared cores" if crowded else "method"
    down: dict[DoubtName, float] = {
        method: known, "few alike": -float(low), "unseen": missed[0],
        "core speed": speed.below if speed else 0.0,
    }  # fmt: skip
    up: dict[DoubtName, float] = {
        method: known, "few alike": float(high), "unseen": missed[1],
        "scatter": float(hidden.sum()), "core speed": speed.above if speed else 0.0,
    }  # fmt: skip
    return Doubt(below, above, (max(down, key=lambda one: down[one]),
                                max(up, key=lambda one: up[one])))  # fmt: skip
