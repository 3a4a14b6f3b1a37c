"""Draws the degradation or dilation of probes by signals: Shah, 2020, figs. 3.5, 3.7, 3.9-3.14.

One panel per probe, its signals along the axis, one bar per chunk size. Bars are medians, whiskers
95 % intervals, points single runs, and the diamond is the least disturbed run, which the papers
report.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jostle.plot.charts import share_label
from jostle.plot.figures import (
    FULL,
    INK,
    LOOKS,
    NARROW,
    SOFT,
    WIDEST,
    Canvas,
    DrawnFigures,
    Look,
    Page,
    broken,
    text_width,
    wrapped,
)
from jostle_lab.analysis.study.model import Cell, StudyResult
from jostle_lab.plot.study_charts import (
    DEGRADATION,
    DILATION,
    Group,
    chunk_label,
    few_chunks,
    finding,
    groups,
    kept_label,
    median_of,
    metrics_note,
    parts,
    patterns,
    several,
    single_runs,
    source,
    summary_of,
    values_of,
    verdicts,
    whiskers,
    why_empty,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEFT, _PANEL, _HEAD, _BETWEEN = 0.52, 1.5, 0.42, 0.16  # inches
_BAR, _APART = 0.2, 0.2  # inches: the widest bar, and the gap between signals
_LABEL = 6.5  # points


@dataclass(frozen=True)
class PairMatrix:
    """One matrix to draw.

    Attributes:
        group: Cells of the matrix.
        measure: "degradation" or "dilation".
        chunks: Chunk sizes that are drawn.
        panels: For each probe, its label and the labels of the signals that have a cell with it.
        rows: The panels by row of the page.
        bar: Width of a bar, inches.
    """

    group: Group
    measure: str
    chunks: list[int | None]
    panels: list[tuple[str, list[str]]]
    rows: list[list[int]]
    bar: float

    @property
    def width(self) -> float:
        """Width of the page, inches: narrow where that is enough, else the whole width."""
        widest = max(self.row_width(row) for row in self.rows)
        return NARROW if widest <= NARROW and len(self.rows) == 1 else FULL

    def row_width(self, row: list[int]) -> float:
        """Width of a row of panels with its axis, inches."""
        inside = sum(self.panel_width(number) for number in row)
        return _LEFT + inside + _BETWEEN * (len(row) - 1) + 0.12

    @property
    def stretch(self) -> float:
        """Factor by which panels are widened to fill the page."""
        if len(self.rows) > 1:
            return 1.0
        inside = self.row_width(self.rows[0]) - _LEFT - 0.12
        return float(min((self.width - _LEFT - 0.12) / inside, 1.9))

    def slot(self, number: int) -> float:
        """Width of each signal in a panel, inches."""
        return self.panel_width(number) * self.stretch / len(self.panels[number][1])

    def panel_width(self, number: int) -> float:
        """Width of a panel, inches."""
        label, signals = self.panels[number]
        bars = len(signals) * (len(self.chunks) * self.bar + _APART)
        # Names of signals, broken into lines, must not touch.
        names = max(text_width(word, _LABEL) for one in signals for word in broken(one, 0, _LABEL))
        bars = max(bars, len(signals) * (names + 0.1))
        return max(bars, min(text_width(label, 7.5, bold=True) + 0.1, 1.6), 0.6)


def matrices(result: StudyResult, measure: str) -> list[tuple[Page, PairMatrix]]:
    """Lay out every matrix of a study; return none if nothing was measured.

    Args:
        result: The study.
        measure: "degradation" or "dilation".
    """
    made = []
    known = patterns(result)
    for group in groups(result.cells, result.programs):
        for part, name in parts(group, known):
            measured = [c for c in part.cells if math.isfinite(median_of(c, measure))]
            if not measured or len(part.cells) == 1:
                continue  # a single bar shows no more than a sentence
            matrix = _lay_out(part, measure)
            made.append((_page(result, matrix, name), matrix))
    return made


def _lay_out(group: Group, measure: str) -> PairMatrix:
    """Choose the width of bars so that as few rows as possible are filled."""
    chunks = few_chunks(group.chunks)
    panels = []
    for probe in group.probes:
        signals = [s for s in group.signals if any(group.find(probe, s, c) for c in chunks)]
        if signals:
            panels.append((probe, signals))
    numbers = list(range(len(panels)))
    for bar in (_BAR, 0.17, 0.15):
        matrix = PairMatrix(group, measure, chunks, panels, [numbers], bar)
        if matrix.row_width(numbers) <= FULL:
            return matrix
    rows: list[list[int]] = [[]]
    for number in numbers:
        if rows[-1] and matrix.row_width([*rows[-1], number]) > FULL:
            rows.append([])
        rows[-1].append(number)
    return PairMatrix(group, measure, chunks, panels, rows, matrix.bar)


def _page(result: StudyResult, matrix: PairMatrix, name: str) -> Page:
    group, measure = matrix.group, matrix.measure
    counts = [verdicts(cell)["kept"] for cell in group.cells]
    what = "throughput drop" if measure == "degradation" else "longer run time"
    note = (
        f"{measure.capitalize()} ({what}) of the probe named above each panel alongside the signal "
        f"named below the bars{', ' + ', '.join(group.words) if group.words else ''}. Bars: median "
        f"of the runs, {kept_label(counts)}"
    )
    if several(group.cells):
        note += f"{whiskers(counts)}; points: runs"
        note += "; diamond: the least disturbed run" if measure == "degradation" else ""
    note += "."
    note += single_runs(counts)
    note += metrics_note(group.cells)
    note += " ×: number of processes." if group.sized else ""
    if len(matrix.chunks) < len(group.chunks):
        note += " Some of the chunk sizes; the table of this figure has all."
    meaning = DEGRADATION if measure == "degradation" else DILATION
    legend = 0.24 if len(matrix.chunks) > 1 else 0.0
    body = legend + sum(_HEAD + _PANEL + _below(matrix, row) for row in matrix.rows)
    return Page(
        f"{measure}-matrix{name}{group.suffix}",
        finding(group, measure),
        note,
        f"{meaning}. {source(result)}",
        _numbers(group, measure),
        width=matrix.width,
        body=body,
    )


def _numbers(group: Group, measure: str) -> DrawnFigures:
    columns = (
        "probe",
        "signal",
        "chunk_bytes",
        "probe_processes",
        "signal_processes",
        "metric",
        f"{measure}_median",
        f"{measure}_mean",
        f"{measure}_low95",
        f"{measure}_high95",
        f"{measure}_min",
        f"{measure}_max",
        f"{measure}_least_disturbed",
        "kept",
        "discarded",
        "failed",
        "unusable",
    )
    rows = []
    for cell in group.cells:
        summary, counts = summary_of(cell, measure), verdicts(cell)
        best = cell.degradation_best if measure == "degradation" else None
        rows.append(
            (
                cell.probe,
                cell.signal,
                cell.setting.chunk,
                *cell.setting.processes,
                cell.metric,
                summary.median,
                summary.mean,
                summary.low,
                summary.high,
                summary.min,
                summary.max,
                best,
                *(counts[name] for name in ("kept", "discarded", "failed", "unusable")),
            )
        )
    return DrawnFigures(columns, tuple(rows))


def _below(matrix: PairMatrix, row: list[int]) -> float:
    """Return the height of the signals' names below a row of panels, inches."""
    lines = max(
        len(_name_lines(signal, matrix.slot(number)))
        for number in row
        for signal in matrix.panels[number][1]
    )
    return 0.2 + 0.12 * lines


def _name_lines(name: str, slot: float) -> list[str]:
    """Break a signal's name into lines that fit below its bars."""
    return broken(name, max(slot - 0.05, 0.42), _LABEL)


def chunk_looks(chunks: list[int | None]) -> list[Look]:
    """Return a hatching for each chunk size, in ascending order."""
    return [LOOKS[number % len(LOOKS)] for number in range(len(chunks))]


def draw(canvas: Canvas, matrix: PairMatrix) -> None:
    """Draw the panels of a matrix."""
    top = 0.0
    if len(matrix.chunks) > 1:
        _legend(canvas, matrix)
        top = 0.24
    span = _range(matrix)
    for row in matrix.rows:
        left = _LEFT
        for place, number in enumerate(row):
            width = matrix.panel_width(number) * matrix.stretch
            axes = canvas.axes(left, top + _HEAD, width, _PANEL)
            _panel(axes, matrix, number, width, span, first=not place)
            if place:
                axes.tick_params(labelleft=False)
            else:
                axes.set_ylabel(f"{matrix.measure} of the probe, %", color=INK)
            left += width + _BETWEEN * matrix.stretch
        top += _HEAD + _PANEL + _below(matrix, row)


def _legend(canvas: Canvas, matrix: PairMatrix) -> None:
    from matplotlib.patches import Patch

    handles: list[Any] = [
        Patch(
            facecolor=look.fill,
            edgecolor=look.colour,
            hatch=look.hatch,
            linewidth=0.8,
            label=chunk_label(chunk),
        )
        for chunk, look in zip(matrix.chunks, chunk_looks(matrix.chunks), strict=True)
    ]
    canvas.text(_LEFT, 0.13, "chunk size:", color=INK, va="center")
    top = canvas.footer + canvas.body - 0.13
    canvas.figure.legend(
        handles=handles,
        loc="center left",
        ncols=len(handles),
        bbox_to_anchor=((_LEFT + 0.62) / canvas.width, top / canvas.height),
        fontsize=7.5,
        borderaxespad=0,
        handlelength=2.0,
        handleheight=1.0,
        columnspacing=1.4,
        labelcolor=INK,
    )


def _range(matrix: PairMatrix) -> tuple[float, float]:
    """Return the ends of the axis in percent.

    The axis contains 0, all medians and single runs, and the intervals down to WIDEST.
    """
    seen = [0.0]
    for cell in matrix.group.cells:
        if cell.setting.chunk not in matrix.chunks:
            continue
        seen += [100 * value for value in values_of(cell, matrix.measure)]
        summary = summary_of(cell, matrix.measure)
        ends = (summary.median, summary.low, summary.high)
        seen += [max(100 * end, WIDEST) for end in ends if end is not None]
    if matrix.measure == "degradation":
        return max(min(0.0, *seen) * 1.3, -100.0), 112.0
    return min(0.0, *seen) * 1.1, max(max(seen), 10.0) * 1.18


def _panel(
    axes: Axes,
    matrix: PairMatrix,
    number: int,
    width: float,
    span: tuple[float, float],
    *,
    first: bool,
) -> None:
    """Draw one probe's bars on an axis with the ends `span`.

    Only the `first` panel of a row has the axis' label.
    """
    probe, signals = matrix.panels[number]
    low, high = span
    chunks = matrix.chunks
    slot = matrix.slot(number)
    bar = min(matrix.bar * min(matrix.stretch, 1.3), slot / (len(chunks) + 0.6)) / slot
    for place, signal in enumerate(signals):
        for index, (chunk, look) in enumerate(zip(chunks, chunk_looks(chunks), strict=True)):
            cell = matrix.group.find(probe, signal, chunk)
            if cell is not None:
                where = place + (index - (len(chunks) - 1) / 2) * bar
                _bar(axes, cell, matrix.measure, where, bar, look, high)
    axes.axhline(0, color=SOFT, linewidth=0.8)
    axes.set_xlim(-0.5, len(signals) - 0.5)
    axes.set_ylim(low, high)
    if matrix.measure == "degradation":
        axes.set_yticks([tick for tick in range(-100, 101, 25) if low <= tick <= high])
    axes.grid(axis="y")
    axes.spines["bottom"].set_visible(False)
    axes.set_xticks(range(len(signals)))
    names = [_name_lines(signal, slot) for signal in signals]
    deepest = max(map(len, names))
    padded = ["\n".join(lines + [" "] * (deepest - len(lines))) for lines in names]
    axes.set_xticklabels(padded, fontsize=_LABEL, color=INK, linespacing=1.1, va="top")
    axes.tick_params(axis="x", length=0)
    name = "\n".join(wrapped(f"probe {probe}", width, 7.5, bold=True)[:2])
    axes.set_title(name, loc="left", fontsize=7.5, fontweight="bold", color=INK, pad=10)
    if first:
        axes.annotate(
            "signal",
            (0, 0),
            (-5, -5),
            "axes fraction",
            "offset points",
            fontsize=_LABEL,
            color=SOFT,
            va="top",
            ha="right",
        )


def _bar(
    axes: Axes, cell: Cell, measure: str, where: float, wide: float, look: Look, high: float
) -> None:
    """Draw a cell: bar, whiskers, runs, least disturbed run and value; or why it is empty."""
    summary = summary_of(cell, measure)
    if summary.median is None:
        axes.annotate(
            why_empty(cell),
            (where, 0),
            (0, 3),
            textcoords="offset points",
            rotation=90,
            ha="center",
            va="bottom",
            fontsize=_LABEL,
            color=INK,
        )
        axes.plot([where - wide * 0.4, where + wide * 0.4], [0, 0], color=look.colour, linewidth=2)
        return
    median = 100 * summary.median
    axes.bar(
        where,
        median,
        width=wide * 0.86,
        facecolor=look.fill,
        edgecolor=look.colour,
        hatch=look.hatch,
        linewidth=0.8,
    )
    tops = [median, 0.0]
    if summary.low is not None and summary.high is not None:
        ends = [100 * summary.low, 100 * summary.high]
        tops += ends
        axes.plot([where, where], ends, color=INK, linewidth=0.8, solid_capstyle="butt")
        for end in ends:
            axes.plot(
                [where - wide * 0.16, where + wide * 0.16], [end, end], color=INK, linewidth=0.8
            )
    values = [100 * value for value in values_of(cell, measure)]
    if len(values) > 1:
        places = [where - wide * 0.26] * len(values)
        axes.plot(places, values, ".", color=INK, markersize=1.8, markeredgewidth=0)
        tops += values
    if measure == "degradation" and cell.degradation_best is not None and len(values) > 1:
        best = 100 * cell.degradation_best
        axes.plot(
            [where + wide * 0.26],
            [best],
            "D",
            markersize=2.4,
            color="white",
            markeredgecolor=INK,
            markeredgewidth=0.6,
        )
    axes.annotate(
        share_label(summary.median, unit=False),
        (where, min(max(tops), high)),
        (0, 1.5),
        textcoords="offset points",
        ha="center",
        va="bottom",
        fontsize=_LABEL,
        color=INK,
    )
