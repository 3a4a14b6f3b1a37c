"""Draws a job and its background in a terminal, with slices with interference marked."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from jostle.plot.charts.axis import ceiling
from jostle.plot.charts.chart import TERMINAL_PALETTE
from jostle.plot.charts.interference import AttributionChart, Floats, means, service_top
from jostle.plot.terminal.chart import GUTTER, Span, time_axis
from jostle.plot.terminal.imprint import rows
from jostle.report.format.values import duration, rate


def draw_attribution(chart: AttributionChart, *, width: int, unicode: bool) -> list[list[Span]]:
    """Draw the job above its background as lines of styled text.

    Args:
        chart: Content of the chart.
        width: Columns of the terminal; at least 50 are used.
        unicode: Whether the terminal can show Unicode, not only ASCII.

    Returns:
        Lines, each a list of (text, style).
    """
    columns = max(width, 50) - GUTTER - 2
    blue, orange = TERMINAL_PALETTE[:2]
    start, end = int(chart.edges[0]), int(chart.edges[-1])
    borders = np.linspace(start, end, columns + 1)
    lines: list[list[Span]] = [[(f"{chart.job} on {chart.resource}", "bold")]]
    service = means(chart.service, chart.edges, borders)
    highest, cut = service_top(chart)
    top = ceiling(min(float(np.nanmax(service, initial=1.0)), highest), "")
    service = np.minimum(service, top)
    said = "; ".join(filter(None, [f"of {chart.work}, times what it takes undisturbed", cut]))
    lines.append([("  service time", blue), (f"  {said}", "dim")])
    lines += rows(service, top, "", height=4, colour=blue, unicode=unicode)
    if chart.disturbed.any():
        lines.append(_ruler(chart, borders, orange, unicode=unicode))
    for label, values, colour, height in (
        ("its own load", chart.own, blue, 2),
        ("load of all others", chart.others, orange, 4),
    ):
        load = means(values, chart.edges, borders)
        peak = float(np.nanmax(load, initial=0.0))
        if peak <= 0:
            lines.append([(f"  {label}", colour), ("  nothing", "dim")])
            continue
        said = f"mean {rate(float(np.nanmean(values)), chart.unit)}"
        lines.append([(f"  {label}", colour), (f"  {said}", "dim")])
        top = ceiling(peak, chart.unit)
        lines += rows(load, top, chart.unit, height=height, colour=colour, unicode=unicode)
    lines += time_axis(start, end, columns, unicode=unicode)
    lines += [[(" " * GUTTER + said, "dim")] for said in _captions(chart, columns, unicode=unicode)]
    return lines if unicode else [[(_ascii(text), style) for text, style in row] for row in lines]


def _captions(chart: AttributionChart, columns: int, *, unicode: bool) -> Iterator[str]:
    if chart.disturbed.any():
        mark, count = "▀" if unicode else "=", int(chart.disturbed.sum())
        length = duration(chart.slice_ns)
        yield f"{mark} lost to others: {count} slices of {length}"
    span = (int(chart.edges[-1]) - int(chart.edges[0])) / columns
    yield f"one column = {duration(span)}, mean"


def _ruler(chart: AttributionChart, borders: Floats, colour: str, *, unicode: bool) -> list[Span]:
    """Mark the columns that contain slices with interference."""
    share = means(chart.disturbed.astype(np.float64), chart.edges, borders)
    mark, wall = ("▀", "│") if unicode else ("=", "|")
    cells = "".join(mark if part > 0.2 else " " for part in np.nan_to_num(share))
    return [(f"{'lost':>{GUTTER - 1}} {wall}", "dim"), (cells.rstrip(), colour)]


def _ascii(text: str) -> str:
    return text.replace("µ", "u").replace("×", "x").encode("ascii", "replace").decode()
