"""Sums the ranks' counters between common boundaries, rank by rank.

Each rank's rows are read once and released, so that memory holds one rank's rows and the
result, however many ranks there are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.reader import SEGMENT_VALUES
from jostle.repository.store.tables import Ints
from jostle.values.arrow_columns import ints

#: Values that also have a median over ranks, by which segments may be grouped (Shah, 2020, section
#: 5.1.2).
MEDIANS = ("p2p_bytes", "collective_bytes", "read_bytes", "write_bytes", "mpiio_bytes")
#: Columns that are summed as counts, in addition to the values.
COUNTED = ("globals", *SEGMENT_VALUES)
_LOW_32 = 0xFFFFFFFF
_AT_ONCE = 1 << 22


@dataclass
class _Sum:
    """A column: sum, minimum and maximum over ranks, and all values if a median is needed."""

    total: Ints
    least: Ints
    most: Ints
    parts: list[Ints] = field(default_factory=list)


class Sums:
    """Sums over the ranks of a world, between common boundaries."""

    def __init__(self, count: int) -> None:
        """Start with empty sums.

        Args:
            count: Number of common boundaries.
        """
        self._count = count
        self._ranks = 0
        self._sums: dict[str, _Sum] = {}
        self._nothing = np.zeros(count, dtype=np.int64)
        self.level = self._nothing.copy()
        self._signature = np.zeros(count, dtype=np.uint64)
        self.signature_set = np.zeros(count, dtype=np.uint64)

    def add(self, rows: pa.Table, ends: Ints) -> None:
        """Add the values of a rank.

        Args:
            rows: Rows of the rank in table segments.
            ends: Rows that end at the common boundaries, counted from the rank's first row.
        """
        if not self._count:
            return
        self.level = np.maximum(self.level, ints(rows, "level")[ends])
        self._signature += coarse(_unsigned(rows, "signature_sum"), ends, np.add)
        self.signature_set |= coarse(_unsigned(rows, "signature_set"), ends, np.bitwise_or)
        for name in COUNTED:
            column = ints(rows, name)[: int(ends[-1]) + 1]
            if column.any():
                self._count_in(name, coarse(column, ends, np.add))
            elif name in self._sums:
                self._count_in(name, self._nothing)
        self._ranks += 1

    def _count_in(self, name: str, part: Ints) -> None:
        entry = self._sums.get(name)
        if entry is None:
            least = self._nothing if self._ranks else part
            parts = [self._nothing] * self._ranks
            self._sums[name] = entry = _Sum(self._nothing.copy(), least, part, parts)
        entry.total += part
        entry.least = np.minimum(entry.least, part)
        entry.most = np.maximum(entry.most, part)
        if name in MEDIANS:
            same = len(entry.parts) > 0 and np.array_equal(entry.parts[0], part)
            entry.parts.append(entry.parts[0] if same else part)

    def columns(self) -> dict[str, Any]:
        """Return the columns of the merged segments that are computed here."""
        result: dict[str, Any] = {
            "level": self.level,
            "globals": self.most("globals"),  # the same on all ranks
            "signature_sum": (self._signature & np.uint64(_LOW_32)).astype(np.int64),
            "signature_set": self.signature_set,
        }
        for name in SEGMENT_VALUES:
            entry = self._sums.pop(name, None)
            entry = entry or _Sum(self._nothing, self._nothing, self._nothing)
            result |= {name: entry.total, f"{name}_min": entry.least, f"{name}_max": entry.most}
            if name in MEDIANS:
                result[f"{name}_median"] = _median(entry)
        return result

    def most(self, name: str) -> Ints:
        """Return the maximum over ranks."""
        return self._sums[name].most if name in self._sums else self._nothing


def coarse(column: NDArray[Any], ends: Ints, reduce: np.ufunc) -> NDArray[Any]:
    """Return a rank's column, coarsened to common boundaries.

    Args:
        column: Rows of the column.
        ends: Rows that end at the boundaries.
        reduce: Function that reduces the rows between two boundaries to one.
    """
    column = column[: int(ends[-1]) + 1]
    if len(column) == len(ends):
        return column
    return np.asarray(reduce.reduceat(column, np.concatenate([[0], ends[:-1] + 1])))


def middle(values: Ints) -> Ints:
    """Return the median over the first axis."""
    result: Ints = np.rint(np.median(values, axis=0)).astype(np.int64)
    return result


def _median(entry: _Sum) -> Ints:
    result = entry.least.copy()
    differ = np.flatnonzero(entry.least != entry.most)
    step = max(_AT_ONCE // max(len(entry.parts), 1), 1)
    for low in range(0, len(differ), step):
        some = differ[low : low + step]
        result[some] = middle(np.stack([part[some] for part in entry.parts]))
    return result


def _unsigned(rows: pa.Table, name: str) -> NDArray[np.uint64]:
    values: NDArray[np.uint64] = rows.column(name).to_numpy().astype(np.uint64, copy=False)
    return values
