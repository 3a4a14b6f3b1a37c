"""Computes the lines of a torus's figures: detailed planes, composite planes, polygons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jostle.plot.figures.torus_layout import (
    Direction,
    Layout,
    Part,
    Scheme,
    lay_out,
    outer_directions,
)

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_Edge = Callable[[int, int], float]

NODE = 0.17  # from the centre of a node to the edge of its mark
RADIUS = 0.4  # from the centre of a polygon to its corners


@dataclass(frozen=True, eq=False)
class Line:
    """A line of a figure, which represents one direction of several links.

    Attributes:
        dimension: Dimension of the links.
        sign: Direction of the links: towards higher (1) or lower (-1) coordinates.
        at: Coordinates of the start of the first link, counted from the first drawn ones.
        kept: Dimensions whose coordinates are shown separately; the others are summed up.
        links: Numbers of the links.
    """

    dimension: int
    sign: int
    at: Ints
    kept: tuple[int, ...]
    links: Ints


@dataclass(frozen=True, eq=False)
class Picture:
    """Lines, boxes and scales of a picture.

    Attributes:
        layout: Positions of the parts.
        thick: Width of the thickest line, in units.
        lines: The drawn lines.
        values: Load of each line, bytes per second: the mean of its links; in polygons the
            greatest.
        segments: Coordinates x and y of both ends of each segment of a line, (segments, 4).
        of: Index of the line of each segment.
        nodes: Coordinates x and y of the switches.
        boxes: For each kind of content ("plane", "cuboid", "block", "bar"), the boxes: x, y, width
            and height.
    """

    layout: Layout
    thick: float
    lines: tuple[Line, ...]
    values: Floats
    segments: Floats
    of: Ints
    nodes: Floats
    boxes: tuple[tuple[str, Floats], ...]


def lines_along(part: Part, dimension: int, kept: Sequence[int]) -> list[Line]:
    """Return a line for each direction and coordinate of the kept dimensions, in their order."""
    topology = part.topology
    links = part.links[topology.link_dimensions[part.links] == dimension]
    at = topology.coordinates[topology.sources[links]] - part.first
    signs = np.sign(topology.link_signs[links])
    keys = np.column_stack([at[:, list(kept)], -signs])
    _, first, line = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(line.ravel(), kind="stable")
    groups = np.split(links[order], np.cumsum(np.bincount(line.ravel()))[:-1])
    return [
        Line(dimension, int(signs[place]), at[place], tuple(kept), group)
        for place, group in zip(first.tolist(), groups, strict=bool(len(first)))
    ]


def detail_layout(part: Part) -> Layout:
    """Lay out all planes: along the third dimension within cuboids, these along the others."""
    directions = ("across", "down", "across", *outer_directions(part))[: len(part.order)]
    scales = (2, 2) if len(part.order) > 2 else (0, 0)
    return lay_out(part, Scheme(directions, (1.0, 1.0), (0.7, 0.7), (0.45, 0.45), 0.35, scales))


def detail_picture(part: Part, load: Floats) -> Picture:
    """Draw each link of the planes of the first two dimensions."""
    layout = detail_layout(part)
    lines: list[Line] = []
    segments: list[list[float]] = []
    of: list[int] = []
    for dimension in part.order[:2]:
        axis = part.order.index(dimension)
        for line in lines_along(part, dimension, part.order):
            start = layout.start + line.at @ layout.steps
            offset = start[1 - axis] + 0.12 * line.sign * (1 if axis == 0 else -1)
            origin = float(start[axis] - line.at[dimension])

            def edge(at: int, side: int, origin: float = origin) -> float:
                return origin + at + side * NODE

            ends = _ends(part, line, edge, 0.33)
            segments += [_along(axis, begin, end, float(offset)) for begin, end in ends]
            of += [len(lines)] * len(ends)
            lines.append(line)
    topology = part.topology
    switches = np.flatnonzero(topology.is_switch)
    switches = switches[part.holds(switches)]
    nodes = layout.start + (topology.coordinates[switches] - part.first) @ layout.steps
    boxes = (*_outer_boxes(layout), ("plane", layout.boxes(min(2, len(part.order)))))
    return _picture(layout, 0.19, lines, load, segments, of, nodes, boxes)


def composite_layout(part: Part) -> Layout:
    """Lay out planes as bars: the first dimension leads down a bar, the third to the next bar."""
    directions = ("down", "none", "across", *outer_directions(part))[: len(part.order)]
    return lay_out(part, Scheme(directions, (1.0, 1.0, 2.2), (1.1, 0.75), (1.15, 0.4), 2.0, (2, 1)))


def composite_picture(part: Part, load: Floats) -> Picture:
    """Return lines for the traffic that a plane sends along each further dimension."""
    layout = composite_layout(part)
    directions = layout.scheme.directions
    lines: list[Line] = []
    segments: list[list[float]] = []
    of: list[int] = []
    for level in range(2, len(part.order)):
        dimension, axis = part.order[level], 0 if directions[level] == "across" else 1
        # A line keeps the coordinates across it, and those of its own level and outer levels.
        kept = [
            d
            for other, d in enumerate(part.order)
            if directions[other] != "none"
            and (directions[other] != directions[level] or other >= level)
        ]
        inner = layout.levels[level - 1]
        length, pad = (inner.width, inner.pad_x) if axis == 0 else (inner.height, inner.pad_y)
        if level == 2:
            length, pad = 0.0, 0.16
        step = layout.steps[dimension, axis]
        for line in lines_along(part, dimension, kept):
            at = np.zeros_like(line.at)
            at[kept] = line.at[kept]
            start = layout.start + at @ layout.steps
            offset = start[1 - axis] + 0.17 * line.sign * (1 if axis == 0 else -1)
            origin = float(start[axis] - line.at[dimension] * step)

            def edge(
                box: int,
                side: int,
                origin: float = origin,
                step: float = step,
                length: float = length,
                pad: float = pad,
            ) -> float:
                return origin + box * step + (length + pad if side > 0 else -pad)

            ends = _ends(part, line, edge, 0.75)
            segments += [_along(axis, begin, end, float(offset)) for begin, end in ends]
            of += [len(lines)] * len(ends)
            lines.append(line)
    bars = layout.boxes(2)
    bars[:, 0] += layout.levels[1].pad_x - 0.14
    bars[:, 1] += layout.levels[1].pad_y - 0.4
    bars[:, 2], bars[:, 3] = 0.28, layout.levels[0].height + 0.8
    boxes = (*_outer_boxes(layout), ("bar", bars))
    return _picture(layout, 0.27, lines, load, segments, of, np.zeros((0, 2)), boxes)


def polygon_layout(part: Part) -> Layout:
    """Lay out the nodes of a plane."""
    directions: tuple[Direction, ...] = ("across", "down", "none", "none", "none", "none")
    directions = directions[: len(part.order)]
    return lay_out(
        part, Scheme(directions, (1.0,) * len(part.order), (0.5, 0.5), (0, 0), 0, (0, 0))
    )


def corner_of(number: int, count: int) -> Floats:
    """Return the direction of a polygon's corner: the first one up, the others clockwise."""
    angle = 2 * np.pi * number / count - np.pi / 2
    return np.array([np.cos(angle), np.sin(angle)])


def polygon_picture(part: Part, load: Floats) -> Picture:
    """Draw each node of a plane as a polygon, with two lines towards the corner of each dimension.

    The first line is for traffic that the node sends along the dimension, the second for traffic
    that it receives. A line shows the load of only one of the two neighbours: the larger one.
    """
    layout = polygon_layout(part)
    topology = part.topology
    switches = np.flatnonzero(topology.is_switch)
    switches = switches[part.holds(switches)]
    nodes = layout.start + (topology.coordinates[switches] - part.first) @ layout.steps
    lines: list[Line] = []
    segments: list[list[float]] = []
    of: list[int] = []
    along = np.flatnonzero(topology.link_dimensions >= 0)
    count = len(topology.sizes)
    for switch, centre in zip(switches.tolist(), nodes, strict=True):
        at = topology.coordinates[switch] - part.first
        for dimension in range(count):
            towards = corner_of(dimension, count)
            right = np.array([-towards[1], towards[0]]) * 0.055
            mine = along[topology.link_dimensions[along] == dimension]
            for ends, side in ((topology.sources, 1), (topology.targets, -1)):
                links = mine[ends[mine] == switch]
                if not len(links):
                    continue
                near, far = (centre + towards * RADIUS * way + right * side for way in (0.12, 0.94))
                ways = (near, far) if side > 0 else (far, near)
                segments.append([*map(float, (*ways[0], *ways[1]))])
                of.append(len(lines))
                lines.append(Line(dimension, side, at, part.order, links))
    values = np.array([load[line.links].max() for line in lines])
    return Picture(
        layout,
        0.055,
        tuple(lines),
        values,
        np.array(segments).reshape(-1, 4),
        np.array(of, np.int64),
        nodes,
        (),
    )


def _picture(
    layout: Layout,
    thick: float,
    lines: list[Line],
    load: Floats,
    segments: list[list[float]],
    of: list[int],
    nodes: Floats,
    boxes: tuple[tuple[str, Floats], ...],
) -> Picture:
    values = np.array([load[line.links].mean() for line in lines])
    return Picture(
        layout,
        thick,
        tuple(lines),
        values,
        np.array(segments).reshape(-1, 4),
        np.array(of, np.int64),
        nodes,
        boxes,
    )


def _outer_boxes(layout: Layout) -> tuple[tuple[str, Floats], ...]:
    """Return the boxes of blocks, the outermost first, then those of cuboids, if there are any."""
    order, sizes = layout.part.order, layout.part.sizes
    blocks = tuple(
        ("block", layout.boxes(count))
        for count in (5, 4)
        if len(order) > count and any(sizes[d] > 1 for d in order[count:])
    )
    return (*blocks, *([("cuboid", layout.boxes(3))] if len(order) > 2 else []))


def _along(axis: int, begin: float, end: float, offset: float) -> list[float]:
    return [begin, offset, end, offset] if axis == 0 else [offset, begin, offset, end]


def _ends(part: Part, line: Line, edge: _Edge, stub: float) -> list[tuple[float, float]]:
    """Return begin and end of each part of a line.

    A line to the next box has one part. A line that leaves the picture is a short part outwards; if
    it enters on the other side, a second part is there.

    Args:
        part: The drawn part of the torus.
        line: The line.
        edge: Function that returns the edge of a box (by its coordinate), on its far (1) or near
            (-1) side.
        stub: Length of lines that leave the picture.
    """
    dimension, sign = line.dimension, line.sign
    at = int(line.at[dimension])
    begin = edge(at, sign)
    there = at + sign
    place = part.first[dimension] + there
    size = part.topology.sizes[dimension]
    if 0 <= place < size and 0 <= there < part.sizes[dimension]:
        return [(begin, edge(there, -sign))]
    ends = [(begin, begin + sign * stub)]
    there = place % size - part.first[dimension]
    if not 0 <= place < size and 0 <= there < part.sizes[dimension]:
        entry = edge(there, -sign)
        ends.append((entry - sign * stub, entry))
    return ends
