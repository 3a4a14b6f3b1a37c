"""Questions to a repository, answered by DuckDB from the files that the log names."""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from jostle._schema import HIST_BUCKETS, HISTOGRAM_IDS, MOUNT_IDS, PROCESS_IDS
from jostle.repository.errors import JobError, RepositoryError
from jostle.repository.layout import TABLES, Table, bucket_column
from jostle.repository.log import File, Log

_SQL_TYPES = {
    pa.string(): "VARCHAR",
    pa.int64(): "BIGINT",
    pa.int32(): "INTEGER",
    pa.bool_(): "BOOLEAN",
    pa.list_(pa.string()): "VARCHAR[]",
    pa.uint64(): "UBIGINT",
    pa.binary(): "BLOB",
}
_NOTHING = {pa.binary(): "''::BLOB"}
_OLDEST_SLICE_NS = 3_600_000_000_000
_METRICS = {"slices": PROCESS_IDS, "mount_slices": MOUNT_IDS}

#: Who owns the job of some rows of processes: nobody where several users gave it the same name, so
#: that none of them is told what the others did in it.
OWNER = "CASE WHEN min(uid) = max(uid) THEN min(uid) END AS uid"

_JOBS = f"""
SELECT job,
       min(start_ns) AS start_ns,
       CASE WHEN bool_and(complete) THEN max(end_ns)
            ELSE max(greatest(end_ns, (last_slice + 1) * slice_ns)) END AS end_ns,
       NOT bool_and(complete) AS running,
       count(*) AS processes,
       count(*) FILTER (short) AS short_processes,
       count(DISTINCT host) AS hosts,
       arg_max(program, CASE WHEN short THEN 0 ELSE last_slice - first_slice + 1 END) AS program,
       {OWNER},
       min(slice_ns) AS slice_ns,
       max(clock_state) AS clock_state,
       max(clock_error_us) AS clock_error_us
FROM processes GROUP BY job
"""


class Engine:
    """One DuckDB connection and the views on one repository."""

    def __init__(self, root: Path, log: Log) -> None:
        self.root = root
        self.log = log
        self._guard = threading.Lock()
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._viewed: dict[str, int] = {}

    def query(self, sql: str, params: Sequence[Any] = ()) -> pa.Table:
        """Asks a question; tables and views are those of docs/reference/repository.md.

        Raises:
            RepositoryError: A file is missing or damaged.
            JobError: The question itself is wrong.
        """
        return self.ask(lambda: sql, params, views=True)

    def ask(
        self, question: Callable[[], str], params: Sequence[Any] = (), *, views: bool = False
    ) -> pa.Table:
        """Asks a question that is put together from the newest state of the log.

        Args:
            question: Gives the SQL; called again when files vanished under the query.
            params: Values of its parameters.
            views: Make the views that it names.
        """
        with self._guard:
            for attempt in range(3):
                self.log.refresh()
                try:
                    connection = self._connect()
                    sql = question()
                    if views:
                        self._make_views(connection, sql)
                    relation = connection.sql(sql, params=list(params))
                    return pa.table({}) if relation is None else _narrow(relation.to_arrow_table())
                except duckdb.IOException as error:
                    # A compaction may have taken files away since we read the log.
                    self._viewed.clear()
                    if attempt == 2:
                        raise self._unreadable(error) from error
                except duckdb.Error as error:
                    if "parquet" in str(error).lower():
                        raise self._unreadable(error) from error
                    raise JobError(
                        f"The query failed: {error}",
                        hint="Tables and columns: docs/reference/repository.md.",
                    ) from error
        raise AssertionError("unreachable")

    def _unreadable(self, error: Exception) -> RepositoryError:
        return RepositoryError(
            f"A file of repository {self.root} cannot be read: {error}",
            hint="Restore it from a backup, or ingest the spools into a new repository.",
        )

    def _connect(self) -> duckdb.DuckDBPyConnection:
        if self._connection is None:
            self._connection = connect()
        return self._connection

    def _make_views(self, connection: duckdb.DuckDBPyConnection, sql: str) -> None:
        """Makes the views that a question names: each costs a look at its files."""
        words = set(re.findall(r"\w+", sql.lower()))
        if "jobs" in words:
            words.add("processes")
        for name in words & set(TABLES):
            if self._viewed.get(name) != self.log.state.number:
                connection.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS {self.source(name)}")
                self._viewed[name] = self.log.state.number
        if "jobs" in words and "jobs" not in self._viewed:
            connection.execute(f"CREATE OR REPLACE TEMP VIEW jobs AS {_JOBS}")
            self._viewed["jobs"] = 1

    def window(self, job: str) -> tuple[int, int]:
        """Gives the span of time in which a job has slices, ns."""
        found = self.ask(
            lambda: (
                "SELECT min(first_slice * slice_ns) AS lo, "
                "max((last_slice + 1) * slice_ns) AS hi "
                f"FROM {self.stored('processes')} WHERE job = ?"
            ),
            [job],
        ).to_pylist()[0]
        return (found["lo"] or 0, (found["hi"] or 0) + _OLDEST_SLICE_NS)

    def stored(self, name: str, lo: int = 0, hi: int = 2**63 - 1) -> str:
        """Gives a subquery on the rows of a table as they are stored: absent columns are null.

        Args:
            name: Table.
            lo: Start of the span of time that matters, ns since the epoch.
            hi: Its end.
        """
        partitioned = TABLES[name].partition_ns
        files = [file for file in self.log.state.of(name)
                 if not partitioned or (file.hi > lo and file.lo < hi)]  # fmt: skip
        if not files:
            return f"({_shape(name)})"
        return f"({_shape(name)} UNION ALL BY NAME {self._scan(files)})"

    def source(self, name: str, lo: int = 0, hi: int = 2**63 - 1) -> str:
        """Gives a SELECT that shows a table as documented (arguments as for `stored`)."""
        table = TABLES[name]
        stored = self.stored(name, lo, hi)
        if name == "processes":
            latest = "row_number() OVER (PARTITION BY process ORDER BY revision DESC)"
            return f"SELECT * FROM {stored} QUALIFY {latest} = 1"
        if name in ("mounts", "tokens"):
            return f"SELECT DISTINCT * FROM {stored}"
        if name in ("rollup", "node_rollup"):
            return _merged(table, stored)
        return f"SELECT {', '.join([*table.keys, *visible(name)])} FROM {stored}"

    def _scan(self, files: Iterable[File]) -> str:
        paths = [str(self.root / file.path).replace("'", "''") for file in files]
        names = ", ".join(f"'{path}'" for path in paths)
        return f"SELECT * FROM read_parquet([{names}], union_by_name=true, hive_partitioning=false)"


def _narrow(rows: pa.Table) -> pa.Table:
    """Gives sums (128 bit in DuckDB) as int64 where they fit, which is nearly always."""
    for place, field in enumerate(rows.schema):
        if pa.types.is_decimal(field.type) and field.type.scale == 0:
            with contextlib.suppress(pa.ArrowInvalid):
                rows = rows.set_column(place, field.name, rows.column(place).cast(pa.int64()))
    return rows


def _merged(table: Table, stored: str) -> str:
    """Adds up what several commits contributed to one (job, resource, slice)."""
    keys = [name for name in table.keys if name != "count"]
    columns = [*keys, f"{total('count')} AS count"]
    for name in table.values:
        stat = name.rpartition("_")[2]
        merged = total(name) if stat == "sum" else f"{stat}(coalesce({name}, 0))"
        columns.append(f"{merged} AS {name}")
    return f"SELECT {', '.join(columns)} FROM {stored} GROUP BY {', '.join(keys)}"


def total(column: str) -> str:
    """Gives SQL for a sum that fits into 64 bits, whatever a hostile profile claims."""
    return f"least(coalesce(sum({column}), 0), {2**63 - 1})::BIGINT"


def visible(name: str) -> list[str]:
    """Gives SQL for the value columns of slices, mount_slices or segments as views show them."""
    columns = []
    if name not in _METRICS:
        return [f"coalesce({value}, {_NOTHING.get(kind, 0)}) AS {value}"
                for value, kind in TABLES[name].values.items()]  # fmt: skip
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
def _shape(name: str) -> str:
    """Gives a SELECT of no rows with all columns of a table: files lack those that are zero."""
    table = TABLES[name]
    columns = ", ".join(
        f"NULL::{_SQL_TYPES[kind]} AS {name}"
        for name, kind in {**table.keys, **table.values}.items()
    )
    return f"SELECT {columns} WHERE false"


def connect() -> duckdb.DuckDBPyConnection:
    """Opens an empty DuckDB that reaches nothing by itself."""
    return duckdb.connect(
        ":memory:",
        config={"autoinstall_known_extensions": False, "python_enable_replacements": False},
    )
