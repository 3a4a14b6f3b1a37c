"""Reads columns of the rollups directly from their files and caches them, without DuckDB.

A query for an hour of one job reads three columns of two files. DuckDB would need ten times as long
to plan this query as the reading takes. Cached columns stay valid, since files never change.
"""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from jostle.repository.errors import DamagedError
from jostle.repository.query.engine import Engine
from jostle.repository.store.file_days import File
from jostle.repository.store.layout import RESOURCE, Rollup

T = TypeVar("T")
MOST_BYTES = 64 << 20
_TRIES = 3  # a compaction may remove files while they are read
#: Memory of Arrow's metadata of a file, as a multiple of its size in the file.
_META_FACTOR = 6


@dataclass(frozen=True)
class NameColumn:
    """A column of names as codes and a dictionary.

    Attributes:
        known: The distinct names.
        codes: Index of the name of each row.
    """

    known: tuple[str, ...]
    codes: NDArray[np.int32]

    def are(self, wanted: Sequence[str]) -> NDArray[np.bool_]:
        """Return a mask of the rows whose name is among some names."""
        some = set(wanted)
        if len(some) == 1:
            (name,) = some
            return np.equal(self.codes, self.known.index(name) if name in self.known else -1)
        result: NDArray[np.bool_] = np.array([name in some for name in self.known])[self.codes]
        return result


@dataclass(frozen=True)
class Keys:
    """Jobs, resources and times of the rows of a row group.

    Attributes:
        job: Job of each row.
        resource: Mount or node of each row.
        start: Start of each row's slice, ns since the epoch.
        length: Length of each row's slice, in ns.
    """

    job: NameColumn
    resource: NameColumn
    start: NDArray[np.int64]
    length: NDArray[np.int64]

    @property
    def nbytes(self) -> int:
        """Size of all columns, bytes."""
        codes = self.job.codes.nbytes + self.resource.codes.nbytes
        names = 64 * (len(self.job.known) + len(self.resource.known))
        return codes + names + self.start.nbytes + self.length.nbytes


@dataclass(frozen=True)
class RowGroupRows:
    """Some rows of a row group.

    Attributes:
        keys: The keys of the row group.
        rows: Indices of the rows.
        values: For each requested sum, its values in these rows.
    """

    keys: Keys
    rows: NDArray[np.intp]
    values: list[NDArray[np.float64]]


class Columns:
    """Reads and caches columns of the rollups."""

    def __init__(self, engine: Engine, most_bytes: int = MOST_BYTES) -> None:
        """Create the object without reading any files.

        Args:
            engine: The query engine, which knows the files.
            most_bytes: Largest memory for cached columns, bytes.
        """
        self.bytes = 0
        self._engine = engine
        self._most = most_bytes
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._guard = threading.Lock()

    def parts(
        self,
        table: Rollup,
        lines: Sequence[Sequence[str]],
        span: tuple[int, int],
        job: str | None = None,
        resources: Sequence[str] | None = None,
    ) -> list[RowGroupRows]:
        """Read sums of metrics, row by row.

        Args:
            table: Name of the rollup.
            lines: The requested sums; each is a list of metrics to add up.
            span: Time in which the slices begin, ns since the epoch.
            job: Name of the only job; None: all jobs.
            resources: Names of the resources; None: all.

        Raises:
            RepositoryError: A file cannot be read at this time.
        """
        attempt = 0
        while True:
            result: list[RowGroupRows] = []
            files = self._engine.newest(table, *span)
            # Cached columns need no file; if a part of them was dropped, all files are fetched.
            new = [file for file in files if attempt or (file.path,) not in self._kept]
            try:
                with contextlib.suppress(FileNotFoundError):  # reported below
                    self._engine.bring(new)
            except DamagedError as found:
                if not self._engine.leave_out(found):
                    raise
                continue
            for file in files:
                try:
                    result += self._of_file(file, lines, span, job, resources)
                except (pa.ArrowException, OSError) as error:
                    attempt += 1
                    if isinstance(error, FileNotFoundError) and attempt < _TRIES:
                        break
                    damaged = self._engine.unreadable(error, file.path)
                    if not self._engine.leave_out(damaged):
                        raise damaged from error
                    break
            else:
                return result

    def _of_file(
        self,
        file: File,
        lines: Sequence[Sequence[str]],
        span: tuple[int, int],
        job: str | None,
        resources: Sequence[str] | None,
    ) -> list[RowGroupRows]:
        path = self._engine.root / file.path
        meta = self._once((file.path,), lambda: pq.read_metadata(path), _meta_weight)
        result = []
        for group in range(meta.num_row_groups):
            if not _reaches(meta.row_group(group), span):
                continue
            keys = self._once(
                (file.path, group),
                lambda group=group: _keys(path, meta, group, RESOURCE[file.table]),  # type: ignore[misc]
                lambda keys: keys.nbytes,
            )
            which = (keys.start >= span[0]) & (keys.start < span[1])
            if job is not None:
                which &= keys.job.are([job])
            if resources is not None:
                which &= keys.resource.are(resources)
            rows = np.flatnonzero(which)
            if len(rows):
                values = self._values(path, file.path, meta, group, lines)
                result.append(RowGroupRows(keys, rows, [value[rows] for value in values]))
        return result

    def _values(
        self, path: Path, name: str, meta: Any, group: int, lines: Sequence[Sequence[str]]
    ) -> list[NDArray[np.float64]]:
        """Return the requested sums of a row group; metrics that a file lacks are zero."""
        return [
            self._once(
                (name, group, *line),
                lambda line=line: _summed(path, meta, group, line),  # type: ignore[misc]
                lambda values: values.nbytes,
            )
            for line in lines
        ]

    def _once(self, key: Hashable, make: Callable[[], T], weight: Callable[[T], int]) -> T:
        with self._guard:
            known = self._kept.get(key)
            if known is not None:
                self._kept.move_to_end(key)
                cached: T = known[0]
                return cached
        value = make()
        with self._guard:
            self.bytes -= self._kept.pop(key, (None, 0))[1]
            size = weight(value) + 200  # its key and its entry
            self._kept[key] = value, size
            self.bytes += size
            while self.bytes > self._most:
                self.bytes -= self._kept.popitem(last=False)[1][1]
        return value


def _meta_weight(meta: Any) -> int:
    return _META_FACTOR * int(meta.serialized_size)


def _reaches(group: Any, span: tuple[int, int]) -> bool:
    """Return whether slices of a row group may begin in a span, by its statistics."""
    bounds = {}
    for index in range(group.num_columns):
        column = group.column(index)
        if column.path_in_schema in ("slice", "slice_ns"):
            statistics = column.statistics
            if statistics is None or not statistics.has_min_max:
                return True
            bounds[column.path_in_schema] = statistics.min, statistics.max
            if len(bounds) == 2:
                break
    first, last = (bounds["slice"][side] * bounds["slice_ns"][side] for side in (0, 1))
    return bool(last >= span[0] and first < span[1])


def _read(path: Path, meta: Any, group: int, columns: list[str], names: list[str]) -> pa.Table:
    with pq.ParquetFile(path, metadata=meta, read_dictionary=names) as file:
        return file.read_row_group(group, columns, use_threads=False)


def _keys(path: Path, meta: Any, group: int, resource: str) -> Keys:
    names = ["job", resource]
    rows = _read(path, meta, group, [*names, "slice", "slice_ns"], names)
    length = rows["slice_ns"].to_numpy()
    return Keys(
        _names(rows["job"]), _names(rows[resource]), rows["slice"].to_numpy() * length, length
    )


def _names(column: pa.ChunkedArray) -> NameColumn:
    whole = column.unify_dictionaries().combine_chunks()
    if isinstance(whole, pa.ChunkedArray):  # without rows
        return NameColumn((), np.zeros(0, dtype=np.int32))
    return NameColumn(tuple(whole.dictionary.to_pylist()), whole.indices.to_numpy())


def _summed(path: Path, meta: Any, group: int, line: Sequence[str]) -> NDArray[np.float64]:
    stored = set(meta.schema.names)
    there = [name for name in (f"{metric}_sum" for metric in line) if name in stored]
    total = np.zeros(meta.row_group(group).num_rows)
    if there:
        rows = _read(path, meta, group, there, [])
        for name in there:
            total += rows[name].fill_null(0).to_numpy()
    return total
