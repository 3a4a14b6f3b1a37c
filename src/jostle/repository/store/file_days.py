"""The list of a repository's files, by table and day; a day is read when it is first needed.

A checkpoint of the log has one line per day, with the name of a piece (a file) that lists the day's
files. A new checkpoint writes only the pieces of days that changed. Until then, changes by commits
are held in memory.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from operator import attrgetter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from jostle.repository.store.pieces import Pieces
from jostle.repository.store.sealed import DamageError

_EVER = (-(2**63), 2**63 - 1)


@dataclass(frozen=True, slots=True)
class File:
    """A Parquet file of the repository.

    Attributes:
        table: Table it belongs to.
        path: Path relative to the repository's root.
        rows: Number of rows.
        bytes: Size of the file.
        lo: Start of its earliest slice, ns since the epoch (0 for tables without time).
        hi: End of its latest slice.
        sum: Checksum of its content, as from `file_sum`; "" in commits of version 2.
    """

    table: str
    path: str
    rows: int
    bytes: int
    lo: int
    hi: int
    sum: str = ""


#: Returns the row of a file in a commit.
file_row = attrgetter(*(field.name for field in fields(File)))


@dataclass(frozen=True)
class Day:
    """The entry of a day in a checkpoint of the log.

    Attributes:
        day: The day as in the paths of its files, such as date=2026-11-21 or ended=2026-11-21; ""
            for files without time.
        name: Name of the piece that lists the day's files.
        lo: Start of the earliest slice in these files, ns since the epoch.
        hi: End of the latest slice in these files, ns since the epoch.
    """

    day: str
    name: str
    lo: int
    hi: int


class FileDays:
    """The files of a repository by table and day."""

    def __init__(self, pieces: Pieces, days: Iterable[Day] = ()) -> None:
        """Start from a checkpoint.

        Args:
            pieces: Reads and writes pieces.
            days: The days in the checkpoint.
        """
        self._pieces = pieces
        self._days = {day.day: day for day in days}
        self._added: dict[str, dict[str, File]] = {}
        self._removed: set[str] = set()
        #: Unusable pieces -> the reason, and start and end of the missing files, ns.
        self.lost: dict[str, tuple[str, tuple[int, int]]] = {}

    @property
    def days(self) -> list[Day]:
        """The days in the checkpoint."""
        return list(self._days.values())

    @property
    def newest_ns(self) -> int:
        """End of the newest slice, ns since the epoch; empty days count as well."""
        added = (file.hi for files in self._added.values() for file in files.values())
        return max((*(day.hi for day in self._days.values()), *added), default=0)

    def newest_of(self, table: str) -> int:
        """Return the end of a table's newest slice, ns since the epoch; reads the last days."""
        newest = max((file.hi for file in self._added.get(table, {}).values()), default=0)
        for day in sorted(self._days.values(), key=lambda day: day.hi, reverse=True):
            if day.hi <= newest:
                break
            files = self._listed(day).reaching(table, *_EVER, self._removed)
            newest = max((newest, *(file.hi for file in files)))
        return newest

    def change(self, add: Iterable[File] = (), remove: Iterable[str] = ()) -> None:
        """Remove files by their paths, then add files."""
        for path in remove:
            if self._added.get(_table_of(path), {}).pop(path, None) is None:
                self._removed.add(path)
        for file in add:
            self._added.setdefault(_table_of(file.path), {})[file.path] = file

    def reaching(self, table: str, lo: int = _EVER[0], hi: int = _EVER[1]) -> list[File]:
        """Return the files of a table that overlap a span, ns since the epoch."""
        result = []
        for day in list(self._days.values()):
            # Tables without time have a separate day.
            if (day.hi > lo and day.lo < hi) or not day.day:
                result += self._listed(day).reaching(table, lo, hi, self._removed)
        added = list(self._added.get(table, {}).values())
        return result + [file for file in added if file.hi > lo and file.lo < hi]

    def __iter__(self) -> Iterator[File]:
        """Yield all files."""
        for day in list(self._days.values()):
            listed = self._listed(day)
            for table in listed.tables:
                yield from listed.reaching(table, *_EVER, self._removed)
        for files in list(self._added.values()):
            yield from list(files.values())

    def __contains__(self, path: str) -> bool:
        """Return whether a file, by its path, is in the repository."""
        if path in self._added.get(_table_of(path), ()):
            return True
        day = self._days.get(_day_of(path))
        return day is not None and path not in self._removed and path in self._listed(day).paths

    def write(self) -> None:
        """Write the days that changed as new pieces.

        Raises:
            DamageError: A piece cannot be read.
            OSError: A piece cannot be written.
        """
        changed: dict[str, dict[str, File]] = defaultdict(dict)
        for path in self._removed:
            changed[_day_of(path)] = {}
        for files in self._added.values():
            for path, file in files.items():
                changed[_day_of(path)][path] = file
        days = dict(self._days)
        for key, added in changed.items():
            old = days.pop(key, None)
            listed = _Listed.of(added.values())
            if old is not None:
                rows = self._read(old).rows
                kept = [
                    path not in self._removed and path not in added
                    for path in rows["path"].to_pylist()
                ]
                listed = _Listed(pa.concat_tables([rows.filter(pa.array(kept)), listed.rows]))
            if len(listed.rows):
                days[key] = listed.write(key, self._pieces)
        self._days = dict(sorted(days.items()))
        self._added, self._removed = {}, set()

    def drop_lost(self) -> None:
        """Drop the days of which the pieces cannot be used."""
        self._days = {key: day for key, day in self._days.items() if day.name not in self.lost}
        self.lost = {}

    def _listed(self, day: Day) -> _Listed:
        """Return the files of a day; none if its piece cannot be used."""
        try:
            return self._read(day)
        except DamageError as error:
            span = (day.lo, day.hi) if day.day else (0, 2**63 - 1)
            self.lost[day.name] = (str(error), span)
            return _Listed.of(())

    def _read(self, day: Day) -> _Listed:
        known = self._pieces.known(day.name)
        if known is None:
            data = self._pieces.read(day.name)
            try:
                known = _Listed(pq.ParquetFile(pa.BufferReader(data)).read(_SCHEMA.names))
            except (pa.ArrowException, OSError, KeyError) as error:
                raise DamageError(f"it is no list of files ({error})") from error
            self._pieces.remember(day.name, known)
        assert isinstance(known, _Listed)
        return known


_SCHEMA = pa.schema(
    [(field.name, pa.string() if field.type == "str" else pa.int64()) for field in fields(File)]
)


class _Listed:
    """The files of one day, sorted by table."""

    def __init__(self, rows: pa.Table) -> None:
        rows = rows.sort_by([("table", "ascending"), ("lo", "ascending"), ("path", "ascending")])
        self.rows = rows.combine_chunks()
        self.tables = pa.compute.unique(rows["table"]).to_pylist()

    @staticmethod
    def of(files: Iterable[File]) -> _Listed:
        columns = zip(*map(file_row, files), strict=True)
        values = list(columns) or [()] * len(_SCHEMA)
        return _Listed(pa.table(dict(zip(_SCHEMA.names, values, strict=True)), schema=_SCHEMA))

    @cached_property
    def paths(self) -> frozenset[str]:
        return frozenset(self.rows["path"].to_pylist())

    @cached_property
    def _spans(self) -> dict[str, tuple[int, NDArray[np.int64], NDArray[np.int64]]]:
        """For each table: index of its first file in the list, and lo and hi of its files."""
        ends = pa.compute.value_counts(self.rows["table"]).to_pylist()
        first, spans = 0, {}
        lo, hi = (self.rows[name].to_numpy() for name in ("lo", "hi"))
        for entry in ends:  # in the order of the rows, which are sorted
            until = first + entry["counts"]
            spans[entry["values"]] = (first, lo[first:until], hi[first:until])
            first = until
        return spans

    def reaching(self, table: str, lo: int, hi: int, but: set[str]) -> list[File]:
        first, begins, ends = self._spans.get(table, (0, _NONE, _NONE))
        which = first + np.flatnonzero((ends > lo) & (begins < hi))
        if not len(which):
            return []
        rows = self.rows.slice(int(which[0]), int(which[-1] - which[0]) + 1)
        if len(rows) > len(which):
            rows = rows.take(pa.array((which - which[0]).tolist(), pa.int64()))
        files = (File(*row) for row in zip(*rows.to_pydict().values(), strict=True))
        return [file for file in files if file.path not in but]

    def write(self, day: str, pieces: Pieces) -> Day:
        sink = pa.BufferOutputStream()
        pq.write_table(self.rows, sink, compression="zstd")
        kind = f"files-{day.removeprefix('date=').replace('=', '-') or 'always'}"
        name = pieces.write(kind, ".parquet", sink.getvalue().to_pybytes())
        pieces.remember(name, self)
        lo, hi = self.rows["lo"].to_numpy().min(), self.rows["hi"].to_numpy().max()
        return Day(day, name, int(lo), int(hi))


_NONE = np.zeros(0, dtype=np.int64)


def _table_of(path: str) -> str:
    return path.partition("/")[0]


def _day_of(path: str) -> str:
    part = path.split("/")[1]
    return part if part.startswith(("date=", "ended=")) else ""
