"""Computes by how much each component differs from its peers, day by day."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
#: Fewest other components in a bin of load for a comparison.
LEAST_IN_BIN = 3


@dataclass(frozen=True)
class Rows:
    """The values of a group of peers: one row per component, day and bin of similar load.

    Attributes:
        component: Number of the component, from 0.
        day: Number of the day, from 0.
        load: Number of the bin of similar load.
        slices: Number of slices in the bin.
        value: Value of the figure in the bin; more is worse.
    """

    component: Ints
    day: Ints
    load: Ints
    slices: Ints
    value: Floats


def daily(rows: Rows, components: int, days: int) -> Floats:
    """Return by how much components are worse than the median of their peers, (components, days).

    Components are compared within a bin of similar load on one day. The differences in the bins of
    a day are averaged, weighted by their numbers of slices. NaN: not compared on that day.
    """
    median = _median_of_others(rows)
    known = ~np.isnan(median)
    where = rows.component[known] * days + rows.day[known]
    weight = rows.slices[known].astype(float)
    size = components * days
    total = np.bincount(where, weight, size)
    sums = np.bincount(where, weight * (rows.value[known] - median[known]), size)
    means: Floats = np.divide(sums, total, out=np.full(size, np.nan), where=total > 0)
    return means.reshape(components, days)


def _median_of_others(rows: Rows) -> Floats:
    """Return, for each row, the median value of the other components on the day and in the bin.

    NaN if there are too few other components.
    """
    by = np.lexsort((rows.value, rows.load, rows.day))
    day, load, value = rows.day[by], rows.load[by], rows.value[by]
    fresh = np.ones(len(by), dtype=bool)
    fresh[1:] = (day[1:] != day[:-1]) | (load[1:] != load[:-1])
    first = np.flatnonzero(fresh)
    cell = np.cumsum(fresh) - 1
    count = np.diff(np.append(first, len(by)))[cell]
    rank = np.arange(len(by)) - first[cell]

    def other(place: Ints) -> Floats:
        """Return, for each row, the value at a place among the others in ascending order."""
        at = np.clip(first[cell] + place + (place >= rank), 0, len(by) - 1)
        picked: Floats = value[at]
        return picked

    middle = (other((count - 2) // 2) + other((count - 1) // 2)) / 2
    middle[count - 1 < LEAST_IN_BIN] = np.nan
    result = np.empty(len(by))
    result[by] = middle
    return result
