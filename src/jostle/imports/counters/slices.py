"""Converts samples of counters into amounts per slice.

Samples do not lie on the boundaries of slices. The increase of a counter between two samples is
spread evenly over the time between them. Across a gap, and where a counter decreased, the amounts
are unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

#: Lengths that slices may have, s: they divide an hour.
LENGTHS_S = (1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60)
#: Two samples further apart than so many usual intervals have a gap between them.
_GAP = 4.5
_NS = 1_000_000_000
_MOST = float(2**53)


@dataclass(frozen=True)
class Grid:
    """A grid of slices of one length.

    Attributes:
        first: Number of the first slice since the epoch.
        count: Number of slices.
        slice_ns: Length of the slices.
    """

    first: int
    count: int
    slice_ns: int

    @property
    def edges(self) -> Ints:
        """Start of each slice, and end of the last slice, ns since the epoch."""
        edges: Ints = (self.first + np.arange(self.count + 1, dtype=np.int64)) * self.slice_ns
        return edges


@dataclass(frozen=True)
class Amounts:
    """Amounts of a series per slice.

    Attributes:
        values: Amount in each slice; 0 where it is not known.
        known: Whether the amount of each slice is known.
    """

    values: Ints
    known: Flags


def interval_ns(times: list[Ints]) -> int:
    """Return the median time between two samples of a series, ns; 0 if no series has two."""
    gaps = [np.diff(each) for each in times if len(each) > 1]
    return int(np.median(np.concatenate(gaps))) if gaps else 0


def slice_length(interval: int) -> int:
    """Return the length of slices, ns: at least the interval of samples, but at most a minute."""
    fitting = [length for length in LENGTHS_S if length * _NS >= interval * 0.98]
    return (fitting[0] if fitting else LENGTHS_S[-1]) * _NS


def clean(times: Ints, values: Floats) -> tuple[Ints, Floats]:
    """Return samples in order of time, without NaN, and only one sample for each time."""
    fine = np.isfinite(values) & (np.abs(values) < 1e300)
    at, first = np.unique(times[fine], return_index=True)
    return at, values[fine][first]


def increase(times: Ints, values: Floats, factor: float, grid: Grid, usual_ns: int) -> Amounts:
    """Return the increase of a counter in each slice.

    Args:
        times: Times of the samples, ns since the epoch, ascending.
        values: Values of the samples.
        factor: Factor of the values.
        grid: Grid of the slices.
        usual_ns: The usual time between two samples.
    """
    rises = np.diff(values) * factor
    sound = (np.diff(times) <= _GAP * usual_ns) & (rises >= 0) & (rises < _MOST)
    return _spread(times, np.where(sound, rises, 0.0), sound, grid)


def rate(times: Ints, values: Floats, factor: float, grid: Grid, usual_ns: int) -> Amounts:
    """Return amounts per slice from samples of a rate per second.

    Each sample is taken as the mean rate since the sample before it. Arguments are those of
    `increase`.
    """
    spans = np.diff(times)
    moved = values[1:] * factor * spans / _NS
    sound = (spans <= _GAP * usual_ns) & (moved >= 0) & (moved < _MOST)
    return _spread(times, np.where(sound, moved, 0.0), sound, grid)


def level(times: Ints, values: Floats, factor: float, grid: Grid, usual_ns: int) -> Amounts:
    """Return the last value before the end of each slice; arguments are those of `increase`."""
    ends = grid.edges[1:]
    last = np.searchsorted(times, ends, "right") - 1
    at = np.maximum(last, 0)
    known = (last >= 0) & (ends - times[at] <= max(_GAP * usual_ns, grid.slice_ns))
    found = values[at] * factor
    known &= np.abs(found) < _MOST
    return Amounts(np.where(known, np.rint(found), 0).astype(np.int64), known)


def _spread(times: Ints, amounts: Floats, sound: Flags, grid: Grid) -> Amounts:
    """Spread amounts between samples over slices; a slice is known if all its parts are."""
    if len(times) < 2:
        return Amounts(np.zeros(grid.count, np.int64), np.zeros(grid.count, bool))
    edges = grid.edges
    whole = np.concatenate([[0.0], np.cumsum(amounts)])
    unknown = np.concatenate([[0], np.cumsum(np.where(sound, 0, np.diff(times)))])
    inside = (edges >= times[0]) & (edges <= times[-1])
    origin = times[0]
    at, points = (edges - origin).astype(np.float64), (times - origin).astype(np.float64)
    # Rounded at the boundaries, so that the sum over slices is exact.
    until = np.rint(np.interp(at, points, whole))
    dark = np.interp(at, points, unknown.astype(np.float64))
    known = inside[:-1] & inside[1:] & (np.diff(dark) < 1.0)
    return Amounts(np.where(known, np.diff(until), 0).astype(np.int64), known)


def added(parts: list[Amounts], *, number: bool) -> Amounts:
    """Add up the series of one metric; a slice is unknown if one of the series is unknown there.

    Args:
        parts: At least one series.
        number: Whether to return the number of known series in each slice instead of their sum.
    """
    if number:
        many = np.sum([part.known for part in parts], axis=0).astype(np.int64)
        return Amounts(many, many > 0)
    known = np.all([part.known for part in parts], axis=0)
    total = np.sum([part.values for part in parts], axis=0)
    known &= (total >= 0) & (total < _MOST)
    return Amounts(np.where(known, total, 0).astype(np.int64), known)
