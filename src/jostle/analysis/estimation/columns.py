"""Reads columns of Arrow tables as numpy arrays, and groups them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


def floats(table: pa.Table, name: str) -> Floats:
    """Return a column as numbers; zeros where the table has none of the name."""
    if name not in table.column_names:
        return np.zeros(table.num_rows)
    column = table.column(name)
    parts = [chunk.to_numpy(zero_copy_only=False) for chunk in column.chunks]
    values: Floats = np.concatenate([np.empty(0), *parts])
    return np.nan_to_num(values, nan=0.0, copy=False) if column.null_count else values


def some_floats(table: pa.Table, names: Iterable[str]) -> dict[str, Floats]:
    """Return those columns that are not zero throughout, by their names: most columns are."""
    known = set(table.column_names)
    some = [name for name in names if name in known and _any(table.column(name))]
    columns = {name: floats(table, name) for name in some}
    return {name: values for name, values in columns.items() if values.any()}


def _any(column: pa.ChunkedArray) -> bool:
    return any(chunk.to_numpy(zero_copy_only=False).any() for chunk in column.chunks)


def lists(table: pa.Table, name: str) -> tuple[Ints, Floats]:
    """Return a column of lists: of each of its values the row, and the value."""
    if name not in table.column_names or not table.num_rows:
        return np.empty(0, np.int64), np.empty(0)
    column: Any = table.column(name).combine_chunks()
    if isinstance(column, pa.ChunkedArray):
        column = column.chunk(0)
    offsets = column.offsets.to_numpy().astype(np.int64)
    values = column.values.to_numpy(zero_copy_only=False)[offsets[0] : offsets[-1]]
    return np.repeat(np.arange(len(column)), np.diff(offsets)), values.astype(np.float64)


def summed(rows: Ints, weights: Floats, count: int) -> Floats:
    """Add weights up by their row."""
    result: Floats = np.bincount(rows, weights=weights, minlength=count).astype(np.float64)
    return result


def share(part: Floats, whole: Floats) -> Floats:
    """Return part / whole, 0 where there is no whole."""
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Floats = part / whole
    result[~(whole > 0)] = 0.0
    return result


def numbered(values: NDArray[Any]) -> Ints:
    """Assign numbers to values from 0, equal ones alike, in order of their first; by hashing."""
    encoded: Any = pa.array(values).dictionary_encode()
    result: Ints = encoded.indices.to_numpy().astype(np.int64)
    return result


def numbered_pairs(first: Ints, second: Ints) -> Ints:
    """Assign numbers to pairs of small numbers from 0."""
    return numbered(first * (int(second.max(initial=0)) + 1) + second)


def ordered(group: Ints, value: Floats | None = None) -> Ints:
    """Return the order by group, and within a group by value, or as they are."""
    if value is None:
        return np.argsort(_short(group), kind="stable")
    by_value = np.argsort(value)
    return by_value[np.argsort(_short(group[by_value]), kind="stable")]


def grouped(group: Ints) -> tuple[Ints, Ints]:
    """Return the order by group, as they are within one, and where in it each group begins.

    Returns:
        The order, and of n groups n + 1 places: the rows of group g are order[at[g] : at[g + 1]].
    """
    return ordered(group), np.concatenate([[0], np.cumsum(np.bincount(group))]).astype(np.int64)


def _short(group: Ints) -> NDArray[Any]:
    """Make small numbers short: of 16 bits they are sorted ten times as fast."""
    return group.astype(np.uint16) if int(group.max(initial=0)) < 1 << 16 else group
