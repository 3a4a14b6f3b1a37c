"""Ingest: from spools into the repository, each slice exactly once.

One pass looks at the head of every profile, decodes what is new in batches (two at a time, the
decoder and the Parquet writer both leave the interpreter's lock), writes the files of a batch
and publishes them with the new positions of its profiles in one commit. Killed before that
commit, nothing happened; after it, everything did.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from jostle.reader import (
    Decoded,
    ProfileHeader,
    ReadRequest,
    ReadResult,
    ShortsHeader,
    find_profiles,
    read_profiles,
    read_segments,
)
from jostle.repository.copies import WORTH_ROWS
from jostle.repository.errors import ConflictError, RepositoryError
from jostle.repository.files import publish, write_pieces
from jostle.repository.layout import TABLES
from jostle.repository.log import Change, File, Log, Position, open_marker
from jostle.repository.merger import Merger
from jostle.repository.names import JobNames
from jostle.repository.query import Engine
from jostle.repository.segments import Decoded as Segments
from jostle.repository.segments import segment_pieces
from jostle.repository.spool import (
    MAX_SLICE_NS,
    MIN_SLICE_NS,
    Devices,
    Glance,
    doubt,
    glance,
    profile_source,
    short_source,
    told_by_others,
)
from jostle.repository.tables import Batch, Ints, Piece, Source, pieces
from jostle.repository.types import IngestProgress, IngestReport

Progress = Callable[[IngestProgress], None]
# What the newest row of a process says that slices do not: mounts, state of MPI, world.
_Known = tuple[int, int, str]

_WORKERS = min((os.cpu_count() or 1) + 1, 8)  # one more than cores: they wait for the disk too
_BATCH_BYTES = 24 << 20
_LEAST_BATCH_BYTES = 4 << 20
_BATCH_FILES = 2000
_BATCH_ROWS = 1 << 19  # of both tables: some 400 MB at worst
_BATCH_SEGMENTS = 1 << 20
_ROW_BYTES = 160  # that merging takes: of 64 ranks with a million segments each 9.7 GB
# A running process's row in table processes is renewed this often (in its own time).
_ROW_EVERY_NS = 60_000_000_000


def most_rows() -> int:
    """Gives the rows of segments that are merged unasked: in a quarter of the machine's memory."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4 // _ROW_BYTES


@dataclass(frozen=True)
class _Step:
    """What one process's new slices do to its position."""

    source: Source
    base: Position
    to: Position | None
    with_row: bool


@dataclass
class _Tally:
    """What a batch did so far: its report, files that gave something, records read of shorts."""

    report: IngestReport = field(default_factory=IngestReport)
    changed: set[Path] = field(default_factory=set)
    begun: dict[Path, int] = field(default_factory=dict)


class Ingester:
    """Ingests spools into one repository; remembers between passes what need not be read."""

    def __init__(self, root: Path, *, remove: bool = False) -> None:
        open_marker(root)
        self._root = root
        self._remove = remove
        self._log = Log(root)
        self._guard = threading.Lock()
        self._devices = Devices()
        self._settled: dict[Path, tuple[int, int, int]] = {}
        self._shorts: dict[Path, tuple[int, int]] = {}
        self._over: set[Path] = set()
        self._written: dict[int, _Known] = {}
        self._names = JobNames(self._named)
        self._segments: Counter[str] = Counter()  # of jobs, in processes that ended
        self.shortest_slice_ns = 4_000_000_000

    def run(self, paths: Sequence[Path], progress: Progress | None = None) -> IngestReport:
        """Makes one pass over spools.

        Args:
            paths: Folders and files.
            progress: Called after every batch.

        Raises:
            ProfileError: A folder cannot be read.
            RepositoryError: The repository cannot be read or written.
        """
        begin = time.monotonic()
        report = IngestReport()
        found = find_profiles(paths)
        report.profiles = len(found)
        todo = self._news(found, report)
        skipped = len(found) - len(todo)
        profiles = [item for item in todo if item.process is not None]
        shorts = [item for item in todo if item.process is None]
        done = skipped
        # Shorts last: their mounts are named by the profiles.
        for group in (profiles, shorts):
            with ThreadPoolExecutor(max_workers=_WORKERS) as pool:
                work = {pool.submit(self._batch, items): len(items) for items in _batches(group)}
                try:
                    for future in as_completed(work):
                        report.add(future.result())
                        done += work[future]
                        if progress is not None:
                            progress(IngestProgress(done, len(found), report.slices))
                except BaseException:
                    pool.shutdown(cancel_futures=True)
                    raise
        report.seconds = time.monotonic() - begin
        return report

    @property
    def large(self) -> dict[str, int]:
        """Jobs whose segments take long to merge, and how many rows they are."""
        with self._guard:
            return {job: rows for job, rows in self._segments.items() if rows >= WORTH_ROWS}

    def merge(self) -> None:
        """Merges the segments of large jobs that are over now, so that nobody waits: copies.py."""
        large = self.large
        merger = Merger(Engine(self._root, Log(self._root)))
        for job, rows in large.items():
            done = True  # what fails is not tried again
            # RATIONALE: whatever is wrong with one job's segments, ingest goes on for all others;
            # who asks for that job merges it then, and hears what is wrong. So it is with what
            # would fill the memory of the machine that ingests.
            with contextlib.suppress(Exception):
                done = rows > most_rows() or merger.keep(job)
            if done:
                with self._guard:
                    self._segments.pop(job, None)

    def _news(self, found: Iterable[Path], report: IngestReport) -> list[Glance]:
        """Looks at files and leaves out those that can hold nothing new."""
        found = list(found)
        twice = told_by_others(found)
        with self._guard:
            state = self._log.refresh()
            todo: list[Glance] = []
            seen: set[int] = set()
            slice_ns = [4_000_000_000]
            locked: list[Path] = []
            for path in found:
                if path in self._over:
                    continue
                if path in twice:
                    if self._remove:
                        self._remove_file(path, report)
                    continue
                try:
                    look = glance(path)
                except FileNotFoundError:
                    continue
                except PermissionError:
                    locked.append(path)
                    continue
                except OSError:
                    look = Glance(path, None, 0, False, 0, (0, 0, 0))  # the reader says why
                if path.suffix == ".jsp" and not look.final:
                    continue  # its process may still leave its own
                if not look.final and MIN_SLICE_NS <= look.slice_ns <= MAX_SLICE_NS:
                    slice_ns.append(look.slice_ns)
                if look.process is None:
                    if self._settled.get(path) != look.mark or look.mark == (0, 0, 0):
                        todo.append(look)
                elif look.process in state.done:
                    self._over.add(path)
                    if self._remove and look.final:
                        self._remove_file(path, report)
                elif look.process not in seen:
                    seen.add(look.process)
                    todo.append(look)
            self.shortest_slice_ns = min(slice_ns)
        self._names.learn((look.job, *look.span) for look in todo)
        _report_locked(locked, todo or self._over, report)
        return todo

    def _batch(self, items: Sequence[Glance]) -> IngestReport:
        """Ingests a batch of files, in as many commits as its rows need."""
        tally = _Tally()
        left = list(items)
        while left:
            with self._guard:
                state = self._log.refresh()
                left = [item for item in left if item.process not in state.done]
                base = [state.open.get(item.process or 0, Position()) for item in left]
                horizon = state.horizon_ns
            requests = [
                ReadRequest(
                    item.path, number, self._from(item, at, tally), _remainder(item), at.entries
                )
                for number, (item, at) in enumerate(zip(left, base, strict=True))
            ]
            segments = _read_segments(left, requests)
            # A process is complete when its last slice is taken: not before its segments are.
            requests = [request if segments.complete(request.process)
                        else replace(request, remainder=False) for request in requests]  # fmt: skip
            decoded = read_profiles(requests, _BATCH_ROWS)
            plan = _Plan(self._devices, self._names, decoded, segments, horizon)
            left = self._publish(left, base, decoded, plan, tally)
        tally.report.changed = len(tally.changed)
        return tally.report

    def _from(self, item: Glance, at: Position, tally: _Tally) -> int:
        if item.process is not None:
            return at.records
        inode, records = self._shorts.get(item.path, (0, 0))
        return max(tally.begun.get(item.path, 0), records if inode == item.mark[0] else 0)

    def _publish(
        self,
        items: Sequence[Glance],
        base: Sequence[Position],
        decoded: Decoded,
        plan: _Plan,
        tally: _Tally,
    ) -> list[Glance]:
        """Commits what was decoded; gives the files that have more."""
        for number, item in enumerate(items):
            result = decoded.results[number]
            if isinstance(result.header, ShortsHeader):
                with self._guard:
                    plan.add_shorts(result, self._log.state.done)
            elif isinstance(result.header, ProfileHeader):
                plan.add_profile(item, number, result, base[number], self._written)
        more = [item for number, item in enumerate(items) if plan.has_more(number)]
        if plan.steps:
            files = write_pieces(self._root, plan.pieces())
            change = Change("ingest", add=files, advance=plan.advance())
            try:
                with self._guard:
                    publish(self._root, self._log, change)
            except ConflictError:
                return list(items)  # plan anew from where the other one got to
            _count(tally.report, plan.steps, files)
            with self._guard:
                self._segments.update(plan.ended)
        tally.report.add(IngestReport(warnings=plan.warnings))
        self._settle(items, decoded.results, plan, tally)
        return more

    def _settle(
        self, items: Sequence[Glance], results: Sequence[ReadResult], plan: _Plan, tally: _Tally
    ) -> None:
        """Remembers what the next pass need not read; removes what is wholly published."""
        self._written |= plan.written
        for item, result in zip(items, results, strict=True):
            if result.slices[1] or result.mount_slices[1] or item.process in plan.advanced:
                tally.changed.add(item.path)
            if item.process is None and result.error is None:
                tally.begun[item.path] = result.records_read
                if result.complete:
                    self._shorts[item.path] = (item.mark[0], result.records_read)
                    self._settled[item.path] = item.mark
            if self._remove and item.process in plan.finished:
                self._remove_file(item.path, tally.report)

    def _named(self, jobs: list[str]) -> list[tuple[str, int, int]]:
        """Gives name, start and end of the jobs that were ever called one of some names."""
        rows = Engine(self._root, Log(self._root)).query(
            "SELECT job, start_ns, CASE WHEN running THEN $2 ELSE end_ns END AS end_ns FROM jobs "
            "WHERE list_contains($1, split_part(job, '@', 1))",
            [jobs, time.time_ns()],
        )
        return [(row["job"], row["start_ns"], row["end_ns"]) for row in rows.to_pylist()]

    def _remove_file(self, path: Path, report: IngestReport) -> None:
        with contextlib.suppress(OSError):
            path.unlink()
            report.removed += 1
        if path.suffix == ".jss":  # the runtime's mark of what it has told the job's user
            with contextlib.suppress(OSError):
                path.with_suffix(".said").unlink()


class _Plan:
    """What one commit will hold."""

    def __init__(
        self,
        devices: Devices,
        names: JobNames,
        decoded: Decoded,
        segments: Segments,
        horizon_ns: int,
    ) -> None:
        self._devices = devices
        self._names = names
        self._decoded = decoded
        self._segments = segments
        self._horizon_ns = horizon_ns
        count = len(decoded.results) + len(decoded.short_processes)
        self._place: Ints = np.full(max(count, 1), -1, dtype=np.int64)
        self._first, self._last = _spans(decoded, count)
        self.steps: list[_Step] = []
        self.warnings: list[str] = []
        self.written: dict[int, _Known] = {}
        self.finished: set[int] = set()
        self.refused: set[int] = set()
        self.advanced: set[int] = set()
        self.ended: Counter[str] = Counter()
        for read in segments.reads.values():
            self.warnings += read.warnings
        for result in decoded.results:
            self.warnings += result.warnings
            if result.error is not None:
                self.warnings.append(f"{result.error} {result.error.hint}".strip())

    def has_more(self, number: int) -> bool:
        """Tells whether reading a file stopped at the limit of rows and should go on."""
        result = self._decoded.results[number]
        complete = result.complete and self._segments.complete(number)
        return not complete and result.error is None and number not in self.refused

    def add_profile(
        self,
        item: Glance,
        number: int,
        result: ReadResult,
        base: Position,
        written: dict[int, _Known],
    ) -> None:
        """Plans the new slices of a profile."""
        header = result.header
        assert isinstance(header, ProfileHeader)
        job = self._names.name(header.job, *item.span)
        source = profile_source(header, self._devices, job)
        self._devices.learn(header)
        if self._refused(number, source, header.first_slice):
            return
        # The reader took the remainder only where the process was over before it read.
        final = result.complete and _is_over(item, header) and self._segments.complete(number)
        last = self._last[number] if result.slices[1] else header.first_slice
        last = max(last, base.row_slice, header.first_slice, *_seen_slices(header))
        known = _known(source)
        due = (last - base.row_slice) * source.slice_ns >= _ROW_EVERY_NS
        with_row = final or base.revision == 0 or due or written.get(source.process) != known
        segments = self._segments.rows(number)
        if not (result.slices[1] or result.mount_slices[1] or segments or with_row):
            return
        if final and self._expired(source, last):
            return
        source.row |= {
            "first_slice": header.first_slice,
            "last_slice": last,
            "records": result.records_read,
            "warnings": result.warnings,
            "complete": final,
        }
        row_slice = last if with_row else base.row_slice
        entries = self._segments.entries(number, base.entries)
        to = Position(result.records_read, base.revision + 1, row_slice, entries)
        if final and source.row.get("world_size"):
            self.ended[job] += entries
        self._take(number, source, base, None if final else to, with_row=with_row)

    def add_shorts(self, result: ReadResult, done: set[int]) -> None:
        """Plans the processes of a shorts file that are not yet in the repository."""
        first, count = result.short_processes
        for short in self._decoded.short_processes[first : first + count]:
            if short.record < result.request.from_record:
                continue
            life = (short.start_ns, max(short.end_ns, short.start_ns))
            job = self._names.name(short.header.job, *life)
            source = short_source(short, self._devices, job)
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

    def _expired(self, source: Source, last: int) -> bool:
        """Tells whether all of an ended process lies before the retention horizon."""
        gone = (last + 1) * source.slice_ns <= self._horizon_ns
        if gone:
            self.finished.add(source.process)
        return gone

    def _refused(self, number: int, source: Source, first: int) -> bool:
        known = self._last[number] >= self._first[number]
        span = (self._first[number], self._last[number]) if known else (first, first)
        segments = self._segments.span(number)
        problem = doubt(source, min(first, span[0]), max(first, span[1]), segments)
        if problem:
            self.warnings.append(problem)
            self.refused.add(number)
        return bool(problem)

    def _take(
        self, number: int, source: Source, base: Position, to: Position | None, *, with_row: bool
    ) -> None:
        self._place[number] = len(self.steps)
        revision = base.revision + 1
        self.steps.append(_Step(source, base, to, with_row))
        source.row["revision"] = revision
        self.advanced.add(source.process)
        if to is None:
            self.finished.add(source.process)
        if with_row:
            self.written[source.process] = _known(source)

    def advance(self) -> dict[int, tuple[Position, Position | None]]:
        """Gives the new positions, as a commit wants them."""
        return {step.source.process: (step.base, step.to) for step in self.steps}

    def pieces(self) -> Iterable[Piece]:
        """Gives the rows of all tables."""
        sources = [step.source for step in self.steps]
        batch = Batch(sources, self._place, self._decoded.slices, self._decoded.mount_slices)
        yield from pieces(batch, self._horizon_ns)
        if self._segments.result is not None:
            over = [step.to is None for step in self.steps]
            yield from segment_pieces(
                self._segments.result, self._place, sources, over, self._horizon_ns
            )
        rows = [step.source.row for step in self.steps if step.with_row]
        if rows:
            yield Piece("processes", pa.Table.from_pylist(rows, _schema("processes")), 0, 0)
        distinct = {tuple(row.values()): row for step in self.steps if step.with_row
                    for row in step.source.mount_rows}  # fmt: skip
        if distinct:
            mounts = pa.Table.from_pylist(list(distinct.values()), _schema("mounts"))
            yield Piece("mounts", mounts, 0, 0)


def _known(source: Source) -> _Known:
    row = source.row
    return len(source.mount_rows), row.get("mpi_state") or 0, row.get("world") or ""


def _is_over(item: Glance, header: ProfileHeader) -> bool:
    # Segments are read before slices: of a process that died in between the last are missing.
    return item.final or (header.alive is False and not item.segments)


def _read_segments(items: Sequence[Glance], requests: Sequence[ReadRequest]) -> Segments:
    wanted = [request for item, request in zip(items, requests, strict=True) if item.segments]
    if not wanted:
        return Segments(None, {})
    result = read_segments(wanted, _BATCH_SEGMENTS)
    return Segments(result, {read.request.process: read for read in result.results})


def _schema(table: str) -> pa.Schema:
    return pa.schema(list(TABLES[table].keys.items()))


def _seen_slices(header: ProfileHeader) -> list[int]:
    """Gives the slices in which a process is known to have lived."""
    if not header.slice_ns:
        return [0]
    latest = max(header.end_ns, min(header.heartbeat_ns, time.time_ns()))
    return [latest // header.slice_ns]


def _spans(decoded: Decoded, count: int) -> tuple[list[int], list[int]]:
    """Finds the first and last slice of each process number; the last is less without rows."""
    first = np.full(max(count, 1), np.iinfo(np.int64).max, dtype=np.int64)
    last = np.full(max(count, 1), np.iinfo(np.int64).min, dtype=np.int64)
    if decoded.slices.num_rows:
        process = decoded.slices.column("process").to_numpy()
        slices = decoded.slices.column("slice").to_numpy()
        end = slices + decoded.slices.column("span").to_numpy() - 1
        np.minimum.at(first, process, slices)
        np.maximum.at(last, process, end)
    return first.tolist(), last.tolist()


def _report_locked(
    locked: Sequence[Path], others: Collection[object], report: IngestReport
) -> None:
    """Says that profiles of other users were left out; fails when there are no others."""
    if not locked:
        return
    hint = "Profiles belong to the user who ran the program: be that user, or root."
    if not others:
        raise RepositoryError(f"No permission to read {_names(locked)}.", hint=hint)
    report.warnings.append(f"No permission to read {_names(locked)}; left out. {hint}")


def _names(paths: Sequence[Path]) -> str:
    more = f" and {len(paths) - 1} more profiles" if len(paths) > 1 else ""
    return f"{paths[0]}{more}"


def _remainder(item: Glance) -> bool | None:
    if item.segments:
        return item.final
    # None: the reader takes it from processes that it finds dead. A process on a machine that we
    # cannot ask counts as dead after a long silence.
    return True if item.final else None


def _batches(items: Sequence[Glance]) -> list[list[Glance]]:
    """Cuts the work so that every worker has some, and none holds too much at once."""
    share = sum(item.bytes for item in items) // (2 * _WORKERS)
    limit = min(max(share, _LEAST_BATCH_BYTES), _BATCH_BYTES)
    result: list[list[Glance]] = []
    size = 0
    for item in items:
        if not result or size + item.bytes > limit or len(result[-1]) >= _BATCH_FILES:
            result.append([])
            size = 0
        result[-1].append(item)
        size += item.bytes
    return result


def _count(report: IngestReport, steps: Sequence[_Step], files: Sequence[File]) -> None:
    rows = dict.fromkeys(TABLES, 0)
    for file in files:
        rows[file.table] += file.rows
    report.add(
        IngestReport(
            processes=sum(step.base.revision == 0 for step in steps),
            finished=sum(step.to is None for step in steps),
            slices=rows["slices"],
            mount_slices=rows["mount_slices"],
            segments=rows["segments"],
            commits=1,
            bytes_written=sum(file.bytes for file in files),
        )
    )
