"""Puts rows of slices on an axis of slices of another length."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.arrow_columns import ints

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def on_axis(table: pa.Table, axis: tuple[int, int, int]) -> tuple[Ints, Ints, Floats]:
    """Return which part of each row of a table is in which slice of an axis.

    Args:
        table: With columns slice, slice_ns and span.
        axis: Start ns, length ns and number of the slices.

    Returns:
        Row, slice and part, as often as a row and a slice meet.
    """
    start, step, count = axis
    step_ns = np.maximum(ints(table, "slice_ns"), 1)
    begin = ints(table, "slice") * step_ns - start
    length = step_ns * np.maximum(ints(table, "span"), 1)
    first = np.clip(begin // step, 0, count)
    last = np.clip(-(-(begin + length) // step), first, count)
    number = last - first
    if (
        bool((number == 1).all())
        and bool((begin >= 0).all())
        and bool((begin + length <= count * step).all())
    ):
        return np.arange(len(begin)), first, np.ones(len(begin))
    row = np.repeat(np.arange(len(begin)), number)
    at = first[row] + np.arange(len(row)) - np.repeat(np.cumsum(number) - number, number)
    inside = np.minimum(begin[row] + length[row], (at + 1) * step) - np.maximum(
        begin[row], at * step
    )
    return row, at, inside / length[row]
