"""Content of a chart of a job and its background, with the slices with interference marked.

It is drawn by `plot/terminal/interference.py` and `plot/figures/interference.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.identification.model import JobInterference, ResourceKind, ResourceLoss
from jostle.analysis.interval import Interval
from jostle.report.format.values import duration, significant
from jostle.values.storage_servers import FILE_KINDS

Floats = NDArray[np.float64]
_MOST_SLICES = 2_000_000


@dataclass(frozen=True)
class AttributionChart:
    """Loss of one job on one resource, per slice.

    Attributes:
        job: Name of the job.
        resource: Resource on which the time was lost.
        kind: Kind of resource that the timed calls use.
        evident: Whether there is evidence that other jobs caused the loss.
        unit: Unit of the loads: bytes, ops, in ns.
        edges: Borders of the slices, ns since the epoch; without gaps.
        service: Service time relative to that of undisturbed calls; NaN where the job was inactive.
        own: Load of the job, per second; NaN: not known.
        others: Load of all other jobs, per second.
        disturbed: Whether time was lost in each slice.
        seconds: Loss on the resource in total, in seconds.
        percent: The loss as a share of the job's run time, percent.
        smallest_s: The smallest loss that could have been detected, in seconds.
        suspect: The suspect with the largest part of the loss; "" if there is none.
        share: Part of the loss that the suspect caused.
        slices: Number of slices that were tested.
    """

    job: str
    resource: str
    kind: ResourceKind
    evident: bool
    unit: str
    edges: NDArray[np.int64]
    service: Floats
    own: Floats
    others: Floats
    disturbed: NDArray[np.bool_]
    seconds: Interval
    percent: float
    smallest_s: float
    suspect: str
    share: float
    slices: int

    @property
    def title(self) -> str:
        """The finding in a sentence."""
        if not self.evident:
            return f"No evidence that others slowed {self.job} on {self.resource}"
        lost = f"{self.job} lost {duration(self.seconds.value * 1e9)}"
        lost += f" ({significant(self.percent)} % of its run) on {self.resource}"
        if not self.suspect:
            return f"{lost} to others"
        if self.share > 0.95:
            return f"{lost} to {self.suspect}"
        return f"{lost}, {100 * self.share:.0f} % of that to {self.suspect}"

    @property
    def work(self) -> str:
        """The calls whose time is measured on the resource, in words."""
        calls: dict[str, str] = dict.fromkeys(FILE_KINDS, "a call")
        return (calls | {"network": "an MPI call"}).get(self.kind, "the same computation")

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Start and end of each run of consecutive slices with interference, ns since the epoch."""
        flags = np.concatenate([[False], self.disturbed, [False]]).astype(np.int8)
        changes = np.flatnonzero(np.diff(flags))
        return [
            (int(self.edges[a]), int(self.edges[b]))
            for a, b in zip(changes[::2], changes[1::2], strict=True)
        ]

    @property
    def slice_ns(self) -> int:
        """Length of a slice."""
        return int(self.edges[1] - self.edges[0])


def charts(interference: JobInterference, *, most: int = 3) -> list[AttributionChart]:
    """Return charts of the resources with interference, else of the most used one.

    Args:
        interference: The result of the identification.
        most: Number of charts at most.
    """
    drawable = [loss for loss in interference.resources if loss.steps_ns and loss.slice_ns > 0]
    disturbed = [loss for loss in drawable if loss.evident]
    # Every job computes: a node is shown only where no other resource was shared.
    chosen = disturbed or sorted(drawable, key=lambda loss: (loss.kind == "node", -loss.own_s))[:1]
    # The worst of each kind first: the other nodes of a job show the same.
    worst = {loss.kind: loss for loss in reversed(chosen)}
    chosen.sort(key=lambda loss: loss is not worst[loss.kind])
    return [_chart(interference, loss) for loss in chosen[:most]]


def _chart(interference: JobInterference, loss: ResourceLoss) -> AttributionChart:
    at = np.array(loss.steps_ns, dtype=np.int64) // loss.slice_ns
    first = max(int(at.min()), int(at.max()) - _MOST_SLICES)
    size = int(at.max()) - first + 1
    place, inside = (at - first), at >= first

    def laid(values: list[float], scale: float) -> Floats:
        row = np.full(size, math.nan)
        row[place[inside]] = np.array(values, dtype=np.float64)[inside] * scale
        return row

    disturbed = np.zeros(size, dtype=bool)
    for each in interference.disturbed:
        if each.resource == loss.resource:
            where = each.start_ns // loss.slice_ns - first
            last = max((each.start_ns + each.length_ns) // loss.slice_ns - first, where + 1)
            disturbed[max(where, 0) : min(last, size)] = True
    suspects = [suspect for suspect in interference.suspects if suspect.resource == loss.resource]
    first_suspect = max(suspects, key=lambda suspect: suspect.share, default=None)
    per_second = 1e9 / loss.slice_ns
    return AttributionChart(
        interference.job,
        loss.resource,
        # On a link to a file server calls on files are timed.
        "file system"
        if loss.kind == "network" and loss.calls_of not in ("", "messages")
        else loss.kind,
        loss.evident,
        loss.unit,
        (first + np.arange(size + 1, dtype=np.int64)) * loss.slice_ns,
        laid(loss.service, 1.0),
        laid(loss.own_load, per_second),
        laid(loss.others_load, per_second),
        disturbed,
        loss.seconds,
        100 * loss.seconds.value / interference.run_s if interference.run_s else 0.0,
        loss.smallest_s,
        first_suspect.job if first_suspect else "",
        first_suspect.share if first_suspect else 0.0,
        loss.slices,
    )


def means(values: Floats, edges: NDArray[np.int64], borders: Floats) -> Floats:
    """Average values of slices within wider or narrower spans; NaN where nothing is known.

    Args:
        values: Value of each slice; NaN: not known.
        edges: Borders of the slices, in ns.
        borders: Borders of the spans, in ns.
    """
    known = ~np.isnan(values)
    offset = (edges - edges[0]).astype(np.float64)
    length = np.diff(offset)
    asked = np.clip(borders - float(edges[0]), 0, offset[-1])

    def gained(row: Floats) -> Floats:
        area = np.concatenate([[0.0], np.cumsum(row * length)])
        gain: Floats = np.diff(np.interp(asked, offset, area))
        return gain

    covered = gained(known.astype(np.float64))
    total = gained(np.where(known, values, 0.0))
    return np.where(covered > 0, total / np.where(covered > 0, covered, 1.0), math.nan)


def service_top(chart: AttributionChart) -> tuple[float, str]:
    """Find the upper end of the axis of service times, which ignores single stalled calls.

    Returns:
        The highest service time on the axis, and a remark if others are higher.
    """
    known = chart.service[~np.isnan(chart.service)]
    hit = chart.service[chart.disturbed & ~np.isnan(chart.service)]
    high = float(known.max(initial=1.0))
    usual = [
        float(np.quantile(values, share))
        for values, share in ((known, 0.9), (hit, 0.75))
        if len(values)
    ]
    cut = 2 * max(usual, default=high)
    return (cut, f"cut: up to {significant(high)}") if high > 2 * cut else (high, "")
