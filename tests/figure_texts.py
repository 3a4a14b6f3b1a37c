"""The texts in a figure, and whether all of them can be read."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

#: Of the PNG files that jostle writes (document/pictures.py).
_LEAST_DPI = 130


def faults(figure: Figure) -> list[str]:
    """Return texts that are cut off at the border, or that cover one another."""
    FigureCanvasAgg(figure)
    figure.set_dpi(_LEAST_DPI)  # the fewer dots, the wider the letters
    figure.draw_without_rendering()  # every text has its place then
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    left_out = hidden(figure)
    texts = [
        text
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and text not in left_out  # type: ignore[attr-defined]
    ]
    said = [text.get_text() for text in texts]  # type: ignore[attr-defined]
    extents = [text.get_window_extent(renderer).extents for text in texts]
    left, low, right, high = np.array(extents).reshape(-1, 4).T
    width, height = figure.bbox.width, figure.bbox.height
    outside = (left < -1) | (low < -1) | (right > width + 1) | (high > height + 1)
    wide = np.minimum.outer(right, right) - np.maximum.outer(left, left)
    tall = np.minimum.outer(high, high) - np.maximum.outer(low, low)
    pairs = np.argwhere(np.triu((wide > 1.5) & (tall > 2.5), 1))
    return [f"cut off: {said[at]!r}" for at in np.flatnonzero(outside)] + [
        f"{said[one]!r} covers {said[other]!r}" for one, other in pairs
    ]


def hidden(figure: Figure) -> set[object]:
    """Return the labels of ticks that are switched off, or outside their axis."""
    found: set[object] = set()
    for axes in figure.findobj(Axes):
        for axis in (axes.xaxis, axes.yaxis):  # type: ignore[attr-defined]
            low, high = sorted(axis.get_view_interval())
            for tick in axis.get_major_ticks():
                for label in (tick.label1, tick.label2):
                    inside = low - 1e-9 <= tick.get_loc() <= high + 1e-9
                    if not (label.get_visible() and inside):
                        found.add(label)
    return found


def texts(path: Path) -> list[str]:
    """Return the texts of an SVG, line by line."""
    tree = ElementTree.fromstring(path.read_text(encoding="utf-8"))
    found = ["".join(text.itertext()) for text in tree.iter("{http://www.w3.org/2000/svg}text")]
    return [text.replace("\u00a0", " ") for text in found]
