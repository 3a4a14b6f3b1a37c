"""Figures of compared runs of one program (Shah, 2020, figure 5.15), and causes of differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from jostle.plot.charts.cause_colours import COLOURS
from jostle.plot.charts.chart import PALETTE
from jostle.plot.figures.estimate.axes import (
    BLUE,
    GREY,
    LEFT,
    LOST,
    RIGHT,
    dot,
    heading,
    labels,
    legend,
    patch,
    round_ticks,
    span_label,
)
from jostle.plot.figures.estimate.clusters import ClusterBox, draw_boxes, limits, spread_numbers
from jostle.plot.figures.figure import INK, SOFT
from jostle.plot.figures.page import FULL, Canvas, DrawnFigures, Page, Plan, text_width
from jostle.report.format.values import count
from jostle.report.models.job.segments import DrawnSegments

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import ClusterDifference, Comparison, RunEstimate

_TOP, _HIGH, _GAP = 0.42, 1.45, 0.34
_MOST, _MOST_RUNS = 40, 8
_COLOURS = {str(cause): colour for cause, colour in COLOURS.items()} | {
    "displaced": PALETTE[4],
    "work": PALETTE[5],
    "unexplained": GREY,
}


@dataclass(frozen=True)
class ComparedRun:
    """The box plots of one run, in the order of the matched clusters; None: no segments."""

    made: RunEstimate
    boxes: tuple[ClusterBox | None, ...]


def plans(comparison: Comparison) -> Iterator[Plan]:
    """Yield the figures that a comparison has data for, without drawing them."""
    if any(abs(value) > 0 for value in comparison.measured_s):
        yield _difference_page(comparison), partial(_draw_difference, comparison=comparison)
    runs = _runs(comparison)
    if any(box for run in runs for box in run.boxes):
        yield _clusters_page(comparison, runs), partial(_draw_clusters, runs=runs)


def _runs(comparison: Comparison) -> list[ComparedRun]:
    """Find the segments of the matched clusters in every run, the shortest segments first."""
    from jostle.report.verdict.compare import large

    rows = sorted(large(comparison)[:_MOST], key=lambda row: max(row.reference_s))
    runs = []
    for number, estimate in enumerate(comparison.estimates[:_MOST_RUNS]):
        segments = DrawnSegments.of(estimate)
        boxes = [_box(segments, row, number, place + 1) for place, row in enumerate(rows)]
        runs.append(ComparedRun(estimate, tuple(boxes)))
    return runs


def _box(
    segments: DrawnSegments, row: ClusterDifference, run: int, label: int
) -> ClusterBox | None:
    cluster = row.numbers[run] if row.numbers else 0
    own = segments.only((segments.cluster == cluster) & (cluster > 0))
    return ClusterBox(str(label), own.seconds, own.hit) if len(own) else None


def _foot(comparison: Comparison) -> str:
    base = comparison.estimates[comparison.baseline]
    return f"{len(comparison.estimates)} runs · the baseline is {base.job} · method {base.method}"


def _clusters_page(comparison: Comparison, runs: Sequence[ComparedRun]) -> Page:
    from jostle.report.verdict.compare import finding

    note = (
        "How long the segments of each cluster took, run by run; boxes: half of the segments, "
        "with the median. A cluster has the same number in all runs."
    )
    shown = len(runs[0].boxes)
    if len(comparison.clusters) > shown:
        note += f" Shown are {shown} of {count(len(comparison.clusters))}, those that explain most."
    numbers = spread_numbers([(run.made.job, [box for box in run.boxes if box]) for run in runs])
    body = _TOP + len(runs) * (_HIGH + _GAP) + 0.2
    return Page(
        "clusters-of-the-runs",
        finding(comparison),
        note,
        _foot(comparison),
        numbers,
        width=FULL,
        body=body,
    )


def _draw_clusters(canvas: Canvas, runs: Sequence[ComparedRun]) -> None:
    """Draw a panel of boxes per run, on one axis."""
    ends = limits([box for run in runs for box in run.boxes if box])
    last = None
    for number, run in enumerate(runs):
        top = _TOP + 0.1 + number * (_HIGH + _GAP)
        axes = canvas.axes(LEFT, top, canvas.width - LEFT - RIGHT, _HIGH, sharex=last)
        draw_boxes(axes, run.boxes, ends)
        heading(axes, f"{run.made.job}: {span_label(run.made.run_s)}")
        last = axes
        if number < len(runs) - 1:
            axes.tick_params(labelbottom=False)
    assert last is not None
    last.set_xlabel("cluster, in order of its usual duration", loc="left", color=INK)
    hit = any(box.hit.any() for run in runs for box in run.boxes if box)
    entries = [patch(BLUE, "half of its segments, and the median"), dot(SOFT, "others")]
    legend(canvas, entries + ([dot(LOST, "interfered", "^")] if hit else []))


def _pieces(comparison: Comparison) -> dict[str, list[float]]:
    """Return the additional time of each run, by its explanation."""
    pieces = {name: values for name, values in comparison.by_cause.items() if any(values)}
    pieces |= {
        "displaced": comparison.displaced_s,
        "work": comparison.work_s,
        "unexplained": comparison.unexplained_s,
    }
    return {name: values for name, values in pieces.items() if any(values)}


def _difference_page(comparison: Comparison) -> Page:
    from jostle.report.verdict.compare import finding

    note = (
        "Seconds that each run took longer than the baseline (mark), and what they went to; to the "
        "left of 0: what went faster than in the baseline."
    )
    pieces = _pieces(comparison)
    rows = tuple(
        (
            estimate.job,
            estimate.run_s,
            comparison.measured_s[run],
            *(values[run] for values in pieces.values()),
        )
        for run, estimate in enumerate(comparison.estimates)
    )
    columns = ("run", "run_s", "measured_s", *(f"{name.replace(' ', '_')}_s" for name in pieces))
    body = _TOP + 0.34 * len(comparison.estimates) + 0.5
    return Page(
        "difference-of-the-runs",
        finding(comparison),
        note,
        _foot(comparison),
        DrawnFigures(columns, rows),
        width=FULL,
        body=body,
    )


def _draw_difference(canvas: Canvas, comparison: Comparison) -> None:
    """Draw a stacked bar per run."""
    names = [estimate.job for estimate in comparison.estimates]
    side = min(max(text_width(name, 7.5) for name in names) + 0.3, 2.6)
    axes = canvas.axes(side, _TOP, canvas.width - side - 0.8, 0.34 * len(names))
    pieces = _pieces(comparison)
    ends = [0.0, *comparison.measured_s]
    for run in range(len(names)):
        place = len(names) - 1 - run
        right = left = 0.0
        for name, values in pieces.items():
            value = values[run]
            start = right if value > 0 else left + value
            axes.barh(
                place,
                abs(value),
                left=start,
                height=0.6,
                facecolor=_COLOURS[name],
                alpha=0.85,
                linewidth=0,
            )
            right, left = right + max(value, 0), left + min(value, 0)
        ends += [right, left]
        measured = comparison.measured_s[run]
        axes.plot([measured, measured], [place - 0.4, place + 0.4], color=INK, linewidth=1.6)
        text = "baseline" if run == comparison.baseline else f"+{span_label(measured)}"
        axes.annotate(
            text,
            (max(right, measured), place),
            (5, 0),
            textcoords="offset points",
            va="center",
            fontsize=7,
            color=INK,
            annotation_clip=False,
        )
    axes.set_yticks(range(len(names)), list(reversed(names)), color=INK)
    axes.set_ylim(-0.6, len(names) - 0.4)
    low, high = min(ends), max(ends)
    space = 0.02 * max(high - low, 1e-9)
    axes.set_xlim(low - space if low < 0 else 0, high + space)
    ticks = round_ticks(low, high)
    shown = labels([abs(tick) for tick in ticks], span_label)
    axes.set_xticks(
        ticks, [f"-{text}" if tick < 0 else text for tick, text in zip(ticks, shown, strict=True)]
    )
    axes.grid(axis="x")
    axes.axvline(0, color=SOFT, linewidth=0.8)
    axes.set_xlabel("longer than the baseline", loc="left", color=INK)
    said_of = {
        "cpu": "CPU",
        "displaced": "everything slower",
        "work": "other work",
        "unknown": "cause unknown",
        "memory or cpu": "memory or CPU (within the node)",
        "gpu": "GPU",
        "bus": "transfers of GPUs",
    }
    legend(canvas, [patch(_COLOURS[name], said_of.get(name, name)) for name in pieces], left=side)
