"""Colour and width of links in figures, by the square root of their part of the greatest load."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jostle.plot.charts.axis import value_label
from jostle.plot.figures.figure import INK, SOFT
from jostle.plot.figures.page import RULE, Canvas, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

LABEL = 6.5  # points
_FAINTEST = 0.22  # of the ramp, so that a small load does not look idle
_THICKEST = 5.0  # points
#: Inches of the key to the loads.
KEY = 0.3


def rate_words(value: float) -> str:
    """Format bytes per second."""
    return value_label(value, "bytes", level=False) if value > 0 else "nothing"


def ramp() -> Any:
    """Return the colours from no load to the greatest load."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("load", ["#E6EEF4", "#7FB6D9", "#0B3F66"])


def draw_lines(axes: Axes, segments: Floats, load: Floats, most: float, thick: float) -> Floats:
    """Draw lines whose darkness and width show their load, the busiest last.

    Args:
        axes: The axes.
        segments: Coordinates x and y of both ends, (segments, 4).
        load: Load of each line, bytes per second.
        most: Load of the darkest line.
        thick: Width of the widest line, points.

    Returns:
        Width of each segment, points.
    """
    from matplotlib.collections import LineCollection

    strength = _strength(load, most)
    widths = _widths(strength, thick)
    order = np.argsort(strength, kind="stable")
    axes.add_collection(
        LineCollection(
            list(segments.reshape(-1, 2, 2)[order]),
            colors=colours(load, most)[order],
            linewidths=widths[order],
            capstyle="butt",
            zorder=2,
        )
    )
    return widths


def colours(load: Floats, most: float) -> Floats:
    """Return the colours of loads; idle links are grey."""
    from matplotlib.colors import to_rgba

    strength = _strength(load, most)
    shades = np.asarray(ramp()(_FAINTEST + (1 - _FAINTEST) * strength)).reshape(-1, 4)
    return np.where((strength > 0)[:, None], shades, to_rgba(RULE))


def key(canvas: Canvas, left: float, top: float, most: float, thick: float) -> None:
    """Draw samples of lines with their loads, in `KEY` inches of height."""
    loads = np.array([0.0, most / 16, most / 4, most]) if most > 0 else np.zeros(1)
    axes = canvas.axes(left, top, canvas.width - left, KEY)
    axes.set_axis_off()
    axes.set_xlim(0, canvas.width - left)
    axes.set_ylim(0, 1)
    x, ends, words = 0.0, [], [rate_words(load) for load in loads.tolist()]
    for text in words:
        ends.append([x, 0.5, x + 0.25, 0.5])
        axes.text(x + 0.31, 0.5, text, fontsize=LABEL, color=INK, va="center_baseline")
        x += 0.31 + text_width(text, LABEL) + 0.2
    draw_lines(axes, np.array(ends), loads, most, thick)
    axes.text(
        x, 0.5, "of a link, by width and shade", fontsize=LABEL, color=SOFT, va="center_baseline"
    )


def _strength(load: Floats, most: float) -> Floats:
    return np.sqrt(np.clip(load / most, 0, 1)) if most > 0 else np.zeros(len(load))


def _widths(strength: Floats, thick: float) -> Floats:
    thick = min(thick, _THICKEST)
    busy = np.maximum(thick * (0.35 + 0.65 * strength), 0.6)
    return np.where(strength > 0, busy, min(max(thick * 0.14, 0.35), 0.8))
