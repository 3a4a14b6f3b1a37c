"""Collects vertices and links one by one, and builds a topology from them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from jostle.topology.model import LINK_KINDS, LinkKind, Topology, TopologyKind

_Link = tuple[int, int, str, str, float, int, int, int, int]


class Builder:
    """Vertices and links as they are added."""

    def __init__(self) -> None:
        self.vertices: list[str] = []
        self.hosts: list[str] = []
        self.adapters: list[str] = []
        self.planes: list[int] = []
        self.levels: list[int] = []
        self.groups: list[int] = []
        self.coordinates: list[tuple[int, ...]] = []
        self.links: list[_Link] = []

    def vertex(
        self,
        name: str,
        host: str = "",
        *,
        adapter: str = "",
        plane: int = 0,
        level: int = -1,
        group: int = -1,
        at: tuple[int, ...] = (),
    ) -> int:
        """Add a vertex and return its number; without a host it is a switch."""
        self.vertices.append(name)
        self.hosts.append(host)
        self.adapters.append(adapter)
        self.planes.append(plane)
        self.levels.append(level)
        self.groups.append(group)
        self.coordinates.append(at)
        return len(self.vertices) - 1

    def link(
        self,
        source: int,
        target: int,
        kind: LinkKind = "other",
        *,
        rate: float = 0.0,
        ports: tuple[str, str] = ("", ""),
        lanes: int = 1,
        dimension: int = -1,
        sign: int = 0,
    ) -> None:
        """Add one direction of a cable, or of `lanes` cables."""
        number = LINK_KINDS.index(kind)
        self.links.append((source, target, *ports, rate, lanes, number, dimension, sign))

    def cable(
        self,
        a: int,
        b: int,
        there: LinkKind = "other",
        back: LinkKind | None = None,
        *,
        rate: float = 0.0,
        ports: tuple[str, str] = ("", ""),
        lanes: int = 1,
        dimension: int = -1,
    ) -> None:
        """Join two vertices by two links; from a to b is along the positive sign."""
        sign = 1 if dimension >= 0 else 0
        self.link(a, b, there, rate=rate, ports=ports, lanes=lanes, dimension=dimension, sign=sign)
        self.link(
            b,
            a,
            back or there,
            rate=rate,
            ports=(ports[1], ports[0]),
            lanes=lanes,
            dimension=dimension,
            sign=-sign,
        )

    def bundles(self, directed: Mapping[tuple[int, int], int]) -> int:
        """Join each pair of vertices by one bundle of all its cables, equal in both directions.

        Args:
            directed: Number of cables that a file lists from one vertex to another.

        Returns:
            Number of pairs for which the file lists different numbers of cables in the two
            directions. Pairs that it lists in one direction only are not counted.
        """
        uneven = 0
        for (a, b), count in directed.items():
            back = directed.get((b, a), 0)
            if back == 0 or a < b:
                uneven += back not in (0, count)
                self.cable(a, b, lanes=max(count, back))
        return uneven

    def build(self, name: str, kind: TopologyKind = "graph", **more: object) -> Topology:
        """Return the topology.

        Args:
            name: Name of the fabric.
            kind: Kind of its layout.
            more: Further attributes of the topology.

        Raises:
            ValueError: The values are not valid, as for `Topology`.
        """
        columns = list(zip(*self.links, strict=True)) or [()] * 9
        width = max(map(len, self.coordinates), default=0)
        coordinates = np.full((len(self.vertices), width), -1, np.int64)
        for vertex, at in enumerate(self.coordinates):
            coordinates[vertex, : len(at)] = at
        return Topology(
            name=name,
            kind=kind,
            vertices=tuple(self.vertices),
            hosts=tuple(self.hosts),
            adapters=tuple(self.adapters),
            planes=np.array(self.planes, np.int64),
            levels=np.array(self.levels, np.int64),
            groups=np.array(self.groups, np.int64),
            coordinates=coordinates,
            sources=np.array(columns[0], np.int64),
            targets=np.array(columns[1], np.int64),
            source_ports=tuple(columns[2]),
            target_ports=tuple(columns[3]),
            rates=np.array(columns[4], np.float64),
            lanes=np.array(columns[5], np.int64),
            link_kinds=np.array(columns[6], np.int64),
            link_dimensions=np.array(columns[7], np.int64),
            link_signs=np.array(columns[8], np.int64),
            **more,  # type: ignore[arg-type]
        )
