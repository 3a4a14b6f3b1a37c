"""Sums, shares, numbers and groups of numpy columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


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
