"""Computes the slices of a job, and spreads the bytes in Darshan's bins over them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jostle.imports.darshan.model import DarshanLog, Floats, HeatMap, Ints

#: Darshan's own shortest bins; each length is twice the previous one, so that slices of different
#: jobs are nested.
SHORTEST_NS = 100_000_000
#: The longest of these lengths that a slice may have (LONGEST_SLICE_NS is 60 s).
LONGEST_NS = SHORTEST_NS << 9
#: The most bins that Darshan keeps.
_MOST_BINS = 200


@dataclass(frozen=True)
class Grid:
    """The slices in which a job ran.

    Attributes:
        start_ns: Start of the job, ns since the epoch.
        end_ns: End of the job, ns since the epoch.
        slice_ns: Length of a slice.
    """

    start_ns: int
    end_ns: int
    slice_ns: int

    @property
    def first(self) -> int:
        """Number of the job's first slice, counted from the epoch."""
        return self.start_ns // self.slice_ns

    @property
    def count(self) -> int:
        """The number of slices."""
        return (self.end_ns - 1) // self.slice_ns - self.first + 1

    def edges(self) -> Ints:
        """Return the boundaries of the slices, cut to the job's run time, ns, [count + 1]."""
        edges: Ints = (self.first + np.arange(self.count + 1, dtype=np.int64)) * self.slice_ns
        return edges.clip(self.start_ns, self.end_ns)

    def place(self, offset_ns: Ints) -> Ints:
        """Return the number of the slice, from 0, of each instant since the job's start, in ns."""
        at: Ints = (self.start_ns + offset_ns) // self.slice_ns - self.first
        return at.clip(0, self.count - 1)

    def spans(self, begin_s: Floats, end_s: Floats) -> tuple[Ints, Ints]:
        """Return the first slice and the number of slices of spans of time.

        For a span that is not valid, or that begins after the job's end, all slices are returned.

        Args:
            begin_s: Start of each span since the job's start, in seconds.
            end_s: End of each span since the job's start, in seconds.
        """
        run_s = (self.end_ns - self.start_ns) / 1e9
        known = (end_s > 0) & (end_s >= begin_s) & (begin_s >= 0) & (begin_s <= run_s)
        begin = np.where(known, begin_s, 0.0)
        end = np.where(known, np.minimum(end_s, run_s), run_s)
        lo = self.place(np.rint(begin * 1e9).astype(np.int64))
        hi = self.place(np.maximum(np.rint(end * 1e9).astype(np.int64) - 1, 0))
        return lo, np.maximum(hi - lo, 0) + 1


def grid_of(log: DarshanLog) -> Grid:
    """Return the slices of a log, as long as Darshan's bins, at most a minute.

    A log without bins gets the length that Darshan would have chosen for them.
    """
    widths = {heat.width_ns for heat in log.heat.values()}
    length = max(widths, default=0)
    if not length >= SHORTEST_NS or length % SHORTEST_NS:
        length = SHORTEST_NS
        while length < LONGEST_NS and log.run_ns > _MOST_BINS * length:
            length *= 2
    while length > LONGEST_NS and length % 2 == 0:
        length //= 2
    return Grid(log.start_ns, log.end_ns, min(length, 60 * 10**9))


def curves(heat: HeatMap, way: str, grid: Grid) -> tuple[Ints, Floats]:
    """Return the cumulative bytes of ranks at the boundaries of slices.

    The bytes of a bin are assumed to be spread evenly over its time.

    Args:
        heat: Bytes in bins (heat map).
        way: Direction: read, write, or both.
        grid: The slices of the job.

    Returns:
        Ranks with any bytes [n], and their bytes up to each boundary [n, slices + 1].
    """
    bins = {"read": heat.read, "write": heat.write}.get(way)
    bins = heat.read + heat.write if bins is None else bins
    some = bins.any(axis=1) & (heat.rank >= 0)
    rank, which = np.unique(heat.rank[some], return_inverse=True)
    rows = np.zeros((len(rank), bins.shape[1]))
    np.add.at(rows, which, bins[some].astype(np.float64))
    done = np.concatenate([np.zeros((len(rank), 1)), np.cumsum(rows, axis=1)], axis=1)
    ends = grid.start_ns + np.arange(bins.shape[1] + 1, dtype=np.int64) * heat.width_ns
    ends = ends.clip(grid.start_ns, grid.end_ns)
    edges = grid.edges()
    at = (np.searchsorted(ends, edges, side="right") - 1).clip(0, bins.shape[1] - 1)
    width = np.maximum(ends[at + 1] - ends[at], 1)
    part = ((edges - ends[at]) / width).clip(0.0, 1.0)
    result: Floats = done[:, at] + part * (done[:, at + 1] - done[:, at])
    result[:, 0], result[:, -1] = 0.0, done[:, -1]
    return rank, result


def along(totals: Ints, curve: Floats) -> Ints:
    """Divide whole numbers in proportion to the rises of curves; the parts add up exactly.

    Args:
        totals: Whole numbers to divide, [n].
        curve: Cumulative values, which begin with 0 and are not all 0, [n, edges].

    Returns:
        Parts [n, edges - 1].
    """
    whole = np.floor(curve / curve[:, -1:] * totals[:, None] + 0.5)
    whole[:, -1] = totals
    parts: Ints = np.diff(whole, axis=1).astype(np.int64)
    return parts


def spread_operations(
    begin: Ints, end: Ints, length: Ints, grid: Grid
) -> tuple[NDArray[np.intp], Ints, Ints, Ints, Ints]:
    """Spread operations over slices.

    Args:
        begin: Start of each operation since the job's start, ns, [n].
        end: End of each operation since the job's start, ns, [n].
        length: Bytes of each operation.
        grid: The slices of the job.

    Returns:
        Five arrays with one entry per operation and slice: index of the operation; number of the
        slice, counted from the job's first; bytes; ns; and 1 if the operation ended in the slice,
        else 0.
    """
    first, last = grid.place(begin), grid.place(np.maximum(end - 1, begin))
    width = last - first + 1
    which = np.repeat(np.arange(len(begin)), width)
    step = np.arange(len(which)) - np.repeat(np.cumsum(width) - width, width)
    at = first[which] + step
    lo = (grid.first + at) * grid.slice_ns - grid.start_ns
    lo = np.maximum(lo, begin[which])
    hi = np.minimum((grid.first + at + 1) * grid.slice_ns - grid.start_ns, end[which])
    ns = np.maximum(hi - lo, 0)
    lasted = np.maximum(end - begin, 1)[which]
    is_last = at == last[which]
    until = np.where(is_last, 1.0, (hi - begin[which]) / lasted)
    since = np.where(step == 0, 0.0, (lo - begin[which]) / lasted)
    moved = np.floor(length[which] * until + 0.5) - np.floor(length[which] * since + 0.5)
    return which, at, moved.astype(np.int64), ns, is_last.astype(np.int64)
