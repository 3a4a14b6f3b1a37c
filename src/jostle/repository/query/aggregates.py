"""Aggregates over many jobs at once; each query reads only the columns and files it needs.

The queries read the stored rows, not the views. A view would first add up rows that several commits
stored with the same key, but these queries add up all rows anyway. Sums that web pages request
often are computed without DuckDB (columns.py).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.repository.query.columns import Columns, Keys, NameColumn, RowGroupRows
from jostle.repository.query.engine import ALWAYS, Engine
from jostle.repository.store.layout import HOUR_NS, ROLLUPS, Rollup
from jostle.values.file_metrics import file_metrics, file_sum_sql

#: Metrics of the bytes read from and written to files.
TRAFFIC = tuple(f"{kind}_{what}_bytes" for kind in ("posix", "stdio") for what in ("read", "write"))
#: Tables with the names of a commit's jobs.
_NAMING = ("processes", "rollup", "node_rollup")


@dataclass(frozen=True)
class Files:
    """The files of a repository at one time.

    Attributes:
        number: Number of the newest commit.
        naming: Paths of the files of the tables that list jobs.
        newest_ns: End of the newest slice, ns since the epoch.
        horizon_ns: Retention horizon: older data were removed, ns since the epoch.
    """

    number: int
    naming: frozenset[str]
    newest_ns: int
    horizon_ns: int


class Loads:
    """Queries for sums of metrics over many jobs, and for the progress of the repository."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._columns = Columns(engine)
        #: Cached for polls: the state, and the files at that state.
        self._files: tuple[tuple[int, frozenset[str]], Files] | None = None

    def sums(
        self,
        table: Rollup,
        lines: Sequence[Sequence[str]],
        span: tuple[int, int],
        *,
        job: str | None = None,
        resources: Sequence[str] | None = None,
        step_ns: int | None = None,
    ) -> pa.Table:
        """Add up metrics by resource and time.

        Args:
            table: rollup (resources are mounts) or node_rollup (resources are nodes).
            lines: The requested sums; each is a list of metrics of that table to add up.
            span: Time in which the slices begin, ns since the epoch.
            job: Name of the only job; None: all jobs.
            resources: Names of the resources; None: all.
            step_ns: Length of time steps, ns: rows are added up by job, resource and step. None:
                rows are added up by resource and slice, over all jobs.

        Returns:
            Columns job (only with `step_ns`), resource (both dictionaries of names), start_ns,
            length_ns, v0, v1, ... (one per requested sum, float64); the earliest first. A slice in
            which its job began or ended is shortened to the job's run time. Rows without any load
            are left out.
        """
        parts = self._lived(self._columns.parts(table, lines, span, job, resources))
        return _added(parts, len(lines), step_ns)

    def _lived(self, parts: Sequence[RowGroupRows]) -> list[RowGroupRows]:
        """Shorten slices to the parts in which their jobs ran."""
        clipped = []
        for part in parts:
            keys = part.keys
            start, length = self._engine.lives.clip(
                keys.job.known, keys.start, keys.length, keys.job.codes
            )
            clipped.append(replace(part, keys=Keys(keys.job, keys.resource, start, length)))
        return clipped

    def process_sums(
        self, job: str, table: str, metrics: Sequence[str], span: tuple[int, int]
    ) -> pa.Table:
        """Add up metrics by process and record.

        Args:
            job: Name of the job.
            table: Name of the table: slices or mount_slices.
            metrics: Ids of metrics of that table.
            span: Time that the records overlap, ns since the epoch.

        Returns:
            Columns process, start_ns, length_ns, value (float64).
        """
        value = " + ".join(f"coalesce({name}, 0)" for name in metrics)
        named = ["job", "process", "slice", "slice_ns", "span", *metrics]
        return self._engine.ask(
            lambda: (
                "SELECT process, slice * slice_ns AS start_ns, max(span) * slice_ns AS length_ns, "
                f"sum({value})::DOUBLE AS value "
                f"FROM {self._engine.stored(table, *span, columns=named)} "
                "WHERE job = $1 AND (slice + span) * slice_ns > $2 AND slice * slice_ns < $3 "
                "GROUP BY process, slice, slice_ns"
            ),
            [job, *span],
        )

    def totals(
        self,
        table: str,
        lines: Sequence[Sequence[str]],
        jobs: Sequence[str],
        span: tuple[int, int],
        by: str = "job",
    ) -> pa.Table:
        """Add up metrics over the whole run time of each job or process.

        Args:
            table: Name of the table: slices, mount_slices, rollup or node_rollup.
            lines: The requested sums; each is a list of metrics of that table to add up.
            jobs: Names of the jobs.
            span: Time that contains the jobs' run time, ns since the epoch.
            by: Key of the sums: job or process.

        Returns:
            Columns job or process, v0, v1, ... (one per requested sum, float64).
        """
        stat = "_sum" if table in ROLLUPS else ""
        sums = ", ".join(
            "("
            + " + ".join(f"coalesce(sum({name}{stat}), 0)" for name in line)
            + f")::DOUBLE AS v{at}"
            for at, line in enumerate(lines)
        )
        named = ["job", by, *(f"{name}{stat}" for line in lines for name in line)]
        return self._engine.ask(
            lambda: (
                f"SELECT {by}, {sums} FROM {self._engine.stored(table, *span, columns=named)} "
                f"WHERE list_contains($1, job) GROUP BY {by}"
            ),
            [list(jobs)],
        )

    def hours(self, table: Rollup, span: tuple[int, int]) -> dict[int, str]:
        """Return, for each hour (since the epoch) with rows, a hash of the names of its files."""
        files: dict[int, list[str]] = {}
        for file in self._engine.newest(table, *span):
            first, last = max(file.lo, span[0]) // HOUR_NS, -(-min(file.hi, span[1]) // HOUR_NS)
            for hour in range(first, last):
                files.setdefault(hour, []).append(file.path)
        return {
            hour: hashlib.blake2b("\n".join(sorted(paths)).encode(), digest_size=8).hexdigest()
            for hour, paths in sorted(files.items())
        }

    def files(self) -> Files:
        """Return the files of the newest commit, without damaged ones, which are left out."""
        number = self._engine.refresh()
        state = number, frozenset(self._engine.left_out())
        if self._files is None or self._files[0] != state:
            naming = [file.path for table in _NAMING for file in self._engine.files(table)]
            log = self._engine.log.state
            newest_ns = log.files.newest_of("node_rollup")
            self._files = state, Files(number, frozenset(naming), newest_ns, log.horizon_ns)
        return self._files[1]

    def jobs_in(self, paths: Iterable[str]) -> list[str]:
        """Return the jobs that have rows in some files; removed files are ignored."""
        wanted = set(paths)

        def question() -> str:
            known = [
                file
                for table in _NAMING
                for file in self._engine.files(table)
                if file.path in wanted
            ]
            if not known:
                return "SELECT ''::VARCHAR AS job WHERE false"
            return f"SELECT DISTINCT job FROM ({self._engine.scan(known)}) ORDER BY job"

        return [str(job) for job in self._engine.ask(question)["job"].to_pylist()]

    def _time_of(self, jobs: Sequence[str] | None, span: tuple[int, int] | None) -> tuple[int, int]:
        """Return the given span; if it is None, the span in which some (None: all) jobs ran."""
        if span is not None or jobs is None:
            return span or ALWAYS
        return self._engine.window(*jobs)

    def job_marks(
        self, jobs: Sequence[str] | None, span: tuple[int, int] | None = None
    ) -> pa.Table:
        """Return numbers that change with a job's data: records, newest slice, bytes.

        Args:
            jobs: Names of the jobs; None: all.
            span: Time that contains the jobs' run time, ns since the epoch; None: it is queried.

        Returns:
            Columns job, records (of processes and slices), seen_ns (end of the newest slice),
            read_bytes, written_bytes.
        """
        which, params = ("", []) if jobs is None else ("WHERE list_contains($1, job)", [list(jobs)])
        time = self._time_of(jobs, span)

        moved = [f"{name}_sum" for name in file_metrics("read_bytes", "write_bytes")]
        named = {
            "node_rollup": ["job", "count", "slice", "slice_ns"],
            "rollup": ["job", "count", *moved],
        }

        def stored(table: str) -> str:
            return self._engine.stored(table, *time, columns=named[table])

        return self._engine.ask(
            lambda: (
                "SELECT job, sum(records)::BIGINT AS records, max(seen_ns) AS seen_ns, "
                "sum(read)::BIGINT AS read_bytes, sum(written)::BIGINT AS written_bytes FROM ("
                "SELECT job, count AS records, (slice + 1) * slice_ns AS seen_ns, 0 AS read, "
                f"0 AS written FROM {stored('node_rollup')} {which} UNION ALL "
                "SELECT job, count, 0, "
                f"{file_sum_sql('read_bytes')}, {file_sum_sql('write_bytes')} "
                f"FROM {stored('rollup')} {which}) GROUP BY job"
            ),
            params,
        )

    def behind(self, hosts: Sequence[str], since_ns: int) -> list[str]:
        """Return the hosts with a running agent of which no data after a time has arrived.

        Args:
            hosts: Names of hosts; those without an agent are never behind.
            since_ns: The time, ns since the epoch.
        """
        engine = self._engine
        agents = engine.query(
            "SELECT DISTINCT host FROM machines WHERE end_ns = 0 AND list_contains($1, host)",
            [list(hosts)],
        )
        watched = [row["host"] for row in agents.to_pylist()]
        if not watched:
            return []
        seen = engine.ask(
            lambda: (
                "SELECT DISTINCT host FROM "
                f"({engine.source('component_slices', since_ns, ALWAYS[1])}) "
                "WHERE slice * slice_ns >= $1"
            ),
            [since_ns],
        )
        here = {row["host"] for row in seen.to_pylist()}
        return sorted(set(watched) - here)

    def job_curves(
        self,
        jobs: Sequence[str] | None,
        points: int,
        span: tuple[int, int] | None = None,
        *,
        table: Rollup = "rollup",
        metrics: Sequence[str] = TRAFFIC,
    ) -> pa.Table:
        """Return the course of a sum of metrics over each job's run time, as a few points.

        A slice that is longer than the time of one point is spread over all points that it
        overlaps.

        Args:
            jobs: Names of the jobs; None: all.
            points: Number of points from a job's start to its end.
            span: Time that contains the jobs' run time, ns since the epoch; None: it is queried.
            table: Name of the table: rollup or node_rollup.
            metrics: Metrics of that table to add up.

        Returns:
            Columns job, place (number of the point, 0 to points - 1) and value.
        """
        which = "" if jobs is None else "WHERE list_contains($1, job)"
        time = self._time_of(jobs, span)
        value = " + ".join(f"coalesce({name}_sum, 0)" for name in metrics)
        named = ["job", "slice", "slice_ns", *(f"{name}_sum" for name in metrics)]
        return self._engine.ask(
            lambda: (
                # The table of processes is not updated with every slice of a running job.
                "WITH r AS (SELECT * "
                f"FROM {self._engine.stored(table, *time, columns=named)} {which}), "
                "e AS (SELECT job, max((slice + 1) * slice_ns) AS seen FROM r GROUP BY job), "
                "j AS (SELECT job, min(start_ns) AS lo, CASE WHEN bool_and(complete) "
                "THEN max(over_ns) ELSE max(greatest(end_ns, seen_ns, coalesce(seen, 0))) END "
                "AS hi "
                f"FROM ({self._engine.source('process_kinds')}) LEFT JOIN e USING (job) {which} "
                "GROUP BY job) "
                "SELECT job, place, sum(value)::DOUBLE AS value FROM ("
                "SELECT job, unnest(range(first, last + 1))::INT AS place, "
                "value / (last - first + 1) AS value FROM ("
                "SELECT job, slice * slice_ns - lo AS begin, greatest(hi - lo, 1) AS whole, "
                f"least(greatest(begin, 0) * {points} // whole, {points - 1}) AS first, "
                f"least(greatest(((begin + slice_ns) * {points} - 1) // whole, first), "
                f"{points - 1}) AS last, sum({value}) AS value "
                "FROM r JOIN j USING (job) GROUP BY ALL) "
                "WHERE value > 0) GROUP BY job, place"
            ),
            [] if jobs is None else [list(jobs)],
        )

    def used(self, job: str, table: Rollup, span: tuple[int, int]) -> tuple[list[str], int, int]:
        """Return the mounts (rollup) or nodes that a job used, with start and end, in ns.

        Args:
            job: Name of the job.
            table: Name of the table: rollup or node_rollup.
            span: Time that contains the job's run time, ns since the epoch.
        """
        resources, lo, hi = set(), 2**63 - 1, 0
        # An old slice that was made longer (coarsen.py) may begin before the job, but in its hour.
        hours = span[0] // HOUR_NS * HOUR_NS, span[1]
        for part in self._lived(self._columns.parts(table, [], hours, job)):
            keys = part.keys
            resources |= {
                keys.resource.known[code] for code in np.unique(keys.resource.codes[part.rows])
            }
            start = keys.start[part.rows]
            lo = min(lo, int(start.min()))
            hi = max(hi, int((start + keys.length[part.rows]).max()))
        return sorted(resources), lo if resources else 0, hi


def _added(parts: Sequence[RowGroupRows], lines: int, step_ns: int | None) -> pa.Table:
    """Add up rows by resource and slice, or by job, resource and step."""
    resource = _together([part.keys.resource for part in parts], parts)
    keys = {"resource": resource.codes}
    start = _joined([part.keys.start[part.rows] for part in parts], np.int64)
    if step_ns is None:
        length = _joined([part.keys.length[part.rows] for part in parts], np.int64)
        keys |= {"start_ns": start, "length_ns": length}
    else:
        job = _together([part.keys.job for part in parts], parts)
        keys |= {"job": job.codes, "start_ns": start // step_ns * step_ns}
        length = _joined([part.keys.length[part.rows] for part in parts], np.int64)
    names = [f"v{at}" for at in range(lines)]
    values = {
        name: _joined([part.values[at] for part in parts], np.float64)
        for at, name in enumerate(names)
    }
    if step_ns is not None:
        keys, values = _spread(keys, length, values, step_ns)
    rows = pa.table(keys | values)
    some = np.any([value != 0 for value in values.values()], axis=0)
    sums = (
        rows.filter(pa.array(some))
        .group_by(list(keys), use_threads=False)
        .aggregate([(name, "sum") for name in names])
    )
    sums = sums.take(pa.array(np.argsort(sums["start_ns"].to_numpy(), kind="stable")))
    columns = {"resource": _named(resource, sums["resource"]), "start_ns": sums["start_ns"]}
    if step_ns is not None:
        columns = {"job": _named(job, sums["job"]), **columns}
    columns["length_ns"] = sums["length_ns"] if step_ns is None else np.full(len(sums), step_ns)
    return pa.table(columns | {name: sums[f"{name}_sum"] for name in names})


def _spread(
    keys: dict[str, NDArray[Any]],
    length: NDArray[Any],
    values: dict[str, NDArray[Any]],
    step_ns: int,
) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
    """Spread slices that are longer than a step evenly over the steps from their start on."""
    steps = np.maximum(-(-length // step_ns), 1)
    if (steps == 1).all():
        return keys, values
    row = np.repeat(np.arange(len(steps)), steps)
    number = np.arange(len(row)) - np.repeat(np.cumsum(steps) - steps, steps)
    keys = {name: column[row] for name, column in keys.items()}
    keys["start_ns"] = keys["start_ns"] + number * step_ns
    return keys, {name: (column / steps)[row] for name, column in values.items()}


def _together(columns: Sequence[NameColumn], parts: Sequence[RowGroupRows]) -> NameColumn:
    """Merge the names of several columns into one dictionary."""
    known: dict[str, int] = {}
    codes = []
    for names, part in zip(columns, parts, strict=True):
        number = [known.setdefault(name, len(known)) for name in names.known]
        codes.append(np.array(number, dtype=np.int32)[names.codes[part.rows]])
    return NameColumn(tuple(known), _joined(codes, np.int32))


def _joined(parts: Sequence[NDArray[Any]], kind: type) -> NDArray[Any]:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=kind)


def _named(names: NameColumn, codes: pa.ChunkedArray) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(
        pa.array(codes.to_numpy(), pa.int32()), pa.array(names.known, pa.string())
    )
