"""Computes the seconds that suspects cost a job, their shares, and the slices with a loss."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from jostle.analysis.identification.resources.service_time import (
    Flags,
    ServiceTimes,
    quiet_slices,
    service,
)
from jostle.analysis.identification.resources.shared import Floats, SharedResource
from jostle.analysis.identification.statistics.case import Case, cut
from jostle.analysis.identification.statistics.evidence import Moved
from jostle.analysis.identification.statistics.resampling import drawn
from jostle.analysis.interval import Interval

Rng = np.random.Generator

_STEPS = 25
#: A load counts from this part of its usual height on.
_LOADED = 0.05
#: Parts of a slice: in a slice with interference the expected loss is at least the first, and the
#: mean of expected and measured loss at least the second.
_EXPECTED, _LOST = 0.02, 0.035
#: Part of the loss by which it may be smaller if no undisturbed slice is free of other jobs.
_DOUBT = 0.25
_SURE = 4  # with a quarter of the undisturbed slices unclean, perhaps none is undisturbed
_FASTEST = 0.01  # quantile of the slowdowns: certainly no more than the undisturbed one
_CLEAN = 0.1  # of the calm slices: this part may contain load of other jobs
#: Suspects with a smaller share of the loss are dropped: they merely ran at that time.
LEAST_SHARE = 0.05


@dataclass(frozen=True)
class SuspectLoss:
    """The loss that the suspects caused the job on one resource.

    Attributes:
        seconds: Run time lost, seconds.
        evident: Run time lost, with an interval from the sampling error only.
        shares: For each suspect, its part of the loss.
        lost: Seconds lost per slice. It is 0 in slices without load of suspects, in them or just
            before. If other jobs were often active in the slices that count as undisturbed, the
            loss through jobs that are no suspects is included; then it is 0 only in slices without
            any other job.
        disturbed: Slices in which the loss is large enough to be shown.
        slowdown: Service time in loaded slices, divided by the undisturbed one; None: there are no
            loaded slices.
        service: Service times, relative to the slices without load of suspects.
    """

    seconds: Interval
    evident: Interval
    shares: dict[str, Interval]
    lost: Floats
    disturbed: Flags
    slowdown: float | None
    service: ServiceTimes


def suspect_loss(
    resource: SharedResource, loads: dict[str, Floats], lag: int, rng: Rng
) -> SuspectLoss:
    """Compute the loss that the loads of suspects caused on a resource.

    Args:
        resource: The resource.
        loads: For each suspect, its load, shifted by its lag.
        lag: Number of slices after a load that may still be disturbed.
        rng: Random generator of the bootstrap.
    """
    heights = np.array([np.minimum(load / _usual(load), 2.0) for load in loads.values()]).T
    load = np.asarray(heights.sum(axis=1))
    quiet = quiet_slices(load, 1 if lag else 0)
    served = service(resource, quiet)
    whole = np.where(served.scored, served.spent / np.maximum(served.expected, 1e-12), 1.0)
    loaded = served.scored & (load > _LOADED * _usual(load))
    calm, hit = served.scored & quiet & ~loaded, served.scored & (loaded | ~quiet)
    rest = np.maximum(resource.others - np.sum([resource.loads[name] for name in loads], axis=0), 0)
    unclean = _unclean(resource, calm if calm.any() else served.scored)
    if unclean:
        heights = np.column_stack([heights, np.minimum(rest / _usual(rest), 2.0)])
    ratio = cut(cut(whole, loaded), calm)
    case = Case(resource.busy, whole, ratio, heights, served, calm, hit, unclean)
    rows = np.flatnonzero(served.scored)
    fitted, strengths = case.fit(rows)
    level = case.level(np.flatnonzero(case.calm), fitted)
    lost = np.zeros(len(load))
    lost[hit] = case.lost(np.flatnonzero(hit), level)
    seconds, evident, shares = drawn(case, lost, strengths, list(loads), rng)
    if unclean:
        hurt = np.flatnonzero(hit | (served.scored & (rest > _LOADED * _usual(rest))))
        lost[hurt] = case.lost(hurt, case.without_others(level, fitted))
    part = heights[:, : len(loads)] @ strengths[: len(loads)]
    expected = np.where(served.scored, resource.busy * part / (fitted + heights @ strengths), 0.0)
    seconds = _doubted(seconds, float(lost.sum()), case)
    here, gone = float(resource.busy[hit].sum()), float(lost[hit].sum())
    slowdown = here / (here - gone) if here > gone > -here else None
    length = resource.axis[1] / 1e9
    disturbed = (expected >= _EXPECTED * length) & (expected + lost >= 2 * _LOST * length)
    return SuspectLoss(seconds, evident, shares, lost, disturbed, slowdown, served)


def within_bound(loss: SuspectLoss, resource: SharedResource, run_s: float) -> SuspectLoss:
    """Widen the interval of a loss by the uncertainty of the job's sensitivity to memory.

    Args:
        loss: Loss on the resource, computed with the best estimate of the sensitivity.
        resource: The resource. If it has no sensitivity (`bound`), the loss is not changed.
        run_s: Length of the run, seconds. The loss cannot be greater.
    """
    bound, seconds = resource.bound, loss.seconds
    if bound is None or bound.value <= 0:
        return loss
    low = seconds.low * bound.low / bound.value
    high = min(seconds.high * bound.high / bound.value, max(run_s, seconds.value))
    return replace(loss, seconds=Interval(seconds.value, low, max(high, seconds.high)))


def _unclean(resource: SharedResource, calm: Flags) -> float:
    """Return the share of the calm slices in which other jobs were active; 0 if it is small."""
    others = resource.others
    if not calm.any() or not others.any():
        return 0.0
    share = float((others[calm] > _LOADED * _usual(others)).mean())
    return share if share >= _CLEAN else 0.0


def _doubted(seconds: Interval, value: float, case: Case) -> Interval:
    """Widen the interval of a loss if the slices that count as undisturbed may be disturbed too.

    Jobs without evidence may still have caused a loss, also in the slices that count as
    undisturbed. The loss is at most the time by which all slices are slower than the fastest ones.

    Args:
        seconds: Loss in the slices with suspects, compared with the slices without suspects.
        value: Loss compared with slices without any other job, as the regression estimates them.
        case: The input of the computation.
    """
    if not case.unclean:
        return seconds
    value = max(value, seconds.value)
    rows = np.flatnonzero(case.served.scored)
    most = max(float(case.lost(rows, case.fastest(_FASTEST)).sum()), seconds.high, value)
    high = max(seconds.high, value)
    return Interval(
        value,
        seconds.low - _DOUBT * case.unclean * abs(seconds.value),
        high + min(_SURE * case.unclean, 1.0) * (most - high),
    )


def _usual(load: Floats) -> float:
    return float(np.quantile(load[load > 0], 0.9)) if (load > 0).any() else 1.0


def smallest_loss(
    resource: SharedResource, served: ServiceTimes, load: Floats, moved: Moved, level: float
) -> float:
    """Return the smallest loss that the test would have detected, in seconds.

    A slowdown proportional to the load is added to the job's slices and increased until the test's
    critical correlation is passed; the loss at that point is returned.

    Args:
        resource: The resource.
        served: Service times of the job's operations there.
        load: The load of all others.
        moved: The measured slowdown, prepared for tests.
        level: Critical correlation of the test.
    """
    scored = served.scored
    busy = float(resource.busy[load > 0].sum())
    if not scored.any() or not load.any() or level >= 1:
        return busy
    shape = np.where(scored, np.minimum(load / _usual(load), 1.0), 0.0)
    if float(np.std(shape[scored])) < 1e-6:
        return busy
    still = served.slow.copy()
    here, gone = scored & (shape > 0.5), scored & (shape <= _LOADED)
    if here.any() and gone.any():
        still[here] -= np.median(still[here]) - np.median(still[gone])
    noise = float(np.std(still[scored]))
    for strength in np.geomspace(0.002, 3.0, _STEPS):
        slow = still + strength * shape
        if moved.at_least(slow, scored, load) > level + (1 - level) * 0.1 or strength > 8 * noise:
            part = 1 - np.exp(-strength * shape)
            return float((resource.busy * part)[scored].sum())
    return busy


def counted_once(losses: Sequence[tuple[str, str, Interval]], whole_s: float) -> list[Interval]:
    """Scale the losses of a job on several nodes down, so that all of its losses may be added up.

    A job waits for the slowest of its nodes, so it loses the same time on each of them. The losses
    on nodes are scaled so that the sum of all losses is `whole_s`. But the losses on all nodes
    together remain at least the loss on the worst node.

    Args:
        losses: The losses; each is the name of the resource, its kind, and the seconds lost there
            to one suspect.
        whole_s: Seconds that the job lost in total, with each instant counted once.
    """
    by_node: dict[str, float] = defaultdict(float)
    others = 0.0
    for resource, kind, seconds in losses:
        if kind == "node":
            by_node[resource] += seconds.value
        else:
            others += seconds.value
    added = sum(by_node.values())
    most = max(whole_s - others, max(by_node.values(), default=0.0))
    part = min(most / added, 1.0) if added > 0 else 1.0
    return [
        Interval(part * each.value, part * each.low, part * each.high) if kind == "node" else each
        for _, kind, each in losses
    ]
