"""Time series of metrics: of a job, of all other jobs on its resources, or of one of these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.analysis import resample
from jostle.errors import UsageError
from jostle.report.models.job.gpu_steps import check_per_gpu, gpu_steps
from jostle.report.models.metrics import View, view
from jostle.report.models.steps import JobSpan, lines_of
from jostle.repository import Repository
from jostle.repository.store.layout import Rollup
from jostle.schema.metrics import BY_ID
from jostle.server.access import Viewer
from jostle.server.background.others import Others
from jostle.server.background.tiles import Tiles
from jostle.server.cache.lru_cache import LruCache
from jostle.server.jobs.index import JobIndex
from jostle.server.jobs.mipmaps import Mipmap

Floats = NDArray[np.float64]
_LONGEST_SLICE_NS = 60 * 10**9
#: Most steps of a job's axis: 97 days of slices of 4 s; beyond that, steps are longer.
_MOST_STEPS = 1 << 21


#: Values of `Question.of` that are no names of jobs.
THEMSELVES = ("job", "others")


@dataclass(frozen=True)
class Question:
    """A request for a series.

    Attributes:
        job: Name of the job.
        metric: A view or a metric (see `jostle timeline --metric`).
        of: The job or jobs whose values are requested. "job": the job itself. "others": all other
            jobs on the job's resources while it ran. Else the name of a second job, on the
            resources that both used.
        resource: Name of the only mount or node; "": the sum over all.
    """

    job: str
    metric: str
    of: str = "job"
    resource: str = ""

    @property
    def jobs(self) -> tuple[str, ...]:
        """The jobs in the request."""
        return (self.job,) if self.of in THEMSELVES else (self.job, self.of)

    @property
    def of_jobs(self) -> tuple[str, ...]:
        """The jobs on whose data the answer depends; none: all jobs."""
        return () if self.of == "others" else self.jobs


@dataclass(frozen=True)
class SeriesAxis:
    """Slices of a job from its start to its end.

    Attributes:
        start_ns: Start of the first step, ns since the epoch.
        step_ns: Length of each step.
        steps: Number of steps.
    """

    start_ns: int
    step_ns: int
    steps: int

    @property
    def span(self) -> tuple[int, int]:
        """Start and end, ns since the epoch."""
        return self.start_ns, self.start_ns + self.steps * self.step_ns

    @property
    def parts(self) -> tuple[int, int, int]:
        """Start, step and number of steps, as arguments of `resample`."""
        return self.start_ns, self.step_ns, self.steps


class Curves:
    """Series of jobs as mipmaps, cached in memory."""

    def __init__(self, index: JobIndex, tiles: Tiles, others: Others, cache: LruCache) -> None:
        self._index = index
        self._tiles = tiles
        self._sums = others
        self._cache = cache

    @property
    def _repository(self) -> Repository:
        return self._index.repository

    def ask(
        self, question: Question, viewer: Viewer, span: tuple[int, int], points: int
    ) -> dict[str, Any]:
        """Return a view over a span, downsampled to a number of points.

        Args:
            question: The request.
            viewer: The viewer. If the viewer may not see all jobs, sums over too few other users
                are hidden.
            span: Start and end, ns since the epoch.
            points: Largest number of points.

        Returns:
            metric, unit: Name of the view, and unit of the values.
            start_ns, step_ns: Start of the first point, and time between points, in ns.
            lines: For each line its name, and `low`, `mean` and `high`: values per second, or
                levels; None where no value is known.
            few: Whether sums over too few other users are hidden.
        """
        seen = view(question.metric)
        hiding = question.of == "others" and not viewer.sees_all
        key = ("mipmaps", question, viewer if hiding else None)
        state = self._index.state(*question.of_jobs)
        maps, few = self._cache.get_or_make(
            key, lambda: self._mipmaps(question, seen, viewer), state
        )
        return {**_cut(seen, maps, span, points), "few": few}

    def ask_gpus(self, job: str, metric: str, span: tuple[int, int], points: int) -> dict[str, Any]:
        """Return a view over a span, for each GPU of a job that `timeline --per gpu` draws.

        Returns:
            `gpus`: for each GPU, host, gpu, name, and series (as from `ask`).

        Raises:
            UsageError: The metric is not counted per GPU.
        """
        seen = view(metric)
        check_per_gpu(name for line in seen.lines for name in line.metrics)
        gpus = self._cache.get_or_make(
            ("gpus", job, metric), lambda: self._gpus(job, seen), self._index.state(job)
        )
        return {
            "gpus": [{**named, "series": _cut(seen, maps, span, points)} for named, maps in gpus]
        }

    def _gpus(self, job: str, seen: View) -> list[tuple[dict[str, str], list[Mipmap]]]:
        gpus = []
        for gpu in gpu_steps(self._repository, self._index.row(job), seen):
            maps = [
                Mipmap.of(line.first * step, step, line.values * _scale(seen, step))
                for line in gpu.lines
                for step in [line.slice_ns]
            ]
            gpus.append(({"host": gpu.host, "gpu": gpu.gpu, "name": gpu.name}, maps))
        return gpus

    def _mipmaps(self, question: Question, seen: View, viewer: Viewer) -> tuple[list[Mipmap], bool]:
        axis = self._axis(question.job)
        if seen.level:
            values, few = self._levels(question, seen, axis), False
            if question.of == "others" and not viewer.sees_all:
                values = np.full_like(values, np.nan)  # levels of single users are not stored
                few = True
        elif question.of == "others":
            values, few = self._others(question, seen, axis, viewer)
        else:
            values, few = self._loads(question, seen, axis), False
        scale = _scale(seen, axis.step_ns)
        maps = [Mipmap.of(axis.start_ns, axis.step_ns, row * scale) for row in values]
        return maps, few

    def _axis(self, job: str) -> SeriesAxis:
        row = self._index.row(job)
        step = row["slice_ns"]
        step *= max(-(-(row["end_ns"] - row["start_ns"]) // (step * _MOST_STEPS)), 1)
        first = row["start_ns"] // step
        return SeriesAxis(first * step, step, max(-(-row["end_ns"] // step) - first, 1))

    def _loads(self, question: Question, seen: View, axis: SeriesAxis) -> Floats:
        """Return the load, (lines, steps), of the job, or of another job on its resources."""
        table = _table(seen)
        whose = question.job if question.of == "job" else question.of
        resources = [question.resource] if question.resource else None
        if question.of != "job":
            both = set(self._used(question.job, table)[0]) & set(self._used(whose, table)[0])
            resources = sorted(both & set(resources) if resources else both)
        rows = self._repository.loads.sums(
            table, _lines(seen), _wider(axis.span), job=whose, resources=resources
        )
        within = None if question.of == "job" else self._life(question.job)
        return np.stack([_on(rows, at, axis, within) for at in range(len(seen.lines))])

    def _others(
        self, question: Question, seen: View, axis: SeriesAxis, viewer: Viewer
    ) -> tuple[Floats, bool]:
        """Return the load of all other jobs, (lines, steps), and whether a part is hidden."""
        table, lines = _table(seen), _lines(seen)
        resources, begin, end = self._used(question.job, table)
        if question.resource:
            resources = [one for one in resources if one == question.resource]
        if viewer.sees_all:
            return self._all_others(
                question.job, table, lines, resources, (begin, end), axis
            ), False
        found, life = np.zeros((len(lines), axis.steps)), self._life(question.job)
        for at, line in enumerate(lines):
            loads = self._sums.disclosed(
                viewer, self._user, table, line, axis.parts, without={question.job}, within=life
            )
            found[at] = sum((loads[one] for one in resources if one in loads), found[at])
        return found, bool(np.isnan(found).any())

    def _all_others(
        self,
        job: str,
        table: Rollup,
        lines: tuple[tuple[str, ...], ...],
        resources: list[str],
        used: tuple[int, int],
        axis: SeriesAxis,
    ) -> Floats:
        """Return the load of all other jobs, (lines, steps): that of all jobs minus the job's."""
        span = _wider(used)
        if table == "rollup":  # few mounts, many jobs
            rows = self._tiles.slices(table, lines, span)
        else:  # many nodes, few of them the job's
            rows = self._repository.loads.sums(table, lines, span, resources=resources)
        own = self._repository.loads.sums(table, lines, span, job=job, resources=resources)
        found, life = np.zeros((len(lines), axis.steps)), self._life(job)
        for resource in resources:
            there, mine = _of(rows, resource, used), _of(own, resource, used)
            for at in range(len(lines)):
                found[at] += np.maximum(_on(there, at, axis, life) - _on(mine, at, axis, life), 0.0)
        return found

    def _life(self, job: str) -> tuple[int, int]:
        """Return start and end of a job, between which other jobs count as its neighbours."""
        row = self._index.row(job)
        return row["start_ns"], row["end_ns"]

    def _user(self, job: str) -> int | None:
        row = self._index.rows.get(job)
        return row["uid"] if row else None

    def _used(self, job: str, table: Rollup) -> tuple[list[str], int, int]:
        key, mark = ("used", job, table), self._index.marks.get(job)
        span = _wider(self._axis(job).span)
        return self._cache.get_or_make(
            key, lambda: self._repository.loads.used(job, table, span), mark
        )

    def _levels(self, question: Question, seen: View, axis: SeriesAxis) -> Floats:
        """Return the values of a view of gauges, (lines, steps)."""
        job = question.job if question.of in ("job", "others") else question.of
        ask = self._repository.background if question.of == "others" else self._repository.series

        def fetch(metric: str) -> pa.Table:
            rows = ask(job, metric)
            return _of(rows, question.resource) if question.resource else rows

        span = JobSpan(axis.start_ns, axis.span[1], axis.step_ns)
        found = [steps.values[: axis.steps] for steps in lines_of(seen, span, fetch)]
        return np.stack(found)


def _scale(seen: View, step_ns: int) -> float:
    """Return the factor that converts the sum of a step to a rate per second; 1 for levels."""
    scale = 1.0 if seen.level else 1e9 / step_ns
    return scale / 1e9 if seen.unit == "ns" else scale


def _cut(seen: View, maps: list[Mipmap], span: tuple[int, int], points: int) -> dict[str, Any]:
    """Return the lines of a view over a span as `Curves.ask` does, with `few` false."""
    start, step, lines = 0, 0, []
    for line, mipmap in zip(seen.lines, maps, strict=True):
        start, cut = mipmap.cut(*span, points)
        step = cut.step_ns
        lines.append(
            {
                "name": line.label,
                "low": _plain(cut.low),
                "mean": _plain(cut.mean),
                "high": _plain(cut.high),
            }
        )
    return {
        "metric": seen.name,
        "unit": seen.rate_unit,
        "start_ns": start,
        "step_ns": step,
        "lines": lines,
        "few": False,
    }


def _lines(seen: View) -> tuple[tuple[str, ...], ...]:
    return tuple(line.metrics for line in seen.lines)


def _table(seen: View) -> Rollup:
    scopes = {BY_ID[name].scope for line in seen.lines for name in line.metrics}
    if len(scopes) != 1:
        raise UsageError(
            f"{seen.name} mixes metrics of mounts and of processes.", hint="Name a single metric."
        )
    return "rollup" if scopes == {"mount"} else "node_rollup"


def _wider(span: tuple[int, int]) -> tuple[int, int]:
    """Extend a span to include slices that begin before it and overlap it."""
    return max(span[0] - _LONGEST_SLICE_NS, 0), span[1]


def _of(rows: pa.Table, resource: str, span: tuple[int, int] | None = None) -> pa.Table:
    """Return the rows of a resource whose slices overlap a span; without a span, all."""
    import pyarrow.compute as pc

    which = pc.equal(rows["resource"], resource)
    if span is not None:
        end = pc.add(rows["start_ns"], rows["length_ns"])
        inside = pc.and_(pc.greater(end, span[0]), pc.less(rows["start_ns"], span[1]))
        which = pc.and_(which, inside)
    return rows.filter(which)


def _on(
    rows: pa.Table, line: int, axis: SeriesAxis, within: tuple[int, int] | None = None
) -> Floats:
    """Distribute the load of rows over the steps of an axis; load outside a span is left out."""
    start, length = (rows[name].to_numpy().astype(np.int64) for name in ("start_ns", "length_ns"))
    values = rows[f"v{line}"].to_numpy()
    return resample(start, length, values, axis.parts, within=within)


def _plain(values: Floats) -> list[float | None]:
    """Return numbers rounded to four digits, enough for a screen; None for missing ones."""
    return [None if value != value else float(f"{value:.4g}") for value in values.tolist()]
