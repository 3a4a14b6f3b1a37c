"""Computes the seconds lost, each suspect's share, and the slices where they were lost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jostle.analysis.identification.case import Case, cut
from jostle.analysis.identification.evidence import Moved
from jostle.analysis.identification.resampling import drawn
from jostle.analysis.identification.resources import Floats, SharedResource
from jostle.analysis.identification.service_time import Flags, ServiceTimes, quiet_slices, service
from jostle.analysis.interval import Interval

Rng = np.random.Generator

_STEPS = 25
#: Part of its usual height from which on a load counts.
_LOADED = 0.05
#: Parts of a slice: a guilty one must be expected to have lost so much, and with what it lost
#: to all appearances so much on average.
_EXPECTED, _LOST = 0.02, 0.035
#: Of the loss, where no undisturbed slice is free of others: how much less it may be.
_DOUBT = 0.25
_SURE = 4  # with a quarter of the undisturbed slices unclean, none of them need be undisturbed
_FASTEST = 0.01  # quantile of the slowdowns: the undisturbed one is surely not below it
_CLEAN = 0.1  # of the calm slices: so many may have others in them
#: Suspects with less of the loss than this were only there at the time.
LEAST_SHARE = 0.05


@dataclass(frozen=True)
class Price:
    """What the suspects cost the job on one resource.

    Attributes:
        seconds: Run time lost.
        evident: The part of it in which slices with the suspects differ from those without, by
            chance alone.
        shares: Part of each suspect, with its interval.
        lost: Seconds lost per slice (0 where no suspect was, nor just before; where calm slices
            are unclean, 0 where nobody was: what those lost that nobody is blamed for is in it).
        guilty: Slices in which it shows.
        slowdown: Service time in loaded slices / undisturbed; None where there are none.
        service: What the slices were judged by, with the suspects' absence for undisturbed.
    """

    seconds: Interval
    evident: Interval
    shares: dict[str, Interval]
    lost: Floats
    guilty: Flags
    slowdown: float | None
    service: ServiceTimes


def price(resource: SharedResource, loads: dict[str, Floats], lag: int, rng: Rng) -> Price:
    """Price the loads of suspects on a resource.

    Args:
        resource: The resource.
        loads: Their loads, each moved by its lag.
        lag: Slices after a load that are not yet quiet.
        rng: For the bootstrap.
    """
    heights = np.array([np.minimum(load / _usual(load), 2.0) for load in loads.values()]).T
    load = np.asarray(heights.sum(axis=1))
    quiet = quiet_slices(load, 1 if lag else 0)
    served = service(resource, quiet)
    whole = np.where(served.judged, served.spent / np.maximum(served.expected, 1e-12), 1.0)
    loaded = served.judged & (load > _LOADED * _usual(load))
    calm, hit = served.judged & quiet & ~loaded, served.judged & (loaded | ~quiet)
    rest = np.maximum(resource.others - np.sum([resource.loads[name] for name in loads], axis=0), 0)
    unclean = _unclean(resource, calm if calm.any() else served.judged)
    if unclean:
        heights = np.column_stack([heights, np.minimum(rest / _usual(rest), 2.0)])
    ratio = cut(cut(whole, loaded), calm)
    case = Case(resource.busy, whole, ratio, heights, served, calm, hit, unclean)
    rows = np.flatnonzero(served.judged)
    fitted, strengths = case.fit(rows)
    level = case.level(np.flatnonzero(case.calm), fitted)
    lost = np.zeros(len(load))
    lost[hit] = case.lost(np.flatnonzero(hit), level)
    seconds, evident, shares = drawn(case, lost, strengths, list(loads), rng)
    if unclean:
        hurt = np.flatnonzero(hit | (served.judged & (rest > _LOADED * _usual(rest))))
        lost[hurt] = case.lost(hurt, case.without_others(level, fitted))
    part = heights[:, : len(loads)] @ strengths[: len(loads)]
    expected = np.where(served.judged, resource.busy * part / (fitted + heights @ strengths), 0.0)
    seconds = _doubted(seconds, float(lost.sum()), case)
    here, gone = float(resource.busy[hit].sum()), float(lost.sum())
    slowdown = here / (here - gone) if here > gone > -here else None
    length = resource.axis[1] / 1e9
    guilty = (expected >= _EXPECTED * length) & (expected + lost >= 2 * _LOST * length)
    return Price(seconds, evident, shares, lost, guilty, slowdown, served)


def _unclean(resource: SharedResource, calm: Flags) -> float:
    """Return the share of the undisturbed slices in which others, not suspected, were active."""
    others = resource.others
    if not calm.any() or not others.any():
        return 0.0
    share = float((others[calm] > _LOADED * _usual(others)).mean())
    return share if share >= _CLEAN else 0.0


def _doubted(seconds: Interval, value: float, case: Case) -> Interval:
    """Widen an interval where the undisturbed slices may be none.

    Jobs without evidence may still have cost something, then too in the slices that stand for
    undisturbed. At most it is what all slices lost against the fastest of them.

    Args:
        seconds: What slices with suspects lost against those without.
        value: The same against what is left without others.
        case: What was priced.
    """
    if not case.unclean:
        return seconds
    value = max(value, seconds.value)
    rows = np.flatnonzero(case.served.judged)
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
    """Find the smallest loss that the test would have seen, in seconds.

    A slowdown in step with the load is put on top of the job's slices, growing until the test's
    critical correlation is passed; what that would have cost is the answer.

    Args:
        resource: The resource.
        served: How it served the job.
        load: The load of all others.
        moved: Of the slowdown as it was.
        level: Critical correlation.
    """
    judged = served.judged
    busy = float(resource.busy[load > 0].sum())
    if not judged.any() or not load.any() or level >= 1:
        return busy
    shape = np.where(judged, np.minimum(load / _usual(load), 1.0), 0.0)
    if float(np.std(shape[judged])) < 1e-6:
        return busy
    still = served.slow.copy()
    here, gone = judged & (shape > 0.5), judged & (shape <= _LOADED)
    if here.any() and gone.any():
        still[here] -= np.median(still[here]) - np.median(still[gone])
    noise = float(np.std(still[judged]))
    for strength in np.geomspace(0.002, 3.0, _STEPS):
        slow = still + strength * shape
        if moved.at_least(slow, judged, load) > level + (1 - level) * 0.1 or strength > 8 * noise:
            part = 1 - np.exp(-strength * shape)
            return float((resource.busy * part)[judged].sum())
    return busy
