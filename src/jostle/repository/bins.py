"""Waiting and off-CPU time in fine bins of the clock; pure functions on columns.

A rank's segment holds one byte per bin of 10 ms << shift: 255 for a bin that passed wholly so. The
first bin is the one that the segment's start lies in, counted from the epoch, so that bins of all
ranks of all nodes lie on one grid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.repository.tables import Ints

BIN_NS = 10_000_000
_FULL = 255
_EXTREMES = {"wait_bins": "wait_min_bins", "offcpu_bins": "offcpu_max_bins"}
_MOST = {"offcpu_bins"}  # of the others the least counts


def flat_bins(
    start_ns: Ints, shift: Ints, column: pa.ChunkedArray, first: int, end: int
) -> tuple[Ints, Ints, NDArray[np.float64]]:
    """Takes the bins of consecutive rows apart.

    Args:
        start_ns: Start of each row.
        shift: Column bin_shift.
        column: wait_bins or offcpu_bins.
        first: First row.
        end: Row after the last.

    Returns:
        Of each bin: the row that it belongs to (from 0 for `first`), its number (k of
        [k w, (k + 1) w), w = BIN_NS << shift of the row), and the time passed so in it (ns).
    """
    part = column.slice(first, end - first).combine_chunks()
    if isinstance(part, pa.ChunkedArray):
        part = part.chunk(0) if part.num_chunks else pa.array([], pa.binary())
    offsets, data = _bytes_of(part)
    counts = np.diff(offsets)
    row = np.repeat(np.arange(len(counts)), counts)
    within = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    width = np.int64(BIN_NS) << shift[first:end].clip(0, 32)
    number = (start_ns[first:end] // width)[row] + within
    share = data[offsets[0] : offsets[-1]].astype(np.float64)
    return row, number, share * width[row] / _FULL


def _bytes_of(part: pa.Array) -> tuple[Ints, NDArray[np.uint8]]:
    """Gives offsets and bytes of a binary column; null is empty."""
    if part.null_count:
        part = part.fill_null(b"")
    _, offsets, data = part.buffers()
    if offsets is None or not len(part):
        return np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.uint8)
    kind: Any = np.int64 if pa.types.is_large_binary(part.type) else np.int32
    places = np.frombuffer(offsets, dtype=kind)[part.offset : part.offset + len(part) + 1]
    raw = np.empty(0, np.uint8) if data is None else np.frombuffer(data, dtype=np.uint8)
    return places.astype(np.int64), raw


def merged_bins(
    spans: Sequence[tuple[int, Ints]],
    start_ns: Ints,
    shift: Ints,
    columns: Mapping[str, pa.ChunkedArray],
    count: int,
) -> dict[str, pa.Array]:
    """Sums the bins of all ranks between common boundaries.

    Args:
        spans: Of each rank its first row, and the rows that end at the boundaries.
        start_ns: Start of each row.
        shift: Column bin_shift.
        columns: wait_bins and offcpu_bins.
        count: Number of boundaries.

    Returns:
        Columns bin_ns (width of the bins), bins_from_ns (start of the first); of each of `columns`
        a list of the time (ns, sum over ranks) in each bin, empty where there is none; and
        wait_min_bins (least wait of a rank in the bin: all waited so long at that time) and
        offcpu_max_bins (most time of a rank off the CPU).
    """
    wide = np.zeros(count, dtype=np.int64)
    flat: dict[str, list[tuple[Ints, Ints, NDArray[np.float64]]]] = {name: [] for name in columns}
    for first, ends in spans:
        if not count:
            break
        segment = np.searchsorted(ends, np.arange(first, int(ends[-1]) + 1))
        for name, column in columns.items():
            row, number, spent = flat_bins(start_ns, shift, column, first, int(ends[-1]) + 1)
            own = shift[first : int(ends[-1]) + 1]
            if len(row):
                np.maximum.at(wide, segment[row], own[row])
            flat[name].append((segment[row], number << own[row], spent))
    low = np.full(count, np.iinfo(np.int64).max)
    high = np.full(count, -1, dtype=np.int64)
    for parts in flat.values():
        for segment, number, _ in parts:  # now in bins of 10 ms
            np.minimum.at(low, segment, number)
            np.maximum.at(high, segment, number)
    some = high >= 0
    low = np.where(some, low, 0) >> wide
    length = np.where(some, (high >> wide) - low + 1, 0)
    begin = np.concatenate([[0], np.cumsum(length)])
    result: dict[str, pa.Array] = {
        "bin_ns": pa.array(np.int64(BIN_NS) << wide, mask=~some),
        "bins_from_ns": pa.array(low * (np.int64(BIN_NS) << wide), mask=~some),
    }
    offsets = pa.array(begin.astype(np.int32))
    for name, parts in flat.items():
        total = np.zeros(int(begin[-1]))
        extreme = np.full(len(total), 0.0 if name in _MOST or not parts else np.inf)
        for segment, number, spent in parts:
            place = begin[segment] + (number >> wide[segment]) - low[segment]
            own_bins = np.bincount(place, weights=spent, minlength=len(total))
            total += own_bins
            (np.maximum if name in _MOST else np.minimum)(extreme, own_bins, out=extreme)
        result[name] = _lists(offsets, total)
        result[_EXTREMES[name]] = _lists(offsets, extreme)
    return result


def _lists(offsets: pa.Array, values: NDArray[np.float64]) -> pa.Array:
    return pa.ListArray.from_arrays(offsets, pa.array(np.rint(values).astype(np.int64)))
