"""Content of a bar chart with intervals: one quantity, compared between several items.

They are drawn by `plot/terminal/bars.py` and `plot/figures/bars.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

_STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
_TICKS = 6


@dataclass(frozen=True)
class IntervalBar:
    """A bar with an interval, and the values behind it.

    Attributes:
        label: Name of the bar.
        low: Lower end of the interval, percent.
        middle: The end of the bar, percent.
        high: Upper end of the interval, percent.
        points: The single values that the bar summarizes, percent.
        history: (position in time, value in another unit) of each point; drawn next to the bars.
        left_out: Position and value of the points that are left out.
    """

    label: str
    low: float
    middle: float
    high: float
    points: tuple[float, ...] = ()
    history: tuple[tuple[int, float], ...] = ()
    left_out: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True)
class Bars:
    """Bars on a common axis, in percent.

    Attributes:
        title: The heading.
        note: Line of text below the heading.
        axis: Title of the axis.
        bars: At least one bar.
        history_axis: Title of the axis of the histories.
    """

    title: str
    note: str
    axis: str
    bars: tuple[IntervalBar, ...]
    history_axis: str = ""

    @property
    def step(self) -> float:
        """Distance of the ticks: a round number, for a few ticks on the axis."""
        low, high = self._ends
        wide = max(high - low, 0.01)
        return next((step for step in _STEPS if wide / step <= _TICKS), wide)

    @property
    def _ends(self) -> tuple[float, float]:
        values = [value for bar in self.bars for value in (bar.low, bar.middle, bar.high)]
        return min(0.0, *values), max(0.0, *values)

    @property
    def span(self) -> tuple[float, float]:
        """Ends of the axis, both at ticks, so that 0 and every mark lie inside."""
        low, high = self._ends
        first, last = math.floor(low / self.step + 1e-9), math.ceil(high / self.step - 1e-9)
        return first * self.step, max(last, first + 1) * self.step

    def ticks(self) -> list[float]:
        """Round numbers along the axis, 0 among them."""
        first, last = (round(end / self.step) for end in self.span)
        return [number * self.step for number in range(first, last + 1)]


def tick_label(value: float) -> str:
    """Return a signed percentage without trailing zeros: `+1.5 %`, `0 %`."""
    text = f"{value:+.3f}".rstrip("0").rstrip(".")
    return "0 %" if text in ("+0", "-0") else f"{text} %"
