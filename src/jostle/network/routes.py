"""Computes routes of pairs of vertices: the part of a pair's traffic on each link."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from scipy.sparse import csr_array, diags_array, hstack, vstack

from jostle.network.rules import (
    Shortest,
    by_table,
    d_mod_k_table,
    dimension_order,
    forwarding_table,
    to_own_switch,
)
from jostle.network.walk import Flags, Floats, Ints, Rule, Walked, walk
from jostle.topology import Topology

#: The longest path that InfiniBand allows, in hops.
_MOST_HOPS = 64
_KEPT = 8
#: Most entries, of 8 bytes each, of routes that are cached.
_KEPT_ENTRIES = 1 << 25


@dataclass(frozen=True, eq=False)
class Detours:
    """Routes with Valiant routing: detours by every other group or switch.

    They are stored as factors, since the product of these matrices would be large.

    Attributes:
        straight: Part of a pair's traffic on links that all its paths have, shape (pairs, links).
        between: For each pair with detours, 1 at its pair of switches, shape (pairs, switch pairs).
        ways: For each pair of switches, the parts of its paths, shape (switch pairs, parts).
        links: For each part, its load on the links, shape (parts, links).
    """

    straight: csr_array
    between: csr_array
    ways: csr_array
    links: csr_array

    def after(self, matrix: csr_array) -> Detours:
        """Return the detours of other rows of traffic, which `matrix` divides among the pairs."""
        return Detours(
            csr_array(matrix @ self.straight),
            csr_array(matrix @ self.between),
            self.ways,
            self.links,
        )

    def carried(self, traffic: csr_array) -> csr_array:
        """Return the load of traffic, shape (rows, pairs), on each link: (rows, links)."""
        round_ways = ((traffic @ self.between) @ self.ways) @ self.links
        return csr_array(traffic @ self.straight + round_ways)


@dataclass(frozen=True, eq=False)
class Routes:
    """Routes of pairs of vertices.

    Attributes:
        sources: Source vertex of each pair.
        targets: Target vertex of each pair.
        low: Part of a pair's traffic on each link with minimal routing, shape (pairs, links).
        detours: Parts with Valiant routing; None: routing is not adaptive.
        reached: Whether each pair has a path.
        other: Whether shortest paths were used for each pair, since the fabric's own rule has no
            path.
    """

    sources: Ints
    targets: Ints
    low: csr_array
    detours: Detours | None
    reached: Flags
    other: Flags

    @property
    def high(self) -> csr_array:
        """As `low`, with Valiant routing; `low` itself where routing is not adaptive."""
        if self.detours is None:
            return self.low
        everything = diags_array(np.ones(len(self.sources), np.float32))
        return self.detours.carried(csr_array(everything))

    @property
    def hops(self) -> Floats:
        """Number of links of each pair's minimal path, as the mean over several paths."""
        return np.asarray(self.low.sum(axis=1), np.float32)


def routes_of(topology: Topology, sources: Ints, targets: Ints) -> Routes:
    """Return the routes of pairs of vertices; results are cached by sets of pairs.

    The first rule that applies to the fabric is used:
        Forwarding tables are known: as the tables say.
        Torus, mesh: dimension by dimension in the shorter direction; ties are divided in halves.
        Tree, fat tree: D-mod-k.
        Dragonfly: minimal (local, global, local), and Valiant (by every other group, on average).
        Any other graph: shortest paths; traffic is divided evenly at each switch.
    Pairs for which the rule has no path also use shortest paths.

    Args:
        topology: The fabric.
        sources: Source vertices of the pairs.
        targets: Target vertices of the pairs.
    """
    return _router_of(topology).routes(np.asarray(sources, np.int64), np.asarray(targets, np.int64))


def minimal_links(topology: Topology, sources: Ints, targets: Ints) -> csr_array:
    """Return only `low` of `routes_of`; computing the detours as well would take much longer.

    Arguments and rules are those of `routes_of`; nothing is cached.
    """
    return _router_of(topology).minimal(sources, targets)


class _Router:
    """The routing rule of one fabric, with a cache of the last routes."""

    def __init__(self, topology: Topology) -> None:
        # The router must not keep its topology alive: a topology that is no longer used is freed
        # together with its router.
        self._topology = _twin(topology)
        self._guard = threading.Lock()  # threads of a server call it concurrently
        self._kept: OrderedDict[bytes, Routes] = OrderedDict()
        self._own = _own_rule(self._topology)

    def routes(self, sources: Ints, targets: Ints) -> Routes:
        key = sources.tobytes() + targets.tobytes()
        with self._guard:
            routes = self._kept.get(key)
        if routes is None:
            routes = self._routes(sources, targets)
        with self._guard:
            self._kept[key] = routes
            self._kept.move_to_end(key)
            while len(self._kept) > 1 and (
                len(self._kept) > _KEPT
                or sum(each.low.nnz for each in self._kept.values()) > _KEPT_ENTRIES
            ):
                self._kept.popitem(last=False)
        return routes

    def minimal(self, sources: Ints, targets: Ints) -> csr_array:
        return self._minimal(sources, targets)[0].links

    def _routes(self, sources: Ints, targets: Ints) -> Routes:
        minimal, other = self._minimal(sources, targets)
        is_adaptive = self._is_adaptive and len(sources)
        detours = self._detours(sources, targets, minimal.links) if is_adaptive else None
        return Routes(sources, targets, minimal.links, detours, minimal.arrived, other)

    @property
    def _is_adaptive(self) -> bool:
        return self._topology.kind == "dragonfly" and not self._topology.forwarding

    def _minimal(self, sources: Ints, targets: Ints) -> tuple[Walked, Flags]:
        """Walk pairs by the fabric's rule, and those for which it has no path by shortest paths."""
        if self._own is not None:
            walked = self._walk(sources, targets, self._own)
        else:
            walked = self._walk(sources, targets, self._shortest(targets, self._is_adaptive))
            if not self._is_adaptive:
                return walked, np.zeros(len(sources), bool)
        left = np.flatnonzero(~walked.arrived)
        other = np.zeros(len(sources), bool)
        if not len(left):
            return walked, other
        again = self._walk(sources[left], targets[left], self._shortest(targets[left], False))
        back = csr_array(
            (np.ones(len(left), np.float32), (left, np.arange(len(left)))),
            shape=(len(sources), len(left)),
        )
        arrived = walked.arrived.copy()
        arrived[left] = other[left] = again.arrived
        return Walked(
            walked.links + back @ again.links, walked.ends + back @ again.ends, arrived
        ), other

    def _walk(self, sources: Ints, targets: Ints, rule: Rule) -> Walked:
        topology = self._topology
        return walk(
            sources,
            targets,
            to_own_switch(topology, rule),
            np.equal,
            topology.targets,
            len(topology.vertices),
            _MOST_HOPS + min(sum(topology.sizes), len(topology.vertices)),
        )

    def _shortest(self, targets: Ints, one_global: bool) -> Rule:
        topology = self._topology
        goals = np.unique(topology.switch_of[targets])
        goals = goals[goals >= 0]
        groups = topology.groups[goals] if one_global else None
        shortest = Shortest(topology, [goals[k : k + 1] for k in range(len(goals))], groups)
        return lambda at, goal: shortest.rule(at, np.searchsorted(goals, topology.switch_of[goal]))

    # Valiant

    def _detours(self, sources: Ints, targets: Ints, low: csr_array) -> Detours:
        """Return the paths by every other group; within a group, by its other switches."""
        topology = self._topology
        count = len(topology.vertices)
        a, b = topology.switch_of[sources], topology.switch_of[targets]
        able = np.flatnonzero((a >= 0) & (b >= 0) & (a != b) & (low.sum(axis=1) > 0))
        known, place = np.unique(a[able] * count + b[able], return_inverse=True)
        begin, end = known // count, known % count
        group_a, group_b = topology.groups[begin], topology.groups[end]
        outside = np.flatnonzero((group_a != group_b) & (group_a >= 0) & (group_b >= 0))
        inside = np.flatnonzero((group_a == group_b) & (group_a >= 0))
        legs: list[tuple[csr_array, csr_array]] = []
        first, middle = self._to_groups(begin[outside], group_a[outside], group_b[outside])
        if first is not None:
            legs.append((_rows(outside, first[0], len(known)), first[1]))
        around = self._within(begin[inside], end[inside])
        by = _rows(outside, middle, len(known)) + _rows(inside, around, len(known))
        by = csr_array(by)
        by.sum_duplicates()
        pair, over = by.tocoo().coords
        for ends, of in (((over, end[pair]), None), ((begin[pair], over), inside)):
            chosen = np.ones(len(pair), bool) if of is None else np.isin(pair, of)
            key, which = np.unique(ends[0][chosen] * count + ends[1][chosen], return_inverse=True)
            if not len(key):
                continue
            ways = csr_array((by.data[chosen], (pair[chosen], which)), shape=(len(known), len(key)))
            legs.append((ways, self._minimal(key // count, key % count)[0].links))
        detoured = np.asarray(by.sum(axis=1) > 0)
        pairs = csr_array(
            (detoured[place].astype(np.float32), (able, place)), shape=(len(sources), len(known))
        )
        turns = np.zeros(len(sources), bool)
        turns[able] = detoured[place]
        terminal = ~(topology.is_switch[topology.sources] & topology.is_switch[topology.targets])
        straight = diags_array((~turns).astype(np.float32)) @ low
        cables = (
            diags_array(turns.astype(np.float32)) @ low @ diags_array(terminal.astype(np.float32))
        )
        if not legs:
            nothing = csr_array((len(known), 1), dtype=np.float32)
            legs.append((nothing, csr_array((1, low.shape[1]), dtype=np.float32)))
        return Detours(
            csr_array(straight + cables),
            pairs,
            csr_array(hstack([ways for ways, _ in legs])),
            csr_array(vstack([links for _, links in legs])),
        )

    def _to_groups(
        self, begin: Ints, own: Ints, there: Ints
    ) -> tuple[tuple[csr_array, csr_array] | None, csr_array]:
        """Return the first legs to every other group, and the switches where they end."""
        topology = self._topology
        count = len(topology.vertices)
        nothing = csr_array((len(begin), count), dtype=np.float32)
        groups = np.unique(topology.groups[topology.is_switch & (topology.groups >= 0)])
        if not len(begin) or len(groups) < 3:
            return None, nothing
        row = np.repeat(np.arange(len(begin)), len(groups))
        via = np.tile(np.arange(len(groups)), len(begin))
        apart = (groups[via] != own[row]) & (groups[via] != there[row])
        row, via = row[apart], via[apart]
        key, which = np.unique(begin[row] * len(groups) + via, return_inverse=True)
        members = [np.flatnonzero(topology.is_switch & (topology.groups == g)) for g in groups]
        shortest = Shortest(topology, members, groups)
        walked = walk(
            key // len(groups),
            key % len(groups),
            shortest.rule,
            lambda at, goal: topology.groups[at] == groups[goal],
            topology.targets,
            count,
            _MOST_HOPS,
        )
        useful = walked.arrived[which]
        number = np.bincount(row[useful], minlength=len(begin))
        weight = (1 / number[row[useful]]).astype(np.float32)
        ways = csr_array((weight, (row[useful], which[useful])), shape=(len(begin), len(key)))
        return (ways, walked.links), csr_array(ways @ walked.ends)

    def _within(self, begin: Ints, end: Ints) -> csr_array:
        """Return for pairs of one group the group's other switches, all with the same weight."""
        topology = self._topology
        count = len(topology.vertices)
        switches = np.flatnonzero(topology.is_switch)
        same = topology.groups[begin][:, None] == topology.groups[switches][None, :]
        same &= (switches[None, :] != begin[:, None]) & (switches[None, :] != end[:, None])
        row, column = np.nonzero(same)
        weight = 1 / np.maximum(same.sum(axis=1), 1)[row]
        return csr_array(
            (weight.astype(np.float32), (row, switches[column])), shape=(len(begin), count)
        )


def _rows(places: Ints, matrix: csr_array, count: int) -> csr_array:
    """Put the rows of a matrix at some rows of a larger one."""
    rows, columns = matrix.tocoo().coords
    return csr_array((matrix.data, (places[rows], columns)), shape=(count, matrix.shape[1]))


def _own_rule(topology: Topology) -> Rule | None:
    """Return the rule that decides between switches; None: shortest paths."""
    if topology.forwarding:
        return by_table(topology, *forwarding_table(topology))
    if topology.kind in ("torus", "mesh"):
        return dimension_order(topology)
    has_levels = bool((topology.levels[topology.is_switch] >= 0).all())
    if topology.kind in ("fat tree", "tree") and has_levels:
        return by_table(topology, *d_mod_k_table(topology))
    return None


_ROUTERS: WeakKeyDictionary[Topology, _Router] = WeakKeyDictionary()
_GUARD = threading.Lock()


def _router_of(topology: Topology) -> _Router:
    with _GUARD:
        router = _ROUTERS.get(topology)
        if router is None:
            router = _ROUTERS[topology] = _Router(topology)
    return router


def _twin(topology: Topology) -> Topology:
    """Return another object for the same fabric, that shares its arrays."""
    twin = object.__new__(Topology)
    twin.__dict__.update(topology.__dict__)
    return twin
