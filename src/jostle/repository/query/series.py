"""Reads one metric of a job per slice, and the same metric of co-running jobs."""

from __future__ import annotations

import difflib

import pyarrow as pa

from jostle.repository.errors import JobError
from jostle.repository.query.aggregates import Loads
from jostle.repository.query.divided import Question
from jostle.repository.query.engine import Engine, total
from jostle.repository.query.lifetimes import lived, lived_sql
from jostle.repository.store.layout import RESOURCE, Rollup
from jostle.schema.metrics import BY_ID

# Load of others on some resources, without the time in which the job was not there.
_NEIGHBOUR = """(
    SELECT * REPLACE (greatest(start_ns, $3) AS start_ns,
                      least(start_ns + length_ns, $4) - greatest(start_ns, $3) AS length_ns),
           (least(start_ns + length_ns, $4) - greatest(start_ns, $3)) / length_ns AS part
    FROM {rows} WHERE job <> $1 AND list_contains($2, {key})
                      AND start_ns + length_ns > $3 AND start_ns < $4)"""
_SPAN = "slice, slice_ns, start_ns, length_ns"

# Levels apply until the process's next record, or its end: idle slices have no record. Old slices
# may have been made longer (maintenance/coarsen.py): they are compared by their times.
_GAUGE_SERIES = """
WITH own AS (SELECT process, host, slice, span, slice_ns, coalesce({metric}, 0) AS level,
                    lead(slice * slice_ns) OVER (PARTITION BY process ORDER BY slice * slice_ns)
                    AS next_ns
             FROM {slices} WHERE job = $1),
     ends AS (SELECT process, max((last_slice + 1) * slice_ns) AS end_ns FROM {processes}
              WHERE job = $1 GROUP BY process),
     held AS (SELECT host, slice_ns, level,
                     unnest(range(slice, CASE WHEN next_ns IS NULL
                         THEN greatest((end_ns + slice_ns - 1) // slice_ns, slice + span)
                         ELSE greatest(next_ns // slice_ns, slice + 1) END))
                     AS slice
              FROM own LEFT JOIN ends USING (process))
SELECT host AS resource, slice, slice_ns, sum(level)::BIGINT AS sum, min(level) AS min,
       max(level) AS max, count(*) AS count, $1 AS job
FROM held GROUP BY host, slice, slice_ns ORDER BY host, slice * slice_ns
"""


def series(engine: Engine, job: str, metric: str) -> pa.Table:
    """Return one metric of one job per slice and resource (see Repository.series)."""
    table, key = _rollup_of(metric)
    if BY_ID[metric].kind == "gauge":
        lo, hi = engine.window(job)
        rows = engine.ask(
            lambda: _GAUGE_SERIES.format(
                metric=metric,
                slices=engine.stored("slices", lo, hi),
                processes=engine.stored("processes", lo, hi),
            ),
            [job],
        )
    else:
        lo, hi = engine.window(job)
        rows = engine.ask(
            lambda: (
                f"SELECT {key} AS resource, slice, slice_ns, {_summed(metric)}, job "
                f"FROM {engine.stored(table, lo, hi)} WHERE job = ? "
                "GROUP BY job, resource, slice, slice_ns ORDER BY resource, slice * slice_ns"
            ),
            [job],
        )
    return lived(rows, engine.lives).drop_columns("job")


def background(engine: Engine, job: str, metric: str, *, count_jobs: bool = False) -> pa.Table:
    """Sum a metric over all jobs concurrent with a job (see Repository.background)."""
    table, key = _rollup_of(metric)
    resources, lo, hi = Loads(engine).used(job, table, engine.window(job))
    jobs = ", count(DISTINCT job) AS jobs" if count_jobs else ""
    part = "1" if BY_ID[metric].kind == "gauge" else "part"
    rows = _NEIGHBOUR.format(rows=lived_sql(f"stored_{table}", 5), key=key)
    return engine.divided.ask(
        Question(
            f"SELECT {key} AS resource, {_SPAN}, {_summed(metric, part)}{jobs} "
            f"FROM {rows} GROUP BY resource, {_SPAN}",
            ("resource", "start_ns", "length_ns", "slice_ns", "slice"),
            (job, resources, lo, hi, *engine.lives.edges(lo, hi)),
            (lo, hi),
        )
    )


def neighbours(engine: Engine, job: str, metric: str) -> pa.Table:
    """Return the other jobs on a job's resources, by their load (see Repository.neighbours)."""
    table, key = _rollup_of(metric)
    resources, lo, hi = Loads(engine).used(job, table, engine.window(job))
    return engine.ask(
        lambda: (
            f"SELECT job, {key} AS resource, {total(_part(metric, 'part'))} AS sum, "
            f"count(DISTINCT slice) AS slices FROM {_alongside(engine, table, key, lo, hi)} "
            f"GROUP BY job, {key} "
            f"HAVING sum({metric}_sum) > 0 ORDER BY sum DESC, job, resource"
        ),
        [job, resources, lo, hi, *engine.lives.edges(lo, hi)],
    )


def _alongside(engine: Engine, table: Rollup, key: str, lo: int, hi: int) -> str:
    rows = lived_sql(engine.stored(table, lo, hi), 5)
    return _NEIGHBOUR.format(rows=rows, key=key)


def _rollup_of(metric: str) -> tuple[Rollup, str]:
    """Return the rollup table that contains a metric, and its column of resources."""
    known = BY_ID.get(metric)
    if known is None:
        near = difflib.get_close_matches(metric, BY_ID, n=3, cutoff=0.5)
        hint = f"Did you mean {' or '.join(near)}? " if near else ""
        raise JobError(
            f"There is no metric {metric!r}.",
            hint=f"{hint}docs/reference/metrics.md lists all metrics.",
        )
    if known.kind == "histogram":
        raise JobError(
            f"{metric} is a histogram and has no single value per slice.",
            hint="Use its counter (posix_read_ops, ...), or see `jostle digest`.",
        )
    table: Rollup = "rollup" if known.scope == "mount" else "node_rollup"
    return table, RESOURCE[table]


def _part(metric: str, part: str) -> str:
    """Return SQL of a sum, multiplied by the part (0 to 1) of the slice that is requested."""
    return (
        f"CASE WHEN {part} = 1 THEN {metric}_sum "
        f"ELSE round({metric}_sum * {part}::DOUBLE)::BIGINT END"
    )


def _summed(metric: str, part: str = "1") -> str:
    return (
        f"{total(_part(metric, part))} AS sum, "
        f"min(coalesce({metric}_min, 0)) AS min, max(coalesce({metric}_max, 0)) AS max, "
        f"{total('count')} AS count"
    )
