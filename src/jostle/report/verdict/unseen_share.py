"""Attributes losses to GPUs or memory, which segments do not show, if neighbours explain them.

A segment has the time of its calls, and the remaining time. If a rank waits for a slower GPU, only
its remaining time grows, and other ranks wait for it in collectives. Waiting for slower memory
looks the same. So the estimate attributes such a loss to an unknown cause and to the network. If
the load of neighbours on a GPU, on its bus or on a node's memory explains a part of it, this part
is attributed to that resource.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from jostle.analysis.interval import Interval
from jostle.report.format.values import seconds as seconds_text

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import CauseName, Hit, HitPart, RunEstimate
    from jostle.analysis.identification.model import JobInterference, ResourceKind, ResourceLoss

#: Resources whose slowness is visible in no call.
_UNSEEN: dict[ResourceKind, CauseName] = {"gpu": "gpu", "bus": "bus", "memory": "memory"}
#: How a slower GPU, or slower memory, appears in segments: as remaining time, and as waiting for
#: the slowest rank.
_SEEN_AS: tuple[CauseName, ...] = ("unknown", "memory or cpu", "network")


def with_unseen(estimate: RunEstimate, interference: JobInterference) -> RunEstimate:
    """Return an estimate in which losses on GPUs, buses or memory have these as their cause.

    Args:
        estimate: The estimate of a run; without segments it is returned unchanged.
        interference: Loss that the load of the run's neighbours explains.
    """
    from jostle.analysis.estimation.model import Cause

    losses = [
        loss
        for loss in interference.resources
        if loss.kind in _UNSEEN and loss.evident and loss.seconds.value > 0
    ]
    pool = sum(cause.seconds.value for cause in estimate.causes if cause.cause in _SEEN_AS)
    if not losses or not estimate.segments.num_rows or pool <= 0:
        return estimate
    loss = max(losses, key=lambda each: each.seconds.value)
    kind = _UNSEEN[loss.kind]
    moved = min(loss.seconds.value, pool)
    left = 1 - moved / pool
    causes = [
        replace(cause, seconds=_times(cause.seconds, left)) if cause.cause in _SEEN_AS else cause
        for cause in estimate.causes
    ]
    seconds = Interval(moved, min(loss.seconds.low, moved), max(loss.seconds.high, moved))
    causes.append(Cause(kind, loss.resource, seconds, "neighbours"))
    causes.sort(key=lambda cause: (-cause.seconds.value, cause.cause, cause.resource))
    note = (
        f"{seconds_text(moved)} of the loss that segments cannot explain are attributed to "
        f"{loss.resource}: slices with and without the neighbours' load there show it."
    )
    return replace(
        estimate,
        causes=[cause for cause in causes if cause.seconds.value > 0],
        hits=[_hit(hit, loss, kind) for hit in estimate.hits],
        limits=[note, *estimate.limits],
    )


def _hit(hit: Hit, loss: ResourceLoss, kind: CauseName) -> Hit:
    """Return a hit in which lost time in slices with neighbours' load has `kind` as its cause."""
    share = _in_lost_slices(hit, loss)
    parts = list(_parts(hit, loss, kind, share))
    parts.sort(key=lambda part: -part.seconds)
    return replace(hit, cause=parts[0].cause, resource=parts[0].resource, parts=parts)


def _parts(hit: Hit, loss: ResourceLoss, kind: CauseName, share: float) -> Iterator[HitPart]:
    from jostle.analysis.estimation.model import HitPart

    moved = 0.0
    for part in hit.by_cause:
        own = part.seconds * (1 - share) if part.cause in _SEEN_AS else part.seconds
        moved += part.seconds - own
        if own > 0:
            yield replace(part, seconds=own)
    if moved > 0:
        yield HitPart(kind, loss.resource, moved)


def _in_lost_slices(hit: Hit, loss: ResourceLoss) -> float:
    """Return the share of a hit's time that is in slices in which neighbours caused a loss."""
    inside = sum(
        max(min(hit.end_ns, begin + loss.slice_ns) - max(hit.start_ns, begin), 0)
        for begin, seconds in zip(loss.steps_ns, loss.lost, strict=False)
        if seconds > 0
    )
    return min(inside / max(hit.end_ns - hit.start_ns, 1), 1.0)


def _times(interval: Interval, factor: float) -> Interval:
    return Interval(factor * interval.value, factor * interval.low, factor * interval.high)
