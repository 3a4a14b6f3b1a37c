"""Draws pairs of programs with different numbers of processes.

The drawings are those of Kuo et al. (2013): table 3, figures 6 and 7.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from jostle.plot.charts import share_label
from jostle.plot.figures import (
    FULL,
    INK,
    LOOKS,
    NARROW,
    SMALL,
    Canvas,
    DrawnFigures,
    Look,
    Page,
    bar,
    legend,
    spans_decades,
    whisker,
)
from jostle_lab.analysis.study.model import KuoRow, Prediction, StudyResult, Summary
from jostle_lab.plot.study.bars import LEFT, LINE, RIGHT, bars_axis, deepest, paged
from jostle_lab.plot.study_charts import (
    chunk_label,
    kept_label,
    metric_of,
    processes_label,
    signed_label,
    single_runs,
    source,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SLOT = 0.62  # inches that a pair takes at least


def row_label(result: StudyResult, row: KuoRow) -> str:
    """Return the label of a row of table 3: sizes, programs and sharing, as far as they vary."""
    rows = result.kuo.rows if result.kuo else []
    words = []
    if len({(kuo_row.small, kuo_row.large) for kuo_row in rows}) > 1:
        words.append(row.small if row.small == row.large else f"{row.small} + {row.large}")
    if len({size for kuo_row in rows for size in kuo_row.setting.processes}) > 1:
        words.append(f"({row.setting.processes[0]}, {row.setting.processes[1]})")
    if len({kuo_row.setting.chunk for kuo_row in rows}) > 1:
        words.append(chunk_label(row.setting.chunk))
    if len({kuo_row.setting.shared for kuo_row in rows}) > 1:
        words.append("shared" if row.setting.shared else "private")
    if len({kuo_row.setting.more for kuo_row in rows}) > 1:
        words += [f"{name} {value}" for name, value in row.setting.more]
    return "\n".join(words) or f"{row.small} + {row.large}"


def _rows(result: StudyResult, usable: Callable[[KuoRow], bool]) -> list[KuoRow]:
    rows = result.kuo.rows if result.kuo else []
    return [row for row in rows if usable(row)]


def overlap_rows(result: StudyResult) -> list[KuoRow]:
    """Return the rows whose active overlap has rates of both."""
    return _rows(result, lambda row: row.overlap[0] is not None and row.overlap[1] is not None)


def overlap_pages(result: StudyResult) -> list[tuple[Page, list[KuoRow]]]:
    """Return the pages of overlap throughput per pair (table 3), each with its rows."""
    rows = overlap_rows(result)
    pages = []
    for places, suffix in paged([row.setting.chunk for row in rows]):
        part = [rows[place] for place in places]
        if part:
            pages.append((_overlap_page(result, part, suffix), part))
    return pages


def _overlap_finding(rows: Sequence[KuoRow]) -> str:
    """Return a sentence on the pair whose shares of the throughput are the most uneven."""
    known = [(row.overlap_ratio, row) for row in rows if row.overlap_ratio]
    if not known:
        return "Throughput of both while both are at work"
    ratio, row = max(known, key=lambda pair: abs(math.log(pair[0])))
    small, large = row.setting.processes
    if row.small != row.large and small != large:
        more, less = f"{row.large} ×{large}", f"{row.small} ×{small}"
        more, less = (more, less) if ratio > 1 else (less, more)
        return (
            f"While both are at work, {more} gets {max(ratio, 1 / ratio):.1f} times the "
            f"throughput of {less}"
        )
    if small != large:
        return (
            f"While both are at work, {processes_label(large)} get {ratio:.1f} times the "
            f"throughput of {processes_label(small)}; with equal shares for all processes it "
            f"would be {row.expected_ratio:.3g} times"
        )
    if max(ratio, 1 / ratio) < 1.1:
        return "While both are at work, equal pairs get equal throughput"
    if row.small == row.large:
        times = max(ratio, 1 / ratio)
        return f"While both are at work, one {row.small} gets {times:.1f} times the other's rate"
    more, less = (row.large, row.small) if ratio > 1 else (row.small, row.large)
    return (
        f"While both are at work, {more} gets {max(ratio, 1 / ratio):.1f} times the throughput "
        f"of {less}"
    )


def _overlap_page(result: StudyResult, rows: Sequence[KuoRow], suffix: str) -> Page:
    title = _overlap_finding(rows)
    note = (
        "Throughput of P (p processes) and Q (q processes) in the active overlap: the longest "
        "stretch of slices in which every process of both moved something; medians, "
        f"{kept_label(row.runs for row in rows)}. Above the bars: Q / P; dash: an equal share for "
        "every process."
    )
    note += single_runs(row.runs for row in rows)
    if any(row.overlap_ratio is None for row in rows):
        note += " Neither where an operation of P is another thing than one of Q."
    columns = (
        "P",
        "Q",
        "p",
        "q",
        "chunk_bytes",
        "shared",
        "overall_P",
        "overall_Q",
        "overall_Q_per_P",
        "overlap_P",
        "overlap_Q",
        "overlap_Q_per_P",
        "q_per_p",
        "kept",
    )
    values = tuple(
        (
            row.small,
            row.large,
            *row.setting.processes,
            row.setting.chunk,
            row.setting.shared,
            *row.overall,
            row.overall_ratio,
            *row.overlap,
            row.overlap_ratio,
            row.expected_ratio,
            row.runs,
        )
        for row in rows
    )
    return _kuo_page(
        f"overlap-throughput{suffix}", (title, note), result, DrawnFigures(columns, values), rows
    )


def _kuo_page(
    stem: str,
    texts: tuple[str, str],
    result: StudyResult,
    numbers: DrawnFigures,
    rows: Sequence[KuoRow],
    drawing: float = 1.7,
) -> Page:
    """Return a page with space for the labels of rows below a drawing of some inches."""
    wide = LEFT + RIGHT + _SLOT * len(rows)
    width = NARROW if wide <= NARROW else FULL
    lines = deepest([row_label(result, row) for row in rows], width)
    body = drawing + 0.12 + LINE * lines
    return Page(stem, *texts, source(result), numbers, width=width, body=body)


def draw_overlap(canvas: Canvas, result: StudyResult, rows: Sequence[KuoRow]) -> None:
    """Draw the two bars of every pair with their ratio and a fair share."""
    from matplotlib.lines import Line2D

    axes = canvas.axes(LEFT, 0.3, canvas.width - LEFT - RIGHT, 1.4)
    tops: list[float] = []
    log = spans_decades(value or 0.0 for row in rows for value in row.overlap)
    for number, row in enumerate(rows):
        small, large = row.overlap[0] or 0.0, row.overlap[1] or 0.0
        whole = row.setting.processes[0] + row.setting.processes[1]
        for place, (value, size) in enumerate(
            zip((small, large), row.setting.processes, strict=True)
        ):
            where = number + (place - 0.5) * 0.34
            bar(axes, where, value, 0.3, LOOKS[place], log=log)
            tops.append(value)
            if row.overlap_ratio is not None:
                fair = (small + large) * size / max(whole, 1)
                axes.plot([where - 0.17, where + 0.17], [fair, fair], color=INK, linewidth=1.3)
                tops.append(fair)
        if row.overlap_ratio is not None:
            digits = 1 if row.overlap_ratio >= 0.5 else 2
            axes.annotate(
                f"{row.overlap_ratio:.{digits}f}",
                (number, max(tops[-4:])),
                (0, 2),
                textcoords="offset points",
                ha="center",
                fontsize=7.5,
                color=INK,
                fontweight="bold",
            )
    slot = (canvas.width - LEFT - RIGHT) / len(rows)
    bars_axis(
        axes,
        tops,
        metric_of(result, rows[0].small),
        [row_label(result, row) for row in rows],
        slot,
        log=log,
    )
    fair_share = Line2D([], [], color=INK, linewidth=1.3, label="equal share per process")
    uneven = any(len(set(row.setting.processes)) > 1 for row in rows)
    names = ("P, the smaller", "Q, the larger") if uneven else ("the first, P", "the second, Q")
    legend(canvas, list(zip(names, LOOKS, strict=False)), [fair_share], log=log)


def predicted_rows(result: StudyResult) -> list[KuoRow]:
    """Return the rows of unequal sizes that have predictions."""
    return _rows(result, lambda row: bool(row.predictions) and len(set(row.setting.processes)) > 1)


def predicted_pages(result: StudyResult) -> list[tuple[Page, list[KuoRow]]]:
    """Return the pages of predicted against observed run times (fig. 6 and 7)."""
    rows = predicted_rows(result)
    pages = []
    for places, suffix in paged([row.setting.chunk for row in rows]):
        part = [rows[place] for place in places]
        if part:
            pages.append((_predicted_page(result, part, suffix), part))
    return pages


def _predicted_page(result: StudyResult, rows: Sequence[KuoRow], suffix: str) -> Page:
    kuo = result.kuo
    ways = list(dict.fromkeys(prediction.by for row in rows for prediction in row.predictions))
    errors = [(kuo.error_process, "process"), (kuo.error_node, "node")] if kuo else []
    said = [f"{share_label(error)} (shares by {by})" for error, by in errors if error is not None]
    title = "Predicted against observed concurrent run times"
    if said:
        title = f"Kuo's model misses the run times of pairs by {', '.join(said)}, median"
    note = (
        "Bars: observed run time of the larger (above) and the smaller of a pair (below), median, "
        f"{kept_label(row.runs for row in rows)}"
        f"{'; whiskers: least to most' if any(row.runs > 1 for row in rows) else ''}. Marks: "
        f"equations 1 and 2, shares by {' and by '.join(ways)}; numbers: relative error by "
        "process, in per cent."
    )
    note += single_runs(row.runs for row in rows)
    if not all(row.holds for row in rows):
        note += " Pale and in brackets: the model's preconditions do not hold."
    columns = (
        "P",
        "Q",
        "p",
        "q",
        "chunk_bytes",
        "shared",
        "by",
        "holds",
        "why_not",
        "large_observed_s",
        "large_predicted_s",
        "large_relative_error",
        "small_observed_s",
        "small_predicted_s",
        "small_relative_error",
        "large_alone_relative_error",
        "small_alone_relative_error",
    )
    values = tuple(
        (
            row.small,
            row.large,
            *row.setting.processes,
            row.setting.chunk,
            row.setting.shared,
            prediction.by,
            row.holds,
            "; ".join(row.why_not),
            row.large_s.median,
            prediction.large_s,
            prediction.large_error,
            row.small_s.median,
            prediction.small_s,
            prediction.small_error,
            prediction.large_alone_error,
            prediction.small_alone_error,
        )
        for row in rows
        for prediction in row.predictions
    )
    numbers = DrawnFigures(columns, values)
    name = f"predicted-against-observed-run-time{suffix}"
    return _kuo_page(name, (title, note), result, numbers, rows, drawing=0.3 + 1.44 + 1.26)


_MARKS = {"process": ("D", "white"), "node": ("^", INK)}


def draw_predicted(canvas: Canvas, result: StudyResult, rows: Sequence[KuoRow]) -> None:
    """Draw the larger jobs above the smaller ones."""
    from matplotlib.lines import Line2D

    width = canvas.width - LEFT - RIGHT
    log = spans_decades(_times(rows))
    for place, (name, look) in enumerate(
        (("the larger, Q", LOOKS[1]), ("the smaller, P", LOOKS[0]))
    ):
        axes = canvas.axes(LEFT, 0.3 + place * 1.44, width, 1.26)
        large = place == 0
        tops = [
            _predicted(
                axes, number, row, row.large_s if large else row.small_s, look, large=large, log=log
            )
            for number, row in enumerate(rows)
        ]
        values = [*tops, *_times(rows)] if log else tops
        bars_axis(
            axes, values, "s", [row_label(result, row) for row in rows], width / len(rows), log=log
        )
        axes.set_ylabel(name, color=INK)
        axes.tick_params(labelbottom=not large)
    marks = [
        Line2D(
            [],
            [],
            linestyle="none",
            marker=mark,
            markersize=4,
            markerfacecolor=fill,
            markeredgecolor=INK,
            label=f"predicted by {by}",
        )
        for by, (mark, fill) in _MARKS.items()
        if any(prediction.by == by for row in rows for prediction in row.predictions)
    ]
    legend(canvas, [("observed: Q", LOOKS[1]), ("P", LOOKS[0])], marks, log=log)


def _times(rows: Sequence[KuoRow]) -> list[float]:
    """Return the observed and predicted run times of some rows, seconds."""
    seen = [each.median or 0.0 for row in rows for each in (row.small_s, row.large_s)]
    return seen + [
        value
        for row in rows
        for prediction in row.predictions
        for value in (prediction.small_s, prediction.large_s)
    ]


def _predicted(
    axes: Axes, number: int, row: KuoRow, observed: Summary, look: Look, *, large: bool, log: bool
) -> float:
    """Draw one observed bar with its predictions; return their greatest height."""
    tops = [0.0]
    if observed.median is not None:
        pale = look if row.holds else Look("#8A949E", look.hatch, look.marker, look.dash)
        bar(axes, number, observed.median, 0.5, pale, log=log)
        if observed.min is not None and observed.max is not None and observed.n > 1:
            whisker(axes, number, observed.min, observed.max, 0.07)
        tops += [observed.median, observed.max or 0.0]
    for prediction in row.predictions:
        seconds = prediction.large_s if large else prediction.small_s
        mark, fill = _MARKS.get(prediction.by, ("o", "white"))
        shift = -0.13 if prediction.by == "process" else 0.13
        axes.plot(
            [number + shift],
            [seconds],
            mark,
            markersize=4,
            markerfacecolor=fill,
            markeredgecolor=INK,
            markeredgewidth=0.7,
        )
        tops.append(seconds)
    _error(axes, number, row, max(tops), large=large)
    return max(tops)


def _error(axes: Axes, number: int, row: KuoRow, top: float, *, large: bool) -> None:
    """Write the relative error by process above a bar."""
    for prediction in row.predictions:
        if prediction.by == "process":
            text = signed_label(_error_of(prediction, large=large)).removesuffix(" %")
            text = text if row.holds else f"({text})"
            axes.annotate(
                text,
                (number, top),
                (0, 3),
                textcoords="offset points",
                ha="center",
                fontsize=SMALL,
                color=INK,
            )


def _error_of(prediction: Prediction, *, large: bool) -> float:
    return prediction.large_error if large else prediction.small_error
