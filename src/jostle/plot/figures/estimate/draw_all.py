"""All figures of an estimate (Shah, 2020, figures 5.9 to 5.14), and when the time was lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from jostle.plot.charts.cause_colours import COLOURS
from jostle.plot.charts.imprint import seconds_ticks
from jostle.plot.figures.estimate import clusters as estimate_clusters
from jostle.plot.figures.estimate import segments as estimate_segments
from jostle.plot.figures.estimate.axes import LEFT, RIGHT, legend, linear, patch
from jostle.plot.figures.estimate.segments import Scene
from jostle.plot.figures.figure import INK
from jostle.plot.figures.page import FULL, Canvas, DrawnFigures, Page, Plan
from jostle.report.format.causes import CAUSES
from jostle.report.format.values import count, duration, local_time, percent_within
from jostle.report.format.values import percent as share_label
from jostle.report.models.job.lost_time import drawn_part, lost_over_time
from jostle.report.models.job.segments import (
    LEAST_MEMBERS,
    DrawnSegments,
    in_small_clusters,
    large_clusters,
)

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import Cluster, RunEstimate

_SPANS = 120  # of the figure of lost time
#: Clusters that get figures of their own: the worst, and others with at least this share of the
#: loss.
_MOST_CLUSTERS, _MUCH = 3, 0.2


def plans(estimate: RunEstimate) -> Iterator[Plan]:
    """Yield the figures that an estimate has data for, without drawing them."""
    if estimate.hits:
        yield _lost_page(estimate), partial(_draw_lost, estimate=estimate)
    segments = DrawnSegments.of(estimate)
    if not len(segments):
        return
    scene = Scene(segments, estimate.run_s)
    yield _timeline_page(estimate, scene), partial(estimate_segments.draw_timeline, scene=scene)
    yield _histogram_page(estimate, scene), partial(estimate_segments.draw_histograms, scene=scene)
    clusters = large_clusters(estimate, estimate_clusters.MOST)
    boxes = estimate_clusters.boxes(segments, clusters)
    if boxes:
        page = _spread_page(estimate, clusters, boxes)
        yield page, partial(estimate_clusters.draw_spread, found=boxes)
        page = _sizes_page(estimate, clusters)
        yield page, partial(estimate_clusters.draw_sizes, clusters=clusters)
    for cluster in _chosen(estimate, clusters):
        yield from _one_cluster(estimate, segments, cluster)
    small = in_small_clusters(estimate, segments)
    if small.seconds.sum() > _MUCH * segments.seconds.sum():
        scene = Scene(small, estimate.run_s, threshold=True)
        page = _small_page(estimate, scene)
        yield page, partial(estimate_segments.draw_timeline, scene=scene)


def _chosen(estimate: RunEstimate, clusters: Sequence[Cluster]) -> list[Cluster]:
    """Choose the clusters that lost most; where nothing is lost, the one that took longest."""
    usable = [cluster for cluster in clusters if cluster.usable]
    worst = sorted(usable, key=lambda cluster: (-cluster.excess_s, -cluster.total_s))[
        :_MOST_CLUSTERS
    ]
    whole = sum(cluster.excess_s for cluster in estimate.clusters)
    return [
        cluster
        for place, cluster in enumerate(worst)
        if not place or (whole > 0 and cluster.excess_s >= _MUCH * whole)
    ]


def members(estimate: RunEstimate) -> str:
    """Return the number of evaluated ranks or processes as text."""
    singular, plural = ("rank", "ranks") if estimate.world >= 0 else ("process", "processes")
    return f"{count(estimate.ranks)} {singular if estimate.ranks == 1 else plural}"


def foot(estimate: RunEstimate) -> str:
    """Return the footer of a figure: job, method, coverage."""
    return (
        f"job {estimate.job} of {local_time(estimate.start_ns)} · "
        f"{members(estimate)} · method {estimate.method} · "
        f"{share_label(estimate.coverage)} of the time covered"
    )


def _lost_page(estimate: RunEstimate) -> Page:
    title = (
        f"{estimate.job} lost {percent_within(estimate.percent)} of its time{_to_whom(estimate)}"
    )
    length = estimate.run_s / _SPANS
    note = (
        f"Share of the time that was lost, by cause, in each of {_SPANS} spans of "
        f"{duration(length * 1e9)} of the run."
    )
    part = drawn_part(estimate)
    note += f" {part}." if part else ""
    lost = _spans(estimate)
    borders = np.linspace(0, estimate.run_s, _SPANS + 1)
    rows = tuple(
        (cause, float(borders[place]), float(borders[place + 1]), float(value))
        for cause, seconds in lost.items()
        for place, value in enumerate(seconds)
    )
    numbers = DrawnFigures(("cause", "begin_s", "end_s", "lost_s"), rows)
    return Page("lost-time", title, note, foot(estimate), numbers, width=FULL, body=2.35)


def _to_whom(estimate: RunEstimate) -> str:
    """Return the end of the title: the cause of most of the loss; "" if that is not known."""
    sums: dict[str, float] = {}
    for cause in estimate.causes:
        sums[cause.cause] = sums.get(cause.cause, 0.0) + cause.seconds.value
    worst = max(sums, key=lambda name: sums[name], default="unknown")
    if worst == "unknown" or sums[worst] < 0.5 * sum(sums.values()):
        return ""
    return f", most of it to the {'CPU' if worst == 'cpu' else worst}"


def _spans(estimate: RunEstimate) -> dict[str, np.typing.NDArray[np.float64]]:
    borders = np.linspace(0.0, estimate.end_ns - estimate.start_ns, _SPANS + 1)
    return {str(cause): seconds for cause, seconds in lost_over_time(estimate, borders).items()}


def _draw_lost(canvas: Canvas, estimate: RunEstimate) -> None:
    """Draw the share of lost time over the run, as steps that are stacked by cause."""
    axes = canvas.axes(LEFT, 0.32, canvas.width - LEFT - RIGHT, 1.5)
    edges = np.linspace(0, estimate.run_s, _SPANS + 1)
    below = np.zeros(_SPANS)
    colours = {str(cause): colour for cause, colour in COLOURS.items()}
    words = {str(cause): text for cause, text in CAUSES.items()}
    for cause, seconds in _spans(estimate).items():
        share = 100 * seconds * _SPANS / estimate.run_s
        axes.stairs(
            below + share,
            edges,
            baseline=below,
            fill=True,
            color=colours[cause],
            alpha=0.8,
            linewidth=0,
        )
        below = below + share
    most = float(below.max())
    linear(axes, 100.0 if most > 40 else max(most * 1.1, 1.0), _percent_label)
    axes.set_ylabel("of the time lost", color=INK)
    axes.set_xlim(0, estimate.run_s)
    axes.set_xticks(seconds_ticks(estimate.run_s, 10))
    axes.set_xlabel("seconds since the start of the run", loc="left", color=INK)
    legend(canvas, [patch(colours[cause], words[cause]) for cause in _spans(estimate)], top=0.12)


def _percent_label(value: float, _digits: int = 3) -> str:
    return f"{value:g} %" if value else "0"


def _timeline_page(estimate: RunEstimate, scene: Scene) -> Page:
    hit = int(scene.segments.hit.sum())
    number = count(len(scene.segments))
    title = f"{count(hit)} of {number} segments of {estimate.job} took longer than similar ones"
    if not hit:
        title = f"None of {number} segments of {estimate.job} took longer than similar ones"
    thinned = len(scene.segments.thinned())
    few = "" if thinned == len(scene.segments) else f" Drawn are {count(thinned)} of them."
    note = (
        "Each point is a segment of the run. The longest are not always those that were hit: "
        f"some have more to do.{few}"
    )
    if not scene.has_work:
        note += " No instructions could be counted: work is derived from calls and bytes."
    return Page(
        "segments-in-time",
        title,
        note,
        foot(estimate),
        estimate_segments.timeline_numbers(scene),
        width=FULL,
        body=scene.body,
    )


def _histogram_page(estimate: RunEstimate, scene: Scene) -> Page:
    title = f"How long the segments of {estimate.job} took, and how much work was in them"
    if not scene.has_work:
        title = f"How long the segments of {estimate.job} took"
    note = "Number of segments in each of 60 bins; several peaks are several kinds of segments."
    return Page(
        "segments-histograms",
        title,
        note,
        foot(estimate),
        estimate_segments.histogram_numbers(scene),
        width=FULL,
        body=estimate_segments.histogram_body(scene),
    )


def _spread_page(
    estimate: RunEstimate,
    clusters: Sequence[Cluster],
    boxes: Sequence[estimate_clusters.ClusterBox],
) -> Page:
    worst = max(clusters, key=lambda cluster: cluster.excess_s)
    title = f"Similar segments take similar time: {count(len(clusters))} clusters of {estimate.job}"
    if worst.excess_s > 0:
        title = (
            f"Cluster {worst.number}, ended by {worst.name}, lost most: "
            f"{duration(worst.excess_s * 1e9)}"
        )
    note = (
        "Boxes: half of the segments of a cluster, with the median; whiskers: 1.5 times as far. "
        f"{_shown(estimate, len(boxes))}"
    )
    numbers = estimate_clusters.spread_numbers([(estimate.job, boxes)])
    body = estimate_clusters.TOP + estimate_clusters.PANEL + 0.42
    return Page("clusters-spread", title, note, foot(estimate), numbers, width=FULL, body=body)


def _shown(estimate: RunEstimate, number: int) -> str:
    """Return a text on the clusters that the figure leaves out; `number`: the shown ones."""
    large = sum(cluster.members >= LEAST_MEMBERS for cluster in estimate.clusters)
    text = f"Clusters of fewer than {LEAST_MEMBERS} are not shown."
    if large > number:
        text += f" Of {count(large)} others, the {number} with most time are."
    return text


def _sizes_page(estimate: RunEstimate, clusters: Sequence[Cluster]) -> Page:
    largest = max(clusters, key=lambda cluster: cluster.members)
    whole = sum(cluster.members for cluster in estimate.clusters)
    title = (
        f"Cluster {largest.number} holds {count(largest.members)} of the {count(whole)} segments "
        f"of {estimate.job}"
    )
    note = f"Number of segments in each cluster. {_shown(estimate, len(clusters))}"
    numbers = estimate_clusters.sizes_numbers(clusters)
    return Page(
        "clusters-sizes",
        title,
        note,
        foot(estimate),
        numbers,
        width=FULL,
        body=estimate_clusters.TOP + 2.12,
    )


def _small_page(estimate: RunEstimate, scene: Scene) -> Page:
    hit, number = int(scene.segments.hit.sum()), count(len(scene.segments))
    title = f"{count(hit)} of {number} segments took longer than expected from similar ones"
    note = (
        f"For segments with fewer than {LEAST_MEMBERS} of the same work, the red lines come "
        "from the times of their parts in others. Below them, only measured loss counts."
    )
    return Page(
        "small-clusters-in-time",
        title,
        note,
        foot(estimate),
        estimate_segments.timeline_numbers(scene),
        width=FULL,
        body=scene.body,
    )


def _one_cluster(
    estimate: RunEstimate, segments: DrawnSegments, cluster: Cluster
) -> Iterator[Plan]:
    """Yield timeline and histograms of one cluster, with its threshold."""
    own = segments.only(segments.cluster == cluster.number)
    if not len(own):
        return
    scene = Scene(own, estimate.run_s, threshold=True)
    title = (
        f"{count(cluster.hit)} of {count(cluster.members)} segments of cluster {cluster.number} "
        f"are interfered: {duration(cluster.excess_s * 1e9)} lost"
    )
    if not cluster.hit:
        title = f"No segment of cluster {cluster.number} is interfered"
    note = (
        f"Segments ended by {cluster.name}; undisturbed they take "
        f"{duration(cluster.reference_s * 1e9)}, beyond "
        f"{duration(cluster.threshold_s * 1e9)} (dashed) they are interfered."
    )
    if estimate.method == "jostle":
        note += (
            " That is the mean: each has its own threshold, and what is measured counts below it."
        )
    stem = f"cluster-{cluster.number}"
    page = Page(
        f"{stem}-in-time",
        title,
        note,
        foot(estimate),
        estimate_segments.timeline_numbers(scene),
        width=FULL,
        body=scene.body,
    )
    yield page, partial(estimate_segments.draw_timeline, scene=scene)
    page = Page(
        f"{stem}-histograms",
        title,
        note,
        foot(estimate),
        estimate_segments.histogram_numbers(scene),
        width=FULL,
        body=estimate_segments.histogram_body(scene),
    )
    yield page, partial(estimate_segments.draw_histograms, scene=scene)
