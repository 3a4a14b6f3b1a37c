"""Combines the loss that a run shows with the loss that its neighbours' load explains.

The estimate compares a run with itself. The identification compares slices with and without a
neighbour's load. Both may show the same loss, so it must not be counted twice. Every view shows the
combined result, so that views do not differ.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from jostle.analysis.interval import Interval
from jostle.report.format.values import seconds as seconds_text
from jostle.report.verdict.core_shares import accounted_s, tested_s, with_core_shares
from jostle.report.verdict.unseen_share import with_unseen
from jostle.values.storage_servers import FILE_KINDS

if TYPE_CHECKING:
    from jostle.analysis.estimation.light import DoubtName
    from jostle.analysis.estimation.model import CauseName, Hit, HitPart, RunEstimate
    from jostle.analysis.identification.model import JobInterference, ResourceLoss

#: Least loss of a hit, as a part of a slice.
_LEAST_OF_SLICE = 0.02


@dataclass(frozen=True)
class _Raised:
    """A resource on which the neighbours' load explains more than the run itself shows.

    Attributes:
        loss: Loss on the resource that the load of neighbours explains.
        cause: Kind of cause, as in Cause.
        resource: The estimate's resource (as in Cause) whose loss is replaced by this one.
        named: Name in the verdict: the resource, or the part of it that serves the slow calls.
        seconds: Run time lost on the resource.
    """

    loss: ResourceLoss
    cause: CauseName
    resource: str
    named: str
    seconds: Interval


def combine(
    estimate: RunEstimate,
    interference: JobInterference | None,
    names: Mapping[str, str] | None = None,
) -> tuple[RunEstimate, JobInterference | None]:
    """Return an estimate and an interference that agree on the loss.

    A run without segments only shows that some of its slices were slower than others. This misses a
    part of the loss if neighbours were active nearly all the time. So on each resource, the larger
    of the estimate's loss and the loss that neighbours explain is used.

    A run with segments shows more. The loss that neighbours explain is used only if it is above the
    upper bound of the estimate, or if its own lower bound is above the estimate.

    The loss by waiting for cores is always that of the estimate. It is divided among the users of
    the cores by account (core_shares.py). At the end, the losses that neighbours explain are
    reduced so that they are not above the estimate.

    Args:
        estimate: Loss that the run itself shows.
        interference: Loss that the load of its neighbours explains; None if it had no neighbours.
        names: Path of each mount, for users.
    """
    if interference is None or estimate.method == "thesis":  # which does not use neighbours
        return estimate, interference
    tested = tested_s(interference)
    if interference.evident:
        raised = _raised(estimate, interference, tested)
        if raised:
            estimate = _with_raised(estimate, raised, names or {})
        else:
            estimate = with_unseen(estimate, interference)
    estimate, interference = with_core_shares(estimate, interference)
    return estimate, _within(interference, estimate, tested)


def _raised(
    estimate: RunEstimate, interference: JobInterference, tested: Interval
) -> list[_Raised]:
    """Return the resources on which the loss that the neighbours' load explains is used.

    Args:
        estimate: Loss that the run itself shows.
        interference: Loss that the load of its neighbours explains.
        tested: Loss that the statistical test attributes to neighbours, over all resources.
    """
    losses = [
        loss
        for loss in interference.resources
        if loss.evident and loss.seconds.value > 0 and loss.how == "test"
    ]
    alone = sum(loss.seconds.value for loss in losses)
    # Simultaneous losses on several resources count once.
    part = min(tested.value / alone, 1.0) if alone > 0 else 0.0
    if estimate.segments.num_rows:
        part *= _part_alongside_segments(estimate, tested)
    raised = []
    for resource in dict.fromkeys(_calls(loss) for loss in losses):
        # Several links may slow the same calls, and a mount has several kinds of servers: they are
        # one of the estimate's resources.
        same = [loss for loss in losses if _calls(loss) == resource]
        if part * sum(loss.seconds.value for loss in same) <= _shown(estimate, resource):
            continue
        for named in dict.fromkeys(_named(loss) for loss in same):
            own = [loss for loss in same if _named(loss) == named]
            value, low, high = (
                part * sum(getattr(each.seconds, bound) for each in own)
                for bound in ("value", "low", "high")
            )
            bounds = Interval(value, max(min(low, value), 0.0), max(high, value))
            raised.append(_Raised(_added(own), _cause(own[0]), resource, named, bounds))
    return raised


def _named(loss: ResourceLoss) -> str:
    """Return the name of a loss's resource in the verdict."""
    return loss.resource if loss.kind in FILE_KINDS else _calls(loss)


def _added(same: list[ResourceLoss]) -> ResourceLoss:
    """Return the largest of several losses on a resource, with the losses of all per slice."""
    loss = max(same, key=lambda each: each.seconds.value)
    if any(each.steps_ns != loss.steps_ns or len(each.lost) != len(loss.lost) for each in same):
        return loss
    return replace(
        loss, lost=[sum(lost) for lost in zip(*(each.lost for each in same), strict=True)]
    )


def _cause(loss: ResourceLoss) -> CauseName:
    if loss.kind in FILE_KINDS:
        return "file system"
    return "cpu" if loss.kind == "node" else loss.kind  # type: ignore[return-value]


def _calls(loss: ResourceLoss) -> str:
    """Return the estimate's resource to which a loss belongs."""
    if loss.kind == "network":
        return "MPI" if loss.calls_of in ("", "messages") else loss.calls_of
    return loss.mount or loss.resource


def _part_alongside_segments(estimate: RunEstimate, explained: Interval) -> float:
    """Return the part, 0 to 1, of the explained loss that is used for a run with segments."""
    if explained.value > estimate.lost_s.high:
        return 1.0
    if explained.low > estimate.lost_s.value:
        return explained.low / explained.value
    return 0.0


def _shown(estimate: RunEstimate, resource: str) -> float:
    """Return the loss that the run itself shows on a resource, in seconds."""
    return sum(cause.seconds.value for cause in estimate.causes if cause.resource == resource)


def _with_raised(
    estimate: RunEstimate, raised: list[_Raised], names: Mapping[str, str]
) -> RunEstimate:
    """Return the estimate with the losses of raised resources in place of its own losses."""
    from jostle.analysis.estimation.model import Cause

    resources = {each.resource for each in raised}
    kept = [cause for cause in estimate.causes if cause.resource not in resources]
    causes = [
        *kept,
        *(Cause(each.cause, each.named, each.seconds, "neighbours") for each in raised),
    ]
    causes.sort(key=lambda cause: (-cause.seconds.value, cause.cause, cause.resource))
    run_s, own = estimate.run_s, estimate.lost_s
    whole = sum(cause.seconds.value for cause in causes)
    value = min(whole, run_s)
    if whole > value:
        causes = [replace(cause, seconds=_times(cause.seconds, value / whole)) for cause in causes]
    low = max(value - _hypot(cause.seconds.value - cause.seconds.low for cause in causes), 0.0)
    above = value + _hypot(cause.seconds.high - cause.seconds.value for cause in causes)
    # Losses that only the run shows, such as slower cores, remain possible.
    high = min(max(above, own.high), max(run_s, value))
    lost = Interval(value, low, high)
    if len(causes) == 1:
        causes = [replace(causes[0], seconds=lost)]
    slices = max(each.loss.slices * each.loss.slice_ns / 1e9 for each in raised)
    upper: DoubtName = estimate.doubts[1] if own.high > above else "neighbours"
    notes = [
        _note(estimate, [each for each in raised if each.resource == resource], names)
        for resource in dict.fromkeys(each.resource for each in raised)
    ]
    return replace(
        estimate,
        lost_s=lost,
        percent=_times(lost, 100 / run_s) if run_s > 0 else estimate.percent,
        coverage=max(estimate.coverage, min(slices / run_s, 1.0)) if run_s > 0 else 0.0,
        causes=causes,
        hits=_hits(estimate, raised),
        limits=[*notes, *estimate.limits],
        doubts=("neighbours", upper),
    )


def _note(estimate: RunEstimate, raised: list[_Raised], names: Mapping[str, str]) -> str:
    resource = raised[0].resource
    where = names.get(resource, resource)
    where = "messages" if where == "MPI" else where
    return (
        f"On {where} the run by itself shows a loss of "
        f"{seconds_text(_shown(estimate, resource))}; slices with and without its neighbours' "
        f"load show {seconds_text(sum(each.seconds.value for each in raised))}, which is used."
    )


def _hits(estimate: RunEstimate, raised: list[_Raised]) -> list[Hit]:
    """Return the hits in order of time, with new hits for the raised resources."""
    from jostle.analysis.estimation.model import HitPart

    resources = {each.resource for each in raised}
    parts: dict[tuple[int, int, int], list[HitPart]] = {}
    for hit in estimate.hits:
        kept = [part for part in hit.by_cause if part.resource not in resources]
        if kept:
            parts.setdefault((hit.start_ns, hit.end_ns, hit.cluster), []).extend(kept)
    for each in raised:
        for start, end, lost in _lost_slices(estimate, each):
            part = HitPart(each.cause, each.named, lost)
            parts.setdefault((start, end, -1), []).append(part)
    return [_hit(*span, parts[span]) for span in sorted(parts)]


def _lost_slices(estimate: RunEstimate, each: _Raised) -> Iterable[tuple[int, int, float]]:
    """Yield each slice in which time was lost on a raised resource: start, end, ns, and loss, s."""
    lost = [max(seconds, 0.0) for seconds in each.loss.lost]
    length = each.loss.slice_ns
    total = sum(lost)
    scale = each.seconds.value / total if total > 0 else 0.0
    for begin, seconds in zip(each.loss.steps_ns, lost, strict=False):
        start, end = max(begin, estimate.start_ns), min(begin + length, estimate.end_ns)
        if seconds > _LEAST_OF_SLICE * length / 1e9 and end > start:
            yield start, end, scale * seconds


def _hit(start_ns: int, end_ns: int, cluster: int, parts: list[HitPart]) -> Hit:
    from jostle.analysis.estimation.model import Hit

    parts.sort(key=lambda part: -part.seconds)
    seconds = sum(part.seconds for part in parts)
    return Hit(start_ns, end_ns, seconds, parts[0].cause, parts[0].resource, cluster, parts)


def _within(
    interference: JobInterference, estimate: RunEstimate, tested: Interval
) -> JobInterference:
    """Return the interference, reduced so that it explains no more than the estimate's loss.

    Its percentages then refer to the run time of the estimate.

    Args:
        interference: The interference. Suspects that were found by account already have their parts
            of the estimate's loss.
        estimate: The loss.
        tested: Loss that the statistical test attributes to neighbours.
    """
    by_account = accounted_s(interference)
    room = max(estimate.lost_s.value - by_account, 0.0)
    scale = min(room / tested.value, 1.0) if tested.value > 0 else 1.0
    seconds = _times(tested, scale if interference.evident else 1.0)
    seconds = Interval(*(end + by_account for end in (seconds.value, seconds.low, seconds.high)))
    part = 100 / estimate.run_s if estimate.run_s > 0 else 0.0

    def of(how: str) -> float:
        return scale if how == "test" else 1.0

    by_name = {loss.resource: loss.how for loss in interference.resources}
    return replace(
        interference,
        run_s=estimate.run_s,
        seconds=seconds,
        percent=_times(seconds, part),
        resources=[
            replace(
                loss,
                lost=[of(loss.how) * each for each in loss.lost],
                seconds=_times(loss.seconds, of(loss.how) if loss.evident else 1.0),
            )
            for loss in interference.resources
        ],
        suspects=[
            replace(suspect, seconds=_times(suspect.seconds, of(suspect.how)))
            for suspect in interference.suspects
        ],
        disturbed=[
            replace(
                disturbed, seconds=of(by_name.get(disturbed.resource, "test")) * disturbed.seconds
            )
            for disturbed in interference.disturbed
        ],
    )


def _times(interval: Interval, factor: float) -> Interval:
    return Interval(factor * interval.value, factor * interval.low, factor * interval.high)


def _hypot(widths: Iterable[float]) -> float:
    return math.hypot(*widths)
