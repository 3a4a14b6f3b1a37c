"""Readers of Arrow columns as numpy arrays, shared by all packages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def ints(table: pa.Table, name: str) -> Ints:
    """Return a column of numbers as int64, shape (rows,); null is 0.

    Raises:
        KeyError: The table has no such column.
    """
    column = table.column(name)
    if column.null_count:  # else they become floats, which cannot hold nanoseconds exactly
        column = column.cast(pa.int64(), safe=False).fill_null(0)
    chunk = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    values: Ints = chunk.to_numpy(zero_copy_only=False)
    return values.astype(np.int64, copy=False)


def ints_or_zeros(table: pa.Table, name: str) -> Ints:
    """Return a column of numbers as int64, shape (rows,); zeros where there is no such column."""
    if table.schema.get_field_index(name) < 0:  # `column_names` makes a list of hundreds of names
        return np.zeros(table.num_rows, dtype=np.int64)
    return ints(table, name)


def floats(table: pa.Table, name: str) -> Floats:
    """Return a column as float64, shape (rows,); null is 0, zeros where there is no such column."""
    if name not in table.column_names:
        return np.zeros(table.num_rows)
    column = table.column(name)
    parts = [chunk.to_numpy(zero_copy_only=False) for chunk in column.chunks]
    values: Floats = np.concatenate([np.empty(0), *parts])
    return np.nan_to_num(values, nan=0.0, copy=False) if column.null_count else values


def some_floats(table: pa.Table, names: Iterable[str]) -> dict[str, Floats]:
    """Return the columns that hold a value other than zero, by name; most are all zero."""
    known = set(table.column_names)
    some = [name for name in names if name in known and _any(table.column(name))]
    columns = {name: floats(table, name) for name in some}
    return {name: values for name, values in columns.items() if values.any()}


def _any(column: pa.ChunkedArray) -> bool:
    return any(chunk.to_numpy(zero_copy_only=False).any() for chunk in column.chunks)


def lists(table: pa.Table, name: str) -> tuple[Ints, Floats]:
    """Return the row and the value of each element of a column of lists."""
    if name not in table.column_names or not table.num_rows:
        return np.empty(0, np.int64), np.empty(0)
    column: Any = table.column(name).combine_chunks()
    if isinstance(column, pa.ChunkedArray):
        column = column.chunk(0)
    offsets = column.offsets.to_numpy().astype(np.int64)
    values = column.values.to_numpy(zero_copy_only=False)[offsets[0] : offsets[-1]]
    return np.repeat(np.arange(len(column)), np.diff(offsets)), values.astype(np.float64)
