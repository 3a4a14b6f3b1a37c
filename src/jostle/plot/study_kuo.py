"""The study as Kuo et al. draw it: fig. 3, 4, 6, 7, table 3, and the spread over processes."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jostle.analysis.study_model import Cell, KuoRow, Prediction, Standalone, StudyResult, Summary
from jostle.plot.axis import ceiling
from jostle.plot.figure import INK, SOFT
from jostle.plot.study_page import (
    COLUMN,
    FULL,
    LOOKS,
    Canvas,
    Figures,
    Look,
    Page,
    broken,
    text_width,
    value_axis,
)
from jostle.plot.study_text import (
    chunk_label,
    kept_label,
    metric_of,
    processes_label,
    rate_label,
    share_label,
    signed_label,
    slug,
    source,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEFT, _RIGHT, _SMALL = 0.84, 0.14, 6.5
_SLOT = 0.62  # inches that a pair takes at least
_MOST = 12  # pairs on a page
_LINE = 0.115  # inches of a line of labels


@dataclass(frozen=True)
class Versus:
    """A program alone and beside another (one bar group of Kuo's fig. 3 and 4).

    Attributes:
        label: Programs, processes and chunk size in a few words.
        chunk: Chunk size, bytes.
        metric: What progress is counted in.
        alone: Overall rate alone.
        together: Overall rates of the two while both ran, probe first.
        alone_s: Run time alone; None where the work was not fixed.
        together_s: Run times of the two; empty where the work was not fixed.
        kept: Runs that count.
    """

    label: str
    chunk: int | None
    metric: str
    alone: float | None
    together: tuple[list[float], list[float]]
    alone_s: float | None
    together_s: tuple[list[float], list[float]]
    kept: int


def versus(result: StudyResult) -> list[Versus]:
    """Collect every pair of equals; every pair where there are none."""
    seen: set[object] = set()
    equals: list[Versus] = []
    others: list[Versus] = []
    known = _alone_by_key(result)
    for cell in result.cells:
        if cell.setting.periodic:
            continue
        key = (frozenset((cell.probe, cell.signal)), cell.setting.chunk, cell.setting.shared,
               tuple(sorted(cell.setting.processes)), cell.setting.more)  # fmt: skip
        if key in seen:
            continue
        seen.add(key)
        equal = cell.probe == cell.signal and len(set(cell.setting.processes)) == 1
        made = _versus(result, cell, known)
        if made:
            (equals if equal else others).append(made)
    return equals or others


def _alone_by_key(result: StudyResult) -> dict[object, Standalone]:
    return {
        (one.program, one.setting.chunk, one.setting.processes[0], one.setting.shared): one
        for one in result.standalone
    }


def _versus(result: StudyResult, cell: Cell, known: dict[object, Standalone]) -> Versus | None:
    setting = cell.setting
    alone = known.get((cell.probe, setting.chunk, setting.processes[0], setting.shared))
    kept = [run for run in cell.repetitions if run.verdict == "kept" and run.probe and run.signal]
    rates: tuple[list[float], list[float]] = ([], [])
    times: tuple[list[float], list[float]] = ([], [])
    for run in kept:
        for place, side in enumerate((run.probe, run.signal)):
            if side and side.overall is not None:
                rates[place].append(side.overall)
            if side and side.seconds is not None and side.dilation is not None:
                times[place].append(side.seconds)
    if alone is None or not rates[0]:
        return None
    seconds = alone.seconds.median if times[0] else None
    return Versus(
        _pair_words(result, cell.probe, cell.signal, cell), setting.chunk, cell.metric,
        alone.overall.median, rates, seconds, times, len(kept),
    )  # fmt: skip


def _pair_words(result: StudyResult, probe: str, signal: str, cell: Cell) -> str:
    """Name a pair on an axis by what tells it from the others."""
    mine, theirs = cell.setting.processes
    if len(result.programs) > 1:
        words = [probe if probe == signal else f"{probe} + {signal}"]
    else:
        words = []
    sizes = {size for one in result.cells for size in one.setting.processes}
    if len(sizes) > 1:
        words.append(f"{mine} + {theirs}")
    if len({one.setting.chunk for one in result.cells}) > 1:
        words.append(chunk_label(cell.setting.chunk))
    if len({one.setting.shared for one in result.cells}) > 1:
        words.append("shared" if cell.setting.shared else "private")
    return "\n".join(words) or f"{probe} + {signal}"


def versus_pages(result: StudyResult) -> list[tuple[Page, list[Versus]]]:
    """Return the pages of standalone against concurrent, each with its pairs."""
    pages = []
    every = versus(result)
    for metric in dict.fromkeys(one.metric for one in every):
        found = [one for one in every if one.metric == metric]
        ending = "" if metric == "bytes" else f"-{slug(metric)}"
        for places, suffix in _paged([one.chunk for one in found]):
            part = [found[place] for place in places]
            if part:
                pages.append((_versus_page(result, part, suffix + ending), part))
    return pages


def _versus_page(result: StudyResult, found: Sequence[Versus], suffix: str) -> Page:
    drops = [
        (1 - statistics.median(one.together[0]) / one.alone, one)
        for one in found
        if one.alone and one.together[0]
    ]
    title = "Standalone against concurrent"
    if drops:
        drop, worst = max(drops, key=lambda pair: pair[0])
        longer = ""
        if worst.alone_s and worst.together_s[0]:
            factor = statistics.median(worst.together_s[0]) / worst.alone_s
            longer = f" and {factor:.1f} times the run time"
        name = worst.label.replace("\n", ", ")
        title = f"Side by side, up to {share_label(drop)} less throughput{longer} ({name})"
        if drop < 0.01:
            title = "Side by side, no program has less throughput than alone"
    timed = _timed(found)
    what = "Throughput over the whole run"
    what += " (above) and run time (below)" if timed else ""
    note = f"{what} of a program alone and of both of a pair at once. Bars: median, "
    note += kept_label(one.kept for one in found)
    note += "; whiskers: least to most." if max(one.kept for one in found) > 1 else "."
    columns = ("pair", "metric", "series", "what", "median", "min", "max", "kept")
    rows: list[tuple[object, ...]] = []
    for one in found:
        for what, alone, both in (("per_second", one.alone, one.together),
                                  ("seconds", one.alone_s, one.together_s)):  # fmt: skip
            name = one.label.replace("\n", ", ")
            rows.append((name, one.metric, "alone", what, alone, None, None, None))
            for series, values in zip(("first", "second"), both, strict=True):
                if values:
                    rows.append((name, one.metric, series, what, statistics.median(values),
                                 min(values), max(values), len(values)))  # fmt: skip
    width = COLUMN if len(found) <= 3 else FULL
    lines = _deepest([one.label for one in found], width)
    return Page(
        f"standalone-against-concurrent{suffix}", title, note, source(result),
        Figures(columns, tuple(rows)), width=width,
        body=0.3 + (2.56 if timed else 1.2) + 0.12 + _LINE * lines,
    )  # fmt: skip


#: Alone is plain, the two of a pair are hatched.
_TRIO = (Look("#616E7C", "", "o", "-"), LOOKS[0], LOOKS[1])


def _timed(found: Sequence[Versus]) -> bool:
    """Return whether run times can be compared: only those of fixed work can."""
    return any(one.alone_s is not None and one.together_s[0] for one in found)


def draw_versus(made: Canvas, found: Sequence[Versus]) -> None:
    """Draw throughput above run time."""
    width = made.width - _LEFT - _RIGHT
    metric = found[0].metric
    upper = made.axes(_LEFT, 0.3, width, 1.2)
    slot = width / len(found)
    _trio(upper, found, lambda one: (one.alone, one.together), metric, slot)
    if _timed(found):
        lower = made.axes(_LEFT, 0.3 + 1.2 + 0.16, width, 1.2)
        _trio(lower, found, lambda one: (one.alone_s, one.together_s), "s", slot)
        lower.set_ylabel("run time", color=INK)
        upper.tick_params(labelbottom=False)
    upper.set_ylabel("throughput" if metric == "bytes" else f"{metric} per second", color=INK)
    _legend(made, list(zip(("alone", "first of the pair", "second"), _TRIO,
                           strict=True)))  # fmt: skip


_Pick = Callable[[Versus], tuple[float | None, tuple[list[float], list[float]]]]


def _trio(axes: Axes, found: Sequence[Versus], pick: _Pick, metric: str, slot: float) -> None:
    """Draw the three bars of every pair in `slot` inches each."""
    tops = [0.0]
    for number, one in enumerate(found):
        alone, both = pick(one)
        for place, values in enumerate(([] if alone is None else [alone], *both)):
            if not values:
                continue
            where, middle = number + (place - 1) * 0.26, statistics.median(values)
            bar(axes, where, middle, 0.23, _TRIO[place])
            if len(values) > 1:
                whisker(axes, where, min(values), max(values), 0.06)
            text = _number(middle, metric, 0.26 * slot)
            axes.annotate(text, (where, max(values)), (0, 1.5), textcoords="offset points",
                          ha="center", fontsize=_SMALL - 0.5, color=INK)  # fmt: skip
            tops.append(max(values))
    _axis(axes, max(tops) * 1.12, metric, [one.label for one in found], slot)


def _number(value: float, metric: str, room: float) -> str:
    """Return a value without its unit (the axis has it), with as many digits as fit."""
    text = f"{value:.1f}" if metric == "s" else rate_label(value, metric).split(" ")[0]
    if text_width(text, _SMALL - 0.5) > room and "." in text:
        return text.split(".")[0] if not text.startswith("0.") else text
    return text


def bar(axes: Axes, where: float, height: float, wide: float, look: Look) -> None:
    """Draw one bar in a look."""
    axes.bar(where, height, width=wide, facecolor=look.fill, edgecolor=look.colour,
             hatch=look.hatch, linewidth=0.8)  # fmt: skip


def whisker(axes: Axes, where: float, low: float, high: float, half: float) -> None:
    """Draw a whisker with caps."""
    axes.plot([where, where], [low, high], color=INK, linewidth=0.8, solid_capstyle="butt")
    for end in (low, high):
        axes.plot([where - half, where + half], [end, end], color=INK, linewidth=0.8)


def _axis(axes: Axes, top: float, metric: str, labels: Sequence[str], slot: float) -> None:
    """Scale the value axis, and name every group below it as far as its slot allows."""
    end = ceiling(top, metric if metric == "bytes" else "count")
    value_axis(axes, end, metric)
    axes.set_xlim(-0.55, len(labels) - 0.45)
    axes.set_xticks(range(len(labels)))
    names = [_lines(label, slot) for label in labels]
    deepest = max(map(len, names))
    padded = ["\n".join(lines + [" "] * (deepest - len(lines))) for lines in names]
    axes.set_xticklabels(padded, fontsize=_SMALL, color=INK, va="top", linespacing=1.1)
    axes.tick_params(axis="x", length=0)
    axes.axhline(0, color=SOFT, linewidth=0.8)
    axes.spines["bottom"].set_visible(False)


def _lines(label: str, slot: float) -> list[str]:
    """Break a group's label, line by line, into what its slot has room for."""
    return [
        line for part in label.split("\n") for line in broken(part, max(slot - 0.05, 0.4), _SMALL)
    ]


def _deepest(labels: Sequence[str], width: float) -> int:
    """Return how many lines the longest label takes on a page of `width` inches."""
    slot = (width - _LEFT - _RIGHT) / max(len(labels), 1)
    return max((len(_lines(label, slot)) for label in labels), default=1)


def _paged(chunks: Sequence[int | None]) -> list[tuple[list[int], str]]:
    """Spread rows over pages: one page if there are few, else one per chunk size.

    Args:
        chunks: The chunk size of every row.

    Returns:
        Per page the places of its rows, and what its file's name ends in.
    """
    every = list(range(len(chunks)))
    if len(chunks) <= _MOST or len(set(chunks)) == 1:
        pages = [(every, "")]
    else:
        sizes = sorted(set(chunks), key=lambda chunk: -1 if chunk is None else chunk)
        pages = [
            ([place for place in every if chunks[place] == size], f"-{slug(chunk_label(size))}")
            for size in sizes
        ]
    return [
        (places[first : first + _MOST], suffix + (f"-{first // _MOST + 1}" if first else ""))
        for places, suffix in pages
        for first in range(0, len(places), _MOST)
    ]


def _legend(made: Canvas, entries: Sequence[tuple[str, Look]], extra: Sequence[Any] = ()) -> None:
    from matplotlib.patches import Patch

    handles: list[Any] = [
        Patch(facecolor=look.fill, edgecolor=look.colour, hatch=look.hatch, linewidth=0.8,
              label=label)
        for label, look in entries
    ]  # fmt: skip
    top = made.floor + made.body - 0.1
    made.figure.legend(
        handles=[*handles, *extra], loc="center left", ncols=len(handles) + len(extra),
        bbox_to_anchor=(0.12 / made.width, top / made.height), fontsize=7.5, borderaxespad=0,
        handlelength=2.0, handleheight=1.0, columnspacing=1.2, labelcolor=INK,
    )  # fmt: skip


def row_label(result: StudyResult, row: KuoRow) -> str:
    """Name a row of table 3 on an axis: sizes, programs and sharing as far as they vary."""
    rows = result.kuo.rows if result.kuo else []
    words = []
    if len({(one.small, one.large) for one in rows}) > 1:
        words.append(row.small if row.small == row.large else f"{row.small} + {row.large}")
    if len({size for one in rows for size in one.setting.processes}) > 1:
        words.append(f"({row.setting.processes[0]}, {row.setting.processes[1]})")
    if len({one.setting.chunk for one in rows}) > 1:
        words.append(chunk_label(row.setting.chunk))
    if len({one.setting.shared for one in rows}) > 1:
        words.append("shared" if row.setting.shared else "private")
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
    for places, suffix in _paged([row.setting.chunk for row in rows]):
        part = [rows[place] for place in places]
        if part:
            pages.append((_overlap_page(result, part, suffix), part))
    return pages


def _overlap_finding(rows: Sequence[KuoRow]) -> str:
    """Say whose share of the throughput is the most uneven."""
    known = [(row.overlap_ratio, row) for row in rows if row.overlap_ratio]
    if not known:
        return "Throughput of both while both are at work"
    ratio, row = max(known, key=lambda pair: abs(math.log(pair[0])))
    small, large = row.setting.processes
    if small != large:
        return (
            f"While both are at work, {processes_label(large)} get {ratio:.1f} times the "
            f"throughput of {processes_label(small)}; with equal shares for all processes it "
            f"would be {row.expected_ratio:.3g} times"
        )
    if max(ratio, 1 / ratio) < 1.1:
        return "While both are at work, equal pairs get equal throughput"
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
    columns = (
        "P", "Q", "p", "q", "chunk_bytes", "shared", "overall_P", "overall_Q", "overall_Q_per_P",
        "overlap_P", "overlap_Q", "overlap_Q_per_P", "q_per_p", "kept",
    )  # fmt: skip
    values = tuple(
        (
            row.small, row.large, *row.setting.processes, row.setting.chunk, row.setting.shared,
            *row.overall, row.overall_ratio, *row.overlap, row.overlap_ratio, row.expected_ratio,
            row.runs,
        )
        for row in rows
    )  # fmt: skip
    return _kuo_page(f"overlap-throughput{suffix}", (title, note), result,
                     Figures(columns, values), rows)  # fmt: skip


def _kuo_page(
    stem: str, texts: tuple[str, str], result: StudyResult, numbers: Figures,
    rows: Sequence[KuoRow], drawing: float = 1.7,
) -> Page:  # fmt: skip
    """Return a page with room for the labels of rows below a drawing of some inches."""
    wide = _LEFT + _RIGHT + _SLOT * len(rows)
    width = COLUMN if wide <= COLUMN else FULL
    lines = _deepest([row_label(result, row) for row in rows], width)
    body = drawing + 0.12 + _LINE * lines
    return Page(stem, *texts, source(result), numbers, width=width, body=body)


def draw_overlap(made: Canvas, result: StudyResult, rows: Sequence[KuoRow]) -> None:
    """Draw the two bars of every pair with their ratio and a fair share."""
    from matplotlib.lines import Line2D

    axes = made.axes(_LEFT, 0.3, made.width - _LEFT - _RIGHT, 1.4)
    tops = []
    for number, row in enumerate(rows):
        small, large = row.overlap[0] or 0.0, row.overlap[1] or 0.0
        whole = row.setting.processes[0] + row.setting.processes[1]
        for place, (value, size) in enumerate(zip((small, large), row.setting.processes,
                                                  strict=True)):  # fmt: skip
            where = number + (place - 0.5) * 0.34
            bar(axes, where, value, 0.3, LOOKS[place])
            fair = (small + large) * size / max(whole, 1)
            axes.plot([where - 0.17, where + 0.17], [fair, fair], color=INK, linewidth=1.3)
            tops += [value, fair]
        if row.overlap_ratio is not None:
            axes.annotate(f"{row.overlap_ratio:.1f}", (number, max(tops[-4:])), (0, 2),
                          textcoords="offset points", ha="center", fontsize=7.5, color=INK,
                          fontweight="bold")  # fmt: skip
    slot = (made.width - _LEFT - _RIGHT) / len(rows)
    _axis(
        axes,
        max(tops) * 1.12,
        metric_of(result, rows[0]),
        [row_label(result, row) for row in rows],
        slot,
    )
    fair_share = Line2D([], [], color=INK, linewidth=1.3, label="equal share per process")
    uneven = any(len(set(row.setting.processes)) > 1 for row in rows)
    names = ("P, the smaller", "Q, the larger") if uneven else ("the first, P", "the second, Q")
    _legend(made, list(zip(names, LOOKS, strict=False)), [fair_share])


def predicted_rows(result: StudyResult) -> list[KuoRow]:
    """Return the rows with predictions, sizes unequal."""
    return _rows(
        result, lambda row: bool(row.predictions) and len(set(row.setting.processes)) > 1
    )  # fmt: skip


def predicted_pages(result: StudyResult) -> list[tuple[Page, list[KuoRow]]]:
    """Return the pages of predicted against observed run times (fig. 6 and 7)."""
    rows = predicted_rows(result)
    pages = []
    for places, suffix in _paged([row.setting.chunk for row in rows]):
        part = [rows[place] for place in places]
        if part:
            pages.append((_predicted_page(result, part, suffix), part))
    return pages


def _predicted_page(result: StudyResult, rows: Sequence[KuoRow], suffix: str) -> Page:
    kuo = result.kuo
    ways = list(dict.fromkeys(one.by for row in rows for one in row.predictions))
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
    if not all(row.holds for row in rows):
        note += " Pale and in brackets: the model's preconditions do not hold."
    columns = (
        "P", "Q", "p", "q", "chunk_bytes", "shared", "by", "holds", "why_not",
        "large_observed_s", "large_predicted_s", "large_relative_error", "small_observed_s",
        "small_predicted_s", "small_relative_error", "large_alone_relative_error",
        "small_alone_relative_error",
    )  # fmt: skip
    values = tuple(
        (
            row.small, row.large, *row.setting.processes, row.setting.chunk, row.setting.shared,
            one.by, row.holds, "; ".join(row.why_not), row.large_s.median, one.large_s,
            one.large_error, row.small_s.median, one.small_s, one.small_error,
            one.large_alone_error, one.small_alone_error,
        )
        for row in rows
        for one in row.predictions
    )  # fmt: skip
    numbers = Figures(columns, values)
    name = f"predicted-against-observed-run-time{suffix}"
    return _kuo_page(name, (title, note), result, numbers, rows, drawing=0.3 + 1.44 + 1.26)


_MARKS = {"process": ("D", "white"), "node": ("^", INK)}


def draw_predicted(made: Canvas, result: StudyResult, rows: Sequence[KuoRow]) -> None:
    """Draw the larger jobs above the smaller ones."""
    from matplotlib.lines import Line2D

    width = made.width - _LEFT - _RIGHT
    for place, (name, look) in enumerate((("the larger, Q", LOOKS[1]), ("the smaller, P",
                                                                        LOOKS[0]))):  # fmt: skip
        axes = made.axes(_LEFT, 0.3 + place * 1.44, width, 1.26)
        large = place == 0
        tops = [
            _predicted(axes, number, row, row.large_s if large else row.small_s, look, large=large)
            for number, row in enumerate(rows)
        ]
        _axis(axes, max(tops) * 1.14, "s", [row_label(result, row) for row in rows],
              width / len(rows))  # fmt: skip
        axes.set_ylabel(name, color=INK)
        axes.tick_params(labelbottom=not large)
    marks = [
        Line2D([], [], linestyle="none", marker=mark, markersize=4, markerfacecolor=fill,
               markeredgecolor=INK, label=f"predicted by {by}")
        for by, (mark, fill) in _MARKS.items()
        if any(one.by == by for row in rows for one in row.predictions)
    ]  # fmt: skip
    _legend(made, [("observed: Q", LOOKS[1]), ("P", LOOKS[0])], marks)


def _predicted(
    axes: Axes, number: int, row: KuoRow, observed: Summary, look: Look, *, large: bool
) -> float:
    """Draw one observed bar with its predictions; return how high they reach."""
    tops = [0.0]
    if observed.median is not None:
        pale = look if row.holds else Look("#8A949E", look.hatch, look.marker, look.dash)
        bar(axes, number, observed.median, 0.5, pale)
        if observed.min is not None and observed.max is not None and observed.n > 1:
            whisker(axes, number, observed.min, observed.max, 0.07)
        tops += [observed.median, observed.max or 0.0]
    for one in row.predictions:
        seconds = one.large_s if large else one.small_s
        mark, fill = _MARKS.get(one.by, ("o", "white"))
        shift = -0.13 if one.by == "process" else 0.13
        axes.plot([number + shift], [seconds], mark, markersize=4, markerfacecolor=fill,
                  markeredgecolor=INK, markeredgewidth=0.7)  # fmt: skip
        tops.append(seconds)
    _error(axes, number, row, max(tops), large=large)
    return max(tops)


def _error(axes: Axes, number: int, row: KuoRow, top: float, *, large: bool) -> None:
    """Write the relative error by process above a bar."""
    for one in row.predictions:
        if one.by == "process":
            text = signed_label(_error_of(one, large=large)).removesuffix(" %")
            text = text if row.holds else f"({text})"
            axes.annotate(text, (number, top), (0, 3), textcoords="offset points", ha="center",
                          fontsize=_SMALL, color=INK)  # fmt: skip


def _error_of(one: Prediction, *, large: bool) -> float:
    return one.large_error if large else one.small_error


@dataclass(frozen=True)
class Spread:
    """How unevenly the processes of a pair moved bytes, run by run."""

    label: str
    values: list[float]
    cell: Cell


def spreads(result: StudyResult) -> list[Spread]:
    """Collect the spread of every unordered pair, at most three dozen."""
    seen: set[object] = set()
    found = []
    for cell in result.cells:
        setting = cell.setting
        sides = sorted(zip((cell.probe, cell.signal), setting.processes, strict=True))
        key = (tuple(sides), setting.chunk, setting.shared, setting.periodic, setting.more)
        values = [
            run.spread for run in cell.repetitions
            if run.verdict == "kept" and run.spread is not None and math.isfinite(run.spread)
        ]  # fmt: skip
        if key not in seen and values:
            seen.add(key)
            label = _pair_words(result, cell.probe, cell.signal, cell).replace("\n", ", ")
            if setting.periodic and not all(one.setting.periodic for one in result.cells):
                label += ", periodic"
            found.append(Spread(label, values, cell))
    return found[:36]


def spread_page(result: StudyResult, found: Sequence[Spread]) -> Page:
    """Return the page of the spread of bytes per process."""
    whole = statistics.median(value for one in found for value in one.values)
    worst = max(found, key=lambda one: statistics.median(one.values))
    most = statistics.median(worst.values)
    title = (
        f"Processes of a pair differ by {share_label(whole)} (median); most, "
        f"{share_label(most)}, in {worst.label}"
    )
    if most < 0.005:
        title = "All processes of a pair move the same"
    counted = "bytes" if all(one.cell.metric == "bytes" for one in found) else "progress"
    note = (
        f"Standard deviation over mean of the {counted} that each process of both moved in the "
        f"active overlap. Points: runs, {kept_label(len(one.values) for one in found)}; bar: "
        "median."
    )
    columns = ("pair", "chunk_bytes", "shared", "periodic", "run", "std_over_mean")
    rows = tuple(
        (one.label, one.cell.setting.chunk, one.cell.setting.shared, one.cell.setting.periodic,
         run.run, run.spread)
        for one in found
        for run in one.cell.repetitions
        if run.verdict == "kept" and run.spread is not None
    )  # fmt: skip
    body = 0.15 + 0.19 * len(found) + 0.42
    return Page(
        "spread-per-process", title, note, source(result), Figures(columns, rows), width=FULL,
        body=body,
    )  # fmt: skip


def draw_spread(made: Canvas, found: Sequence[Spread]) -> None:
    """Draw one line of points per pair."""
    side = min(max(text_width(one.label, 7.5) for one in found) + 0.25, 3.4)
    axes = made.axes(side, 0.1, made.width - side - 0.3, 0.19 * len(found))
    for number, one in enumerate(found):
        place = len(found) - 1 - number
        middle = 100 * statistics.median(one.values)
        axes.barh(place, middle, height=0.62, facecolor=LOOKS[0].fill, edgecolor=LOOKS[0].colour,
                  linewidth=0.8)  # fmt: skip
        axes.plot([100 * v for v in one.values], [place] * len(one.values), ".", color=INK,
                  markersize=3, markeredgewidth=0)  # fmt: skip
        axes.annotate(share_label(middle / 100), (100 * max(one.values), place), (4, 0),
                      textcoords="offset points", va="center", fontsize=_SMALL,
                      color=INK)  # fmt: skip
    axes.set_yticks(range(len(found)))
    axes.set_yticklabels([one.label for one in reversed(found)], color=INK)
    axes.set_ylim(-0.6, len(found) - 0.4)
    limit = max(max(100 * v for one in found for v in one.values), 1.0) * 1.15
    axes.set_xlim(0, limit)
    axes.set_xticks([tick for tick in axes.get_xticks() if tick <= limit])
    axes.set_xlabel("spread over processes: standard deviation / mean, %", loc="left", color=INK)
    axes.grid(axis="x")
