"""Compaction and retention: merges small files and drops old ones."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from jostle.repository.errors import ConflictError, DamagedError, RepositoryError
from jostle.repository.maintenance.merge import LIVES, NAMES, merge, merged_chunks, rank
from jostle.repository.maintenance.settle import (
    KINDS,
    day_chunks,
    days_of,
    ends,
    settled_chunks,
    unsettled,
)
from jostle.repository.maintenance.tiers import FAN, WHOLE_BYTES, due, portions, small_files
from jostle.repository.maintenance.unseen_ends import ended, is_final, silent_ones, unseen
from jostle.repository.segments import merge_cache as copies
from jostle.repository.store.file_days import File
from jostle.repository.store.files import plain_errors, publish, write_chunks
from jostle.repository.store.layout import DAY_NS, HOUR_NS, TABLES
from jostle.repository.store.log import Log
from jostle.repository.store.marker import open_marker
from jostle.repository.store.profile_positions import Position, Reached
from jostle.repository.store.state import Change, RepositoryState
from jostle.repository.store.tables import Ints, PartitionChunk
from jostle.repository.types import CompactReport, ExpireReport

#: Number of unsettled rows from which on processes are settled, even if few files have the rows.
_MANY = 10_000
# A file that is in no commit is removed after this time; until then a reader may have it open, or
# an ingester may be about to commit it.
GRACE_S = 900.0
# Merged files are read often and written once, so a higher level than at ingest is worth its cost.
_LEVEL = 3
_RECENT_NS = 2 * DAY_NS
_ALL_EVERY_S = 3600.0


def compact(root: Path) -> CompactReport:
    """Merge all files of each partition that are below full size, and remove stray files."""
    open_marker(root)
    with plain_errors(root):
        compactor = Compactor(root)
        before = list(compactor.log.refresh())
        removed = compactor.remove_strays()  # on a full disk this frees space for merging
        while compactor.merge(small_files(compactor.log.state)):
            pass
        compactor.settle(2)
        after = list(compactor.log.refresh())
        return CompactReport(
            len(before),
            len(after),
            sum(file.bytes for file in before),
            sum(file.bytes for file in after),
            removed,
            tuple(compactor.damaged),
        )


class Compactor:
    """Compacts one repository repeatedly, concurrently with ingesters.

    Attributes:
        log: Commit log of the repository.
        damaged: Files that could not be read.
    """

    def __init__(self, root: Path) -> None:
        self.log = Log(root)
        self.damaged: list[str] = []
        self._root = root
        self._replaced: list[tuple[float, str]] = []
        self._all_at = 0.0

    def tend(self) -> None:
        """Merge the files that tiers.py selects.

        This checks partitions of the last two days; once an hour all of them, and stray files.
        """
        state = self.log.refresh()
        newest = min(state.newest_ns, time.time_ns())  # a node's clock may be fast
        files = [
            file
            for table in TABLES
            for file in (
                state.reaching(table, newest - _RECENT_NS, 2**63)
                if TABLES[table].partition_ns
                else state.of(table)
            )
        ]
        if time.monotonic() >= self._all_at:
            self._all_at = time.monotonic() + _ALL_EVERY_S
            self.remove_strays()
            files = list(state)
        self._remove_replaced()
        for members in small_files(files):
            self.merge(due(members, newest))
        self.settle(FAN)

    def settle(self, least: int) -> None:
        """Settle the ended processes (settle.py), if enough files or rows are not settled.

        Args:
            least: Least number of unsettled files.
        """
        files = unsettled(self.log.refresh())
        if len(files) >= least or sum(file.rows for file in files) > _MANY:
            with contextlib.suppress(ConflictError):
                self.damaged += _settle(self._root, self.log)

    def merge(self, groups: Iterable[Sequence[File]]) -> int:
        """Merge groups of files, each of one partition; return the decrease in number of files."""
        fewer = 0
        for group in groups:
            for files in portions(group):
                with contextlib.suppress(ConflictError):  # another process merged them
                    fewer += self._merge(files)
        return fewer

    def _merge(self, group: Sequence[File]) -> int:
        files = [file for file in group if file.path not in self.damaged]
        while len(files) > 1:
            try:
                chunks = merged_chunks(self._root, files, WHOLE_BYTES)
                new = write_chunks(self._root, chunks, _LEVEL, replaced=files)
            except DamagedError as error:
                self.damaged.append(error.file)
                files = [file for file in files if file.path != error.file]
                continue
            change = Change("compact", add=new, remove=[file.path for file in files])
            publish(self._root, self.log, change)
            self.log.storage.leave([file.path for file in files])
            self._replaced += [(time.time(), file.path) for file in files]
            return len(files) - len(new)
        return 0

    def _remove_replaced(self) -> None:
        """Remove merged files that no reader can have open any more."""
        while self._replaced and self._replaced[0][0] < time.time() - GRACE_S:
            self.log.storage.remove([self._replaced.pop(0)[1]])

    def remove_strays(self) -> int:
        """Remove files that are in no commit; return their number."""
        storage = self.log.storage
        names = list(storage.strays(self.log.state, GRACE_S, time.time()))
        storage.remove(names)
        return len(names)


def end_silent(root: Path, present: Collection[int]) -> None:
    """Mark processes as ended from which no more data arrives (unseen_ends.py).

    Args:
        root: The repository.
        present: Ids of processes whose profile is in a spool.
    """
    log = Log(root)
    files = unsettled(log.refresh())
    damaged: list[str] = []
    readable, rows = _readable(root, files, damaged)
    # With a damaged file the newest row of a process is not known.
    silent = silent_ones(rows, present) if readable and not damaged else []
    if silent:
        with contextlib.suppress(ConflictError):
            _rewrite(root, log, files, ended(root, rows, silent))


def _settle(root: Path, log: Log) -> list[str]:
    """Settle the ended processes (settle.py).

    Returns:
        Damaged files. If there is one, nothing is settled: it may have other rows of the same
        processes.
    """
    files = unsettled(log.state)
    damaged: list[str] = []
    readable, rows = _readable(root, files, damaged)
    if not damaged and (len(readable) > 1 or (readable and pc.any(is_final(rows)).as_py())):
        _rewrite(root, log, files, rows)
    return damaged


def _rewrite(root: Path, log: Log, files: Sequence[File], rows: pa.Table) -> None:
    """Replace all unsettled rows of each process by its newest row."""
    new = write_chunks(root, settled_chunks(rows, is_final(rows)), replaced=files)
    late = unseen(rows)
    late = {key: late[key] for key in late.keys() - log.state.done_of(late)}
    bases = log.state.positions(late)
    advance: dict[int, tuple[Position, Reached]] = {
        key: (base, late[key]) for key, base in zip(late, bases, strict=True)
    }
    paths = [file.path for file in files]
    publish(root, log, Change("compact", add=new, remove=paths, advance=advance))
    log.storage.leave(paths)


def _readable(
    root: Path, files: Sequence[File], damaged: list[str]
) -> tuple[Sequence[File], pa.Table]:
    """Merge the readable files of one table.

    Args:
        root: The repository.
        files: The files.
        damaged: List to which the paths of unreadable files are added.

    Returns:
        The files that were read, and their rows.
    """
    while files:
        try:
            return files, merge(root, files)
        except DamagedError as error:
            damaged.append(error.file)
            files = [file for file in files if file.path != error.file]
    return files, pa.table({})


def expire(root: Path, older_than_s: float, *, now_s: float | None = None) -> ExpireReport:
    """Remove files whose slices all ended before a horizon, and processes that ended before it.

    The horizon is a full hour; a file that extends beyond it stays until all of it is old.

    Args:
        root: The repository.
        older_than_s: Age of the horizon, seconds.
        now_s: Present time, seconds since the epoch; None: that of the system clock.
    """
    if older_than_s < 0:
        raise RepositoryError("An age cannot be negative.", hint="Try 30d.", exit_code=2)
    open_marker(root)
    log = Log(root)
    now = time.time() if now_s is None else now_s
    horizon = max(int((now - older_than_s) * 1e9), 0) // HOUR_NS * HOUR_NS
    for attempt in range(5):
        try:
            with plain_errors(root):
                return _expire(root, log, horizon)
        except ConflictError:
            if attempt == 4:
                raise
    raise AssertionError("unreachable")


def _expire(root: Path, log: Log, horizon: int) -> ExpireReport:
    log.refresh()
    _settle(root, log)
    state = log.refresh()
    _sane(state, horizon)
    old = [file for file in state if TABLES[file.table].partition_ns and file.hi <= horizon]
    gone = _Gone(root, state, horizon, old, rows=sum(file.rows for file in old))
    gone.add_settled()
    for lives in LIVES:
        gone.add_lives(lives)
    chunks = [chunk for chunk in gone.chunks if chunk.rows.num_rows]
    new = write_chunks(root, chunks, replaced=old)
    change = Change("expire", add=new, remove=[file.path for file in old], horizon_ns=horizon)
    if old or horizon > state.horizon_ns:
        publish(root, log, change)
    log.storage.leave([file.path for file in old])
    copies.drop(root, horizon)
    freed = sum(file.bytes for file in old) - sum(file.bytes for file in new)
    return ExpireReport(horizon, len(old), gone.rows, freed, gone.lives, tuple(gone.damaged))


@dataclass
class _Gone:
    """The content that a retention removes.

    Attributes:
        root: The repository.
        state: State of the repository, with its files.
        horizon: Content that ended before this time is removed, ns since the epoch.
        old: Files that are removed.
        chunks: The rows of these files that stay, and are written to new files.
        lives: Number of removed rows of processes, machines and batch jobs.
        rows: Number of removed rows.
        damaged: Files that cannot be read.
    """

    root: Path
    state: RepositoryState
    horizon: int
    old: list[File]
    chunks: list[PartitionChunk] = field(default_factory=list)
    lives: int = 0
    rows: int = 0
    damaged: list[str] = field(default_factory=list)

    def add_settled(self) -> None:
        """Add the old settled processes, day by day, with their rows in process_kinds."""
        kinds = days_of(self.state.of(KINDS))
        for day, files in days_of(self.state.of("processes")).items():
            if day * DAY_NS >= self.horizon:
                continue
            readable, rows = _readable(self.root, files, self.damaged)
            if len(readable) < len(files):  # the sums include all of them
                continue
            kept = self._without_old(rows, ends(rows))
            if kept.num_rows < rows.num_rows:
                self.chunks += day_chunks(kept)
                self.old += [*files, *kinds.get(day, [])]

    def add_lives(self, lives: str) -> None:
        """Add the old rows of processes (not settled), machines or batch jobs.

        Rows of other tables that refer only to them (merge.NAMES) are removed, too.

        Args:
            lives: Name of the table, a key of merge.LIVES.
        """
        there = unsettled(self.state) if lives == "processes" else self.state.of(lives)
        files, rows = _readable(self.root, there, self.damaged)
        kept = rows
        if files:
            kept = self._without_old(rows, _ends(rows))
        if kept.num_rows < rows.num_rows:
            self.chunks.append(PartitionChunk(lives, kept, 0, 0))
            self.old += files
        # The jobs in a damaged file of processes are not known, so rows that refer to them must
        # stay. Such rows may be left from an earlier retention, so they are searched for even if
        # no process is removed now.
        if self.damaged:
            return
        for table, (of, owner) in NAMES.items():
            if of != lives or not self.state.of(table):
                continue
            named = pc.unique(kept[owner]).to_pylist() if files else []
            named += self._settled_jobs() if lives == "processes" else []
            if self.damaged:
                return
            files_of, of_table = _readable(self.root, self.state.of(table), self.damaged)
            if not files_of:
                continue
            values = pa.array(sorted(set(named)), of_table.schema.field(owner).type)
            left = of_table.filter(pc.is_in(of_table[owner], value_set=values))
            if left.num_rows < of_table.num_rows:
                self.chunks.append(PartitionChunk(table, left, 0, 0))
                self.old += files_of

    def _settled_jobs(self) -> list[str]:
        """Return the jobs of the settled processes that stay."""
        left = [chunk.rows for chunk in self.chunks if chunk.table == KINDS]
        going = {file.path for file in self.old}
        staying = [file for file in self.state.of(KINDS) if file.path not in going]
        readable, rows = _readable(self.root, staying, self.damaged)
        left += [rows] if readable else []
        return [job for rows in left for job in pc.unique(rows["job"]).to_pylist()]

    def _without_old(self, rows: pa.Table, end: Ints) -> pa.Table:
        """Return the rows that stay; count those that ended before the horizon as removed."""
        gone = rows.column("complete").to_numpy() & (end <= self.horizon)
        self.lives += int(gone.sum())
        self.rows += int(gone.sum())
        return rows.filter(pa.array(~gone))


def _ends(rows: pa.Table) -> Ints:
    """Return when each process, machine or batch job ended, in ns."""
    if "last_slice" in rows.column_names:
        return (rank(rows, "last_slice") + 1) * rank(rows, "slice_ns")
    return rank(rows, "end_ns")


def _sane(state: RepositoryState, horizon: int) -> None:
    """Refuse a horizon after the newest slice, which probably comes from a wrong clock.

    Raises:
        RepositoryError: No slice would be left.
    """
    newest = state.newest_ns
    if newest and horizon > newest:
        ends, border = (
            f"{datetime.fromtimestamp(at // 10**9, UTC):%Y-%m-%d %H:%M} UTC"
            for at in (newest, horizon)
        )
        raise RepositoryError(
            f"No slices would be left, because the newest ones ended at {ends}, before {border}.",
            hint="Check this machine's clock. If it is correct, use a higher age, or remove the "
            "folder.",
        )
