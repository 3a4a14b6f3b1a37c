"""Class `Topology`, a fabric: the nodes, switches and links of one network, and their layout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

TopologyKind = Literal["torus", "mesh", "fat tree", "dragonfly", "tree", "graph"]
LinkKind = Literal["terminal", "up", "down", "dimension", "local", "global", "other"]

#: Kinds of links by their number in `Topology.link_kinds`.
LINK_KINDS: tuple[LinkKind, ...] = (
    "terminal",
    "up",
    "down",
    "dimension",
    "local",
    "global",
    "other",
)


#: Most characters of a name.
MOST_LETTERS = 256


@dataclass(frozen=True, eq=False)
class Topology:
    """One fabric of a cluster, valid from a date on.

    A vertex is a switch or a node's adapter; a node with two adapters has two vertices. A torus
    whose nodes route by themselves has a switch and an adapter per node. A link has one direction,
    so that a cable is two links. A bundle of cables between the same two vertices may be one link
    in each direction, with the number of cables in `lanes`. Several fabrics (rails, compute and
    storage) are several topologies, or planes of one; no link joins two planes.

    Attributes:
        name: Name of the fabric: "compute", "storage", "rail0".
        kind: Kind of its layout; it decides routing and pictures.
        valid_from_ns: Date from which it is valid, ns since the epoch; 0: always.
        dimensions: Names of a torus' or mesh's dimensions, such as ("x", "y", "z").
        sizes: Lengths of the dimensions; empty for other kinds.
        wraps: Whether the ends of each dimension are joined.
        vertices: Names, unique: "leaf1", "node17", "node17/mlx5_1".
        hosts: Host name of each vertex's node, as in profiles; "" for switches.
        adapters: For each vertex, the device of a node's adapter ("mlx5_0", "eth0"), or "".
        planes: Number of each vertex's rail or plane.
        levels: Level of each vertex: 0 for nodes, 1 for leaf switches, and up; -1: none.
        groups: Group of each vertex in a dragonfly, or its block; -1: none.
        coordinates: Shape (vertices, dimensions), of switches and nodes; -1: none.
        sources: Source vertex of each link.
        targets: Target vertex of each link.
        source_ports: Name of the port at each link's source.
        target_ports: Name of the port at each link's target.
        rates: Rate of each link, all lanes together, bit/s; 0: unknown.
        lanes: Number of cables of each link.
        link_kinds: Index in LINK_KINDS of each link.
        link_dimensions: Dimension along which each link leads; -1: none.
        link_signs: +1 or -1 along its dimension, else 0.
        forwarding: For each switch vertex an array of shape (vertices,): the link towards each node
            vertex; -1: none. Empty where the fabric's forwarding tables are not known.
        origin: The source from which it was read, as text.
        notes: Sentences for the user on data that could not be read, or was guessed.
    """

    name: str
    kind: TopologyKind
    vertices: tuple[str, ...]
    hosts: tuple[str, ...]
    sources: Ints
    targets: Ints
    valid_from_ns: int = 0
    dimensions: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    wraps: tuple[bool, ...] = ()
    adapters: tuple[str, ...] = ()
    planes: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    levels: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    groups: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    coordinates: Ints = field(default_factory=lambda: np.zeros((0, 0), np.int64))
    source_ports: tuple[str, ...] = ()
    target_ports: tuple[str, ...] = ()
    rates: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    lanes: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    link_kinds: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    link_dimensions: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    link_signs: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    forwarding: dict[int, Ints] = field(default_factory=dict)
    origin: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Set arrays that were left out to their neutral values, and check all lengths.

        Raises:
            ValueError: Two arrays that describe the same things differ in length, two vertices
                have one name, a name cannot be shown, or an index is out of range.
        """
        vertices, links = len(self.vertices), len(self.sources)
        neutral: dict[str, object] = {
            "adapters": ("",) * vertices,
            "planes": np.zeros(vertices, np.int64),
            "levels": np.full(vertices, -1, np.int64),
            "groups": np.full(vertices, -1, np.int64),
            "coordinates": np.full((vertices, len(self.sizes)), -1, np.int64),
            "source_ports": ("",) * links,
            "target_ports": ("",) * links,
            "rates": np.zeros(links),
            "lanes": np.ones(links, np.int64),
            "link_kinds": np.full(links, LINK_KINDS.index("other"), np.int64),
            "link_dimensions": np.full(links, -1, np.int64),
            "link_signs": np.zeros(links, np.int64),
        }
        for name, value in neutral.items():
            if len(getattr(self, name)) == 0:
                object.__setattr__(self, name, value)
            if len(getattr(self, name)) != len(value):  # type: ignore[arg-type]
                raise ValueError(f"{name} has {len(getattr(self, name))} entries")
        if len(self.hosts) != vertices or len(self.targets) != links:
            raise ValueError("hosts or targets have another length than vertices or sources")
        if len(set(self.vertices)) != vertices:
            raise ValueError("two vertices have the same name")
        ends = np.concatenate([self.sources, self.targets])
        if len(ends) and (ends.min() < 0 or ends.max() >= vertices):
            raise ValueError("a link leads to a vertex that does not exist")
        self._check_values()

    def _check_values(self) -> None:
        """Check the values in the arrays.

        Raises:
            ValueError: A value is not valid.
        """
        texts = (
            self.name,
            *self.dimensions,
            *self.vertices,
            *self.hosts,
            *self.adapters,
            *self.source_ports,
            *self.target_ports,
        )
        if wrong := [text for text in texts if not text.isprintable() or len(text) > MOST_LETTERS]:
            raise ValueError(f"a name has control characters or is too long: {wrong[0][:40]!r}")
        if not (len(self.dimensions) == len(self.sizes) == len(self.wraps)):
            raise ValueError("dimensions, sizes and wraps differ in length")
        if self.coordinates.shape != (len(self.vertices), len(self.sizes)):
            raise ValueError(f"coordinates have the shape {self.coordinates.shape}")
        if len(self.sizes) and np.any(self.coordinates >= np.array(self.sizes)):
            raise ValueError("a coordinate is beyond the size of its dimension")
        if np.any((self.link_kinds < 0) | (self.link_kinds >= len(LINK_KINDS))):
            raise ValueError("a link is of no known kind")
        if np.any(self.link_dimensions >= len(self.sizes)):
            raise ValueError("a link leads along no known dimension")
        if not np.all(np.isfinite(self.rates) & (self.rates >= 0)) or np.any(self.lanes < 1):
            raise ValueError("a link has no rate or no lanes")
        for switch, links in self.forwarding.items():
            if not 0 <= switch < len(self.vertices) or links.shape != (len(self.vertices),):
                raise ValueError("a forwarding table is of no switch, or of another length")
            if np.any(links >= len(self.sources)):
                raise ValueError("a forwarding table leads to a link that is not there")

    @cached_property
    def place(self) -> dict[str, int]:
        """Number of each vertex by its name."""
        return {name: index for index, name in enumerate(self.vertices)}

    @cached_property
    def adapters_of(self) -> dict[str, tuple[int, ...]]:
        """The vertices of each node by its host name."""
        found: dict[str, list[int]] = {}
        for index, host in enumerate(self.hosts):
            if host:
                found.setdefault(host, []).append(index)
        return {host: tuple(places) for host, places in found.items()}

    @cached_property
    def is_switch(self) -> NDArray[np.bool_]:
        """Whether each vertex is a switch."""
        return np.array([not host for host in self.hosts], dtype=bool)

    @cached_property
    def link_place(self) -> dict[str, int]:
        """Number of each link by its name."""
        return {self.link_name(link): link for link in range(len(self.sources))}

    @cached_property
    def switch_of(self) -> Ints:
        """The switch of each node's vertex; a switch itself for switches; -1: none."""
        switch = np.where(self.is_switch, np.arange(len(self.vertices)), -1)
        outward = ~self.is_switch[self.sources] & self.is_switch[self.targets]
        switch[self.sources[outward][::-1]] = self.targets[outward][::-1]
        return switch

    def link_name(self, link: int) -> str:
        """Return the name of a link: `leaf1 > spine2`, with its ports where two are alike."""
        source, target = self.vertices[self.sources[link]], self.vertices[self.targets[link]]
        if self._alike[link] < 2:
            return f"{source} > {target}"
        return f"{source}[{self.source_ports[link]}] > {target}[{self.target_ports[link]}]"

    @cached_property
    def _alike(self) -> Ints:
        """The number of links with the same source and target as each link."""
        pairs = self.sources * len(self.vertices) + self.targets
        _, index, count = np.unique(pairs, return_inverse=True, return_counts=True)
        return np.asarray(count[index], dtype=np.int64)


def valid_at(topologies: Sequence[Topology], name: str, time_ns: int) -> Topology | None:
    """Return the version of a fabric that was valid at a time; None before its first one."""
    known = [each for each in topologies if each.name == name and each.valid_from_ns <= time_ns]
    return max(known, key=lambda each: each.valid_from_ns, default=None)
