"""Resamples metrics of jobs with different slice lengths onto one time axis."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.repository.query.lifetimes import spans
from jostle.schema.metrics import BY_ID
from jostle.values.arrow_columns import ints

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
#: Most steps of a time axis: 97 days of slices of 4 s. Longer axes get longer steps.
_MOST_STEPS = 1 << 21
Zone = Callable[[str], bool]


@dataclass(frozen=True)
class TimelineJob:
    """One job on a time axis.

    Attributes:
        job: Name of the job.
        first: Index of the step of the axis in which the job's first slice begins.
        values: Value in each step, from step `first` on; 0 in steps without traffic.
        slice_ns: Lengths of the slices in which the job was recorded, in ns.
        count: Largest number of processes with a record at one instant of each step.
    """

    job: str
    first: int
    values: list[float]
    slice_ns: list[int]
    count: list[int]


@dataclass(frozen=True)
class Timeline:
    """A metric of several jobs on one time axis.

    Attributes:
        metric: Id of the metric.
        unit: Unit of the metric. A value is the amount in a step, for a gauge its mean level.
        start_ns: Start of the axis, ns since the epoch; a multiple of step_ns.
        step_ns: Length of a step, ns: the longest slice of the jobs, unless the caller set it.
        steps: Number of steps of the axis.
        jobs: The jobs in the requested order.
    """

    metric: str
    unit: str
    start_ns: int
    step_ns: int
    steps: int
    jobs: list[TimelineJob]

    def to_json(self) -> dict[str, Any]:
        """Return the timeline as JSON-compatible values."""
        return asdict(self)


@dataclass(frozen=True)
class Neighbourhood:
    """The load of a job and that of all other jobs on one resource, step by step.

    Attributes:
        resource: Identity of a mount; for metrics of scope process, name of a node.
        own: Value of the job in each step.
        others: Sum over all other jobs in each step.
        jobs: Largest number of other jobs with a record on the resource at one instant of each
            step; empty when they were not counted.
        share: Share of the other jobs in the traffic of all jobs, over the whole time; 0 without
            traffic.
    """

    resource: str
    own: list[float]
    others: list[float]
    jobs: list[int]
    share: float


@dataclass(frozen=True)
class BackgroundSeries:
    """The load of all other jobs on the resources of a job while it ran.

    Attributes:
        job: Name of the job.
        metric: The metric's id.
        unit: Unit of the metric. A value is the amount in a step, for a gauge its mean level.
        start_ns: Start of the axis, ns since the epoch.
        step_ns: Length of a step, ns: the job's slice length.
        resources: The resources, the one with the most load of other jobs first.
    """

    job: str
    metric: str
    unit: str
    start_ns: int
    step_ns: int
    resources: list[Neighbourhood]

    def to_json(self) -> dict[str, Any]:
        """Return the background as JSON-compatible values."""
        return asdict(self)


def resample(
    start: Ints,
    length: Ints,
    values: Ints | Floats,
    axis: tuple[int, int, int],
    *,
    level: bool = False,
    within: tuple[int, int] | None = None,
) -> Floats:
    """Resample values that hold for spans of time onto a regular axis.

    Args:
        start: Starts of the spans, in ns.
        length: Lengths of the spans, in ns.
        values: Amount moved in each span, or its level.
        axis: Start of the axis and length of a step (both ns), and number of steps.
        level: Whether the values are levels: then a step gets the mean weighted by time, not the
            sum.
        within: Start and end (ns) of the time to consider; None: all.

    Returns:
        One value per step. An amount is divided among steps in proportion to the time for which its
        span overlaps each. The amount of a span inside one step is not divided, so slices that are
        as long as the steps keep their exact values.
    """
    begin, step, steps = axis
    out = np.zeros(steps, dtype=np.float64)
    if not steps or not len(start):
        return out
    offset = start - begin
    first, last = offset // step, (offset + length - 1) // step
    width = last - first + 1
    source = np.repeat(np.arange(len(start)), width)
    index = np.repeat(first - (np.cumsum(width) - width), width) + np.arange(len(source))
    lo = np.maximum(offset[source], index * step)
    hi = np.minimum((offset + length)[source], (index + 1) * step)
    if within is not None:
        lo = np.maximum(lo, within[0] - begin)
        hi = np.maximum(np.minimum(hi, within[1] - begin), lo)
    part = (hi - lo) / (step if level else length[source])
    inside = (index >= 0) & (index < steps)
    np.add.at(out, index[inside], (values[source] * part)[inside])
    return out


def _busiest(start: Ints, length: Ints, counts: Ints, axis: tuple[int, int, int]) -> list[int]:
    """Return, for each step, the largest count of the spans that overlap it."""
    begin, step, steps = axis
    out = np.zeros(steps, dtype=np.int64)
    first, last = (start - begin) // step, (start - begin + length - 1) // step
    for shift in range(int((last - first).max(initial=-1)) + 1):
        index = first + shift
        inside = (index <= last) & (index >= 0) & (index < steps)
        np.maximum.at(out, index[inside], counts[inside])
    return out.tolist()


@dataclass(frozen=True)
class _RowSpans:
    """The rows of a series, added up over resources; each row covers one span of time.

    Attributes:
        start: Start of each span, ns since the epoch.
        length: Length of each span, ns; a span may be shorter than its slice.
        slice_ns: Length of the slice that the span is part of, in ns.
        values: Sum of the metric in each span.
        count: Number of processes with a record in each span; 0 where not counted.
        jobs: Number of jobs with a record in each span; 0 where not counted.
    """

    start: Ints
    length: Ints
    slice_ns: Ints
    values: Ints
    count: Ints
    jobs: Ints

    @classmethod
    def of(cls, series: pa.Table) -> _RowSpans:
        parts = np.stack([*spans(series), ints(series, "slice_ns")])
        keys, where = np.unique(parts, axis=1, return_inverse=True)
        where = where.reshape(-1)
        columns = []
        for name in ("sum", "count", "jobs"):
            total = np.zeros(keys.shape[1], dtype=np.int64)
            if name in series.column_names:
                np.add.at(total, where, ints(series, name))
            columns.append(total)
        return cls(keys[0], keys[1], keys[2], columns[0], columns[1], columns[2])


def _axis(parts: list[_RowSpans], step_ns: int) -> tuple[int, int, int]:
    begin = min(int(span.start.min()) for span in parts) // step_ns * step_ns
    end = max(int((span.start + span.length).max()) for span in parts)
    return begin, step_ns, -(-(end - begin) // step_ns)


def timeline(
    series: Mapping[str, pa.Table], metric: str, *, step_ns: int | None = None
) -> Timeline:
    """Put a metric of several jobs on one time axis.

    Args:
        series: For each job, the table that Repository.series returns.
        metric: The metric's id.
        step_ns: Length of a step, ns; by default the longest slice of the jobs.

    Returns:
        The timeline, with values added up over resources. A job without slices has no values.
    """
    known = BY_ID[metric]
    laid = {job: _RowSpans.of(table) for job, table in series.items()}
    full = [span for span in laid.values() if len(span.start)]
    if not full:
        empty = [TimelineJob(job, 0, [], [], []) for job in series]
        return Timeline(metric, known.unit, 0, step_ns or 0, 0, empty)
    step = step_ns or max(int(span.slice_ns.max()) for span in full)
    axis = _axis(full, step)
    if axis[2] > _MOST_STEPS:  # jobs of other years
        step *= -(-axis[2] // _MOST_STEPS)
        axis = _axis(full, step)
    jobs = []
    for job, span in laid.items():
        if not len(span.start):
            jobs.append(TimelineJob(job, 0, [], [], []))
            continue
        own = _axis([span], step)
        jobs.append(
            TimelineJob(
                job,
                (own[0] - axis[0]) // step,
                _resampled(span, own, level=known.kind == "gauge"),
                np.unique(span.slice_ns).tolist(),
                _busiest(span.start, span.length, span.count, own),
            )
        )
    return Timeline(metric, known.unit, *axis, jobs)


def _resampled(span: _RowSpans, axis: tuple[int, int, int], *, level: bool) -> list[float]:
    values: list[float] = resample(span.start, span.length, span.values, axis, level=level).tolist()
    return values


def background(
    job: str, metric: str, own: pa.Table, others: pa.Table, *, zone: Zone | None = None
) -> BackgroundSeries:
    """Compare a job's slices with the load of all other jobs on the same resources.

    Args:
        job: Name of the job.
        metric: The metric's id.
        own: Table from Repository.series for the job.
        others: Table from Repository.background for the job.
        zone: Function that returns whether to include a resource, for example to select a part of
            the network; None: all are included.

    Returns:
        One neighbourhood per resource that the job used, on the axis of the job's own slices.
    """
    known = BY_ID[metric]
    if not own.num_rows:
        return BackgroundSeries(job, metric, known.unit, 0, 0, [])
    axis = _axis([_RowSpans.of(own)], int(ints(own, "slice_ns").max()))
    level = known.kind == "gauge"
    counted = "jobs" in others.column_names
    result = []
    for resource in dict.fromkeys(own.column("resource").to_pylist()):
        if zone is not None and not zone(resource):
            continue
        row_spans, theirs = _RowSpans.of(_on(own, resource)), _RowSpans.of(_on(others, resource))
        own_values = _resampled(row_spans, axis, level=level)
        other_values = _resampled(theirs, axis, level=level)
        total = sum(own_values) + sum(other_values)
        result.append(
            Neighbourhood(
                resource,
                own_values,
                other_values,
                _busiest(theirs.start, theirs.length, theirs.jobs, axis) if counted else [],
                sum(other_values) / total if total else 0.0,
            )
        )
    result.sort(key=lambda resource: (-sum(resource.others), resource.resource))
    return BackgroundSeries(job, metric, known.unit, axis[0], axis[1], result)


def _on(table: pa.Table, resource: str) -> pa.Table:
    names = table.column("resource").to_pylist()
    return table.filter(pa.array([name == resource for name in names], pa.bool_()))
