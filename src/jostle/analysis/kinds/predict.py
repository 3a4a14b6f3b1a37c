"""Predicts the losses of loads that share a mount, and how many of one kind may run at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jostle.analysis.kinds.fair_share import longer_by, loss_of
from jostle.analysis.kinds.model import LoadKind
from jostle.analysis.kinds.pair_model import PairLoss, PairModel
from jostle.values.plain_values import plain

#: Loss of each of the jobs that run at once, at which the capacity ends, percent.
LIMIT_PERCENT = 10.0
#: Numbers of jobs at once for which a capacity curve is computed.
_COUNTS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)


@dataclass(frozen=True)
class PredictedLoss:
    """The predicted loss of one load.

    Attributes:
        name: Name of the load, as the user gave it.
        kind: Kind of the load in words: access pattern, bytes per call, number of processes.
        neighbours: Names of the other loads, as the user gave them.
        percent: Loss in percent of the load's run time, 0 to 100, if all loads run all the time.
        low: Lower end of the 90 % interval of `percent`.
        high: Upper end of that interval.
        fair_percent: Loss if all processes got the same share of the file system's throughput (Kuo
            et al., 2013), percent.
        pairs: Number of similar pairs of loads that ran at the same time in the past; the
            prediction rests on these.
        outside: Whether no past load is similar to this load, or to one of its neighbours. Then the
            prediction assumes only that all processes get the same share.
    """

    name: str
    kind: str
    neighbours: tuple[str, ...]
    percent: float
    low: float
    high: float
    fair_percent: float
    pairs: int
    outside: bool


@dataclass(frozen=True)
class Prediction:
    """Predicted losses of loads that share a mount.

    Attributes:
        mount: Identity of the mount; "" where none is known.
        losses: Loss of each load, in the user's order.
        learned: Number of pairs of kinds to which the model was fitted.
        calibrated: Whether the intervals were calibrated on programs that the model was not fitted
            to. Otherwise too few programs ran at the same time, and intervals are 1.5 times as wide
            as those of a normal distribution.
        limits: Limits of the prediction, one sentence each.
    """

    mount: str
    losses: tuple[PredictedLoss, ...]
    learned: int
    calibrated: bool
    limits: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return all fields as JSON-compatible values."""
        found: dict[str, Any] = plain(self)
        return found


@dataclass(frozen=True)
class CapacityPoint:
    """The predicted loss of each job, for one number of jobs that run at once.

    Attributes:
        jobs: Number of jobs that run at once.
        percent: Loss of each job in percent of its run time.
        low: Lower end of the 90 % interval of `percent`.
        high: Upper end of that interval.
    """

    jobs: int
    percent: float
    low: float
    high: float


@dataclass(frozen=True)
class Capacity:
    """How many jobs of one kind may run at once on a mount.

    Attributes:
        name: Name of the load, as the user gave it.
        kind: Kind of the load in words: access pattern, bytes per call, number of processes.
        mount: Identity of the mount; "" where none is known.
        limit_percent: Largest loss that is permitted for each job, percent of its run time.
        at_once: Number of jobs that may run at once, by the expected losses; at least 1.
        surely: Number of jobs that may run at once, by the upper ends of the intervals.
        open_ended: Whether even more jobs may run, since the curve ends before the limit is
            reached.
        curve: Loss of each job for each number of jobs; it never decreases.
        pairs: Number of similar pairs of loads that ran at the same time in the past.
        outside: Whether no past load is similar to this one, as in PredictedLoss.
        learned: Number of pairs of kinds to which the model was fitted.
        calibrated: Whether the intervals were calibrated, as in Prediction.
        limits: Limits of the prediction, one sentence each.
    """

    name: str
    kind: str
    mount: str
    limit_percent: float
    at_once: int
    surely: int
    open_ended: bool
    curve: tuple[CapacityPoint, ...]
    pairs: int
    outside: bool
    learned: int
    calibrated: bool
    limits: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return all fields as JSON-compatible values."""
        found: dict[str, Any] = plain(self)
        return found


def predict(loads: Sequence[tuple[str, LoadKind]], mount: str, model: PairModel) -> Prediction:
    """Predict the loss of each of several loads that run at the same time.

    Args:
        loads: Names and kinds of at least two loads.
        mount: The mount that all loads use.
        model: Model fitted to known pairs of loads.
    """
    losses = []
    for place, (name, kind) in enumerate(loads):
        others = [*loads[:place], *loads[place + 1 :]]
        found = [model.predict(kind, other, mount) for _, other in others]
        # Additional times add up: with n neighbours of its size a process waits for n others.
        value, low, high, fair = (
            loss_of(sum(longer_by(getattr(each, end)) for each in found))
            for end in ("value", "low", "high", "fair")
        )
        losses.append(
            PredictedLoss(
                name,
                kind.label,
                tuple(other for other, _ in others),
                value,
                low,
                high,
                fair,
                min(each.near for each in found),
                any(each.outside for each in found),
            )
        )
    kinds = dict(loads)
    outside = [each.name for each in losses if each.outside]
    return Prediction(
        mount,
        tuple(losses),
        len(model.samples),
        model.calibrated,
        tuple(_limits(kinds, model, outside=bool(outside))),
    )


def capacity(name: str, kind: LoadKind, mount: str, model: PairModel) -> Capacity:
    """Predict how many jobs of a kind may run at once before each loses more than the limit.

    Args:
        name: Name of the load, as the user gave it.
        kind: Kind of the load.
        mount: The mount that all jobs use.
        model: Model fitted to known pairs of loads.
    """
    curve = [CapacityPoint(1, 0.0, 0.0, 0.0)]
    first = model.predict(kind, kind, mount)
    for jobs in _COUNTS:
        others = replace(kind, processes=kind.processes * (jobs - 1))
        curve.append(_no_less(curve[-1], jobs, model.predict(kind, others, mount)))
    at_once = _most(curve, [point.percent for point in curve])
    surely = _most(curve, [point.high for point in curve])
    return Capacity(
        name,
        kind.label,
        mount,
        LIMIT_PERCENT,
        at_once,
        surely,
        at_once == curve[-1].jobs,
        tuple(curve),
        first.near,
        first.outside,
        len(model.samples),
        model.calibrated,
        tuple(_limits({name: kind}, model, outside=first.outside)),
    )


def _no_less(before: CapacityPoint, jobs: int, found: PairLoss) -> CapacityPoint:
    """Return the next point of a curve, whose loss is at least that of the point before."""
    ends = (
        max(getattr(before, own), getattr(found, its))
        for own, its in (("percent", "value"), ("low", "low"), ("high", "high"))
    )
    return CapacityPoint(jobs, *ends)


def _most(curve: Sequence[CapacityPoint], losses: Sequence[float]) -> int:
    """Return the greatest number of jobs whose loss is within the limit.

    Losses between the points of the curve are interpolated.
    """
    for place in range(1, len(curve)):
        if losses[place] <= LIMIT_PERCENT:
            continue
        low, high = losses[place - 1], losses[place]
        few, many = curve[place - 1].jobs, curve[place].jobs
        return few + int((many - few) * (LIMIT_PERCENT - low) / (high - low))
    return curve[-1].jobs


def _limits(kinds: Mapping[str, LoadKind], model: PairModel, *, outside: bool) -> list[str]:
    limits = []
    if not model.samples:
        limits.append(
            "No two comparable jobs ran together in this repository. So the prediction assumes "
            "that all processes get the same share, and its intervals are the usual errors of this "
            "assumption."
        )
    elif outside:
        limits.append(
            "This prediction is an extrapolation, because no similar load ran together "
            "with another job here."
        )
    if model.samples and not model.calibrated:
        limits.append(
            "Fewer than ten programs ran together, so the intervals could not be cross-validated."
        )
    for name, kind in kinds.items():
        if not kind.uses_files:
            limits.append(
                f"{name} hardly uses a shared file system: what it costs others or loses on cores, "
                "memory and network is not predicted."
            )
    return limits
