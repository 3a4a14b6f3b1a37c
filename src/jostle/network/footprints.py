"""The links that traffic among some nodes may take, whatever is sent: a job's footprint."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jostle.network.routes import routes_of

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from jostle.topology import Topology

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

_PAIRS_AT_ONCE = 200_000
#: Hops between two switches that no link joins, nor a chain of links.
APART = 2**15 - 1


def between_switches(topology: Topology) -> Flags:
    """Return of each link whether it joins two switches."""
    switch = topology.is_switch
    flags: Flags = switch[topology.sources] & switch[topology.targets]
    return flags


def distances(topology: Topology, switches: Ints) -> Ints:
    """Return the fewest links between switches, shape (switches, vertices); APART: no way.

    Args:
        topology: The fabric.
        switches: Vertices from which hops are counted.
    """
    from scipy.sparse.csgraph import dijkstra

    found = dijkstra(_graph(topology), unweighted=True, indices=switches)
    hops: Ints = np.where(np.isfinite(found), found, APART).astype(np.int64)
    return hops.reshape(len(switches), len(topology.vertices))


def _graph(topology: Topology) -> csr_array:
    from scipy.sparse import csr_array

    inner = between_switches(topology)
    size = len(topology.vertices)
    ends = (topology.sources[inner], topology.targets[inner])
    return csr_array((np.ones(int(inner.sum())), ends), shape=(size, size))


def footprint(topology: Topology, nodes: Ints) -> Flags:
    """Return of each link whether traffic among some nodes may take it by minimal routes.

    The routes are those of `routes_of`. Links of nodes to their switch do not count.

    Args:
        topology: The fabric.
        nodes: Vertices of a job's nodes, each attached to a switch.

    Returns:
        Shape (links,).
    """
    switches, first = np.unique(topology.switch_of[nodes], return_index=True)
    if len(switches) < 2:
        return np.zeros(len(topology.sources), dtype=bool)
    known = topology.coordinates[switches] if topology.sizes else None
    if known is not None and (known >= 0).all() and not topology.forwarding:
        return _in_dimension_order(topology, known)
    # From a switch on, a route depends on its end alone; on which node of a switch, by tables only.
    by_node = bool(topology.forwarding) or topology.kind in ("fat tree", "tree")
    starts, ends = nodes[first], nodes if by_node else nodes[first]
    used = np.zeros(len(topology.sources), dtype=bool)
    step = max(1, _PAIRS_AT_ONCE // len(ends))
    for begin in range(0, len(starts), step):
        some = starts[begin : begin + step]
        routes = routes_of(topology, np.repeat(some, len(ends)), np.tile(ends, len(some)))
        used[np.unique(routes.low.indices[routes.low.data > 0])] = True
    return used & between_switches(topology)


def _in_dimension_order(topology: Topology, at: Ints) -> Flags:
    """Return the links of a torus that dimension order takes among switches at some places.

    While a message moves along dimension k, its earlier coordinates are those of its end and its
    later ones those of its beginning: the lines on which traffic moves are the combinations of
    both, and are far fewer than the pairs.
    """
    sizes = np.array(topology.sizes)
    own = topology.coordinates[topology.sources]
    used = np.zeros(len(topology.sources), dtype=bool)
    for k, size in enumerate(topology.sizes):
        ends = np.unique(at[:, : k + 1], axis=0)
        starts = np.unique(at[:, k:], axis=0)
        # Lines of dimension k, numbered by all other coordinates.
        place = _place(ends[:, :-1], sizes[:k]) * int(np.prod(sizes[k + 1 :]))
        line = (place[:, None] + _place(starts[:, 1:], sizes[k + 1 :])[None, :]).ravel()
        to, begin = (values.ravel() for values in np.meshgrid(ends[:, -1], starts[:, 0],
                                                              indexing="ij"))  # fmt: skip
        along = np.flatnonzero(topology.link_dimensions == k)
        others = np.delete(own[along], k, axis=1)
        link_line = _place(others, np.delete(sizes, k))
        for sign in (1, -1):
            steps = sign * (to - begin)
            if topology.wraps[k]:
                steps = steps % size
                steps = np.where(2 * steps <= size, steps, 0)
            moves = steps > 0
            taken = _taken(line[moves], begin[moves], steps[moves], size, sign)
            mine = topology.link_signs[along] == sign
            number = link_line[mine] * size + own[along[mine], k]
            used[along[mine]] |= np.isin(number, taken)
    return used


def _place(coordinates: Ints, sizes: Ints) -> Ints:
    """Return coordinates as one number, the last one fastest."""
    place = np.zeros(len(coordinates), np.int64)
    for k, size in enumerate(sizes):
        place = place * size + coordinates[:, k]
    return place


def _taken(line: Ints, begin: Ints, steps: Ints, size: int, sign: int) -> Ints:
    """Return line * size + place of every place that a message leaves in a direction."""
    lines, number = np.unique(line, return_inverse=True)
    marks = np.zeros((len(lines), 2 * size + 1), np.int64)
    first = begin if sign > 0 else begin + size - steps + 1
    np.add.at(marks, (number, first), 1)
    np.add.at(marks, (number, first + steps), -1)
    inside = np.cumsum(marks, axis=1)[:, : 2 * size] > 0
    rows, places = np.nonzero(inside[:, :size] | inside[:, size:])
    return lines[rows] * size + places
