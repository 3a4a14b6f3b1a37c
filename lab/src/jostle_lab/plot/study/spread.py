"""Draws how unevenly the processes of a pair moved bytes: Kuo et al., 2013, section 4.2."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from jostle.plot.charts import share_label, tied
from jostle.plot.figures import FULL, INK, LOOKS, SMALL, Canvas, DrawnFigures, Page, text_width
from jostle_lab.analysis.study.model import Cell, StudyResult
from jostle_lab.plot.study.bars import pair_words
from jostle_lab.plot.study_charts import kept_label, single_runs, source


@dataclass(frozen=True)
class ProcessSpread:
    """The spread of the bytes per process of a pair, run by run."""

    label: str
    values: list[float]
    cell: Cell


def spreads(result: StudyResult) -> list[ProcessSpread]:
    """Collect the spread of every unordered pair, at most 36."""
    seen: set[object] = set()
    found = []
    for cell in result.cells:
        setting = cell.setting
        sides = sorted(zip((cell.probe, cell.signal), setting.processes, strict=True))
        key = (tuple(sides), setting.chunk, setting.shared, setting.periodic, setting.more)
        values = [
            run.spread
            for run in cell.repetitions
            if run.verdict == "kept" and run.spread is not None and math.isfinite(run.spread)
        ]
        if key not in seen and values:
            seen.add(key)
            label = pair_words(result, cell.probe, cell.signal, cell).replace("\n", ", ")
            if setting.periodic and not all(one.setting.periodic for one in result.cells):
                label += ", periodic"
            found.append(ProcessSpread(label, values, cell))
    return found[:36]


def spread_page(result: StudyResult, found: Sequence[ProcessSpread]) -> Page:
    """Return the page of the spread of bytes per process."""
    whole = statistics.median(value for spread in found for value in spread.values)
    worst = max(found, key=lambda spread: statistics.median(spread.values))
    most = statistics.median(worst.values)
    title = (
        f"Processes of a pair differ by {share_label(whole)} (median); most, "
        f"{share_label(most)}, in {worst.label}"
    )
    title += tied([statistics.median(spread.values) for spread in found], most)
    if most < 0.005:
        title = "All processes of a pair move the same"
    counted = "bytes" if all(spread.cell.metric == "bytes" for spread in found) else "progress"
    note = (
        f"Standard deviation over mean of the {counted} that each process of both moved in the "
        f"active overlap. Points: runs, {kept_label(len(spread.values) for spread in found)}; bar: "
        "median."
    )
    note += single_runs(len(spread.values) for spread in found)
    columns = ("pair", "chunk_bytes", "shared", "periodic", "run", "std_over_mean")
    rows = tuple(
        (
            spread.label,
            spread.cell.setting.chunk,
            spread.cell.setting.shared,
            spread.cell.setting.periodic,
            run.run,
            run.spread,
        )
        for spread in found
        for run in spread.cell.repetitions
        if run.verdict == "kept" and run.spread is not None
    )
    body = 0.15 + 0.19 * len(found) + 0.42
    return Page(
        "spread-per-process",
        title,
        note,
        source(result),
        DrawnFigures(columns, rows),
        width=FULL,
        body=body,
    )


def draw_spread(canvas: Canvas, found: Sequence[ProcessSpread]) -> None:
    """Draw one line of points per pair."""
    side = min(max(text_width(spread.label, 7.5) for spread in found) + 0.25, 3.4)
    axes = canvas.axes(side, 0.1, canvas.width - side - 0.3, 0.19 * len(found))
    for number, spread in enumerate(found):
        place = len(found) - 1 - number
        middle = 100 * statistics.median(spread.values)
        axes.barh(
            place,
            middle,
            height=0.62,
            facecolor=LOOKS[0].fill,
            edgecolor=LOOKS[0].colour,
            linewidth=0.8,
        )
        axes.plot(
            [100 * v for v in spread.values],
            [place] * len(spread.values),
            ".",
            color=INK,
            markersize=3,
            markeredgewidth=0,
        )
        axes.annotate(
            share_label(middle / 100),
            (100 * max(spread.values), place),
            (4, 0),
            textcoords="offset points",
            va="center",
            fontsize=SMALL,
            color=INK,
        )
    axes.set_yticks(range(len(found)))
    axes.set_yticklabels([spread.label for spread in reversed(found)], color=INK)
    axes.set_ylim(-0.6, len(found) - 0.4)
    limit = max(max(100 * v for spread in found for v in spread.values), 1.0) * 1.15
    axes.set_xlim(0, limit)
    axes.set_xticks([tick for tick in axes.get_xticks() if tick <= limit])
    axes.set_xlabel("spread over processes: standard deviation / mean, %", loc="left", color=INK)
    axes.grid(axis="x")
