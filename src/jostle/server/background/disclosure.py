"""Disclosure control: decides which sums of other users' load may be shown.

The rules are those of statistical offices for tables of magnitudes (Hundepool et al., *Statistical
Disclosure Control*, 2012, sections 4.2 and 4.3):

- Minimum frequency: a sum is unsafe if one or two other users contributed to it.
- p % rule: a sum is unsafe if the second largest contributor could compute the load of the largest
  one to within 10 %. This is so if all further contributors together have less than 10 % of the
  largest load.
- The parts of a line of a view (`written` is posix_write_bytes plus stdio_write_bytes) are shown
  only if the line is shown and no part is unsafe. Otherwise the line minus the shown parts would
  reveal the hidden part.

`others.py` applies the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np
from numpy.typing import NDArray

from jostle.report.models.metrics import VIEWS

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]

#: A sum over fewer users than this is shown only to viewers who may see each of them.
LEAST_OTHERS = 3
#: Share of the largest load that all but the two largest must have together.
DOMINANCE = 0.1

#: Metrics that some view shows as one line; two lines are disjoint, or one contains the other.
LINES = frozenset(frozenset(line.metrics) for one in VIEWS for line in one.lines)


def may_be_disclosed(
    line: AbstractSet[str], names: Sequence[str], loads: Floats, cell: Ints
) -> Flags:
    """Return whether the sum of metrics over other users may be shown in each cell.

    Args:
        line: Ids of the metrics: a single metric, or a line of a view.
        names: Ids of the columns of `loads`: the metrics of the line, and all metrics that are in a
            line together with one of them.
        loads: Loads, (rows, names). There is a row for each cell and each user whose jobs the
            viewer may not see.
        cell: Number of each row's cell, from 0, (rows,).

    Returns:
        One flag per cell; True where no user had any load.
    """

    def few(some: AbstractSet[str]) -> Flags:
        return unsafe(loads[:, [name in some for name in names]].sum(axis=1), cell)

    safe = ~few(line)
    while (whole := _whole(line)) is not None:
        safe &= ~np.any([few(some) for some in (whole, *_parts(whole))], axis=0)
        line = whole
    return safe


def unsafe(load: Floats, cell: Ints) -> Flags:
    """Return whether minimum frequency or p % rule forbid showing the sum of each cell.

    Args:
        load: Load of one user in one cell, (rows,).
        cell: Number of each row's cell, from 0, (rows,).

    Returns:
        One flag per cell; False where no user had any load.
    """
    cells = int(cell.max(initial=-1)) + 1
    some = load > 0
    load, cell = load[some], cell[some]
    order = np.lexsort((-load, cell))
    load, cell = load[order], cell[order]
    count = np.bincount(cell, minlength=cells)
    first = np.cumsum(count) - count
    largest, second = np.zeros(cells), np.zeros(cells)
    largest[count > 0] = load[first[count > 0]]
    second[count > 1] = load[first[count > 1] + 1]
    rest = np.bincount(cell, load, cells) - largest - second
    found: Flags = (count > 0) & ((count < LEAST_OTHERS) | (rest < DOMINANCE * largest))
    return found


def _whole(part: AbstractSet[str]) -> frozenset[str] | None:
    """Return the smallest line that contains some metrics and more; None: there is none."""
    return min((line for line in LINES if line > part), key=len, default=None)


def _parts(line: frozenset[str]) -> list[frozenset[str]]:
    """Return the largest parts of a line that can be requested: lines in it, and single metrics."""
    within = [one for one in LINES if one < line and _whole(one) == line]
    return [*within, *(frozenset({name}) for name in line.difference(*within))]


def family(line: Sequence[str]) -> list[str]:
    """Return the metrics whose loads decide whether a line may be shown."""
    return sorted(set(line).union(*(one for one in LINES if not one.isdisjoint(line))))
