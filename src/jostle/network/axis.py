"""Converts rows of slices to a time axis of slices of a different length."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.values.arrow_columns import ints

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


#: Latest end of a slice, ns after the beginning of an axis.
_END_NS = 1 << 62


def portions(table: pa.Table, axis: tuple[int, int, int], most: int) -> Iterator[slice]:
    """Divide a table into groups of consecutive rows, so that `on_axis` of each needs less memory.

    Args:
        table: Rows with slices, as for `on_axis`.
        axis: Time axis, as for `on_axis`.
        most: Largest number of overlaps with slices of the axis that `on_axis` returns for a group;
            a group of one row may have more.
    """
    step_ns, span = ints(table, "slice_ns"), ints(table, "span")
    meets = np.clip(step_ns.astype(np.float64) * span / axis[1] + 2, 1, axis[2])
    if len(meets) and _all(step_ns, axis[1]) and _all(span, 1):
        meets = np.ones(len(meets))
    ends = np.cumsum(meets)
    begin = 0
    while begin < len(ends):
        reached = (ends[begin - 1] if begin else 0.0) + most
        end = max(int(np.searchsorted(ends, reached, "right")), begin + 1)
        yield slice(begin, end)
        begin = end


def on_axis(table: pa.Table, axis: tuple[int, int, int]) -> tuple[Ints | slice, Ints, Floats]:
    """Return the parts of the rows of a table that are in each slice of an axis.

    Args:
        table: With columns slice, slice_ns and span.
        axis: Start ns, length ns and number of the slices.

    Returns:
        Row (a Python slice for all rows in order), slice and part of each overlap.
    """
    start, step, count = axis
    begin, step_ns, span = (ints(table, name) for name in ("slice", "slice_ns", "span"))
    if not len(begin):
        return slice(None), begin, np.zeros(0)
    if start % step == 0 and _all(step_ns, step) and _all(span, 1):  # the slices of the axis
        at = begin - start // step
        if at.min() >= 0 and at.max() < count:
            return slice(None), at, np.ones(1)
    step_ns = np.maximum(step_ns, 1)
    begin = begin * step_ns - start
    # A damaged profile may have any length; its end must not overflow.
    length = step_ns * np.clip(span, 1, np.maximum((_END_NS - begin) // step_ns, 1))
    first = np.clip(begin // step, 0, count)
    last = np.clip(-(-(begin + length) // step), first, count)
    number = last - first
    row = np.repeat(np.arange(len(begin)), number)
    at = first[row] + np.arange(len(row)) - np.repeat(np.cumsum(number) - number, number)
    inside = np.minimum(begin[row] + length[row], (at + 1) * step) - np.maximum(
        begin[row], at * step
    )
    return row, at, inside / length[row]


def _all(values: Ints, value: int) -> bool:
    return bool(values.min() == value == values.max())
