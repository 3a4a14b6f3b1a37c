"""Imports Darshan logs into a repository: each log once, in as few commits as possible."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from jostle.imports.darshan.finding import FoundLog, find_logs, identify
from jostle.imports.darshan.model import DarshanLog, UnusableLogError
from jostle.imports.darshan.mounts import KnownMounts, kind_of
from jostle.imports.darshan.pool import LogReaders
from jostle.imports.darshan.profiled import ProfiledJobs
from jostle.imports.darshan.rows import JobIdentity, LogRows, joined, rank_id, rows_of
from jostle.repository import Repository
from jostle.repository.writing import (
    TABLES,
    Change,
    ConflictError,
    JobNames,
    Log,
    PartitionChunk,
    Position,
    Reached,
    SliceBatch,
    file_chunks,
    partition_chunks,
    plain_errors,
    publish,
    write_chunks,
)
from jostle.values.plain_values import one_line

#: Rows of one commit. Fewer, larger commits make fewer files of each hour.
_MOST_ROWS = 3_000_000
_MOST_LOGS = 5_000
_ROUNDS = 5
#: How many logs are looked up at once.
_LOOK_UP = 10_000

#: Called with logs done, number of logs, and what is happening.
Progress = Callable[[int, int, str], None]


@dataclass
class DarshanReport:
    """Result of an import of Darshan logs.

    Attributes:
        logs: Number of logs that were found.
        imported: Number of logs that became jobs.
        known: Number of logs that the repository had already.
        profiled: Number of logs that were skipped, since the repository has profiles of the run.
        expired: Number of logs older than the repository's retention.
        set_aside: Logs that cannot be used and were skipped: file and reason.
        basis: Number of imported logs by the source of their times (basis, see names/basis.py).
        coarse: Number of imported logs whose clock is only precise to a second.
        mounts: For each shared mount of the imported jobs, the number of these jobs.
        commits: Number of commits.
        bytes_written: Bytes of the Parquet files written.
        seconds: Duration of the import, in seconds.
    """

    logs: int = 0
    imported: int = 0
    known: int = 0
    profiled: int = 0
    expired: int = 0
    set_aside: list[tuple[str, str]] = field(default_factory=list)
    basis: Counter[str] = field(default_factory=Counter)
    coarse: int = 0
    mounts: Counter[str] = field(default_factory=Counter)
    commits: int = 0
    bytes_written: int = 0
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON-compatible values."""
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__}
        plain["set_aside"] = [{"file": name, "reason": why} for name, why in self.set_aside]
        return plain | {"basis": dict(self.basis), "mounts": dict(self.mounts)}


@dataclass(frozen=True)
class _Item:
    """A log that is about to be published."""

    found: FoundLog
    who: JobIdentity
    rows: LogRows
    coarse: bool


class DarshanImport:
    """Imports logs into one repository."""

    def __init__(self, store: Repository, *, system: str = "darshan", workers: int = 2) -> None:
        """Create the import without reading any logs.

        Args:
            store: The repository.
            system: Batch system of the jobs: slurm, pbs, lsf; darshan where it is not known.
            workers: Number of processes that read logs.
        """
        self._root = store.path
        self._system = system
        self._workers = workers
        with plain_errors(self._root):
            self._home = self._root.stat().st_uid
        self._names = JobNames(self._home, lambda names: [])
        self._log = Log(self._root)
        self._known = _known_mounts(store)
        self._profiled = ProfiledJobs(store)

    def run(self, paths: Sequence[Path], progress: Progress | None = None) -> DarshanReport:
        """Import all logs that are new.

        Args:
            paths: Files, folders, and trees of dates.
            progress: Function that is called with the progress (see `Progress`).

        Raises:
            UsageError: A path does not exist or has no logs, or there is no package `darshan`.
            RepositoryError: The repository cannot be read or written.
        """
        begin = time.monotonic()
        report = DarshanReport()
        advance = progress or (lambda done, total, words: None)
        with plain_errors(self._root):
            found = find_logs(paths)
            report.set_aside += found.unread
            fresh = self._fresh(found.logs, report, advance)
            batch: list[_Item] = []
            rows = 0
            for item in self._read(fresh, report, advance):
                batch.append(item)
                rows += item.rows.count
                if rows >= _MOST_ROWS or len(batch) >= _MOST_LOGS:
                    self._publish(batch, report)
                    batch, rows = [], 0
            self._publish(batch, report)
        report.seconds = time.monotonic() - begin
        return report

    def _fresh(
        self, paths: Sequence[Path], report: DarshanReport, advance: Progress
    ) -> list[FoundLog]:
        """Return the logs that the repository does not have; of several copies, the first."""
        report.logs = len(paths)
        found: dict[str, FoundLog] = {}
        for number, path in enumerate(paths):
            advance(number, 2 * len(paths), "looking at files")
            try:
                each = identify(path)
            except (OSError, ValueError) as error:
                why = error.strerror if isinstance(error, OSError) else str(error)
                report.set_aside.append((str(path), why or "it cannot be read"))
                continue
            if each.digest in found:
                report.known += 1
            else:
                found[each.digest] = each
        state = self._log.refresh()
        done: set[int] = set()
        ids = {rank_id(digest, 0): digest for digest in found}
        keys = list(ids)
        for first in range(0, len(keys), _LOOK_UP):
            done |= state.done_of(keys[first : first + _LOOK_UP])
        report.known += len(done)
        return [found[digest] for key, digest in ids.items() if key not in done]

    def _read(
        self, found: Sequence[FoundLog], report: DarshanReport, advance: Progress
    ) -> Iterator[_Item]:
        by_path = {each.path: each for each in found}
        if not by_path:
            return
        horizon = self._log.state.horizon_ns
        before = report.logs
        number = 0
        with LogReaders(max(1, min(self._workers, len(by_path)))) as readers:
            for path, log in readers.read(list(by_path)):
                number += 1
                advance(before + number, before + len(by_path), f"{report.imported} jobs")
                item = self._item(by_path[path], log, horizon, report)
                if item is not None:
                    yield item

    def _item(
        self, found: FoundLog, log: DarshanLog | str, horizon: int, report: DarshanReport
    ) -> _Item | None:
        """Convert a log to rows, or return None if it must not be imported."""
        if isinstance(log, str):
            report.set_aside.append((str(found.path), one_line(log)[:300]))
            return None
        if log.file != found.file:  # else a link to another's file could vouch for one's own
            report.set_aside.append((str(found.path), "it was replaced while it was read"))
            return None
        if log.end_ns <= horizon:
            report.expired += 1
            return None
        if self._profiled.has(str(log.job_id), log.uid, log.start_ns, log.end_ns):
            report.profiled += 1
            return None
        owner = self._owner(found, log)
        plain = f"{self._system}-{log.job_id}-w{found.digest[:8]}"
        job = self._names.name(owner, plain, log.start_ns, log.end_ns)
        who = JobIdentity(job, owner, found.digest, self._known)
        try:
            rows = rows_of(log, who)
        except (ValueError, IndexError, UnusableLogError, MemoryError) as error:
            # RATIONALE: a log that causes an error must not stop the import of others.
            why = f"its content cannot be used ({type(error).__name__}: {error})"
            report.set_aside.append((str(found.path), one_line(why)[:300]))
            return None
        return _Item(found, who, rows, log.clock_error_us > 0)

    def _owner(self, found: FoundLog, log: DarshanLog) -> int:
        """Return the uid of the user whose job a log describes.

        If root or the importing user owns the file (an archive or a copy), this is the uid recorded
        in the log. Else it is the owner of the file, so that no user can forge the log of another.
        """
        trusted = found.owner in (0, self._home, os.geteuid())
        return log.uid if trusted else found.owner

    def _publish(self, batch: Sequence[_Item], report: DarshanReport) -> None:
        """Commit the rows of some logs: all of them, or none."""
        left = list(batch)
        for _ in range(_ROUNDS):
            state = self._log.refresh()
            done = state.done_of([item.who.log_id for item in left])
            report.known += len(done)
            left = [item for item in left if item.who.log_id not in done]
            if not left:
                return
            files = write_chunks(self._root, _chunks([item.rows for item in left]))
            advance: dict[int, tuple[Position, Reached]] = {}
            for item in left:
                advance[item.who.log_id] = (Position(), max(item.rows.end_ns, 1))
            try:
                publish(self._root, self._log, Change("ingest", files, [], advance))
            except ConflictError:
                continue  # another process imports the same logs: check again
            report.commits += 1
            report.bytes_written += sum(file.bytes for file in files)
            for item in left:
                _count(item, report)
            return


def _count(item: _Item, report: DarshanReport) -> None:
    report.imported += 1
    report.basis[item.rows.basis] += 1
    report.coarse += item.coarse
    report.mounts.update({row["mount"] for row in item.rows.mounts if row["shared"]})


def _chunks(rows: Sequence[LogRows]) -> Iterator[PartitionChunk]:
    """Return the rows of several logs as chunks of the repository's tables."""
    tables = joined(rows)
    sources = [source for each in rows for source in each.sources]
    index = np.arange(max(len(sources), 1), dtype=np.int64)
    batch = SliceBatch(sources, index, tables["slices"], tables["mount_slices"])
    yield from partition_chunks(batch)
    yield from file_chunks(tables["files"], index, sources, [True] * len(sources))
    yield PartitionChunk("processes", pa.concat_tables([each.processes for each in rows]), 0, 0)
    mounts = [row for each in rows for row in each.mounts]
    if mounts:
        schema = pa.schema(list(TABLES["mounts"].keys.items()))
        yield PartitionChunk("mounts", pa.Table.from_pylist(mounts, schema), 0, 0)


def _known_mounts(store: Repository) -> KnownMounts:
    """Return the shared mounts in profiles, by path and kind, where only one mount has these."""
    rows = store.query(
        "SELECT path, type, min(mount) AS mount FROM mounts WHERE shared AND source <> path "
        "GROUP BY path, type HAVING count(DISTINCT mount) = 1"
    ).to_pylist()
    return {(row["path"], kind_of(row["type"])): row["mount"] for row in rows}
