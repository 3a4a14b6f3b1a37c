"""Measures the placement of a job in a fabric: switches, hops, and shape of its nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.placement.model import Box, Ints, Shape, Touched
from jostle.network import APART, between_switches, distances, footprint
from jostle.topology import Topology

Flags = NDArray[np.bool_]
_MOST_KEPT = 4096  # cached footprints: many runs have the same nodes


class FabricMap:
    """One fabric (network of a cluster), prepared for measuring placements.

    A node is at the switch to which its adapter is attached. If a node has several adapters, the
    one in the fabric's first plane counts.
    """

    def __init__(self, topology: Topology) -> None:
        """Find the switch of each node."""
        self.topology = topology
        switch, plane = topology.switch_of, topology.planes
        self.vertex_of: dict[str, int] = {}
        for host, adapters in topology.adapters_of.items():
            attached = [each for each in adapters if switch[each] >= 0]
            if attached:
                first = min(attached, key=lambda each: int(plane[each]))
                self.vertex_of[host] = first
        self.router_of = {host: int(switch[vertex]) for host, vertex in self.vertex_of.items()}
        places = np.fromiter(self.router_of.values(), np.int64, len(self.router_of))
        #: Number of nodes that are attached to each vertex.
        self.nodes_on: Ints = np.bincount(places, minlength=len(topology.vertices)).astype(np.int64)
        self._footprints: dict[bytes, NDArray[np.uint8]] = {}

    def routers(self, hosts: Iterable[str]) -> Ints:
        """Return the numbers of the switches of given nodes, ascending, each once."""
        known = {self.router_of[host] for host in hosts if host in self.router_of}
        return np.array(sorted(known), np.int64)

    def footprint(self, hosts: Iterable[str]) -> Flags:
        """Return for each link whether traffic among given nodes may take it."""
        known = {self.vertex_of[host] for host in hosts if host in self.vertex_of}
        nodes = np.array(sorted(known), np.int64)
        key = nodes.tobytes()
        if key not in self._footprints:
            if len(self._footprints) >= _MOST_KEPT:
                self._footprints.clear()
            self._footprints[key] = np.packbits(footprint(self.topology, nodes))
        packed = self._footprints[key]
        return np.unpackbits(packed, count=len(self.topology.sources)).astype(bool)

    def apart(self, routers: Ints) -> Ints:
        """Return the number of links between each two of given switches, shape (routers, routers).

        The number is APART where there is no path from one switch to the other.
        """
        at = self.topology.coordinates[routers] if self.topology.sizes else None
        if at is None or not (at >= 0).all():
            return distances(self.topology, routers)[:, routers]
        hops = np.zeros((len(routers), len(routers)), np.int64)
        for k, size in enumerate(self.topology.sizes):
            steps = np.abs(at[:, None, k] - at[None, :, k])
            hops += np.minimum(steps, size - steps) if self.topology.wraps[k] else steps
        return hops

    def shape(self, hosts: Sequence[str]) -> Shape:
        """Measure the placement of a job.

        Args:
            hosts: Nodes of the job.
        """
        known = [host for host in dict.fromkeys(hosts) if host in self.router_of]
        unknown = tuple(host for host in dict.fromkeys(hosts) if host not in self.router_of)
        routers, own = np.unique(
            np.array([self.router_of[host] for host in known], np.int64), return_counts=True
        )
        box = self.box(routers)
        mean, most = self.mean_hops(routers, own)
        return Shape(
            self.topology.name,
            self.topology.kind,
            len(known),
            unknown,
            len(routers),
            int((own >= self.nodes_on[routers]).sum()),
            mean,
            most,
            box,
            len(known) / box.nodes if box else None,
            self.pieces(routers),
            tuple(self._touched(routers, len(known))),
        )

    def mean_hops(self, routers: Ints, nodes: Ints) -> tuple[float | None, int | None]:
        """Return the mean and the greatest number of links between two nodes of a job.

        Two nodes at the same switch are 0 links apart.

        Args:
            routers: Switches of the job.
            nodes: Number of nodes (or ranks) of the job at each switch.
        """
        if nodes.sum() < 2:
            return None, None
        hops = self.apart(routers)
        weight = np.outer(nodes, nodes) - np.diag(nodes)
        joined = (hops < APART) & (weight > 0)
        if not joined.any():
            return None, None
        return float(np.average(hops[joined], weights=weight[joined])), int(hops[joined].max())

    def box(self, routers: Ints) -> Box | None:
        """Return the smallest box around given switches of a torus or mesh; else None."""
        topology = self.topology
        if not topology.sizes or not len(routers) or (topology.coordinates[routers] < 0).any():
            return None
        inside = np.ones(len(topology.vertices), dtype=bool)
        begins, lengths = [], []
        for k, size in enumerate(topology.sizes):
            begin, length = _stretch(topology.coordinates[routers, k], size, topology.wraps[k])
            at = topology.coordinates[:, k]
            inside &= (at >= 0) & ((at - begin) % size < length)
            begins.append(begin)
            lengths.append(length)
        return Box(tuple(begins), tuple(lengths), int(self.nodes_on[inside].sum()))

    def pieces(self, routers: Ints) -> int | None:
        """Return into how many connected pieces given switches fall, by the links between them.

        None in a fabric in which no two switches with nodes are linked directly (a fat tree).
        """
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        topology = self.topology
        inner = between_switches(topology)
        direct = (
            inner & (self.nodes_on[topology.sources] > 0) & (self.nodes_on[topology.targets] > 0)
        )
        if not direct.any() or not len(routers):
            return None
        place = np.full(len(topology.vertices), -1, np.int64)
        place[routers] = np.arange(len(routers))
        ends = place[topology.sources[direct]], place[topology.targets[direct]]
        own = (ends[0] >= 0) & (ends[1] >= 0)
        graph = csr_array(
            (np.ones(int(own.sum())), (ends[0][own], ends[1][own])),
            shape=(len(routers), len(routers)),
        )
        return int(connected_components(graph, directed=False)[0])

    def _touched(self, routers: Ints, nodes: int) -> Iterable[Touched]:
        """Yield the leaves and pods of a tree, or groups of a dragonfly, that a job has nodes in.

        Args:
            routers: Switches of the job.
            nodes: Number of nodes of the job.
        """
        topology, groups = self.topology, self.topology.groups
        if topology.kind in ("fat tree", "tree"):
            names = tuple(topology.vertices[each] for each in routers)
            yield Touched("leaf", len(routers), _least(self.nodes_on, nodes), names)
        kind = {"dragonfly": "group", "fat tree": "pod", "tree": "pod"}.get(topology.kind)
        of = groups[self.nodes_on > 0]
        if kind and (of >= 0).any() and len(np.unique(of)) > 1:
            own = np.unique(groups[routers])
            room = np.bincount(of[of >= 0], self.nodes_on[self.nodes_on > 0][of >= 0])
            yield Touched(kind, len(own), _least(room, nodes), tuple(map(str, own.tolist())))


def _stretch(values: Ints, size: int, wraps: bool) -> tuple[int, int]:
    """Return start and length of the shortest range of a dimension that contains all values.

    Args:
        values: Coordinates in the dimension.
        size: Size of the dimension.
        wraps: Whether the range may continue from the end of the dimension at its start (torus).
    """
    own = np.unique(values)
    if not wraps:
        return int(own[0]), int(own[-1] - own[0] + 1)
    gaps = np.diff(np.concatenate([own, own[:1] + size]))
    if gaps.max() == 1:
        return 0, size
    last = int(np.argmax(gaps))
    return int(own[(last + 1) % len(own)]), int(size - gaps[last] + 1)


def _least(room: Ints, nodes: int) -> int:
    """Return the least number of parts of a fabric in which a number of nodes has room.

    Args:
        room: Number of nodes that each part has.
        nodes: Number of nodes.
    """
    filled = np.cumsum(np.sort(room[room > 0])[::-1])
    return int(np.searchsorted(filled, nodes) + 1) if nodes else 0
