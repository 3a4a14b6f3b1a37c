"""Draws the ends of a job's processes, and its servers (Shah, 2020, figures 3.3 and 3.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jostle.plot.charts.axis import ceiling
from jostle.plot.charts.chart import FILL, PALETTE
from jostle.plot.charts.finishing import FinishingChart, charts
from jostle.plot.charts.labels import slug
from jostle.plot.figures.figure import INK
from jostle.plot.figures.page import FULL, Canvas, DrawnFigures, Page, Plan, value_axis
from jostle.report.format.values import duration, local_time
from jostle.report.models.job.finishing import slow_server

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from jostle.analysis.digest.finishing import Finishing, ServerRate

_LEFT, _RIGHT, _TOP, _HIGH, _GAP, _FOOT = 0.72, 1.0, 0.14, 1.5, 0.62, 0.42  # inches
_BLUE, _ORANGE = PALETTE[:2]
_SLOW = (PALETTE[1], PALETTE[3], PALETTE[2], PALETTE[4])
_MOST = 240  # steps of a server
Floats = NDArray[np.float64]


def plans(every: Sequence[Finishing]) -> Iterator[Plan]:
    """Yield a figure for each mount, the longest tail-off first."""
    for chart in charts(every):
        yield _page(chart), partial(_draw, chart=chart)


def _page(chart: FinishingChart) -> Page:
    each = chart.each
    note = (
        "When each process had moved its last byte there, in the order of their ends; seconds "
        "from the first byte on. "
    )
    if each.late:
        note += "Orange: the tail-off; dashed: the end of the balanced part. "
    if each.servers:
        note += "Below: what each server moved, of all jobs"
        note += "; shaded: when one was slower than its peers." if each.slow_servers else "."
    foot = f"Slices of {duration(each.slice_ns)}, from {local_time(each.start_ns)}"
    foot += f"; {chart.note}." if chart.note else "."
    if each.servers:
        foot += (
            f" Slices of the servers: {duration(each.server_slice_ns)}. Slower: below the peers' "
            "median by four times their median absolute deviation, and by a fifth, for a span."
        )
    else:
        foot += " No agent ran on the servers."
    high = _TOP + _HIGH + _FOOT + (_GAP + _HIGH if each.servers else 0.0)
    stem = f"finishing-{slug(each.job)}-{slug(each.mount)}"
    return Page(stem, chart.title, note, foot, _numbers(each), width=FULL, body=high)


def _numbers(each: Finishing) -> DrawnFigures:
    """Return the ends of the processes, then the slices of the servers."""
    rows: list[tuple[object, ...]] = [
        ("process", end.name, end.end_s, None, int(end.late)) for end in each.ends
    ]
    for server in each.servers:
        rows += [
            ("server", server.host, begin, moved, int(slow))
            for begin, moved, slow in zip(
                _seconds(each)[:-1].tolist(), server.rates, server.slow, strict=True
            )
        ]
    return DrawnFigures(("what", "name", "seconds", "bytes_per_s", "late_or_slow"), tuple(rows))


def _seconds(each: Finishing) -> Floats:
    """Return when the servers' slices begin and end, in seconds after the job's first byte."""
    slices = len(each.servers[0].rates)
    begin = (each.server_start_ns - each.start_ns) / 1e9
    borders: Floats = begin + np.arange(slices + 1) * each.server_slice_ns / 1e9
    return borders


def _draw(canvas: Canvas, chart: FinishingChart) -> None:
    each, width = chart.each, canvas.width - _LEFT - _RIGHT
    _ends(canvas.axes(_LEFT, _TOP, width, _HIGH), each)
    if each.servers:
        _servers(canvas.axes(_LEFT, _TOP + _HIGH + _GAP, width, _HIGH), each)


def _ends(axes: Axes, each: Finishing) -> None:
    """Draw a bar for each process; many of them merge into an area."""
    end = np.array([process.end_s for process in each.ends])
    late = np.array([process.late for process in each.ends])
    borders = np.arange(len(end) + 1)
    split = int((~late).sum())
    for colour, low, high in ((_BLUE, 0, split), (_ORANGE, split, len(end))):
        axes.stairs(
            end[low:high],
            borders[low : high + 1],
            fill=True,
            color=colour,
            alpha=0.35 if len(end) < 200 else 0.6,
            linewidth=0,
        )
        axes.hlines(
            end[low:high],
            borders[low:high] + 0.06,
            borders[low + 1 : high + 1] - 0.06,
            color=colour,
            linewidth=1.4,
        )
    axes.set_xlim(0, len(end))
    value_axis(axes, ceiling(each.whole_s * 1.02, "s"), "s")
    axes.set_ylabel("end of its I/O")
    axes.set_xlabel(f"{len(end)} processes, by their end", loc="left")
    axes.set_xticks([])
    if each.late:
        axes.axhline(each.balanced_s, color=INK, linewidth=0.9, linestyle=(0, (4, 2)))
        _name(axes, "balanced until\n" + duration(1e9 * each.balanced_s), each.balanced_s, "top")
        _name(axes, "tail-off of\n" + duration(1e9 * each.tail_s), each.whole_s, "bottom")


def _servers(axes: Axes, each: Finishing) -> None:
    """Draw the rates of the servers as steps; servers that were never slow all in one hue."""
    seconds = _seconds(each)
    edges = np.linspace(seconds[0], seconds[-1], min(len(seconds), _MOST + 1))
    slow = each.slow_servers
    rest = [server for server in each.servers if server.ratio is None]
    for number, server in enumerate(rest):
        label = f"{len(rest)} other{'s' if len(rest) > 1 else ''}" if slow else "servers"
        axes.stairs(
            _means(server, seconds, edges),
            edges,
            baseline=None,
            color=_BLUE,
            linewidth=0.8,
            alpha=0.7,
            label=None if number else label,
        )
    for number, server in enumerate(slow):
        colour = _SLOW[number % len(_SLOW)]
        label = slow_server(server) if number < 2 else server.host
        axes.stairs(
            _means(server, seconds, edges),
            edges,
            baseline=None,
            color=colour,
            linewidth=1.5,
            label=label,
        )
        axes.fill_between(
            seconds,
            0,
            1,
            where=[*server.slow, False],
            step="post",
            transform=axes.get_xaxis_transform(),
            color=colour,
            alpha=FILL / 2,
            linewidth=0,
        )
    peak = max(max(server.rates, default=0.0) for server in each.servers)
    value_axis(axes, ceiling(peak, "bytes"), "bytes")
    if each.late:
        axes.axvline(each.balanced_s, color=INK, linewidth=0.9, linestyle=(0, (4, 2)))
    axes.set_xlim(max(float(seconds[0]), 0.0), float(seconds[-1]))
    axes.set_xlabel("seconds from the first byte on", loc="left")
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(-0.01, 1.0),
        ncols=3,
        fontsize=6.5,
        handlelength=1.4,
        columnspacing=1.4,
        borderaxespad=0.2,
    )


def _means(server: ServerRate, seconds: Floats, edges: Floats) -> Floats:
    """Return the means of a server's rate between edges: more steps could not be distinguished."""
    area = np.concatenate([[0.0], np.cumsum(np.array(server.rates) * np.diff(seconds))])
    means: Floats = np.diff(np.interp(edges, seconds, area)) / np.diff(edges)
    return means


def _name(axes: Axes, text: str, value: float, side: str) -> None:
    axes.annotate(
        text,
        (1, value),
        (5, 0),
        ("axes fraction", "data"),
        "offset points",
        fontsize=6.5,
        color=INK,
        va=side,
        annotation_clip=False,
    )
