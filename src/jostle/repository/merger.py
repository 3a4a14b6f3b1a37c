"""Merges a job's segments out of the repository's files, and remembers those of jobs that are over.

A job of many ranks may have gigabytes of them: what must be seen as a whole (boundaries) is loaded
at once, the counts a few columns at a time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import pyarrow as pa

from jostle.reader import SEGMENT_VALUES
from jostle.repository.merge import KEYS, merge_world
from jostle.repository.query import Engine
from jostle.repository.types import JobSegments
from jostle.repository.worlds import find_worlds

_KEPT_JOBS = 4
_VALUES_AT_ONCE = 8


class Merger:
    """Merges the segments of jobs of one repository."""

    def __init__(self, engine: Engine, window: Callable[[str], tuple[int, int]]) -> None:
        """Starts with nothing.

        Args:
            engine: Answers questions to the repository.
            window: Gives the span of time in which a job ran, ns.
        """
        self._engine = engine
        self._window = window
        self._guard = threading.Lock()
        self._kept: dict[str, tuple[object, JobSegments]] = {}

    def rows(self, job: str) -> pa.Table:
        """Gives a job's rows of table segments, by process and number."""
        return next(self._rows(job, ["*"]))

    def _rows(
        self, job: str, columns: Sequence[str], processes: Sequence[int] = ()
    ) -> Iterator[pa.Table]:
        """Gives the same rows several times, with other columns each time.

        Args:
            job: The job.
            columns: Of each time.
            processes: Only of these; none named: of all.
        """
        window = self._window(job)
        source = ""

        def question(names: str) -> str:
            nonlocal source
            source = source or self._engine.source("segments", *window)
            return (
                f"SELECT {names} FROM ({source}) WHERE job = $1 "
                "AND (len($2) = 0 OR list_contains($2, process)) ORDER BY process, number"
            )

        for names in columns:
            # RATIONALE: the list of files is that of the first time, so that rows are the same
            # though somebody ingests; files that a compaction takes out stay for 15 minutes.
            yield self._engine.ask(partial(question, names), [job, list(processes)])

    def job(self, job: str) -> JobSegments:
        """Gives the segments of a job, merged over the ranks of each of its worlds."""
        processes = self._engine.query("SELECT * FROM processes WHERE job = ?", [job])
        revisions = (processes[name].to_pylist() for name in ("process", "revision"))
        state = sorted(zip(*revisions, strict=True))
        over = all(processes["complete"].to_pylist())
        with self._guard:
            kept = self._kept.get(job)
        if kept is not None and over and kept[0] == state:
            return kept[1]
        result = self._merged(job, processes)
        if over:
            with self._guard:
                self._kept.pop(job, None)
                self._kept[job] = (state, result)
                while len(self._kept) > _KEPT_JOBS:
                    del self._kept[next(iter(self._kept))]
        return result

    def _merged(self, job: str, processes: pa.Table) -> JobSegments:
        worlds = find_worlds(processes)
        if not worlds:
            return JobSegments(job, ())
        tokens = self._engine.query("SELECT * FROM tokens WHERE job = ?", [job])
        values = [SEGMENT_VALUES[at : at + _VALUES_AT_ONCE]
                  for at in range(0, len(SEGMENT_VALUES), _VALUES_AT_ONCE)]  # fmt: skip
        merged = []
        for world in worlds:
            parts = self._rows(job, [", ".join(names) for names in (KEYS, *values)],
                               world.processes)  # fmt: skip
            rows = next(parts)
            merged.append(merge_world(world, rows, tokens, parts))
        return JobSegments(job, tuple(merged))
