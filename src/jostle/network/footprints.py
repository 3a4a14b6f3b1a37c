"""The links that traffic among some switches may take, whatever is sent: a job's footprint."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from jostle.topology import Topology

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

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


def footprint(topology: Topology, switches: Ints) -> Flags:
    """Return of each link whether traffic among some switches may take it by minimal routes.

    In a torus or mesh these are the routes in dimension order, the first dimension first, both ways
    round where they are equally long; elsewhere every shortest path.

    Args:
        topology: The fabric.
        switches: Those that a job's nodes are attached to, each once.

    Returns:
        Shape (links,). Links of nodes to their switch do not count.
    """
    if len(switches) < 2:
        return np.zeros(len(topology.sources), dtype=bool)
    known = topology.coordinates[switches] if topology.sizes else None
    if known is not None and (known >= 0).all():
        return _in_dimension_order(topology, known)
    return _on_shortest_paths(topology, switches)


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


def _on_shortest_paths(topology: Topology, switches: Ints) -> Flags:
    """Return the links on any shortest path among switches."""
    hops = distances(topology, switches)
    inner = np.flatnonzero(between_switches(topology))
    source, target = topology.sources[inner], topology.targets[inner]
    # A link leads to an end if its own end is one, or a link of a shortest path goes on from there.
    leads = np.zeros(hops.shape, dtype=bool)
    leads[:, switches] = True
    used = np.zeros(len(inner), dtype=bool)
    known = hops[:, switches]
    for level in range(int(known[known < APART].max(initial=0)), 0, -1):
        row, link = np.nonzero((hops[:, target] == level) & (hops[:, source] == level - 1)
                               & leads[:, target])  # fmt: skip
        used[link] = True
        leads[row, source[link]] = True
    flags = np.zeros(len(topology.sources), dtype=bool)
    flags[inner[used]] = True
    return flags
