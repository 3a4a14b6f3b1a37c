"""Draws predicted and measured savings of advice (`jostle_lab.validation.advice`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from jostle.plot.figures import (
    FULL,
    INK,
    LOOKS,
    SOFT,
    Canvas,
    DrawnFigures,
    Page,
    Saved,
    draw_pages,
    text_width,
)
from jostle_lab.validation.advice.page import FIGURE
from jostle_lab.validation.advice.plan import KINDS
from jostle_lab.validation.advice.score import Row, summary

_TALL, _LABEL = 0.16, 6.5
_COLUMNS = ("experiment", "lever", "fs", "source", "measured_s", "predicted_s", "low_s", "high_s")


def drawn(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that the figure shows: predictions about levers, by lever."""
    shown = [row for row in rows if row.measured_s is not None and not row.nothing]
    return sorted(shown, key=lambda row: (KINDS.index(row.lever), row.fs, row.number, row.source))


def save_savings(
    rows: Sequence[Row], folder: Path, endings: Sequence[str] = ("svg",)
) -> list[Saved]:
    """Draw the savings into a folder; nothing is drawn if no prediction was measured.

    Args:
        rows: All rows.
        folder: Folder of the figure and of its numbers.
        endings: Formats of the figure: png, svg, pdf.
    """
    shown = drawn(rows)
    if not shown:
        return []
    return draw_pages([(_page(rows, shown), partial(_draw, rows=shown))], folder, endings)


def _page(rows: Sequence[Row], shown: Sequence[Row]) -> Page:
    one = summary(rows)
    off = "" if one.off is None else f"; the median error is {one.off:.0%}"
    numbers: list[tuple[object, ...]] = []
    for row in shown:
        predicted = (row.predicted_s, row.low_s, row.high_s) if row.advised else (None,) * 3
        numbers.append((row.number, row.lever, row.fs, row.source, row.measured_s, *predicted))
    return Page(
        FIGURE,
        f"{one.held} of {one.predictions} intervals contain the measured saving{off}",
        "Line: predicted interval; point: prediction; vertical mark: measured saving. Without a "
        "line the change was not advised.",
        "seconds of the first job, or core seconds",
        DrawnFigures(_COLUMNS, tuple(numbers)),
        width=FULL,
        body=_TALL * len(shown) + 0.5,
    )


def _draw(canvas: Canvas, rows: Sequence[Row]) -> None:
    """Draw a line for each prediction, the first one at the top."""
    labels = [f"{row.number} {row.lever}, {row.fs}, {row.source}" for row in rows]
    side = max(text_width(label, _LABEL) for label in labels) + 0.3
    axes = canvas.axes(side, 0.05, canvas.width - side - 0.2, _TALL * len(rows))
    look = LOOKS[0]
    for at, row in enumerate(rows):
        place = len(rows) - 1 - at
        if row.advised:
            ends = [row.low_s or 0.0, row.high_s or 0.0]
            axes.plot(ends, [place, place], color=look.colour, linewidth=1.6)
            axes.plot([row.predicted_s or 0.0], [place], "o", color=look.colour, markersize=3.5)
        measured = [row.measured_s or 0.0]
        axes.plot(measured, [place], "|", color=INK, markersize=8, markeredgewidth=1.4)
    axes.axvline(0, color=SOFT, linewidth=0.8)
    axes.set_yticks(range(len(rows)))
    axes.set_yticklabels(list(reversed(labels)), fontsize=_LABEL, color=INK)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(-0.7, len(rows) - 0.3)
    axes.set_xlabel("saving, s", loc="left", color=INK)
    axes.grid(axis="x")
