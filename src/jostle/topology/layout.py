"""Finds the layout of a fabric: a tree's levels, a torus' dimensions, or a dragonfly's groups.

No property of links is assumed: a topology that follows no known rule is a graph.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from jostle.topology.model import LINK_KINDS, Ints, Topology

_NUMBER = {kind: number for number, kind in enumerate(LINK_KINDS)}
#: A switch with fewer nodes than this part of the usual number may be a spine with a few of them.
_FEW = 0.25
#: Largest share of a torus' switches, and of a dragonfly's links, that may be missing.
_MISSING = 0.1
#: Least switches of a group: a smaller one cannot be distinguished from a chance triangle.
_LEAST_GROUP = 3


def lay_out(topology: Topology) -> Topology:
    """Return a topology with its kind, its levels or groups, and the kinds of its links.

    Known coordinates make it a torus or mesh, known groups a dragonfly. Otherwise levels are
    searched, then dimensions (by ports that are used alike everywhere), then groups of fully
    connected switches.

    Args:
        topology: Vertices and links of one connected fabric.
    """
    at_node = ~(topology.is_switch[topology.sources] & topology.is_switch[topology.targets])
    kinds = np.where(at_node, _NUMBER["terminal"], topology.link_kinds)
    plain = replace(topology, link_kinds=kinds)
    if plain.sizes:
        return _grid(plain)
    if np.any(plain.groups[plain.is_switch] >= 0):
        return _dragonfly(plain)
    for attempt in (_tree, _grid_of_ports, _dragonfly_of_cliques):
        laid_out = attempt(plain)
        if laid_out is not None:
            return laid_out
    levels = np.where(plain.is_switch, np.where(_has_nodes(plain), 1, -1), 0)
    return replace(plain, kind="graph", levels=levels)


# ---- trees ----


def _tree(topology: Topology) -> Topology | None:
    """Return a topology as a tree or fat tree; None if links join switches of one level."""
    between = _between_switches(topology)
    leaves = _has_nodes(topology)
    if not leaves.any():
        return None
    switches = topology.switch_of[~topology.is_switch]
    count = np.bincount(switches[switches >= 0], minlength=len(topology.vertices))
    usual = np.median(count[leaves])
    for chosen in (leaves, leaves & (count >= _FEW * usual)):
        levels = _levels(topology, chosen)
        step = levels[topology.targets[between]] - levels[topology.sources[between]]
        if np.all(np.abs(step) == 1) and levels[topology.is_switch].min(initial=1) >= 1:
            break
    else:
        return None
    kinds = topology.link_kinds.copy()
    kinds[between] = np.where(step > 0, _NUMBER["up"], _NUMBER["down"])
    upward = between[step > 0]
    above = {(int(topology.sources[link]), int(topology.targets[link])) for link in upward}
    is_tree = len({source for source, _ in above}) == len(above)
    notes = topology.notes
    if odd := [topology.vertices[v] for v in np.flatnonzero(leaves & (levels > 1))]:
        notes += (f"Nodes are attached to switches above the leaves: {', '.join(odd[:5])}.",)
    return replace(
        topology,
        kind="tree" if is_tree else "fat tree",
        levels=levels,
        link_kinds=kinds,
        notes=notes,
    )


def _levels(topology: Topology, leaves: NDArray[np.bool_]) -> Ints:
    """Return the level of each vertex: 0 for nodes, 1 for leaf switches, and up.

    It rises by 1 with each link from the nearest leaf; -1: no path leads to a leaf.
    """
    levels = np.where(topology.is_switch, -1, 0)
    levels[leaves] = 1
    around = neighbours(topology)
    waiting = deque(int(leaf) for leaf in np.flatnonzero(leaves))
    while waiting:
        here = waiting.popleft()
        for there in around[here]:
            if levels[there] < 0:
                levels[there] = levels[here] + 1
                waiting.append(there)
    return levels


# ---- tori ----


def _grid(topology: Topology) -> Topology:
    """Return a torus or mesh by its coordinates; a graph if a link is along no dimension."""
    between = _between_switches(topology)
    sizes = np.array(topology.sizes)
    begin, end = (
        topology.coordinates[ends[between]] for ends in (topology.sources, topology.targets)
    )
    step = end - begin
    around = (np.abs(step) == sizes - 1) & (sizes > 2)
    step = np.where(around, -np.sign(step), step)
    straight = (np.abs(step).sum(axis=1) == 1) & (begin >= 0).all(axis=1) & (end >= 0).all(axis=1)
    levels = np.where(topology.is_switch, 1, 0)
    if not straight.all():
        odd = topology.link_name(int(between[~straight][0]))
        note = (
            f"{int((~straight).sum())} links do not lead to a neighbour along one dimension, "
            f"such as {odd}: taken as a graph."
        )
        return replace(
            topology,
            kind="graph",
            dimensions=(),
            sizes=(),
            wraps=(),
            levels=levels,
            coordinates=np.zeros((len(topology.vertices), 0), np.int64),
            notes=(*topology.notes, note),
        )
    kinds, along, signs = (
        each.copy() for each in (topology.link_kinds, topology.link_dimensions, topology.link_signs)
    )
    kinds[between] = _NUMBER["dimension"]
    along[between] = np.abs(step).argmax(axis=1)
    signs[between] = step.sum(axis=1)
    wraps = tuple(bool(around[:, d].any()) for d in range(len(sizes)))
    coordinates = topology.coordinates.copy()
    nodes = np.flatnonzero(~topology.is_switch & (topology.switch_of >= 0))
    coordinates[nodes] = coordinates[topology.switch_of[nodes]]
    notes = topology.notes
    if missing := _missing_links(topology, between, wraps):
        notes += (f"{missing} links to a neighbour are missing.",)
    return replace(
        topology,
        kind="torus" if any(wraps) else "mesh",
        wraps=wraps,
        levels=levels,
        link_kinds=kinds,
        link_dimensions=along,
        link_signs=signs,
        coordinates=coordinates,
        notes=notes,
    )


def _missing_links(topology: Topology, between: Ints, wraps: Sequence[bool]) -> int:
    """Return how many pairs of neighbours in a torus or mesh are not linked."""
    places = prod(topology.sizes)
    pairs = sum(
        places - (0 if joined else places // size)
        for size, joined in zip(topology.sizes, wraps, strict=True)
        if size > 1
    )
    linked = {
        (int(a), int(b))
        for a, b in zip(topology.sources[between], topology.targets[between], strict=True)
        if a < b
    }
    return pairs - len(linked)


def _grid_of_ports(topology: Topology) -> Topology | None:
    """Return a torus or mesh if each dimension has the same two ports everywhere; else None.

    If port 1 always leads to a port 2, the link at port 1 is a step along one dimension.
    """
    steps: dict[tuple[str, str], dict[int, int]] = {}  # ports -> the next switch of each switch
    partner: dict[str, str] = {}
    for link in _between_switches(topology):
        ports = topology.source_ports[link], topology.target_ports[link]
        if not all(ports) or partner.setdefault(ports[0], ports[1]) != ports[1]:
            return None
        if _port_order(ports[0]) <= _port_order(ports[1]):
            ends = int(topology.sources[link]), int(topology.targets[link])
            steps.setdefault(ports, {})[ends[0]] = ends[1]
    along = sorted(steps, key=lambda ports: _port_order(ports[0]))
    moves = []
    for ports in along:  # parallel cables have the same direction
        if steps[ports] not in moves:
            moves.append(steps[ports])
    switches = [int(v) for v in np.flatnonzero(topology.is_switch)]
    if not moves or len(moves) > len("abcdefghijklmnop"):
        return None
    sizes, wraps = zip(*(_ring(move, switches) for move in moves), strict=True)
    at = _walk(moves, sizes, wraps, switches[0])
    if at is None or len(at) != len(switches) or len(set(at.values())) != len(switches):
        return None
    if len(switches) < (1 - _MISSING) * prod(sizes):
        return None
    places = np.array(list(at.values()))
    low = places.min(axis=0)
    if np.any(places.max(axis=0) - low >= sizes):
        return None
    coordinates = np.full((len(topology.vertices), len(sizes)), -1, np.int64)
    for switch, place in at.items():
        coordinates[switch] = np.array(place) - low
    letters = "xyz" if len(sizes) <= 3 else "abcdefghijklmnop"
    note = (
        "Dimensions were found by the ports, which are used alike at every switch; their names "
        "and where they begin are arbitrary."
    )
    grid = _grid(
        replace(
            topology,
            dimensions=tuple(letters[: len(sizes)]),
            sizes=sizes,
            wraps=wraps,
            coordinates=coordinates,
        )
    )
    return replace(grid, notes=(*grid.notes, note)) if grid.sizes else None


def _port_order(port: str) -> tuple[int, str]:
    return (int(port), "") if port.isdecimal() else (1 << 30, port)


def _ring(move: dict[int, int], switches: Sequence[int]) -> tuple[int, bool]:
    """Return the length of a line of steps of one kind, and whether it is a closed ring.

    A closed ring is preferred to one with a missing link. Whether all other lines of this kind have
    the same length is checked later, with the coordinates.
    """
    ends = set(move.values())
    longest = 1
    seen: set[int] = set()
    for first in [*(switch for switch in move if switch not in ends), *switches]:
        row: list[int] = []
        here: int | None = first
        while here is not None and here not in seen:
            seen.add(here)
            row.append(here)
            here = move.get(here)
        if here == first and len(row) > 2:
            return len(row), True
        longest = max(longest, len(row))
    return longest, False


def _walk(
    moves: Sequence[dict[int, int]], sizes: Sequence[int], wraps: Sequence[bool], first: int
) -> dict[int, tuple[int, ...]] | None:
    """Return the coordinates of all switches, from the first on; None if two paths disagree."""
    steps: dict[int, list[tuple[int, int, int]]] = {}
    for dimension, move in enumerate(moves):
        for here, there in move.items():
            steps.setdefault(here, []).append((there, dimension, 1))
            steps.setdefault(there, []).append((here, dimension, -1))
    at = {first: (0,) * len(sizes)}
    waiting = deque([first])
    while waiting:
        here = waiting.popleft()
        for there, dimension, sign in steps.get(here, ()):
            place = list(at[here])
            place[dimension] += sign
            if wraps[dimension] or sizes[dimension] == 2:
                place[dimension] %= sizes[dimension]
            if there not in at:
                at[there] = tuple(place)
                waiting.append(there)
            elif at[there] != tuple(place):
                return None
    return at


# ---- dragonflies ----


def _dragonfly(topology: Topology) -> Topology:
    """Return a dragonfly by its groups, with a note on groups that no link joins."""
    between = _between_switches(topology)
    groups = topology.groups.copy()
    nodes = np.flatnonzero(~topology.is_switch & (topology.switch_of >= 0))
    groups[nodes] = groups[topology.switch_of[nodes]]
    ends = groups[topology.sources[between]], groups[topology.targets[between]]
    kinds = topology.link_kinds.copy()
    kinds[between] = np.where(ends[0] == ends[1], _NUMBER["local"], _NUMBER["global"])
    missing = [f"{a} and {b}" for a, b in _groups_apart(topology, groups)]
    notes = topology.notes
    if missing:
        notes += (f"No link joins the groups {some(missing)}.",)
    levels = np.where(topology.is_switch, 1, 0)
    return replace(
        topology, kind="dragonfly", groups=groups, levels=levels, link_kinds=kinds, notes=notes
    )


def _groups_apart(topology: Topology, groups: Ints) -> list[tuple[int, int]]:
    """Return the pairs of groups that no link joins."""
    between = _between_switches(topology)
    ends = groups[topology.sources[between]], groups[topology.targets[between]]
    linked = set(zip(ends[0].tolist(), ends[1].tolist(), strict=True))
    numbers = np.unique(groups[topology.is_switch]).tolist()
    return [(a, b) for a in numbers for b in numbers if a < b and (a, b) not in linked]


def _dragonfly_of_cliques(topology: Topology) -> Topology | None:
    """Return a dragonfly if its switches form fully connected groups; else None.

    Two switches of a group have the whole group as common neighbours; the ends of a global link
    have few. Every switch must be in a group. A tenth of the links within the groups may be
    missing, and a tenth of those between each two groups.
    """
    around = {v: near | {v} for v, near in neighbours(topology).items()}
    pairs = {(a, b): len(near & around[b]) for a, near in around.items() for b in near if a < b}
    for least in sorted({count for count in pairs.values() if count >= _LEAST_GROUP}, reverse=True):
        sets = _components([pair for pair, count in pairs.items() if count >= least])
        if len(sets) < 2 or sum(map(len, sets)) < len(around):
            continue
        within = sum(len(each) * (len(each) - 1) for each in sets)
        lost = sum(len(each - around[v]) for each in sets for v in each)
        groups = topology.groups.copy()
        for number, each in enumerate(sorted(sets, key=min)):
            groups[list(each)] = number
        apart = len(_groups_apart(topology, groups))
        if lost <= _MISSING * within and apart <= _MISSING * len(sets) * (len(sets) - 1) / 2:
            note = (
                f"The {len(sets)} groups were derived from fully connected switches; "
                "no file names them."
            )
            more = (f"{lost // 2} links within groups are missing.",) if lost else ()
            notes = (*topology.notes, note, *more)
            return _dragonfly(replace(topology, groups=groups, notes=notes))
    return None


def _components(pairs: Iterable[tuple[int, int]]) -> list[set[int]]:
    """Return the connected components of a graph of pairs."""
    around: dict[int, set[int]] = defaultdict(set)
    for a, b in pairs:
        around[a].add(b)
        around[b].add(a)
    sets: list[set[int]] = []
    left = set(around)
    while left:
        reached, waiting = set(), [left.pop()]
        while waiting:
            here = waiting.pop()
            reached.add(here)
            waiting += around[here] & left
            left -= around[here]
        sets.append(reached)
    return sets


# ---- helpers of all layouts ----


def neighbours(topology: Topology) -> dict[int, set[int]]:
    """Return the switches that each switch is linked to."""
    around: dict[int, set[int]] = {int(v): set() for v in np.flatnonzero(topology.is_switch)}
    for link in _between_switches(topology):
        around[int(topology.sources[link])].add(int(topology.targets[link]))
    return around


def _between_switches(topology: Topology) -> Ints:
    """Return the links that join two switches."""
    return np.flatnonzero(
        topology.is_switch[topology.sources] & topology.is_switch[topology.targets]
    )


def _has_nodes(topology: Topology) -> NDArray[np.bool_]:
    """Return whether each vertex is a switch with nodes."""
    leaves = np.zeros(len(topology.vertices), bool)
    switches = topology.switch_of[~topology.is_switch]
    leaves[switches[switches >= 0]] = True
    return leaves


def some(names: Sequence[str], most: int = 5) -> str:
    """Return the first names as text, and the number of further ones."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
