"""Per mount, who puts how much load on it, job upon job."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from jostle._schema import BY_ID
from jostle.errors import UsageError
from jostle.server.access import Viewer
from jostle.server.crowds import hidden_hours, suppress
from jostle.server.system import Axis, Floats, factor
from jostle.server.system_ask import Life, mount_cells, mounts_named, owners
from jostle.server.tiles import Tiles
from jostle.told.metrics import view

_LAYERS = 12
_DIGITS = 4


def mount_load(
    tiles: Tiles,
    lives: list[Life],
    viewer: Viewer,
    metric: str,
    span: tuple[int, int],
    columns: int,
) -> dict[str, Any]:
    """Gives the load on each mount over a span, by job.

    Args:
        tiles: What is asked.
        lives: Of all jobs.
        viewer: Who looks: jobs that he may not see are one sum, empty where too few others were
            at work.
        metric: A view or a metric of mounts.
        span: Start and end, ns since the epoch.
        columns: The most columns wanted.

    Returns:
        unit, start_ns, step_ns, columns, and the mounts, the busiest first: mount, path, type,
        total (of the span, in the metric's unit), jobs (how many had load there), layers (the
        largest: job, total, values) and rest (values of all others; None where there are none).
    """
    seen = view(metric)
    ids = [name for line in seen.lines for name in line.metrics]
    if any(BY_ID[name].scope != "mount" for name in ids):
        raise UsageError(f"{metric} is not counted per mount.", hint="Try bytes, ops or time.")
    axis = Axis.of(span, lives, columns)
    cells = mount_cells(tiles, ids, (axis.start_ns, axis.end_ns, axis.step_ns))
    per: dict[str, dict[str, Floats]] = {}
    for job, mount, place, value in zip(
        *(cells[name].to_pylist() for name in ("job", "mount", "place", "value")), strict=True
    ):
        if 0 <= place < axis.columns and value:
            load = per.setdefault(mount, {}).setdefault(job, np.zeros(axis.columns))
            load[place] += value
    visible = {one.job for one in lives if viewer.sees(one.uid)}
    lines = [line.metrics for line in seen.lines]
    within = axis.start_ns, axis.end_ns
    hidden = hidden_hours(viewer, tiles, owners(lives), "rollup", lines, within)
    scale = factor(seen, axis.step_ns)
    paths = mounts_named(tiles.repository)
    mounts = []
    for mount, jobs in per.items():
        some = _split(jobs, visible)
        if some.rest is not None and some.secret:
            some.rest = suppress(
                some.rest, axis.start_ns, axis.step_ns, hidden.get(mount, frozenset())
            )
        path, kind = paths.get(mount, (mount, ""))
        mounts.append({"mount": mount, "path": path, "type": kind} | some.told(scale, axis.step_ns))
    return {
        "unit": seen.rate_unit, "start_ns": axis.start_ns, "step_ns": axis.step_ns,
        "columns": axis.columns,
        "mounts": sorted(mounts, key=lambda one: (-one["total"], one["mount"])),
    }  # fmt: skip


@dataclass
class _Split:
    """The load on a mount: the largest jobs that may be named, and the rest.

    Attributes:
        jobs: How many may be known to have had load there.
        layers: Name and load of the largest.
        rest: Of all others; None: there are none.
        secret: Whether the rest has jobs that the viewer may not know.
    """

    jobs: int
    layers: list[tuple[str, Floats]]
    rest: Floats | None
    secret: bool

    def told(self, scale: float, step_ns: int) -> dict[str, Any]:
        """Gives it as the API does."""
        total = sum(float(load.sum()) for _, load in self.layers)
        total += 0.0 if self.rest is None else float(np.nansum(self.rest))
        seconds = scale * step_ns / 1e9
        return {
            "total": _said(total * seconds), "jobs": self.jobs,
            "layers": [{"job": job, "total": _said(float(load.sum()) * seconds),
                        "values": _rounded(load * scale)} for job, load in self.layers],
            "rest": None if self.rest is None else _rounded(self.rest * scale),
            "few": self.rest is not None and bool(np.isnan(self.rest).any()),
        }  # fmt: skip


def _split(jobs: dict[str, Floats], visible: set[str]) -> _Split:
    named = sorted((job for job in jobs if job in visible), key=lambda job: (-jobs[job].sum(), job))
    secret = [load for job, load in jobs.items() if job not in visible]
    others = [*(jobs[job] for job in named[_LAYERS:]), *secret]
    rest = np.asarray(np.sum(others, axis=0)) if others else None
    return _Split(len(named), [(job, jobs[job]) for job in named[:_LAYERS]], rest, bool(secret))


def _said(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")


def _rounded(values: Floats) -> list[float | None]:
    return [None if value != value else _said(value) for value in values.tolist()]
