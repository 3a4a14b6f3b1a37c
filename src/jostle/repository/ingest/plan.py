"""Plans one commit of an ingest: a batch of decoded files, validated one by one."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from jostle.reader import Decoded, FileTables, ProfileHeader, ReadResult
from jostle.repository.ingest.file_rows import file_chunks
from jostle.repository.ingest.spool import (
    Devices,
    HeaderPeek,
    profile_source,
    short_source,
    validate_source,
)
from jostle.repository.ingest.traffic_rows import traffic_chunks
from jostle.repository.segments.rows import DecodedSegments as Segments
from jostle.repository.segments.rows import segment_chunks
from jostle.repository.store.file_days import File
from jostle.repository.store.layout import TABLES
from jostle.repository.store.owner_names import JobNames
from jostle.repository.store.profile_positions import Position, Reached
from jostle.repository.store.tables import (
    Ints,
    PartitionChunk,
    ProcessSource,
    SliceBatch,
    ends,
    partition_chunks,
)
from jostle.repository.types import IngestReport

# Facts in the newest row of a process: numbers of mounts and GPUs, state of MPI, world.
Known = tuple[int, int, str]
#: Interval at which a running process's row is renewed (in its own time).
ROW_EVERY_NS = 60_000_000_000


@dataclass(frozen=True)
class ProcessStep:
    """Change of one process's position by its new slices."""

    source: ProcessSource
    base: Position
    to: Position | None
    with_row: bool

    @property
    def reached(self) -> Reached:
        """The profile's new position, and if it is complete, the end of its process, in ns."""
        if self.to is not None:
            return self.to
        return int((self.source.row["last_slice"] + 1) * self.source.slice_ns)


class Plan:
    """The content of one commit."""

    def __init__(
        self,
        devices: Devices,
        names: JobNames,
        decoded: Decoded,
        segments: Segments,
        files: FileTables,
        horizon_ns: int,
    ) -> None:
        self._devices = devices
        self._names = names
        self._decoded = decoded
        self.segments = segments
        self._files = files
        self._horizon_ns = horizon_ns
        count = len(decoded.results) + len(decoded.short_processes)
        self._source_index: Ints = np.full(max(count, 1), -1, dtype=np.int64)
        self._first, self._last = _spans(decoded, count)
        self.steps: list[ProcessStep] = []
        self.warnings: list[str] = []
        self.written: dict[int, Known] = {}
        self.finished: set[int] = set()
        self.expired: set[int] = set()
        # A process whose segments could not be read is refused: it would count as complete.
        self.refused = segments.unread()
        self.refused |= files.unread
        self.advanced: set[int] = set()
        #: By number: processes that still run, and the positions of their profiles afterwards.
        self.running: dict[int, tuple[ProcessSource, Position]] = {}
        self.ended: Counter[str] = Counter()
        self.warnings += [f"{error} {error.hint}".strip() for error in files.errors.values()]
        for read in segments.reads.values():
            if read.request.origin is not None and read.request.origin.is_coming:
                continue
            self.warnings += read.warnings
            if read.error is not None and read.error.passing:
                self.warnings.append(f"{read.error} {read.error.hint}")
        for result in decoded.results:
            if result.request.origin is not None and result.request.origin.is_coming:
                continue
            self.warnings += result.warnings
            if result.error is not None:
                self.warnings.append(f"{result.error} {result.error.hint}".strip())

    def has_more(self, number: int) -> bool:
        """Return whether reading a file stopped at the limit of rows and must continue."""
        result = self._decoded.results[number]
        complete = result.complete and self.segments.complete(number)
        return not complete and result.error is None and number not in self.refused

    def add_profile(
        self,
        item: HeaderPeek,
        number: int,
        result: ReadResult,
        base: Position,
        written: dict[int, Known],
    ) -> None:
        """Plan the new slices of a profile."""
        if number in self.refused:
            return
        header = result.header
        assert isinstance(header, ProfileHeader)
        job = self._names.name(header.uid, header.job, *item.span)
        source = profile_source(header, self._devices, self._names, job)
        if source.process != item.process:  # another file has this name now: the next pass reads it
            self.refused.add(number)
            if item.process is None:
                self.warnings.append(
                    f"{item.path} could not be read now; it will be ingested later."
                )
            return
        self._devices.learn(header)
        if self._refused(number, source, header.first_slice):
            return
        # The reader takes the remainder only if the process had ended before.
        final = result.complete and is_over(item, header) and self.segments.complete(number)
        has_rows = self._last[number] >= self._first[number]
        last = self._last[number] if has_rows else header.first_slice
        last = max(last, base.row_slice, header.first_slice, *_seen_slices(header))
        known = _known(source)
        due = (last - base.row_slice) * source.slice_ns >= ROW_EVERY_NS
        with_row = final or base.revision == 0 or due or written.get(source.process) != known
        segments = self.segments.rows(number)
        source.row |= {
            "first_slice": header.first_slice,
            "last_slice": last,
            "records": result.records_read,
            "warnings": result.warnings,
            "complete": final,
        }
        if not (has_rows or segments or with_row):
            self.running[number] = source, base
            return
        if final and self._expired(source, last):
            return
        row_slice = last if with_row else base.row_slice
        entries = self.segments.entries(number, base.entries)
        to = Position(result.records_read, base.revision + 1, row_slice, entries)
        if final and source.row.get("world_size"):
            self.ended[job] += entries
        if not final:
            self.running[number] = source, to
        self._take(number, source, base, None if final else to, with_row=with_row)

    def add_shorts(
        self, result: ReadResult, done_of: Callable[[Collection[int]], set[int]]
    ) -> None:
        """Plan those short-lived processes of a file that are not yet in the repository.

        Args:
            result: Result of reading the file.
            done_of: Function that returns those of some ids of processes that are in the
                repository.
        """
        first, count = result.short_processes
        sources = []
        for short in self._decoded.short_processes[first : first + count]:
            if short.record < result.request.from_record:
                continue
            life = (short.start_ns, max(short.end_ns, short.start_ns))
            job = self._names.name(short.uid, short.header.job, *life)
            sources.append((short, short_source(short, self._devices, self._names, job)))
        done = done_of([source.process for _, source in sources])
        for short, source in sources:
            number = short.process
            if source.process in done or source.process in self.advanced:
                continue
            if self._refused(number, source, short.start_ns // max(source.slice_ns, 1)):
                continue
            last = max(short.end_ns, short.start_ns) // source.slice_ns
            if self._expired(source, last):
                continue
            source.row |= {
                "first_slice": short.start_ns // source.slice_ns,
                "last_slice": last,
                "records": 1,
                "warnings": [],
            }
            self._take(number, source, Position(), None, with_row=True)

    def _expired(self, source: ProcessSource, last: int) -> bool:
        """Return whether an ended process is completely before the retention horizon."""
        gone = (last + 1) * source.slice_ns <= self._horizon_ns
        if gone:
            self.expired.add(source.process)
        return gone

    def _refused(self, number: int, source: ProcessSource, first: int) -> bool:
        known = self._last[number] >= self._first[number]
        span = (self._first[number], self._last[number]) if known else (first, first)
        segments = self.segments.span(number)
        problem = validate_source(source, min(first, span[0]), max(first, span[1]), segments)
        if problem:
            self.warnings.append(problem)
            self.refused.add(number)
        return bool(problem)

    def _take(
        self,
        number: int,
        source: ProcessSource,
        base: Position,
        to: Position | None,
        *,
        with_row: bool,
    ) -> None:
        self._source_index[number] = len(self.steps)
        revision = base.revision + 1
        self.steps.append(ProcessStep(source, base, to, with_row))
        source.row["revision"] = revision
        self.advanced.add(source.process)
        if to is None:
            self.finished.add(source.process)
        if with_row:
            self.written[source.process] = _known(source)

    def report(self, files: Sequence[File]) -> IngestReport:
        """Return the numbers of the commit that published `files`."""
        rows = dict.fromkeys(TABLES, 0)
        for file in files:
            rows[file.table] += file.rows
        return IngestReport(
            processes=sum(step.base.revision == 0 for step in self.steps),
            finished=sum(step.to is None for step in self.steps),
            slices=rows["slices"],
            mount_slices=rows["mount_slices"],
            segments=rows["segments"],
            commits=1,
            bytes_written=sum(file.bytes for file in files),
        )

    def advance(self) -> dict[int, tuple[Position, Reached]]:
        """Return the new positions, as a commit takes them."""
        return {step.source.process: (step.base, step.reached) for step in self.steps}

    def chunks(self) -> Iterable[PartitionChunk]:
        """Return the rows of all tables."""
        sources = [step.source for step in self.steps]
        batch = SliceBatch(
            sources,
            self._source_index,
            self._decoded.slices,
            self._decoded.mount_slices,
            self._decoded.bits,
            self._decoded.gpu_slices,
        )
        yield from partition_chunks(batch, self._horizon_ns)
        yield from traffic_chunks(self._decoded, self._source_index, sources, self._horizon_ns)
        over = [step.to is None for step in self.steps]
        yield from file_chunks(self._files.rows, self._source_index, sources, over)
        if self.segments.result is not None:
            yield from segment_chunks(
                self.segments.result, self._source_index, sources, over, self._horizon_ns
            )
        rows = [step.source.row for step in self.steps if step.with_row]
        if rows:
            yield PartitionChunk(
                "processes", pa.Table.from_pylist(rows, _schema("processes")), 0, 0
            )
        sources = [step.source for step in self.steps if step.with_row]
        yield from _named("mounts", [row for source in sources for row in source.mount_rows])
        yield from _named("gpus", [row for source in sources for row in source.gpu_rows])


def _named(table: str, rows: Sequence[dict[str, Any]]) -> Iterable[PartitionChunk]:
    """Return the distinct rows of a table of names."""
    distinct = {tuple(row.values()): row for row in rows}
    if distinct:
        named = pa.Table.from_pylist(list(distinct.values()), _schema(table))
        yield PartitionChunk(table, named, 0, 0)


def _known(source: ProcessSource) -> Known:
    row, names = source.row, len(source.mount_rows) + len(source.gpu_rows)
    return names, row.get("mpi_state") or 0, row.get("world") or ""


def is_over(item: HeaderPeek, header: ProfileHeader) -> bool:
    """Return whether a process had ended before its profile was read."""
    # Segments are read before slices: the last ones of a process that died in between are missing.
    return item.final or (header.alive is False and not item.segments)


def _schema(table: str) -> pa.Schema:
    return pa.schema(list(TABLES[table].keys.items()))


def _seen_slices(header: ProfileHeader) -> list[int]:
    """Return the slices in which a process certainly ran."""
    if not header.slice_ns:
        return [0]
    latest = max(header.end_ns, min(header.newest_ns, time.time_ns()))
    return [latest // header.slice_ns]


def _spans(decoded: Decoded, count: int) -> tuple[list[int], list[int]]:
    """Find the first and last slice of each process number; the last is smaller without rows."""
    first = np.full(max(count, 1), np.iinfo(np.int64).max, dtype=np.int64)
    last = np.full(max(count, 1), np.iinfo(np.int64).min, dtype=np.int64)
    for rows in (
        decoded.slices,
        decoded.peer_slices,
        decoded.collective_slices,
        decoded.gpu_slices,
    ):
        if not rows.num_rows:
            continue
        process = rows.column("process").to_numpy()
        slices = rows.column("slice").to_numpy()
        after = ends(slices, rows.column("span").to_numpy())
        np.minimum.at(first, process, slices)
        np.maximum.at(last, process, after - 1)
    return first.tolist(), last.tolist()
