"""The execution segments of a job for a chart: a few per column of the chart, and all losses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from fastapi import HTTPException
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from jostle.analysis.estimation.model import Cluster, RunEstimate
from jostle.report.models.job.segments import DrawnSegments, large_clusters

Ints = NDArray[np.signedinteger[Any]]
#: Most losses that an answer lists one by one: the largest.
MOST_HITS = 10_000
#: Most clusters that an answer names: those with most time.
MOST_CLUSTERS = 100


class Points(BaseModel):
    """Segments in order of time; each list has one entry per segment."""

    at_s: list[float] = Field(description="start of the segment, counted from `start_ns`")
    seconds: list[float] = Field(description="duration of the segment")
    cluster: list[int] = Field(description="number of the segment's cluster; 0: it is in none")
    threshold_s: list[float | None] = Field(
        description="duration above which the segment counts as interfered; null: no threshold"
    )
    lost_s: list[float] = Field(description="time lost in the segment")
    work: list[float | None] = Field(
        description="amount of computation, by which segments are clustered; null: not known"
    )


class SegmentBox(BaseModel):
    """The distribution of the durations of a cluster's segments, s, as a box plot."""

    least: float
    lower: float = Field(
        description="end of the lower whisker: the least duration that is at most 1.5 times the "
        "interquartile range below the first quartile"
    )
    quarter: float = Field(description="first quartile")
    median: float
    three_quarters: float = Field(description="third quartile")
    upper: float = Field(
        description="end of the upper whisker: the greatest duration that is at most 1.5 times the "
        "interquartile range above the third quartile"
    )
    most: float


class ClusterRow(BaseModel):
    """A cluster as `jostle estimate --json` prints it, with its box plot."""

    number: int
    name: str
    members: int
    reference_s: float
    mad_s: float
    threshold_s: float
    hit: int
    excess_s: float
    total_s: float
    usable: bool
    box: SegmentBox | None


class Rest(BaseModel):
    """The sum over clusters that are not listed one by one."""

    clusters: int
    members: int
    hit: int
    excess_s: float
    total_s: float


class Segments(BaseModel):
    """The segments of a job, or of one of its clusters, in a span of time."""

    job: str
    method: str
    world: int = Field(
        description="number of the MPI world that was evaluated; -1: the job has no ranks, and so "
        "no segments"
    )
    ranks: int
    start_ns: int
    end_ns: int
    total: int = Field(description="number of segments of the whole run")
    hit: int = Field(description="number of segments of the whole run that are interfered")
    excess_s: float = Field(description="time lost in all segments that are in clusters")
    clusters: list[ClusterRow] = Field(
        description="the clusters with most time, in order of their numbers"
    )
    rest: Rest
    cluster: int | None = Field(description="number of the requested cluster; null: all clusters")
    chosen: ClusterRow | None = Field(
        description="the requested cluster, which may be missing in `clusters`; null: all clusters"
    )
    within: int = Field(description="number of requested segments: of the cluster, in the span")
    hits_within: int = Field(description="number of requested segments that are interfered")
    usual: Points = Field(
        description="segments without interference: in each column of the chart the shortest, the "
        "middle and the longest one"
    )
    hits: Points = Field(
        description="segments with a loss; if there are more than 10 000, those that lost most time"
    )
    limits: list[str]


@dataclass(frozen=True)
class Segmented:
    """A run's segments, sorted for the queries about them.

    Attributes:
        made: The run's estimate, without the table of segments.
        drawn: The segments in order of time.
        hit: Whether each segment is a hit, that is, slowed by interference.
        by_length: Indices of the segments, sorted by duration, the shortest first.
        by_cluster: Indices of the segments, sorted by number of the cluster, then by time.
        clusters: Rows of the large clusters.
        rest: Sums over all other clusters.
    """

    made: RunEstimate
    drawn: DrawnSegments
    hit: NDArray[np.bool_]
    by_length: Ints
    by_cluster: Ints
    clusters: list[dict[str, Any]]
    rest: dict[str, Any]

    @classmethod
    def of(cls, estimate: RunEstimate) -> Segmented:
        """Sort the segments of an estimate."""
        drawn = DrawnSegments.of(estimate)
        by_cluster = np.argsort(drawn.cluster, kind="stable").astype(np.int32)
        named = large_clusters(estimate, MOST_CLUSTERS)
        known = {cluster.number for cluster in named}
        return cls(
            replace(estimate, segments=estimate.segments.slice(0, 0), hits=[]),
            drawn,
            drawn.hit,
            np.argsort(drawn.seconds, kind="stable").astype(np.int32),
            by_cluster,
            [_row(drawn, by_cluster, cluster) for cluster in named],
            _rest([cluster for cluster in estimate.clusters if cluster.number not in known]),
        )


def segments_of(
    run: Segmented, *, span: tuple[int, int], cluster: int | None, columns: int
) -> dict[str, Any]:
    """Return the segments of a run for the page.

    Args:
        run: The run.
        span: Start and end, ns since the epoch.
        cluster: Number of the requested cluster; None: all clusters.
        columns: Number of columns into which the span is divided.

    Returns:
        The fields of `Segments`.

    Raises:
        HTTPException: 404: there is no such cluster.
    """
    estimate, drawn = run.made, run.drawn
    chosen = next((one for one in estimate.clusters if one.number == cluster), None)
    if cluster is not None and chosen is None:
        raise HTTPException(404, f"Job {estimate.job!r} has no cluster {cluster}.")
    begin, end = (max(span[0], estimate.start_ns), min(span[1], estimate.end_ns))
    window = ((begin - estimate.start_ns) / 1e9, (max(end, begin) - estimate.start_ns) / 1e9)
    inside = (drawn.start + drawn.seconds >= window[0]) & (drawn.start <= window[1])
    if cluster is not None:
        inside &= drawn.cluster == cluster
    worst = np.flatnonzero(inside & run.hit)
    hits_within = len(worst)
    if hits_within > MOST_HITS:
        order = np.argsort(-drawn.excess[worst], kind="stable")[:MOST_HITS]
        worst = np.sort(worst[order])
    calm = inside & ~run.hit
    few = spread_out(drawn.start, run.by_length[calm[run.by_length]], window, columns)
    return {
        "job": estimate.job,
        "method": estimate.method,
        "world": estimate.world,
        "ranks": estimate.ranks,
        "start_ns": estimate.start_ns,
        "end_ns": estimate.end_ns,
        "total": len(drawn),
        "hit": int(run.hit.sum()),
        "excess_s": _short(sum(c.excess_s for c in estimate.clusters)),
        "clusters": run.clusters,
        "rest": run.rest,
        "cluster": cluster,
        "chosen": _row(drawn, run.by_cluster, chosen) if chosen else None,
        "within": int(inside.sum()),
        "hits_within": hits_within,
        "usual": _points(drawn, few),
        "hits": _points(drawn, worst),
        "limits": estimate.limits,
    }


def spread_out(
    start: NDArray[np.float64], by_length: Ints, window: tuple[float, float], columns: int
) -> Ints:
    """Choose the shortest, the middle and the longest of the segments that start in each column.

    Args:
        start: Start of each segment, in seconds.
        by_length: Indices of the segments to choose from, the shortest first.
        window: Start and end of the shown span, in seconds.
        columns: Number of equal parts of the span.

    Returns:
        Indices of the chosen segments, ascending. If there are at most three segments per column,
        all are chosen.
    """
    if len(by_length) <= 3 * columns:
        return np.sort(by_length)
    length = max(window[1] - window[0], 1e-9)
    column = ((start[by_length] - window[0]) * (columns / length)).clip(0, columns - 1)
    column = column.astype(np.uint16)
    # They are sorted by length, then stably by column: with 16 bits that is a radix sort.
    order = by_length[np.argsort(column, kind="stable")]
    ends = np.cumsum(np.bincount(column, minlength=columns))
    begins = np.concatenate([[0], ends[:-1]])
    begins, ends = begins[begins < ends], ends[begins < ends]
    chosen: Ints = np.unique(order[np.concatenate([begins, (begins + ends - 1) // 2, ends - 1])])
    return chosen


def box_of(seconds: NDArray[np.float64]) -> dict[str, float]:
    """Return the five numbers of a box and the ends of its whiskers (Shah, 2020, figure 5.11)."""
    least, low, middle, high, most = np.percentile(seconds, [0, 25, 50, 75, 100]).tolist()
    reach = 1.5 * (high - low)
    usual = seconds[(seconds >= low - reach) & (seconds <= high + reach)]
    return {
        "least": least,
        "lower": float(usual.min()),
        "quarter": low,
        "median": middle,
        "three_quarters": high,
        "upper": float(usual.max()),
        "most": most,
    }


def _row(drawn: DrawnSegments, by_cluster: Ints, cluster: Cluster) -> dict[str, Any]:
    """Return a cluster with its box plot, or without one if it has no segments to draw."""
    own = members(drawn, by_cluster, cluster.number)
    numbers = {name: getattr(cluster, name) for name in cluster.__dataclass_fields__}
    return numbers | {"box": box_of(own) if len(own) else None}


def members(drawn: DrawnSegments, by_cluster: Ints, number: int) -> NDArray[np.float64]:
    """Return the durations of the segments of a cluster, in seconds."""
    low, high = np.searchsorted(drawn.cluster, [number, number + 1], sorter=by_cluster)
    own: NDArray[np.float64] = drawn.seconds[by_cluster[low:high]]
    return own


def _rest(left: Sequence[Cluster]) -> dict[str, Any]:
    return {
        "clusters": len(left),
        "members": sum(cluster.members for cluster in left),
        "hit": sum(cluster.hit for cluster in left),
        "excess_s": _short(sum(cluster.excess_s for cluster in left)),
        "total_s": _short(sum(cluster.total_s for cluster in left)),
    }


def _points(drawn: DrawnSegments, which: Ints) -> dict[str, Any]:
    some = drawn.only(which)
    return {
        "at_s": np.round(some.start, 6).tolist(),
        "seconds": _digits(some.seconds),
        "cluster": some.cluster.tolist(),
        "threshold_s": _digits(some.threshold),
        "lost_s": _digits(some.excess),
        "work": _digits(some.work),
    }


def _digits(values: NDArray[np.float64]) -> list[float | None]:
    """Return numbers rounded to five digits, enough for a screen; null for missing ones."""
    return [None if value != value else float(f"{value:.5g}") for value in values.tolist()]


def _short(value: float) -> float:
    """Round sums of many terms: digits below a microsecond are rounding errors."""
    return round(value, 6)
