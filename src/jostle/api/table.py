"""Class `Table`: rows stored as Arrow, read as typed rows, data frames or a short display."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import pyarrow as pa
import pyarrow.compute as pc

from jostle.api import html
from jostle.api.errors import MissingPackageError, with_hints
from jostle.report.format.moments import utc
from jostle.report.format.values import byte_count, count, duration, significant
from jostle.schema.metrics import BY_ID
from jostle.values.plain_values import one_line

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Row = TypeVar("Row")

_BATCH = 8192  # rows that are made at once
_MOST_ROWS, _EDGE_ROWS = 20, 8  # a display shows all rows, or the first and the last
_MOST_COLUMNS = 14
_LONGEST = 40  # characters of a cell in a terminal
_INSTANT = pa.timestamp("us", "UTC")
_TIMES = {"submit_ns": "submit", "start_ns": "start", "end_ns": "end"}


class Table(Generic[Row]):
    """Rows of one kind, which can be iterated, indexed, or converted to a data frame.

    Times are in UTC, to the microsecond: timestamps in data frames, `datetime` in rows. Other
    libraries can read a table without a copy (`__arrow_c_stream__`).
    """

    def __init__(
        self,
        content: pa.Table,
        row: Callable[[dict[str, Any]], Row],
        what: str,
        *,
        shown: Sequence[str] = (),
        plain: bool = False,
        fine: bool = False,
    ) -> None:
        """Create a table.

        Args:
            content: The rows.
            row: Function that creates a row from its values by column.
            what: Name of the rows, in the plural: `jobs`.
            shown: Names of the columns that displays show; empty: the first columns.
            plain: Whether displays show numbers unchanged, without units.
            fine: Whether displays show times to the millisecond, for slices shorter than a second.
        """
        self._content = content
        self._row = row
        self._what = what
        self._shown = list(shown or content.column_names[:_MOST_COLUMNS])
        self._plain = plain
        self._fine = fine

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self._content.column_names)

    def arrow(self) -> pa.Table:
        """Return the rows as a pyarrow.Table."""
        return self._content

    @with_hints
    def pandas(self) -> pd.DataFrame:
        """Return the rows as a pandas data frame.

        Raises:
            MissingPackageError: pandas is not installed.
        """
        try:
            import pandas  # noqa: F401
        except ImportError as error:
            raise MissingPackageError("pandas") from error
        return self._content.to_pandas()

    @with_hints
    def polars(self) -> pl.DataFrame:
        """Return the rows as a polars data frame.

        Raises:
            MissingPackageError: polars is not installed.
        """
        try:
            import polars
        except ImportError as error:
            raise MissingPackageError("polars") from error
        frame = polars.from_arrow(self._content)
        assert isinstance(frame, polars.DataFrame)
        return frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Pass the rows to another library (the Arrow PyCapsule interface)."""
        return self._content.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return int(self._content.num_rows)

    def __iter__(self) -> Iterator[Row]:
        for begin in range(0, len(self), _BATCH):
            yield from self._rows(self._content.slice(begin, _BATCH))

    @overload
    def __getitem__(self, key: int) -> Row: ...
    @overload
    def __getitem__(self, key: slice) -> Table[Row]: ...
    def __getitem__(self, key: int | slice) -> Row | Table[Row]:
        if not isinstance(key, int | slice):
            raise TypeError(
                "a table is indexed by a number or a slice; for columns use .pandas() or .polars()"
            )
        if isinstance(key, slice):
            places = range(*key.indices(len(self)))
            part = self._content.take(pa.array(places, pa.int64()))
            return Table(
                part, self._row, self._what, shown=self._shown, plain=self._plain, fine=self._fine
            )
        place = key + len(self) if key < 0 else key
        if not 0 <= place < len(self):
            raise IndexError(f"row {key} of {len(self)}")
        return self._rows(self._content.slice(place, 1))[0]

    def _rows(self, part: pa.Table) -> list[Row]:
        return [self._row(values) for values in _values(part)]

    def _size(self) -> str:
        """Return the number of rows, and the number of columns that a display leaves out."""
        hidden = len(self.columns) - len(self._shown)
        rest = f"; {count(hidden)} more columns" if hidden else ""
        return f"{count(len(self))} {self._what}{rest}"

    def _display(self) -> tuple[list[bool], list[list[str]], int]:
        """Return the content of a display.

        Returns:
            Whether each column has numbers; the cells of each row; and the number of rows before
            those that are left out, 0 if none are.
        """
        part = self._content.select(self._shown)
        numbers = [is_number(part.schema.field(name).type) for name in self._shown]
        after = 0
        if len(self) > _MOST_ROWS:
            after = _EDGE_ROWS
            part = pa.concat_tables([part.slice(0, after), part.slice(len(self) - after)])
        cells = [
            [self._cell(name, values[name]) for name in self._shown] for values in _values(part)
        ]
        return numbers, cells, after

    def _cell(self, name: str, value: Any) -> str:
        if value is None or value == []:
            return "-"
        if isinstance(value, datetime):
            fraction = f".{value.microsecond // 1000:03d}" if self._fine else ""
            return f"{value:%Y-%m-%d %H:%M:%S}{fraction}"
        if isinstance(value, list):
            return ", ".join(map(str, value[:4])) + (", …" if len(value) > 4 else "")
        if self._plain or isinstance(value, bool) or not isinstance(value, int | float):
            return str(value)
        unit = BY_ID[name].unit if name in BY_ID else ""
        if unit == "bytes" or name.endswith("_bytes"):
            return byte_count(value)
        if unit == "ns" or name.endswith("_ns"):
            return duration(value)
        if name == "seconds" or name.endswith("_s"):
            return duration(value * 1e9)
        return str(value) if isinstance(value, int) else significant(value)

    def __repr__(self) -> str:
        numbers, rows, after = self._display()
        cells = [[_clipped(cell) for cell in row] for row in [self._shown, *rows]]
        if after:
            cells.insert(after + 1, ["…"] * len(self._shown))
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        room, fit = shutil.get_terminal_size((100, 24)).columns, 0
        while fit < len(widths) and sum(widths[: fit + 1]) + 2 * fit <= room:
            fit += 1
        lines = [
            "  ".join(
                cell.rjust(width) if number else cell.ljust(width)
                for cell, width, number in zip(row[:fit], widths, numbers, strict=False)
            ).rstrip()
            for row in cells
        ]
        hidden = len(self.columns) - fit
        rest = f"; {count(hidden)} more columns" if hidden else ""
        return "\n".join([*lines, f"{count(len(self))} {self._what}{rest}"])

    def _repr_html_(self) -> str:
        numbers, rows, after = self._display()
        shown = [[html.name(cell) for cell in row] for row in rows]
        if after:
            shown.insert(after, ["…"] * len(self._shown))
        aligns: list[html.Align] = ["right" if number else "left" for number in numbers]
        columns = list(zip(self._shown, aligns, strict=True))
        return html.box(html.table(columns, shown, wrap=False), html.note(self._size()))


def is_number(kind: pa.DataType) -> bool:
    """Return whether a column holds numbers."""
    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )


def stamped(content: pa.Table) -> pa.Table:
    """Return a table with timestamps `start` and `end` in place of `start_ns` and `end_ns`.

    A time of 0 means that the time is not known; it becomes null.
    """
    for name, stamp in _TIMES.items():
        if name in content.column_names:
            content = content.set_column(
                content.column_names.index(name), stamp, instants(content.column(name))
            )
    return content


def instants(ns: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return ns since the epoch as timestamps in UTC; 0 (not known) becomes null."""
    # In microseconds: without pandas, pyarrow cannot convert nanoseconds to datetime.
    return pc.if_else(pc.equal(ns, 0), None, pc.divide(ns, 1000)).cast(_INSTANT)


def _values(part: pa.Table) -> Iterator[dict[str, Any]]:
    """Yield the values of each row by column, times as `datetime`."""
    times = [
        name
        for name, field in zip(part.column_names, part.schema, strict=True)
        if pa.types.is_timestamp(field.type)
    ]
    for name in times:  # pyarrow's datetime depends on what else is installed, and fails for ns
        index = part.column_names.index(name)
        column = part.column(name).cast(_INSTANT, safe=False).cast(pa.int64())
        part = part.set_column(index, name, column)
    for values in part.to_pylist():
        for name in times:
            if values[name] is not None:
                values[name] = utc(1000 * values[name])
        yield values


def _clipped(cell: str) -> str:
    line = one_line(cell)
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
