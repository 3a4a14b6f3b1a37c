"""Charts as PNG, SVG or PDF files. Importing a module here loads matplotlib."""

from __future__ import annotations

from jostle.plot.figures.bar_parts import SMALL, bar, label_lines, legend, whisker
from jostle.plot.figures.figure import INK, SOFT
from jostle.plot.figures.overhead import save_set
from jostle.plot.figures.page import (
    FULL,
    LOOKS,
    NARROW,
    WIDEST,
    Canvas,
    DrawnFigures,
    Look,
    Page,
    Plan,
    Saved,
    broken,
    draw_pages,
    log_axis,
    looks,
    spans_decades,
    text_width,
    value_axis,
    wrapped,
)

__all__ = [
    "FULL",
    "INK",
    "LOOKS",
    "NARROW",
    "SMALL",
    "SOFT",
    "WIDEST",
    "Canvas",
    "DrawnFigures",
    "Look",
    "Page",
    "Plan",
    "Saved",
    "bar",
    "broken",
    "draw_pages",
    "label_lines",
    "legend",
    "log_axis",
    "looks",
    "save_set",
    "spans_decades",
    "text_width",
    "value_axis",
    "whisker",
    "wrapped",
]
