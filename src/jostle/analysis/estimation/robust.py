"""Finds the undisturbed range of values, an unknown share of which interference has increased.

Interference only adds time. So the undisturbed values are near the lowest mode of all values, and
the distances of the values below this mode show how much undisturbed values scatter. This also
works if more than half of all values were disturbed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jostle.analysis.estimation.columns import Floats

#: Share of the values in a dense window; a smaller share of undisturbed values is not recognised.
_DENSE = 0.15
#: The search begins at the lowest window that is at most this factor wider than the narrowest.
_WIDER = 3.0
_AT_MOST = 20_000  # values used; more are replaced by evenly spaced quantiles
_FEW = 8


@dataclass(frozen=True)
class UndisturbedRange:
    """Centre and scatter of the undisturbed values, in the unit of the values.

    Attributes:
        centre: Mode of the undisturbed values.
        spread: Median distance of the values below the mode from it, which is an unscaled median
            absolute deviation (MAD).
    """

    centre: float
    spread: float

    def threshold(self, least: float) -> float:
        """Return the largest value that counts as undisturbed.

        It is above the mode by 4 MAD (Shah, 2020), but at least by `least`.
        """
        return self.centre + max(4 * self.spread, least)


def usual(values: Floats, resolution: float = 1e-3) -> UndisturbedRange:
    """Find the lowest mode of values, and the scatter of undisturbed values around it.

    Args:
        values: At least one value, [n].
        resolution: Values that differ by less than this count as equal.

    Returns:
        The undisturbed range, in the unit of the values.
    """
    ordered = np.sort(values)
    if len(ordered) > _AT_MOST:
        chosen = np.linspace(0, len(ordered) - 1, _AT_MOST).astype(np.int64)
        ordered = ordered[chosen]
    if len(ordered) < _FEW:
        centre = float(ordered[(len(ordered) - 1) // 2])
        return UndisturbedRange(centre, float(np.median(np.abs(ordered - centre))))
    centre = _climb(ordered, *_lowest_dense(ordered, resolution))
    below = centre - ordered[: int(np.searchsorted(ordered, centre, "right"))]
    return UndisturbedRange(centre, float(np.median(below)) if len(below) else 0.0)


def _lowest_dense(ordered: Floats, resolution: float) -> tuple[float, float]:
    """Return where the lowest values lie densely.

    Returns:
        The middle of the lowest window that contains a fixed share of the values and is nearly as
        narrow as the narrowest such window; and the largest width of such windows.
    """
    inside = max(int(len(ordered) * _DENSE), 4)
    widths = ordered[inside:] - ordered[:-inside]
    wide = max(_WIDER * float(widths.min()), resolution)
    first = int(np.argmax(widths <= wide))
    return float(ordered[first + inside // 2]), wide


def _climb(ordered: Floats, centre: float, reach: float) -> float:
    """Return the mode nearest to a value, found by the mean-shift method.

    Args:
        ordered: All values, ascending.
        centre: The value to begin at.
        reach: Distance up to which neighbouring values count in each step.
    """
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
