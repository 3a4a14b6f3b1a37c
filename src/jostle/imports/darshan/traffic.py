"""Divides the traffic of a log among ranks, mounts and slices.

Totals come from the counters, and stay exact to the byte. The times of the traffic come from the
best data in the log, chosen for each interface, and separately for reads and writes:

operations: If every operation was traced (DXT), bytes, number and time are known for each slice.
bins: If there is a heat map, the bytes of each rank are known for each bin of time. Mounts, numbers
    and times of operations are known for the whole run only; they are spread like the bytes.
totals: Else only the first and the last instant of each file are known. One row spans the time
    between them.

A record of a file that all ranks share (rank -1) does not show which rank did what. It is divided
in proportion to the bytes in the heat map that a rank's own files do not explain. Without such
bytes it is divided evenly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jostle.imports.darshan.cells import Cells
from jostle.imports.darshan.grid import Grid, along, curves, spread_operations
from jostle.imports.darshan.metrics import INTERFACES, WAYS, Interface, amounts, divided
from jostle.imports.darshan.model import Counted, DarshanLog, Floats, Ints

#: How well the times of traffic are known, the best first.
RESOLUTIONS = ("operations", "bins", "totals")
#: A log has the best resolution that at least this share of its file systems' bytes has.
_MOST = 0.95
#: Most rows of one log; for more, neighbouring ranks are put together.
_MOST_ROWS = 1_500_000
_WINDOWS = {
    "read": ("READ_START", "READ_END"),
    "write": ("WRITE_START", "WRITE_END"),
    "both": ("OPEN_START", "CLOSE_END"),
}


@dataclass(frozen=True)
class Traffic:
    """The traffic of a log.

    Attributes:
        cells: Amounts by rank, mount and span.
        resolution: Resolution of the times of most of the bytes: one of RESOLUTIONS.
        evenly: Bytes of shared files that were divided evenly among ranks.
        together: Number of neighbouring ranks that are merged into one; 1: none are merged.
        untraced: Share of the bytes that no traced operation explains; 0 without a trace.
    """

    cells: Cells
    resolution: str
    evenly: int
    together: int
    untraced: float


def traffic_of(log: DarshanLog, mount_of: Mapping[int, int], mounts: int, grid: Grid) -> Traffic:
    """Divide the traffic of a log.

    Args:
        log: The log.
        mount_of: The mount of each file, by its id.
        mounts: Number of mounts.
        grid: The slices of the job.
    """
    division = _Division(log, mount_of, mounts, grid)
    for interface in INTERFACES:
        records = log.counted.get(interface.module)
        if records is not None and len(records.id):
            division.take(interface, records)
    return Traffic(
        division.cells, division.resolution(), division.evenly, division.together, division.untraced
    )


@dataclass(frozen=True)
class _Amounts:
    """Metrics of one interface and direction, by rank and mount.

    Attributes:
        rank: Rank, per row.
        mount: Mount, per row.
        values: Metrics, per row.
        begin_s: Earliest instant since the job's start, per row, in seconds.
        end_s: Latest instant since the job's start, per row, s; 0: both instants are not known.
    """

    rank: Ints
    mount: Ints
    values: dict[str, Ints]
    begin_s: Floats
    end_s: Floats


class _Division:
    def __init__(
        self, log: DarshanLog, mount_of: Mapping[int, int], mounts: int, grid: Grid
    ) -> None:
        self._log, self._mount_of, self._mounts, self._grid = log, mount_of, mounts, grid
        self.cells = Cells()
        #: Bytes by index in RESOLUTIONS: those on file systems, and those of standard streams.
        self.known = np.zeros((2, len(RESOLUTIONS)))
        self.evenly = 0
        self.untraced = 0.0
        rows = log.processes * min(grid.count, 200)
        self.together = 1 if not log.heat else max(1, -(-rows // _MOST_ROWS))

    def take(self, interface: Interface, records: Counted) -> None:
        """Divide the records of one interface."""
        mount = self.mounts_of(records.id)
        traced = self._traced(interface, records, mount)
        heat = self._log.heat.get(interface.module)
        for way in WAYS:
            values = amounts(records, interface, way)
            if not any(column.any() for column in values.values()):
                continue
            moved = "both" if way == "both" else f"{interface.kind}_{way}_bytes"
            if way in traced:
                self._weigh(0, mount, values[moved])
                self._by_operations(interface, way)
                left = {f"{interface.kind}_sync_ops"} & values.keys()
                values = {name: values[name] for name in left}
                if not any(column.any() for column in values.values()):
                    continue
            curve = None if heat is None else curves(heat, way, self._grid)
            found = self._by_rank(records, mount, values, way, moved, curve)
            self._by_time(found, curve, moved)

    def resolution(self) -> str:
        """Return how well the times of most of the bytes are known: one of RESOLUTIONS."""
        bytes_by = self.known[0] if self.known[0].any() else self.known[1]
        if not bytes_by.any():
            return "bins" if self._log.heat else "totals"
        share = np.cumsum(bytes_by) / bytes_by.sum()
        return RESOLUTIONS[int(np.flatnonzero(share >= _MOST)[0])]

    def _weigh(self, place: int, mount: Ints, moved: Ints) -> None:
        nowhere = mount == self._mounts - 1
        self.known[0, place] += float(moved[~nowhere].sum())
        self.known[1, place] += float(moved[nowhere].sum())

    def mounts_of(self, ids: NDArray[np.uint64]) -> Ints:
        """Return the mount of each record."""
        distinct, which = np.unique(ids, return_inverse=True)
        known = [self._mount_of.get(key, self._mounts - 1) for key in distinct.tolist()]
        return np.array(known, dtype=np.int64)[which] if len(ids) else np.zeros(0, np.int64)

    def _traced(self, interface: Interface, records: Counted, mount: Ints) -> set[str]:
        """Return the directions in which the trace has all operations that the counters have."""
        operations = self._log.operations
        if operations is None or interface.module != "POSIX":
            return set()
        whole, missing, counted = set(), 0, 0
        traced = self.mounts_of(operations.id)
        for way in ("read", "write"):
            mine = operations.is_write == (way == "write")
            wanted = amounts(records, interface, way)
            equal = True
            for metric, weights in (
                (f"posix_{way}_bytes", operations.length[mine]),
                (f"posix_{way}_ops", np.ones(int(mine.sum()), np.int64)),
            ):
                there = np.zeros(self._mounts, dtype=np.int64)
                np.add.at(there, traced[mine], weights)
                due = np.zeros(self._mounts, dtype=np.int64)
                np.add.at(due, mount, wanted[metric])
                equal = equal and bool((there == due).all())
                if metric.endswith("_bytes"):
                    missing += int(np.abs(due - there).sum())
                    counted += int(due.sum())
            if equal and not operations.partial:
                whole.add(way)
        self.untraced = min(missing / counted, 1.0) if counted else 0.0
        return whole

    def _by_operations(self, interface: Interface, way: str) -> None:
        operations = self._log.operations
        assert operations is not None
        mine = operations.is_write == (way == "write")
        which, at, moved, ns, ended = spread_operations(
            operations.begin_ns[mine], operations.end_ns[mine], operations.length[mine], self._grid
        )
        stem = f"{interface.kind}_{way}"
        values = {f"{stem}_bytes": moved, f"{stem}_ops": ended, f"{stem}_ns": ns}
        mount = self.mounts_of(operations.id[mine])[which]
        rank = self._kept(operations.rank[mine][which])
        self.cells.add(rank, mount, at, np.ones(len(at), np.int64), values)

    def _kept(self, rank: Ints) -> Ints:
        return rank // self.together * self.together

    def _by_rank(
        self,
        records: Counted,
        mount: Ints,
        values: dict[str, Ints],
        way: str,
        moved: str,
        curve: tuple[Ints, Floats] | None,
    ) -> _Amounts:
        """Add up records by rank and mount; divide records of all ranks together among ranks."""
        prefix = "STDIO" if "STDIO_F_META_TIME" in records.seconds else "POSIX"
        begin, end = (records.time(f"{prefix}_F_{name}_TIMESTAMP") for name in _WINDOWS[way])
        own = records.rank >= 0
        parts = [
            _Amounts(*_added(records.rank[own], mount[own], _of(values, own), begin[own], end[own]))
        ]
        common = np.flatnonzero(~own & np.any([column != 0 for column in values.values()], axis=0))
        if len(common):
            processes = self._log.processes
            weights, is_even = self._weights(parts[0], moved, curve)
            for which in np.unique(mount[common]).tolist():
                rows = common[mount[common] == which]
                sums = {name: int(column[rows].sum()) for name, column in values.items()}
                shares = {
                    name: divided(np.array([total]), weights[None, :])[0]
                    for name, total in sums.items()
                }
                if is_even:
                    self.evenly += sums.get(moved, 0) if processes > 1 else 0
                lo, hi = _window(begin[rows], end[rows])
                parts.append(
                    _Amounts(
                        np.arange(processes, dtype=np.int64),
                        np.full(processes, which, dtype=np.int64),
                        shares,
                        np.full(processes, lo),
                        np.full(processes, hi),
                    )
                )
        return _Amounts(
            *_added(
                self._kept(np.concatenate([part.rank for part in parts])),
                np.concatenate([part.mount for part in parts]),
                {name: np.concatenate([part.values[name] for part in parts]) for name in values},
                np.concatenate([part.begin_s for part in parts]),
                np.concatenate([part.end_s for part in parts]),
            )
        )

    def _weights(
        self, own: _Amounts, moved: str, curve: tuple[Ints, Floats] | None
    ) -> tuple[Floats, bool]:
        """Return each rank's weight in the traffic of all ranks, and whether all are equal."""
        processes = self._log.processes
        if curve is None or not len(curve[0]):
            return np.ones(processes), True
        seen = np.zeros(processes)
        seen[curve[0]] = curve[1][:, -1]
        if moved in own.values:
            np.add.at(seen, own.rank, -own.values[moved].astype(np.float64))
        beyond = seen.clip(0.0)
        return (beyond, False) if beyond.any() else (np.ones(processes), True)

    def _by_time(self, found: _Amounts, curve: tuple[Ints, Floats] | None, moved: str) -> None:
        """Spread amounts over slices.

        If the bytes of the rank over time are known, the amounts are spread like them. Else one row
        spans the time from the first to the last instant.
        """
        known = np.zeros(len(found.rank), dtype=bool)
        row = np.zeros(len(found.rank), dtype=np.int64)
        heights = None
        if curve is not None and len(curve[0]):
            ranks, heights = self._joined(*curve)
            row = np.searchsorted(ranks, found.rank).clip(0, len(ranks) - 1)
            known = ranks[row] == found.rank
        if heights is not None and known.any():
            each = heights[row[known]]
            values = {n: along(column[known], each) for n, column in found.values.items()}
            some = np.any([parts != 0 for parts in values.values()], axis=0)
            at, slices = np.nonzero(some)
            self.cells.add(
                found.rank[known][at],
                found.mount[known][at],
                slices.astype(np.int64),
                np.ones(len(at), np.int64),
                {name: parts[at, slices] for name, parts in values.items()},
            )
        rest = ~known
        if moved in found.values:
            self._weigh(1, found.mount[known], found.values[moved][known])
            self._weigh(2, found.mount[rest], found.values[moved][rest])
        if any(column[rest].any() for column in found.values.values()):
            at, span = self._grid.spans(found.begin_s[rest], found.end_s[rest])
            self.cells.add(found.rank[rest], found.mount[rest], at, span, _of(found.values, rest))

    def _joined(self, ranks: Ints, heights: Floats) -> tuple[Ints, Floats]:
        """Add up the curves of neighbouring ranks that are merged (see `Traffic.together`)."""
        if self.together == 1:
            return ranks, heights
        kept, which = np.unique(self._kept(ranks), return_inverse=True)
        joined = np.zeros((len(kept), heights.shape[1]))
        np.add.at(joined, which, heights)
        return kept, joined


def _of(values: Mapping[str, Ints], rows: NDArray[np.bool_]) -> dict[str, Ints]:
    return {name: column[rows] for name, column in values.items()}


def _window(begin: Floats, end: Floats) -> tuple[float, float]:
    """Return the earliest begin and the latest end; 0 and 0 if no instant is known."""
    known = end > 0
    return (float(begin[known].min()), float(end[known].max())) if known.any() else (0.0, 0.0)


def _added(
    rank: Ints, mount: Ints, values: Mapping[str, Ints], begin: Floats, end: Floats
) -> tuple[Ints, Ints, dict[str, Ints], Floats, Floats]:
    """Add up the rows that have the same rank and mount."""
    key = rank * (int(mount.max(initial=0)) + 1) + mount
    keys, first, which = np.unique(key, return_index=True, return_inverse=True)
    sums = {}
    for name, column in values.items():
        sums[name] = np.zeros(len(keys), dtype=np.int64)
        np.add.at(sums[name], which, column)
    earliest, latest = np.full(len(keys), np.inf), np.zeros(len(keys))
    known = end > 0
    np.minimum.at(earliest, which[known], begin[known])
    np.maximum.at(latest, which[known], end[known])
    earliest[np.isinf(earliest)] = 0.0
    return rank[first], mount[first], sums, earliest, latest
