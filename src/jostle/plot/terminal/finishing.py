"""Draws the ends of a job's processes, and the rates of its servers, in a terminal."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from jostle.plot.charts.axis import ceiling
from jostle.plot.charts.chart import TERMINAL_PALETTE
from jostle.plot.charts.finishing import FinishingChart
from jostle.plot.terminal.chart import GUTTER, Span, time_axis
from jostle.report.format.values import count, duration, rate

Floats = NDArray[np.float64]

_UNITS = re.compile(r"(\d) (m?s|min|h)\b")
_ROWS = 6
_MOST_SERVERS = 16
_USUAL, _MARKED = TERMINAL_PALETTE[:2]


def draw_finishing(chart: FinishingChart, *, width: int, unicode: bool) -> list[list[Span]]:
    """Draw the ends of processes as bars, those of the tail-off marked, and the servers below.

    Args:
        chart: Content of the chart.
        width: Columns of the terminal; at least 40 are used.
        unicode: Whether the terminal can show Unicode, not only ASCII.

    Returns:
        Lines, each a list of (text, style).
    """
    columns = max(width, 40) - GUTTER - 2
    title = _UNITS.sub("\\1\u00a0\\2", chart.title)  # a number and its unit stay together
    wrapped = textwrap.wrap(title, max(width, 40) - 1, break_on_hyphens=False)
    lines: list[list[Span]] = [[(line.replace("\u00a0", " "), "bold")] for line in wrapped]
    lines.extend(_ends(chart, columns, unicode=unicode))
    lines.extend(_servers(chart, columns, unicode=unicode))
    if unicode:
        return lines
    return [
        [(text.replace("µ", "u").encode("ascii", "replace").decode(), style) for text, style in row]
        for row in lines
    ]


def _ends(chart: FinishingChart, columns: int, *, unicode: bool) -> Iterator[list[Span]]:
    """Yield the bars: processes from the first that ended to the last."""
    each = chart.each
    bars, edge, corner, line = (" ▁▂▃▄▅▆▇█", "│", "└", "─") if unicode else (" .:#", "|", "+", "-")
    steps = len(bars) - 1
    end = np.array([process.end_s for process in each.ends])
    wide = max(columns // len(end), 1)
    shown = min(len(end), columns)
    # A column for several processes is as high as that of the last one.
    last = (np.arange(1, shown + 1) * len(end)) // shown - 1
    late = [each.ends[at].late for at in last]
    top = ceiling(each.whole_s, "s")
    levels = np.maximum(np.rint(end[last] / top * _ROWS * steps), 1).astype(int)
    for row in range(_ROWS, 0, -1):
        label = duration(1e9 * top * row / _ROWS) if row in (_ROWS, _ROWS // 2) else ""
        parts: list[Span] = [(f"{label:>{GUTTER - 1}} {edge}", "dim")]
        cells = [bars[min(max(level - (row - 1) * steps, 0), steps)] * wide for level in levels]
        for tail, group in itertools.groupby(zip(late, cells, strict=True), lambda pair: pair[0]):
            parts.append(("".join(text for _, text in group), _MARKED if tail else _USUAL))
        yield parts
    yield [(" " * GUTTER + corner + line * (shown * wide), "dim")]
    whole = f"{count(len(end))} processes, by the end of their I/O"
    if each.late:
        mark = "^" * (sum(late) * wide)
        yield [(" " * (GUTTER + 1 + (shown - sum(late)) * wide), ""), (mark, _MARKED)]
        whole += f"; ^ {chart.note}"
    for part in textwrap.wrap(whole, columns):
        yield [(" " * GUTTER + " " + part, "dim")]


def _servers(chart: FinishingChart, columns: int, *, unicode: bool) -> Iterator[list[Span]]:
    """Yield a strip for each server, on one scale, its slow spans marked below."""
    each = chart.each
    if not each.servers:
        return
    bars, idle, edge, mark = (" ▁▂▃▄▅▆▇█", "·", "│", "^") if unicode else (" .:#", "_", "|", "^")
    steps = len(bars) - 1
    slices = len(each.servers[0].rates)
    first, length = each.server_start_ns, each.server_slice_ns
    borders = np.linspace(0, slices, columns + 1)
    strips = {server.host: _means(np.array(server.rates), borders) for server in each.servers}
    peak = max(float(strip.max()) for strip in strips.values()) or 1.0
    slow = [server for server in each.servers if server.ratio is not None]
    rest = [server for server in each.servers if server.ratio is None]
    chosen = sorted([*slow, *rest][:_MOST_SERVERS], key=lambda server: server.host)
    yield []
    yield [("Servers", "bold"), (f"  a full bar is {rate(peak, 'bytes')}", "dim")]
    for server in chosen:
        strip = strips[server.host]
        levels = np.where(strip > 0, np.maximum(np.rint(strip / peak * steps), 1), 0)
        text = "".join(bars[int(level)] if level else idle for level in levels)
        name = server.host[: GUTTER - 1]
        colour = _USUAL if server.ratio is None else _MARKED
        yield [(f"{name:>{GUTTER - 1}} {edge}", "dim"), (text, colour)]
        if server.ratio is not None:
            under = _means(np.array(server.slow, dtype=float), borders) > 0
            marks = "".join(mark if flag else " " for flag in under).rstrip()
            yield [(f"{server.ratio:>{GUTTER - 2}.2f}x ", "dim"), (" " + marks, _MARKED)]
    if len(chosen) < len(each.servers):
        yield [(f"{'':>{GUTTER}} and {len(each.servers) - len(chosen)} more servers", "dim")]
    yield from time_axis(first, first + slices * length, columns, unicode=unicode)


def _means(values: Floats, borders: Floats) -> Floats:
    """Return the means of slices within spans."""
    area = np.concatenate([[0.0], np.cumsum(values)])
    means: Floats = np.diff(np.interp(borders, np.arange(len(area)), area)) / np.diff(borders)
    return means
