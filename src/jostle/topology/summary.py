"""Summarises a fabric in numbers and text, and lists the differences of two versions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from jostle.topology.layout import some
from jostle.topology.model import LINK_KINDS, Topology


@dataclass(frozen=True)
class Links:
    """Cables of one kind.

    Attributes:
        between: Kinds of ends of the cables, as text: "nodes to leaves", "level 1 to level 2",
            "along x".
        cables: Number of cables; bundles are counted by their lanes.
        rates: Rates of one lane, bit/s, ascending; empty: unknown.
    """

    between: str
    cables: int
    rates: tuple[float, ...]


@dataclass(frozen=True)
class Summary:
    """A fabric in numbers.

    Attributes:
        name, kind, valid_from_ns, origin, notes: Values of the topology.
        shape: Kind and sizes as text: "torus 4 x 4 x 2", "fat tree of 3 levels".
        nodes: Number of hosts.
        adapters: Number of the hosts' adapters.
        switches: Name and number of switches by level; one entry for kinds without levels.
        planes: Number of rails or planes.
        links: Cables by the kinds of their ends.
        routed: Number of switches whose forwarding tables are known.
    """

    name: str
    kind: str
    valid_from_ns: int
    origin: str
    notes: tuple[str, ...]
    shape: str
    nodes: int
    adapters: int
    switches: tuple[tuple[str, int], ...]
    planes: int
    links: tuple[Links, ...]
    routed: int


def summary(topology: Topology) -> Summary:
    """Return the summary of a fabric in numbers."""
    adapters = int((~topology.is_switch).sum())
    return Summary(
        name=topology.name,
        kind=topology.kind,
        valid_from_ns=topology.valid_from_ns,
        origin=topology.origin,
        notes=topology.notes,
        shape=_shape(topology),
        nodes=len(topology.adapters_of),
        adapters=adapters,
        switches=_switches(topology),
        planes=len(np.unique(topology.planes)),
        links=_links(topology),
        routed=len(topology.forwarding),
    )


def _shape(topology: Topology) -> str:
    if topology.sizes:
        return f"{topology.kind} {' x '.join(map(str, topology.sizes))}"
    if topology.kind in ("tree", "fat tree"):
        levels = int(topology.levels.max(initial=0))
        return f"{topology.kind} of {levels} level{'s' * (levels != 1)}"
    if topology.kind == "dragonfly":
        return f"dragonfly of {len(np.unique(topology.groups[topology.is_switch]))} groups"
    return topology.kind


def _switches(topology: Topology) -> tuple[tuple[str, int], ...]:
    levels = Counter(topology.levels[topology.is_switch].tolist())
    if topology.kind not in ("tree", "fat tree"):
        return (("switches", sum(levels.values())),)
    return tuple((f"level {level}", number) for level, number in sorted(levels.items()))


def _links(topology: Topology) -> tuple[Links, ...]:
    """Return the cables by the kinds of their ends.

    A cable is two links, of which one is counted: that from the lower level, or in positive
    direction, or else from the first vertex.
    """
    sorts: dict[tuple[int, int, str], list[int]] = {}
    for link, kind in enumerate(topology.link_kinds.tolist()):
        source, target = int(topology.sources[link]), int(topology.targets[link])
        word = LINK_KINDS[kind]
        level = int(topology.levels[source])
        if word == "down" or (word == "terminal" and topology.is_switch[source]):
            continue
        if word == "up":
            between = f"level {level} to level {int(topology.levels[target])}"
        elif word == "terminal":
            between = "nodes to switches"
        elif word == "dimension":
            if topology.link_signs[link] < 0:
                continue
            between = f"along {topology.dimensions[topology.link_dimensions[link]]}"
        else:
            if source > target:
                continue
            between = {"local": "within groups", "global": "between groups"}.get(word, "switches")
        order = (kind, level if word == "up" else int(topology.link_dimensions[link]), between)
        sorts.setdefault(order, []).append(link)
    return tuple(
        Links(between, int(topology.lanes[links].sum()), _rates(topology, links))
        for (_, _, between), links in sorted(sorts.items())
    )


def _rates(topology: Topology, links: list[int]) -> tuple[float, ...]:
    rates = topology.rates[links] / topology.lanes[links]
    return tuple(sorted({float(rate) for rate in rates if rate > 0}))


def changes(before: Topology, after: Topology) -> list[str]:
    """Return the differences between two versions of a fabric, as sentences for the user.

    A name that disappeared and another at the same port of the same switch are reported together:
    the node may have been renamed or replaced.
    """
    old, new = _ports(before), _ports(after)
    came = sorted(new.keys() - old.keys())
    went = sorted(old.keys() - new.keys())
    at_port = {place: node for node in went for place in old[node]}
    changed = []
    for node in list(came):
        former = {at_port[place] for place in new[node] if place in at_port and place[1]}
        if former:
            name = min(former)
            changed.append(f"{node} is where {name} was: renamed or replaced")
            came.remove(node)
            if name in went:
                went.remove(name)
    moved = [
        f"{node} from {_names(old[node])} to {_names(new[node])}"
        for node in sorted(old.keys() & new.keys())
        if {place[0] for place in old[node]} != {place[0] for place in new[node]}
    ]
    sentences = _sentence("node", "came", came) + _sentence("node", "went", went)
    sentences += _sentence("node", "moved", moved) + [f"{each}." for each in changed[:10]]
    switches = [
        {v for v, host in zip(t.vertices, t.hosts, strict=True) if not host}
        for t in (before, after)
    ]
    sentences += _sentence("switch", "came", sorted(switches[1] - switches[0]))
    sentences += _sentence("switch", "went", sorted(switches[0] - switches[1]))
    if before.kind != after.kind or before.sizes != after.sizes:
        sentences.append(f"It was a {_shape(before)} and is a {_shape(after)}.")
    return sentences + _changed_links(before, after)


def _changed_links(before: Topology, after: Topology) -> list[str]:
    old, new = _cables(before), _cables(after)
    common = old.keys() & new.keys()
    lanes = sum(old[each][0] != new[each][0] for each in common)
    rates = sum(old[each][1] != new[each][1] for each in common)
    parts = [
        f"{number} {words}"
        for number, words in (
            (len(new.keys() - old.keys()), "came"),
            (len(old.keys() - new.keys()), "went"),
            (lanes, "have another number of cables"),
            (rates, "have another rate"),
        )
        if number
    ]
    sentences = [f"Of the links between switches, {', '.join(parts)}."] if parts else []
    same_links = before.vertices == after.vertices and all(
        np.array_equal(getattr(before, name), getattr(after, name))
        for name in ("sources", "targets", "source_ports")
    )
    if same_links and not _same_tables(before, after):
        sentences.append("The forwarding tables differ.")
    return sentences


def _same_tables(before: Topology, after: Topology) -> bool:
    return before.forwarding.keys() == after.forwarding.keys() and all(
        np.array_equal(table, after.forwarding[switch])
        for switch, table in before.forwarding.items()
    )


def _cables(topology: Topology) -> dict[tuple[str, str], tuple[int, float]]:
    """Return lanes and rate from switch to switch."""
    sums: dict[tuple[str, str], tuple[int, float]] = {}
    for source, target, lanes, rate in zip(
        topology.sources, topology.targets, topology.lanes, topology.rates, strict=True
    ):
        if topology.hosts[source] or topology.hosts[target]:
            continue
        ends = topology.vertices[source], topology.vertices[target]
        before = sums.get(ends, (0, 0.0))
        sums[ends] = before[0] + int(lanes), before[1] + float(rate)
    return sums


def _ports(topology: Topology) -> dict[str, set[tuple[str, str]]]:
    """Return the switches and ports to which each host is attached."""
    ports: dict[str, set[tuple[str, str]]] = {host: set() for host in topology.adapters_of}
    for link in np.flatnonzero(~topology.is_switch[topology.sources]):
        switch = topology.vertices[topology.targets[link]]
        host = topology.hosts[topology.sources[link]]
        ports[host].add((switch, topology.target_ports[link]))
    return ports


def _names(places: Iterable[tuple[str, str]]) -> str:
    return " and ".join(sorted({switch for switch, _ in places})) or "nowhere"


def _sentence(what: str, happened: str, names: list[str]) -> list[str]:
    if not names:
        return []
    plural = f"{what}es" if what == "switch" else f"{what}s"
    return [f"{len(names)} {what if len(names) == 1 else plural} {happened}: {some(names)}."]
