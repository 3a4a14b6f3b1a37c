"""Downsamples time series for a screen: any span in a few thousand points, with all peaks.

Each point of level k has the minimum, mean and maximum of 2^k steps. A request for a span gets the
finest level that has no more points in the span than were requested.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
#: Number of steps of a level that make one of the next.
FACTOR = 2


@dataclass(frozen=True)
class Level:
    """A series at one resolution.

    Attributes:
        step_ns: Length of a step, in ns.
        low: Least value in each step; NaN where there is none.
        mean: Mean value in each step.
        high: Greatest value in each step.
    """

    step_ns: int
    low: Floats
    mean: Floats
    high: Floats


@dataclass(frozen=True)
class Mipmap:
    """A series at all resolutions, the finest first.

    Attributes:
        start_ns: Start of the series, a multiple of the finest step.
        levels: The series at each resolution.
    """

    start_ns: int
    levels: tuple[Level, ...]

    @classmethod
    def of(cls, start_ns: int, step_ns: int, values: Floats) -> Mipmap:
        """Compute all levels of a series.

        Args:
            start_ns: Start of the first step, ns since the epoch.
            step_ns: Length of a step, in ns.
            values: One value per step; NaN where there is none.
        """
        levels = [Level(step_ns, values, values, values)]
        while len(levels[-1].mean) > FACTOR:
            levels.append(_coarser(levels[-1]))
        return cls(start_ns, tuple(levels))

    def cut(self, from_ns: int, to_ns: int, points: int) -> tuple[int, Level]:
        """Return the steps for a chart of a span.

        Args:
            from_ns: Start of the span.
            to_ns: End of the span.
            points: Largest number of points.

        Returns:
            Start of the first step, and the finest level with at most `points` steps in the span.
            The level is cut to the span, with one more step on both sides.
        """
        for level in self.levels:
            first = max((from_ns - self.start_ns) // level.step_ns - 1, 0)
            last = min(-(-(to_ns - self.start_ns) // level.step_ns) + 1, len(level.mean))
            if last - first <= points or level is self.levels[-1]:
                break
        part = slice(first, max(last, first))
        cut = Level(level.step_ns, level.low[part], level.mean[part], level.high[part])
        return self.start_ns + first * level.step_ns, cut


def _coarser(fine: Level) -> Level:
    count = -(-len(fine.mean) // FACTOR)

    def blocks(values: Floats) -> Floats:
        padded = np.full(count * FACTOR, np.nan)
        padded[: len(values)] = values
        return padded.reshape(count, FACTOR)

    low, mean, high = blocks(fine.low), blocks(fine.mean), blocks(fine.high)
    known = ~np.isnan(mean)
    some = known.any(axis=1)
    sums = np.where(known, mean, 0).sum(axis=1)
    return Level(
        fine.step_ns * FACTOR,
        np.where(some, np.where(known, low, np.inf).min(axis=1), np.nan),
        np.where(some, sums / np.maximum(known.sum(axis=1), 1), np.nan),
        np.where(some, np.where(known, high, -np.inf).max(axis=1), np.nan),
    )
