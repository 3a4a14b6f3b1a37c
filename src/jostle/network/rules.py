"""Routing rules of each kind of fabric (torus, fat tree, ...).

A rule gives the links that a message may take next at a vertex on the way to its target.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from jostle.network.walk import Floats, Ints, Lists, Onward, Rule, shared
from jostle.topology import Topology

#: Targets of which distances are computed at once; bounds memory.
_GOALS_AT_ONCE = 512
_FAR = np.iinfo(np.int16).max


def to_own_switch(topology: Topology, inner: Rule) -> Rule:
    """Return the rule for nodes: first a link to a switch, then `inner`, last a link to the node.

    Goals are vertices of nodes, or switches.
    """
    out = _Cables(topology)

    def rule(at: Ints, goal: Ints) -> Onward:
        switch = topology.switch_of[goal]
        is_node = ~topology.is_switch[at]
        ends = is_node | (at == switch)
        up = out.first(at[is_node], goal[is_node])
        last = out.between(at[ends & ~is_node], goal[ends & ~is_node])
        middle = inner(at[~ends], goal[~ends])
        return _joined(
            [
                (np.flatnonzero(is_node), up),
                (np.flatnonzero(ends & ~is_node), last),
                (np.flatnonzero(~ends), middle),
            ]
        )

    return rule


class _Cables:
    """The cables between nodes and switches."""

    def __init__(self, topology: Topology) -> None:
        self._topology = topology
        self._lanes = np.maximum(topology.lanes, 1).astype(np.float64)
        self._of = Lists.of(topology.sources, len(topology.vertices))
        count = len(topology.vertices)
        keys = topology.sources * count + topology.targets
        self._known, inverse = np.unique(keys, return_inverse=True)
        self._same = Lists.of(inverse, len(self._known))

    def first(self, at: Ints, goal: Ints) -> Onward:
        """Leave a node: to the target if a cable joins both, else to its switch."""
        direct = self.between(at, goal)
        other = np.ones(len(at), bool)
        other[direct.state] = False
        switch = np.where(other, self._topology.switch_of[at], -1)
        to_switch = self.between(at, switch)
        places = np.arange(len(at))
        return _joined([(places, direct), (places, to_switch)])

    def between(self, at: Ints, there: Ints) -> Onward:
        """Return the cables from some vertices to others, with traffic divided by their lanes."""
        key = at * len(self._topology.vertices) + there
        place = np.searchsorted(self._known, key)
        place[place == len(self._known)] = 0
        if not len(self._known):
            return Onward(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32))
        joined = np.flatnonzero((self._known[place] == key) & (there >= 0))
        inner, link = self._same.expand(place[joined])
        return shared(joined[inner], link, self._lanes[link], len(at))


def _joined(parts: Sequence[tuple[Ints, Onward]]) -> Onward:
    """Join the results of rules for different states: (indices of the states, the result)."""
    state = np.concatenate([places[onward.state] for places, onward in parts])
    link = np.concatenate([onward.link for _, onward in parts])
    share = np.concatenate([onward.share for _, onward in parts])
    order = np.argsort(state, kind="stable")
    return Onward(state[order], link[order], share[order])


# Torus and mesh


def dimension_order(topology: Topology) -> Rule:
    """Return the rule of a torus or mesh: dimension by dimension, in the shorter direction.

    Two paths of the same length carry half of the traffic each.
    """
    count = len(topology.sizes)
    sizes = np.array(topology.sizes, np.int64)
    wraps = np.array(topology.wraps or (True,) * count, bool)
    places = topology.coordinates
    side = (topology.link_signs > 0).astype(np.int64)
    key = (topology.sources * count + topology.link_dimensions) * 2 + side
    key[topology.link_dimensions < 0] = -1
    links = Lists.of(key, len(topology.vertices) * count * 2)
    lanes = np.maximum(topology.lanes, 1).astype(np.float64)

    def rule(at: Ints, goal: Ints) -> Onward:
        here, there = places[at], places[topology.switch_of[goal]]
        apart = there - here
        unknown = (here < 0).any(axis=1) | (there < 0).any(axis=1)
        dimension = np.argmax(apart != 0, axis=1)
        states = np.arange(len(at))
        apart, size, wrap = apart[states, dimension], sizes[dimension], wraps[dimension]
        forward = np.where(wrap, apart % size, np.where(apart > 0, apart, _FAR))
        back = np.where(wrap, -apart % size, np.where(apart < 0, -apart, _FAR))
        able = (apart != 0) & ~unknown
        parts = []
        for sign, wanted in ((1, forward <= back), (0, back <= forward)):
            chosen = np.flatnonzero(wanted & able)
            inner, link = links.expand((at[chosen] * count + dimension[chosen]) * 2 + sign)
            parts.append((chosen[inner], link))
        state = np.concatenate([part[0] for part in parts])
        link = np.concatenate([part[1] for part in parts])
        order = np.argsort(state, kind="stable")
        return shared(state[order], link[order], lanes[link[order]], len(at))

    return rule


# Tables


def by_table(topology: Topology, table: NDArray[np.int32], row: Ints) -> Rule:
    """Return the rule of forwarding tables.

    Args:
        topology: The fabric.
        table: For each switch, the link towards each target vertex; -1: none.
        row: Row of each vertex in the table; -1: none.
    """

    def rule(at: Ints, goal: Ints) -> Onward:
        link = np.where(row[at] >= 0, table[row[at], goal], -1).astype(np.int64)
        # A table that names another switch's link is not valid.
        link[(link >= 0) & (topology.sources[link] != at)] = -1
        state = np.flatnonzero(link >= 0)
        return Onward(state, link[state], np.ones(len(state), np.float32))

    return rule


def forwarding_table(topology: Topology) -> tuple[NDArray[np.int32], Ints]:
    """Return the fabric's own forwarding tables as arguments of `by_table`."""
    row = np.full(len(topology.vertices), -1, np.int64)
    row[list(topology.forwarding)] = np.arange(len(topology.forwarding))
    table = np.stack([np.asarray(each, np.int32) for each in topology.forwarding.values()])
    table[table >= len(topology.sources)] = -1
    return table, row


def d_mod_k_table(topology: Topology) -> tuple[NDArray[np.int32], Ints]:
    """Compute forwarding tables for a tree that has none, by the rule D-mod-k.

    Upwards, a switch uses, of its k links, the one with the number of the destination modulo k, so
    that all traffic to one node meets early; downwards there is one path, or several that are
    chosen in the same way. Nodes are numbered leaf by leaf.
    """
    vertices = len(topology.vertices)
    switches = np.flatnonzero(topology.is_switch)
    nodes = np.flatnonzero(~topology.is_switch & (topology.switch_of >= 0))
    number = np.zeros(vertices, np.int64)
    number[nodes[np.lexsort((nodes, topology.switch_of[nodes]))]] = np.arange(len(nodes))
    row = np.full(vertices, -1, np.int64)
    row[switches] = np.arange(len(switches))
    table = np.full((len(switches), vertices), -1, np.int32)
    below = np.zeros((len(switches), vertices), bool)  # nodes that are reached downwards
    levels = topology.levels
    climb = levels[topology.targets] - levels[topology.sources]
    between = topology.is_switch[topology.sources] & topology.is_switch[topology.targets]
    up = Lists.of(np.where(between & (climb > 0), topology.sources, -1), vertices)
    down = Lists.of(np.where(between & (climb < 0), topology.sources, -1), vertices)
    order = switches[np.argsort(levels[switches], kind="stable")]
    below[row[topology.switch_of[nodes]], nodes] = True
    climbing, falling = _divisors(levels, switches, up)
    for switch in order:
        links = down.expand(np.array([switch]))[1]
        if len(links):
            _choose(
                table[row[switch]],
                links,
                below[row[topology.targets[links]]],
                number // falling[switch],
            )
            below[row[switch]] |= below[row[topology.targets[links]]].any(axis=0)
    reached = below.copy()  # upwards, then downwards
    for switch in order[::-1]:
        links = up.expand(np.array([switch]))[1]
        if len(links):
            beyond = reached[row[topology.targets[links]]] & ~below[row[switch]]
            _choose(table[row[switch]], links, beyond, number // climbing[switch])
            reached[row[switch]] |= beyond.any(axis=0)
    return table, row


def _divisors(levels: Ints, switches: Ints, up: Lists) -> tuple[Ints, Ints]:
    """Return the divisors of a node's number by which switches choose links up and down.

    Upwards, the divisor is the product of the numbers of uplinks of all levels below the switch.
    Downwards, it is the upward divisor of two levels below, so that the path down uses the same
    switches as the paths up.
    """
    climbing, falling = np.ones((2, len(levels)), np.int64)
    products = [1, 1]
    for level in np.unique(levels[switches]):
        here = switches[levels[switches] == level]
        climbing[here], falling[here] = products[-1], products[-3:][0]
        products.append(products[-1] * max(1, int(up.length(here).max())))
    return climbing, falling


def _choose(line: NDArray[np.int32], links: Ints, able: NDArray[np.bool_], turn: Ints) -> None:
    """Enter one link for each target without one: of those that lead to it, number `turn`."""
    count = able.sum(axis=0)
    goals = np.flatnonzero((count > 0) & (line < 0))
    wanted = turn[goals] % count[goals]
    rank = np.cumsum(able[:, goals], axis=0) - 1
    chosen = np.argmax(able[:, goals] & (rank == wanted), axis=0)
    line[goals] = links[chosen]


# Shortest paths


class Shortest:
    """Rule of shortest paths: at each switch, traffic is divided evenly among all shortest paths.

    A target is a set of switches: one switch, or all of a group. In a dragonfly, traffic takes one
    global link only, the one into the target's group.
    """

    def __init__(
        self, topology: Topology, goals: Sequence[Ints], groups: Ints | None = None
    ) -> None:
        """Compute all distances.

        Args:
            topology: The fabric.
            goals: Switches of each goal (target).
            groups: In a dragonfly, the group of each goal; None: all links may be taken.
        """
        self._topology, self._groups = topology, groups
        switches = np.flatnonzero(topology.is_switch)
        self._row = np.full(len(topology.vertices), -1, np.int64)
        self._row[switches] = np.arange(len(switches))
        self._lanes = np.maximum(topology.lanes, 1).astype(np.float64)
        between = topology.is_switch[topology.sources] & topology.is_switch[topology.targets]
        self._is_global = np.zeros(len(between), bool)
        if groups is not None:
            mine = topology.groups
            self._is_global = mine[topology.sources] != mine[topology.targets]
        self._of = Lists.of(np.where(between, self._row[topology.sources], -1), len(switches))
        self._hops = np.full((len(switches), len(goals)), _FAR, np.int16)
        near = self._adjacent(between & ~self._is_global, len(switches))
        far = self._adjacent(between & self._is_global, len(switches))
        for begin in range(0, len(goals), _GOALS_AT_ONCE):
            part = slice(begin, begin + _GOALS_AT_ONCE)
            self._spread_out(part, goals[part], switches, near, far)

    def _adjacent(self, chosen: NDArray[np.bool_], count: int) -> csr_array:
        ends = self._topology.sources[chosen], self._topology.targets[chosen]
        ones = np.ones(len(ends[0]), np.float32)
        return csr_array((ones, (self._row[ends[0]], self._row[ends[1]])), shape=(count, count))

    def _spread_out(
        self, part: slice, goals: Sequence[Ints], switches: Ints, near: csr_array, far: csr_array
    ) -> None:
        hops = self._hops[:, part]
        front: Floats = np.zeros(hops.shape, np.float32)
        inside = np.ones(hops.shape, np.float32)
        for column, goal in enumerate(goals):
            front[self._row[goal], column] = 1
        if self._groups is not None:
            inside = self._topology.groups[switches][:, None] == self._groups[part][None, :]
        distance = 0
        while front.any():
            hops[front > 0] = distance
            distance += 1
            front = near @ front
            if far.nnz:
                front = front + far @ ((hops == distance - 1) * inside).astype(np.float32)
            front = ((front > 0) & (hops == _FAR)).astype(np.float32)

    def hops(self, vertices: Ints, goals: Ints) -> Ints:
        """Return the distance of switches to goals; a large number where there is no path."""
        return self._hops[self._row[vertices], goals].astype(np.int64)

    def rule(self, at: Ints, goal: Ints) -> Onward:
        """Return the next links; `goal` holds indices of the given goals."""
        # Many pairs have the same switch and goal: each combination is looked up once.
        key, place = np.unique(at * self._hops.shape[1] + goal, return_inverse=True)
        state, link, share = self._steps(key // self._hops.shape[1], key % self._hops.shape[1])
        inner, step = Lists(
            np.searchsorted(state, np.arange(len(key) + 1)), np.arange(len(state))
        ).expand(place)
        return Onward(inner, link[step], share[step])

    def _steps(self, at: Ints, goal: Ints) -> tuple[Ints, Ints, Floats]:
        state, link = self._of.expand(self._row[at])
        ends = self._topology.targets[link]
        left = self._hops[self._row[ends], goal[state]]
        here = self._hops[self._row[at], goal][state]
        good = (here < _FAR) & (left == here - 1)
        if self._groups is not None:
            into = self._topology.groups[ends] == self._groups[goal[state]]
            good &= into | ~self._is_global[link]
        onward = shared(state[good], link[good], self._lanes[link[good]], len(at))
        return onward.state, onward.link, onward.share
