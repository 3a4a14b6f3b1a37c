"""Draws jobs in a fat tree, dragonfly or any other graph, as a strip of nodes per leaf or group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jostle.plot.charts.placement import COLOURS, OTHERS, OWN, NodeRoles
from jostle.plot.figures.figure import INK, SOFT
from jostle.plot.figures.page import text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from jostle.topology import Topology

Ints = NDArray[np.int64]

#: Most switches that are all drawn; of larger fabrics only those with the job or its suspects.
MOST = 120
HIGH = 0.135  # inches of a strip
_NAME = 6.0  # points
_GAP = 1.2  # strips between two groups


def strips(topology: Topology, roles: NodeRoles) -> list[tuple[str, list[tuple[str, Ints]]]]:
    """Return the groups or pods that are drawn, by name, and in each the switches with their nodes.

    Returns:
        For each group, its name ("" if it has none), and for each of its switches, the name and the
        states of its nodes.
    """
    order = np.lexsort((roles.nodes, roles.routers))
    routers, first = np.unique(roles.routers[order], return_index=True)
    states = np.split(roles.state[order], first[1:])
    near = sorted(range(len(routers)), key=lambda k: (int(states[k].min()), int(routers[k])))
    if len(routers) > MOST:
        near = [k for k in near if states[k].min() <= OTHERS][:MOST]
    chosen = sorted(near)
    kind = {"dragonfly": "group", "fat tree": "pod", "tree": "pod"}.get(topology.kind, "group")
    many = len(set(topology.groups[routers].tolist())) > 1
    groups: dict[str, list[tuple[str, Ints]]] = {}
    for k in chosen:
        group = int(topology.groups[routers[k]])
        name = f"{kind} {group}" if many and group >= 0 else ""
        groups.setdefault(name, []).append((topology.vertices[routers[k]], states[k]))
    return list(groups.items())


def left_out(topology: Topology, roles: NodeRoles) -> int:
    """Return the number of switches with nodes that are not drawn."""
    drawn = sum(len(switches) for _, switches in strips(topology, roles))
    return len(np.unique(roles.routers)) - drawn


def height(groups: list[tuple[str, list[tuple[str, Ints]]]], columns: int) -> float:
    """Return the height of the strips, inches."""
    return HIGH * (max(map(_rows, _dealt(groups, columns))) + 1)


def _rows(groups: list[tuple[str, list[tuple[str, Ints]]]]) -> float:
    return sum(len(switches) + _GAP for _, switches in groups)


def _dealt(
    groups: list[tuple[str, list[tuple[str, Ints]]]], columns: int
) -> list[list[tuple[str, list[tuple[str, Ints]]]]]:
    """Distribute groups, and pieces of long ones, over columns of about the same height."""
    limit = max(_rows(groups) / columns, 2.0)
    pieces = []
    for name, switches in groups:
        step = max(int(limit), 1)
        pieces += [(name, switches[k : k + step]) for k in range(0, len(switches), step)]
    dealt: list[list[tuple[str, list[tuple[str, Ints]]]]] = [[]]
    for piece in pieces:
        full = _rows(dealt[-1]) + len(piece[1]) / 2 > limit
        if full and dealt[-1] and len(dealt) < columns:
            dealt.append([])
        dealt[-1].append(piece)
    return dealt


def draw_strips(
    axes: Axes, groups: list[tuple[str, list[tuple[str, Ints]]]], columns: int, inches: float
) -> None:
    """Draw the strips; own nodes have a dot, so that a reader does not depend on colour.

    Args:
        axes: The axes.
        groups: The result of `strips`.
        columns: Number of columns.
        inches: Width of the axes.
    """
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    dealt = _dealt(groups, columns)
    names = [name for _, switches in groups for name, _ in switches]
    label = max(text_width(name, _NAME) for name in names) + 0.08
    wide = inches / columns
    most = max(len(states) for _, switches in groups for _, states in switches)
    cell = min((wide - label - 0.15) / most, 0.16)
    patches, hues, dots = [], [], []
    for place, column in enumerate(dealt):
        y = 0.0
        for name, switches in column:
            if name:
                axes.text(
                    place * wide,
                    y + HIGH * 0.75,
                    name,
                    fontsize=_NAME + 0.5,
                    color=INK,
                    fontweight="bold",
                    va="center",
                )
            y += HIGH * _GAP
            for switch, states in switches:
                axes.text(
                    place * wide + label - 0.05,
                    y + HIGH / 2,
                    switch,
                    fontsize=_NAME,
                    color=SOFT,
                    ha="right",
                    va="center",
                )
                for k, state in enumerate(states.tolist()):
                    x = place * wide + label + k * cell
                    patches.append(Rectangle((x, y + 0.01), cell * 0.9, HIGH - 0.03))
                    hues.append(COLOURS[state])
                    if state == OWN:
                        dots.append((x + cell * 0.45, y + HIGH / 2 - 0.005))
                y += HIGH
    axes.add_collection(
        PatchCollection(patches, facecolors=hues, edgecolors="#B9C2CB", linewidths=0.3)
    )
    if dots:
        at = np.array(dots)
        axes.scatter(at[:, 0], at[:, 1], s=2.0, color="white", zorder=3)
    axes.set_xlim(0, inches)
    axes.set_ylim(max(map(_rows, dealt)) * HIGH + HIGH, 0)
    axes.axis("off")
