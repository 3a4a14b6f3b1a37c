"""Draws the placement of a job in a fabric, for pages of one job or of two compared runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jostle.plot.charts.placement import COLOURS, OWN, NodeRoles
from jostle.plot.figures.figure import INK, SOFT
from jostle.plot.figures.page import Canvas, DrawnFigures
from jostle.plot.figures.placement.boxes import (
    ALONE,
    TOGETHER,
    draw_boxes,
    draw_plane,
    order_of,
    planes_of,
)
from jostle.plot.figures.placement.strips import draw_strips, height, left_out, strips
from jostle.report.format.values import count

if TYPE_CHECKING:
    from jostle.topology import Topology

_LEGEND, _SIZE = 0.165, 6.5  # inches of a line, points
_COLUMNS, _HEAD = 3, 0.16
_TALLEST, _CELL = 2.7, 0.3  # inches of a picture of boxes, and of a node in a plane
_HEADS = ("the job alone", "with all who may use its links")
_PLANE_GAP, _PLANE_TITLE = 0.12, 0.16


def is_box(topology: Topology) -> bool:
    """Return whether a fabric can be drawn as boxes in space."""
    return len(topology.sizes) == 3


def legend_high(roles: NodeRoles, columns: int = 2) -> float:
    """Return the height of the legend, inches."""
    return _LEGEND * -(-len(roles.names) // columns) + 0.05


def draw_legend(
    canvas: Canvas, left: float, top: float, roles: NodeRoles, columns: int = 2
) -> None:
    """Draw the legend of the colours, the job first, column by column."""
    from matplotlib.lines import Line2D

    rows = -(-len(roles.names) // columns)
    for number, (state, name) in enumerate(roles.names.items()):
        column, row = divmod(number, rows)
        x = left + 0.05 + column * (canvas.width - left - 0.1) / columns
        y = top + row * _LEGEND + 0.07
        place = ([x / canvas.width], [(canvas.footer + canvas.body - y) / canvas.height])
        canvas.figure.add_artist(
            Line2D(
                *place,
                marker="s",
                markersize=5.5,
                color=COLOURS[state],
                markeredgecolor="#9AA5B1",
                markeredgewidth=0.4,
                linestyle="",
            )
        )
        canvas.text(
            x + 0.11,
            y,
            name,
            fontsize=_SIZE,
            color=INK if state == OWN else SOFT,
            va="center",
            fontweight="bold" if state == OWN else "normal",
        )


def boxes_high(topology: Topology, width: float) -> float:
    """Return the height of a picture of boxes, inches, at a width."""
    sizes = [*(topology.sizes[k] for k in order_of(topology)), 1, 1][:3]
    across = sizes[0] + 0.52 * sizes[1] + 1.2
    up = 0.16 * sizes[0] + 0.40 * sizes[1] + sizes[2] + 2.6
    return min(width * up / across, _TALLEST)


def pair_high(topology: Topology, width: float) -> float:
    """Return the height that `draw_pair` takes on a page of a width, inches."""
    return _HEAD + boxes_high(topology, (width - 0.3) / 2)


def draw_pair(canvas: Canvas, topology: Topology, roles: NodeRoles, top: float) -> None:
    """Draw a job alone and, to the right of it, with the jobs that may use its links."""
    width = (canvas.width - 0.3) / 2
    high = boxes_high(topology, width)
    for place, shown in enumerate((ALONE, TOGETHER)):
        axes = canvas.axes(0.15 + place * width, top + _HEAD, width, high)
        draw_boxes(axes, topology, roles, shown)
        canvas.text(
            0.2 + place * width,
            top + 0.03,
            _HEADS[place],
            fontsize=_SIZE,
            color=INK,
            fontweight="bold",
            va="top",
        )


def planes_high(topology: Topology, roles: NodeRoles, width: float) -> float:
    """Return the height of all planes, inches."""
    rows, plane = _plane_grid(topology, roles, width)
    return rows * (plane[1] + _PLANE_TITLE) + 0.1


def _plane_grid(
    topology: Topology, roles: NodeRoles, width: float
) -> tuple[int, tuple[float, float]]:
    order = order_of(topology)
    shape = [topology.sizes[k] for k in order[:2]] + [1]
    number = len(planes_of(topology, roles))
    columns = min(_COLUMNS, number)
    wide = min((width + _PLANE_GAP) / columns - _PLANE_GAP, 2.6 if columns > 1 else 5.0)
    per = max(int(np.bincount(roles.routers).max()), 1)
    wide = min(wide, _CELL * shape[0] * per)
    return -(-number // columns), (wide, max(wide * shape[1] / shape[0], 0.12))


def draw_planes(canvas: Canvas, topology: Topology, roles: NodeRoles, top: float) -> None:
    """Draw all planes of a torus, so that nothing is hidden."""
    width = canvas.width - 0.4
    _, (wide, high) = _plane_grid(topology, roles, width)
    for number, plane in enumerate(planes_of(topology, roles)):
        row, column = divmod(number, _COLUMNS)
        down = top + _PLANE_TITLE + row * (high + _PLANE_TITLE)
        axes = canvas.axes(0.2 + column * (wide + _PLANE_GAP), down, wide, high)
        draw_plane(axes, topology, roles, plane)


def missing(topology: Topology, roles: NodeRoles) -> str:
    """Return a text on the parts that are not drawn; "" if there are none."""
    if not topology.sizes:
        number = left_out(topology, roles)
        return f" {count(number)} switches without them are not drawn." if number else ""
    order = order_of(topology)
    planes = int(np.prod([topology.sizes[k] for k in order[2:]]))
    number = planes - len(planes_of(topology, roles))
    return f" {count(number)} other planes are not drawn." if number else ""


def strips_high(topology: Topology, roles: NodeRoles, columns: int) -> float:
    """Return the height of the strips of a fabric without coordinates, inches."""
    return height(strips(topology, roles), columns)


def draw_all_strips(
    canvas: Canvas,
    topology: Topology,
    roles: NodeRoles,
    columns: int,
    place: tuple[float, float, float],
) -> None:
    """Draw strips of leaves or groups; `place`: left, top and width, inches."""
    left, top, width = place
    axes = canvas.axes(left, top, width, strips_high(topology, roles, columns))
    draw_strips(axes, strips(topology, roles), columns, width)


def numbers_of(topology: Topology, roles: NodeRoles) -> DrawnFigures:
    """Return the states of the nodes as a table."""
    rows = []
    for node, router, state in zip(roles.nodes, roles.routers, roles.state, strict=True):
        what = roles.jobs.get(int(state)) or roles.names[int(state)]
        place = topology.coordinates[router].tolist() if topology.sizes else []
        rows.append((topology.hosts[node], topology.vertices[router], *place, what))
    return DrawnFigures(("node", "router", *topology.dimensions, "who"), tuple(rows))
