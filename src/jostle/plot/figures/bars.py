"""Bars as PNG, SVG or PDF: medians with marks at minimum and maximum (Shah, 2020, figure 5.16)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from jostle.plot.charts.bars import Bars, tick_label
from jostle.plot.charts.chart import PALETTE
from jostle.plot.figures.figure import INK, SOFT, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT = 9.6, 4.0  # inches


def save_bars(chart: Bars, path: Path) -> Path:
    """Draw a bar chart into a file.

    Args:
        chart: Content of the chart.
        path: Path of the file, ending in .png, .svg or .pdf; an existing file is replaced.

    Returns:
        The absolute path.
    """
    return written(lambda: _build(chart), path)


def _build(chart: Bars) -> Figure:
    from matplotlib.figure import Figure

    picture = Figure(figsize=(_WIDTH, _HEIGHT))
    picture.text(0.3 / _WIDTH, 1 - 0.34 / _HEIGHT, chart.title, fontsize=13, fontweight="bold")
    picture.text(0.3 / _WIDTH, 1 - 0.58 / _HEIGHT, chart.note, fontsize=8, color=SOFT)
    with_history = any(bar.history for bar in chart.bars)
    share = 0.38 if with_history else 0.86
    axes = picture.add_axes((0.085, 0.13, share, 0.65))
    _bars(axes, chart)
    if with_history:
        _history(picture.add_axes((0.56, 0.13, 0.41, 0.65)), chart)
    return picture


def _bars(axes: Axes, chart: Bars) -> None:
    """Draw the bars, their marks and the points behind them."""
    for number, bar in enumerate(chart.bars):
        colour = PALETTE[number % len(PALETTE)]
        axes.bar(number, bar.middle, width=0.5, color=colour, alpha=0.35, linewidth=0)
        axes.hlines(bar.middle, number - 0.25, number + 0.25, color=colour, linewidth=2)
        axes.vlines(number, bar.low, bar.high, color=INK, linewidth=1)
        for mark in (bar.low, bar.high):
            axes.hlines(mark, number - 0.07, number + 0.07, color=INK, linewidth=1)
        several = max(len(bar.points) - 1, 1)
        places = [number + 0.12 + 0.1 * i / several for i in range(len(bar.points))]
        axes.plot(places, bar.points, ".", color=colour, markersize=3, alpha=0.7)
    axes.axhline(0, color=SOFT, linewidth=0.8)
    low, high = chart.span
    axes.set_ylim(low, high)
    axes.set_yticks(chart.ticks())
    axes.set_yticklabels([tick_label(value) for value in chart.ticks()])
    axes.set_xticks(range(len(chart.bars)))
    axes.set_xticklabels([bar.label for bar in chart.bars])
    axes.set_xlim(-0.6, len(chart.bars) - 0.4)
    axes.set_title(chart.axis, loc="left", fontsize=9, color=SOFT)
    axes.grid(axis="y")


def _history(axes: Axes, chart: Bars) -> None:
    """Draw the runs in order of time, which shows drift and outliers."""
    from matplotlib.ticker import MaxNLocator

    for number, bar in enumerate(chart.bars):
        colour = PALETTE[number % len(PALETTE)]
        places, values = [p for p, _ in bar.history], [v for _, v in bar.history]
        axes.plot(places, values, ".-", color=colour, linewidth=0.6, markersize=5, label=bar.label)
        if bar.left_out:
            axes.plot(
                [p for p, _ in bar.left_out],
                [v for _, v in bar.left_out],
                "x",
                color=colour,
                markersize=5,
                label=f"{bar.label}, left out",
            )
    axes.set_title(chart.history_axis, loc="left", fontsize=9, color=SOFT)
    axes.set_xlabel("run", loc="left")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(axis="y")
    axes.legend(loc="best", fontsize=7.5, labelcolor=SOFT)
