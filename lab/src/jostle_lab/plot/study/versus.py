"""Draws standalone compared with concurrent runs: Kuo et al., 2013, figures 3 and 4."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jostle.plot.charts import share_label, slug, tied
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
    text_width,
    whisker,
)
from jostle_lab.analysis.study.model import Cell, StudyResult
from jostle_lab.plot.study.bars import LEFT, LINE, RIGHT, bars_axis, deepest, paged, pair_words
from jostle_lab.plot.study_charts import kept_label, metric_label, rate_label, single_runs, source

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Versus:
    """Results of a program alone and with another one: a group of bars in these figures.

    Attributes:
        label: Programs, processes and chunk size in a few words.
        chunk: Chunk size, bytes.
        metric: Unit in which progress is counted.
        alone: Overall rate of the program alone.
        together: Overall rates of the two while both ran, probe first.
        alone_s: Run time alone, s; None if the work was not fixed.
        together_s: Run times of the two programs, s; empty if the work was not fixed.
        kept: Number of runs that count.
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
    """Collect the pairs of equal programs or, if there are none, all pairs."""
    seen: set[object] = set()
    equals: list[Versus] = []
    others: list[Versus] = []
    for cell in result.cells:
        if cell.setting.periodic:
            continue
        key = (
            frozenset((cell.probe, cell.signal)),
            cell.setting.chunk,
            cell.setting.shared,
            tuple(sorted(cell.setting.processes)),
            cell.setting.more,
        )
        if key in seen:
            continue
        seen.add(key)
        equal = cell.probe == cell.signal and len(set(cell.setting.processes)) == 1
        made = _versus(result, cell)
        if made:
            (equals if equal else others).append(made)
    return equals or others


def _versus(result: StudyResult, cell: Cell) -> Versus | None:
    setting = cell.setting
    alone = next(
        (
            each
            for each in result.standalone
            if each.program == cell.probe and each.setting.is_alone_of(setting)
        ),
        None,
    )
    repetitions = [
        run for run in cell.repetitions if run.verdict == "kept" and run.probe and run.signal
    ]
    rates: tuple[list[float], list[float]] = ([], [])
    times: tuple[list[float], list[float]] = ([], [])
    for run in repetitions:
        for place, side in enumerate((run.probe, run.signal)):
            if side and side.overall is not None:
                rates[place].append(side.overall)
            if side and side.seconds is not None and side.dilation is not None:
                times[place].append(side.seconds)
    if alone is None or not rates[0]:
        return None
    seconds = alone.seconds.median if times[0] else None
    return Versus(
        pair_words(result, cell.probe, cell.signal, cell),
        setting.chunk,
        cell.metric,
        alone.overall.median,
        rates,
        seconds,
        times,
        len(repetitions),
    )


def versus_pages(result: StudyResult) -> list[tuple[Page, list[Versus]]]:
    """Return the pages that compare standalone with concurrent runs, each with its pairs."""
    pages = []
    every = versus(result)
    for metric in dict.fromkeys(one.metric for one in every):
        found = [one for one in every if one.metric == metric]
        ending = "" if metric == "bytes" else f"-{slug(metric)}"
        for places, suffix in paged([one.chunk for one in found]):
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
        title += tied([each for each, _ in drops], drop)
        if drop < 0.01:
            title = "Side by side, no program has less throughput than alone"
    timed = _timed(found)
    what = "Throughput over the whole run"
    what += " (above) and run time (below)" if timed else ""
    log = _log(found, _rates) or (timed and _log(found, _times))
    marks = "Bars (marks where the axis is logarithmic)" if log else "Bars"
    note = f"{what} of a program alone and of both of a pair at once. {marks}: median, "
    note += kept_label(one.kept for one in found)
    note += "; whiskers: least to most." if max(one.kept for one in found) > 1 else "."
    note += single_runs(one.kept for one in found)
    columns = ("pair", "metric", "series", "what", "median", "min", "max", "kept")
    rows: list[tuple[object, ...]] = []
    for one in found:
        for what, alone, both in (
            ("per_second", one.alone, one.together),
            ("seconds", one.alone_s, one.together_s),
        ):
            name = one.label.replace("\n", ", ")
            rows.append((name, one.metric, "alone", what, alone, None, None, None))
            for series, values in zip(("first", "second"), both, strict=True):
                if values:
                    rows.append(
                        (
                            name,
                            one.metric,
                            series,
                            what,
                            statistics.median(values),
                            min(values),
                            max(values),
                            len(values),
                        )
                    )
    width = NARROW if len(found) <= 3 else FULL
    lines = deepest([one.label for one in found], width)
    return Page(
        f"standalone-against-concurrent{suffix}",
        title,
        note,
        source(result),
        DrawnFigures(columns, tuple(rows)),
        width=width,
        body=0.3 + (2.56 if timed else 1.2) + 0.12 + LINE * lines,
    )


#: Alone is plain, the two of a pair are hatched.
_TRIO = (Look("#616E7C", "", "o", "-"), LOOKS[0], LOOKS[1])


def _timed(found: Sequence[Versus]) -> bool:
    """Return whether run times can be compared, which requires fixed work."""
    return any(one.alone_s is not None and one.together_s[0] for one in found)


def draw_versus(canvas: Canvas, found: Sequence[Versus]) -> None:
    """Draw throughput above run time."""
    width = canvas.width - LEFT - RIGHT
    metric = found[0].metric
    upper = canvas.axes(LEFT, 0.3, width, 1.2)
    slot = width / len(found)
    log = _log(found, _rates)
    _trio(upper, found, _rates, metric, slot)
    if _timed(found):
        lower = canvas.axes(LEFT, 0.3 + 1.2 + 0.16, width, 1.2)
        _trio(lower, found, _times, "s", slot)
        log = log and _log(found, _times)
        lower.set_ylabel("run time", color=INK)
        upper.tick_params(labelbottom=False)
    counted = "throughput" if metric == "bytes" else f"{metric_label(metric)} per second"
    upper.set_ylabel(counted, color=INK)
    legend(canvas, list(zip(("alone", "first of the pair", "second"), _TRIO, strict=True)), log=log)


_Picked = tuple[float | None, tuple[list[float], list[float]]]
_Pick = Callable[[Versus], _Picked]


def _rates(one: Versus) -> _Picked:
    return one.alone, one.together


def _times(one: Versus) -> _Picked:
    return one.alone_s, one.together_s


def _values(found: Sequence[Versus], pick: _Pick) -> list[float]:
    """Return the numbers behind the bars of some pairs."""
    return [
        value
        for alone, both in map(pick, found)
        for values in ([] if alone is None else [alone], *both)
        for value in values
    ]


def _log(found: Sequence[Versus], pick: _Pick) -> bool:
    return spans_decades(_values(found, pick))


def _trio(axes: Axes, found: Sequence[Versus], pick: _Pick, metric: str, slot: float) -> None:
    """Draw the three bars of every pair in `slot` inches each."""
    log = _log(found, pick)
    for number, one in enumerate(found):
        alone, both = pick(one)
        for place, values in enumerate(([] if alone is None else [alone], *both)):
            if not values:
                continue
            where, middle = number + (place - 1) * 0.26, statistics.median(values)
            bar(axes, where, middle, 0.23, _TRIO[place], log=log)
            if len(values) > 1:
                whisker(axes, where, min(values), max(values), 0.06)
            if log and metric != "s":
                continue  # units differ along the axis: only its labels can show them
            text = _number(middle, metric, 0.26 * slot)
            axes.annotate(
                text,
                (where, max(values)),
                (0, 4 if log else 1.5),
                textcoords="offset points",
                ha="center",
                fontsize=SMALL - 0.5,
                color=INK,
            )
    every = [0.0, *_values(found, pick)]
    bars_axis(axes, every, metric, [one.label for one in found], slot, log=log)


def _number(value: float, metric: str, room: float) -> str:
    """Return a value without its unit (the axis has it), with as many digits as fit."""
    text = f"{value:.1f}" if metric == "s" else rate_label(value, metric).split(" ")[0]
    plain = text.replace(",", "")
    if text_width(text, SMALL - 0.5) > room and float(plain) >= 2:
        return f"{float(plain):,.0f}"
    return text
