"""The whole system as a grid of nodes × time (thesis fig. 2.1), with jobs as rectangles."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle._schema import BY_ID
from jostle.report.models.metrics import View, view
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
        start_ns: Begin of the first column; a multiple of the step, so that columns stay where
            they are when a span moves.
        step_ns: Length of a column; from 20 s on whole minutes, as tiles are kept.
        columns: How many there are.
    """

    start_ns: int
    step_ns: int
    columns: int

    @staticmethod
    def of(span: tuple[int, int], lives: list[Life], columns: int) -> GridAxis:
        """Lay columns over the part of a span in which there are jobs."""
        begin = max(span[0], min((life.start_ns for life in lives), default=0))
        end = max(min(span[1], max((life.end_ns for life in lives), default=0)), begin + 1)
        slice_ns = max((life.slice_ns for life in lives), default=10**9)
        least = max(-(-(end - begin) // columns), slice_ns)
        # A third of the columns that there is room for will do: minutes are at hand, slices not.
        whole = slice_ns if 3 * least <= MINUTE else int(np.lcm(slice_ns, MINUTE))
        step = -(-least // whole) * whole
        start = begin // step * step
        return GridAxis(start, step, -(-(end - start) // step))

    @property
    def end_ns(self) -> int:
        """End of the last column."""
        return self.start_ns + self.step_ns * self.columns

    def place(self, ns: int) -> int:
        """Column of a moment, cut to those there are."""
        return min(max((ns - self.start_ns) // self.step_ns, 0), self.columns)


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """Sort node2 before node10."""
    parts = re.findall(r"\d+|\D+", name)
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts)


def factor(seen: View, step_ns: int) -> float:
    """Return what turns a sum over a column into a rate."""
    scale = 1.0 if seen.level else 1e9 / step_ns
    return scale / 1e9 if seen.unit == "ns" else scale


def span_of(lives: list[Life], columns: int) -> dict[str, Any]:
    """Return the time that the repository covers, and how many nodes were busy through it.

    Args:
        lives: Of all jobs.
        columns: Points of the curve of busy nodes.
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
    """Return a metric of every node over a span, and the jobs there.

    A viewer who may not see all jobs gets his own jobs on their nodes, and one row for all nodes
    together: what may be published of others (others.py) and his own load. The time is that of his
    own jobs.

    Args:
        tiles: What is asked.
        others: Source of the sums for viewers who may not see all.
        lives: Of all jobs.
        viewer: The viewer.
        metric: A view or a metric.
        span: Start and end, ns since the epoch; cut to what there is.
        shape: The most rows and columns wanted; more nodes share a row.
        search: Part of the names of nodes.

    Returns:
        As `process_grid` does. Of a row the header tells host, and last (of several nodes). It
        names jobs: {job, start_ns, end_ns, rows: [[first, last], ...]}, `together`: nodes to a row,
        and `table`: where the numbers are from.
    """
    seen = view(metric)
    ids = [name for line in seen.lines for name in line.metrics]
    on_mounts = BY_ID[ids[0]].scope == "mount"
    visible = [life for life in lives if viewer.sees(life.uid)]
    axis = GridAxis.of(span, visible, shape[1])
    lifes = [life for life in visible if search in life.host]
    hosts = sorted({life.host for life in lifes}, key=natural)
    together = max(-(-len(hosts) // shape[0]), 1)
    row = {host: number // together for number, host in enumerate(hosts)}
    cells = node_cells(tiles, ids, (axis.start_ns, axis.end_ns, axis.step_ns),
                       on_mounts=on_mounts, level=seen.level)  # fmt: skip
    values = _values(cells, {life.job for life in lifes}, row, axis)
    values *= factor(seen, axis.step_ns)
    idle = _lived(lifes, row, axis)
    values = np.where(idle > 0, values / np.maximum(idle, 1), np.nan)
    rows = [_named(hosts[first : first + together]) for first in range(0, len(hosts), together)]
    everybody = None
    if not viewer.sees_all:
        everybody = _everybody(others, lives, viewer, seen, axis)
        many = len({life.host for life in lives})
        values = np.vstack([everybody * factor(seen, axis.step_ns) / max(many, 1), values])
        rows.insert(0, {"host": "all nodes", "last": None})
    header = {
        "unit": seen.rate_unit, "table": "mount_slices" if on_mounts else "node_rollup",
        "start_ns": axis.start_ns, "step_ns": axis.step_ns,
        "columns": axis.columns, "rows": rows, "together": together, "all": everybody is not None,
        "jobs": rectangles(lifes, row, axis, shift=int(everybody is not None)),
    }  # fmt: skip
    return packed(header, values)


def packed(header: dict[str, Any], values: Floats) -> bytes:
    """Put numbers behind a header, as `process_grid` does."""
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    return struct.pack("<I", len(text)) + text + values.astype("<f4").tobytes()


def _named(hosts: list[str]) -> dict[str, Any]:
    return {"host": hosts[0], "last": hosts[-1] if len(hosts) > 1 else None}


def _codes(column: pa.ChunkedArray, number: Mapping[str, int]) -> NDArray[np.int64]:
    """Return the number of each name, -1 for names without one."""
    found = column.combine_chunks().dictionary_encode()
    known = [number.get(name, -1) for name in found.dictionary.to_pylist()]
    numbers: NDArray[np.int64] = np.array([*known, -1], dtype=np.int64)[found.indices.to_numpy()]
    return numbers


def _values(cells: pa.Table, jobs: set[str], row: Mapping[str, int], axis: GridAxis) -> Floats:
    """Add up the cells of some jobs, by row and column."""
    values = np.zeros((max(row.values(), default=-1) + 1, axis.columns))
    at = _codes(cells["host"], row)
    place = cells["place"].to_numpy()
    known = (_codes(cells["job"], dict.fromkeys(jobs, 0)) >= 0) & (at >= 0)
    known &= (place >= 0) & (place < axis.columns)
    np.add.at(values, (at[known], place[known]), cells["value"].to_numpy()[known])
    return values


def _lived(lives: list[Life], row: Mapping[str, int], axis: GridAxis) -> Floats:
    """Count, by row and column, the nodes that had a job."""
    hosts = {host: number for number, host in enumerate(row)}
    busy = np.zeros((len(hosts), axis.columns), dtype=bool)
    for life in lives:
        if life.end_ns > axis.start_ns and life.start_ns < axis.end_ns:
            last = max(axis.place(life.end_ns - 1) + 1, axis.place(life.start_ns) + 1)
            busy[hosts[life.host], axis.place(life.start_ns) : last] = True
    if not row:
        return np.zeros((0, axis.columns))
    first = np.flatnonzero(np.diff(list(row.values()), prepend=-1))  # hosts of a row are together
    return np.add.reduceat(busy, first, axis=0, dtype=np.float64)


def _everybody(
    others: Others, lives: list[Life], viewer: Viewer, seen: View, axis: GridAxis
) -> Floats:
    """Add up what all jobs did, as far as it may be published (on mounts: mount by mount)."""
    if seen.level:
        return np.full(axis.columns, np.nan)
    ids = [name for line in seen.lines for name in line.metrics]
    on_mounts = BY_ID[ids[0]].scope == "mount"
    told: dict[str, list[Floats]] = {}
    for line in seen.lines:
        for resource, load in others.told(
            viewer, owners(lives), "rollup" if on_mounts else "node_rollup", line.metrics,
            (axis.start_ns, axis.step_ns, axis.columns), all_nodes=not on_mounts,
        ).items():  # fmt: skip
            told.setdefault(resource, []).append(load)
    if not told:
        return np.zeros(axis.columns)
    values = np.stack([np.sum(lines, axis=0) for lines in told.values()])
    found: Floats = np.where(np.isnan(values).all(axis=0), np.nan, np.nansum(values, axis=0))
    return found


def rectangles(
    lives: list[Life], row: Mapping[str, int], axis: GridAxis, shift: int = 0
) -> list[dict[str, Any]]:
    """Return the jobs of a picture; neighbouring rows of a job are one rectangle."""
    found: dict[str, dict[str, Any]] = {}
    for life in lives:
        if life.end_ns <= axis.start_ns or life.start_ns >= axis.end_ns:
            continue
        job = found.setdefault(
            life.job, {"job": life.job, "start_ns": life.start_ns, "end_ns": 0, "rows": set()}
        )
        job["rows"].add(row[life.host] + shift)
        job["start_ns"] = min(job["start_ns"], life.start_ns)
        job["end_ns"] = max(job["end_ns"], life.end_ns)
    return [job | {"rows": _runs(sorted(job["rows"]))} for job in found.values()]


def _runs(numbers: list[int]) -> list[list[int]]:
    """Return first and last of each run of numbers that follow one another."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return runs
