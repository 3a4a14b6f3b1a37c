"""Waiting and off-CPU time in fine bins of the clock; pure functions on columns.

A rank's segment holds one byte per bin of 10 ms << shift: 255 for a bin that passed wholly so. The
first bin is the one that the segment's start lies in, counted from the epoch, so that bins of all
ranks of all nodes lie on one grid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.repository.tables import Ints

BIN_NS = 10_000_000
_FULL = 255
_MOST_SHIFT = 32  # bins of 500 days
_NEVER = np.iinfo(np.int64).max
_SLACK = 16  # bins that clocks and late ranks may add to twice the longest rank's own
_MOST_BINS = 1 << 26  # of all segments: 2 GiB, or a week in bins of 10 ms
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
    offsets, data = _bytes_of(_part(column, first, end))
    counts = np.diff(offsets)
    row = np.repeat(np.arange(len(counts)), counts)
    within = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    width = np.int64(BIN_NS) << shift[first:end].clip(0, _MOST_SHIFT)
    number = (start_ns[first:end] // width)[row] + within
    share = data[offsets[0] : offsets[-1]].astype(np.float64)
    return row, number, share * width[row] / _FULL


def _part(column: pa.ChunkedArray, first: int, end: int) -> pa.Array:
    part = column.slice(first, end - first).combine_chunks()
    if isinstance(part, pa.ChunkedArray):
        part = part.chunk(0) if part.num_chunks else pa.array([], pa.binary())
    return part


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


@dataclass(frozen=True)
class _Grid:
    """Where the bins of the merged segments lie.

    Attributes:
        wide: Shift of each segment's bins: the widest that a rank has there.
        low: Number of its first bin, of that width.
        begin: Place of that bin among all bins, and the end of the last.
        some: It has any.
        apart: Segments that have none, because their ranks' bins lie too far apart.
    """

    wide: Ints
    low: Ints
    begin: Ints
    some: NDArray[np.bool_]
    apart: int


def merged_bins(
    spans: Sequence[tuple[int, Ints]],
    start_ns: Ints,
    shift: Ints,
    columns: Mapping[str, pa.ChunkedArray],
    count: int,
) -> tuple[dict[str, pa.Array], int]:
    """Sums the bins of all ranks between common boundaries.

    Where ranks' clocks differ by more than a segment takes, bins compare what was not at the same
    time, and reach from the one clock to the other: such a segment gets none.

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
        offcpu_max_bins (most time of a rank off the CPU). And the number of segments whose ranks
        lie too far apart for bins.
    """
    shift = shift.clip(0, _MOST_SHIFT)
    spans = spans if count else []
    grid = _grid(spans, start_ns, shift, columns, count)
    width = np.int64(BIN_NS) << grid.wide
    result: dict[str, pa.Array] = {
        "bin_ns": pa.array(width, mask=~grid.some),
        "bins_from_ns": pa.array(grid.low * width, mask=~grid.some),
    }
    offsets = pa.array(grid.begin.astype(np.int32))
    for name, column in columns.items():
        total = np.zeros(int(grid.begin[-1]))
        extreme = np.full(len(total), 0.0 if name in _MOST or not spans else np.inf)
        # RATIONALE: one rank at a time, so that 64 ranks of a million segments fit into memory.
        for first, ends in spans:
            own_bins = _on_grid(grid, first, ends, start_ns, shift, column)
            total += own_bins
            (np.maximum if name in _MOST else np.minimum)(extreme, own_bins, out=extreme)
        result[name] = _lists(offsets, total)
        result[_EXTREMES[name]] = _lists(offsets, extreme)
    return result, grid.apart


def _grid(
    spans: Sequence[tuple[int, Ints]],
    start_ns: Ints,
    shift: Ints,
    columns: Mapping[str, pa.ChunkedArray],
    count: int,
) -> _Grid:
    """Finds the bins that the merged segments need (arguments as for `merged_bins`)."""
    wide, longest = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    low, high = np.full(count, _NEVER), np.full(count, -1, dtype=np.int64)
    for first, ends in spans:  # in bins of 10 ms
        rows = slice(first, int(ends[-1]) + 1)
        own, number = shift[rows], start_ns[rows] // BIN_NS
        bins = np.zeros(len(own), dtype=np.int64)
        for column in columns.values():
            offsets, _ = _bytes_of(_part(column, first, rows.stop))
            bins = np.maximum(bins, np.diff(offsets))
        begin = number >> own << own
        starts = np.concatenate([[0], ends[:-1] + 1 - first])
        least = np.minimum.reduceat(np.where(bins > 0, begin, _NEVER), starts)
        most = np.maximum.reduceat(np.where(bins > 0, begin + ((bins - 1) << own), -1), starts)
        wide = np.maximum(wide, np.maximum.reduceat(np.where(bins > 0, own, 0), starts))
        longest = np.maximum(longest, most - least + 1)
        low, high = np.minimum(low, least), np.maximum(high, most)
    some = high >= 0
    low = np.where(some, low, 0) >> wide
    length = np.where(some, (high >> wide) - low + 1, 0)
    near = length <= 2 * (longest >> wide) + _SLACK
    shortest = np.argsort(length, kind="stable")  # a clock that jumps: the longest give way
    near[shortest] &= np.cumsum(np.where(near, length, 0)[shortest]) <= _MOST_BINS
    begin = np.concatenate([[0], np.cumsum(np.where(near, length, 0))])
    return _Grid(wide, low, begin, some & near, int((some & ~near).sum()))


def _on_grid(
    grid: _Grid, first: int, ends: Ints, start_ns: Ints, shift: Ints, column: pa.ChunkedArray
) -> NDArray[np.float64]:
    """Gives the time of one rank in each bin of the merged segments, ns."""
    after = int(ends[-1]) + 1
    row, number, spent = flat_bins(start_ns, shift, column, first, after)
    segment = np.searchsorted(ends, np.arange(first, after))[row]
    place = (number << shift[first:after][row] >> grid.wide[segment]) - grid.low[segment]
    place += grid.begin[segment]
    kept = grid.some[segment]
    if not kept.all():
        place, spent = place[kept], spent[kept]
    return np.bincount(place, spent, minlength=int(grid.begin[-1])).astype(np.float64, copy=False)


def _lists(offsets: pa.Array, values: NDArray[np.float64]) -> pa.Array:
    return pa.ListArray.from_arrays(offsets, pa.array(np.rint(values).astype(np.int64)))
