"""Compares estimates with true losses, run by run. Pure functions.

All losses are in percent of the run time. Rules: lab/docs/explanation/validation.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from jostle.analysis import LIGHTS, Light, class_of
from jostle_lab.analysis.validation import soft_accuracy
from jostle_lab.validation.oracle import Band, Truth

#: A run is quiet below these shares of the cores' time, and moved above this percentage.
MOST_STEAL, MOST_FOREIGN, MOST_MOVED = 0.02, 0.05, 3.0
#: Runs of more seconds are long enough for a decided traffic light.
LONG_S = 10.0


@dataclass(frozen=True)
class Assessed:
    """The estimate of a run by one method.

    Attributes:
        percent, low, high: Estimated loss with its 95 % interval.
        continuous: Continuous loss of which the estimate warns in addition; 0 without a warning.
        displaced: Part of the loss that lengthens even the median segment (as Truth.displaced).
        coverage: Share of the run time from which the estimate was computed.
        inferred: Share of the run time in inferred segments; None without clusters.
        slow: Part of the loss that the core-speed probe attributes to slow cores; 0 without a
            probe.
        core_probe: Time of the core-speed probe divided by its usual time; None without a probe.
        light: Traffic light: green, yellow or red; None: undecided.
    """

    percent: float
    low: float
    high: float
    continuous: float
    displaced: float
    coverage: float
    inferred: float | None
    slow: float = 0.0
    core_probe: float | None = None
    light: Light | None = None

    @property
    def total(self) -> float:
        """Estimated loss, plus the continuous loss of which the estimate warns, in percent."""
        return self.percent + self.continuous

    @property
    def instantaneous(self) -> float:
        """Estimated loss without the part that lengthens even the median segment, in percent."""
        return self.percent - self.displaced


@dataclass(frozen=True)
class Row:
    """A run: its true loss, and the estimates of it.

    Attributes:
        job: Name of the run's job.
        code: The run's program.
        kind: Kind of the disturbance.
        strength: Strength of the disturbance (see plan.ValidationStep).
        truth: The run's true loss by the oracle.
        band: Loss to what was injected into the run, with bounds; None in undisturbed runs.
        thesis: Loss of the run, measured as in Shah, 2020, in percent.
        noise: Shares of the machine that other programs used (see machine.noise).
        said: Estimate of the loss by each method.
    """

    job: str
    code: str
    kind: str
    strength: float
    truth: Truth
    band: Band | None
    thesis: float
    noise: dict[str, float]
    said: dict[str, Assessed]

    @property
    def quiet(self) -> bool:
        """Whether other programs used little of the machine."""
        return self.noise["steal"] <= MOST_STEAL and self.noise["foreign"] <= MOST_FOREIGN

    @property
    def moved(self) -> bool:
        """Whether the whole run was slower, or faster, than usual: its median window was."""
        return abs(self.truth.displaced) > MOST_MOVED

    @property
    def disturbed(self) -> bool:
        """Whether the run was disturbed on purpose."""
        return self.kind != "clean"

    @property
    def own(self) -> float:
        """Loss that was not injected but came from the machine, in percent of the run time."""
        injected = self.band.flight if self.band else 0.0
        return 100 * (self.truth.total_s - injected) / self.truth.run_s

    @property
    def core_probe(self) -> float | None:
        """Time of the run's core-speed probe divided by its usual time; None without a probe."""
        return next(
            (said.core_probe for said in self.said.values() if said.core_probe is not None), None
        )

    def measured(self, method: str) -> float:
        """Return the loss against which a method is scored.

        For methods of the thesis it is the loss as measured in Shah, 2020; for jostle the true
        loss.
        """
        return self.thesis if method.startswith("thesis") else self.truth.total

    def estimated(self, method: str) -> float:
        """Return a method's estimate of the loss that `measured` returns."""
        said = self.said[method]
        return said.percent if method.startswith("thesis") else said.total

    def held(self, method: str) -> bool:
        """Return whether the interval of a method's estimate contains the measured loss."""
        said = self.said[method]
        return (
            said.low <= self.measured(method) - self.estimated(method) + said.percent <= said.high
        )

    def to_json(self) -> dict[str, Any]:
        """Return the run as plain values, including values that are derived from the fields."""
        truth = self.truth
        derived = {
            "total": truth.total,
            "instantaneous": truth.instantaneous,
            "displaced": truth.displaced,
            "own": self.own,
            "quiet": self.quiet,
            "moved": self.moved,
        }
        return asdict(self) | {"percent": derived}


@dataclass(frozen=True)
class ScoreSpread:
    """Statistics of values over several runs; None without any."""

    n: int
    median: float | None
    worst: float | None
    tenth: float | None = None

    @staticmethod
    def of(
        values: Sequence[float], *, good: Callable[[Sequence[float]], float] = min
    ) -> ScoreSpread:
        """Return the statistics of values.

        Args:
            values: The values.
            good: Function that returns the worst value: max if small values are good, min if large
                values are.
        """
        if not values:
            return ScoreSpread(0, None, None)
        share = 10 if good is min else 90
        return ScoreSpread(
            len(values),
            float(np.median(values)),
            float(good(values)),
            float(np.percentile(values, share)),
        )


@dataclass(frozen=True)
class Lights:
    """Scores of traffic lights.

    Attributes:
        runs: Number of them.
        decided: Number of runs whose light was decided.
        right: Number of runs whose loss is within the borders of their light.
        long: Number of runs of more than LONG_S seconds.
        long_undecided: Number of long runs whose light was undecided.
    """

    runs: int
    decided: int
    right: int
    long: int
    long_undecided: int

    @staticmethod
    def of(rows: Sequence[Row], method: str) -> Lights:
        """Count the lights of some runs.

        Args:
            rows: The runs.
            method: A method with an estimate in every row.
        """
        lit = [
            (
                row.said[method].light,
                LIGHTS[class_of(row.measured(method))],
                row.truth.run_s > LONG_S,
            )
            for row in rows
        ]
        decided = [(light, true) for light, true, _ in lit if light is not None]
        return Lights(
            len(lit),
            len(decided),
            sum(light == true for light, true in decided),
            sum(long for _, _, long in lit),
            sum(long and light is None for light, _, long in lit),
        )

    @property
    def right_share(self) -> float | None:
        """Share of correct lights among decided ones; None if none is decided."""
        return self.right / self.decided if self.decided else None

    @property
    def undecided_share(self) -> float | None:
        """Share of undecided lights among all runs; None without runs."""
        return 1 - self.decided / self.runs if self.runs else None

    @property
    def long_share(self) -> float | None:
        """Share of undecided lights among long runs; None without long runs."""
        return self.long_undecided / self.long if self.long else None


@dataclass(frozen=True)
class Score:
    """The scores of a method on some runs.

    Attributes:
        code: Name of the program; "all": runs of all programs; "quiet": all quiet runs.
        method: Method: jostle, thesis (Shah, 2020), or that of the thesis on raw segments.
        runs: Number of runs.
        disturbed: Number of runs that were disturbed on purpose.
        soft: Soft accuracy (1 minus the difference of the probabilities that a run is unfit)
            against the measured loss (Row.measured).
        total: Error against the measured loss, percentage points.
        instantaneous: Error of the loss without its continuous part, percentage points.
        steady: The same error, only of runs that were not slowed as a whole.
        clean: Error against the true loss in undisturbed runs, percentage points.
        held: Share of runs for which the interval contains the measured loss.
        inferred: Share of the run time in inferred segments.
        oracle: Soft accuracy against the true loss by the oracle, for every method.
        lights: Scores of traffic lights, against the measured loss.
    """

    code: str
    method: str
    runs: int
    disturbed: int
    soft: ScoreSpread
    total: ScoreSpread
    instantaneous: ScoreSpread
    steady: ScoreSpread
    clean: ScoreSpread
    held: float | None
    inferred: ScoreSpread
    oracle: ScoreSpread
    lights: Lights


def score(code: str, method: str, rows: Sequence[Row]) -> Score:
    """Score a method on runs.

    Args:
        code: Name of the runs in tables.
        method: A method with an estimate in every row.
        rows: Runs; those without an estimate by the method are left out.
    """
    rows = [row for row in rows if method in row.said]
    parts = [
        (abs(row.truth.instantaneous - row.said[method].instantaneous), row.moved) for row in rows
    ]
    held = [row.held(method) for row in rows]
    covered = [row.said[method].inferred for row in rows]
    return Score(
        code,
        method,
        len(rows),
        sum(row.disturbed for row in rows),
        ScoreSpread.of(
            [soft_accuracy(row.measured(method), row.estimated(method)) for row in rows]
        ),
        ScoreSpread.of(
            [abs(row.measured(method) - row.estimated(method)) for row in rows], good=max
        ),
        ScoreSpread.of([points for points, _ in parts], good=max),
        ScoreSpread.of([points for points, moved in parts if not moved], good=max),
        ScoreSpread.of(
            [abs(row.truth.total - row.estimated(method)) for row in rows if not row.disturbed],
            good=max,
        ),
        sum(held) / len(held) if held else None,
        ScoreSpread.of([value for value in covered if value is not None]),
        ScoreSpread.of([soft_accuracy(row.truth.total, row.estimated(method)) for row in rows]),
        Lights.of(rows, method),
    )
