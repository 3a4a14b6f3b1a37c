"""Merges waiting and off-CPU time in fine time bins. Pure functions on columns.

A rank's segment has one byte per bin of 10 ms << shift; 255 means that the rank waited (or was off
the CPU) for the whole bin. Bins are counted from the epoch (1970), and the first one has the
segment's start, so that bins of all ranks on all nodes are on one grid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.repository.segments.sums import coarse
from jostle.repository.store.layout import SEGMENT_BINS
from jostle.repository.store.tables import Ints
from jostle.schema.profile import BIN_NS
from jostle.values.arrow_columns import ints

_FULL = 255
_MOST_SHIFT = 32  # bins of 500 days
_NEVER = np.iinfo(np.int64).max
_SLACK = 16  # bins in addition to twice those of the longest rank, for clocks and late ranks
_MOST_BINS = 1 << 26  # of all segments: 2 GiB, or a week in bins of 10 ms
_EXTREMES = {"wait_bins": "wait_min_bins", "offcpu_bins": "offcpu_max_bins"}
_MOST = {"offcpu_bins"}  # for the others the minimum over ranks


def flat_bins(
    start_ns: Ints, shift: Ints, column: pa.ChunkedArray
) -> tuple[Ints, Ints, NDArray[np.float64]]:
    """Return the bins of rows as flat arrays.

    Args:
        start_ns: Start of each row.
        shift: Shift of each row's bins.
        column: Column wait_bins or offcpu_bins.

    Returns:
        For each bin: its row, its number (k of [k w, (k + 1) w),
        w = BIN_NS << shift of the row), and the waiting or off-CPU time in it (ns).
    """
    offsets, data = _bytes_of(_whole(column))
    counts = np.diff(offsets)
    row = np.repeat(np.arange(len(counts)), counts)
    within = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    width = np.int64(BIN_NS) << shift
    number = (start_ns // width)[row] + within
    share = data[offsets[0] : offsets[-1]].astype(np.float64)
    return row, number, share * width[row] / _FULL


def _whole(column: pa.ChunkedArray) -> pa.Array:
    if column.num_chunks == 1:
        return column.chunk(0)
    part = column.combine_chunks()
    if isinstance(part, pa.ChunkedArray):
        part = part.chunk(0) if part.num_chunks else pa.array([], pa.binary())
    return part


def _bytes_of(part: pa.Array) -> tuple[Ints, NDArray[np.uint8]]:
    """Return offsets and bytes of a binary column; null is empty."""
    if part.null_count:
        part = part.fill_null(b"")
    _, offsets, data = part.buffers()
    if offsets is None or not len(part):
        return np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.uint8)
    kind: Any = np.int64 if pa.types.is_large_binary(part.type) else np.int32
    at = np.frombuffer(offsets, dtype=kind)[part.offset : part.offset + len(part) + 1]
    raw = np.empty(0, np.uint8) if data is None else np.frombuffer(data, dtype=np.uint8)
    return at.astype(np.int64), raw


@dataclass(frozen=True)
class _Grid:
    """The bins of the merged segments.

    Attributes:
        wide: Shift of each segment's bins: that of the rank with the widest bins.
        low: Number of each segment's first bin, counted from the epoch in bins of that width.
        begin: Index of each segment's first bin among all bins; then the number of all bins.
        some: Whether each segment has bins.
        apart: Number of segments without bins since their ranks' bins are too far apart.
    """

    wide: Ints
    low: Ints
    begin: Ints
    some: NDArray[np.bool_]
    apart: int


def bin_counts(rows: pa.Table) -> Ints:
    """Return the number of bins of each row of table segments."""
    counts = np.zeros(rows.num_rows, dtype=np.int64)
    for name in SEGMENT_BINS:
        counts = np.maximum(counts, np.diff(_bytes_of(_whole(rows.column(name)))[0]))
    return counts


class MergedBins:
    """Sums of the bins of all ranks between common boundaries.

    If ranks' clocks differ by more than a segment takes, its bins would compare different times,
    and would extend from the earliest clock to the latest: such a segment gets no bins.

    Attributes:
        apart: Number of segments whose ranks are too far apart in time for bins.
    """

    def __init__(
        self,
        spans: Sequence[tuple[int, Ints]],
        start_ns: Ints,
        counts: NDArray[np.integer[Any]],
        shift: NDArray[np.integer[Any]],
        count: int,
    ) -> None:
        """Find the bins that the merged segments need.

        Args:
            spans: First row of each rank, and the rows that end at the boundaries.
            start_ns: Start of each row of all ranks.
            counts: Number of bins of each row.
            shift: Column bin_shift.
            count: Number of boundaries.
        """
        self._grid = _grid(spans if count else [], start_ns, counts, shift, count)
        self.apart = self._grid.apart
        number = int(self._grid.begin[-1])
        self._totals = {name: np.zeros(number) for name in SEGMENT_BINS}
        self._extremes = {
            name: np.full(number, 0.0 if name in _MOST or not spans else np.inf)
            for name in SEGMENT_BINS
        }

    def add(self, rows: pa.Table, ends: Ints) -> None:
        """Add the bins of a rank.

        Args:
            rows: Rows of the rank in table segments.
            ends: Rows that end at the common boundaries, counted from the rank's first row.
        """
        if not len(ends):
            return
        for name in SEGMENT_BINS:
            own = _on_grid(self._grid, rows, name, ends)
            self._totals[name] += own
            extreme = self._extremes[name]
            (np.maximum if name in _MOST else np.minimum)(extreme, own, out=extreme)

    def columns(self) -> dict[str, pa.Array]:
        """Return the columns of the merged segments.

        Returns:
            bin_ns (width of the bins); bins_from_ns (start of the first); for each of SEGMENT_BINS
            a list of the time (ns, sum over ranks) in each bin, empty if the segment has no bins;
            wait_min_bins (shortest wait of a rank in the bin: all ranks waited at least so long);
            offcpu_max_bins (longest time of a rank off the CPU in the bin).
        """
        width = np.int64(BIN_NS) << self._grid.wide
        none = ~self._grid.some
        result: dict[str, pa.Array] = {
            "bin_ns": pa.array(width, mask=none),
            "bins_from_ns": pa.array(self._grid.low * width, mask=none),
        }
        offsets = pa.array(self._grid.begin.astype(np.int32))
        for name in SEGMENT_BINS:
            result[name] = _lists(offsets, self._totals.pop(name))
            result[_EXTREMES[name]] = _lists(offsets, self._extremes.pop(name))
        return result


def _grid(
    spans: Sequence[tuple[int, Ints]],
    start_ns: Ints,
    counts: NDArray[np.integer[Any]],
    shift: NDArray[np.integer[Any]],
    count: int,
) -> _Grid:
    wide, longest = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    low, high = np.full(count, _NEVER), np.full(count, -1, dtype=np.int64)
    for first, ends in spans:  # in bins of 10 ms
        rows = slice(first, int(ends[-1]) + 1)
        bins, own = counts[rows].astype(np.int64), _shifts(shift[rows])
        begin = start_ns[rows] // BIN_NS >> own << own
        local = ends - first
        least = coarse(np.where(bins > 0, begin, _NEVER), local, np.minimum)
        most = coarse(np.where(bins > 0, begin + ((bins - 1) << own), -1), local, np.maximum)
        wide = np.maximum(wide, coarse(np.where(bins > 0, own, 0), local, np.maximum))
        longest = np.maximum(longest, most - least + 1)
        low, high = np.minimum(low, least), np.maximum(high, most)
    some = high >= 0
    low = np.where(some, low, 0) >> wide
    length = np.where(some, (high >> wide) - low + 1, 0)
    near = length <= 2 * (longest >> wide) + _SLACK
    shortest = np.argsort(length, kind="stable")  # if a clock jumped, the longest get none
    near[shortest] &= np.cumsum(np.where(near, length, 0)[shortest]) <= _MOST_BINS
    begin = np.concatenate([[0], np.cumsum(np.where(near, length, 0))])
    return _Grid(wide, low, begin, some & near, int((some & ~near).sum()))


def _shifts(values: NDArray[np.integer[Any]]) -> Ints:
    return values.astype(np.int64).clip(0, _MOST_SHIFT)


def _on_grid(grid: _Grid, rows: pa.Table, name: str, ends: Ints) -> NDArray[np.float64]:
    """Return the time of one rank in each bin of the merged segments, in ns."""
    rows = rows.slice(0, int(ends[-1]) + 1)
    shift = _shifts(ints(rows, "bin_shift"))
    row, number, spent = flat_bins(ints(rows, "start_ns"), shift, rows.column(name))
    segment = np.searchsorted(ends, np.arange(rows.num_rows))[row]
    index = (number << shift[row] >> grid.wide[segment]) - grid.low[segment]
    index += grid.begin[segment]
    kept = grid.some[segment]
    if not kept.all():
        index, spent = index[kept], spent[kept]
    return np.bincount(index, spent, minlength=int(grid.begin[-1])).astype(np.float64, copy=False)


def _lists(offsets: pa.Array, values: NDArray[np.float64]) -> pa.Array:
    return pa.ListArray.from_arrays(offsets, pa.array(np.rint(values).astype(np.int64)))
