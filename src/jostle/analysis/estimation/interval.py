"""Computes the 95 % interval of an estimated loss.

Random draws show how the loss depends on how well the references of segments are known. They do not
show what no segment contains. So the interval is widened by the time of the run that could not be
evaluated, and by the errors that estimates had for runs with a known loss (docs/adr/0015).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jostle.analysis.estimation.columns import Floats
from jostle.analysis.estimation.light import DoubtName
from jostle.analysis.interval import Interval

_DRAWS = 400
_LEVEL = (0.025, 0.975)
# Shares of the run time and of the loss, calibrated on traces with ground truth (seeds below 100)
# and on real runs, whose loss is known to about 2 percentage points.
_LEAST = 0.03
_OF_LOSS = 0.08
_OVERSUBSCRIBED = 0.065  # of the run, instead of _LEAST, if ranks have no core of their own
_UNSEEN = 0.5  # of the loss rate in evaluated time is assumed for the other time


@dataclass(frozen=True)
class Doubt:
    """The uncertainty of an estimated loss: how far the true loss may be from it (95 %).

    Attributes:
        below: Seconds by which the true loss may be smaller than the estimate.
        above: Seconds by which the true loss may be larger than the estimate.
        most: Main source of `below`, and main source of `above`.
    """

    below: float
    above: float
    most: tuple[DoubtName, DoubtName] = ("method", "method")

    def around(self, lost: float, run: float) -> Interval:
        """Return a loss with its interval, which is cut at 0 and at the length of the run, s."""
        return Interval(lost, max(lost - self.below, 0.0), min(lost + self.above, max(run, lost)))


def doubt(
    lost: float,
    run: float,
    *,
    unsure: Floats,
    hidden: Floats,
    coverage: float,
    seed: int,
    oversubscribed: bool = False,
    speed: Doubt | None = None,
) -> Doubt:
    """Return the uncertainty of a loss.

    Args:
        lost: The loss, seconds.
        run: Length of the evaluated time, seconds.
        unsure: Standard error that each reference contributes to the loss, seconds: the relative
            error of the reference times the time that is compared with it, [references].
        hidden: Losses that may be hidden in segments below their thresholds, seconds.
        coverage: Share of the run that was evaluated.
        seed: Seed of the random draws.
        oversubscribed: Whether ranks share cores (oversubscribed.py).
        speed: Uncertainty of the loss to slow cores (speed.py), which is part of `lost`.
    """
    drawn = np.zeros(_DRAWS)
    if len(unsure):
        random = np.random.default_rng(seed)
        for error in unsure[np.argsort(-unsure, kind="stable")[:200]]:
            drawn += random.standard_normal(_DRAWS) * error
        rest = np.sort(unsure)[: max(len(unsure) - 200, 0)]
        drawn += random.standard_normal(_DRAWS) * float(np.sqrt((rest**2).sum()))
    low, high = np.quantile(drawn, _LEVEL)
    known = (_OVERSUBSCRIBED if oversubscribed else _LEAST) * run + _OF_LOSS * lost
    unseen = max(1 - coverage, 0.0) * run
    missed = (_UNSEEN * unseen * lost / max(run, 1e-9), unseen * (lost / max(run, 1e-9) + _LEAST))
    below = float(np.hypot(low, known)) + missed[0]
    above = float(np.hypot(high, known)) + float(hidden.sum())
    above += missed[1]
    if speed is not None:
        below, above = float(np.hypot(below, speed.below)), float(np.hypot(above, speed.above))
    method: DoubtName = "shared cores" if oversubscribed else "method"
    down: dict[DoubtName, float] = {
        method: known,
        "few alike": -float(low),
        "unseen": missed[0],
        "core speed": speed.below if speed else 0.0,
    }
    up: dict[DoubtName, float] = {
        method: known,
        "few alike": float(high),
        "unseen": missed[1],
        "scatter": float(hidden.sum()),
        "core speed": speed.above if speed else 0.0,
    }
    return Doubt(
        below, above, (max(down, key=lambda name: down[name]), max(up, key=lambda name: up[name]))
    )
