"""Compares estimates with true losses, run by run. Pure functions.

Percent of the run time throughout. Rules: lab/docs/explanation/validation.md.
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
        percent, low, high: The run's loss with the 95 % interval.
        continuous: Continuous loss that it warns of in addition; 0 without a warning.
        displaced: The part of the loss that shifts the median of all segments, as in
            Truth.displaced.
        coverage: Coverage of the run time.
        inferred: Coverage of the inferred part; None: no clusters.
        slow: The part of the loss to slow cores by the core-speed probe; 0 without one.
        core_probe: Core-speed probe over its usual time; None without one.
        light: green, yellow or red; None: undecided.
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
        """Loss and warning together."""
        return self.percent + self.continuous

    @property
    def instantaneous(self) -> float:
        """Loss without what shifts all segments."""
        return self.percent - self.displaced


@dataclass(frozen=True)
class Row:
    """A run: its true loss, and the estimates of it.

    Attributes:
        job: The run's name.
        code: The run's program.
        kind: How it was disturbed.
        strength: How strongly (see plan.Step).
        truth: The run's true loss by the oracle.
        band: The run's injected loss, by the injector's log; None in clean runs.
        thesis: The run's loss as measured in the thesis.
        noise: Shares of the machine that others took.
        said: The run's estimate by each method.
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
        """Whether other programs took little of the machine."""
        return self.noise["steal"] <= MOST_STEAL and self.noise["foreign"] <= MOST_FOREIGN

    @property
    def moved(self) -> bool:
        """Whether the whole run was slowed."""
        return abs(self.truth.displaced) > MOST_MOVED

    @property
    def disturbed(self) -> bool:
        """Whether the run was disturbed on purpose."""
        return self.kind != "clean"

    @property
    def own(self) -> float:
        """The machine's own loss, percent of the run: all except the injected part."""
        injected = self.band.flight if self.band else 0.0
        return 100 * (self.truth.total_s - injected) / self.truth.run_s

    @property
    def core_probe(self) -> float | None:
        """Core-speed probe over its usual time in this run; None without one."""
        return next(
            (said.core_probe for said in self.said.values() if said.core_probe is not None), None
        )

    def measured(self, method: str) -> float:
        """Return the loss against which a method is scored: as in the thesis, or all."""
        return self.thesis if method.startswith("thesis") else self.truth.total

    def estimated(self, method: str) -> float:
        """Return a method's estimate of that loss."""
        said = self.said[method]
        return said.percent if method.startswith("thesis") else said.total

    def held(self, method: str) -> bool:
        """Return whether the interval contains the truth."""
        said = self.said[method]
        return (
            said.low <= self.measured(method) - self.estimated(method) + said.percent <= said.high
        )

    def to_json(self) -> dict[str, Any]:
        """Return the run as plain values, with what follows from them."""
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
            good: max where small is good (worst is the largest), min where large is.
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
        decided: Of these, those whose light was decided.
        right: Of these, those whose loss is within the borders of their light.
        long: Runs of more than LONG_S seconds.
        long_undecided: Of these, those whose light was undecided.
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
        """Share of right ones among decided lights; None where none is decided."""
        return self.right / self.decided if self.decided else None

    @property
    def undecided_share(self) -> float | None:
        """Share of undecided ones among all runs; None without any."""
        return 1 - self.decided / self.runs if self.runs else None

    @property
    def long_share(self) -> float | None:
        """Share of undecided ones among long runs; None where none is long."""
        return self.long_undecided / self.long if self.long else None


@dataclass(frozen=True)
class Score:
    """The scores of a method on some runs.

    Attributes:
        code: Program; "all" for all together, "quiet" for the quiet runs of all.
        method: jostle, thesis, or the thesis' on raw segments.
        runs: Number of them.
        disturbed: Of these, those that were disturbed on purpose.
        soft: Accuracy of the soft probability against the measure of the method.
        total: Difference to the loss in all, points.
        instantaneous: Difference of the instantaneous part, points.
        steady: The same of runs that were not moved.
        clean: Difference of clean runs, points.
        held: Share of runs whose interval contains the truth.
        inferred: Coverage of the inferred part.
        oracle: Soft accuracy against the oracle, whatever the method's own measure.
        lights: Scores of traffic lights, by the measure of the method.
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
        code: The runs' name in tables.
        method: A method with an estimate in every row.
        rows: The runs; soft accuracy and total are of all of them.
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
