"""Tests whether a load explains a slowdown: partial rank correlation with shifted loads.

Slices are autocorrelated: slow slices follow each other, and loads come in bursts. A test that
treats slices as independent finds suspects everywhere. Here the load is shifted in time against the
job: an unrelated load fits the slowdown as well after the shift as before. Shifts are circular, and
longer than the shorter correlation time of load and slowdown. A strictly periodic load is the same
again after each period, so its time axis is also stretched and shrunk, which gives other periods.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.identification.resources.shared import Floats
from jostle.analysis.identification.resources.syncs import ranks

Flags = NDArray[np.bool_]

#: Fewest evaluated slices for a test.
FEWEST = 16
#: Fewest shifts for a test at the 5 % level.
_SHIFTS = 39
_STRETCH = (0.62, 0.88)  # factors, with their inverses: other periods than the load's own
_POINTS = 8_000  # slices of all stretched loads together
_ALIKE = 0.1  # least part of a load that own phases do not explain, for a test
_FORGOT = 0.2  # autocorrelation


@dataclass(frozen=True)
class Test:
    """Result of the test whether a load explains a slowdown.

    Attributes:
        correlation: Partial rank correlation of load and slowdown at the best lag.
        lag: The lag with the greatest correlation, in slices; positive: the load comes before the
            slowdown.
        p: Share of shifted loads that fit at least as well as the real load; 1 if the load could
            not be tested.
        smallest: The smallest possible p, which depends on the number of shifts.
        critical: Correlation that only 5 % of the shifted loads reach.
        alike: Whether the load cannot be tested, since it rises and falls with the job's own phases
            or never changes.
    """

    correlation: float
    lag: int
    p: float
    smallest: float
    critical: float
    alike: bool


NOTHING = Test(0.0, 0, 1.0, 1.0, 1.0, alike=False)


def own_phases(kind: NDArray[np.int64], scored: Flags, slow: Floats, own: list[Floats]) -> Floats:
    """Return an orthonormal basis of the job's own causes of slow slices.

    These causes are the class of the operations, and the job's own load. If more own load goes with
    slower operations, the job slows itself. If slow slices have less own load, it is left out: that
    is an effect of interference on a job that waits for each operation.

    Args:
        kind: Class of the operations in each slice.
        scored: Slices that are evaluated.
        slow: The slowdown of each slice.
        own: Series that describe the job's own load per slice, such as its number of processes.

    Returns:
        The basis, shape (slices, columns), zero in slices that are not evaluated. The first columns
        are those of the classes.
    """
    if not scored.any():
        return np.zeros((len(scored), 0))
    columns = [((kind == k) & scored).astype(float) for k in np.unique(kind[scored])]
    base = _orthonormal(columns)
    for values in own:
        level = np.zeros(len(scored))
        level[scored] = ranks(values[scored])
        free = level - base @ (base.T @ level)
        rank = np.zeros(len(scored))
        rank[scored] = ranks(slow[scored])
        rank -= base @ (base.T @ rank)
        norms = float(np.linalg.norm(free) * np.linalg.norm(rank))
        if norms > 1e-9 and float(free @ rank) / norms > 2 / np.sqrt(scored.sum()):
            base = _orthonormal([*base.T, level])
    return base


def _orthonormal(columns: list[Floats]) -> Floats:
    kept: list[Floats] = []
    for column in columns:
        free = column.astype(float)
        for other in kept:
            free = free - other * float(other @ free)
        norm = float(np.linalg.norm(free))
        if norm > 1e-6 * max(float(np.linalg.norm(column)), 1e-300):
            kept.append(free / norm)
    return np.array(kept).T if kept else np.zeros((len(columns[0]) if columns else 0, 0))


class Moved:
    """The slowdown of a job on one resource, prepared for tests with loads shifted in time."""

    def __init__(self, slow: Floats, scored: Flags, base: Floats, lags: tuple[int, int]) -> None:
        """Prepare the tests.

        Args:
            slow: The slowdown of each slice.
            scored: Slices that are evaluated.
            base: Basis of the job's own causes, from `own_phases`.
            lags: The smallest and the greatest lag that are tried, slices.
        """
        self._slow, self._scored = slow, scored
        self.size = len(slow)
        self.count = int(scored.sum())
        level = np.zeros(self.size)
        if self.count:
            level[scored] = ranks(slow[scored])
        free = level - base @ (base.T @ level)
        self._norm = float(np.linalg.norm(free))
        self._free = free
        self._lags = lags
        self._base = base
        padded = np.vstack([free, scored.astype(float), *base.T])
        self._spectra = np.conj(np.fft.rfft(padded, axis=1))

    def alongside(self, load: Floats) -> Moved:
        """Return the slowdown without the part that one load explains, to test further loads."""
        scored = self._scored
        level = np.where(scored, ranks(load), 0.0)
        there = np.where(scored, load > 0, 0.0)  # its mere presence may do the harm
        base = _orthonormal([*self._base.T, there, level])
        return Moved(self._slow, scored, base, self._lags)

    def fits(self, loads: Floats) -> tuple[Floats, Floats]:
        """Return the partial correlation for every circular shift of loads.

        Args:
            loads: Shape (loads, slices).

        Returns:
            Two arrays of shape (loads, shifts); in entry s, the load is s slices later than it was.
            The first has the correlations. The second has the part of each load's variance that the
            job's own causes do not explain.
        """
        spectra = np.fft.rfft(loads, axis=1)
        # Sum over t of column(t) * load(t - s), which np.fft gives at -s: the slowdown without own
        # causes, the evaluated slices, then the basis.
        crossed = np.fft.irfft(self._spectra[None, :, :] * spectra[:, None, :], self.size, axis=2)
        squares = np.fft.irfft(
            self._spectra[1][None, :] * np.fft.rfft(loads**2, axis=1), self.size, axis=1
        )
        whole = np.maximum(squares - crossed[:, 1] ** 2 / max(self.count, 1), 0)
        left = np.maximum(squares - (crossed[:, 2:] ** 2).sum(axis=1), 0)
        fit = crossed[:, 0] / np.sqrt(np.maximum(left, 1e-12)) / max(self._norm, 1e-12)
        share = left / np.maximum(whole, 1e-12)
        fit = np.where((left > 1e-9) & (share > _ALIKE) & (whole > 1e-9), fit, 0.0)
        back = np.concatenate([[0], np.arange(self.size - 1, 0, -1)])
        share = np.where(whole > 1e-9, share, 0.0)
        return np.clip(fit, -1, 1)[:, back], share[:, back]

    def at_least(self, slow: Floats, scored: Flags, load: Floats) -> float:
        """Return the greatest correlation, over the lags, of a load with another slowdown.

        Args:
            slow: The other slowdown, of the same slices.
            scored: Slices that are evaluated.
            load: The load.
        """
        other = Moved(slow, scored, self._base, self._lags)
        fit = other.fits(ranks(load)[None, :])[0][0]
        return max(float(fit[lag % self.size]) for lag in range(self._lags[0], self._lags[1] + 1))

    def _best(self, fit: Floats) -> Floats:
        """Return the greatest correlation over the lags, for each shift."""
        tried = range(self._lags[0], self._lags[1] + 1)
        return np.asarray(np.max([np.roll(fit, -lag, axis=-1) for lag in tried], axis=0))

    def test(self, load: Floats) -> Test:
        """Test one load; the p value accounts for the search over lags."""
        if self._norm < 1e-9 or self.count < FEWEST or not load.any():
            return NOTHING
        level = ranks(load)
        fit, share = (values[0] for values in self.fits(level[None, :]))
        tried = list(range(self._lags[0], self._lags[1] + 1))
        seen = np.array([fit[lag % self.size] for lag in tried])
        if not any(share[lag % self.size] > _ALIKE for lag in tried):
            return Test(0.0, 0, 1.0, 1.0, 1.0, alike=True)
        lag = tried[int(np.argmax(seen))]
        found = float(seen.max())
        apart = self._apart(level)
        null = [self._best(fit)[apart : self.size - apart]] if self.size > 2 * apart else []
        index = np.floor(np.arange(self.size)[None, :] * self._factors()[:, None])
        stretched = level[index.astype(np.int64) % self.size]
        null.append(self._best(self.fits(stretched)[0]).reshape(-1))
        moved = np.concatenate(null) if null else np.zeros(0)
        if len(moved) < _SHIFTS:
            return Test(found, lag, 1.0, 1.0, 1.0, alike=False)
        smallest = 1 / (1 + len(moved))
        p = (1 + int((moved >= found - 1e-12).sum())) * smallest
        return Test(found, lag, p, smallest, float(np.quantile(moved, 0.95)), alike=False)

    def _apart(self, level: Floats) -> int:
        """Return the smallest shift that the test uses, in slices.

        At smaller shifts, load and slowdown still resemble themselves: the autocorrelation of both
        is large.
        """
        spans = []
        for values in (level - level.mean(), self._free):
            power = np.abs(np.fft.rfft(values)) ** 2
            same = np.fft.irfft(power, self.size)
            below = np.flatnonzero(same < _FORGOT * max(same[0], 1e-12))
            spans.append(int(below[0]) if len(below) else self.size // 2)
        return max(min(min(spans), self.size // 3), 1) + self._lags[1]

    def _factors(self) -> Floats:
        many = int(np.clip(_POINTS // max(self.size, 1), 4, 24)) // 2
        below = np.geomspace(*_STRETCH, many)
        return np.concatenate([below, 1 / below])
