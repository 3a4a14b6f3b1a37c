"""Draws bars with marks at minimum and maximum in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from jostle.plot.charts.bars import Bars, IntervalBar, tick_label
from jostle.plot.charts.chart import TERMINAL_PALETTE
from jostle.plot.terminal.chart import Span


def draw_bars(chart: Bars, *, width: int, unicode: bool) -> list[list[Span]]:
    """Draw the bars as lines of styled text, one line per bar.

    Args:
        chart: Content of the chart.
        width: Columns of the terminal; at least 50 are used.
        unicode: Whether the terminal can show Unicode, not only ASCII.

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


def _strip(chart: Bars, bar: IntervalBar, columns: int, *, unicode: bool) -> str:
    """Draw one bar: minimum, maximum, the points between them, and the middle."""
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
    for value in sorted(chart.ticks(), key=abs):  # 0 first, so that it always has space
        place = _place(chart, value, columns)
        marks[place] = tick
        text = tick_label(value)
        start = min(max(gutter + place - len(text) // 2, 0), len(labels) - len(text))
        if not "".join(labels[max(start - 2, 0) : start + len(text) + 2]).strip():
            labels[start : start + len(text)] = text
    yield [(" " * gutter + "".join(marks), "dim")]
    yield [("".join(labels).rstrip(), "dim")]
