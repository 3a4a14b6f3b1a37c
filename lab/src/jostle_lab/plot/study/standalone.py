"""Draws standalone programs of a study without pairs: tables 1 and 2 of Kuo et al., 2013."""

from __future__ import annotations

from collections.abc import Sequence

from jostle.plot.figures import (
    FULL,
    INK,
    LOOKS,
    NARROW,
    Canvas,
    DrawnFigures,
    Page,
    bar,
    spans_decades,
    whisker,
)
from jostle_lab.analysis.study.model import Standalone, StudyResult
from jostle_lab.plot.study.bars import LEFT, LINE, MOST, RIGHT, bars_axis, deepest, paged
from jostle_lab.plot.study_charts import (
    brief,
    kept_label,
    metric_label,
    rate_label,
    single_runs,
    source,
)

_ALIKE = 1.02  # times the next: below it no setting is named as an exception


def standalone_pages(result: StudyResult) -> list[tuple[Page, list[Standalone]]]:
    """Return the pages of a study without pairs, each with its programs and settings."""
    if result.cells:
        return []
    pages = []
    known = [row for row in result.standalone if row.rate.median is not None]
    for metric in dict.fromkeys(row.metric for row in known):
        ending = "" if metric == "bytes" else f"-{metric}"
        for files, found in _by_files([row for row in known if row.metric == metric]):
            for places, suffix in paged([row.setting.chunk for row in found]):
                part = [found[place] for place in places]
                if len(part) > 1:
                    pages.append((_page(result, part, ending + files + suffix), part))
    return pages


def _by_files(found: list[Standalone]) -> list[tuple[str, list[Standalone]]]:
    """Separate private and shared files where a page cannot hold both: tables 1 and 2."""
    if len(found) <= MOST:
        return [("", found)]
    kinds = ((False, ""), (True, "-shared-file"))
    return [
        (files, [row for row in found if row.setting.shared == shared]) for shared, files in kinds
    ]


def _page(result: StudyResult, found: Sequence[Standalone], suffix: str) -> Page:
    names = dict(zip(map(id, found), _labels(result, found), strict=True))
    most = max(found, key=lambda row: row.rate.median or 0.0)
    least = min(found, key=lambda row: row.rate.median or 0.0)
    said = [
        f"{names[id(row)].replace(chr(10), ', ')}: {rate_label(row.rate.median, row.metric)}"
        for row in (most, least)
    ]
    title = f"Alone, most with {said[0]}; least with {said[1]}"
    if (most.rate.median or 0.0) <= _ALIKE * (least.rate.median or 0.0):
        title = f"Alone, all settings get about the same: {said[0].rpartition(': ')[2]}"
    kept = [row.rate.n for row in found]
    note = f"Throughput of a program by itself. Bars: median, {kept_label(kept)}"
    note += "; whiskers: least to most." if max(kept) > 1 else "."
    columns = (
        "program",
        "setting",
        "chunk_bytes",
        "processes",
        "shared",
        "metric",
        "per_second",
        "min",
        "max",
        "kept",
    )
    rows = tuple(
        (
            row.program,
            row.setting.label,
            row.setting.chunk,
            row.setting.processes[0],
            row.setting.shared,
            row.metric,
            row.rate.median,
            row.rate.min,
            row.rate.max,
            row.rate.n,
        )
        for row in found
    )
    width = NARROW if len(found) <= 3 else FULL
    return Page(
        f"standalone{suffix}",
        title,
        note + single_runs(kept),
        source(result),
        DrawnFigures(columns, rows),
        width=width,
        body=2.0 + LINE * deepest(list(names.values()), width),
    )


def _labels(result: StudyResult, found: Sequence[Standalone]) -> list[str]:
    """Return a label for each program: the parts of its setting that differ from others."""
    settings = [row.setting for row in result.standalone]
    several = len({row.program for row in result.standalone}) > 1
    return [
        "\n".join([row.program] * several + brief(row.setting, settings).split(", ")).strip()
        or row.program
        for row in found
    ]


def draw(canvas: Canvas, result: StudyResult, found: Sequence[Standalone]) -> None:
    """Draw a bar for each program and setting."""
    width = canvas.width - LEFT - RIGHT
    axes = canvas.axes(LEFT, 0.3, width, 1.6)
    tops = [value for row in found for value in (row.rate.median, row.rate.max) if value]
    log = spans_decades(tops)
    for number, row in enumerate(found):
        bar(axes, number, row.rate.median or 0.0, 0.55, LOOKS[0], log=log)
        if row.rate.n > 1 and row.rate.min is not None and row.rate.max is not None:
            whisker(axes, number, row.rate.min, row.rate.max, 0.08)
        axes.annotate(
            rate_label(row.rate.median, row.metric).partition(" ")[0],
            (number, row.rate.max or row.rate.median or 0.0),
            (0, 2),
            ha="center",
            textcoords="offset points",
            fontsize=6.5,
            color=INK,
        )
    metric = found[0].metric
    bars_axis(axes, tops, metric, _labels(result, found), width / len(found), log=log)
    counted = "throughput" if metric == "bytes" else f"{metric_label(metric)} per second"
    axes.set_ylabel(counted, color=INK)
