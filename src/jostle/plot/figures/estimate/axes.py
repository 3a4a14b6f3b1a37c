"""Axes, labels and legends that the figures of an estimate share."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from jostle.plot.charts.axis import ceiling
from jostle.plot.charts.chart import PALETTE
from jostle.plot.figures.figure import INK, SOFT
from jostle.plot.figures.page import Canvas, text_width
from jostle.report.format.values import count, duration
from jostle.report.models.job.segments import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEFT, RIGHT = 0.78, 0.2  # inches to the left and right of the axes
_SMALL = 7.5  # points
BLUE, GREY = PALETTE[0], "#8A949E"
#: Interfered segments, and the threshold: orange, the colour of losses, with marks of their own
#: (ADR 0021).
LOST = PALETTE[1]
#: A few outliers must not flatten everything else: beyond this, the axis is cut.
_CUT = 4.0
Label = Callable[[float, int], str]
_POWERS = ("", "k", "M", "G", "T", "P", "E")
_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def span_label(value_s: float, digits: int = 3) -> str:
    """Format a duration for an axis: `20 ms`, `1.5 s`."""
    if value_s <= 0:
        return "0"
    if value_s >= 60:
        return duration(value_s * 1e9)
    scale, unit = next((step for step in _UNITS if value_s >= 0.9995 * step[0]), _UNITS[-1])
    return f"{value_s / scale:.{digits}g} {unit}"


def amount_label(value: float, digits: int = 3) -> str:
    """Format an amount of work for an axis: `60 M`."""
    if value <= 0:
        return "0"
    power = min(max(int(math.log10(value) // 3), 0), len(_POWERS) - 1)
    return f"{value / 1000**power:.{digits}g} {_POWERS[power]}".strip()


def count_label(value: float, _digits: int = 3) -> str:
    """Format a count for an axis."""
    return count(round(value))


def labels(ticks: Sequence[float], label: Label) -> list[str]:
    """Return labels of ticks with as many digits as are needed to make all different."""
    texts: list[str] = []
    for digits in range(3, 8):
        texts = [label(tick, digits) for tick in ticks]
        if len(set(texts)) == len(texts):
            break
    return texts


def top_of(values: Floats) -> tuple[float, bool]:
    """Return the end of an axis from 0, and whether it leaves out a few outliers.

    Args:
        values: The values that are drawn; NaN is ignored.
    """
    known = values[np.isfinite(values)]
    if not len(known):
        return 1.0, False
    most, usual = float(known.max()), float(np.percentile(known, 98))
    cut = usual > 0 and most > _CUT * usual
    return ceiling(1.35 * usual if cut else most * 1.02, "count"), cut


def linear(axes: Axes, top: float, label: Label, steps: int = 4) -> None:
    """Scale the value axis from 0 to `top` with round labels."""
    step = _round_step(top / steps)
    ticks = [step * number for number in range(int(top / step + 1e-9) + 1)]
    axes.set_ylim(0, top * 1.02)
    axes.set_yticks(ticks)
    axes.set_yticklabels(labels(ticks, label))
    axes.grid(axis="y")


def round_ticks(low: float, high: float, steps: int = 5) -> list[float]:
    """Return round numbers between two, 0 included if it is between them."""
    step = _round_step(max(high - low, 1e-12) / steps)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def _round_step(about: float) -> float:
    scale = 10.0 ** math.floor(math.log10(about))
    return next(number * scale for number in (1, 2, 2.5, 5, 10) if number * scale >= about * 0.999)


def logarithmic(axes: Axes, low: float, high: float, label: Label, *, axis: str = "y") -> None:
    """Scale an axis logarithmically, with as many round labels as fit."""
    low, high = low * 0.8, high * 1.25
    decades = math.log10(high / low)
    digits: Sequence[float] = (1, 2, 5) if decades < 2.2 else (1, 3) if decades < 4 else (1,)
    ticks = [
        digit * 10.0**power
        for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        for digit in digits
    ]
    ticks = [tick for tick in ticks if low <= tick <= high]
    from matplotlib.ticker import NullLocator

    if axis == "y":
        axes.set_yscale("log")
        axes.set_ylim(low, high)
        axes.set_yticks(ticks, labels(ticks, label))
        axes.yaxis.set_minor_locator(NullLocator())
    else:
        axes.set_xscale("log")
        axes.set_xlim(low, high)
        axes.set_xticks(ticks, labels(ticks, label))
        axes.xaxis.set_minor_locator(NullLocator())
    axes.grid(axis=axis)  # type: ignore[arg-type]


def legend(canvas: Canvas, handles: list[Any], top: float = 0.1, left: float = LEFT) -> None:
    """Draw the legend in a line at `top` inches from the top of the body.

    A line too wide for the page begins further to the left; one that is wider than the page becomes
    two lines.
    """
    wide = sum(text_width(handle.get_label(), _SMALL) + 0.43 for handle in handles)
    left = max(min(left, canvas.width - wide), 0.12)
    lines = 1 if wide <= canvas.width - left else 2
    where = (left / canvas.width, (canvas.footer + canvas.body - top) / canvas.height)
    canvas.figure.legend(
        handles=handles,
        loc="center left",
        ncols=-(-len(handles) // lines),
        fontsize=_SMALL,
        borderaxespad=0,
        bbox_to_anchor=where,
        labelcolor=INK,
        columnspacing=1.6,
        handlelength=1.8,
        handletextpad=0.5,
    )


def dot(colour: str, label: str, marker: str = "o") -> Any:
    """Return a legend's entry for points."""
    from matplotlib.lines import Line2D

    return Line2D(
        [],
        [],
        linestyle="",
        marker=marker,
        markersize=4,
        color=colour,
        label=label,
        markeredgewidth=0,
    )


def dash(label: str) -> Any:
    """Return a legend's entry for the threshold."""
    from matplotlib.lines import Line2D

    return Line2D([], [], linestyle=(0, (4, 2)), linewidth=1.2, color=LOST, label=label)


def patch(colour: str, label: str) -> Any:
    """Return a legend's entry for an area."""
    from matplotlib.patches import Patch

    return Patch(facecolor=colour, alpha=0.75, linewidth=0, label=label)


def heading(axes: Axes, text: str) -> None:
    """Write a heading above an axis, on the left."""
    axes.annotate(
        text,
        (0, 1),
        (0, 3),
        xycoords="axes fraction",
        textcoords="offset points",
        fontsize=7.5,
        color=SOFT,
        va="bottom",
    )
