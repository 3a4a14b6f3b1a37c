"""Finds nodes with a slow link, where all ranks wait but none is late.

A slow link of a node delays the messages of the node's ranks, and those of the ranks that exchange
messages with them, in proportion to the bytes that cross the link. So the communication matrix
predicts for each node by which pattern the ranks' time in point-to-point calls grows if its link is
slow. In each block of slices, the node whose pattern fits best is found. Whether this is mostly the
same node is tested in the same way as for late ranks (late.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jostle.analysis.waits.grid import Grid
from jostle.analysis.waits.late import LatePlaces, block_length, enough, exact_span, late_span
from jostle.values.arrow_columns import Floats, ints

#: Quantile over a rank's own slices that is its usual time in messages.
_USUAL = 0.2
#: Similarity (cosine) of two nodes' patterns from which on they cannot be distinguished.
_ALIKE = 0.98
_FEWEST_NODES, _MOST_LINKS = 3, 4

#: Function that returns how much ranks exchanged with each other, as Repository.rank_peers.
Peers = Callable[[], pa.Table]


@dataclass(frozen=True)
class SlowLink:
    """A span in which the messages of one node took longer.

    Attributes:
        node: Number of the node in the grid.
        first: First slice of the span.
        last: Last slice of the span.
        late: By how much all ranks were delayed in each slice, s; 0 in the spans of the links that
            were found before, (slices,).
        p: Probability of such a span if all nodes are equal.
    """

    node: int
    first: int
    last: int
    late: Floats
    p: float


def traffic_by_node(grid: Grid, ranks: pa.Table, peers: pa.Table) -> Floats:
    """Return how many bytes of each rank's messages cross the link of each node, (ranks, nodes).

    Args:
        grid: Times of the ranks of the world.
        ranks: Rows of the world in RankTables.ranks.
        peers: Bytes that ranks exchanged, from Repository.rank_peers.
    """
    nodes = int(grid.node.max()) + 1
    column = {rank: at for at, rank in enumerate(grid.ranks)}
    rank_of = dict(zip(ranks["process"].to_pylist(), ranks["world_rank"].to_pylist(), strict=True))
    mine = peers.filter(pc.is_in(peers["process"], ranks["process"]))
    crossing = np.zeros((len(grid.ranks), nodes))
    for process, peer, amount in zip(
        ints(mine, "process").tolist(),
        ints(mine, "peer").tolist(),
        ints(mine, "bytes").tolist(),
        strict=True,
    ):
        to = column.get(peer)
        if to is None:
            continue
        at = column[rank_of[process]]
        if grid.node[at] != grid.node[to]:
            crossing[at, grid.node[at]] += amount
            crossing[at, grid.node[to]] += amount
    return crossing


def messages_held_up(grid: Grid) -> Floats:
    """Return by how much all ranks were longer in communication than usual, s, (slices,)."""
    least: Floats = _beyond_usual(grid.communication, grid).min(axis=1)
    return least


def slow_links(
    grid: Grid, crossing: Floats, late: Floats, *, seed: int, alpha: float
) -> Iterator[SlowLink]:
    """Yield the nodes whose messages took longer, each with the span in which they did.

    Args:
        grid: Times of the ranks of the world.
        crossing: Bytes that cross the link of each node, from `traffic_by_node`.
        late: By how much all ranks were delayed, from `messages_held_up`.
        seed: Seed of the random draws.
        alpha: Probability that a node is named although all nodes are equal.
    """
    if crossing.shape[1] < _FEWEST_NODES or not crossing.any():
        return
    excess = _beyond_usual(grid.values["state_p2p"] + grid.values["state_onesided"], grid)
    length = block_length(len(excess))
    whole = np.add.reduceat(excess, np.arange(0, len(excess), length), axis=0)
    for number in range(_MOST_LINKS):
        found = _best_nodes(whole, crossing)
        span = late_span(found, seed + number, 0.0) if enough(found, alpha) else None
        if span is None or span.p > alpha:
            return
        exact = exact_span(late, span.first * length, (span.last + 1) * length - 1)
        if exact is not None:
            yield SlowLink(span.label, *exact, late, span.p)
        # RATIONALE: delays that are explained must leave both: a later span may extend over this
        # one, because blocks without delay cost it nothing.
        whole, late = whole.copy(), late.copy()
        whole[span.first : span.last + 1] = 0.0
        late[span.first * length : (span.last + 1) * length] = 0.0
        if exact is not None:
            late[exact[0] : exact[1] + 1] = 0.0


def _beyond_usual(values: Floats, grid: Grid) -> Floats:
    """Return by how much a time of each rank exceeds the rank's usual one, (slices, ranks).

    0 in slices in which some rank was absent.
    """
    all_there = grid.there.all(axis=1)
    result = np.zeros_like(values)
    if all_there.any():
        usual = np.quantile(values[all_there], _USUAL, axis=0)
        result[all_there] = (values[all_there] - usual).clip(0)
    return result


def _best_nodes(whole: Floats, crossing: Floats) -> LatePlaces:
    """Return the node whose pattern fits the ranks' delays best, in each block.

    Args:
        whole: Delay of each rank in each block, s, (blocks, ranks).
        crossing: Bytes of each rank that cross the link of each node, (ranks, nodes).

    Returns:
        The node, and by how many seconds it fits better than the second-best node.
    """
    centred = crossing - crossing.mean(axis=0)
    size = np.linalg.norm(centred, axis=0)
    distinct = size > 1e-9 * max(float(np.linalg.norm(crossing)), 1e-300)
    unit = np.where(distinct, centred / np.where(distinct, size, 1.0), 0.0)
    alike = unit.T @ unit - 2 * np.eye(unit.shape[1])
    distinct &= alike.max(axis=1) < _ALIKE
    if int(distinct.sum()) < _FEWEST_NODES:
        return LatePlaces(np.full(len(whole), -1), np.zeros(len(whole)), unit.shape[1])
    fits = np.where(distinct, ((whole - whole.mean(axis=1, keepdims=True)) @ unit).clip(0), 0.0)
    best = fits.argmax(axis=1)
    two = np.sort(fits, axis=1)[:, -2:]
    return LatePlaces(best, two[:, 1] - two[:, 0], int(distinct.sum()))
