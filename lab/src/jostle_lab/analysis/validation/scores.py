"""Compares estimated with true interference, and detected with truly disturbed slices.

The scores follow Shah (2020, section 5.2.3).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from jostle.analysis import ClassName, class_of, probability

CLASSES: tuple[ClassName, ...] = ("high", "medium", "low")
_FEWEST_FOR_RANKS = 8  # a rank correlation needs at least so many values


@dataclass(frozen=True)
class F1:
    """Quality of the assignment to one class (Shah, 2020, table 5.6).

    Attributes:
        tp, fp, fn: True positives, false positives, false negatives.
        precision: tp / (tp + fp); 1 where nothing was assigned to the class.
        recall: tp / (tp + fn); 1 where nothing belongs to it.
        f1: 2 precision recall / (precision + recall).
    """

    tp: int
    fp: int
    fn: int
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class BoxStatistics:
    """The five quantiles that a box plot shows."""

    low: float
    quarter: float
    median: float
    three_quarters: float
    high: float

    @staticmethod
    def of(values: Sequence[float]) -> BoxStatistics:
        """Return the quantiles of at least one value."""
        return BoxStatistics(
            *(float(x) for x in np.quantile(np.asarray(values), (0, 0.25, 0.5, 0.75, 1)))
        )


@dataclass(frozen=True)
class RunScore:
    """Measured and estimated interference of a run (a column of Shah, 2020, tables 5.5 and 5.7).

    Attributes:
        name: Name of the run.
        measured: Interference, percent of its run time.
        estimated: Interference as estimated from the run alone, percent of its run time.
        measured_class, estimated_class: Class of the interference: low, medium or high.
        measured_probability, estimated_probability: Probability that the run is unfit for analysis.
    """

    name: str
    measured: float
    estimated: float
    measured_class: ClassName
    estimated_class: ClassName
    measured_probability: float
    estimated_probability: float

    @property
    def difference(self) -> float:
        """Absolute difference between measured and estimated, in percentage points."""
        return abs(self.measured - self.estimated)

    @property
    def probability_difference(self) -> float:
        """Absolute difference between the two probabilities."""
        return abs(self.measured_probability - self.estimated_probability)

    @property
    def accuracy(self) -> float:
        """Soft accuracy: 1 minus the absolute difference between the two probabilities."""
        return 1 - self.probability_difference


@dataclass(frozen=True)
class ProgramScores:
    """Scores of several runs of a program (as in Shah, 2020, figures 5.19 and 5.20).

    Attributes:
        runs: The runs, the most disturbed first (tables 5.5 and 5.7).
        classes: Scores of each class (table 5.6).
        accuracy: Soft accuracy: 1 minus the difference between the two probabilities.
        accuracy_p10: 10th percentile of the soft accuracy.
        difference: Absolute difference of measured and estimated, in percentage points.
    """

    runs: list[RunScore]
    classes: dict[ClassName, F1]
    accuracy: BoxStatistics
    accuracy_p10: float
    difference: BoxStatistics


def soft_accuracy(measured_percent: float, estimated_percent: float) -> float:
    """Return 1 - |p(measured) - p(estimated)|; p: probability that a run is unfit for analysis."""
    return 1 - abs(probability(measured_percent) - probability(estimated_percent))


def scored_runs(
    measured: Sequence[float], estimated: Sequence[float], names: Sequence[str] = ()
) -> list[RunScore]:
    """Pair estimates with measurements, the most disturbed run first.

    Args:
        measured: Measured interference of each run, percent.
        estimated: Estimated interference of each run, percent.
        names: Names of the runs; without them, runs are named by their numbers, from 1.

    Returns:
        For each run, its measured and estimated interference, classes and probabilities.
    """
    names = names or [str(i + 1) for i in range(len(measured))]
    rows = [
        RunScore(name, m, e, class_of(m), class_of(e), probability(m), probability(e))
        for name, m, e in zip(names, measured, estimated, strict=True)
    ]
    return sorted(rows, key=lambda row: -row.measured)


def class_scores(measured: Sequence[float], estimated: Sequence[float]) -> dict[ClassName, F1]:
    """Return precision, recall and F1 of each class (table 5.6).

    Args:
        measured: Measured interference of each run, percent.
        estimated: Estimated interference of each run, percent.
    """
    pairs = [(class_of(m), class_of(e)) for m, e in zip(measured, estimated, strict=True)]
    return {
        name: f1_of(
            sum(m == name == e for m, e in pairs),
            sum(m != name == e for m, e in pairs),
            sum(m == name != e for m, e in pairs),
        )
        for name in CLASSES
    }


def f1_of(tp: int, fp: int, fn: int) -> F1:
    """Return precision, recall and F1 from numbers of true and false positives, false negatives."""
    precision = tp / (tp + fp) if tp + fp else 1.0
    recall = tp / (tp + fn) if tp + fn else 1.0
    both = precision + recall
    return F1(tp, fp, fn, precision, recall, 2 * precision * recall / both if both else 0.0)


def slice_scores(found: Collection[Hashable], known: Collection[Hashable]) -> F1:
    """Compare the slices in which interference was detected with those that truly have it.

    Args:
        found: Identities of the detected slices, such as (job, resource, slice).
        known: Identities of the slices with interference.

    Returns:
        Precision, recall and F1 of the detection.
    """
    said, true = set(found), set(known)
    return f1_of(len(said & true), len(said - true), len(true - said))


def summary(
    measured: Sequence[float], estimated: Sequence[float], names: Sequence[str] = ()
) -> ProgramScores:
    """Sum up the runs of a program; at least one.

    Args:
        measured: Measured interference of each run, percent.
        estimated: Estimated interference of each run, percent.
        names: Names of the runs.
    """
    runs = scored_runs(measured, estimated, names)
    accuracy = [run.accuracy for run in runs]
    return ProgramScores(
        runs,
        class_scores(measured, estimated),
        BoxStatistics.of(accuracy),
        float(np.quantile(accuracy, 0.1)),
        BoxStatistics.of([run.difference for run in runs]),
    )


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return the rank correlation of two series; None if they are too short or constant.

    Ranks are used so that a single run that was stopped for seconds has little weight.
    """
    if len(first) < _FEWEST_FOR_RANKS or np.ptp(first) <= 0 or np.ptp(second) <= 0:
        return None
    ranks, others = (np.argsort(np.argsort(values)) for values in (first, second))
    return float(np.corrcoef(ranks, others)[0, 1])
