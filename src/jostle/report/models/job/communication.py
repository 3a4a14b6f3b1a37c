"""The communication matrix of a job: the traffic between its ranks, as a whole or a part of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.placement import FabricMap
from jostle.network import APART
from jostle.network.collectives import algorithm_of, messages
from jostle.report.format.values import natural
from jostle.repository.query.job.rank_pairs import RankPairs
from jostle.topology import Topology
from jostle.values.arrow_columns import ints

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
By = Literal["bytes", "messages", "hops"]
Order = Literal["rank", "node", "switch"]

#: Most pairs that are listed.
_MOST_LISTED = 20
#: Most ranks of a communicator of which all-to-all traffic is stored pair by pair.
_MOST_ALIKE = 1024
#: Most ranks; a damaged profile may have any rank.
_MOST_RANKS = 1 << 17


@dataclass(frozen=True, eq=False)
class Communication:
    """Traffic between the ranks of a job; each pair of ranks occurs once.

    Attributes:
        hosts: Node of each rank; "": not known.
        switches: Switch of each rank's node; "": not known.
        source: Sending rank of each pair.
        target: Receiving rank of each pair.
        bytes: Bytes that each pair sent.
        messages: Number of messages that each pair sent.
        modelled: Part of each pair's bytes that comes from models of collectives, 0 to 1.
        hops: Number of links between the switches of each pair; NaN: not known.
        left_out: Bytes of all-to-all collectives with more pairs than can be stored. They are the
            same for all pairs.
    """

    hosts: tuple[str, ...]
    switches: tuple[str, ...]
    source: Ints
    target: Ints
    bytes: Floats
    messages: Floats
    modelled: Floats
    hops: Floats
    left_out: float

    @property
    def nbytes(self) -> int:
        """Size in memory, bytes."""
        return 6 * self.source.nbytes + 100 * len(self.hosts)

    @cached_property
    def orders(self) -> Mapping[Order, Ints]:
        """The ranks in each order that `window` offers."""
        ranks = range(len(self.hosts))
        keys = [natural(host) for host in self.hosts], [natural(each) for each in self.switches]
        return {
            "rank": np.arange(len(self.hosts)),
            "node": np.array(sorted(ranks, key=lambda rank: (keys[0][rank], rank)), np.int64),
            "switch": np.array(
                sorted(ranks, key=lambda rank: (keys[1][rank], keys[0][rank], rank)), np.int64
            ),
        }

    def window(
        self, by: By, order: Order, begin: int, end: int, size: int
    ) -> tuple[dict[str, Any], Floats]:
        """Return a window (a square part) of the matrix, and a header that describes it.

        Args:
            by: Quantity of a cell: the sum of its pairs' bytes or messages, or the mean hops of
                its messages.
            order: Order of the ranks.
            begin: First index of the window in this order.
            end: Index after the window's last; indices beyond the last rank are left out.
            size: Largest number of cells in a row; if there are more ranks, several share a cell.

        Returns:
            The header and the cells, an array (cells, cells), NaN where no message was sent. The
            header has: ranks, begin, end, each (number of ranks per cell), cells, unit; labels (for
            each cell its first rank, number of ranks, node and switch); pairs (those with most
            traffic in the window); and bytes, messages, modelled and left_out of the whole job.
        """
        begin = min(max(begin, 0), max(len(self.hosts) - 1, 0))
        end = max(min(max(end, begin + 1), len(self.hosts)), begin)
        each = max(-(-(end - begin) // size), 1)
        cells = -(-(end - begin) // each)
        ranks = self.orders[order]
        place = np.zeros(len(ranks), np.int64)
        place[ranks] = np.arange(len(ranks))
        row, column = place[self.source], place[self.target]
        seen = (row >= begin) & (row < end) & (column >= begin) & (column < end)
        cell = (row[seen] - begin) // each * cells + (column[seen] - begin) // each
        weight = self.bytes if by == "bytes" else self.messages
        if by == "hops":
            weight = np.where(np.isfinite(self.hops), np.maximum(self.messages, 1), 0)
        sums = np.bincount(cell, weight[seen], cells * cells)
        values = np.where(sums > 0, sums, np.nan)
        if by == "hops":
            hops = np.where(np.isfinite(self.hops), self.hops, 0) * weight
            values = np.bincount(cell, hops[seen], cells * cells) / values
        header = {
            "ranks": len(ranks),
            "begin": begin,
            "end": end,
            "each": each,
            "cells": cells,
            "unit": {"bytes": "bytes", "messages": "messages", "hops": "hops"}[by],
            "labels": [
                self._label(ranks[at : min(at + each, end)]) for at in range(begin, end, each)
            ],
            "pairs": self._heaviest(by, np.flatnonzero(seen)),
            "bytes": float(self.bytes.sum()),
            "messages": float(self.messages.sum()),
            "modelled": float((self.bytes * self.modelled).sum() / max(self.bytes.sum(), 1)),
            "left_out": self.left_out,
            "has_hops": bool(np.isfinite(self.hops).any()),
            "has_switches": any(self.switches),
        }
        return header, values.reshape(cells, cells)

    def _label(self, ranks: Ints) -> dict[str, Any]:
        first = int(ranks[0])
        return {
            "rank": first,
            "last": int(ranks[-1]),
            "many": len(ranks),
            "host": self.hosts[first],
            "switch": self.switches[first],
        }

    def _heaviest(self, by: By, pairs: Ints) -> list[dict[str, Any]]:
        value = {"bytes": self.bytes, "messages": self.messages, "hops": self.hops}[by][pairs]
        order = np.lexsort((-self.bytes[pairs], -np.where(np.isfinite(value), value, -1)))
        return [
            {
                "source": int(self.source[pair]),
                "target": int(self.target[pair]),
                "source_host": self.hosts[self.source[pair]],
                "target_host": self.hosts[self.target[pair]],
                "bytes": float(self.bytes[pair]),
                "messages": float(self.messages[pair]),
                "hops": float(self.hops[pair]) if np.isfinite(self.hops[pair]) else None,
                "modelled": float(self.modelled[pair]),
            }
            for pair in pairs[order[:_MOST_LISTED]].tolist()
        ]


def communication(found: RankPairs, topology: Topology | None) -> Communication:
    """Return the traffic between the ranks of a job.

    Args:
        found: The messages and collectives of the job's ranks.
        topology: The fabric that the job's nodes are in; None: not known.
    """
    ranks = ints(found.ranks, "rank")
    many = min(int(ranks.max(initial=-1)) + 1, _MOST_RANKS)
    hosts = [""] * many
    for rank, host in zip(ranks.tolist(), found.ranks["host"].to_pylist(), strict=True):
        if rank < many:
            hosts[rank] = host
    expanded, left_out = _collectives(found, many)
    source, target, moved, ops, part = _added_up([_messages(found, many), *expanded], many)
    fabric_map = None if topology is None else FabricMap(topology)
    router = np.array(
        [-1 if fabric_map is None else fabric_map.router_of.get(host, -1) for host in hosts]
    )
    switches = ["" if topology is None or each < 0 else topology.vertices[each] for each in router]
    hops = _hops(fabric_map, router.astype(np.int64), source, target)
    return Communication(
        tuple(hosts), tuple(switches), source, target, moved, ops, part, hops, left_out
    )


#: Source, target, bytes, messages and modelled bytes of pairs.
_Pairs = tuple[Ints, Ints, Floats, Floats, Floats]


def _messages(found: RankPairs, many: int) -> _Pairs:
    """Return the messages between known ranks."""
    source, target = ints(found.pairs, "rank"), ints(found.pairs, "peer")
    known = (source < many) & (target < many)
    moved, ops = (ints(found.pairs, name)[known].astype(float) for name in ("bytes", "ops"))
    return source[known], target[known], moved, ops, np.zeros(int(known.sum()))


def _collectives(found: RankPairs, many: int) -> tuple[list[_Pairs], float]:
    """Return the modelled messages of collectives, and the bytes of collectives left out."""
    pairs, left_out = [], 0.0
    for row in found.collectives.to_pylist():
        members = np.arange(many) if row["communicator"] == 0 else np.array(row["ranks"] or [])
        if len(members) < 2 or members.max() >= many or not row["ops"]:
            continue
        size = row["bytes"] / row["ops"]
        algorithm = algorithm_of(row["operation"], size)
        if algorithm is not None and algorithm.name == "pairwise" and len(members) > _MOST_ALIKE:
            left_out += row["bytes"]
            continue
        root = np.flatnonzero(members == row["root"])
        calls = row["ops"] / len(members)
        sent = messages(row["operation"], len(members), int(root[0]) if len(root) else -1, size)
        moved = sent.bytes * calls
        pairs.append(
            (members[sent.sources], members[sent.targets], moved, sent.messages * calls, moved)
        )
    return pairs, left_out


def _added_up(parts: Sequence[_Pairs], many: int) -> _Pairs:
    """Add up equal pairs; convert their modelled bytes to a share of all bytes, 0 to 1."""
    source, target, *values = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    key = source.astype(np.int64) * max(many, 1) + target.astype(np.int64)
    known, place = np.unique(key, return_inverse=True)
    moved, ops, modelled = (
        np.bincount(place, value, len(known)).astype(np.float64) for value in values
    )
    part = np.divide(modelled, moved, out=np.zeros(len(known)), where=moved > 0)
    return known // max(many, 1), known % max(many, 1), moved, ops, np.asarray(part)


def _hops(fabric_map: FabricMap | None, router: Ints, source: Ints, target: Ints) -> Floats:
    if fabric_map is None:
        return np.full(len(source), np.nan)
    places, number = np.unique(router, return_inverse=True)
    known = places >= 0
    between = np.full((len(places), len(places)), np.nan)
    if known.any():
        apart = fabric_map.apart(places[known]).astype(float)
        between[np.ix_(known, known)] = np.where(apart < APART, apart, np.nan)
    hops: Floats = between[number[source], number[target]]
    return hops
