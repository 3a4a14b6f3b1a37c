"""Draws charts as text: bars of eighth blocks (or ASCII), one column per span of time."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jostle.plot.charts.axis import ceiling, time_ticks, value_label
from jostle.plot.charts.chart import NOTHING, TERMINAL_PALETTE, Chart, Panel, Series, summary
from jostle.report.format.values import duration, zone_name

#: Columns in front of the axis, for labels.
GUTTER = 12


@dataclass(frozen=True)
class _Glyphs:
    bars: str  # from empty to full
    idle: str
    axis: str
    corner: str
    line: str
    tick: str
    dot: str


_UNICODE = _Glyphs(" ▁▂▃▄▅▆▇█", "·", "│", "└", "─", "┬", "·")
_ASCII = _Glyphs(" .:#", "_", "|", "+", "-", "+", "-")

#: A piece of a line: text, and its style (a colour, "bold", "dim" or "").
Span = tuple[str, str]


def draw(chart: Chart, *, width: int, unicode: bool, rows: int | None = None) -> list[list[Span]]:
    """Draw a chart as lines of styled text.

    Args:
        chart: Content of the chart.
        width: Columns of the terminal; at least 40 are used.
        unicode: Whether the terminal can show Unicode, not only ASCII.
        rows: Number of lines per series; None: chosen by the number of series.

    Returns:
        Lines, each a list of (text, style).
    """
    glyphs = _UNICODE if unicode else _ASCII
    columns = max(width, 40) - GUTTER - 2
    start, end = chart.span
    borders = np.linspace(start, end, columns + 1)
    drawn = sum(series.peak > 0 for panel in chart.panels for series in panel.series)
    height = rows or (6 if drawn <= 2 else 4 if drawn <= 4 else 3)
    lines: list[list[Span]] = [[(chart.title, "bold")]]
    for panel in chart.panels:
        lines.append([])
        lines.append([(panel.title, "bold"), (f"  {panel.note}" if panel.note else "", "dim")])
        for number, series in enumerate(panel.series):
            colour = TERMINAL_PALETTE[number % len(TERMINAL_PALETTE)]
            lines.extend(_series(panel, series, borders, height, colour, glyphs))
    lines.extend(time_axis(start, end, columns, unicode=unicode))
    caption = f"one column = {duration((end - start) / columns)}, mean. {chart.note}".rstrip()
    lines.extend([(" " * GUTTER + part, "dim")] for part in textwrap.wrap(caption, columns))
    return lines if unicode else [[(_plain(text), style) for text, style in row] for row in lines]


def _series(
    panel: Panel,
    series: Series,
    borders: NDArray[np.float64],
    height: int,
    colour: str,
    glyphs: _Glyphs,
) -> Iterator[list[Span]]:
    """Yield the heading and the rows of one series."""
    if series.peak < NOTHING:
        yield [("  " + series.label, colour), ("  nothing", "dim")]
        return
    yield [("  " + series.label, colour), ("  " + summary(panel, series), "dim")]
    top = ceiling(series.peak, panel.unit)
    means = series.resampled(borders)
    steps = len(glyphs.bars) - 1
    filled = np.nan_to_num(means) / top * height * steps
    # A value above zero is never drawn as empty: it gets at least the smallest bar.
    levels = np.where(filled > 0, np.maximum(np.rint(filled), 1), 0).astype(int)
    running = ~np.isnan(means)
    for row in range(height, 0, -1):
        label = value_label(top * row / height, panel.unit, level=panel.level)
        marked = row == height or (height >= 6 and row == height // 2)
        text = "".join(
            glyphs.idle
            if row == 1 and level == 0 and alive
            else glyphs.bars[min(max(level - (row - 1) * steps, 0), steps)]
            for level, alive in zip(levels, running, strict=True)
        )
        gutter = f"{label if marked else '':>{GUTTER - 1}} "
        yield [(gutter + glyphs.axis, "dim"), (text.rstrip(), colour)]


def time_axis(start: int, end: int, columns: int, *, unicode: bool) -> Iterator[list[Span]]:
    """Yield the axis line and the row of clock times below it, after a gutter of GUTTER columns.

    Args:
        start: First instant, ns since the epoch.
        end: Last instant.
        columns: Width of the axis.
        unicode: Whether the terminal can show Unicode, not only ASCII.
    """
    glyphs = _UNICODE if unicode else _ASCII
    ticks = time_ticks(start, end, max(columns // 11, 2))
    line = [glyphs.line] * columns
    zone = zone_name(start)
    labels = list(zone) + [" "] * (columns + GUTTER + 1 - len(zone))
    free = len(zone) + 1
    for instant, label in zip(ticks.instants, ticks.labels, strict=True):
        column = min(round((instant - start) / max(end - start, 1) * columns), columns - 1)
        line[column] = glyphs.tick
        place = min(column + GUTTER + 1 - len(label) // 2, len(labels) - len(label))
        if place >= free:
            labels[place : place + len(label)] = label
            free = place + len(label) + 1
    gutter = " " * GUTTER
    yield [(gutter + glyphs.corner + "".join(line), "dim")]
    yield [("".join(labels).rstrip(), "")]


def _plain(text: str) -> str:
    """Replace characters that ASCII lacks."""
    return text.replace("µ", "u").replace("·", "-").encode("ascii", "replace").decode()
