"""Figures of a job and its background, with slices with interference shaded."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from jostle.analysis.identification.model import JobInterference
from jostle.plot.charts.axis import ceiling, time_ticks
from jostle.plot.charts.chart import FILL, PALETTE
from jostle.plot.charts.interference import AttributionChart, Floats, charts, means, service_top
from jostle.plot.charts.labels import slug
from jostle.plot.figures.figure import INK, SOFT
from jostle.plot.figures.page import FULL, Canvas, DrawnFigures, Page, Plan, value_axis
from jostle.report.format.values import duration, local_time, rate, significant, zone_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BLUE, _ORANGE = PALETTE[:2]
_LEFT, _RIGHT, _LEGEND = 0.72, 1.22, 0.3  # inches
_SERVICE, _OWN, _OTHERS, _GAP, _FOOT = 1.25, 0.6, 1.0, 0.34, 0.45
_MOST = 1200  # steps that can be distinguished in print


def plans(interference: JobInterference) -> Iterator[Plan]:
    """Yield a figure for each resource that `charts` selects."""
    for chart in charts(interference):
        yield attribution_page(chart), partial(draw_figure, chart=chart)


def attribution_page(chart: AttributionChart) -> Page:
    """Return the page of the figure of a job on one resource."""
    note = (
        f"Top: how long {chart.work} of {chart.job} took on {chart.resource}, relative to what it "
        f"takes undisturbed, per slice of {duration(chart.slice_ns)}; gaps: it did nothing there. "
        "Middle: its own load. Bottom: the load of all other jobs there. "
    )
    if chart.disturbed.any():
        note += f"Shaded: the {int(chart.disturbed.sum())} slices in which it lost time to others."
    foot = f"{chart.slices} slices evaluated; the smallest loss that could be detected there: "
    foot += f"{duration(1e9 * chart.smallest_s)}."
    if chart.evident:
        low, high = (duration(1e9 * end) for end in (chart.seconds.low, chart.seconds.high))
        foot += f" The loss with its 95 % interval: {low} to {high}."
    body = _LEGEND + _SERVICE + _OWN + _OTHERS + 2 * _GAP + _FOOT
    stem = f"interference-{slug(chart.job)}-{slug(chart.resource)}"
    return Page(stem, chart.title, note, foot, _numbers(chart), width=FULL, body=body)


def _numbers(chart: AttributionChart) -> DrawnFigures:
    """Return every slice: service time, loads, and whether time was lost."""
    start = int(chart.edges[0])
    rows = tuple(
        ((int(edge) - start) / 1e9, int(edge), service, own, others, int(disturbed))
        for edge, service, own, others, disturbed in zip(
            chart.edges[:-1].tolist(),
            chart.service.tolist(),
            chart.own.tolist(),
            chart.others.tolist(),
            chart.disturbed.tolist(),
            strict=True,
        )
    )
    unit = f"{chart.unit}_per_s"
    columns = (
        "begin_s",
        "begin_ns",
        "service_relative",
        f"own_{unit}",
        f"others_{unit}",
        "disturbed",
    )
    return DrawnFigures(columns, rows)


def draw_figure(canvas: Canvas, chart: AttributionChart) -> None:
    """Draw service time, the job's load and the load of others below each other."""
    width = canvas.width - _LEFT - _RIGHT
    service = canvas.axes(_LEFT, _LEGEND, width, _SERVICE)
    _service(service, chart)
    top = _LEGEND + _SERVICE + _GAP
    own = canvas.axes(_LEFT, top, width, _OWN, sharex=service)
    _load(own, chart, chart.own, _BLUE, f"load of {chart.job} itself")
    others = canvas.axes(_LEFT, top + _OWN + _GAP, width, _OTHERS, sharex=service)
    part = "the loss" if chart.share > 0.95 else f"{100 * chart.share:.0f} % of the loss"
    whose = f"; {chart.suspect} caused {part}" if chart.evident and chart.suspect else ""
    _load(others, chart, chart.others, _ORANGE, f"load of all others{whose}")
    for axes in (service, own):
        axes.tick_params(labelbottom=False)
    start, end = int(chart.edges[0]), int(chart.edges[-1])
    ticks = time_ticks(start, end, 8)
    others.set_xlim(start / 1e9, end / 1e9)
    others.set_xticks([instant / 1e9 for instant in ticks.instants])
    others.set_xticklabels(ticks.labels)
    others.set_xlabel(f"time of {local_time(start)[:10]} ({zone_name(start)})", loc="left")


def _steps(chart: AttributionChart, values: Floats) -> tuple[Floats, Floats]:
    """Return values and borders (s) that can be drawn: as they are, or averaged to fewer."""
    if len(values) <= _MOST:
        return values, chart.edges / 1e9
    borders = np.linspace(int(chart.edges[0]), int(chart.edges[-1]), _MOST + 1)
    return means(values, chart.edges, borders), borders / 1e9


def _shade(axes: Axes, chart: AttributionChart) -> None:
    for begin, end in chart.spans:
        axes.axvspan(begin / 1e9, end / 1e9, facecolor=_ORANGE, alpha=0.16, linewidth=0, zorder=0)


def _service(axes: Axes, chart: AttributionChart) -> None:
    values, borders = _steps(chart, chart.service)
    highest, cut = service_top(chart)
    top = ceiling(min(float(np.nanmax(values, initial=1.0)), highest) * 1.05, "")
    _shade(axes, chart)
    axes.axhline(1, color=SOFT, linewidth=0.9, linestyle=(0, (4, 2)))
    axes.stairs(values, borders, baseline=None, color=_BLUE, linewidth=1.0)
    ticks = [tick for tick in _round_ticks(top) if tick <= top]
    axes.set_ylim(0, top * 1.02)
    axes.set_yticks(ticks)
    axes.set_yticklabels([f"\u00d7{tick:g}" if tick else "0" for tick in ticks])
    axes.grid(axis="y")
    remark = f" ({cut})" if cut else ""
    _heading(axes, f"service time of {chart.work}, relative to undisturbed{remark}")
    labels = [(1.0, "undisturbed")]
    slowed = chart.service[chart.disturbed & ~np.isnan(chart.service)]
    if len(slowed):
        median = float(np.median(slowed))
        labels.append((median, f"median of the\nshaded slices:\n\u00d7{significant(median)}"))
    for value, text in _apart(labels, 0.32 * top):
        axes.annotate(
            text,
            (1, value),
            (6, 0),
            ("axes fraction", "data"),
            "offset points",
            fontsize=6.5,
            color=INK,
            va="center",
            annotation_clip=False,
        )


def _apart(labels: list[tuple[float, str]], least: float) -> list[tuple[float, str]]:
    """Move texts up until they are `least` apart."""
    placed: list[tuple[float, str]] = []
    for value, text in sorted(labels):
        low = placed[-1][0] + least if placed else value
        placed.append((max(value, low), text))
    return placed


def _round_ticks(top: float) -> list[float]:
    step = next(step for step in (0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 1e9) if top / step <= 5)
    return [number * step for number in range(math.floor(top / step + 1e-9) + 1)]


def _load(axes: Axes, chart: AttributionChart, values: Floats, colour: str, title: str) -> None:
    drawn, borders = _steps(chart, np.nan_to_num(values))
    top = ceiling(float(np.nanmax(drawn, initial=0.0)), chart.unit)
    _shade(axes, chart)
    axes.stairs(drawn, borders, fill=True, color=colour, alpha=FILL, linewidth=0)
    axes.stairs(drawn, borders, color=colour, linewidth=1.0)
    value_axis(axes, top, chart.unit, 1 if values is chart.own else 2)
    _heading(axes, title)
    text = f"mean\n{rate(float(np.mean(drawn)), chart.unit)}"
    axes.annotate(
        text,
        (1, 0.5),
        (6, 0),
        "axes fraction",
        "offset points",
        fontsize=6.5,
        color=INK,
        va="center",
        annotation_clip=False,
    )


def _heading(axes: Axes, text: str) -> None:
    axes.annotate(text, (0, 1), (0, 4), "axes fraction", "offset points", fontsize=7.5, color=INK)
