"""The whole system as a grid of nodes × time (Shah, 2020, figure 2.1), with jobs as rectangles."""

from __future__ import annotations

import json
import struct
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.report.format.values import natural
from jostle.report.models.metrics import View, view
from jostle.schema.metrics import BY_ID
from jostle.server.access import Viewer
from jostle.server.background.others import Others
from jostle.server.background.tiles import Tiles
from jostle.server.system.queries import Life, node_cells, owners

Floats = NDArray[np.float64]

MINUTE = 60 * 10**9


@dataclass(frozen=True)
class GridAxis:
    """Columns of whole slices.

    Attributes:
        start_ns: Start of the first column, ns since the epoch. It is a multiple of `step_ns`, so
            that columns have the same borders when a span moves.
        step_ns: Length of a column, ns. Long columns are whole minutes, for which loads are cached.
        columns: Number of columns.
    """

    start_ns: int
    step_ns: int
    columns: int

    @staticmethod
    def of(span: tuple[int, int], lives: list[Life], columns: int) -> GridAxis:
        """Divide the part of a span in which jobs ran into columns.

        A column is not shorter than the shortest slices of these jobs. Longer slices may cover
        several columns.
        """
        begin = max(span[0], min((life.start_ns for life in lives), default=0))
        end = max(min(span[1], max((life.end_ns for life in lives), default=0)), begin + 1)
        slices = [life.slice_ns for life in lives if _lasts(life, begin, end)] or [10**9]
        least = max(-(-(end - begin) // columns), min(slices))
        # A third of the columns that fit suffices: minutes are cached, slices are not.
        if 3 * least <= MINUTE:
            whole = max(length for length in slices if length <= least)
        else:
            whole = int(np.lcm(max(slices), MINUTE))
        step = -(-least // whole) * whole
        start = begin // step * step
        return GridAxis(start, step, -(-(end - start) // step))

    @property
    def end_ns(self) -> int:
        """The end of the last column, ns since the epoch."""
        return self.start_ns + self.step_ns * self.columns

    def place(self, ns: int) -> int:
        """Return the number of the column of an instant, at least 0 and at most `columns`."""
        return min(max((ns - self.start_ns) // self.step_ns, 0), self.columns)


def _lasts(life: Life, begin_ns: int, end_ns: int) -> bool:
    """Return whether a job is on its node at some time in a span."""
    return life.end_ns > begin_ns and life.start_ns < end_ns


@dataclass(frozen=True)
class RowLayout:
    """The rows of the grid: a row for each lane of a node, or one row for several nodes.

    Jobs that share a node at the same time are in different lanes of the node.

    Attributes:
        together: Number of nodes per row.
        lane: Number of the lane of each job and node, from 0; missing: lane 0.
        row: Number of the row of each node and lane, in the order of rows.
    """

    together: int
    lane: dict[tuple[str, str], int]
    row: dict[tuple[str, int], int]

    @staticmethod
    def of(lives: list[Life], axis: GridAxis, most: int) -> RowLayout:
        """Lay out the nodes of some jobs.

        Args:
            lives: Run times of these jobs on their nodes.
            axis: The shown time; jobs that share a node only outside of it need no second lane.
            most: Largest number of rows. If lanes need more rows, several nodes share a row, and
                nodes have no lanes.
        """
        on_node: dict[str, list[Life]] = {life.host: [] for life in lives}
        for life in lives:
            if _lasts(life, axis.start_ns, axis.end_ns):
                on_node[life.host].append(life)
        hosts = sorted(on_node, key=natural)
        lanes = {host: _lanes(on_node[host]) for host in hosts}
        places = [
            (host, number)
            for host in hosts
            for number in range(max(lanes[host].values(), default=0) + 1)
        ]
        if len(places) <= most:
            lane = {(job, host): number for host in hosts for job, number in lanes[host].items()}
            return RowLayout(1, lane, {place: at for at, place in enumerate(places)})
        together = max(-(-len(hosts) // most), 1)
        return RowLayout(together, {}, {(host, 0): at // together for at, host in enumerate(hosts)})

    def of_job(self, job: str, host: str) -> int:
        """Return the row of a job on a node."""
        return self.row[host, self.lane.get((job, host), 0)]

    def named(self) -> list[dict[str, Any]]:
        """Return what the header says of each row: host, last, lane and lanes."""
        lanes = Counter(host for host, _ in self.row)
        rows: dict[int, dict[str, Any]] = {}
        for (host, lane), at in self.row.items():
            if at in rows:
                rows[at]["last"] = host
            else:
                rows[at] = {"host": host, "last": None, "lane": lane, "lanes": lanes[host]}
        return list(rows.values())


#: Most lanes of a node: further jobs share the last one.
_MOST_LANES = 8


def _lanes(lives: list[Life]) -> dict[str, int]:
    """Return for each job of a node the first lane that is free when it begins."""
    lanes: dict[str, int] = {}
    ends: list[int] = []
    for life in sorted(lives, key=lambda life: (life.start_ns, life.job)):
        free = [number for number, end in enumerate(ends) if end <= life.start_ns]
        if free:
            lane = free[0]
        elif len(ends) < _MOST_LANES:
            lane = len(ends)
            ends.append(0)
        else:
            lane = ends.index(min(ends))
        lanes[life.job] = lane
        ends[lane] = max(ends[lane], life.end_ns)
    return lanes


def factor(seen: View, step_ns: int) -> float:
    """Return the factor that converts the sum of a column to a rate per second; 1 for levels."""
    scale = 1.0 if seen.level else 1e9 / step_ns
    return scale / 1e9 if seen.unit == "ns" else scale


def span_of(lives: list[Life], columns: int) -> dict[str, Any]:
    """Return the time in which some jobs ran, and the number of busy nodes over this time.

    Args:
        lives: Run times of the jobs on their nodes.
        columns: Number of points of the curve of busy nodes.
    """
    axis = GridAxis.of((0, 2**63 - 1), lives, columns)
    change = np.zeros(axis.columns + 1)
    for life in lives:
        first = axis.place(life.start_ns)
        change[first] += 1
        change[max(axis.place(life.end_ns - 1) + 1, first + 1)] -= 1
    return {
        "first_ns": min((life.start_ns for life in lives), default=0),
        "last_ns": max((life.end_ns for life in lives), default=0),
        "live": any(life.running for life in lives),
        "nodes": len({life.host for life in lives}),
        "slice_ns": min((life.slice_ns for life in lives), default=10**9),
        "start_ns": axis.start_ns,
        "step_ns": axis.step_ns,
        "busy": np.cumsum(change)[:-1].astype(int).tolist(),
    }


def system_grid(
    tiles: Tiles,
    others: Others,
    lives: list[Life],
    viewer: Viewer,
    metric: str,
    span: tuple[int, int],
    shape: tuple[int, int],
    search: str = "",
) -> bytes:
    """Return a metric of every node over a span, and the jobs on the nodes.

    A viewer who may not see all jobs gets the load of visible jobs on their nodes, and one row for
    all nodes together. This row has the load of visible jobs, and that of other jobs as far as it
    may be published (others.py). Only the time in which visible jobs ran is covered.

    Args:
        tiles: Loads of all jobs.
        others: Source of the sums for viewers who may not see all jobs.
        lives: Run times of all jobs on their nodes.
        viewer: The viewer.
        metric: A view or a metric.
        span: Start and end, ns since the epoch; cut to the recorded time.
        shape: Largest number of rows, and of columns. If there are more nodes, several share a row.
        search: Text that the names of nodes must contain.

    Returns:
        Header and numbers as in `process_grid`. The header has also:

        - rows: for each row its host; `last`, the last host if several nodes share the row; `lane`,
          the number of the lane on the node, and `lanes`, the number of lanes of the node;
        - jobs: {job, start_ns, end_ns, rows: [[first, last], ...]} for each job;
        - together: the number of nodes per row;
        - all: whether the first row is that of all nodes together;
        - table: the table of the repository from which the numbers come.
    """
    seen = view(metric)
    ids = [name for line in seen.lines for name in line.metrics]
    on_mounts = BY_ID[ids[0]].scope == "mount"
    visible = [life for life in lives if viewer.sees(life.uid)]
    axis = GridAxis.of(span, visible, shape[1])
    lifes = [life for life in visible if search in life.host]
    layout = RowLayout.of(lifes, axis, shape[0])
    sums = [
        node_cells(
            tiles,
            part,
            (axis.start_ns, axis.end_ns, axis.step_ns),
            on_mounts=on_mounts,
            level=seen.level,
        )
        for part in seen.sums
    ]
    values = np.maximum.reduce([_values(cells, lifes, layout, axis) for cells in sums])
    values *= factor(seen, axis.step_ns)
    idle = _lived(lifes, layout, axis)
    values = np.where(idle > 0, values / np.maximum(idle, 1), np.nan)
    rows = layout.named()
    everybody = None
    if not viewer.sees_all:
        everybody = _everybody(others, lives, viewer, seen, axis)
        many = len({life.host for life in lives})
        values = np.vstack([everybody * factor(seen, axis.step_ns) / max(many, 1), values])
        rows.insert(0, {"host": "all nodes", "last": None, "lane": 0, "lanes": 1})
    header = {
        "unit": seen.rate_unit,
        "table": "mount_slices" if on_mounts else "node_rollup",
        "start_ns": axis.start_ns,
        "step_ns": axis.step_ns,
        "columns": axis.columns,
        "rows": rows,
        "together": layout.together,
        "all": everybody is not None,
        "jobs": rectangles(lifes, layout, axis, shift=int(everybody is not None)),
    }
    return packed(header, values)


def packed(header: dict[str, Any], values: Floats) -> bytes:
    """Return numbers after a header, as in `process_grid`."""
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    return struct.pack("<I", len(text)) + text + values.astype("<f4").tobytes()


def _codes(column: pa.ChunkedArray, number: Mapping[str, int]) -> NDArray[np.int64]:
    """Return the number of each name in a column, -1 for names without a number."""
    found = column.combine_chunks().dictionary_encode()
    known = [number.get(name, -1) for name in found.dictionary.to_pylist()]
    numbers: NDArray[np.int64] = np.array([*known, -1], dtype=np.int64)[found.indices.to_numpy()]
    return numbers


def _values(cells: pa.Table, lives: list[Life], layout: RowLayout, axis: GridAxis) -> Floats:
    """Add up the cells of some jobs, by row and column."""
    values = np.zeros((max(layout.row.values(), default=-1) + 1, axis.columns))
    jobs = {job: at for at, job in enumerate(dict.fromkeys(life.job for life in lives))}
    hosts = {host: at for at, host in enumerate(dict.fromkeys(life.host for life in lives))}
    if not hosts:
        return values
    rows = {
        jobs[life.job] * len(hosts) + hosts[life.host]: layout.of_job(life.job, life.host)
        for life in lives
    }
    known = np.array(sorted(rows), dtype=np.int64)
    row_of = np.array([rows[pair] for pair in known.tolist()], dtype=np.int64)
    job, host = _codes(cells["job"], jobs), _codes(cells["host"], hosts)
    pair = np.where((job >= 0) & (host >= 0), job * len(hosts) + host, -1)
    at = np.minimum(np.searchsorted(known, pair), len(known) - 1)
    place = cells["place"].to_numpy()
    inside = (known[at] == pair) & (place >= 0) & (place < axis.columns)
    np.add.at(values, (row_of[at[inside]], place[inside]), cells["value"].to_numpy()[inside])
    return values


def _lived(lives: list[Life], layout: RowLayout, axis: GridAxis) -> Floats:
    """Count, by row and column, the nodes (or lanes of a node) on which a job ran."""
    places = {place: number for number, place in enumerate(layout.row)}
    busy = np.zeros((len(places), axis.columns), dtype=bool)
    for life in lives:
        if _lasts(life, axis.start_ns, axis.end_ns):
            last = max(axis.place(life.end_ns - 1) + 1, axis.place(life.start_ns) + 1)
            place = places[life.host, layout.lane.get((life.job, life.host), 0)]
            busy[place, axis.place(life.start_ns) : last] = True
    if not places:
        return np.zeros((0, axis.columns))
    first = np.flatnonzero(np.diff(list(layout.row.values()), prepend=-1))  # nodes of a row adjoin
    return np.add.reduceat(busy, first, axis=0, dtype=np.float64)


def _everybody(
    others: Others, lives: list[Life], viewer: Viewer, seen: View, axis: GridAxis
) -> Floats:
    """Add up the loads of all jobs on all nodes, or on all mounts, as far as they may be shown."""
    if seen.level:
        return np.full(axis.columns, np.nan)
    ids = [name for line in seen.lines for name in line.metrics]
    on_mounts = BY_ID[ids[0]].scope == "mount"
    by_resource: dict[str, dict[bool, Floats]] = {}
    for line in seen.lines:
        for resource, load in others.disclosed(
            viewer,
            owners(lives),
            "rollup" if on_mounts else "node_rollup",
            line.metrics,
            (axis.start_ns, axis.step_ns, axis.columns),
            all_nodes=not on_mounts,
        ).items():
            sums = by_resource.setdefault(resource, {})
            sums[line.again] = sums.get(line.again, 0.0) + load
    if not by_resource:
        return np.zeros(axis.columns)
    values = np.stack([np.maximum.reduce(list(sums.values())) for sums in by_resource.values()])
    found: Floats = np.where(np.isnan(values).all(axis=0), np.nan, np.nansum(values, axis=0))
    return found


def rectangles(
    lives: list[Life], layout: RowLayout, axis: GridAxis, shift: int = 0
) -> list[dict[str, Any]]:
    """Return the jobs of a grid with their rows; a job's adjacent rows form one rectangle."""
    found: dict[str, dict[str, Any]] = {}
    for life in lives:
        if not _lasts(life, axis.start_ns, axis.end_ns):
            continue
        job = found.setdefault(
            life.job, {"job": life.job, "start_ns": life.start_ns, "end_ns": 0, "rows": set()}
        )
        job["rows"].add(layout.of_job(life.job, life.host) + shift)
        job["start_ns"] = min(job["start_ns"], life.start_ns)
        job["end_ns"] = max(job["end_ns"], life.end_ns)
    return [job | {"rows": _runs(sorted(job["rows"]))} for job in found.values()]


def _runs(numbers: list[int]) -> list[list[int]]:
    """Return the first and the last number of each sequence of consecutive numbers."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return runs
