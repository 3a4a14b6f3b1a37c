"""Follows the routes of many pairs of vertices at once, one link per step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Onward:
    """The links that traffic takes next.

    Attributes:
        state: State that each step continues, ascending.
        link: Link of each step.
        share: Part of the state's traffic that takes the link; the shares of a state add up to 1.
    """

    state: Ints
    link: Ints
    share: Floats


#: Returns the next links of traffic at a vertex towards a goal; a state without one does not
#: arrive.
Rule = Callable[[Ints, Ints], Onward]


@dataclass(frozen=True, eq=False)
class Lists:
    """Many short lists in one array: list k is `items[starts[k]:starts[k + 1]]`."""

    starts: Ints
    items: Ints

    @classmethod
    def of(cls, keys: Ints, count: int) -> Lists:
        """Make `count` lists; list k has the indices of the `keys` that are k."""
        order = np.argsort(keys, kind="stable")
        return cls(np.searchsorted(keys[order], np.arange(count + 1)), order)

    def length(self, lists: Ints) -> Ints:
        """Return the number of items of some lists."""
        return np.asarray(self.starts[lists + 1] - self.starts[lists], np.int64)

    def expand(self, lists: Ints) -> tuple[Ints, Ints]:
        """Return all items of some lists, and for each the index in `lists` of its list."""
        count = self.length(lists)
        place = np.repeat(np.arange(len(lists)), count)
        inner = np.arange(len(place)) - np.repeat(np.cumsum(count) - count, count)
        return place, self.items[self.starts[lists][place] + inner]


def shared(state: Ints, link: Ints, weight: NDArray[np.float64], states: int) -> Onward:
    """Divide each state's traffic among its links by their weights."""
    total = np.bincount(state, weight, states)
    return Onward(state, link, (weight / total[state]).astype(np.float32))


@dataclass(frozen=True, eq=False)
class Walked:
    """The result of following traffic to its goals.

    Attributes:
        links: Part of each pair's traffic on each link, shape (pairs, links).
        ends: Part of each pair's traffic that reached its goal at each vertex, shape (pairs,
            vertices).
        arrived: Whether all traffic of each pair arrived.
    """

    links: csr_array
    ends: csr_array
    arrived: Flags


def walk(
    at: Ints,
    goal: Ints,
    rule: Rule,
    is_there: Callable[[Ints, Ints], Flags],
    targets: Ints,
    vertices: int,
    most_hops: int,
) -> Walked:
    """Follow pairs from their vertices to their goals.

    Args:
        at: Vertex where each pair begins.
        goal: Target of each pair, in the form that the rule uses.
        rule: Function that returns the next links.
        is_there: Function that returns whether traffic at some vertices has reached its goals.
        targets: Vertex where each link ends.
        vertices: Number of vertices.
        most_hops: Number of steps after which traffic counts as not arriving, since tables may have
            loops.
    """
    pairs = len(at)
    pair, weight = np.arange(pairs), np.ones(pairs, np.float32)
    steps: list[tuple[Ints, Ints, Floats]] = []
    ends: list[tuple[Ints, Ints, Floats]] = []
    arrived = np.ones(pairs, bool)
    for _ in range(most_hops + 1):
        there = is_there(at, goal[pair])
        ends.append((pair[there], at[there], weight[there]))
        pair, at, weight = pair[~there], at[~there], weight[~there]
        if not len(pair):
            break
        onward = rule(at, goal[pair])
        stuck = np.ones(len(pair), bool)
        stuck[onward.state] = False
        arrived[pair[stuck]] = False
        weight = weight[onward.state] * onward.share
        pair, at = pair[onward.state], targets[onward.link]
        steps.append((pair, onward.link, weight))
        pair, at, weight = _merged(pair, at, weight, vertices)
    arrived[pair] = False
    return Walked(
        _matrix(steps, arrived, (pairs, len(targets))),
        _matrix(ends, arrived, (pairs, vertices)),
        arrived,
    )


def _merged(pair: Ints, at: Ints, weight: Floats, vertices: int) -> tuple[Ints, Ints, Floats]:
    """Add up the parts of a pair's traffic that came to the same vertex on different paths."""
    key = pair * vertices + at
    if not len(key) or bool((np.diff(key) > 0).all()):
        return pair, at, weight
    known, place = np.unique(key, return_inverse=True)
    total = np.bincount(place, weight).astype(np.float32)
    return known // vertices, known % vertices, total


def _matrix(
    steps: list[tuple[Ints, Ints, Floats]], arrived: Flags, shape: tuple[int, int]
) -> csr_array:
    """Return the sum of all steps of the pairs that arrived."""
    if not steps:
        return csr_array(shape, dtype=np.float32)
    rows, columns, values = (np.concatenate(part) for part in zip(*steps, strict=True))
    keep = arrived[rows]
    return csr_array((values[keep], (rows[keep], columns[keep])), shape=shape, dtype=np.float32)
