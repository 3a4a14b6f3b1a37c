"""Merges files of one table into sorted rows, in memory or as a stream."""

from __future__ import annotations

import bisect
import contextlib
import errno
import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from jostle.repository.errors import DamagedError
from jostle.repository.maintenance.settle import KINDS, merged_kinds
from jostle.repository.store.damage import WRONG_SUM, reason_of
from jostle.repository.store.file_days import File
from jostle.repository.store.files import cannot_use
from jostle.repository.store.layout import ROLLUPS, STATS, TABLES, TableLayout
from jostle.repository.store.sealed import file_sum
from jostle.repository.store.storage import open_storage
from jostle.repository.store.tables import (
    Ints,
    PartitionChunk,
    PartitionStream,
    groups,
    order,
    without_zeros,
)

#: Sort keys of the rows of a file.
SLICE_ORDER = {
    "slices": ("job", "slice", "process"),
    "mount_slices": ("job", "slice", "process", "mount"),
    "gpu_slices": ("job", "slice", "process", "gpu"),
    "segments": ("job", "process", "number"),
    "peers": ("job", "process", "peer"),
    "peer_slices": ("job", "slice", "process", "peer"),
    "collective_slices": ("job", "slice", "process", "communicator", "operation", "root"),
    "communicators": ("job", "process", "communicator"),
    "files": ("job", "process", "hash"),
    "component_slices": ("kind", "host", "name", "job", "slice"),
}
#: Tables in which the newest row of each process, machine or batch job counts: its key, and the
#: first column by which the rows are sorted.
LIVES = {
    "processes": ("process", "job"),
    "machines": ("machine", "host"),
    "batch_jobs": ("batch_job", "job"),
}
#: Tables whose rows refer to a table of LIVES: this table, and the column that refers to it.
NAMES = {
    "mounts": ("processes", "job"),
    "gpus": ("processes", "job"),
    "tokens": ("processes", "job"),
    "components": ("machines", "machine"),
}


#: Values of all files that are merged at once, decoded: about 200 MB during the merge.
_BATCH_VALUES = 8 << 20
_FEWEST_ROWS = 1024
Key = tuple[Any, ...]


def merged_chunks(
    root: Path, files: Sequence[File], whole_bytes: int
) -> Iterator[PartitionChunk | PartitionStream]:
    """Merge files of one partition into files of at least a size, in bounded memory.

    Only tables without time are merged in memory, since a newer row in one file may replace a row
    in another. Files of all other tables are merged as streams of sorted rows.

    Args:
        root: The repository.
        files: The files to merge.
        whole_bytes: Smallest size of a resulting file, bytes.

    Raises:
        DamagedError: A file is damaged.
        RepositoryError: A file cannot be read at this time.
    """
    table = TABLES[files[0].table]
    lo, hi = min(file.lo for file in files), max(file.hi for file in files)
    if not table.partition_ns:
        rows = merge(root, files)
        if rows.num_rows:
            yield PartitionChunk(table.name, rows, lo, hi)
        return
    inputs = [_Input(root, file) for file in files]
    schema = _union(table, [each.schema for each in inputs])
    batch_rows = max(_BATCH_VALUES // (len(inputs) * len(schema)), _FEWEST_ROWS)
    pieces = _in_order(table, [each.start(schema, batch_rows) for each in inputs])
    parts = max(1, sum(file.bytes for file in files) // whole_bytes)
    most = -(-sum(file.rows for file in files) // parts)
    for piece in pieces:
        rows = itertools.chain([piece], pieces)
        yield PartitionStream(table.name, _first_rows(rows, most), lo, hi)


def _first_rows(pieces: Iterator[pa.Table], most: int) -> Iterator[pa.Table]:
    """Yield pieces up to about a number of rows."""
    rows = 0
    while rows < most and (piece := next(pieces, None)) is not None:
        rows += piece.num_rows
        yield piece


def _union(table: TableLayout, schemas: Sequence[pa.Schema]) -> pa.Schema:
    fields = {field.name: field for schema in schemas for field in schema}
    names = [name for name in (*table.keys, *table.values) if name in fields]
    names += [name for name in fields if name not in names]
    return pa.schema([fields[name].remove_metadata() for name in names])


class _Input:
    """One file of a merge, read in batches of rows."""

    def __init__(self, root: Path, file: File) -> None:
        self._root, self._file = root, file
        with damage_named(root, file):
            names = [name for name, kind in TABLES[file.table].keys.items() if kind == pa.string()]
            bring(root, file)
            self._parquet = pq.ParquetFile(root / file.path, read_dictionary=names)
        self.schema = self._parquet.schema_arrow
        self._batches: Iterator[pa.RecordBatch] = iter(())
        self._rows: pa.Table
        self._key: Callable[[int], Key]
        self._at = 0

    def start(self, schema: pa.Schema, batch_rows: int) -> _Input:
        """Read the first rows."""
        self._schema, self._table = schema, TABLES[self._file.table]
        self._batches = self._parquet.iter_batches(batch_rows, use_threads=False)
        self._fill()
        return self

    @property
    def empty(self) -> bool:
        """Return whether all rows of the file were taken."""
        return self._at >= int(self._rows.num_rows)

    def _fill(self) -> None:
        with damage_named(self._root, self._file):
            batch = next(self._batches, None)
        rows = self._schema.empty_table() if batch is None else pa.Table.from_batches([batch])
        rows = _aligned(self._table, rows, self._schema)
        self._rows, self._at = _ordered(self._table, rows), 0
        columns = _key_columns(self._table, self._rows)
        self._key = lambda row: tuple(column[row].as_py() for column in columns)

    def last(self) -> Key:
        """Return the key of the last row that was read."""
        return self._key(self._rows.num_rows - 1)

    def take(self, bound: Key | None) -> pa.Table:
        """Take the rows up to a key (None: all in memory); read more when none is in memory."""
        end = self._rows.num_rows
        if bound is not None:
            end = bisect.bisect_right(range(end), bound, lo=self._at, key=self._key)
        rows = self._rows.slice(self._at, end - self._at)
        self._at = end
        if self.empty:
            self._fill()
        return rows


def _key_columns(table: TableLayout, rows: pa.Table) -> list[Any]:
    """Return the columns that the table is sorted by, as values that Python can compare."""
    if table.name in ROLLUPS:
        start = pc.multiply(rows.column("slice"), rows.column("slice_ns"))
        names = ("job", *ROLLUPS[table.name], "slice_ns")
        return [start, *(rows.column(name) for name in names)]
    return [rows.column(name) for name in SLICE_ORDER[table.name]]


def _ordered(table: TableLayout, rows: pa.Table) -> pa.Table:
    """Sort rows that were read into the order of their table.

    RATIONALE: ingest writes the collectives of a process and slice in the order in which its
    profile has them. If the rows were not sorted, a binary search for a key might find a position
    before all rows; then no row would be taken, and the loop would not end.
    """
    if table.name in ROLLUPS or not rows.num_rows:
        return rows
    by = order(*(rank(rows, name) for name in SLICE_ORDER[table.name]))
    return rows if (np.diff(by) > 0).all() else rows.take(pa.array(by))


def _in_order(table: TableLayout, inputs: Sequence[_Input]) -> Iterator[pa.Table]:
    """Merge sorted files in steps.

    Some rows of each file are in memory. Each step takes the rows up to a key: the smallest one
    among the last keys that were read from the files.
    """
    live = [each for each in inputs if not each.empty]
    while live:
        bound = min(each.last() for each in live)
        rows = pa.concat_tables([each.take(bound) for each in live])
        live = [each for each in live if not each.empty]
        if rows.num_rows:
            yield _sorted(table, rows)


def _aligned(table: TableLayout, rows: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return rows with the columns of a schema; missing numbers are zero."""
    columns = []
    for field in schema:
        number = field.name in table.values and pa.types.is_integer(field.type)
        if field.name in rows.column_names:
            column = rows.column(field.name)
            if number and column.null_count:
                column = pc.fill_null(column, 0)
        elif number:
            column = pa.array(np.zeros(rows.num_rows, dtype=np.int64), field.type)
        else:
            column = pa.nulls(rows.num_rows, field.type)
        columns.append(column)
    return pa.table(columns, schema=schema)


@contextlib.contextmanager
def damage_named(root: Path, file: File) -> Iterator[None]:
    """Add the file's name to errors of reading.

    Raises:
        DamagedError: The file is damaged.
        RepositoryError: The file cannot be read at this time.
    """
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        if isinstance(error, OSError) and error.errno not in (None, errno.ENOENT, errno.EIO):
            raise cannot_use(root, error) from error
        raise DamagedError(root, file.path, reason_of(error, root), (file.lo, file.hi)) from error


def bring(root: Path, file: File) -> None:
    """Fetch a file that will be replaced, and check that its content is unchanged.

    Raises:
        DamagedError: The content differs.
        OSError: The file cannot be read.
    """
    open_storage(root).bring([file.path], [file.sum])
    if file.sum and file_sum(root / file.path) != file.sum:
        raise DamagedError(root, file.path, WRONG_SUM, (file.lo, file.hi))


def merge(root: Path, files: Sequence[File]) -> pa.Table:
    """Read files of one table and return their rows as those of one file.

    Raises:
        DamagedError: A file is damaged.
        RepositoryError: A file cannot be read at this time.
    """
    table = TABLES[files[0].table]
    parts = []
    for file in files:
        with damage_named(root, file):
            bring(root, file)
            parts.append(pq.ParquetFile(root / file.path).read())
    schema = _union(table, [part.schema for part in parts])
    aligned = [_aligned(table, part, schema) for part in parts]
    return without_zeros(table.name, _sorted(table, pa.concat_tables(aligned)))


def _sorted(table: TableLayout, rows: pa.Table) -> pa.Table:
    """Return the rows sorted as in one file."""
    rows = rows.combine_chunks()
    if table.name in ROLLUPS:
        return _merge_rollup(table, rows)
    if table.name == KINDS:
        return merged_kinds(rows)
    if table.name in LIVES:
        return _latest(rows, *LIVES[table.name])
    if table.name in NAMES:
        return rows.group_by(rows.column_names).aggregate([])
    keys = [rank(rows, name) for name in SLICE_ORDER[table.name]]
    return rows.take(pa.array(order(*keys)))


def rank(rows: pa.Table, name: str) -> Ints:
    """Return numbers that sort like the values of a column."""
    column = rows.column(name)
    if pa.types.is_integer(column.type):
        values: Ints = column.to_numpy().astype(np.int64)
        return values
    encoded = column.combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    names = encoded.dictionary.to_pylist()
    rank_of = np.empty(len(names), dtype=np.int64)
    rank_of[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    result: Ints = rank_of[encoded.indices.to_numpy()]
    return result


def _merge_rollup(table: TableLayout, rows: pa.Table) -> pa.Table:
    slice_ns = rank(rows, "slice_ns")
    start = rank(rows, "slice") * slice_ns
    resource = (rank(rows, name) for name in ROLLUPS[table.name])
    by, starts = groups(start, rank(rows, "job"), *resource, slice_ns)
    first = pa.array(by[starts])
    functions = dict(zip(STATS, (np.add, np.minimum, np.maximum), strict=True))
    columns: dict[str, Any] = {}
    for name in rows.column_names:
        stat = "sum" if name == "count" else name.rpartition("_")[2]
        if name == "count" or name in table.values:
            columns[name] = functions[stat].reduceat(rank(rows, name)[by], starts)
        else:
            columns[name] = rows.column(name).take(first)
    return pa.table(columns, schema=rows.schema)


def _latest(rows: pa.Table, key: str, group: str) -> pa.Table:
    """Keep the newest row of each process or machine, sorted by group and start."""
    life, revision = rank(rows, key), rank(rows, "revision")
    by = np.lexsort((revision, life))
    last = np.append(np.diff(life[by]) != 0, True)
    rows = rows.take(pa.array(by[last]))
    return rows.take(pa.array(np.lexsort((rank(rows, "start_ns"), rank(rows, group)))))
