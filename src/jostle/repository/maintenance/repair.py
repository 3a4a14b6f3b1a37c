"""Finds damaged files, and moves those aside that cannot be recovered.

A repair never guesses. A file that is in no readable commit is restored only together with all
files that were published with it (files.CHANGE), and only if none of their rows are in the
repository.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from jostle.errors import no_room
from jostle.repository.errors import LogError, RepositoryError
from jostle.repository.maintenance.merge import LIVES
from jostle.repository.maintenance.settle import unsettle
from jostle.repository.query.engine import Engine, connect
from jostle.repository.store.damage import WRONG_SUM, reason_of
from jostle.repository.store.file_days import File
from jostle.repository.store.files import CHANGE, REPLACED, cannot_write, plain_errors
from jostle.repository.store.layout import DAY_NS, QUARANTINE, TABLES, is_piece
from jostle.repository.store.log import Log
from jostle.repository.store.marker import open_marker
from jostle.repository.store.sealed import file_sum
from jostle.repository.store.state import RepositoryState
from jostle.repository.store.storage import open_storage

Progress = Callable[[int, int], None]
#: Tables of which rows must not be duplicated, and their keys.
_KEYS = {
    "slices": ("process", "slice"),
    "mount_slices": ("process", "slice", "mount"),
    "gpu_slices": ("process", "slice", "gpu"),
    "segments": ("process", "number"),
    "peer_slices": ("process", "slice", "peer"),
    "collective_slices": ("process", "slice", "communicator", "operation", "root"),
    "component_slices": ("machine", "component", "slice"),
}


@dataclass(frozen=True)
class Damaged:
    """A file whose content has changed since it was written.

    Attributes:
        file: Path of the file in the repository.
        reason: Description of the damage, as part of a sentence.
        table: The table whose rows it held; "" for a file of the log.
        rows: Number of rows.
        lo: Start of the earliest row, ns since the epoch; 0 if the table has no time.
        hi: End of the latest row, ns since the epoch.
        jobs: Names of the jobs of these rows, as far as they are known.
        read: Whether the jobs' names were read from the file itself; else they are all jobs that
            ran in the time of the rows.
    """

    file: str
    reason: str
    table: str = ""
    rows: int = 0
    lo: int = 0
    hi: int = 0
    jobs: list[str] = field(default_factory=list)
    read: bool = False


@dataclass
class CheckReport:
    """Result of a check of a repository.

    Attributes:
        files: Number of files of tables in the log.
        rows: Number of rows in these files.
        damaged: Damaged files, of tables and of the log.
        quarantine: Folder of the repository for damaged files.
    """

    files: int
    rows: int
    damaged: list[Damaged]
    quarantine: str = QUARANTINE

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON-compatible values."""
        return asdict(self)


@dataclass
class RepairReport:
    """Result of a repair of a repository.

    Attributes:
        lost: Files whose rows are lost; they are in the folder QUARANTINE.
        log: Files of the log that were damaged.
        taken_back: Files that a damaged commit had published, and that were restored.
        rows: Number of rows in the restored files.
        closed: Number of processes that are not ingested further, since it is lost up to which
            position they were ingested.
        unknown: Files in no commit that an earlier version of jostle wrote: it is unknown whether
            a commit ever published them.
        quarantine: Folder of the repository with the damaged files.
        marker: State of the repository's marker file before it was rewritten ("missing" or
            "damaged"); "": it was intact.
    """

    lost: list[Damaged] = field(default_factory=list)
    log: list[Damaged] = field(default_factory=list)
    taken_back: list[str] = field(default_factory=list)
    rows: int = 0
    closed: int = 0
    unknown: list[str] = field(default_factory=list)
    quarantine: str = QUARANTINE
    marker: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON-compatible values."""
        return asdict(self)


def check(root: Path, progress: Progress | None = None) -> CheckReport:
    """Read every file of a repository, and compare checksums where files have them.

    Args:
        root: The repository.
        progress: Function that is called with the number of files read, and of all files.
    """
    open_marker(root)
    with plain_errors(root):
        return _check(root, progress)


def _check(root: Path, progress: Progress | None) -> CheckReport:
    log = Log(root)
    state = log.refresh()
    state.verify()
    files = list(state)
    damaged = _of_log(log)
    lives = _Lives(root)
    for number, file in enumerate(files):
        try:
            why = _trouble(root, file)
        except OSError as error:
            why = f"it cannot be read ({error.strerror or error})"
        if why:
            damaged.append(_damaged(file, why, lives))
        if progress is not None:
            progress(number + 1, len(files))
    return CheckReport(len(files), sum(file.rows for file in files), damaged)


def repair(root: Path, progress: Progress | None = None) -> RepairReport:
    """Make a damaged repository consistent with its readable files.

    Files that cannot be read are taken out of the log, and moved into the folder QUARANTINE. What
    damaged commits had published is restored if it can be distinguished from unpublished files. If
    the state cannot be read, it is rebuilt from the metadata of the files.

    Args:
        root: The repository; ingesters wait until the repair is done.
        progress: Function that is called with the number of files read, and of all files.

    Raises:
        RepositoryError: A file cannot be read at this time; its content may be intact.
    """
    open_marker(root)
    try:
        return _repair(root, progress)
    except OSError as error:
        if no_room(error):
            raise cannot_write(root, error) from error
        raise RepositoryError(
            f"{error.filename or root} cannot be reached: {error.strerror or error}. "
            "Nothing was removed.",
            hint="Check its permissions and its file system. If the file is permanently lost, "
            "remove it, and repeat the repair.",
        ) from error


def _repair(root: Path, progress: Progress | None) -> RepairReport:
    log = Log(root)
    with log.lock():
        state = _state(log)
        state.verify()
        report = RepairReport(log=_of_log(log))
        lives = _Lives(root)
        files = list(state)
        for number, file in enumerate(files):
            why = _trouble(root, file)
            if why:
                report.lost.append(_damaged(file, why, lives))
                state.files.change(remove=[file.path])
            if progress is not None:
                progress(number + 1, len(files))
        if not report.log and not report.lost:
            return report
        state.files.drop_lost()
        if state.profiles.lost:
            report.closed += _rebuild(root, state)
        known = {*(file.path for file in state), *(damaged.file for damaged in report.lost)}
        groups = _published(root, known)
        report.unknown = [file.path for file in groups.pop("", [])]
        replaced = _Replaced(root, state, groups)
        for group in map(replaced.without, groups.values()):
            if group and not _overlap(root, group, state):
                state.files.change(group)
                replaced.by(group)
                report.taken_back += [file.path for file in group]
                report.rows += sum(file.rows for file in group)
                report.closed += _close(state, _processes(root, group))
        unsettle(state)  # lost or restored files may have settled processes
        state.number = log.newest_number() + 1  # open readers notice
        for damaged in report.lost:
            log.storage.set_aside(damaged.file)
        # Before the state is written: a rewritten piece may get the same name.
        for damaged in report.log:
            if is_piece(Path(damaged.file).name):
                log.storage.set_aside(damaged.file)
        log.write_state()
        for damaged in report.log:
            if not is_piece(Path(damaged.file).name):
                log.storage.set_aside(damaged.file)
    return report


def _close(state: RepositoryState, processes: Collection[int]) -> int:
    """Exclude processes from further ingests; return how many of them may have had more data."""
    left = set(processes) - state.done_of(processes)
    state.profiles.advance(dict.fromkeys(left, max(state.newest_ns, state.time_ns)))
    return len(left)


def _rebuild(root: Path, state: RepositoryState) -> int:
    """Replace lost pieces of positions by positions from the tables of processes.

    Returns:
        Number of processes that are not ingested further, but may have had more data.
    """
    held: set[int] = set()
    over: set[int] = set()
    for table, (key, _) in LIVES.items():
        for file in state.of(table):
            open_storage(root).bring([file.path])
            rows = pq.read_table(root / file.path, columns=[key, "complete"])
            held.update(rows[key].to_pylist())
            over.update(rows.filter(rows["complete"])[key].to_pylist())
    if not state.profiles.drop_lost():
        held = over  # the positions of the others are known
    state.profiles.advance(dict.fromkeys(held, max(state.newest_ns, state.time_ns)))
    return len(held - over)


def _state(log: Log) -> RepositoryState:
    try:
        return log.refresh()
    except LogError:  # not an error of reading at this time
        if not log.damage:
            raise
        return log.start_over()


def _of_log(log: Log) -> list[Damaged]:
    folder = log.folder.name
    return [Damaged(f"{folder}/{name}", why) for name, why in sorted(log.damage.items())]


def _damaged(file: File, why: str, lives: _Lives) -> Damaged:
    jobs, read = lives.held(file)
    return Damaged(file.path, why, file.table, file.rows, file.lo, file.hi, jobs, read)


class _Lives:
    """Finds the jobs that a damaged file is about."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._jobs: list[tuple[str, int, int]] | None = None

    def held(self, file: File) -> tuple[list[str], bool]:
        """Return the jobs that a file names, and True; else the jobs of its time, and False."""
        names = self._named(file)
        if names or not TABLES[file.table].partition_ns:
            return names, bool(names)
        if self._jobs is None:
            self._jobs = self._known()
        return [job for job, lo, hi in self._jobs if lo < file.hi and hi > file.lo], False

    def _named(self, file: File) -> list[str]:
        try:
            rows = pq.ParquetFile(self._root / file.path, page_checksum_verification=True).read(
                columns=["job"]
            )
            return sorted(str(job) for job in pc.unique(rows["job"]).to_pylist())
        except (OSError, pa.ArrowException, KeyError, UnicodeDecodeError):
            return []

    def _known(self) -> list[tuple[str, int, int]]:
        engine = Engine(self._root, Log(self._root))
        try:
            rows = engine.query("SELECT job, start_ns, end_ns FROM jobs ORDER BY start_ns, job")
        except RepositoryError:
            return []
        finally:
            engine.close()
        return [(row["job"], row["start_ns"], row["end_ns"]) for row in rows.to_pylist()]


def _trouble(root: Path, file: File) -> str | None:
    """Read a file, and return what is wrong with it; None if it is intact.

    Raises:
        OSError: The file cannot be read now; its content may be intact.
    """
    path, storage = root / file.path, open_storage(root)
    try:
        storage.forget(file.path)  # a local copy does not show the stored content
        storage.bring([file.path])
        size = path.stat().st_size
        if size != file.bytes:
            return f"it has {size} of {file.bytes} bytes"
        if file.sum:
            return None if file_sum(path) == file.sum else WRONG_SUM
        rows = pq.ParquetFile(path, page_checksum_verification=True).read().num_rows
    except FileNotFoundError:
        return "it is gone"
    except (OSError, pa.ArrowException) as error:
        if getattr(error, "errno", None):
            raise
        return reason_of(error, root)
    return None if rows == file.rows else f"it has {rows} of {file.rows} rows"


def _published(root: Path, known: set[str]) -> dict[str, list[File]]:
    """Find files in no commit, grouped by publication, the oldest first.

    Args:
        root: The repository.
        known: Files in commits, and damaged files.

    Returns:
        Groups by their mark (files.CHANGE); "": files without one.
    """
    storage = open_storage(root)
    groups: dict[str, list[tuple[int, File]]] = defaultdict(list)
    for table in TABLES:
        for name in storage.listed(table):
            path = root / name
            if path.name.startswith(".") or not name.endswith(".parquet") or name in known:
                continue
            with _only_of_its_content():
                storage.bring([name])
                info, metadata = path.stat(), pq.read_metadata(path)
                change = (metadata.metadata or {}).get(CHANGE.encode(), b"").decode()
                lo, hi = _span(path, table)
                file = File(table, name, metadata.num_rows, info.st_size, lo, hi)
                if _trouble(root, file) is None:
                    file = replace(file, sum=file_sum(path))
                groups[change].append((info.st_mtime_ns, file))
    ordered = sorted(groups, key=lambda change: min(mtime_ns for mtime_ns, _ in groups[change]))
    return {change: [file for _, file in groups[change]] for change in ordered}


class _Replaced:
    """Finds files in no commit that were replaced by others with the same rows."""

    def __init__(
        self, root: Path, state: RepositoryState, groups: Mapping[str, Sequence[File]]
    ) -> None:
        """Read from the files' metadata which other files each of them replaced.

        Args:
            root: The repository.
            state: The repository's state.
            groups: Files in no commit.
        """
        self._root = root
        self._of: dict[str, frozenset[str]] = {}
        unnamed = [file for group in groups.values() for file in group]
        folders = {os.path.dirname(file.path) for file in unnamed}
        near = [file for file in state if os.path.dirname(file.path) in folders]
        for file in (*unnamed, *near):
            with _only_of_its_content():
                open_storage(root).bring([file.path])
                marks = pq.read_metadata(root / file.path).metadata or {}
                names = marks.get(REPLACED.encode(), b"").decode().split()
                self._of[file.path] = frozenset(names)
        self._by_any = frozenset().union(*self._of.values())
        self._by_named: set[str] = set()
        self.by(near)

    def by(self, files: Iterable[File]) -> None:
        """Note that some files are in the repository."""
        for file in files:
            self._by_named |= self._of.get(file.path, frozenset())

    def without(self, group: Sequence[File]) -> list[File]:
        """Return the files of a group that must be restored; none if one of them is damaged."""
        if any(_trouble(self._root, file) is not None for file in group):
            return []
        return [
            file
            for file in group
            if Path(file.path).name not in self._by_any
            and self._by_named.isdisjoint(self._of.get(file.path, ()))
        ]


@contextlib.contextmanager
def _only_of_its_content() -> Iterator[None]:
    """Ignore errors from a file's invalid content, but not from a disk that cannot be read now."""
    try:
        yield
    except (OSError, pa.ArrowException, TypeError, ValueError) as error:
        if getattr(error, "errno", None) and not isinstance(error, FileNotFoundError):
            raise


def _span(path: Path, table: str) -> tuple[int, int]:
    """Return start and end of the rows of a file, as in the log."""
    if not TABLES[table].partition_ns:
        return 0, 0
    if table == "segments":
        rows = pq.read_table(path, columns=["start_ns", "end_ns"])
        return pc.min(rows["start_ns"]).as_py(), pc.max(rows["end_ns"]).as_py()
    if table in ("peers", "files", "communicators"):  # which have no times
        day = datetime.strptime(path.parent.name, "date=%Y-%m-%d").replace(tzinfo=UTC)
        start = int(day.timestamp()) * 10**9
        return start, start + DAY_NS
    columns = ["slice", "slice_ns", *(["span"] if "span" in TABLES[table].keys else [])]
    rows = pq.read_table(path, columns=columns)
    start = pc.multiply(rows["slice"], rows["slice_ns"])
    span = rows["span"] if "span" in columns else pa.scalar(1)
    length = pc.multiply(pc.cast(span, pa.int64()), rows["slice_ns"])
    return pc.min(start).as_py(), pc.max(pc.add(start, length)).as_py()


def _overlap(root: Path, group: Sequence[File], named: Iterable[File]) -> bool:
    """Return whether rows of a group are in the repository already."""
    there = defaultdict(list)
    for file in named:
        there[file.table].append(file)
    with contextlib.closing(connect()) as database:
        for table, keys in _KEYS.items():
            ours = [file for file in group if file.table == table]
            others = [
                other
                for other in there[table]
                if any(other.lo < own.hi and own.lo < other.hi for own in ours)
            ]
            try:
                if ours and others and _common(database, root, ours, others, ", ".join(keys)):
                    return True
            except duckdb.IOException as error:
                raise OSError(errno.EIO, reason_of(error, root)) from error
            except duckdb.Error:  # files that cannot be compared are not restored
                return True
    return False


def _common(
    database: duckdb.DuckDBPyConnection,
    root: Path,
    ours: Sequence[File],
    others: Sequence[File],
    keys: str,
) -> bool:
    open_storage(root).bring([file.path for file in (*ours, *others)])
    paths = [[str(root / file.path) for file in files] for files in (ours, others)]
    first, second = (f"SELECT {keys} FROM read_parquet(${at}, union_by_name=true)" for at in (1, 2))
    return bool(database.execute(f"{first} INTERSECT {second} LIMIT 1", paths).fetchall())


def _processes(root: Path, group: Sequence[File]) -> set[int]:
    processes: set[int] = set()
    for file in group:
        if file.table in _KEYS:
            key = _KEYS[file.table][0]
            open_storage(root).bring([file.path])
            rows = pq.read_table(root / file.path, columns=[key])
            processes.update(pc.unique(rows[key]).to_pylist())
    return processes
