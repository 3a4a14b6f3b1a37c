"""Cuts slices to the run time of their jobs (the job's *life*, from its start to its end).

A slice of 4 s may contain the last second of one job and the first second of the next. If slices
were not cut, these two jobs would count as concurrent, and their loads would be spread over time in
which they did not run.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.repository.store.layout import MAX_SLICE_NS
from jostle.values.arrow_columns import ints

if TYPE_CHECKING:
    from jostle.repository.query.engine import Engine  # a type only: the engine makes a Lives

Ints = NDArray[np.int64]
#: Start and end, ns since the epoch.
Life = tuple[int, int]
FOR_EVER: Life = (0, 2**63 - 1)

_LIVES = f"""
SELECT job, coalesce(min(start_ns), 0) AS lo,
       CASE WHEN bool_and(complete) AND max(over_ns) > 0 THEN max(over_ns)
            ELSE {FOR_EVER[1]} END AS hi
FROM ({{kinds}}) GROUP BY job
"""


class Lives:
    """The lives of a repository's jobs, read again only when its processes have changed."""

    def __init__(self, engine: Engine) -> None:
        """Create the object without reading any files."""
        self._engine = engine
        self._guard = threading.Lock()
        self._files: list[str] | None = None
        self._known: dict[str, Life] = {}
        self._edges: list[Ints] = []  # starts and ends, in the order of known

    def known(self) -> dict[str, Life]:
        """Return the life of each job; running jobs have no end yet."""
        self._engine.refresh()
        files = [
            file.path
            for name in ("processes", "process_kinds")
            for file in self._engine.files(name)
        ]
        with self._guard:
            if files != self._files:
                rows = self._engine.ask(
                    lambda: _LIVES.format(kinds=self._engine.source("process_kinds"))
                )
                jobs, begins, ends = (rows[name].to_pylist() for name in ("job", "lo", "hi"))
                self._known = dict(zip(jobs, zip(begins, ends, strict=True), strict=True))
                self._edges = [ints(rows, name) for name in ("lo", "hi")]
                self._files = files
            return self._known

    def edges(self, lo: int, hi: int) -> tuple[list[str], list[int], list[int]]:
        """Return the jobs that began or ended in a span (ns): names, starts and ends."""
        lo, hi = lo - MAX_SLICE_NS, hi + MAX_SLICE_NS
        self.known()
        with self._guard:
            known, edges = self._known, self._edges
        near = np.logical_or.reduce([(lo <= edge) & (edge <= hi) for edge in edges])
        names = list(known)
        jobs = [names[at] for at in np.flatnonzero(near)]
        return jobs, [known[job][0] for job in jobs], [known[job][1] for job in jobs]

    def clip(
        self, jobs: Sequence[str], start: Ints, length: Ints, codes: NDArray[np.integer]
    ) -> tuple[Ints, Ints]:
        """Cut slices to the lives of their jobs.

        Args:
            jobs: Names of the jobs.
            start: Starts of slices, in ns.
            length: Lengths of the slices, in ns.
            codes: Index of each slice's job in the names.
        """
        return clip(self.known(), jobs, start, length, codes)


def clip(
    known: Mapping[str, Life],
    jobs: Sequence[str],
    start: Ints,
    length: Ints,
    codes: NDArray[np.integer],
) -> tuple[Ints, Ints]:
    """Cut slices to the lives of their jobs (see Lives.clip), with given lives."""
    lives = np.array([known.get(job, FOR_EVER) for job in jobs] or [FOR_EVER], dtype=np.int64)
    return cut(start, length, lives[codes, 0], lives[codes, 1])


def cut(start: Ints, length: Ints, lo: Ints | int, hi: Ints | int) -> tuple[Ints, Ints]:
    """Cut spans at two instants; a span that is completely outside of these stays unchanged.

    Valid records may be outside of their job's life if a clock was set.
    """
    begin, end = np.maximum(start, lo), np.minimum(start + length, hi)
    some = end > begin
    return np.where(some, begin, start), np.where(some, end - begin, length)


def spans(table: pa.Table) -> tuple[Ints, Ints]:
    """Return start and length (ns) of slices, clipped to the lives of their jobs."""
    if "start_ns" in table.column_names:
        start, length = (ints(table, name) for name in ("start_ns", "length_ns"))
        return start, length
    length = ints(table, "slice_ns")
    return ints(table, "slice") * length, length


def lived(table: pa.Table, lives: Lives) -> pa.Table:
    """Add start and length of slices, cut to the lives of their jobs.

    Args:
        table: Columns job, slice and slice_ns.
        lives: The lives of the jobs.

    Returns:
        The table with columns start_ns and length_ns.
    """
    return lived_of(table, lives.known())


def lived_of(table: pa.Table, known: Mapping[str, Life]) -> pa.Table:
    """Add start and length of slices (see `lived`), from the lives of the jobs by name."""
    jobs = table.column("job").combine_chunks().dictionary_encode()
    start, length = spans(table)
    names = jobs.dictionary.to_pylist()
    start, length = clip(known, names, start, length, jobs.indices.to_numpy())
    return table.append_column("start_ns", pa.array(start)).append_column(
        "length_ns", pa.array(length)
    )


def lived_sql(rows: str, lives: int) -> str:
    """Return SQL for rows with slices cut to lives: with columns start_ns, length_ns.

    Args:
        rows: SQL of a table with columns job, slice and slice_ns.
        lives: Number of the first of three parameters, the lists from `Lives.edges`.
    """
    whole = "slice * slice_ns"
    return f"""(
    SELECT * EXCLUDE (from_ns, until_ns),
           CASE WHEN until_ns > from_ns THEN from_ns ELSE {whole} END AS start_ns,
           CASE WHEN until_ns > from_ns THEN until_ns - from_ns ELSE slice_ns END AS length_ns
    FROM (SELECT r.*, greatest({whole}, coalesce(life.lo, 0)) AS from_ns,
                 least({whole} + slice_ns, coalesce(life.hi, {FOR_EVER[1]})) AS until_ns
          FROM {rows} AS r LEFT JOIN (
              SELECT unnest(${lives}::VARCHAR[]) AS job, unnest(${lives + 1}::BIGINT[]) AS lo,
                     unnest(${lives + 2}::BIGINT[]) AS hi) AS life USING (job)))"""
