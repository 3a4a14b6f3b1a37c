"""Merges a job's segments from the repository's files and caches those of finished jobs.

A job of many ranks may have gigabytes of segments: they are read a few ranks at a time, and results
of long merges are cached in a file (merge_cache.py).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from jostle.repository.query.engine import Engine
from jostle.repository.segments import merge_cache as copies
from jostle.repository.segments.merge import merge_world
from jostle.repository.segments.rows import counts_work
from jostle.repository.segments.worlds import MpiWorld, find_worlds
from jostle.repository.types import JobSegments, WorldSegments
from jostle.values.arrow_columns import ints

_KEPT_JOBS = 4
_ROWS_AT_ONCE = 1 << 21  # of some 45 columns: 700 MB


class Merger:
    """Merges the segments of jobs of one repository."""

    def __init__(self, engine: Engine) -> None:
        """Create the object without reading any files.

        Args:
            engine: The query engine.
        """
        self._engine = engine
        self._guard = threading.Lock()
        self._kept: dict[str, tuple[object, JobSegments]] = {}

    def rows(self, job: str) -> pa.Table:
        """Return a job's rows of table segments, by process and number."""
        window = self._engine.window(job)
        return self._engine.ask(
            lambda: (
                f"SELECT * FROM ({self._engine.source('segments', *window)}) WHERE job = ? "
                "ORDER BY process, number"
            ),
            [job],
        )

    def job(self, job: str, without: Sequence[str] = ()) -> JobSegments:
        """Return the segments of a job, merged over the ranks of each of its worlds.

        Args:
            job: The job.
            without: Columns that the result may lack, if it is found faster without them.
        """
        processes = self._processes(job)
        revisions = (processes[name].to_pylist() for name in ("process", "revision"))
        state = sorted(zip(*revisions, strict=True))
        over = all(processes["complete"].to_pylist())
        with self._guard:
            kept = self._kept.get(job)
        if kept is not None and over and kept[0] == state:
            return kept[1]
        worlds = [
            self._world(job, world, processes if over else None, without)
            for world in find_worlds(processes)
        ]
        result = JobSegments(
            job, tuple(_work_alone(world_segments, processes) for world_segments, _ in worlds)
        )
        if over and all(whole for _, whole in worlds) and not self._engine.missing():
            with self._guard:
                self._kept.pop(job, None)
                self._kept[job] = (state, result)
                while len(self._kept) > _KEPT_JOBS:
                    del self._kept[next(iter(self._kept))]
        return result

    def _processes(self, job: str) -> pa.Table:
        window = self._engine.window(job)
        return self._engine.ask(
            lambda: f"SELECT * FROM ({self._engine.source('processes', *window)}) WHERE job = ?",
            [job],
        )

    def keep(self, job: str) -> bool:
        """Merge an ended job in advance for later queries; return whether it has ended."""
        processes = self._processes(job)
        over = all(processes["complete"].to_pylist())
        for world in find_worlds(processes) if over else []:
            self._world(job, world, processes, ())
        return over

    def _world(
        self, job: str, world: MpiWorld, processes: pa.Table | None, without: Sequence[str]
    ) -> tuple[WorldSegments, bool]:
        """Return a world's segments, from their cached file if there is one.

        Args:
            job: The job.
            world: The world.
            processes: Processes of the job if it has ended; None: it runs, so that no file is
                cached.
            without: Columns that the result may lack.

        Returns:
            The segments, and whether they have all columns.
        """
        root, stem, key = self._engine.root, "", ""
        if processes is not None:
            begin = self._engine.window(job)[0]
            horizon = self._engine.log.state.horizon_ns
            stem = copies.stem_of(job, begin, world.number)
            key = copies.key_of(world, processes, horizon if horizon > begin else 0)
            copy = copies.load(root, stem, key, without)
            if copy is not None:
                return copy, not without
        reader = _Reader(self._engine, job, self._engine.window(job), world.processes)
        tokens = self._engine.query("SELECT * FROM tokens WHERE job = ?", [job])
        merged = merge_world(world, reader.read, tokens)
        is_worth = sum(merged.rank_segments) >= copies.WORTH_ROWS
        if key and is_worth and not self._engine.missing():
            copies.save(root, stem, key, merged)
        return merged, True


def _work_alone(world: WorldSegments, processes: pa.Table) -> WorldSegments:
    """Remove `flops` if it counts no work: rows of older versions may have any PAPI event there."""
    names = dict(
        zip(*(processes[name].to_pylist() for name in ("process", "papi_names")), strict=True)
    )
    some = [name for name in world.segments.column_names if name.startswith("flops")]
    if not some or all(counts_work(names.get(process)) for process in world.processes):
        return world
    segments = world.segments
    for name in some:
        at = segments.column_names.index(name)
        none = pa.array(np.zeros(segments.num_rows, dtype=np.int64)).cast(segments.field(at).type)
        segments = segments.set_column(at, name, none)
    return replace(world, segments=segments)


class _Reader:
    """Reads the segments of some processes, a few of them at a time."""

    def __init__(
        self, engine: Engine, job: str, window: tuple[int, int], processes: Sequence[int]
    ) -> None:
        self._engine = engine
        self._job = job
        self._window = window
        self._source = ""
        self._missing: set[str] = set()
        counts = self._ask("process, count(*) AS number", list(processes), "GROUP BY process")
        pairs = zip(counts["process"].to_pylist(), counts["number"].to_pylist(), strict=True)
        self._groups: list[list[int]] = []
        held = _ROWS_AT_ONCE
        for process, number in sorted(pairs):
            if held + number > _ROWS_AT_ONCE:
                self._groups.append([])
                held = 0
            self._groups[-1].append(process)
            held += number

    def _ask(self, columns: str, processes: list[int], more: str = "") -> pa.Table:
        def question() -> str:
            # RATIONALE: the list of files is that of the first time, so that rows stay the same
            # during ingests; files that a compaction removes stay for 15 minutes.
            if not self._source or self._engine.missing() - self._missing:
                self._missing = self._engine.missing()
                self._source = self._engine.source("segments", *self._window)
            return (
                f"SELECT {columns} FROM ({self._source}) "
                f"WHERE job = $1 AND list_contains($2, process) {more}"
            )

        return self._engine.ask(question, [self._job, processes])

    def read(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Return columns of the segments, by process and number."""
        for processes in self._groups or [[]]:
            names = dict.fromkeys(("process", "number", *columns))
            rows = self._ask(", ".join(names), processes).combine_chunks()
            process, number = ints(rows, "process"), ints(rows, "number")
            ahead = np.diff(process) > 0
            ahead |= (np.diff(process) == 0) & (np.diff(number) > 0)
            if not ahead.all():  # RATIONALE: files are sorted, and sorting costs DuckDB more
                rows = rows.take(pa.array(np.lexsort((number, process))))
            yield rows
