"""Computes positions of the planes, cuboids and blocks of a torus in a figure.

The pictures are those of the page Network (Shah, 2020, chapter 4). The dimensions have an order;
the position of a dimension in it is its level. The first two dimensions span a plane, a cuboid is a
row of planes along the third, and a block has the cuboids along one or two more. Lengths are in
units: about the distance of two neighbours. `y` points downwards.
"""

from __future__ import annotations

import itertools
import math
import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from jostle.errors import UsageError

if TYPE_CHECKING:
    from jostle.topology import Topology

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Direction = Literal["across", "down", "none"]

MOST_DIMENSIONS = 6
_MOST_PLACES = 1_000_000
_WIDEST = 10  # times as wide as high; else rows and columns are swapped


def is_drawable(topology: Topology) -> bool:
    """Return whether a fabric can be drawn as a torus: its file may be damaged."""
    sizes = topology.sizes
    few = 0 < len(sizes) <= MOST_DIMENSIONS and min(sizes) > 0
    return few and math.prod(sizes) <= _MOST_PLACES


@dataclass(frozen=True, eq=False)
class Part:
    """The drawn part of a torus, and the order of its dimensions.

    Attributes:
        topology: The torus.
        order: Dimensions by number; the first two span the planes.
        first: The first drawn coordinate of each dimension.
        sizes: The number of drawn coordinates of each dimension.
    """

    topology: Topology
    order: tuple[int, ...]
    first: tuple[int, ...]
    sizes: tuple[int, ...]

    def name(self, dimension: int) -> str:
        """Return the name of a dimension."""
        return self.topology.dimensions[dimension]

    def holds(self, vertices: Ints) -> NDArray[np.bool_]:
        """Return which vertices are in this part."""
        at = self.topology.coordinates[vertices] - self.first
        return np.asarray(((at >= 0) & (at < self.sizes)).all(axis=1))

    @cached_property
    def links(self) -> Ints:
        """The links along dimensions that begin in this part."""
        topology = self.topology
        along = (topology.link_dimensions >= 0) & (topology.link_signs != 0)
        links = np.flatnonzero(along)
        return np.asarray(links[self.holds(topology.sources[links])])

    def words(self, dimensions: Sequence[int]) -> str:
        """Return a text on the drawn part: `b 8 to 15, c 3`; "": the whole torus."""
        return ", ".join(
            f"{self.name(d)} {self.first[d]}"
            + (f" to {self.first[d] + self.sizes[d] - 1}" if self.sizes[d] > 1 else "")
            for d in dimensions
            if self.sizes[d] < self.topology.sizes[d]
        )


def whole(topology: Topology, order: Sequence[int]) -> Part:
    """Return a part that is the whole torus."""
    return Part(topology, tuple(order), (0,) * len(topology.sizes), topology.sizes)


def at_plane(part: Part, plane: Sequence[int]) -> Part:
    """Return one plane; `plane`: its coordinates along the dimensions beyond the second."""
    first, sizes = list(part.first), list(part.sizes)
    for dimension, at in zip(part.order[2:], plane, strict=True):
        first[dimension], sizes[dimension] = at, 1
    return replace(part, first=tuple(first), sizes=tuple(sizes))


def busiest_part(part: Part, load: Floats, fits: Callable[[Part], bool]) -> Part:
    """Return the busiest part that fits on a page: outer dimensions are shortened first."""

    def capped(dimensions: Sequence[int], most: int) -> Part:
        sizes = [min(size, most) if d in dimensions else size for d, size in enumerate(part.sizes)]
        return replace(part, sizes=tuple(sizes))

    for dimensions in (*((d,) for d in reversed(part.order[2:])), part.order[:2]):
        if fits(part):
            break
        longer = range(2, max(part.sizes[d] for d in dimensions) + 1)
        size = 1 + bisect_left(longer, True, key=lambda most: not fits(capped(dimensions, most)))
        for dimension in dimensions:
            part = _window(part, load, dimension, min(size, part.sizes[dimension]))
    return part


def _window(part: Part, load: Floats, dimension: int, size: int) -> Part:
    """Keep the busiest run of consecutive coordinates of a dimension."""
    at = part.topology.coordinates[part.topology.sources[part.links], dimension]
    loads = np.bincount(at, load[part.links], part.topology.sizes[dimension])
    upto = np.concatenate([[0.0], np.cumsum(loads)])
    first = int((upto[size:] - upto[:-size]).argmax())
    return replace(
        part,
        first=(*part.first[:dimension], first, *part.first[dimension + 1 :]),
        sizes=(*part.sizes[:dimension], size, *part.sizes[dimension + 1 :]),
    )


def busiest_plane(part: Part, load: Floats) -> tuple[int, ...]:
    """Return the coordinates, beyond the second dimension, of the plane that sends most."""
    rest = list(part.order[2:])
    if not rest:
        return ()
    sizes = tuple(part.topology.sizes[d] for d in rest)
    at = part.topology.coordinates[part.topology.sources[part.links]][:, rest]
    sums = np.bincount(np.ravel_multi_index(tuple(at.T), sizes), load[part.links])
    busiest = np.unravel_index(int(sums.argmax()) if len(sums) else 0, sizes)
    return tuple(int(place) for place in busiest)


def order_of(topology: Topology, text: str) -> tuple[int, ...]:
    """Parse an order of dimensions such as `b,c,a,d,e`; "": that of the fabric.

    Raises:
        UsageError: The names are not the fabric's dimensions.
    """
    names = topology.dimensions
    if not names:
        raise UsageError(f"`{topology.name}` is not a torus, so --order does not apply.")
    if not text:
        return tuple(range(len(names)))
    words = [word.strip() for word in text.split(",")]
    if sorted(words) != sorted(names) or len(set(names)) < len(names):
        raise UsageError(
            f"`--order {text}` is not an order of the dimensions of `{topology.name}`.",
            hint="Name each dimension once, the two of the planes first: `--order "
            f"{','.join(names)}`.",
        )
    return tuple(names.index(word) for word in words)


def plane_of(topology: Topology, order: Sequence[int], text: str) -> tuple[int, ...]:
    """Parse a plane such as `c1,d0,e0`: its coordinates in all dimensions but the first two.

    Raises:
        UsageError: There is no such plane.
    """
    rest = [topology.dimensions[d] for d in order[2:]]
    if not rest:
        raise UsageError(f"`{topology.name}` is a single plane: leave out `--plane`.")
    matches = [re.fullmatch(r"\s*(\S+?)[\s=]?(\d{1,9})\s*", word) for word in text.split(",")]
    places = {match[1]: int(match[2]) for match in matches if match}
    if len(places) != len(matches) or sorted(places) != sorted(rest):
        example = ",".join(f"{name}0" for name in rest)
        raise UsageError(
            f"`--plane {text}` is not a plane of `{topology.name}`.",
            hint=f"Give its coordinates in {', '.join(rest)}: `--plane {example}`.",
        )
    for dimension, name in zip(order[2:], rest, strict=True):
        if places[name] >= topology.sizes[dimension]:
            raise UsageError(
                f"`{topology.name}` has no coordinate {name}{places[name]}.",
                hint=f"{name} ranges from 0 to {topology.sizes[dimension] - 1}.",
            )
    return tuple(places[name] for name in rest)


@dataclass(frozen=True)
class Scheme:
    """The settings in which the layouts of detailed and composite planes differ.

    Attributes:
        directions: For each level, the direction in which its coordinates follow each other;
            "none": the loads of all its coordinates are summed up.
        pitch: Distance of neighbours on the innermost levels, which have no boxes of their own.
        pad: Distance from the contents of the innermost box to its edge: across, down.
        more: Addition to `pad` for each further box: along its own direction, across it.
        run: Distance of two boxes, along the direction of their order.
        scales: The first level that has a scale above the picture, and on its left.
    """

    directions: tuple[Direction, ...]
    pitch: tuple[float, ...]
    pad: tuple[float, float]
    more: tuple[float, float]
    run: float
    scales: tuple[int, int] = (2, 2)


def outer_directions(part: Part) -> tuple[Direction, ...]:
    """Return the directions of the levels after the third.

    The fourth is across and the further ones down; swapped if the picture would be too wide.
    """
    size = [part.sizes[d] for d in part.order] + [1] * MOST_DIMENSIONS
    across, down = (size[0] + 1) * size[2] * size[3], (size[1] + 1) * size[4] * size[5]
    swapped = len(part.order) > 3 and across > _WIDEST * down
    return tuple("across" if (at == 0) != swapped else "down" for at in range(len(part.order) - 3))


@dataclass(frozen=True)
class Level:
    """A box around the nodes of all levels up to one: size of the contents, distance to its edge.

    The box of level 1, for example, is the plane that the levels 0 and 1 span.
    """

    width: float
    height: float
    pad_x: float
    pad_y: float


@dataclass(frozen=True, eq=False)
class Layout:
    """The positions of all parts of a picture.

    Attributes:
        part: The drawn part of the torus.
        scheme: The settings of the layout.
        steps: Offset from one coordinate of each dimension to the next: (dimensions, 2).
        levels: The boxes of each level of the order.
        start: x and y of the first node.
        width: Width of the whole picture.
        height: Height of the whole picture.
    """

    part: Part
    scheme: Scheme
    steps: Floats
    levels: tuple[Level, ...]
    start: Floats
    width: float
    height: float

    def boxes(self, count: int) -> Floats:
        """Return the boxes around the nodes of the first `count` levels: x, y, w, h."""
        size, outer = self.levels[count - 1], self.part.order[count:]
        shape = [self.part.sizes[d] for d in outer]
        at = np.array(list(itertools.product(*map(range, shape))), float).reshape(
            math.prod(shape), len(outer)
        )
        corner = self.start + at @ self.steps[list(outer)] - (size.pad_x, size.pad_y)
        return np.column_stack(
            [
                corner,
                np.full(len(at), size.width + 2 * size.pad_x),
                np.full(len(at), size.height + 2 * size.pad_y),
            ]
        )

    def rulers(self, direction: Direction) -> list[tuple[int, list[Tick]]]:
        """Return the scales of the dimensions of one direction, the outermost first."""
        axis = 0 if direction == "across" else 1
        since = self.scheme.scales[axis]
        begins, rulers = [float(self.start[axis])], []
        for level in range(len(self.part.order) - 1, since - 1, -1):
            dimension = self.part.order[level]
            if (
                self.scheme.directions[level] != direction
                or self.part.topology.sizes[dimension] < 2
            ):
                continue
            inner = self.levels[level - 1] if level else Level(0, 0, 0.5, 0.5)
            length, pad = ((inner.width, inner.pad_x), (inner.height, inner.pad_y))[axis]
            if level < len(self.scheme.pitch):
                length, pad = 0.0, 0.5
            places = [
                (begin + at * self.steps[dimension, axis], at)
                for begin in begins
                for at in range(self.part.sizes[dimension])
            ]
            first = self.part.first[dimension]
            rulers.append(
                (
                    dimension,
                    [(begin - pad, begin + length + pad, first + at) for begin, at in places],
                )
            )
            begins = [begin for begin, _ in places]
        return rulers


#: Begin, end, and the coordinate.
Tick = tuple[float, float, int]


def lay_out(part: Part, scheme: Scheme) -> Layout:
    """Lay out the levels of the order, from the innermost."""
    steps = np.zeros((len(part.sizes), 2))
    width = height = 0.0
    pad_x, pad_y = scheme.pad
    levels = []
    for level, dimension in enumerate(part.order):
        size, direction = part.sizes[dimension], scheme.directions[level]
        is_inner = level < len(scheme.pitch)
        whole_box = width + 2 * pad_x if direction == "across" else height + 2 * pad_y
        step = scheme.pitch[level] if is_inner else whole_box + scheme.run
        if direction == "across":
            steps[dimension, 0], width = step, width + (size - 1) * step
        if direction == "down":
            steps[dimension, 1], height = step, height + (size - 1) * step
        if not is_inner:
            along, across = scheme.more if size > 1 else (0.0, 0.0)
            pad_x += along if direction == "across" else across
            pad_y += along if direction == "down" else across
        levels.append(Level(width, height, pad_x, pad_y))
    return Layout(
        part,
        scheme,
        steps,
        tuple(levels),
        np.array([pad_x, pad_y]),
        width + 2 * pad_x,
        height + 2 * pad_y,
    )
