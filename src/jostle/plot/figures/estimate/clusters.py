"""Figures of the clusters of one run, or of several (Shah, 2020, figures 5.11, 5.12 and 5.15)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from jostle.plot.figures.estimate.axes import (
    BLUE,
    LEFT,
    LOST,
    RIGHT,
    count_label,
    dot,
    legend,
    linear,
    logarithmic,
    patch,
    span_label,
)
from jostle.plot.figures.figure import INK, SOFT
from jostle.plot.figures.page import Canvas, DrawnFigures
from jostle.report.format.values import count
from jostle.report.models.job.segments import DrawnSegments, Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from jostle.analysis.estimation.model import Cluster

TOP, PANEL = 0.42, 2.3  # inches
MOST = 48  # boxes that fit on one axis
_POINTS = 60  # outliers of a box that are drawn


@dataclass(frozen=True)
class ClusterBox:
    """Durations of the segments of a cluster.

    Attributes:
        label: Text below the box.
        seconds: Durations, in seconds.
        hit: For each segment, whether it is interfered.
    """

    label: str
    seconds: Floats
    hit: np.typing.NDArray[np.bool_]

    @property
    def quartiles(self) -> Floats:
        """Minimum, lower quartile, median, upper quartile and maximum, in seconds."""
        quartiles: Floats = np.percentile(self.seconds, [0, 25, 50, 75, 100])
        return quartiles


def boxes(segments: DrawnSegments, clusters: Sequence[Cluster]) -> list[ClusterBox]:
    """Collect the segments of each cluster for a box plot; clusters without segments have none."""
    boxes = []
    for cluster in clusters:
        own = segments.only(segments.cluster == cluster.number)
        if len(own):
            boxes.append(ClusterBox(str(cluster.number), own.seconds, own.hit))
    return boxes


def spread_numbers(found: Sequence[tuple[str, Sequence[ClusterBox]]]) -> DrawnFigures:
    """Return the quartiles of every box, by run."""
    columns = (
        "run",
        "cluster",
        "segments",
        "interfered",
        "least_s",
        "lower_quartile_s",
        "median_s",
        "upper_quartile_s",
        "most_s",
    )
    rows = tuple(
        (run, box.label, len(box.seconds), int(box.hit.sum()), *box.quartiles.tolist())
        for run, own in found
        for box in own
    )
    return DrawnFigures(columns, rows)


def draw_spread(canvas: Canvas, found: Sequence[ClusterBox]) -> None:
    """Draw a box plot of each cluster on a logarithmic axis."""
    axes = canvas.axes(LEFT, TOP, canvas.width - LEFT - RIGHT, PANEL)
    draw_boxes(axes, found, limits(found))
    axes.set_xlabel("cluster, in order of the work in its segments", loc="left", color=INK)
    axes.set_ylabel("duration of a segment", color=INK)
    _legend(canvas, hit=any(box.hit.any() for box in found))


def _legend(canvas: Canvas, *, hit: bool) -> None:
    entries = [patch(BLUE, "half of its segments, and the median"), dot(SOFT, "others", "o")]
    legend(canvas, entries + ([dot(LOST, "interfered", "^")] if hit else []))


def limits(found: Sequence[ClusterBox]) -> tuple[float, float]:
    """Return the least and the greatest duration in some boxes."""
    every = np.concatenate([box.seconds for box in found])
    known = every[every > 0]
    if not len(known):
        return 1e-3, 1.0
    return float(known.min()), float(known.max())


def draw_boxes(axes: Axes, found: Sequence[ClusterBox | None], ends: tuple[float, float]) -> None:
    """Draw boxes side by side: quartiles, whiskers at 1.5 of their distance, and outliers.

    Args:
        axes: The axes.
        found: The boxes; None leaves a gap.
        ends: Least and greatest value of the axis, in seconds.
    """
    for place, box in enumerate(found):
        if box is None:
            continue
        _, low, middle, high, _ = box.quartiles
        reach = 1.5 * (high - low)
        inside = box.seconds[(box.seconds >= low - reach) & (box.seconds <= high + reach)]
        for end, edge in ((float(inside.min()), low), (float(inside.max()), high)):
            axes.plot([place, place], [end, edge], color=BLUE, linewidth=0.9)
        # A box thinner than a line would not be seen.
        thin = 0.012 * middle
        axes.bar(
            place,
            max(high - low, thin),
            bottom=min(low, middle - thin / 2),
            width=0.62,
            facecolor=BLUE,
            alpha=0.45,
            edgecolor=BLUE,
            linewidth=0.8,
        )
        axes.plot([place - 0.31, place + 0.31], [middle, middle], color=BLUE, linewidth=1.6)
        beyond = (box.seconds < low - reach) | (box.seconds > high + reach) | box.hit
        for which, colour, marker, size in (
            (beyond & ~box.hit, SOFT, "o", 1.8),
            (box.hit, LOST, "^", 2.8),
        ):
            some = _some(box.seconds[which])
            side = (np.arange(len(some)) % 5 - 2) * 0.09  # shifted, so that all are visible
            axes.plot(
                place + side,
                some,
                linestyle="",
                marker=marker,
                color=colour,
                markersize=size,
                markeredgewidth=0,
                alpha=0.7,
            )
    logarithmic(axes, *ends, span_label)
    spare = max(4 - len(found), 0) / 2  # few boxes are centred, not stretched
    axes.set_xlim(-0.7 - spare, len(found) - 0.3 + spare)
    shown = [str(place + 1) if box is None else box.label for place, box in enumerate(found)]
    axes.set_xticks(range(len(found)), shown, fontsize=7.5 if len(found) <= 30 else 5.5)
    axes.tick_params(axis="x", length=0)


def _some(values: Floats) -> Floats:
    """Return so few of the values that they can be distinguished, including both ends."""
    if len(values) <= _POINTS:
        return values
    places = np.linspace(0, len(values) - 1, _POINTS).round().astype(int)
    chosen: Floats = np.sort(values)[places]
    return chosen


def sizes_numbers(clusters: Sequence[Cluster]) -> DrawnFigures:
    """Return the size of every cluster."""
    columns = ("cluster", "ended_by", "segments", "interfered", "time_s", "lost_s")
    rows = tuple(
        (
            cluster.number,
            cluster.name,
            cluster.members,
            cluster.hit,
            cluster.total_s,
            cluster.excess_s,
        )
        for cluster in clusters
    )
    return DrawnFigures(columns, rows)


def draw_sizes(canvas: Canvas, clusters: Sequence[Cluster]) -> None:
    """Draw the number of segments in each cluster, with the interfered ones on top."""
    axes = canvas.axes(LEFT, TOP, canvas.width - LEFT - RIGHT, 1.7)
    top = max(cluster.members for cluster in clusters)
    linear(axes, top * 1.08, count_label)
    for place, cluster in enumerate(clusters):
        usual = cluster.members - cluster.hit
        axes.bar(place, usual, width=0.62, facecolor=BLUE, alpha=0.75, linewidth=0)
        axes.bar(
            place, cluster.hit, bottom=usual, width=0.62, facecolor=LOST, alpha=0.75, linewidth=0
        )
        if len(clusters) <= 24:
            axes.annotate(
                count(cluster.members),
                (place, cluster.members),
                (0, 2),
                ha="center",
                textcoords="offset points",
                fontsize=6.5,
                color=INK,
            )
    spare = max(4 - len(clusters), 0) / 2
    axes.set_xlim(-0.7 - spare, len(clusters) - 0.3 + spare)
    labels = [str(cluster.number) for cluster in clusters]
    axes.set_xticks(range(len(clusters)), labels, fontsize=7.5 if len(clusters) <= 30 else 5.5)
    axes.tick_params(axis="x", length=0)
    axes.set_xlabel("cluster, in order of the work in its segments", loc="left", color=INK)
    axes.set_ylabel("segments", color=INK)
    hit = any(cluster.hit for cluster in clusters)
    legend(canvas, [patch(BLUE, "segments")] + ([patch(LOST, "interfered ones")] if hit else []))
