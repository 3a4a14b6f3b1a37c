"""Draws jobs in a torus: as boxes in up to three dimensions, and plane by plane."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jostle.plot.charts.placement import COLOURS, FREE, NOBODY, OTHERS, OWN, NodeRoles
from jostle.plot.figures.figure import INK, SOFT
from jostle.plot.figures.page import RULE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from jostle.topology import Topology

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Direction on paper of a step along the longest, the middle and the shortest dimension.
_ALONG: Floats = np.array([[1.0, -0.16], [0.52, 0.40], [0.0, 1.0]])
_SIDE = 0.82  # of a box: the gaps keep those behind visible
_SHADES = (0.0, 0.35, -0.22)  # of the front, the top and the right side: lighter or darker
#: Most planes that are drawn.
MOST_PLANES = 32


def order_of(topology: Topology) -> list[int]:
    """Return the dimensions from the longest to the shortest."""
    return sorted(range(len(topology.sizes)), key=lambda k: (-topology.sizes[k], k))


def draw_boxes(axes: Axes, topology: Topology, roles: NodeRoles, shown: set[int]) -> None:
    """Draw the routers of some states as boxes; nearer ones hide those behind.

    Args:
        axes: The axes.
        topology: A torus or mesh of up to three dimensions.
        roles: The states of the nodes.
        shown: States whose routers are drawn.
    """
    from matplotlib.collections import PolyCollection

    routers, state = roles.of_routers()
    chosen = np.isin(state, list(shown))
    order = order_of(topology)
    sizes = np.ones(3, np.int64)
    sizes[: len(order)] = [topology.sizes[k] for k in order]
    at = np.zeros((int(chosen.sum()), 3), np.int64)
    at[:, : len(order)] = topology.coordinates[routers[chosen]][:, order]
    _frame(axes, topology, sizes)
    hue = state[chosen]
    # The farthest ones first, then from left to right and from below.
    nearest_last = np.lexsort((at[:, 2], at[:, 0], -at[:, 1]))
    faces, colours = [], []
    for place in nearest_last.tolist():
        for face, shade in zip(_faces(at[place]), _SHADES, strict=True):
            faces.append(face)
            colours.append(_shaded(COLOURS[int(hue[place])], shade))
    axes.add_collection(
        PolyCollection(faces, facecolors=colours, edgecolors="white", linewidths=0.25)
    )
    corners = np.array(
        [_paper(np.array(corner) * sizes) for corner in itertools.product((0, 1), repeat=3)]
    )
    low, high = corners.min(axis=0), corners.max(axis=0)
    axes.set_xlim(low[0] - 0.6, high[0] + 0.6)
    axes.set_ylim(low[1] - 0.12 * (high[1] - low[1]), high[1] + 0.6)
    axes.set_aspect("equal")
    axes.axis("off")


def _paper(place: Any) -> Floats:
    flat: Floats = np.asarray(place, np.float64) @ _ALONG
    return flat


def _faces(at: Ints) -> list[Floats]:
    """Return the corners of the front, the top and the right side of a box."""
    a, b, c = at + (1 - _SIDE) / 2
    s = _SIDE
    front = [(a, b, c), (a + s, b, c), (a + s, b, c + s), (a, b, c + s)]
    top = [(a, b, c + s), (a + s, b, c + s), (a + s, b + s, c + s), (a, b + s, c + s)]
    right = [(a + s, b, c), (a + s, b + s, c), (a + s, b + s, c + s), (a + s, b, c + s)]
    return [_paper(face) for face in (front, top, right)]


def _shaded(colour: str, shade: float) -> tuple[float, ...]:
    from matplotlib.colors import to_rgb

    end = 1.0 if shade > 0 else 0.0
    return tuple(part + (end - part) * abs(shade) for part in to_rgb(colour))


def _frame(axes: Axes, topology: Topology, sizes: Ints) -> None:
    """Draw the bottom and the back walls of the whole torus, and name its dimensions."""
    lines = [
        ((0, 0, 0), (1, 0, 0)),
        ((0, 0, 0), (0, 1, 0)),
        ((1, 0, 0), (1, 1, 0)),
        ((0, 1, 0), (1, 1, 0)),
        ((0, 1, 0), (0, 1, 1)),
        ((1, 1, 0), (1, 1, 1)),
        ((0, 1, 1), (1, 1, 1)),
        ((0, 0, 0), (0, 0, 1)),
        ((0, 0, 1), (0, 1, 1)),
    ]
    for ends in lines:
        flat = np.array([_paper(np.array(end) * sizes) for end in ends])
        axes.plot(flat[:, 0], flat[:, 1], color=RULE, linewidth=0.7, zorder=0.5)
    order = order_of(topology)
    places = [(0.5, 0, 0), (1, 0.5, 0), (0, 0, 1)]
    sides = [(0, -7, "center", "top"), (7, -3, "left", "center"), (0, 4, "center", "bottom")]
    for k, place, (dx, dy, ha, va) in zip(order, places, sides, strict=False):
        last = topology.sizes[k] - 1
        axes.annotate(
            f"{topology.dimensions[k]} 0–{last}",
            tuple(_paper(np.array(place) * sizes)),
            (dx, dy),
            textcoords="offset points",
            ha=ha,
            va=va,
            fontsize=6.5,
            color=SOFT,
            annotation_clip=False,
        )


def planes_of(topology: Topology, roles: NodeRoles) -> list[tuple[int, ...]]:
    """Return the planes that are drawn: those with the job, and then others, in order."""
    order = order_of(topology)
    rest = sorted(order[2:])
    every = list(itertools.product(*(range(topology.sizes[k]) for k in rest)))
    if len(every) <= MOST_PLANES:
        return every
    routers, state = roles.of_routers()
    own = topology.coordinates[routers[state == OWN]][:, rest]
    return sorted({tuple(each) for each in own.tolist()})[:MOST_PLANES]


def draw_plane(axes: Axes, topology: Topology, roles: NodeRoles, plane: tuple[int, ...]) -> None:
    """Draw one plane of the two longest dimensions, a cell for each node.

    Args:
        axes: The axes.
        topology: A torus or mesh.
        roles: The states of the nodes.
        plane: Coordinates of the plane in the other dimensions, in order of the dimensions.
    """
    from matplotlib.colors import ListedColormap

    order = order_of(topology)
    across, up = order[0], order[1] if len(order) > 1 else None
    rest = sorted(order[2:])
    at = topology.coordinates[roles.routers]
    inside = (at[:, rest] == np.array(plane, np.int64)).all(axis=1)
    per = max(int(np.bincount(roles.routers).max()), 1)
    wide, high = topology.sizes[across], topology.sizes[up] if up is not None else 1
    cells = np.full((high, wide * per), NOBODY, np.int64)
    filled = np.zeros((high, wide), np.int64)
    for place, state in sorted(zip(at[inside].tolist(), roles.state[inside].tolist(), strict=True)):
        y, x = place[up] if up is not None else 0, place[across]
        cells[y, x * per + filled[y, x]] = state
        filled[y, x] += 1
    colours = ListedColormap(["white", *COLOURS])
    axes.pcolormesh(
        np.arange(wide * per + 1) / per,
        np.arange(high + 1),
        cells,
        cmap=colours,
        vmin=-1.5,
        vmax=FREE + 0.5,
        edgecolors="white",
        linewidth=0.15,
    )
    axes.set_xlim(0, wide)
    axes.set_ylim(0, high)
    axes.set_xticks([])
    axes.set_yticks([])
    for spine in axes.spines.values():
        spine.set_visible(True)
        spine.set_color(RULE)
    names = ", ".join(
        f"{topology.dimensions[k]} {value}" for k, value in zip(rest, plane, strict=True)
    )
    axes.set_title(names, fontsize=6.0, color=INK, pad=1.5, loc="left")


#: States that are drawn as boxes with the job, and without its neighbours.
ALONE, TOGETHER = {OWN}, set(range(OTHERS + 1))
