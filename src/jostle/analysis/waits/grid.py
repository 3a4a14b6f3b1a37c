"""Puts what the ranks of an MPI world did on one time axis, as arrays of slices and ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from jostle.repository.query.job.rank_slices import (
    COMMUNICATION,
    FILE_CLASSES,
    RESOURCES,
    RankTables,
)
from jostle.values.arrow_columns import Floats, Ints, floats, ints

Flags = npt.NDArray[np.bool_]
#: Most cells of a grid: only worlds whose clocks were set have more.
_MOST_CELLS = 20_000_000


@dataclass(frozen=True)
class FileCalls:
    """File calls of one class on one mount.

    Attributes:
        mount: Identity of the mount.
        kind: Class of the calls: read, write or meta.
        ops: Number of calls, (slices, ranks).
        seconds: Time in these calls, s, (slices, ranks).
    """

    mount: str
    kind: str
    ops: Floats
    seconds: Floats


@dataclass(frozen=True)
class Grid:
    """What the ranks of a world did, slice by slice; times are in seconds.

    Attributes:
        start: Start of each slice, ns, (slices,).
        length: Length of a slice, in seconds.
        ranks: Number of each rank, in the order of the columns.
        hosts: Node name of each rank.
        node: Number of each rank's node, from 0, (ranks,).
        there: Whether each rank was between MPI_Init and MPI_Finalize during the whole slice, so
            that it could wait for others, (slices, ranks).
        communication: Time in communication, at most the length of the slice, (slices, ranks).
        values: The metrics in COMMUNICATION and RESOURCES, by name without `_ns`, (slices, ranks).
        files: File calls.
    """

    start: Ints
    length: float
    ranks: list[int]
    hosts: list[str]
    node: Ints
    there: Flags
    communication: Floats
    values: dict[str, Floats] = field(default_factory=dict)
    files: list[FileCalls] = field(default_factory=list)

    @property
    def waiting(self) -> Floats:
        """`communication`, but NaN where `there` is false, (slices, ranks)."""
        result: Floats = np.where(self.there, self.communication, np.nan)
        return result


@dataclass(frozen=True)
class _Axis:
    """A time axis for the ranks of a world.

    Attributes:
        first: Number of the first slice.
        slices: Number of slices.
        length_ns: Length of a slice, in ns.
        column: Column of each rank, by the id of its process.
    """

    first: int
    slices: int
    length_ns: int
    column: dict[int, int]

    def spread(self, rows: pa.Table, names: Sequence[str]) -> dict[str, Floats]:
        """Return the named metrics of the ranks in each slice, each with shape (slices, ranks).

        The amounts of a row that covers several slices are divided evenly among them.
        """
        known = set(self.column)
        process = ints(rows, "process")
        mine = np.isin(process, np.fromiter(known, np.int64, len(known)))
        rows, process = rows.filter(pa.array(mine)), process[mine]
        span = ints(rows, "span").clip(1)
        begin = ints(rows, "slice") * ints(rows, "slice_ns")
        until = begin + span * ints(rows, "slice_ns")
        low = begin // self.length_ns - self.first
        # A row of a shorter slice is within one slice; a row that spans several is spread evenly.
        many = (-(-until // self.length_ns) - self.first - low).clip(1, self.slices)
        row = np.repeat(np.arange(len(low)), many)
        at = low[row] + np.arange(len(row)) - np.repeat(np.cumsum(many) - many, many)
        inside = (at >= 0) & (at < self.slices)
        row, at = row[inside], at[inside]
        columns = np.array([self.column[each] for each in process.tolist()], dtype=np.int64)
        cell = at * len(self.column) + columns[row]
        size = self.slices * len(self.column)
        return {
            name: np.bincount(cell, (floats(rows, name) / many)[row], size)
            .astype(np.float64)
            .reshape(self.slices, len(self.column))
            for name in names
        }


def grid_of(tables: RankTables, number: int) -> Grid | None:
    """Return what the ranks of a world did, on one time axis.

    Args:
        tables: Rows of the ranks of a job.
        number: Number of the world.

    Returns:
        The grid. None if there are no slices, or if clocks were changed so much during the run that
        the time axis would be too long.
    """
    ranks = tables.ranks.filter(pc.equal(tables.ranks["number"], number)).sort_by("world_rank")
    processes = ranks["process"].to_pylist()
    mine = tables.slices.filter(pc.is_in(tables.slices["process"], pa.array(processes)))
    if not mine.num_rows:
        return None
    length_ns = int(pc.max(mine["slice_ns"]).as_py())
    begin, end = ints(ranks, "begin_ns"), ints(ranks, "end_ns")
    first, last = int(begin.min()) // length_ns, int(end.max()) // length_ns
    if last < first or (last - first + 1) * len(processes) > _MOST_CELLS:
        return None
    columns = {process: number for number, process in enumerate(processes)}
    axis = _Axis(first, last - first + 1, length_ns, columns)
    start = (first + np.arange(axis.slices, dtype=np.int64)) * length_ns
    there = (start[:, None] >= begin) & (start[:, None] + length_ns <= end)
    names = (*COMMUNICATION, *RESOURCES)
    spread = axis.spread(mine, names)
    values = {
        name.removesuffix("_ns"): spread[name] / (1e9 if name.endswith("_ns") else 1)
        for name in names
    }
    # Times of concurrent threads add up; a rank waits at most the length of a slice.
    whole = sum(values[name.removesuffix("_ns")] for name in COMMUNICATION)
    hosts = ranks["host"].to_pylist()
    known = {host: at for at, host in enumerate(dict.fromkeys(hosts))}
    return Grid(
        start,
        length_ns / 1e9,
        ranks["world_rank"].to_pylist(),
        hosts,
        np.array([known[host] for host in hosts], dtype=np.int64),
        there,
        np.clip(whole, 0, length_ns / 1e9),
        values,
        _files(tables.mounts, axis),
    )


def _files(rows: pa.Table, axis: _Axis) -> list[FileCalls]:
    found = []
    for mount in sorted(set(rows["mount"].to_pylist())):
        on = rows.filter(pc.equal(rows["mount"], mount))
        names = [f"{kind}_{unit}" for kind in FILE_CLASSES for unit in ("ops", "ns")]
        spread = axis.spread(on, names)
        for kind in FILE_CLASSES:
            seconds = spread[f"{kind}_ns"] / 1e9
            if seconds.any():
                found.append(FileCalls(mount, kind, spread[f"{kind}_ops"], seconds))
    return found
