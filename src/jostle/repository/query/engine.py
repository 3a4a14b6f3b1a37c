"""Runs SQL in DuckDB over the files that the commit log lists."""

from __future__ import annotations

import contextlib
import errno
import re
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from jostle.errors import no_room
from jostle.repository.errors import DamagedError, JobError, NoRoomError, SnapshotGoneError
from jostle.repository.query.divided import Divided
from jostle.repository.query.lifetimes import Lives
from jostle.repository.query.process_kinds import jobs_of, kinds_of, newest_rows
from jostle.repository.store.damage import (
    WRONG_SUM,
    Facts,
    Sums,
    facts_of,
    find_damaged,
    is_of_a_file,
    reason_of,
)
from jostle.repository.store.file_days import File
from jostle.repository.store.files import cannot_use
from jostle.repository.store.layout import COMMITS, ROLLUPS, TABLES, TableLayout, bucket_column
from jostle.repository.store.log import Log
from jostle.repository.store.snapshot import Snapshot, SnapshotLog
from jostle.repository.store.storage import open_storage
from jostle.schema.metrics import HIST_BUCKETS, HISTOGRAM_IDS, MOUNT_IDS, PROCESS_IDS

_SQL_TYPES = {
    pa.string(): "VARCHAR",
    pa.int64(): "BIGINT",
    pa.int32(): "INTEGER",
    pa.bool_(): "BOOLEAN",
    pa.list_(pa.string()): "VARCHAR[]",
    pa.list_(pa.int64()): "BIGINT[]",
    pa.uint64(): "UBIGINT",
    pa.binary(): "BLOB",
}
_NOTHING = {pa.binary(): "''::BLOB", pa.string(): "''"}
#: Tables with a row for each commit with new facts: the newest row of each key counts.
_NEWEST = {"machines": "machine", "batch_jobs": "batch_job"}
#: Tables in which commits may repeat each other's rows.
_REPEATED = ("mounts", "gpus", "tokens", "components")
ALWAYS = (0, 2**63 - 1)
#: A span that contains only files without a time: their times are 0.
UNSETTLED = (-1, 1)
_OLDEST_SLICE_NS = 3_600_000_000_000
_ATTEMPTS = 3
_MOST_WINDOWS = 1000
#: Most damaged files without which one query continues.
_MOST_DAMAGED = 100
#: Time after which a file that is left out is tried again, s: a network error may have passed.
_LEFT_OUT_S = 60.0
#: Tables of which the files are about all jobs: also writers continue without a damaged one.
_SHARED = (
    "processes",
    "process_kinds",
    "mounts",
    "gpus",
    "tokens",
    "machines",
    "components",
    "batch_jobs",
)
_WRITTEN = re.compile(r'write (?:to )?file \\?"(.+?)\\?"')
_METRICS = {"slices": PROCESS_IDS, "mount_slices": MOUNT_IDS}

_JOBS = f"""
SELECT job, start_ns, end_ns, running, processes, short_processes, hosts, program, uid, slice_ns,
       clock_state, clock_error_us FROM ({jobs_of("process_kinds")})
"""


def _error_of(path: Path) -> int | None:
    """Return the error number of reading a file; None: it can be read, whatever its content is."""
    try:
        with path.open("rb") as file:
            while file.read(1 << 20):
                pass
    except OSError as error:
        return error.errno or errno.EIO
    return None


@dataclass(frozen=True)
class _LeftOut:
    """A damaged file: its error, the file now in its place, and until when it is left out."""

    error: DamagedError
    facts: Facts
    until: float


@dataclass
class _Cursor:
    """A cursor of DuckDB, and its views (name -> number of the commit that they show)."""

    connection: duckdb.DuckDBPyConnection
    viewed: dict[str, int] = field(default_factory=dict)


class Engine:
    """A DuckDB database with views on one repository; threads may query it concurrently."""

    def __init__(self, root: Path, log: Log | SnapshotLog, *, writes: bool = False) -> None:
        """Create the engine without opening the database.

        Args:
            root: Folder of the repository.
            log: Commit log of the repository.
            writes: Whether the caller writes rows that depend on answers: then a file that may be
                readable later is an error, and is not left out.
        """
        self._writes = writes
        self.storage = open_storage(root)
        self.root = self.storage.root
        self._scanned: list[File] = []  #: Files that the query under construction reads.
        self._viewed: dict[str, list[File]] = {}  # files of the newest commit's views
        self._sums = Sums(self.root)
        self.log = log
        self.lives = Lives(self)
        self._guard = threading.Lock()
        self._database: duckdb.DuckDBPyConnection | None = None
        self._idle: list[_Cursor] = []
        #: Jobs -> number of the state, and span of the jobs.
        self._windows: dict[tuple[str, ...], tuple[int, tuple[int, int]]] = {}
        self._suspect = ""  # the last damaged file that was found
        #: Damaged files that queries leave out.
        self._left_out: dict[str, _LeftOut] = {}
        self._said: set[str] = set()
        self.divided = Divided(self)
        #: Called once for each file that is left out.
        self.on_damage: Callable[[DamagedError], None] = lambda _damaged: None

    @classmethod
    def of_snapshot(cls, snapshot: Snapshot, *, threads: int | None = None) -> Engine:
        """Return an engine for the files of a snapshot.

        Args:
            snapshot: The snapshot.
            threads: Largest number of threads of a query; None: number of cores.
        """
        engine = cls(open_storage(snapshot.name).root, SnapshotLog(snapshot))
        if threads is not None:
            engine._database = connect()
            engine._database.execute(f"SET threads = {threads}")
        return engine

    def query(self, sql: str, params: Sequence[Any] = ()) -> pa.Table:
        """Run a query; tables and views are those of docs/reference/repository.md.

        Raises:
            RepositoryError: A file is missing or damaged.
            JobError: The query itself is wrong.
        """
        return self.ask(lambda: sql, params, views=True)

    def ask(
        self, question: Callable[[], str], params: Sequence[Any] = (), *, views: bool = False
    ) -> pa.Table:
        """Run a query that is built from the newest state of the log.

        A damaged file is left out and reported (`on_damage`).

        Args:
            question: Function that returns the SQL; it is called again if files were removed during
                the query, or one of them is left out.
            params: Values of the SQL's parameters.
            views: Whether to create the views that the SQL uses.

        Raises:
            DamagedError: A file cannot be read, and may not be left out: a writer needs it, or
                the error may be temporary.
            JobError: The query itself is wrong.
        """
        with self._guard:
            cursor = self._idle.pop() if self._idle else self._connect()
        try:
            return self._asked(cursor, question, params, views=views)
        finally:
            with self._guard:
                self._idle.append(cursor)

    def _asked(
        self, cursor: _Cursor, question: Callable[[], str], params: Sequence[Any], *, views: bool
    ) -> pa.Table:
        attempts = 0
        fetched_again: set[str] = set()
        while True:
            try:
                # The log changes under its readers: only the queries of DuckDB run concurrently.
                with self._guard:
                    self.log.refresh()
                    self._scanned = []
                    sql = question()
                    wanted = self._views(sql, cursor.viewed) if views else {}
                    lost, files = self._lost(), self._scanned
                self._report(lost)
                self.bring(files)
                for name, select in wanted.items():
                    cursor.connection.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS {select}")
                relation = cursor.connection.sql(sql, params=list(params))
                return pa.table({}) if relation is None else _narrow(relation.to_arrow_table())
            except (duckdb.Error, FileNotFoundError) as error:
                cursor.viewed.clear()
                if full := no_room(error):  # of an export, or of data that is spilled to disk
                    named = _WRITTEN.search(str(error))
                    raise NoRoomError(named[1] if named else "A temporary file", full) from error
                is_gone = isinstance(error, (duckdb.IOException, FileNotFoundError))
                if not (is_gone or (isinstance(error, duckdb.Error) and is_of_a_file(error))):
                    raise JobError(
                        f"The query failed: {error}",
                        hint="docs/reference/repository.md lists the tables and columns.",
                    ) from error
                attempts += 1
                if is_gone and attempts < _ATTEMPTS:
                    continue  # a compaction may have removed files since the log was read
                damaged = self.unreadable(error, self._culprit(cursor, error, sql))
                why: Exception = error
            except DamagedError as error:
                cursor.viewed.clear()
                attempts += 1
                damaged, why = error, error
            if damaged.file not in fetched_again and self.storage.forget(damaged.file):
                fetched_again.add(damaged.file)  # perhaps only its copy is damaged
                continue
            if attempts > _MOST_DAMAGED or not self.leave_out(damaged):
                raise damaged from why

    def batches(self, sql: str, rows: int) -> Iterator[pa.RecordBatch]:
        """Run a query on a snapshot, and yield the answer in batches.

        Args:
            sql: The query; tables and views as for `query`.
            rows: Largest number of rows of a batch.

        Raises:
            SnapshotGoneError: A file was removed.
            DamagedError: A file cannot be read.
        """
        cursor = self._connect()
        try:
            with self._guard:
                self._scanned = []
                views, files = self._views(sql, cursor.viewed), self._scanned
            self.bring(files)
            for name, select in views.items():
                cursor.connection.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS {select}")
            yield from cursor.connection.sql(sql).to_arrow_reader(rows)
        except (duckdb.Error, FileNotFoundError) as error:
            damaged = self.unreadable(error, self._culprit(cursor, error, sql))
            self.leave_out(damaged)
            raise damaged from error
        finally:
            cursor.connection.close()

    def bring(self, files: Iterable[File]) -> None:
        """Make files readable below the root, and check their content.

        Files of an object store are fetched.

        Raises:
            DamagedError: The content of a small file differs from what was written.
            FileNotFoundError: A file was removed.
            RepositoryError: The object store cannot be reached.
        """
        files = list(files)
        wanted = {file.path: file.sum for file in files}
        try:
            self.storage.bring(list(wanted), list(wanted.values()))
        except FileNotFoundError:
            raise
        except OSError as error:
            raise cannot_use(self.root, error) from error
        if wrong := self._sums.wrong(files):
            span = (wrong.lo, wrong.hi) if wrong.hi else ALWAYS
            raise DamagedError(self.root, wrong.path, WRONG_SUM, span)

    def leave_out(self, damaged: DamagedError) -> bool:
        """Leave out a damaged file from now on, if that is permitted; return whether it is.

        Raises:
            SnapshotGoneError: The file was removed, and the query is on a snapshot.
        """
        table = damaged.file.partition("/")[0]
        if isinstance(self.log, SnapshotLog):
            if damaged.file and facts_of(self.root / damaged.file) is None:
                number = self.log.state.number
                raise SnapshotGoneError(self.storage.name, damaged.file, number) from damaged
            return False
        if not damaged.file or (self._writes and table not in _SHARED):
            return False
        # A removed file or a bad disk block will stay so. All other errors may be temporary.
        why = _error_of(self.root / damaged.file)
        if why not in (None, errno.ENOENT) and (self._writes or why != errno.EIO):
            return False
        with self._guard:
            until = time.monotonic() + _LEFT_OUT_S
            self._left_out[damaged.file] = _LeftOut(
                damaged, facts_of(self.root / damaged.file), until
            )
        self._report([damaged])
        return True

    def _report(self, damage: Iterable[DamagedError]) -> None:
        """Report damage that was not reported before."""
        with self._guard:
            new = [damaged for damaged in damage if damaged.file not in self._said]
            self._said.update(damaged.file for damaged in new)
        for damaged in new:
            self.on_damage(damaged)

    def _lost(self) -> list[DamagedError]:
        """Return an error for each damaged piece of the log: the files that it lists are left out.

        Raises:
            DamagedError: A piece is damaged, and the caller writes rows that depend on answers.
        """
        lost = [
            DamagedError(self.root, f"{COMMITS}/{name}", why, span)
            for name, (why, span) in self.log.state.files.lost.items()
        ]
        if lost and self._writes:
            raise lost[0]
        return lost

    def left_out(self) -> dict[str, DamagedError]:
        """Return the damaged files that queries leave out now, by their paths."""
        with self._guard:
            self._whole([])
            lost = {damaged.file: damaged for damaged in self._lost()}
            return lost | {path: entry.error for path, entry in self._left_out.items()}

    def missing(self) -> set[str]:
        """Return the paths of files that are left out; a running query may still use them."""
        return set(self._left_out)

    def _whole(self, files: list[File]) -> list[File]:
        """Return files without those that are left out; one that was restored is used again."""
        named = self.log.state
        for path, entry in list(self._left_out.items()):
            is_other = path not in named or facts_of(self.root / path) != entry.facts
            if is_other or time.monotonic() > entry.until:
                self._left_out.pop(path, None)
        return [file for file in files if file.path not in self._left_out]

    def unreadable(self, error: Exception, file: str = "") -> DamagedError:
        """Return the error for a missing or damaged file.

        Args:
            error: The error from reading it.
            file: Path of the file within the repository; "" if unknown.
        """
        table = TABLES.get(file.partition("/")[0])
        timed = self.log.state.of(table.name) if table else ()
        spans = ((entry.lo, entry.hi) for entry in timed if entry.path == file and entry.hi)
        span = next(spans, ALWAYS)
        return DamagedError(self.root, file, reason_of(error, self.root), span)

    def _culprit(self, cursor: _Cursor, error: Exception, sql: str) -> str:
        """Return the file at which a query failed; DuckDB names it only for some damage."""
        if isinstance(error, FileNotFoundError):
            return str(error.filename)
        with self._guard:
            read = " ".join([sql, *(self.source(name) for name in _tables_in(sql))])
        damaged = find_damaged(cursor.connection, self.root, str(error), read, self._suspect)
        self._suspect = damaged or self._suspect
        return damaged

    def _connect(self) -> _Cursor:
        if self._database is None:
            self._database = connect()
        return _Cursor(self._database.cursor())

    def _views(self, sql: str, viewed: dict[str, int]) -> dict[str, str]:
        """Return the outdated views that a query uses; to create one costs a stat of each file."""
        self._whole([])
        number = hash((self.log.state.number, *self._left_out))
        wanted = {}
        for name in _tables_in(sql):
            if viewed.get(name) != number:
                before = len(self._scanned)
                wanted[name], viewed[name] = self.source(name), number
                self._viewed[name] = self._scanned[before:]
            else:
                self._scanned += self._viewed.get(name, [])
        if "jobs" in _words(sql) and "jobs" not in viewed:
            wanted["jobs"], viewed["jobs"] = _JOBS, 1
        return wanted

    def close(self) -> None:
        """Close DuckDB; the next query opens it again."""
        with self._guard:
            for cursor in self._idle:
                cursor.connection.close()
            self._idle.clear()
            if self._database is not None:
                # A running query keeps it open until its end.
                with contextlib.suppress(duckdb.Error):
                    self._database.close()
            self._database = None

    def refresh(self) -> int:
        """Read new commits; return the number of the newest."""
        with self._guard:
            return self.log.refresh().number

    def snapshot(self, tables: Collection[str], span: tuple[int, int]) -> Snapshot:
        """Return the files of some tables that overlap a span of time (ns)."""
        with self._guard:
            state = self.log.refresh()
            both = {"process_kinds"} if "processes" in tables else set()
            spans = {
                name: span if TABLES[name].partition_ns else ALWAYS for name in {*tables, *both}
            }
            files = {name: tuple(self._reaching(name, *part)) for name, part in spans.items()}
            return Snapshot(state.number, files, state.horizon_ns, self.storage.name)

    def files(self, table: str) -> list[File]:
        """Return the files of a table, as last read from the log."""
        return self._whole(self.log.state.of(table))

    def newest(self, name: str, lo: int, hi: int) -> list[File]:
        """Return the files of a table, as of the last refresh, that overlap a span (ns)."""
        with self._guard:
            self.log.refresh()
            return self._reaching(name, lo, hi)

    def _reaching(self, name: str, lo: int, hi: int) -> list[File]:
        state = self.log.state
        if TABLES[name].partition_ns:
            return self._whole(state.reaching(name, lo, hi))
        # In these tables only files of ended processes or jobs have a time.
        return self._whole(state.reaching(name, *UNSETTLED) + state.reaching(name, max(lo, 0), hi))

    def window(self, *jobs: str) -> tuple[int, int]:
        """Return the span of time in which some jobs have slices, in ns."""
        state = hash((self.refresh(), *self._left_out))
        known = self._windows.get(jobs)
        if known is not None and known[0] == state:
            return known[1]
        which = "job = ?" if len(jobs) == 1 else "list_contains(?::VARCHAR[], job)"
        bounds = self.ask(
            lambda: (
                "SELECT min(first_ns) AS lo, max(seen_ns) AS hi "
                f"FROM ({self.source('process_kinds')}) WHERE {which}"
            ),
            [jobs[0] if len(jobs) == 1 else list(jobs)],
        ).to_pylist()[0]
        window = (bounds["lo"] or 0, (bounds["hi"] or 0) + _OLDEST_SLICE_NS)
        with self._guard:
            if len(self._windows) >= _MOST_WINDOWS:
                self._windows.clear()
            self._windows[jobs] = state, window
        return window

    def stored(
        self, name: str, lo: int = 0, hi: int = 2**63 - 1, *, columns: Sequence[str] = ()
    ) -> str:
        """Return a subquery on the rows of a table as they are stored: absent columns are null.

        Args:
            name: Name of the table.
            lo: Start of the span of time that matters, ns since the epoch.
            hi: End of that span.
            columns: Columns that the query uses; others are included only if a file has them. Each
                absent column costs DuckDB time. Empty: all.
        """
        return self._rows(name, self._reaching(name, lo, hi), tuple(dict.fromkeys(columns)))

    def _rows(self, name: str, files: Sequence[File], columns: tuple[str, ...] = ()) -> str:
        if not files:
            return f"({shape(name, columns)})"
        return f"({shape(name, columns)} UNION ALL BY NAME {self.scan(files)})"

    def source(self, name: str, lo: int = 0, hi: int = 2**63 - 1) -> str:
        """Return a SELECT of a table as users see it (docs/reference/repository.md)."""
        table = TABLES[name]
        if name == "process_kinds":
            return self._kinds(lo, hi)
        if name == "processes":
            return self._processes(self._reaching(name, lo, hi))
        stored = self.stored(name, lo, hi)
        if name in _NEWEST:
            return newest_rows(stored, _NEWEST[name])
        if name in _REPEATED:
            return f"SELECT DISTINCT * FROM {stored}"
        if name in ROLLUPS:
            return _merged(table, stored)
        return f"SELECT {', '.join([*table.keys, *visible(name)])} FROM {stored}"

    def _processes(self, files: Sequence[File]) -> str:
        """Return a SELECT of the newest row of each process; a settled process has only one."""
        open_rows = newest_rows(self._rows("processes", [file for file in files if not file.hi]))
        settled = [file for file in files if file.hi]
        return f"{open_rows} UNION ALL BY NAME {self.scan(settled)}" if settled else open_rows

    def _kinds(self, lo: int, hi: int) -> str:
        """Return a SELECT of the kinds of all processes, settled or not (maintenance/settle.py)."""
        settled = self._reaching("process_kinds", lo, hi)
        files = self._reaching("processes", lo, hi)
        if any(file.path in self._left_out for file in self.log.state.of("process_kinds")):
            return kinds_of(f"({self._processes(files)})")
        kinds = kinds_of(f"({self._processes([file for file in files if not file.hi])})")
        return f"{kinds} UNION ALL BY NAME {self.scan(settled)}" if settled else kinds

    def scan(self, files: Iterable[File]) -> str:
        """Return a SELECT of all rows of some files."""
        files = list(files)
        self._scanned += files
        paths = [str(self.root / file.path).replace("'", "''") for file in files]
        names = ", ".join(f"'{path}'" for path in paths)
        return f"SELECT * FROM read_parquet([{names}], union_by_name=true, hive_partitioning=false)"


def _words(sql: str) -> set[str]:
    return set(re.findall(r"\w+", sql.lower()))


def _tables_in(sql: str) -> list[str]:
    """Return the names of the tables that a query may use."""
    words = _words(sql)
    return sorted((words | ({"process_kinds"} if "jobs" in words else set())) & set(TABLES))


def _narrow(rows: pa.Table) -> pa.Table:
    """Return sums (128 bit in DuckDB) as int64 where they fit, which is nearly always."""
    for index, column in enumerate(rows.schema):
        if pa.types.is_decimal(column.type) and column.type.scale == 0:
            with contextlib.suppress(pa.ArrowInvalid):
                rows = rows.set_column(index, column.name, rows.column(index).cast(pa.int64()))
    return rows


def _merged(table: TableLayout, stored: str) -> str:
    """Add up the rows of several commits for one (job, resource, slice)."""
    keys = [name for name in table.keys if name != "count"]
    columns = [*keys, f"{total('count')} AS count"]
    for name in table.values:
        stat = name.rpartition("_")[2]
        merged = total(name) if stat == "sum" else f"{stat}(coalesce({name}, 0))"
        columns.append(f"{merged} AS {name}")
    return f"SELECT {', '.join(columns)} FROM {stored} GROUP BY {', '.join(keys)}"


def total(column: str) -> str:
    """Return SQL for a sum limited to 64 bits, since damaged profiles may have huge values."""
    return f"least(coalesce(sum({column}), 0), {2**63 - 1})::BIGINT"


def visible(name: str) -> list[str]:
    """Return SQL for the value columns of slices, mount_slices or segments as in the views."""
    columns = []
    if name not in _METRICS:
        return [
            f"coalesce({value}, {_NOTHING.get(kind, 0)}) AS {value}"
            for value, kind in TABLES[name].values.items()
        ]
    for metric in _METRICS[name]:
        if metric in HISTOGRAM_IDS:
            buckets = ", ".join(
                f"coalesce({bucket_column(metric, b)}, 0)" for b in range(HIST_BUCKETS)
            )
            columns.append(f"array_value({buckets}) AS {metric}")
        else:
            columns.append(f"coalesce({metric}, 0) AS {metric}")
    return columns


@cache
def shape(name: str, columns: tuple[str, ...] = ()) -> str:
    """Return a SELECT of no rows with (some or all) columns of a table, which files may lack."""
    kinds = {**TABLES[name].keys, **TABLES[name].values}
    nulls = ", ".join(
        f"NULL::{_SQL_TYPES[kinds[column]]} AS {column}" for column in columns or kinds
    )
    return f"SELECT {nulls} WHERE false"


def connect() -> duckdb.DuckDBPyConnection:
    """Open an empty DuckDB without access to files or extensions."""
    return duckdb.connect(
        ":memory:",
        config={"autoinstall_known_extensions": False, "python_enable_replacements": False},
    )
