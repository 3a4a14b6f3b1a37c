"""Computes the footprint of a job: the links that traffic among its nodes may take."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from jostle.network.routes import minimal_links
from jostle.topology import Topology

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

_PAIRS_AT_ONCE = 200_000
#: Distance in hops of two switches without a path between them.
APART = 2**15 - 1


def between_switches(topology: Topology) -> Flags:
    """Return whether each link joins two switches."""
    switch = topology.is_switch
    flags: Flags = switch[topology.sources] & switch[topology.targets]
    return flags


def distances(topology: Topology, switches: Ints) -> Ints:
    """Return the number of links between switches, shape (switches, vertices); APART: no path.

    Args:
        topology: The fabric.
        switches: Vertices from which hops are counted.
    """
    from scipy.sparse.csgraph import dijkstra

    fewest = dijkstra(_graph(topology), unweighted=True, indices=switches)
    hops: Ints = np.where(np.isfinite(fewest), fewest, APART).astype(np.int64)
    return hops.reshape(len(switches), len(topology.vertices))


def _graph(topology: Topology) -> csr_array:
    from scipy.sparse import csr_array

    inner = between_switches(topology)
    size = len(topology.vertices)
    ends = (topology.sources[inner], topology.targets[inner])
    return csr_array((np.ones(int(inner.sum())), ends), shape=(size, size))


def footprint(topology: Topology, nodes: Ints) -> Flags:
    """Return whether traffic among some nodes may take each link by minimal routes.

    The routes are those of `routes_of`. Links of nodes to their switch do not count.

    Args:
        topology: The fabric.
        nodes: Vertices of a job's nodes, each attached to a switch.

    Returns:
        One flag per link, shape (links,).
    """
    switches, first = np.unique(topology.switch_of[nodes], return_index=True)
    if len(switches) < 2:
        return np.zeros(len(topology.sources), dtype=bool)
    known = topology.coordinates[switches] if topology.sizes else None
    if known is not None and (known >= 0).all() and not topology.forwarding:
        return _in_dimension_order(topology, known)
    # A route from a switch depends on the target switch; on the target node only with tables.
    by_node = bool(topology.forwarding) or topology.kind in ("fat tree", "tree")
    starts, ends = nodes[first], nodes if by_node else nodes[first]
    used = np.zeros(len(topology.sources), dtype=bool)
    step = max(1, _PAIRS_AT_ONCE // len(ends))
    for begin in range(0, len(starts), step):
        some = starts[begin : begin + step]
        links = minimal_links(topology, np.repeat(some, len(ends)), np.tile(ends, len(some)))
        used[links.indices[links.data > 0]] = True
    return used & between_switches(topology)


class _Lines:
    """The lines of a torus along each dimension, and the links on them.

    The number of a line follows from all coordinates but the one along it. The number of a position
    is line * size + the coordinate along the line, where size is the dimension's length.

    Attributes:
        links: Links of each dimension and direction (sign).
        places: Position where each of these links begins.
    """

    def __init__(self, topology: Topology) -> None:
        sizes = np.array(topology.sizes, np.int64)
        own = topology.coordinates[topology.sources]
        self.sizes = sizes
        self.links: dict[tuple[int, int], Ints] = {}
        self.places: dict[tuple[int, int], Ints] = {}
        for k, size in enumerate(topology.sizes):
            for sign in (1, -1):
                links = np.flatnonzero(
                    (topology.link_dimensions == k) & (topology.link_signs == sign)
                )
                line = _place(np.delete(own[links], k, axis=1), np.delete(sizes, k))
                self.links[k, sign] = links
                self.places[k, sign] = line * size + own[links, k]


_LINES: WeakKeyDictionary[Topology, _Lines] = WeakKeyDictionary()


def _in_dimension_order(topology: Topology, at: Ints) -> Flags:
    """Return the links that messages between some switches of a torus take in dimension order.

    While a message moves along dimension k, its earlier coordinates are those of its target and the
    later ones those of its source: the lines on which traffic moves are the combinations of
    both, and are far fewer than the pairs.
    """
    lines = _LINES.get(topology)
    if lines is None:
        lines = _LINES[topology] = _Lines(topology)
    sizes = lines.sizes
    used = np.zeros(len(topology.sources), dtype=bool)
    for k, size in enumerate(topology.sizes):
        after = int(np.prod(sizes[k + 1 :]))
        ends = np.unique(_place(at[:, : k + 1], sizes[: k + 1]))
        starts = np.unique(_place(at[:, k:], sizes[k:]))
        line = ((ends // size * after)[:, None] + (starts % after)[None, :]).ravel()
        to = np.repeat(ends % size, len(starts))
        begin = np.tile(starts // after, len(ends))
        for sign in (1, -1):
            steps = sign * (to - begin)
            if topology.wraps[k]:
                steps = steps % size
                steps = np.where(2 * steps <= size, steps, 0)
            moves = steps > 0
            left = _left(
                line[moves], begin[moves], steps[moves], sign, (int(np.prod(sizes)) // size, size)
            )
            used[lines.links[k, sign]] = left[lines.places[k, sign]]
    return used


def _place(coordinates: Ints, sizes: Ints) -> Ints:
    """Return coordinates as one number, in which the last coordinate varies fastest."""
    place = np.zeros(len(coordinates), np.int64)
    for k, size in enumerate(sizes.tolist()):
        place = place * size + coordinates[:, k]
    return place


def _left(line: Ints, begin: Ints, steps: Ints, sign: int, shape: tuple[int, int]) -> Flags:
    """Return whether a message leaves each position of all lines in a direction."""
    count, size = shape
    wide = 2 * size + 1  # so that no span wraps around
    first = line * wide + (begin if sign > 0 else begin + size - steps + 1)
    marks = np.bincount(first, minlength=count * wide)
    marks -= np.bincount(first + steps, minlength=count * wide)
    inside = np.cumsum(marks.reshape(count, wide), axis=1) > 0
    flags: Flags = (inside[:, :size] | inside[:, size : 2 * size]).ravel()
    return flags
