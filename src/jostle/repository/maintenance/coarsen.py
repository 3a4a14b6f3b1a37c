"""Coarsening: adds up rows of old slices to longer slices, which replace them.

Short slices are worth their disk space while users ask why a run was slow. A week later the sums
over longer slices answer most questions with a fraction of the bytes, and all totals stay exact.
"""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Iterator, Sequence
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
_BATCH_ROWS = 128 * 1024
_MEMORY = "1GB"
#: As for compaction: written once, read often.
_LEVEL = 3


def coarsen(
    root: Path, older_than_s: float, length_ns: int, *, now_s: float | None = None
) -> CoarsenReport:
    """Add up the slices of old days to longer slices.

    Amounts are added; of a gauge the last value counts, as in a profile of longer slices. Slices
    of which the new length is no multiple stay unchanged.

    Args:
        root: The repository.
        older_than_s: Age of the newest slice that is coarsened, seconds; rounded to a whole day
            (UTC), since sums over processes are stored by day.
        length_ns: Length of the new slices; an hour is a multiple of it.
        now_s: The time now, seconds since the epoch; None: that of the clock.

    Raises:
        RepositoryError: The length or the age cannot be used.
    """
    if length_ns <= 0 or HOUR_NS % length_ns:
        raise RepositoryError(
            "An hour is no multiple of this length of slices.", hint="Try 4s.", exit_code=2
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
        """Return what was done."""
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
            for files in parts.values():
                if self._slices(table, files):
                    days |= {day for file in files for day in _days(file)}
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

    def _slices(self, table: str, files: Sequence[File]) -> bool:
        """Coarsen the slices of one hour; return whether anything changed."""
        if not self._is_fine(files):
            return False
        whole = [file for file in files if self._whole(file)]
        if len(whole) < len(files):
            return False
        with _database() as database:
            rows = _reader(database, _slices_sql(table, self._paths(files), self._length))
            return self._replace(table, files, rows)

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

    def _replace(self, table: str, files: Sequence[File], rows: Iterator[pa.Table]) -> bool:
        first = next(rows, None)
        if first is None:
            return False
        lo = min(file.lo for file in files) // self._length * self._length
        hi = -(-max(file.hi for file in files) // self._length) * self._length
        stream = PartitionStream(table, _chain(first, rows), lo, hi)
        new = write_chunks(self._root, [stream], _LEVEL, replaced=files)
        paths = [file.path for file in files]
        try:
            publish(self._root, self._log, Change("compact", add=new, remove=paths))
        except ConflictError:  # other processes merged or added files: the next run handles it
            return False
        self._log.storage.leave(paths)
        for at, some in enumerate((files, new)):
            self._rows[at] += sum(file.rows for file in some)
            self._bytes[at] += sum(file.bytes for file in some)
        return True


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


def _days(file: File) -> range:
    return range(file.lo // DAY_NS, -(-file.hi // DAY_NS))


def _shortest(path: Path) -> int:
    """Return the shortest length of slices in a file, ns."""
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
    """Return SQL of the rows of one hour with longer slices, sorted as in a file."""
    layout, present = TABLES[table], _columns(paths)
    times = ("slice", "slice_ns", "span")
    by = [name for name in (*layout.keys, "epoch") if name in present and name not in times]
    values = [name for name in layout.values if name in present and name not in by]
    fits = f"({length} % slice_ns = 0)"
    rows = (
        f"(SELECT *, slice * slice_ns AS begin_ns, slice * slice_ns // {length} AS step, "
        f"((slice + span) * slice_ns + {length - 1}) // {length} AS over FROM {_quoted(paths)})"
    )
    longer = [*by, "step AS slice", f"{length}::BIGINT AS slice_ns"]
    longer += ["(max(over) - step)::INT AS span", *(f"{_added(name)} AS {name}" for name in values)]
    same = [*by, *times]
    same += [f"coalesce({name}, {_nothing(table, name)}) AS {name}" for name in values]
    order = [name for name in SLICE_ORDER[table] if name in (*by, "slice")]
    names = [name for name in layout.keys if name in (*by, *times)]
    names += [name for name in layout.values if name in (*by, *values)]
    return (
        f"SELECT {', '.join(names)} FROM ("
        f"SELECT {', '.join(longer)} FROM {rows} WHERE {fits} GROUP BY {', '.join(by)}, step "
        f"UNION ALL BY NAME SELECT {', '.join(same)} FROM {rows} WHERE NOT {fits}) "
        f"ORDER BY {', '.join(order)}"
    )


def _nothing(table: str, name: str) -> str:
    return "''" if TABLES[table].values[name] == pa.string() else "0"


def _added(name: str) -> str:
    """Return SQL of one value over the short slices of a long one."""
    if name == "unknown":  # names of metrics, between spaces
        return "coalesce(string_agg(DISTINCT nullif(unknown, ''), ' '), '')"
    if name in GAUGE_IDS:
        return f"arg_max(coalesce({name}, 0), begin_ns)::BIGINT"
    return f"sum(coalesce({name}, 0))::BIGINT"


def _sums_sql(table: str, paths: Sequence[str], begin: int) -> str:
    """Return SQL of the sums over processes of one day, sorted as in a file.

    Records of several slices are spread over them, as at ingest: gauges are repeated, of amounts
    the last slice gets the remainder.
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
