"""Bars with marks at their least and most: one quantity of several things, compared.

The same `Bars` is drawn in a terminal (here) or saved as a picture (`bars_figure`, which loads
matplotlib).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from jostle.plot.charts.chart import TERMINAL_PALETTE
from jostle.plot.terminal.chart import Span

_STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
_TICKS = 6


@dataclass(frozen=True)
class Bar:
    """One bar.

    Attributes:
        label: What it stands for.
        low: Its lower mark, in per cent; the next two as well.
        middle: Where the bar ends.
        high: Its upper mark.
        points: What lies behind it, one by one.
        history: (place in time, value) of each point in another unit; drawn beside the bars.
        left_out: The same of points that do not count.
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
    """Bars side by side on one axis in per cent.

    Attributes:
        title: The heading.
        note: A line below it.
        axis: What the axis measures.
        bars: At least one.
        history_axis: What the histories measure.
    """

    title: str
    note: str
    axis: str
    bars: tuple[Bar, ...]
    history_axis: str = ""

    @property
    def step(self) -> float:
        """Distance of the ticks: round, and a handful of them along the axis."""
        low, high = self._ends
        wide = max(high - low, 0.01)
        return next((step for step in _STEPS if wide / step <= _TICKS), wide)

    @property
    def _ends(self) -> tuple[float, float]:
        values = [value for bar in self.bars for value in (bar.low, bar.middle, bar.high)]
        return min(0.0, *values), max(0.0, *values)

    @property
    def span(self) -> tuple[float, float]:
        """Ends of the axis: ticks, with 0 and every mark inside."""
        low, high = self._ends
        first, last = math.floor(low / self.step + 1e-9), math.ceil(high / self.step - 1e-9)
        return first * self.step, max(last, first + 1) * self.step

    def ticks(self) -> list[float]:
        """Round numbers along the axis, 0 among them."""
        first, last = (round(end / self.step) for end in self.span)
        return [number * self.step for number in range(first, last + 1)]


def tick_label(value: float) -> str:
    """Return a signed percentage without idle zeros: `+1.5 %`, `0 %`."""
    text = f"{value:+.3f}".rstrip("0").rstrip(".")
    return "0 %" if text in ("+0", "-0") else f"{text} %"


def draw_bars(chart: Bars, *, width: int, unicode: bool) -> list[list[Span]]:
    """Draw the bars as lines of styled text, one line per bar.

    Args:
        chart: What to draw.
        width: Columns of the terminal; at least 50 are used.
        unicode: False for a terminal that knows only ASCII.

    Returns:
        Lines, each a list of (text, style).
    """
    gutter = max(len(bar.label) for bar in chart.bars) + 2
    columns = max(width, 50) - gutter - 6
    lines: list[list[Span]] = [[(chart.title, "bold")]]
    for number, bar in enumerate(chart.bars):
        colour = TERMINAL_PALETTE[number % len(TERMINAL_PALETTE)]
        lines.append([(f"{bar.label:<{gutter}}", "")])
        lines[-1].append((_strip(chart, bar, columns, unicode=unicode), colour))
    lines.extend(_axis(chart, gutter, columns, unicode=unicode))
    if chart.note:
        lines.append([(" " * gutter + chart.note, "dim")])
    return lines


def _place(chart: Bars, value: float, columns: int) -> int:
    low, high = chart.span
    return min(max(round((value - low) / (high - low) * (columns - 1)), 0), columns - 1)


def _strip(chart: Bars, bar: Bar, columns: int, *, unicode: bool) -> str:
    """Draw one bar: least, most, the points between them, and the middle."""
    left, line, right, point, middle = "├─┤•█" if unicode else "|-|o#"
    cells = [" "] * columns
    first, last = _place(chart, bar.low, columns), _place(chart, bar.high, columns)
    cells[first : last + 1] = line * (last - first + 1)
    for value in bar.points:
        cells[_place(chart, value, columns)] = point
    cells[first], cells[last] = left, right
    cells[_place(chart, bar.middle, columns)] = middle
    return "".join(cells).rstrip()


def _axis(chart: Bars, gutter: int, columns: int, *, unicode: bool) -> Iterator[list[Span]]:
    """Yield the axis line and its labels."""
    line, tick = ("─", "┬") if unicode else ("-", "+")
    marks = [line] * columns
    labels = [" "] * (gutter + columns + 6)
    for value in sorted(chart.ticks(), key=abs):  # 0 finds room whatever the others do
        place = _place(chart, value, columns)
        marks[place] = tick
        text = tick_label(value)
        start = min(max(gutter + place - len(text) // 2, 0), len(labels) - len(text))
        if not "".join(labels[max(start - 2, 0) : start + len(text) + 2]).strip():
            labels[start : start + len(text)] = text
    yield [(" " * gutter + "".join(marks), "dim")]
    yield [("".join(labels).rstrip(), "dim")]
