"""Coarsens a repository: replaces rows of old slices by their sums over longer slices.

Short slices are worth their disk space while users ask why a run was slow. A week later the sums
over longer slices answer most questions with a fraction of the bytes, and all totals stay exact.
"""

from __future__ import annotations

import contextlib
import heapq
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from jostle.repository.errors import ConflictError, DamagedError, RepositoryError
from jostle.repository.maintenance.merge import SLICE_ORDER, bring, damage_named
from jostle.repository.query.engine import connect
from jostle.repository.store.file_days import File
from jostle.repository.store.files import plain_errors, publish, write_chunks
from jostle.repository.store.layout import DAY_NS, GAUGE_IDS, HOUR_NS, ROLLUPS, STATS, TABLES
from jostle.repository.store.log import Log
from jostle.repository.store.marker import open_marker
from jostle.repository.store.state import Change
from jostle.repository.store.tables import PartitionStream
from jostle.repository.types import CoarsenReport
from jostle.schema.metrics import BY_ID

#: Tables of slices, each with the table of its sums over processes.
_SUMS = {"slices": "node_rollup", "mount_slices": "rollup", "gpu_slices": "gpu_rollup"}
_SLICES = (*_SUMS, "peer_slices", "collective_slices", "component_slices")
_TIMES = ("slice", "slice_ns", "span")
_BATCH_ROWS = 128 * 1024
_MEMORY = "1GB"
#: As for compaction: written once, read often.
_LEVEL = 3


def coarsen(
    root: Path, older_than_s: float, length_ns: int, *, now_s: float | None = None
) -> CoarsenReport:
    """Add up the slices of old days to longer slices.

    Counters and timers are added up, and a gauge keeps its last value, as if the profile had been
    recorded with longer slices. Records of one process that overlap the same longer slice become
    one record. Slices whose length does not divide the new length stay unchanged.

    Args:
        root: Folder of the repository.
        older_than_s: Age from which on slices are coarsened, seconds; rounded to a whole day (UTC),
            since sums over processes are stored by day.
        length_ns: Length of the new slices, ns; an hour must be a multiple of it.
        now_s: Present time, seconds since the epoch; None: that of the system clock.

    Raises:
        RepositoryError: The length or the age cannot be used.
    """
    if length_ns <= 0 or HOUR_NS % length_ns:
        raise RepositoryError(
            "An hour is not a multiple of this slice length.", hint="Try 4s.", exit_code=2
        )
    if older_than_s < 0:
        raise RepositoryError("An age cannot be negative.", hint="Try 7d.", exit_code=2)
    open_marker(root)
    now = time.time() if now_s is None else now_s
    horizon = max(int((now - older_than_s) * 1e9), 0) // DAY_NS * DAY_NS
    with plain_errors(root):
        work = _Coarsening(root, horizon, length_ns)
        work.run()
        return work.report()


class _Coarsening:
    """One coarsening of a repository."""

    def __init__(self, root: Path, horizon: int, length_ns: int) -> None:
        self._root, self._horizon, self._length = root, horizon, length_ns
        self._log = Log(root)
        self._rows = [0, 0]
        self._bytes = [0, 0]
        self._damaged: list[str] = []

    def report(self) -> CoarsenReport:
        """Return the report of the coarsening."""
        (rows_before, rows_after), (bytes_before, bytes_after) = self._rows, self._bytes
        damaged = tuple(dict.fromkeys(self._damaged))
        return CoarsenReport(
            self._horizon, rows_before, rows_after, bytes_before, bytes_after, damaged
        )

    def run(self) -> None:
        """Coarsen the slices of each hour, then the sums of their days."""
        state = self._log.refresh()
        for table in _SLICES:
            days: set[int] = set()
            parts = _by_partition(state.of(table), HOUR_NS, self._horizon)
            hours = sorted(parts)
            while hours:
                hour = heapq.heappop(hours)
                new = self._slices(table, parts[hour])
                if new:
                    days |= {day for file in parts[hour] for day in _days(file)}
                rest = [file for file in new if file.lo // HOUR_NS > hour]
                for later, some in _by_partition(rest, HOUR_NS, self._horizon).items():
                    if later not in parts:
                        heapq.heappush(hours, later)
                    parts.setdefault(later, []).extend(some)
            if table in _SUMS:
                # Includes days of which an interrupted run did not update the sums.
                sums = _by_partition(self._log.state.of(_SUMS[table]), DAY_NS, self._horizon)
                days |= {day for day, files in sums.items() if self._is_fine(files)}
                for day in sorted(days):
                    self._sums(table, day)

    def _is_fine(self, files: Sequence[File]) -> bool:
        """Return whether a file has slices that can be made longer; note unreadable files."""
        for file in files:
            try:
                with damage_named(self._root, file):
                    bring(self._root, file)
                    least = _shortest(self._root / file.path)
            except DamagedError as error:
                self._damaged.append(error.file)
                return False
            if least < self._length:
                return True
        return False

    def _slices(self, table: str, files: Sequence[File]) -> list[File]:
        """Coarsen the slices of one hour; return the new files, also those of the next hour."""
        if not self._is_fine(files):
            return []
        whole = [file for file in files if self._whole(file)]
        if len(whole) < len(files):
            return []
        with _database() as database:
            paths = self._paths(files)
            rows = _reader(database, _slices_sql(table, paths, self._length))
            if max(file.hi for file in files) <= _next_hour(files):
                return self._replace(table, files, rows)
            rest = _reader(database, _rest_sql(table, paths, self._length))
            return self._replace(table, files, rows, rest)

    def _sums(self, table: str, day: int) -> None:
        """Compute the sums of a day from the stored slices."""
        self._log.refresh()
        state, begin = self._log.state, day * DAY_NS
        old = _by_partition(state.of(_SUMS[table]), DAY_NS, self._horizon).get(day, [])
        sources = [
            file
            for file in state.reaching(table, begin, begin + DAY_NS)
            if file.lo < begin + DAY_NS
        ]
        if not old or not sources or not all(map(self._whole, [*old, *sources])):
            return
        with _database() as database:
            sql = _sums_sql(table, self._paths(sources), begin)
            self._replace(_SUMS[table], old, _reader(database, sql))

    def _whole(self, file: File) -> bool:
        """Return whether a file can be read; note one that cannot, whose hour stays unchanged."""
        try:
            with damage_named(self._root, file):
                bring(self._root, file)
        except DamagedError as error:
            self._damaged.append(error.file)
            return False
        return True

    def _paths(self, files: Sequence[File]) -> list[str]:
        return [str(self._root / file.path) for file in files]

    def _replace(
        self,
        table: str,
        files: Sequence[File],
        rows: Iterator[pa.Table],
        rest: Iterable[pa.Table] = (),
    ) -> list[File]:
        """Replace files by new rows, and by the rest, which is in later hours; return new files."""
        lo = min(file.lo for file in files) // self._length * self._length
        hi = -(-max(file.hi for file in files) // self._length) * self._length
        begins = ((rows, lo), (iter(rest), _next_hour(files)))
        streams = (
            PartitionStream(table, _chain(first, tables), begin, hi)
            for tables, begin in begins
            if (first := next(tables, None)) is not None
        )
        new = write_chunks(self._root, streams, _LEVEL, replaced=files)
        if not new:
            return []
        paths = [file.path for file in files]
        try:
            publish(self._root, self._log, Change("compact", add=new, remove=paths))
        except ConflictError:  # other processes merged or added files: the next run handles it
            return []
        self._log.storage.leave(paths)
        for at, some in enumerate((files, new)):
            self._rows[at] += sum(file.rows for file in some)
            self._bytes[at] += sum(file.bytes for file in some)
        return new


def _chain(first: pa.Table, rest: Iterator[pa.Table]) -> Iterator[pa.Table]:
    yield first
    yield from rest


def _by_partition(files: Sequence[File], width_ns: int, horizon: int) -> dict[int, list[File]]:
    """Group files by their partition; only those that are completely before the horizon."""
    found: dict[int, list[File]] = {}
    for file in files:
        if file.lo // DAY_NS * DAY_NS + DAY_NS <= horizon:
            found.setdefault(file.lo // width_ns, []).append(file)
    return found


def _next_hour(files: Sequence[File]) -> int:
    """Return the end of the hour in which the slices of some files begin, in ns."""
    return (min(file.lo for file in files) // HOUR_NS + 1) * HOUR_NS


def _days(file: File) -> range:
    return range(file.lo // DAY_NS, -(-file.hi // DAY_NS))


def _shortest(path: Path) -> int:
    """Return the shortest length of slices in a file, in ns."""
    metadata = pq.read_metadata(path)
    names = metadata.schema.to_arrow_schema().names
    at = names.index("slice_ns")
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    known = [group.column(at).statistics for group in groups if group.num_rows]
    if not known:
        return 2**63 - 1
    if all(each is not None and each.has_min_max for each in known):
        return min(int(each.min) for each in known)
    column = pq.read_table(path, columns=["slice_ns"])["slice_ns"].to_numpy()
    return int(np.min(column))


@contextlib.contextmanager
def _database() -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a database that needs little memory, and spills to a folder."""
    with (
        tempfile.TemporaryDirectory(prefix="jostle-coarsen-") as spill,
        contextlib.closing(connect()) as database,
    ):
        database.execute(f"SET memory_limit = '{_MEMORY}'")
        database.execute(f"SET temp_directory = '{spill}'")
        yield database


def _reader(database: duckdb.DuckDBPyConnection, sql: str) -> Iterator[pa.Table]:
    """Yield the rows of a query in batches, with names as dictionaries."""
    for batch in database.sql(sql).to_arrow_reader(_BATCH_ROWS):
        table = pa.Table.from_batches([batch])
        columns = {
            name: column.dictionary_encode() if pa.types.is_string(column.type) else column
            for name, column in zip(table.column_names, table.columns, strict=True)
        }
        yield pa.table(columns).unify_dictionaries()


def _quoted(paths: Sequence[str]) -> str:
    inside = ", ".join("'" + path.replace("'", "''") + "'" for path in paths)
    return f"read_parquet([{inside}], union_by_name=true, hive_partitioning=false)"


def _columns(paths: Sequence[str]) -> list[str]:
    names: dict[str, None] = {}
    for path in paths:
        names |= dict.fromkeys(pq.read_schema(path).names)
    return list(names)


def _slices_sql(table: str, paths: Sequence[str], length: int) -> str:
    """Return SQL of the rows of one hour with longer slices, sorted as in a file.

    RATIONALE: a record of several slices need not end where a longer slice ends, so it is extended
    to whole longer slices. If two records of one process then overlap in a longer slice, they
    become one record over all longer slices of both. The alternative, to divide their values
    between longer slices, would pretend to know when something happened.
    """
    by, values = _names(table, paths)
    fits, rows = f"({length} % slice_ns = 0)", _rounded(paths, length)
    merged = " AND ".join(f"{name} IS NOT DISTINCT FROM of_{name}" for name in (*by, "step"))
    longer = [*by, "start AS slice", f"{length}::BIGINT AS slice_ns"]
    longer += ["(max(over) - start)::INT AS span"]
    longer += [f"{_added(name)} AS {name}" for name in values]
    same = [*by, *_TIMES]
    same += [f"coalesce({name}, {_nothing(table, name)}) AS {name}" for name in values]
    return (
        f"SELECT {_in_order(table, by, values)} FROM (SELECT {', '.join(longer)} FROM "
        f"(SELECT *, coalesce(first, step) AS start FROM {rows} "
        f"LEFT JOIN {_overlapping(rows, by, fits)} ON {merged} WHERE {fits}) "
        f"GROUP BY {', '.join(by)}, start "
        f"UNION ALL BY NAME SELECT {', '.join(same)} FROM {rows} WHERE NOT {fits}) "
        f"ORDER BY {_order(table, by)}"
    )


def _rest_sql(table: str, paths: Sequence[str], length: int) -> str:
    """Return SQL of the parts of an hour's records that are in later hours, with their own slices.

    Each hour is coarsened separately, so a record that extends beyond its hour is divided at the
    end of the hour. Its values are divided as in the sums over processes.
    """
    by, values = _names(table, paths)
    rest = [*by, "slice + here AS slice", "slice_ns", "(span - here)::INT AS span"]
    rest += [f"{_rest(table, name)} AS {name}" for name in values]
    return (
        f"SELECT {_in_order(table, by, values)} FROM (SELECT {', '.join(rest)} "
        f"FROM {_rounded(paths, length)} WHERE {length} % slice_ns = 0 AND here < span) "
        f"ORDER BY {_order(table, by)}"
    )


def _names(table: str, paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the key columns in some files, whose equal rows are added up, and value columns."""
    layout, present = TABLES[table], _columns(paths)
    by = [name for name in layout.keys if name in present and name not in _TIMES]
    return by, [name for name in layout.values if name in present]


def _in_order(table: str, by: Sequence[str], values: Sequence[str]) -> str:
    """Return columns in the order of their table."""
    keys = [name for name in TABLES[table].keys if name in (*by, *_TIMES)]
    return ", ".join((*keys, *values))


def _order(table: str, by: Sequence[str]) -> str:
    """Return the columns by which the rows of a table are sorted."""
    return ", ".join(name for name in SLICE_ORDER[table] if name in (*by, "slice"))


def _rounded(paths: Sequence[str], length: int) -> str:
    """Return SQL of rows, with columns for the part of each row in the hour in which it begins.

    The columns for this part are begin_ns (start of the row), here (number of its slices), step
    (number of its first longer slice) and over (number of the longer slice after its last one).
    A record of more than a day is not divided: all of it counts as in the first hour. Such a record
    is that of a stopped process, or of a hostile profile, which would get files in all hours of
    years.
    """
    begin = "slice * slice_ns"
    here = f"least(span, ({HOUR_NS} - {begin} % {HOUR_NS}) // slice_ns)"
    here = f"(CASE WHEN span * slice_ns > {DAY_NS} THEN span ELSE {here} END)"
    return (
        f"(SELECT *, {begin} AS begin_ns, {here} AS here, {begin} // {length} AS step, "
        f"({begin} + {here} * slice_ns + {length - 1}) // {length} AS over FROM {_quoted(paths)})"
    )


def _overlapping(rows: str, by: Sequence[str], fits: str) -> str:
    """Return SQL of the steps whose rows overlap those of earlier steps of the same process.

    Column `first` is the earliest step in such a chain of overlapping rows.
    """
    key = ", ".join(by)
    of_key = ", ".join(f"{name} AS of_{name}" for name in (*by, "step"))
    until = f"max(over) OVER (PARTITION BY {key} ORDER BY step ROWS UNBOUNDED PRECEDING)"
    return (
        f"(SELECT {of_key}, first FROM (SELECT *, max(CASE WHEN apart THEN step END) "
        f"OVER (PARTITION BY {key} ORDER BY step) AS first FROM (SELECT *, "
        f"coalesce(step >= lag(until) OVER (PARTITION BY {key} ORDER BY step), true) AS apart "
        f"FROM (SELECT *, {until} AS until FROM (SELECT {key}, step, max(over) AS over "
        f"FROM {rows} WHERE {fits} GROUP BY {key}, step)))) WHERE first < step)"
    )


def _nothing(table: str, name: str) -> str:
    return "''" if TABLES[table].values[name] == pa.string() else "0"


def _added(name: str) -> str:
    """Return SQL that adds up one value over the short slices of a longer slice."""
    if name == "unknown":  # names of metrics, between spaces
        return "coalesce(string_agg(DISTINCT nullif(unknown, ''), ' '), '')"
    if name == "epoch":
        return "max(coalesce(epoch, 0))::BIGINT"
    if name in GAUGE_IDS:
        return f"arg_max(coalesce({name}, 0), begin_ns)::BIGINT"
    return f"sum(CASE WHEN here < span THEN {_share(name)} ELSE coalesce({name}, 0) END)::BIGINT"


def _share(name: str) -> str:
    """Return SQL of the part of a record's amount in the hour in which the record begins."""
    return f"coalesce({name}, 0) // span * here"


def _rest(table: str, name: str) -> str:
    """Return SQL of the part of a record's value after its first hour; gauges are repeated."""
    whole = f"coalesce({name}, {_nothing(table, name)})"
    is_same = name in ("unknown", "epoch") or name in GAUGE_IDS
    return whole if is_same else f"{whole} - {_share(name)}"


def _sums_sql(table: str, paths: Sequence[str], begin: int) -> str:
    """Return SQL of the sums over processes of one day, sorted as in a file.

    A record of several slices is spread over them, as at ingest: gauges are repeated; amounts are
    divided evenly, and the last slice gets the remainder of the integer division.
    """
    sums, present = _SUMS[table], set(_columns(paths))
    resources = list(ROLLUPS[sums])
    values = [
        name
        for name in dict.fromkeys(each.rpartition("_")[0] for each in TABLES[sums].values)
        if name in present and name in BY_ID
    ]
    spread = ", ".join(_spread(name) for name in values)
    stats = ", ".join(
        f"{stat}({name})::BIGINT AS {name}_{stat}" for name in values for stat in STATS
    )
    rows = (
        f"SELECT job, {', '.join(resources)}, slice + place AS slice, slice_ns"
        f"{', ' + spread if spread else ''} "
        f"FROM (SELECT *, unnest(range(span)) AS place FROM {_quoted(paths)})"
    )
    return (
        f"SELECT job, {', '.join(resources)}, slice, slice_ns, count(*)::BIGINT AS count"
        f"{', ' + stats if stats else ''} FROM ({rows}) "
        f"WHERE slice * slice_ns >= {begin} AND slice * slice_ns < {begin + DAY_NS} "
        f"GROUP BY job, {', '.join(resources)}, slice, slice_ns "
        f"ORDER BY slice * slice_ns, job, {', '.join(resources)}, slice_ns"
    )


def _spread(name: str) -> str:
    value = f"coalesce({name}, 0)"
    if name in GAUGE_IDS:
        return f"{value} AS {name}"
    share = f"{value} // span"
    return (
        f"{share} + CASE WHEN place = span - 1 THEN {value} - {share} * span ELSE 0 END AS {name}"
    )
