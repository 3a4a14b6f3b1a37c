"""Finds the undisturbed range of values of which an unknown share was disturbed upwards.

Interference only ever adds time. So the undisturbed values are the lowest place where many lie
close together, and how much they scatter is told by those below it; both hold when more than half
of all values were hit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jostle.analysis.estimation.columns import Floats

#: Share of the values that makes a place dense; fewer undisturbed ones are not recognised.
_DENSE = 0.15
#: The lowest window that is at most so much wider than the narrowest one begins the search.
_WIDER = 3.0
_AT_MOST = 20_000  # values that are looked at; of more, evenly spaced quantiles
_FEW = 8


@dataclass(frozen=True)
class UndisturbedRange:
    """Where undisturbed values lie.

    Attributes:
        centre: Their mode.
        spread: Median distance of those below from it: an unscaled MAD.
    """

    centre: float
    spread: float

    def threshold(self, least: float) -> float:
        """Return what lies beyond the usual: 4 MAD (thesis 5.1.3), or `least` if that is more."""
        return self.centre + max(4 * self.spread, least)


def usual(values: Floats, grain: float = 1e-3) -> UndisturbedRange:
    """Find the lowest mode of some values, and their scatter around it.

    Args:
        values: At least one.
        grain: What differs by less is the same.
    """
    ordered = np.sort(values)
    if len(ordered) > _AT_MOST:
        places = np.linspace(0, len(ordered) - 1, _AT_MOST).astype(np.int64)
        ordered = ordered[places]
    if len(ordered) < _FEW:
        centre = float(ordered[(len(ordered) - 1) // 2])
        return UndisturbedRange(centre, float(np.median(np.abs(ordered - centre))))
    centre = _climb(ordered, *_lowest_dense(ordered, grain))
    below = centre - ordered[: int(np.searchsorted(ordered, centre, "right"))]
    return UndisturbedRange(centre, float(np.median(below)) if len(below) else 0.0)


def _lowest_dense(ordered: Floats, grain: float) -> tuple[float, float]:
    """Return the middle of the lowest window that is dense, and how wide dense ones are."""
    inside = max(int(len(ordered) * _DENSE), 4)
    widths = ordered[inside:] - ordered[:-inside]
    wide = max(_WIDER * float(widths.min()), grain)
    first = int(np.argmax(widths <= wide))
    return float(ordered[first + inside // 2]), wide


def _climb(ordered: Floats, centre: float, reach: float) -> float:
    """Move to the top of the mode that a place belongs to (mean shift)."""
    sums = np.concatenate([[0.0], np.cumsum(ordered - centre)])
    origin = centre
    for _ in range(30):
        low, high = np.searchsorted(ordered, [centre - reach, centre + reach])
        if high <= low:
            break
        moved = origin + float(sums[high] - sums[low]) / float(high - low)
        if abs(moved - centre) < 1e-3 * reach:
            return moved
        centre = moved
    return centre
