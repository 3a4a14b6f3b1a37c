"""Helpers for numpy columns: sums by group, shares, and numbering and grouping of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


def summed(rows: Ints, weights: Floats, count: int) -> Floats:
    """Return the sum of weights for each row number from 0 to `count` - 1, [count].

    Args:
        rows: Row number of each weight, [n].
        weights: The weights, [n].
        count: Number of rows.
    """
    result: Floats = np.bincount(rows, weights=weights, minlength=count).astype(np.float64)
    return result


def share(part: Floats, whole: Floats) -> Floats:
    """Return part / whole, 0 where whole is not positive."""
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Floats = part / whole
    result[~(whole > 0)] = 0.0
    return result


def numbered(values: NDArray[Any]) -> Ints:
    """Return the number of each value: distinct values are numbered from 0 as they first occur."""
    encoded: Any = pa.array(values).dictionary_encode()
    result: Ints = encoded.indices.to_numpy().astype(np.int64)
    return result


def numbered_pairs(first: Ints, second: Ints) -> Ints:
    """Return the number of each pair: distinct pairs of small integers are numbered from 0."""
    return numbered(first * (int(second.max(initial=0)) + 1) + second)


def ordered(group: Ints, value: Floats | None = None) -> Ints:
    """Return the indices that sort rows by group, and within a group by value.

    Without values, rows of a group keep their order.
    """
    if value is None:
        return np.argsort(_short(group), kind="stable")
    by_value = np.argsort(value)
    return by_value[np.argsort(_short(group[by_value]), kind="stable")]


def grouped(group: Ints) -> tuple[Ints, Ints]:
    """Sort rows by group, stable within a group.

    Returns:
        The order, and n + 1 boundaries for n groups: the rows of group g are
        order[boundary[g] : boundary[g + 1]].
    """
    return ordered(group), np.concatenate([[0], np.cumsum(np.bincount(group))]).astype(np.int64)


def _short(group: Ints) -> NDArray[Any]:
    """Convert numbers to 16 bits if they fit, since numpy sorts these ten times as fast."""
    return group.astype(np.uint16) if int(group.max(initial=0)) < 1 << 16 else group
