"""Seconds lost, whose load they go to, and the slices where it happened."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.estimation.model import Bounded
from jostle.analysis.identification.evidence import Moved
from jostle.analysis.identification.places import Floats, Place
from jostle.analysis.identification.regression import nonnegative
from jostle.analysis.identification.service import QUIET, Flags, Service, quiet_slices, service

Rng = np.random.Generator

_DRAWS = 200
_STEPS = 25
#: Part of its usual height from which on a load counts.
_LOADED = 0.05
#: Parts of a slice: a guilty one must be expected to have lost so much, and with what it lost
#: to all appearances so much on average.
_EXPECTED, _LOST = 0.02, 0.035
_FEW_CALM = (
    0.02  # of the slices: with fewer undisturbed ones the regression says what undisturbed is
)
#: Deviations (of a normal spread) above the median beyond which a slice is a single stall.
_STALL = 2.5
#: Of the loss, where no undisturbed slice is free of others: how much less it may be.
_DOUBT = 0.25
_SURE = 4  # with a quarter of the undisturbed slices unclean, none of them need be undisturbed
#: Quantiles of the slowdowns: the undisturbed one is hardly below this, surely not below that.
_FASTER, _FASTEST = 0.05, 0.01
_LEAST_DOUBT = 0.06  # of a loss: calls booked in a slice to which they do not belong alone
_CLEAN = 0.1  # of the calm slices: so many may have others in them
_HIGHEST = 0.995  # quantile of slowdowns at which single stalls are cut for the regression
#: Suspects with less of the loss than this were only there at the time.
LEAST_SHARE = 0.05


@dataclass(frozen=True)
class Price:
    """What the suspects cost the job on one resource.

    Attributes:
        seconds: Run time lost.
        evident: The part of it in which slices with the suspects differ from those without.
        shares: Part of each suspect, with its interval.
        lost: Seconds lost per slice (0 where no suspect was; where calm slices are unclean, 0
            where nobody was: what those lost that nobody is blamed for is in it).
        guilty: Slices in which it shows.
        slowdown: Service time in loaded slices / undisturbed; None where there are none.
        service: What the slices were judged by, with the suspects' absence for undisturbed.
    """

    seconds: Bounded
    evident: Bounded
    shares: dict[str, Bounded]
    lost: Floats
    guilty: Flags
    slowdown: float | None
    service: Service


@dataclass(frozen=True)
class _Case:
    """Slices, loads and slowdowns of one price.

    Attributes:
        busy: Seconds there of the process that counts.
        ratio: Time spent / expected; 1 where not judged.
        heights: Loads as parts of their usual height, shape (slices, suspects); one more for all
            that is not suspected, where calm slices are unclean.
        served: How the resource served the job; calm, loaded: slices without and with suspects.
        unclean: Share of the calm slices in which others, not suspected, were active.
    """

    busy: Floats
    ratio: Floats
    heights: Floats
    served: Service
    calm: Flags
    loaded: Flags
    unclean: float

    @property
    def calm_known(self) -> bool:
        """There are enough undisturbed slices."""
        many = int(self.calm.sum())
        return many >= max(QUIET, _FEW_CALM * int(self.served.judged.sum()))

    def fit(self, rows: NDArray[np.int64]) -> tuple[float, Floats]:
        """Fits ratio = level + sum of strength * height, nothing negative.

        Returns:
            The undisturbed level and the strengths.
        """
        weight = np.sqrt(np.maximum(self.busy[rows], 1e-9))
        target = np.minimum(self.ratio, np.quantile(self.ratio[rows], _HIGHEST))[rows] * weight
        columns = np.column_stack([np.ones(len(rows)), self.heights[rows]]) * weight[:, None]
        found = nonnegative(columns, target)
        return max(float(found[0]), 0.05), np.asarray(found[1:])

    def level(self, calm: NDArray[np.int64], fitted: float) -> float:
        """Gives the undisturbed ratio: references are medians, prices are means."""
        if not self.calm_known:
            return fitted
        return float(np.average(self.ratio[calm], weights=self.served.expected[calm]))

    def without_others(self, level: float, fitted: float) -> float:
        """Gives the undisturbed ratio where others were active in calm slices.

        The regression tells what is left without them; but hardly less than the fastest slices.
        """
        least = max(fitted, self.fastest(_FASTER))
        return level + self.unclean * min(least - level, 0.0)

    def fastest(self, part: float) -> float:
        """Gives the ratio that only such a part of the slices stays below."""
        return float(np.quantile(self.ratio[self.served.judged], part))

    def lost(self, rows: NDArray[np.int64], level: float) -> Floats:
        """Gives seconds beyond what the operations usually take.

        Negative where they went faster: cutting that off would make losses of noise.
        """
        part = 1 - level / np.maximum(self.ratio[rows], 1e-12)
        return np.asarray(self.busy[rows] * np.clip(part, -1, 1))


def price(place: Place, loads: dict[str, Floats], lag: int, rng: Rng) -> Price:
    """Prices the loads of suspects on a resource.

    Args:
        place: The resource.
        loads: Their loads, each moved by its lag.
        lag: Slices after a load that are not yet quiet.
        rng: For the bootstrap.
    """
    heights = np.array([np.minimum(load / _usual(load), 2.0) for load in loads.values()]).T
    whole = np.asarray(heights.sum(axis=1))
    quiet = quiet_slices(whole, 1 if lag else 0)
    served = service(place, quiet)
    ratio = np.where(served.judged, served.spent / np.maximum(served.expected, 1e-12), 1.0)
    loaded = served.judged & (whole > _LOADED * _usual(whole))
    calm = served.judged & quiet
    ratio = _cut(_cut(ratio, loaded), calm)
    rest = np.maximum(place.others - np.sum([place.loads[name] for name in loads], axis=0), 0)
    unclean = _unclean(place, calm if calm.any() else served.judged)
    if unclean:
        heights = np.column_stack([heights, np.minimum(rest / _usual(rest), 2.0)])
    case = _Case(place.busy, ratio, heights, served, calm, loaded, unclean)
    rows = np.flatnonzero(served.judged)
    fitted, strengths = case.fit(rows)
    level = case.level(np.flatnonzero(case.calm), fitted)
    lost = np.zeros(len(whole))
    lost[loaded] = case.lost(np.flatnonzero(loaded), level)
    seconds, shares = _drawn(case, lost, strengths, list(loads), rng)
    if unclean:
        hurt = np.flatnonzero(loaded | (served.judged & (rest > _LOADED * _usual(rest))))
        lost[hurt] = case.lost(hurt, case.without_others(level, fitted))
    part = heights[:, : len(loads)] @ strengths[: len(loads)]
    expected = np.where(served.judged, place.busy * part / (fitted + heights @ strengths), 0.0)
    evident = seconds
    seconds = _doubted(seconds, float(lost.sum()), case)
    here, gone = float(place.busy[loaded].sum()), float(lost.sum())
    slowdown = here / (here - gone) if here > gone > -here else None
    length = place.axis[1] / 1e9
    guilty = (expected >= _EXPECTED * length) & (expected + lost >= 2 * _LOST * length)
    return Price(seconds, evident, shares, lost, guilty, slowdown, served)


def _cut(ratio: Floats, members: Flags) -> Floats:
    """Cuts single stalls among slices of a kind, which would make means of a few slices' chance."""
    if not members.any():
        return ratio
    level = np.log(np.maximum(ratio[members], 1e-12))
    middle = float(np.median(level))
    spread = 1.48 * float(np.median(np.abs(level - middle)))
    most = float(np.exp(min(middle + max(_STALL * spread, 0.1), 50.0)))
    return np.where(members, np.minimum(ratio, most), ratio)


def _unclean(place: Place, calm: Flags) -> float:
    """Gives the share of the undisturbed slices in which others, not suspected, were active."""
    others = place.others
    if not calm.any() or not others.any():
        return 0.0
    share = float((others[calm] > _LOADED * _usual(others)).mean())
    return share if share >= _CLEAN else 0.0


def _doubted(seconds: Bounded, value: float, case: _Case) -> Bounded:
    """Widens an interval where the undisturbed slices may be none.

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
    return Bounded(
        value,
        seconds.low - _DOUBT * case.unclean * abs(seconds.value),
        high + min(_SURE * case.unclean, 1.0) * (most - high),
    )


def _usual(load: Floats) -> float:
    return float(np.quantile(load[load > 0], 0.9)) if (load > 0).any() else 1.0


def _drawn(
    case: _Case, lost: Floats, strengths: Floats, names: list[str], rng: Rng
) -> tuple[Bounded, dict[str, Bounded]]:
    """Adds the loss up and shares it out, with intervals from a bootstrap over blocks of slices.

    Loaded and calm slices are drawn apart, so that the number of disturbed slices stays; the calm
    ones say what undisturbed is, and each draw says it anew.
    """
    value = float(lost.sum())
    rows, still = np.flatnonzero(case.served.judged), np.flatnonzero(case.calm)
    where = np.flatnonzero(case.loaded)
    if not len(where):
        return Bounded(0.0, 0.0, 0.0), {name: Bounded(0.0, 0.0, 0.0) for name in names}
    several = case.heights.shape[1] > 1 or not case.calm_known
    draws, parts = np.empty(_DRAWS), np.empty((_DRAWS, case.heights.shape[1]))
    for k in range(_DRAWS):
        fitted, strong = case.fit(rows[_blocks(len(rows), rng)]) if several else (1.0, strengths)
        calm = still[_blocks(len(still), rng)] if len(still) else still
        pick = where[_blocks(len(where), rng)]
        draws[k] = float(case.lost(pick, case.level(calm, fitted)).sum())
        parts[k] = _parts(case, strong)
    low, high = np.quantile(parts, (0.025, 0.975), axis=0)
    share = _parts(case, strengths)
    return Bounded(value, *_interval(draws, value)), {
        name: Bounded(float(share[k]), float(min(low[k], share[k])), float(max(high[k], share[k])))
        for k, name in enumerate(names)
    }


def _parts(case: _Case, strengths: Floats) -> Floats:
    """Gives each suspect's part of the fitted loss."""
    parts = strengths * (case.heights * case.busy[:, None])[case.served.judged].sum(axis=0)
    total = float(parts.sum())
    return np.asarray(parts / total) if total > 0 else np.zeros(len(strengths))


def _blocks(size: int, rng: Rng) -> NDArray[np.int64]:
    """Draws places with their neighbours, as a moving-block bootstrap does."""
    length = max(round(size ** (1 / 3) * 1.5), 1)
    starts = rng.integers(0, size, -(-size // length))
    return np.asarray((starts[:, None] + np.arange(length)[None, :]).reshape(-1)[:size] % size)


def _interval(draws: Floats, value: float) -> tuple[float, float]:
    low, high = np.quantile(draws, (0.025, 0.975))
    # Few blocks make draws too narrow: widened as Student's t is against the normal, and more.
    wide, least = 1.15, _LEAST_DOUBT * abs(value)
    return float(value - max((value - low) * wide, least)), float(
        value + max((high - value) * wide, least)
    )


def smallest_loss(place: Place, served: Service, load: Floats, moved: Moved, level: float) -> float:
    """Finds the smallest loss that the test would have seen, in seconds.

    A slowdown in step with the load is put on top of the job's slices, growing until the test's
    critical correlation is passed; what that would have cost is the answer.

    Args:
        place: The resource.
        served: How it served the job.
        load: The load of all others.
        moved: Of the slowdown as it was.
        level: Critical correlation.
    """
    judged = served.judged
    busy = float(place.busy[load > 0].sum())
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
            return float((place.busy * part)[judged].sum())
    return busy
