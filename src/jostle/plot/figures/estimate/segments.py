"""Figures of segments over time and as histograms (Shah, 2020, figures 5.9, 5.10, 5.13, 5.14)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from jostle.plot.charts.imprint import seconds_ticks
from jostle.plot.figures.estimate.axes import (
    BLUE,
    LEFT,
    LOST,
    RIGHT,
    Label,
    amount_label,
    count_label,
    dash,
    dot,
    heading,
    labels,
    legend,
    linear,
    logarithmic,
    patch,
    span_label,
    top_of,
)
from jostle.plot.figures.figure import INK
from jostle.plot.figures.page import Canvas, DrawnFigures
from jostle.report.format.values import count
from jostle.report.models.job.segments import DrawnSegments, Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HIGH, _GAP, _TOP = 1.45, 0.42, 0.42  # inches: a panel, between two, above the first
_BINS = 60
#: Relative difference up to which thresholds of a cluster count as one.
_SAME = 0.05
#: Values that differ by more than this factor are binned by powers.
_WIDE = 4.0
#: Relative difference within a cluster: work that differs less is drawn as equal.
_ALIKE = 0.1


@dataclass(frozen=True)
class Scene:
    """The content of a figure of execution segments.

    Attributes:
        segments: The segments that are drawn.
        run_s: Length of the run.
        threshold: Whether the threshold is drawn: the segments are one cluster.
    """

    segments: DrawnSegments
    run_s: float
    threshold: bool = False

    @property
    def has_work(self) -> bool:
        """Whether there is an amount of work to draw."""
        return bool(np.isfinite(self.segments.work).any())

    @property
    def body(self) -> float:
        """Inches of a figure with a panel of durations, and one of work."""
        return _TOP + _HIGH + (_HIGH + _GAP if self.has_work else 0) + 0.42


def timeline_numbers(scene: Scene) -> DrawnFigures:
    """Return the points of a timeline."""
    drawn = scene.segments.thinned()
    columns = ("start_s", "duration_s", "work", "cluster", "threshold_s", "lost_s")
    rows = zip(*(getattr(drawn, name).tolist() for name in drawn.arrays), strict=True)
    return DrawnFigures(columns, tuple(rows))


def draw_timeline(canvas: Canvas, scene: Scene) -> None:
    """Draw the duration of each segment over the time of the run, and its work below."""
    drawn = scene.segments.thinned()
    width = canvas.width - LEFT - RIGHT
    above = canvas.axes(LEFT, _TOP, width, _HIGH)
    heading(above, "duration of each segment")
    _points(above, drawn, drawn.seconds, span_label)
    last = above
    if scene.threshold:
        _threshold(above, drawn)
    if scene.has_work:
        last = canvas.axes(LEFT, _TOP + _HIGH + _GAP, width, _HIGH, sharex=above)
        heading(last, "work in it: computation as it was clustered by")
        _points(last, drawn, drawn.work, amount_label)
        above.tick_params(labelbottom=False)
    last.set_xlim(0, scene.run_s)
    last.set_xticks(seconds_ticks(scene.run_s, 10))
    last.set_xlabel("seconds since the start of the run", loc="left", color=INK)
    _legend(canvas, scene, dot(BLUE, "a segment"), dot(LOST, "interfered", "^"))


def _legend(canvas: Canvas, scene: Scene, usual: Any, hit: Any) -> None:
    entries = [usual, *([hit] if scene.segments.hit.any() else [])]
    legend(canvas, entries + ([dash("threshold")] if scene.threshold else []))


def _points(axes: Axes, drawn: DrawnSegments, values: Floats, label: Label) -> None:
    """Draw points up to the top of the axis; those beyond it as labelled marks on its edge."""
    top, cut = top_of(values)
    linear(axes, top, label)
    inside = np.minimum(values, top)
    for which, colour, marker, size in ((~drawn.hit, BLUE, "o", 2.2), (drawn.hit, LOST, "^", 3.2)):
        axes.plot(
            drawn.start[which],
            inside[which],
            linestyle="",
            marker=marker,
            color=colour,
            markersize=size,
            markeredgewidth=0,
            alpha=0.75,
            clip_on=False,
            rasterized=len(drawn) > 3000,
            zorder=2 + (marker == "^"),
        )
    if cut:
        beyond = np.flatnonzero(values > top)
        most = label(float(np.nanmax(values)), 3)
        text = f"{count(len(beyond))} beyond the axis, up to {most}"
        axes.annotate(
            text,
            (1, 1),
            (0, 3),
            xycoords="axes fraction",
            textcoords="offset points",
            fontsize=6.5,
            color=INK,
            ha="right",
            va="bottom",
        )


def _threshold(axes: Axes, drawn: DrawnSegments) -> None:
    """Draw the threshold: one line of a cluster, or a dash at each segment that has its own."""
    known = np.isfinite(drawn.threshold)
    values = drawn.threshold[known]
    if not len(values):
        return
    if np.ptp(values) <= _SAME * float(np.median(values)):
        axes.axhline(float(np.median(values)), color=LOST, linewidth=1.1, linestyle=(0, (4, 2)))
    else:
        axes.plot(
            drawn.start[known],
            values,
            color=LOST,
            linestyle="",
            marker="_",
            markersize=4,
            markeredgewidth=0.8,
            zorder=1.5,
        )


@dataclass(frozen=True)
class Counts:
    """The numbers of a histogram.

    Attributes:
        edges: Borders of the bins, one more than bins.
        usual: Number of segments per bin that are not interfered.
        hit: Number of segments per bin that are interfered.
        powers: Whether bins have equal widths on a logarithmic scale.
    """

    edges: Floats
    usual: Floats
    hit: Floats
    powers: bool


def counts(values: Floats, hit: Any, *, alike: float = 0.0, mark: float = math.nan) -> Counts:
    """Count values into bins of equal width, on a logarithmic scale if they differ widely.

    Args:
        values: Values to count.
        hit: Whether each value is of an interfered segment.
        alike: Smallest distance of the first and last edge from the middle, as a share of the
            middle.
        mark: A value that the bins include; NaN: none.
    """
    known = np.isfinite(values) & (values > 0)
    values, hit = values[known], hit[known]
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    if math.isfinite(mark):
        low, high = min(low, 0.97 * mark), max(high, 1.03 * mark)
    powers = low > 0 and high > _WIDE * low
    middle, least = (low + high) / 2, max(alike, 0.01)
    low, high = min(low, middle * (1 - least)), max(high, middle * (1 + least))
    edges = np.geomspace(low, high, _BINS + 1) if powers else np.linspace(low, high, _BINS + 1)
    edges[-1] = np.nextafter(high, np.inf)
    usual, struck = (np.histogram(values[chosen], edges)[0].astype(float) for chosen in (~hit, hit))
    return Counts(edges, usual, struck, powers)


def histogram_numbers(scene: Scene) -> DrawnFigures:
    """Return the bins of both histograms."""
    rows: list[tuple[object, ...]] = []
    for name, histogram in _both(scene):
        rows.extend(
            (name, *row)
            for row in zip(
                histogram.edges[:-1].tolist(),
                histogram.edges[1:].tolist(),
                histogram.usual.tolist(),
                histogram.hit.tolist(),
                strict=True,
            )
        )
    columns = ("of", "from", "to", "segments", "interfered_segments")
    return DrawnFigures(columns, tuple(rows))


def _both(scene: Scene) -> list[tuple[str, Counts]]:
    segments = scene.segments
    histograms = [("duration_s", counts(segments.seconds, segments.hit, mark=_mark(scene)))]
    if scene.has_work:
        histograms.append(("work", counts(segments.work, segments.hit, alike=_ALIKE)))
    return histograms


def _mark(scene: Scene) -> float:
    """Return the threshold of a cluster; NaN where none is drawn."""
    known = scene.segments.threshold[np.isfinite(scene.segments.threshold)]
    return float(np.median(known)) if scene.threshold and len(known) else math.nan


def draw_histograms(canvas: Canvas, scene: Scene) -> None:
    """Draw histograms of the segments' durations and, below, of their work."""
    width = canvas.width - LEFT - RIGHT
    for number, (name, histogram) in enumerate(_both(scene)):
        axes = canvas.axes(LEFT, _TOP + number * (_HIGH + _GAP + 0.3), width, _HIGH)
        time = name == "duration_s"
        _bars(axes, histogram, span_label if time else amount_label)
        axes.set_xlabel(
            "duration of a segment" if time else "work in a segment", loc="left", color=INK
        )
        if time and math.isfinite(mark := _mark(scene)):
            axes.axvline(mark, color=LOST, linewidth=1.1, linestyle=(0, (4, 2)))
    _legend(canvas, scene, patch(BLUE, "segments"), patch(LOST, "interfered ones"))


def histogram_body(scene: Scene) -> float:
    """Return the inches that the histograms take."""
    return scene.body + (0.3 if scene.has_work else 0)


def _bars(axes: Axes, histogram: Counts, label: Label) -> None:
    """Draw a histogram, the interfered on top of the others."""
    whole = histogram.usual + histogram.hit
    axes.stairs(
        whole,
        histogram.edges,
        baseline=histogram.usual,
        fill=True,
        color=LOST,
        alpha=0.75,
        linewidth=0,
    )
    axes.stairs(histogram.usual, histogram.edges, fill=True, color=BLUE, alpha=0.75, linewidth=0)
    top = max(float(whole.max(initial=0.0)), 1.0)
    linear(axes, top * 1.02, count_label)
    axes.set_ylabel("segments", color=INK)
    if histogram.powers:
        logarithmic(axes, histogram.edges[0], histogram.edges[-1], label, axis="x")
        axes.grid(visible=False, axis="x")
        return
    low, high = float(histogram.edges[0]), float(histogram.edges[-1])
    space = 0.02 * (high - low)
    axes.set_xlim(low - space, high + space)
    ticks = [tick for tick in axes.get_xticks() if low - space <= tick <= high + space]
    axes.set_xticks(ticks, labels(ticks, label))
