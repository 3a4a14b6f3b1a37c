"""Predicts the loss of a load that runs at the same time as another load, from their kinds.

The prediction is the mean loss by two laws of fair share (fair_share.py), plus a correction. The
correction is learned from pairs of loads that met (ran on one mount at the same time), by Gaussian
process regression (Rasmussen and Williams, 2006, section 2.7). It is the sum of four parts: one
depends on the two laws, one on the victim's kind, one on the neighbour's kind, and one on both
kinds together. Pairs that met on another mount count half. For loads that are unlike all known
ones, the correction is 0 and its standard deviation is large.

Intervals are calibrated by conformal prediction (Lei et al., 2018, section 5.2). Each program in
turn is left out with all its pairs, and the losses of these pairs are predicted. Intervals are as
wide as needed to contain 90 % of these losses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

from jostle.analysis.kinds.distance import distances, positions
from jostle.analysis.kinds.fair_share import by_process, by_request, loss_of
from jostle.analysis.kinds.model import LoadKind

Floats = NDArray[np.float64]

#: Share of true losses that are in their intervals.
COVERAGE = 0.9
#: Distance of a kind from all known ones, from which on it is outside of what is known.
OUTSIDE = 1.5
#: Standard deviation of the laws' error without data, percentage points.
_UNSEEN = 25.0
#: Standard deviations of a constant, percentage points; of the slope of the law by process; and of
#: the weight of the law by request, whose mean is a half.
_HEIGHT, _SLOPE, _WEIGHT = 15.0, 0.4, 0.4
_OTHER_MOUNT = 0.5
#: Error of a measured loss, whatever the number of runs, percentage points.
_MEASURED = 4.0
#: Starting points and bounds of the logarithms of the scales: both kinds together, victim,
#: neighbour, noise (percentage points each), and the distance over which kinds are alike.
_START = np.log([6.0, 6.0, 6.0, 6.0, 1.0])
_BOUNDS = [(np.log(low), np.log(high)) for low, high in ((1, 30), (1, 30), (1, 30), (2, 30))] + [
    (np.log(0.5), np.log(3.0))
]
#: An error of a tenth in a scale does not change predictions much.
_ROUGHLY = {"ftol": 1e-4, "maxiter": 20}
_FEWEST_GROUPS, _FEWEST_SCORES = 10, 20
#: Half the width of intervals, in standard deviations, if too few programs met to leave them out:
#: 1.5 times that of a normal distribution, since the scales rest on few data, too.
_UNTRIED = 1.5 * 1.645
_MOST_SAMPLES = 400


@dataclass(frozen=True)
class PairSample:
    """A pair of loads that met, with the loss of one of them.

    Attributes:
        victim: Kind of the load that lost time.
        neighbour: Kind of the other load.
        mount: The mount that both used.
        loss: Loss of the victim, percent of its run time while both ran; below 0 where it was
            faster than usual.
        runs: Number of runs in which such loads met.
        groups: Names of the victim's and the neighbour's program; all pairs with a program are
            left out together when intervals are calibrated.
    """

    victim: LoadKind
    neighbour: LoadKind
    mount: str
    loss: float
    runs: int
    groups: tuple[str, str]


@dataclass(frozen=True)
class PairLoss:
    """A predicted loss, percent of the victim's run time.

    Attributes:
        value: The expected loss, 0 to 100.
        low: Lower end of the 90 % interval.
        high: Upper end of that interval.
        fair: The loss if all processes got the same share of the file system.
        near: Number of known pairs with a similar victim and a similar neighbour (distance of the
            kinds below 1).
        outside: Whether no known pair has a similar victim, or none has a similar neighbour.
    """

    value: float
    low: float
    high: float
    fair: float
    near: int
    outside: bool


@dataclass(frozen=True)
class _Places:
    """The features of several pairs of loads, one row or value per pair.

    Attributes:
        victims: Positions of the victims' kinds in feature space.
        neighbours: Positions of the neighbours' kinds in feature space.
        fair: Loss by fair share between processes, percent.
        queued: Loss by fair share between requests, percent.
        mounts: The mount that both loads use.
    """

    victims: Floats
    neighbours: Floats
    fair: Floats
    queued: Floats
    mounts: NDArray[np.str_]

    @property
    def guess(self) -> Floats:
        """Losses by the two laws of fair share, without a correction, percent."""
        return (self.fair + self.queued) / 2

    @property
    def laws(self) -> Floats:
        """Features on which the correction of the laws depends linearly, shape (3, pairs)."""
        whole = np.ones(len(self.fair))
        along, between = self.fair - 50, self.queued - self.fair
        return np.array([_HEIGHT * whole, _SLOPE * along, _WEIGHT * between])


class PairModel:
    """A model that predicts losses, fitted to pairs of loads that met."""

    def __init__(self, samples: Sequence[PairSample]) -> None:
        """Fit the model.

        Args:
            samples: Pairs of loads that met; may be empty.
        """
        # The work grows with the third power of their number.
        self.samples = samples = sorted(samples, key=lambda each: -each.runs)[:_MOST_SAMPLES]
        self._places = _places([(each.victim, each.neighbour, each.mount) for each in samples])
        losses = np.array([each.loss for each in samples], dtype=np.float64)
        self._left = losses - self._places.guess
        self._runs = np.array([max(each.runs, 1) for each in samples], dtype=np.float64)
        self._scale = _START if len(samples) < _FEWEST_SCORES else self._fitted()
        self._solve(np.ones(len(samples), dtype=bool))
        #: Half the width of intervals, in standard deviations; and whether it was calibrated.
        self.reach, self.calibrated = self._calibrated()

    def predict(self, victim: LoadKind, neighbour: LoadKind, mount: str) -> PairLoss:
        """Return the loss of a victim while a neighbour runs all the time.

        Args:
            victim: Kind of the victim.
            neighbour: Kind of the neighbour.
            mount: The mount that both use.
        """
        place = _places([(victim, neighbour, mount)])
        left, deviation = self._left_at(place)
        middle = float(place.guess[0] + left[0])
        reach = self.reach * float(deviation[0])
        if not (victim.uses_files and neighbour.uses_files):
            middle, reach = 0.0, 0.0
        near, outside = self._near(place)
        value, low, high = (
            float(np.clip(each, 0.0, 100.0)) for each in (middle, middle - reach, middle + reach)
        )
        return PairLoss(value, low, high, float(place.fair[0]), near, outside)

    def _near(self, place: _Places) -> tuple[int, bool]:
        if not self.samples:
            return 0, True
        from_victims = distances(place.victims, self._places.victims)[0]
        from_neighbours = distances(place.neighbours, self._places.neighbours)[0]
        near = int(((from_victims < 1) & (from_neighbours < 1)).sum())
        return near, bool(max(from_victims.min(), from_neighbours.min()) > OUTSIDE)

    # ---- regression ----

    def _solve(self, kept: NDArray[np.bool_]) -> None:
        """Fit the model to those samples that are marked in `kept`."""
        self._kept = _some(self._places, kept)
        size = int(kept.sum())
        if not size:
            return
        noise = np.exp(2 * self._scale[3]) / self._runs[kept] + _MEASURED**2
        close = _Closeness(self._kept, self._kept)
        covariance = close.covariance(self._scale) + np.diag(noise)
        self._factor = cho_factor(covariance, lower=True)
        self._weights = cho_solve(self._factor, self._left[kept])

    def _left_at(self, places: _Places) -> tuple[Floats, Floats]:
        """Return the correction of the laws' losses for some pairs, and its standard deviation."""
        own = np.exp(2 * self._scale[:4]).sum() + _MEASURED**2 + (places.laws**2).sum(axis=0)
        if not len(self._kept.fair):
            return np.zeros(len(places.fair)), np.full(len(places.fair), _UNSEEN)
        across = _Closeness(places, self._kept).covariance(self._scale)
        known = np.einsum("ij,ji->i", across, cho_solve(self._factor, across.T))
        return across @ self._weights, np.sqrt(np.maximum(own - known, 1.0))

    def _fitted(self) -> Floats:
        """Return the scales (parameters) of the regression that make the samples most likely."""
        close = _Closeness(self._places, self._places)

        def unlikely(scale: Floats) -> float:
            noise = np.exp(2 * scale[3]) / self._runs + _MEASURED**2
            covariance = close.covariance(scale) + np.diag(noise)
            factor = cho_factor(covariance, lower=True)
            half = float(np.log(np.diag(factor[0])).sum())
            # A weak prior at the starting point, since few pairs do not determine five scales.
            doubt = float(((scale - _START) ** 2).sum())
            return half + 0.5 * float(self._left @ cho_solve(factor, self._left)) + 0.5 * doubt

        found = minimize(unlikely, _START, method="L-BFGS-B", bounds=_BOUNDS, options=_ROUGHLY)
        return np.asarray(found.x)

    def _calibrated(self) -> tuple[float, bool]:
        """Return half the width of intervals, in standard deviations.

        It is such that intervals contain the losses of 90 % of the pairs of programs that were left
        out. Each program counts equally, however many pairs it has.

        Returns:
            The half width, and whether there were enough programs to calibrate it.
        """
        names = sorted({name for each in self.samples for name in each.groups})
        scores: list[float] = []
        weights: list[float] = []
        for name in names if len(names) >= _FEWEST_GROUPS else ():
            out = np.array([name in each.groups for each in self.samples])
            if out.all():
                continue
            self._solve(~out)
            left, deviation = self._left_at(_some(self._places, out))
            scores += (np.abs(self._left[out] - left) / deviation).tolist()
            weights += [1 / out.sum()] * int(out.sum())
        self._solve(np.ones(len(self.samples), dtype=bool))
        if len(scores) < _FEWEST_SCORES:
            return _UNTRIED, False
        order = np.argsort(scores)
        share = np.cumsum(np.array(weights)[order]) / sum(weights)
        return float(np.array(scores)[order][np.searchsorted(share, COVERAGE)]), True


def _places(pairs: Sequence[tuple[LoadKind, LoadKind, str]]) -> _Places:
    return _Places(
        positions([victim for victim, _, _ in pairs]),
        positions([neighbour for _, neighbour, _ in pairs]),
        np.array([loss_of(by_process(victim, neighbour)) for victim, neighbour, _ in pairs]),
        np.array([loss_of(by_request(victim, neighbour)) for victim, neighbour, _ in pairs]),
        np.array([mount for _, _, mount in pairs], dtype=np.str_),
    )


def _some(places: _Places, kept: NDArray[np.bool_]) -> _Places:
    return _Places(
        places.victims[kept],
        places.neighbours[kept],
        places.fair[kept],
        places.queued[kept],
        places.mounts[kept],
    )


class _Closeness:
    """The distances between pairs, from which covariances are computed for any scales."""

    def __init__(self, ones: _Places, others: _Places) -> None:
        self._victims = distances(ones.victims, others.victims) ** 2
        self._neighbours = distances(ones.neighbours, others.neighbours) ** 2
        self._here = np.where(ones.mounts[:, None] == others.mounts[None, :], 1.0, _OTHER_MOUNT)
        self._laws = ones.laws.T @ others.laws

    def covariance(self, scale: Floats) -> Floats:
        """Return the covariance of the laws' errors for given scales, shape (ones, others)."""
        both, victim, neighbour, _, reach = np.exp(scale)
        victims = np.exp(-self._victims / (2 * reach**2))
        neighbours = np.exp(-self._neighbours / (2 * reach**2))
        kinds = both**2 * victims * neighbours + victim**2 * victims + neighbour**2 * neighbours
        found: Floats = self._here * (kinds + self._laws)
        return found
