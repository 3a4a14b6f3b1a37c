"""Draws in a terminal how a periodic load (the signal) slows a program (the probe)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from jostle.plot.charts.axis import ceiling, value_label
from jostle.plot.charts.chart import TERMINAL_PALETTE, Series
from jostle.plot.charts.imprint import ImprintChart, level, seconds_ticks
from jostle.plot.terminal.chart import Span
from jostle.report.format.values import rate, significant

_GUTTER = 12


def draw_imprint(imprint: ImprintChart, *, width: int, unicode: bool) -> list[list[Span]]:
    """Draw the signal's imprint in the probe's slices as lines of styled text.

    Args:
        imprint: Content of the chart.
        width: Columns of the terminal; at least 50 are used.
        unicode: Whether the terminal can show Unicode, not only ASCII.

    Returns:
        Lines, each a list of (text, style).
    """
    columns = max(width, 50) - _GUTTER - 2
    blue, orange, grey = TERMINAL_PALETTE[0], TERMINAL_PALETTE[1], "dim"
    top = ceiling(max(imprint.alone.peak, imprint.together.peak), imprint.unit)
    lines: list[list[Span]] = [[(imprint.title, "bold")], []]
    for label, series, span, colour in (
        (f"{imprint.probe} alone", imprint.alone, imprint.alone_ns, grey),
        (
            f"{imprint.probe} alongside {imprint.signal}",
            imprint.together,
            imprint.together_ns,
            blue,
        ),
    ):
        if not len(series.values):
            continue
        said = f"{significant((span[1] - span[0]) / 1e9)} s"
        mean = level(series, span)
        if math.isfinite(mean):
            said += f", mean {rate(mean, imprint.unit)}"
        lines.append([(label, "bold"), (f"  {said}", "dim")])
        means = _columns(series, span[0], imprint.seconds, columns)
        lines.extend(rows(means, top, imprint.unit, height=5, colour=colour, unicode=unicode))
    lines.append([(f"{imprint.signal} is on", "bold"), (f"  {imprint.known_from}", "dim")])
    lines.append(_ruler(imprint, columns, orange, unicode=unicode))
    lines.extend(_axis(imprint.seconds, columns, unicode=unicode))
    lines.append([])
    lines.extend([("  " + finding, "")] for finding in imprint.findings)
    for small in filter(None, (imprint.setting, imprint.source)):
        lines.append([("  " + small, "dim")])
    return lines if unicode else [[(_ascii(text), style) for text, style in row] for row in lines]


def _ascii(text: str) -> str:
    return text.replace("µ", "u").replace("−", "-").encode("ascii", "replace").decode()


def _columns(series: Series, begin_ns: int, seconds: float, columns: int) -> NDArray[np.float64]:
    borders = begin_ns + np.linspace(0, seconds * 1e9, columns + 1)
    return series.resampled(borders)


def rows(
    means: NDArray[np.float64], top: float, unit: str, *, height: int, colour: str, unicode: bool
) -> Iterator[list[Span]]:
    """Yield bars of eighth blocks, one column per mean; NaN stays blank, 0 is a dot.

    Args:
        means: Values to draw.
        top: Value that fills all rows.
        unit: Unit of the values, per second.
        height: Number of rows.
        colour: Style of the bars.
        unicode: Whether the terminal can show Unicode, not only ASCII.
    """
    glyphs, wall, idle = (" ▁▂▃▄▅▆▇█", "│", "·") if unicode else (" .:#", "|", "_")
    steps = len(glyphs) - 1
    filled = np.nan_to_num(means) / max(top, 1e-300) * height * steps
    levels = np.where(filled > 0, np.maximum(np.rint(filled), 1), 0).astype(int)
    for row in range(height, 0, -1):
        label = value_label(top * row / height, unit, level=False) if row == height else ""
        label = "0" if row == 1 else label
        text = "".join(
            idle
            if row == 1 and value == 0 and not math.isnan(mean)
            else glyphs[min(max(value - (row - 1) * steps, 0), steps)]
            for value, mean in zip(levels.tolist(), means.tolist(), strict=True)
        )
        yield [(f"{label:>{_GUTTER - 1}} {wall}", "dim"), (text.rstrip(), colour)]


def _ruler(imprint: ImprintChart, columns: int, colour: str, *, unicode: bool) -> list[Span]:
    """Mark the bursts below the probe's slices."""
    cells = [" "] * columns
    for begin, end in imprint.phases:
        first = round(begin / imprint.seconds * columns)
        last = max(round(end / imprint.seconds * columns), first + 1)
        for place in range(first, min(last, columns)):
            cells[place] = "▀" if unicode else "="
    wall = "│" if unicode else "|"
    return [(" " * _GUTTER + wall, "dim"), ("".join(cells).rstrip(), colour)]


def _axis(seconds: float, columns: int, *, unicode: bool) -> Iterator[list[Span]]:
    """Yield the axis in seconds since the probe's start."""
    line, tick, corner = ("─", "┬", "└") if unicode else ("-", "+", "+")
    marks, labels = [line] * columns, [" "] * (columns + _GUTTER + 1)
    free = 0
    for value in seconds_ticks(seconds, max(columns // 9, 2)):
        place = min(round(value / seconds * columns), columns - 1)
        marks[place] = tick
        text = f"{value:g} s"
        start = min(place + _GUTTER + 1 - len(text) // 2, len(labels) - len(text))
        if start >= free:
            labels[start : start + len(text)] = text
            free = start + len(text) + 1
    yield [(" " * _GUTTER + corner + "".join(marks), "dim")]
    yield [("".join(labels).rstrip(), "dim")]
    yield [(" " * (_GUTTER + 1) + "since the probe's start", "dim")]
