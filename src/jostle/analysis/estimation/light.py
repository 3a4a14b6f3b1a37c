"""Determines the traffic light of a run, its probability, and how to decide an undecided one.

A light states that the loss is between two limits. The true loss is assumed to be above or below
the estimate with equal probability. On each side it follows a normal distribution of which 2.5 %
are beyond the end of the 95 % interval. The probability of a light is the probability that the true
loss is between the light's limits (docs/explanation/estimation.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from jostle.analysis.estimation.classes import HIGH, LOW, ClassName

if TYPE_CHECKING:
    from jostle.analysis.interval import Interval

Light = Literal["green", "yellow", "red"]
#: The largest source of an interval's width.
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

#: The light of each class (Shah, 2020, section 5.2.3).
LIGHTS: dict[ClassName, Light] = {"low": "green", "medium": "yellow", "high": "red"}
#: A light is shown from this probability on.
SURE = 0.8
#: A run of which a smaller share could be evaluated is never reported as little disturbed.
LEAST_COVERAGE = 0.5
#: A shorter run, in seconds, has no light: chance effects at its start are a large part of it.
LEAST_RUN_S = 0.5
#: With fewer slices nothing is usual: a run without segments cannot be compared with itself.
LEAST_SLICES = 8
#: A light with a smaller probability is not listed as possible.
_WORTH_A_WORD = 0.05
_OUTER = 1.959964  # standard deviations from the middle to the outer 2.5 %
_WHAT_DECIDES: dict[DoubtName, str] = {
    "method": "another run: its loss is too near to a limit, and no loss is known more "
    "accurately than about 3 % of the run",
    "few alike": "a longer run: more of the same work to compare with",
    "unseen": "a longer run, since work must recur to be compared with itself; without MPI shorter "
    "slices (--slice 250ms)",
    "scatter": "other runs of the same work: `jostle compare` shows how much the time of equal "
    "work varies by itself",
    "shared cores": "a run with a core for each rank",
    "core speed": "more runs on these nodes with the core-speed probe on, which show how fast "
    "the cores can be; or a run alone on its nodes",
    "shared nodes": "a run alone on its nodes",
    "neighbours": "a run without them",
}


@dataclass(frozen=True)
class TrafficLight:
    """The traffic light of a run (green, yellow or red) with its probability.

    Attributes:
        light: green, yellow or red; None where it is undecided.
        likely: The most probable light.
        sure: Probability of `likely`, 0 to 1; nan if the loss is not a number.
        undecided: Reason why the light is undecided, part of a sentence; "" if it is decided.
        decided_by: Action that would decide the light, part of a sentence; "" if it is decided.
    """

    light: Light | None
    likely: Light
    sure: float
    undecided: str = ""
    decided_by: str = ""


def at_most(border: float, interval: Interval) -> float:
    """Return the probability that the true loss is at most a given limit.

    Args:
        border: The limit, in the unit of the loss.
        interval: The loss with its 95 % interval.

    Returns:
        Probability, 0 to 1; nan if the loss is not a number.
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
    percent: Interval,
    coverage: float,
    doubts: tuple[DoubtName, DoubtName] = ("method", "method"),
    run_s: float = math.inf,
) -> TrafficLight:
    """Return the traffic light of a run.

    Args:
        percent: Loss of the run, percent of its run time.
        coverage: Share of the run that could be evaluated. If it is small, the light is red or
            undecided, since the loss in the rest of the run is not known.
        doubts: Main source of uncertainty at the lower end of the interval, and at its upper end.
        run_s: Length of the run, seconds.
    """
    green, red = at_most(math.nextafter(LOW, 0), percent), 1 - at_most(HIGH, percent)
    chances: dict[Light, float] = {"green": green, "yellow": 1 - green - red, "red": red}
    likely = max(chances, key=lambda light: chances[light])
    sure = chances[likely]
    if math.isnan(sure):
        return TrafficLight(
            None, likely, sure, "its loss is not a number", _WHAT_DECIDES["few alike"]
        )
    if run_s < LEAST_RUN_S:
        short = f"it ran for less than {LEAST_RUN_S:g} s"
        return TrafficLight(None, likely, sure, short, "a longer run")
    if likely != "red" and not coverage >= LEAST_COVERAGE:
        little = f"only {100 * coverage:.2g} % of its time could be evaluated"
        decides: DoubtName = "shared nodes" if "shared nodes" in doubts else "unseen"
        return TrafficLight(None, likely, sure, little, _WHAT_DECIDES[decides])
    if sure >= SURE:
        return TrafficLight(likely, likely, sure)
    named = [
        f"{light} ({100 * chance:.0f} %)"
        for light, chance in chances.items()
        if chance >= _WORTH_A_WORD
    ]
    why = f"{', '.join(named[:-1])} or {named[-1]}"
    return TrafficLight(None, likely, sure, why, what_decides(_side(likely, chances), doubts))


def what_decides(side: int, doubts: tuple[DoubtName, DoubtName]) -> str:
    """Return the action that would decide an undecided light, as part of a sentence.

    Args:
        side: End of the interval that is beyond a limit of the light: 0 the lower, 1 the upper.
        doubts: Main source of uncertainty at the lower end of the interval, and at its upper end.
    """
    return _WHAT_DECIDES[doubts[side]]


def _side(likely: Light, chances: dict[Light, float]) -> int:
    """Return beyond which limit of the likely light the loss more probably is: 0 lower, 1 upper."""
    if likely == "yellow":
        return int(chances["red"] > chances["green"])
    return int(likely == "green")
