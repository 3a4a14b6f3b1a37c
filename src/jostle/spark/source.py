"""The Spark data source `jostle`: reads tables of a repository as DataFrames.

Spark pickles the source on the driver, requests partitions from it in a separate process, and has
each partition read in a worker. All of these processes use the same snapshot, the list of files of
one commit, so the rows are consistent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, Filter, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructType

from jostle.errors import UsageError
from jostle.report.format.moments import moment_ns
from jostle.repository import Repository, Snapshot
from jostle.repository.query.engine import ALWAYS, Engine
from jostle.repository.query.export import reaching
from jostle.spark import tables
from jostle.spark.filters import span_of, sql_of
from jostle.spark.parts import pieces

_OPTIONS = ("path", "table", "columns", "from", "to")
_BATCH_ROWS = 64 * 1024


class JostleSource(DataSource):
    """The source behind `spark.read.format("jostle").option("table", NAME).load(PATH)`.

    Options:
        path: Path of the repository.
        table: Name of the table, one of `tables.NAMES` [slices].
        columns: Names of the columns to read, separated by commas.
        from, to: Time that the slices overlap, as for `jostle export`.
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        """Set the options; Spark may pass them in upper or lower case."""
        self.options = dict(options)
        self.table = self.options.get("table", "slices")
        wrong = [name for name in self.options if name.lower() not in _OPTIONS]
        if wrong:
            raise UsageError(
                f"The data source jostle has no option {wrong[0]!r}.",
                hint=f"Options: {', '.join(_OPTIONS)}.",
            )
        if not self.options.get("path"):
            raise UsageError(
                "No repository is named.",
                hint="Name the repository: .load('/path/of/the/repository').",
            )

    @classmethod
    def name(cls) -> str:
        """Return the name for `format`."""
        return "jostle"

    def schema(self) -> StructType:
        """Return the requested columns, or all."""
        known = tables.columns(self.table)
        named = self.options.get("columns")
        wanted = [name.strip() for name in named.split(",")] if named else list(known)
        wrong = [name for name in wanted if name not in known]
        if wrong:
            raise UsageError(
                f"The table {self.table} has no column {wrong[0]!r}.",
                hint="docs/reference/repository.md lists the columns of each table.",
            )
        return from_arrow_schema(pa.schema([(name, known[name]) for name in wanted]))

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return a reader of some columns."""
        span = tuple(
            moment_ns(self.options[name]) if name in self.options else edge
            for name, edge in zip(("from", "to"), ALWAYS, strict=True)
        )
        path = Path(self.options["path"])
        return JostleReader(str(path), self.table, schema, (span[0], span[1]))


@dataclass
class _Part(InputPartition):
    """A partition: the files that one task reads."""

    snapshot: Snapshot


class JostleReader(DataSourceReader):
    """Reads the rows of a table."""

    def __init__(self, path: str, table: str, schema: StructType, span: tuple[int, int]) -> None:
        """Create the reader without reading any rows.

        Args:
            path: Path of the repository.
            table: Name of the table.
            schema: The requested columns.
            span: Time that the rows overlap, ns since the epoch.
        """
        self._path = path
        self._table = table
        self._schema = schema
        self._span = span
        whole = span == ALWAYS
        self._where = [] if whole else [reaching(tables.divided(table), span)]

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:  # noqa: N802
        """Store the filters that DuckDB can apply; return the others."""
        known = tables.columns(self._table)
        for each in filters:
            sql = sql_of(each, known)
            if sql is None:
                yield each
            else:
                self._where.append(sql)
        lo, hi = span_of(filters)
        self._span = max(lo, self._span[0]), min(hi, self._span[1])

    def partitions(self) -> list[InputPartition]:
        """Divide the files of the newest commit."""
        store = Repository(self._path)
        snapshot = store.snapshot(tables.read(self._table), self._span)
        return [_Part(part) for part in pieces(snapshot, tables.divided(self._table))]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a part."""
        assert isinstance(partition, _Part)
        schema = to_arrow_schema(self._schema, timezone="UTC")
        sql = tables.question(self._table, self._schema.fieldNames(), " AND ".join(self._where))
        engine = Engine.of_snapshot(partition.snapshot, threads=1)
        for batch in engine.batches(sql, _BATCH_ROWS):
            yield batch.cast(schema)
