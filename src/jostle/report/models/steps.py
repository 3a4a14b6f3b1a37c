"""Time series of slices without gaps, as in `timeline --json` and `background --json`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jostle.analysis import resample
from jostle.report.format.values import iso_time
from jostle.report.models.metrics import VIEWS, View, ViewLine
from jostle.repository.query.lifetimes import spans

if TYPE_CHECKING:
    import pyarrow as pa

    from jostle.repository import Repository

#: Most steps; longer series have coarser steps, which bounds memory.
_MOST_STEPS = 2_000_000


@dataclass(frozen=True)
class Steps:
    """A metric (or a sum of metrics) of one job over slices without gaps.

    Attributes:
        first: Number of the first slice.
        slice_ns: Length of each slice, in ns.
        values: For each slice, the sum in the metric's unit; for a gauge, the mean.
        lasted_s: Length of the span of time that the slices cover, in seconds.
    """

    first: int
    slice_ns: int
    values: NDArray[np.float64]
    lasted_s: float

    @property
    def edges(self) -> NDArray[np.int64]:
        """Borders of the slices, ns since the epoch; one more than there are values."""
        return (self.first + np.arange(len(self.values) + 1, dtype=np.int64)) * self.slice_ns


@dataclass(frozen=True)
class JobSpan:
    """The time that a job's panel covers: from `start_ns` to `end_ns`, in slices of `slice_ns`."""

    start_ns: int
    end_ns: int
    slice_ns: int

    @classmethod
    def of(cls, job: dict[str, Any]) -> JobSpan:
        """Return the span of a row of the list of jobs."""
        return cls(job["start_ns"], job["end_ns"], job["slice_ns"])


def lines_of(view: View, span: JobSpan, fetch: Callable[[str], pa.Table]) -> list[Steps]:
    """Return the time series of each line of a view.

    Args:
        view: The view.
        span: The time to cover.
        fetch: Function that returns the time series of a metric as a table.
    """
    return [
        steps([fetch(metric) for metric in line.metrics], span, level=view.level)
        for line in view.lines
    ]


def views_with_values(store: Repository, job: dict[str, Any]) -> list[str]:
    """Return the names of the views in which a job has any value, without views of levels.

    Args:
        store: The repository.
        job: The job's row in the list of jobs.
    """
    named = []
    for table, scope in (("rollup", "mount"), ("node_rollup", "process")):
        views = [view for view in VIEWS if view.scope == scope]
        rows = store.loads.totals(
            table,
            [[name for part in view.sums for name in part] for view in views],
            [job["job"]],
            (job["start_ns"], job["end_ns"]),
        ).to_pylist()
        named += [view.name for row in rows for at, view in enumerate(views) if row[f"v{at}"]]
    return named


def steps(tables: list[pa.Table], span: JobSpan, *, level: bool) -> Steps:
    """Add up time series over their resources, on the slices of `span`.

    Args:
        tables: Tables from Repository.series.
        span: The time to cover; rows outside of it are left out.
        level: Whether the metric is a gauge; then each slice gets the mean instead of the sum.
    """
    length = span.slice_ns
    first, end = (
        span.start_ns // length,
        max(-(-span.end_ns // length), span.start_ns // length + 1),
    )
    coarser = max(1, -(-(end - first) // _MOST_STEPS))
    length, first, end = length * coarser, first // coarser, -(-end // coarser)
    axis = (first * length, length, end - first)
    values = np.zeros(end - first)
    for table in tables:
        sums = table.column("sum").to_numpy().astype(np.int64)
        values += resample(*spans(table), sums, axis, level=level)
    return Steps(first, length, values, (span.end_ns - span.start_ns) / 1e9)


def steps_json(line: ViewLine, found: Steps) -> dict[str, Any]:
    """Return a line of a view as JSON-compatible values."""
    return {
        "label": line.label,
        "metrics": line.metrics,
        "slice_ns": found.slice_ns,
        "first_slice": found.first,
        "start": iso_time(found.first * found.slice_ns),
        "values": [int(value) if value.is_integer() else value for value in found.values.tolist()],
    }
