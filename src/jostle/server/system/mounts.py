"""Computes the load on each mount over time, divided among jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jostle.errors import UsageError
from jostle.report.models.metrics import View, view
from jostle.schema.metrics import BY_ID
from jostle.server.access import Viewer
from jostle.server.background.others import Others
from jostle.server.background.tiles import Tiles
from jostle.server.system.node_grid import Floats, GridAxis, factor
from jostle.server.system.queries import Life, mount_cells, mounts_named, owners

_LAYERS = 12
_DIGITS = 4


def mount_load(
    tiles: Tiles,
    others: Others,
    lives: list[Life],
    viewer: Viewer,
    metric: str,
    span: tuple[int, int],
    columns: int,
) -> dict[str, Any]:
    """Return the load on each mount over a span, divided among jobs.

    A viewer who may not see all jobs gets only mounts on which visible jobs had load, with the
    paths under which these jobs use them, and only the time in which these jobs ran.

    Args:
        tiles: Loads of all jobs.
        others: Source of the sums for viewers who may not see all jobs.
        lives: Run times of all jobs on their nodes.
        viewer: The viewer. Jobs that the viewer may not see are one sum, which is hidden at times
            at which too few other users were active.
        metric: A view or a metric of mounts.
        span: Start and end, ns since the epoch.
        columns: Largest number of columns.

    Returns:
        unit, start_ns, step_ns, columns: The values' unit, and the columns.
        mounts: The mounts, the busiest first. Each has mount, path, type; total, the sum over the
            span in the metric's unit; jobs, the number of jobs with load on it; layers, the jobs
            with most load (job, total, values); rest, the values of all other jobs, None without
            other jobs; and few, whether values in `rest` are hidden.
    """
    seen = view(metric)
    ids = [name for line in seen.lines for name in line.metrics]
    if any(BY_ID[name].scope != "mount" for name in ids):
        raise UsageError(f"{metric} is not counted per mount.", hint="Use bytes, ops or time.")
    visible = [life for life in lives if viewer.sees(life.uid)]
    axis = GridAxis.of(span, visible, columns)
    loads = _loads(tiles, ids, axis)
    if not viewer.sees_all:
        loads = _known(loads, {life.job for life in visible}, others, lives, viewer, seen, axis)
    scale = factor(seen, axis.step_ns)
    whose = None if viewer.sees_all else {life.job for life in visible}
    paths = mounts_named(tiles.repository, whose)
    mounts = []
    for mount, (jobs, rest) in loads.items():
        path, kind = paths.get(mount, (mount, ""))
        loads_there = _split(jobs, rest).to_row(scale, axis.step_ns)
        mounts.append({"mount": mount, "path": path, "type": kind} | loads_there)
    return {
        "unit": seen.rate_unit,
        "start_ns": axis.start_ns,
        "step_ns": axis.step_ns,
        "columns": axis.columns,
        "mounts": sorted(mounts, key=lambda one: (-one["total"], one["mount"])),
    }


#: Loads on a mount: of jobs that may be named, and of all others; None: there are none.
Loads = tuple[dict[str, Floats], Floats | None]


def _loads(tiles: Tiles, ids: Sequence[str], axis: GridAxis) -> dict[str, Loads]:
    """Return the load of every job by mount."""
    cells = mount_cells(tiles, ids, (axis.start_ns, axis.end_ns, axis.step_ns))
    found: dict[str, Loads] = {}
    for job, mount, place, value in zip(
        *(cells[name].to_pylist() for name in ("job", "mount", "place", "value")), strict=True
    ):
        if 0 <= place < axis.columns and value:
            jobs, _ = found.setdefault(mount, ({}, None))
            jobs.setdefault(job, np.zeros(axis.columns))[place] += value
    return found


def _known(
    loads: Mapping[str, Loads],
    visible: set[str],
    others: Others,
    lives: list[Life],
    viewer: Viewer,
    seen: View,
    axis: GridAxis,
) -> dict[str, Loads]:
    """Return the loads by mount that may be published to the viewer."""
    unseen: dict[str, Floats] = {}
    for line in seen.lines:
        loads_there = others.disclosed(
            viewer,
            owners(lives),
            "rollup",
            line.metrics,
            (axis.start_ns, axis.step_ns, axis.columns),
            without=visible,
        )
        for mount, load in loads_there.items():
            unseen[mount] = unseen.get(mount, np.zeros(axis.columns)) + load
    found: dict[str, Loads] = {}
    for mount, (jobs, _) in loads.items():
        mine = {job: load for job, load in jobs.items() if job in visible}
        rest = unseen.get(mount, np.zeros(axis.columns))
        if mine:
            found[mount] = mine, rest if len(mine) < len(jobs) else None
    return found


@dataclass
class _Split:
    """The load on a mount: that of the jobs with most load, and that of all others together.

    Attributes:
        jobs: Number of jobs with load on the mount that the viewer may see.
        layers: Name and load of each of the jobs with most load.
        rest: Load of all other jobs, NaN where it may not be published; None: there are no others.
    """

    jobs: int
    layers: list[tuple[str, Floats]]
    rest: Floats | None

    def to_row(self, scale: float, step_ns: int) -> dict[str, Any]:
        """Return the load in the form of the API."""
        total = sum(float(load.sum()) for _, load in self.layers)
        total += 0.0 if self.rest is None else float(np.nansum(self.rest))
        seconds = scale * step_ns / 1e9
        return {
            "total": _said(total * seconds),
            "jobs": self.jobs,
            "layers": [
                {
                    "job": job,
                    "total": _said(float(load.sum()) * seconds),
                    "values": _rounded(load * scale),
                }
                for job, load in self.layers
            ],
            "rest": None if self.rest is None else _rounded(self.rest * scale),
            "few": self.rest is not None and bool(np.isnan(self.rest).any()),
        }


def _split(jobs: dict[str, Floats], rest: Floats | None) -> _Split:
    largest = sorted(jobs, key=lambda job: (-jobs[job].sum(), job))
    for job in largest[_LAYERS:]:
        rest = jobs[job] + (0.0 if rest is None else rest)
    return _Split(len(jobs), [(job, jobs[job]) for job in largest[:_LAYERS]], rest)


def _said(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")


def _rounded(values: Floats) -> list[float | None]:
    return [None if value != value else _said(value) for value in values.tolist()]
