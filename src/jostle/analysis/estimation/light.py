"""Decides the light of a run, its probability, and what would decide an undecided one.

A light is a claim: that a loss lies on one side of a border. The truth is taken to be as likely
above the told loss as below it, and on either side to fall off as a normal distribution does whose
outer 2.5 % begin at the end of the 95 % interval. What lies within a light's borders is how sure
that light is (docs/explanation/estimation.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from jostle.analysis.estimation.classes import HIGH, LOW, ClassName

if TYPE_CHECKING:
    from jostle.analysis.interval import Interval

Light = Literal["green", "yellow", "red"]
#: What makes an interval reach as far as it does.
DoubtName = Literal[
    "method",
    "few alike",
    "unseen",
    "scatter",
    "shared cores",
    "shared nodes",
    "core speed",
    "neighbours",
]

#: The light of each class (thesis 5.2.3).
LIGHTS: dict[ClassName, Light] = {"low": "green", "medium": "yellow", "high": "red"}
#: A light is shown from this probability on.
SURE = 0.8
#: That little was lost is said of no run of which less than this could be judged.
LEAST_COVERAGE = 0.5
#: A shorter run, in seconds, has no light: what its start meets by chance is a large part of it.
LEAST_RUN_S = 0.5
#: A light with less than this probability is not named as a possible one.
_WORTH_A_WORD = 0.05
_OUTER = 1.959964  # standard deviations from the middle to the outer 2.5 %
_WHAT_DECIDES: dict[DoubtName, str] = {
    "method": "another run, as this one is too near to a border: none is told better than to some "
    "3 % of its time",
    "few alike": "a longer run: more of the same work to compare with",
    "unseen": "a longer run, since work must recur to be compared with itself; without MPI shorter "
    "slices (--slice 250ms)",
    "scatter": "other runs of the same: `jostle compare` tells what equal work scatters by itself",
    "shared cores": "a run with a core for each rank",
    "core speed": "more runs on these nodes with the canary on, which tell how fast the cores can "
    "be; or a run alone on its nodes",
    "shared nodes": "a run alone on its nodes",
    "neighbours": "a run without them",
}


@dataclass(frozen=True)
class Lit:
    """The light of a run.

    Attributes:
        light: green, yellow or red; None where it is undecided.
        likely: The most probable one.
        sure: Its probability, 0 to 1; nan where the loss is no number.
        undecided: Why it is, part of a sentence; "" where it is not.
        decided_by: What would decide it, part of a sentence; "" where it is decided.
    """

    light: Light | None
    likely: Light
    sure: float
    undecided: str = ""
    decided_by: str = ""


def at_most(border: float, interval: Interval) -> float:
    """Return the probability that a loss is at most so much.

    Args:
        border: In the unit of the loss.
        interval: The loss with its 95 % interval.
    """
    if math.isnan(interval.value):
        return math.nan
    if border < interval.value:
        spread, away = interval.value - interval.low, interval.value - border
    else:
        spread, away = interval.high - interval.value, border - interval.value
    beyond = 0.5 * math.erfc(_OUTER * away / spread / math.sqrt(2)) if spread > 0 else 0.0
    return beyond if border < interval.value else 1 - beyond


def lit(
    percent: Interval, coverage: float, doubts: tuple[DoubtName, DoubtName] = ("method", "method"),
    run_s: float = math.inf,
) -> Lit:  # fmt: skip
    """Tell the light of a run.

    Args:
        percent: What it lost, percent of its time.
        coverage: Share of it that could be judged. What was lost there was lost, however little
            that is, so a run may be red; but only red: nobody knows of the rest.
        doubts: What most makes the interval reach down, and up.
        run_s: How long it ran, s.
    """
    green, red = at_most(math.nextafter(LOW, 0), percent), 1 - at_most(HIGH, percent)
    chances: dict[Light, float] = {"green": green, "yellow": 1 - green - red, "red": red}
    likely = max(chances, key=lambda light: chances[light])
    sure = chances[likely]
    if math.isnan(sure):
        return Lit(None, likely, sure, "its loss is no number", _WHAT_DECIDES["few alike"])
    if run_s < LEAST_RUN_S:
        short = f"it ran for less than {LEAST_RUN_S:g} s"
        return Lit(None, likely, sure, short, "a longer run")
    if likely != "red" and not coverage >= LEAST_COVERAGE:
        little = f"only {100 * coverage:.2g} % of its time could be judged"
        decides: DoubtName = "shared nodes" if "shared nodes" in doubts else "unseen"
        return Lit(None, likely, sure, little, _WHAT_DECIDES[decides])
    if sure >= SURE:
        return Lit(likely, likely, sure)
    named = [f"{light} ({100 * chance:.0f} %)" for light, chance in chances.items()
             if chance >= _WORTH_A_WORD]  # fmt: skip
    why = f"{', '.join(named[:-1])} or {named[-1]}"
    return Lit(None, likely, sure, why, what_decides(_side(likely, chances), doubts))


def what_decides(side: int, doubts: tuple[DoubtName, DoubtName]) -> str:
    """Return what would decide a light, part of a sentence.

    Args:
        side: Which end of the interval reaches over the border: 0 the lower, 1 the upper.
        doubts: What most makes the interval reach down, and up.
    """
    return _WHAT_DECIDES[doubts[side]]


def _side(likely: Light, chances: dict[Light, float]) -> int:
    """Tell over which border more of the doubt lies: 0 the lower, 1 the upper."""
    if likely == "yellow":
        return int(chances["red"] > chances["green"])
    return int(likely == "green")
