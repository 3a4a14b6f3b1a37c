"""Parts that figures of a program's runs share: points, trends, axes of dates and rates."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jostle.plot.charts.chart import PALETTE
from jostle.plot.figures.figure import INK, SOFT
from jostle.report.format.placement import is_proven

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from jostle.analysis.placement import ProgramPlacement, Run

Floats = NDArray[np.float64]

BLUE, ORANGE, GREEN = PALETTE[0], PALETTE[1], PALETTE[2]
RATE = "messaging rate, MB/s"
#: Background of a text that is drawn over lines.
PAPER = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.8}
#: Inches of an axis with labels on the left, and below.
LEFT, BELOW = 0.62, 0.42


def megabytes(runs: Sequence[Run]) -> Floats:
    """Return the rates of runs, MB/s; NaN where there is none."""
    return np.array([np.nan if run.rate is None else run.rate / 1e6 for run in runs])


def alongside(content: ProgramPlacement) -> tuple[str, NDArray[np.bool_]]:
    """Return the program that most evidently slowed the runs, and which runs it slowed.

    Returns:
        The name of the program, empty if there is none; and for each run, whether the program ran
        at the same time and used the same links.
    """
    slower = [
        each for each in content.suspects if is_proven(each) and each.change and each.change[0] < 0
    ]
    name = slower[0].program if slower else ""
    with_it = [
        any(each.conflicting and each.program == name for each in run.company.meetings)
        for run in content.runs
    ]
    return name, np.array(with_it, dtype=bool) & bool(name)


def points(axes: Axes, x: Floats, y: Floats, with_it: NDArray[np.bool_], size: float = 14) -> None:
    """Draw runs concurrent with the suspect as filled orange points, others as hollow blue ones."""
    axes.scatter(
        x[with_it],
        y[with_it],
        s=size,
        color=ORANGE,
        marker="o",
        linewidth=0.6,
        edgecolor="white",
        zorder=3,
    )
    axes.scatter(
        x[~with_it],
        y[~with_it],
        s=size,
        facecolor="white",
        edgecolor=BLUE,
        linewidth=0.9,
        zorder=2.5,
    )


def points_note(name: str) -> str:
    """Return the note that explains the points."""
    return f"Filled: alongside {name}; hollow: without it." if name else "A point is a run."


def date_axis(axes: Axes, starts_ns: Sequence[int]) -> Floats:
    """Label an axis with dates in local time; return the position of each run on the axis."""
    days = np.array([start / 86_400e9 for start in starts_ns])
    low, high = days.min(), days.max()
    pad = max((high - low) * 0.03, 0.02)
    axes.set_xlim(low - pad, high + pad)
    ticks = np.linspace(low, high, 6)
    form = "%d %b" if high - low > 3 else "%d %b %H:%M"
    axes.set_xticks(ticks)
    axes.set_xticklabels([datetime.fromtimestamp(day * 86_400).strftime(form) for day in ticks])
    year = datetime.fromtimestamp(low * 86_400).astimezone()
    axes.set_xlabel(f"start of the run, {year.year} ({year.strftime('%Z')})", loc="left")
    return days


def name_axes(axes: Axes, across: str, up: str) -> None:
    """Label both axes, and draw grid lines."""
    axes.set_xlabel(across, loc="left")
    axes.set_ylabel(up)
    axes.grid(axis="y")


def from_zero(axes: Axes, values: Any, margin: float = 1.08) -> None:
    """Begin the vertical axis at 0."""
    top = float(np.nanmax(values)) if np.size(values) else 1.0
    axes.set_ylim(0, top * margin or 1.0)


def trend(axes: Axes, x: Floats, y: Floats) -> None:
    """Draw the line of least squares through points, if one can be fitted."""
    known = np.isfinite(x) & np.isfinite(y)
    if known.sum() > 2 and np.ptp(x[known]) > 0:
        slope, base = np.polyfit(x[known], y[known], 1)
        ends = np.array([x[known].min(), x[known].max()])
        axes.plot(
            ends, base + slope * ends, color=INK, linewidth=1.0, linestyle=(0, (4, 2)), zorder=4
        )


def corner(axes: Axes, text: str, *, right: bool = True) -> None:
    """Write a short text into an upper corner of the axes."""
    axes.annotate(
        text,
        (1 if right else 0, 1),
        (-3 if right else 3, -3),
        "axes fraction",
        "offset points",
        ha="right" if right else "left",
        va="top",
        fontsize=6.5,
        color=SOFT,
        bbox=PAPER,
    )
