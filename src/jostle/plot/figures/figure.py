"""Draws charts of time series as PNG, SVG or PDF, with a common design."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib

from jostle.plot.charts.axis import ceiling, time_ticks, unit_label, value_label
from jostle.plot.charts.chart import FILL, PALETTE, Chart, Panel, summary
from jostle.plot.figures.files import check_suffix, save_figure
from jostle.report.format.values import local_time, zone_name

matplotlib.use("Agg")

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, SOFT, _RULE = "#1F2933", "#616E7C", "#D9DEE3"
STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "text.color": INK,
    "axes.edgecolor": _RULE,
    "axes.labelcolor": SOFT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.linewidth": 0.8,
    "axes.axisbelow": True,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "ytick.major.size": 0,
    "xtick.major.size": 4,
    "grid.color": _RULE,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "svg.fonttype": "none",  # text is written as text: it can be searched and copied
    "pdf.fonttype": 42,  # TrueType: journals refuse type 3
    "svg.hashsalt": "jostle",
}
_WIDTH, _PANEL, _HEAD, _FOOT, _GAP = 9.6, 1.75, 0.84, 0.62, 0.46  # inches


def save(chart: Chart, path: Path) -> Path:
    """Draw a chart of time series into a file.

    Args:
        chart: Content of the chart.
        path: Path of the file, ending in .png, .svg or .pdf; an existing file is replaced.

    Returns:
        The absolute path.
    """
    return written(lambda: _build(chart), path)


def written(build: Callable[[], Figure], path: Path) -> Path:
    """Draw a figure in the common style and write it to a file; return the absolute path."""
    check_suffix(path)
    with matplotlib.rc_context(STYLE):
        save_figure(build(), path, dpi=160)
    return path.absolute()


def _build(chart: Chart) -> Figure:
    """Lay out one pair of axes per panel, in inches, so that text never shrinks."""
    from matplotlib.figure import Figure

    number = len(chart.panels)
    height = _HEAD + number * _PANEL + (number - 1) * _GAP + _FOOT
    picture = Figure(figsize=(_WIDTH, height))
    left, width = 1.0 / _WIDTH, (_WIDTH - 1.55) / _WIDTH
    picture.text(0.3 / _WIDTH, 1 - 0.34 / height, chart.title, fontsize=13, fontweight="bold")
    first: Axes | None = None
    for index, panel in enumerate(chart.panels):
        bottom = height - _HEAD - (index + 1) * _PANEL - index * _GAP
        axes = picture.add_axes(
            (left, bottom / height, width, (_PANEL - 0.12) / height), sharex=first
        )
        first = first or axes
        _panel(axes, panel)
        if index < number - 1:
            axes.tick_params(labelbottom=False, bottom=False)
        else:
            _time_axis(axes, chart)
    if chart.note:
        picture.text(
            (_WIDTH - 0.55) / _WIDTH, 0.1 / height, chart.note, fontsize=7.5, color=SOFT, ha="right"
        )
    return picture


def _panel(axes: Axes, panel: Panel) -> None:
    """Draw the steps of one panel, its value axis and its titles.

    Two series mirror each other, the first upwards and the second downwards: filled steps that
    overlap would hide one another.
    """
    top = ceiling(panel.peak, panel.unit)
    mirrored = len(panel.series) == 2 and all(series.peak > 0 for series in panel.series)
    for index, series in enumerate(panel.series):
        colour = PALETTE[index % len(PALETTE)]
        sign = -1.0 if mirrored and index == 1 else 1.0
        edges = series.edges / 1e9
        label = f"{series.label}: {summary(panel, series, brief=True)}"
        values = sign * series.values
        axes.stairs(values, edges, fill=True, color=colour, alpha=FILL, linewidth=0)
        axes.stairs(values, edges, color=colour, linewidth=1.1, label=label)
    # Both halves have the same scale, but a small second series takes only the space it needs.
    depth = max(ceiling(panel.series[1].peak, panel.unit), top / 4) if mirrored else 0.0
    ticks = [tick for tick in (-top, -top / 2, 0.0, top / 2, top) if tick >= -depth]
    axes.set_ylim(-min(depth, top) * 1.02, top * 1.02)
    axes.set_yticks(ticks)
    labels = [value_label(abs(tick), panel.unit, level=panel.level) for tick in ticks]
    axes.set_yticklabels(labels)
    axes.grid(axis="y")
    axes.spines["bottom"].set_visible(not mirrored)
    if mirrored:
        axes.axhline(0, color=SOFT, linewidth=0.8)
    if panel.unit not in ("bytes", "ns"):
        axes.set_ylabel(unit_label(panel.unit, level=panel.level), fontsize=8)
    _heading(axes, panel)


def _heading(axes: Axes, panel: Panel) -> None:
    """Write the job's name on the left, and the series with their numbers on the right."""
    name = axes.annotate(
        panel.title,
        (0, 1),
        (0, 7),
        "axes fraction",
        "offset points",
        fontweight="bold",
        fontsize=10,
    )
    axes.annotate(
        panel.note, (1, 0), (8, 0), name, "offset points", fontsize=8, color=SOFT, va="bottom"
    )
    axes.legend(
        loc="lower right",
        bbox_to_anchor=(1.005, 1.0),
        ncols=len(panel.series),
        fontsize=7.5,
        handlelength=1.2,
        columnspacing=1.6,
        borderaxespad=0.2,
        labelcolor=SOFT,
    )


def _time_axis(axes: Axes, chart: Chart) -> None:
    """Label the common time axis in local time."""
    start, end = chart.span
    ticks = time_ticks(start, end, 9)
    axes.set_xlim(start / 1e9, end / 1e9)
    axes.set_xticks([instant / 1e9 for instant in ticks.instants])
    axes.set_xticklabels(ticks.labels)
    axes.set_xlabel(f"time of {local_time(start)[:10]} ({zone_name(start)})", loc="left")
