"""Figure of a job's nodes and its neighbours (Bhatele et al., 2013, figures 7, 12, 15, 16, 18)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from jostle.plot.charts.labels import slug
from jostle.plot.charts.placement import NodeRoles, roles
from jostle.plot.figures.page import FULL, Canvas, Page, Plan
from jostle.plot.figures.placement.boxes import order_of
from jostle.plot.figures.placement.places import (
    draw_all_strips,
    draw_legend,
    draw_pair,
    draw_planes,
    is_box,
    legend_high,
    missing,
    numbers_of,
    pair_high,
    planes_high,
    strips_high,
)
from jostle.report.format.placement import job_answer

if TYPE_CHECKING:
    from jostle.report.models.job.placement import JobPlacement, Stays
    from jostle.topology import Topology

_COLUMNS = 3


def plans(content: JobPlacement, stays: Stays) -> Iterator[Plan]:
    """Yield the picture of a job's placement."""
    topology = stays.fabric_map.topology
    who = roles(stays, stays.by_job[content.job], content.company)
    draw = partial(_draw, topology=topology, who=who)
    yield _page(content, topology, who), draw


def _page(content: JobPlacement, topology: Topology, who: NodeRoles) -> Page:
    if topology.sizes:
        order = order_of(topology)
        names = [topology.dimensions[k] for k in order[:2]]
        note = f"In the planes each cell is a node; {names[0]} leads to the right"
        note += f", {names[1]} upwards." if len(names) > 1 else "."
        if is_box(topology):
            note = f"Each box is a router. {note}"
    else:
        note = "Each strip is a switch with its nodes; a white dot marks the job's own."
    note += missing(topology, who)
    foot = f"Fabric {topology.name} ({topology.kind}), {topology.origin or 'as imported'}."
    return Page(
        f"placement-{slug(content.job)}",
        job_answer(content),
        note,
        foot,
        numbers_of(topology, who),
        width=FULL,
        body=_body(topology, who),
    )


def _body(topology: Topology, who: NodeRoles) -> float:
    high = legend_high(who) + 0.1
    if not topology.sizes:
        return high + strips_high(topology, who, _COLUMNS)
    if is_box(topology):
        high += pair_high(topology, FULL)
    return high + planes_high(topology, who, FULL - 0.4)


def _draw(canvas: Canvas, topology: Topology, who: NodeRoles) -> None:
    draw_legend(canvas, 0.15, 0.0, who)
    top = legend_high(who) + 0.05
    if not topology.sizes:
        draw_all_strips(canvas, topology, who, _COLUMNS, (0.15, top, canvas.width - 0.3))
        return
    if is_box(topology):
        draw_pair(canvas, topology, who, top)
        top += pair_high(topology, canvas.width)
    draw_planes(canvas, topology, who, top)
