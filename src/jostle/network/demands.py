"""Builds matrices of the traffic between hosts: all kinds of traffic, with collectives expanded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from jostle.network.axis import on_axis, portions
from jostle.network.collectives import Algorithm, Messages, algorithm_of, between_hosts, even
from jostle.values.arrow_columns import ints
from jostle.values.traffic import Traffic

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

#: Rows of a table that become a matrix at once; bounds memory.
_ROWS_AT_ONCE = 1 << 24
#: Up to so many possible pairs of hosts, a table of them all is faster than sorting.
_MOST_KEYS = 1 << 27


class Names:
    """Numbers that represent names, from 0 in the order in which names first occurred."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def numbers(self, names: Sequence[str | None]) -> Ints:
        """Return the numbers of names; null is ""."""
        return np.array(
            [self.known.setdefault(name or "", len(self.known)) for name in names], np.int64
        )

    def column(self, table: pa.Table, name: str) -> Ints:
        """Return a column of names as numbers."""
        encoded = table[name]
        if not pa.types.is_dictionary(encoded.type):
            encoded = encoded.dictionary_encode()
        encoded = encoded.unify_dictionaries().combine_chunks()
        if isinstance(encoded, pa.ChunkedArray):  # a table without rows
            return np.zeros(0, np.int64)
        codes = self.numbers(encoded.dictionary.to_pylist())
        places = encoded.indices.fill_null(0).to_numpy(zero_copy_only=False)
        return codes[places] if len(codes) else np.zeros(len(places), np.int64)


@dataclass(frozen=True, eq=False)
class Demand:
    """One kind of traffic: rows of bytes, each divided among pairs of hosts in a fixed pattern.

    Attributes:
        kind: Kind of the traffic: "pairs", "collectives" or "spread".
        table: Rows of the traffic, with job, slice, slice_ns, span and bytes.
        job: Number of the job of each row.
        pattern: Index of each row's pattern.
        patterns: Part of a row's bytes between each pair of hosts, shape (patterns, pairs); the sum
            is above 1 where a collective sends more bytes than the metrics count for it.
        nowhere: Whether the partners of each pattern are not known.
    """

    kind: str
    table: pa.Table
    job: Ints
    pattern: Ints
    patterns: csr_array
    nowhere: NDArray[np.bool_]

    def moved(self, axis: tuple[int, int, int], jobs: int) -> Iterator[csr_array]:
        """Yield matrices of bytes whose sum is all of this traffic.

        The row of a job's slice is job * slices + slice; columns are patterns.
        """
        shape = (jobs * axis[2], self.patterns.shape[0])
        for part in portions(self.table, axis, _ROWS_AT_ONCE):
            table = self.table.slice(part.start, part.stop - part.start)
            row, at, share = on_axis(table, axis)
            values = ints(table, "bytes").astype(np.float32)[row] * share.astype(np.float32)
            place = (self.job[part][row] * axis[2] + at).astype(np.int32)
            matrix = coo_array((values, (place, self.pattern[part][row].astype(np.int32))), shape)
            # Products need no sorted or unique entries; making them takes longer than the rest.
            matrix.has_canonical_format = True
            yield matrix.tocsr()


@dataclass(frozen=True, eq=False)
class Demands:
    """All traffic of jobs.

    Attributes:
        jobs: Names of the jobs.
        hosts: Names of the hosts.
        sources: Source host of each pair.
        targets: Target host of each pair.
        parts: The traffic by kind; the patterns of each part have a column per pair.
    """

    jobs: list[str]
    hosts: list[str]
    sources: Ints
    targets: Ints
    parts: list[Demand]


@dataclass(frozen=True, eq=False)
class _Pattern:
    """Draft of a demand's patterns: hosts stand for pairs, which are not all known yet.

    Each entry of `row`, `source`, `target` and `part` is the part of a pattern's bytes between two
    hosts; `row` is the number of the pattern.
    """

    row: Ints
    source: Ints
    target: Ints
    part: Floats
    count: int
    nowhere: NDArray[np.bool_]


def demands_of(traffic: Traffic) -> Demands:
    """Return all traffic between hosts as matrices."""
    jobs, hosts = Names(), Names()
    groups = [hosts.numbers(group) for group in traffic.groups]
    drafts = [
        ("pairs", traffic.pairs, *_pairs(traffic.pairs, hosts)),
        ("collectives", traffic.collectives, *_collectives(traffic.collectives, groups)),
        ("spread", traffic.spread, *_spread(traffic.spread, groups, hosts)),
    ]
    job = [jobs.column(table, "job") for _, table, _, _ in drafts]
    names = list(hosts.known)
    width = max(len(names), 1)
    keys = [draft.source * width + draft.target for _, _, _, draft in drafts]
    known, place = np.unique(np.concatenate(keys), return_inverse=True)
    column = np.split(place, np.cumsum([len(key) for key in keys])[:-1])
    return Demands(
        list(jobs.known),
        names,
        known // width,
        known % width,
        [
            Demand(
                kind,
                table,
                job[k],
                pattern,
                csr_array(
                    (draft.part.astype(np.float32), (draft.row, column[k])),
                    shape=(draft.count, len(known)),
                ),
                draft.nowhere,
            )
            for k, (kind, table, pattern, draft) in enumerate(drafts)
        ],
    )


def _pairs(table: pa.Table, hosts: Names) -> tuple[Ints, _Pattern]:
    source, target = hosts.column(table, "source"), hosts.column(table, "target")
    width = max(len(hosts.known), 1)
    known, pattern = _distinct(source * width + target, width * width)
    count = len(known)
    return pattern, _Pattern(
        np.arange(count),
        known // width,
        known % width,
        np.ones(count),
        count,
        np.zeros(count, bool),
    )


def _distinct(keys: Ints, below: int) -> tuple[Ints, Ints]:
    """Return the distinct keys in order, and the index of each key among them."""
    if below > _MOST_KEYS:
        known, place = np.unique(keys, return_inverse=True)
        return known, place
    seen = np.zeros(below, bool)
    seen[keys] = True
    known = np.flatnonzero(seen)
    places = np.zeros(below, np.int32)
    places[known] = np.arange(len(known))
    return known.astype(np.int64), places[keys].astype(np.int64)


def _collectives(table: pa.Table, groups: Sequence[Ints]) -> tuple[Ints, _Pattern]:
    """Return each row's pattern, and the patterns: one for each group, root and algorithm."""
    names = Names()
    operation = names.column(table, "operation")
    group, root = ints(table, "group"), ints(table, "root")
    calls, moved = ints(table, "ops"), ints(table, "bytes")
    size = moved / np.maximum(calls, 1)
    numbers: dict[tuple[int, int, Algorithm | None], int] = {}
    made: list[Messages] = []
    keys = np.stack([operation, group, root], axis=1).reshape(-1, 3)
    kinds, kind = np.unique(keys, axis=0, return_inverse=True)
    pattern = np.zeros(table.num_rows, np.int64)
    words = list(names.known)
    for number, (which, members, begin) in enumerate(kinds.tolist()):
        rows = np.flatnonzero(kind.ravel() == number)
        left = np.ones(len(rows), bool)
        while left.any():
            algorithm = algorithm_of(words[which], float(size[rows[left]].min()))
            small = left & (size[rows] <= (algorithm.below if algorithm else np.inf))
            key = (members, begin, algorithm)
            if key not in numbers:
                numbers[key] = len(made)
                nothing = Messages(*(np.zeros(0, np.int64),) * 2, *(np.zeros(0),) * 2)
                made.append(
                    between_hosts(algorithm, groups[members], begin) if algorithm else nothing
                )
            pattern[rows[small]] = numbers[key]
            left &= ~small
    nowhere = np.zeros(len(made), bool)
    for (members, _, algorithm), number in numbers.items():
        nowhere[number] = not len(groups[members]) or algorithm is None
    return pattern, _drafted(made, nowhere)


def _spread(table: pa.Table, groups: Sequence[Ints], hosts: Names) -> tuple[Ints, _Pattern]:
    """Return each row's pattern, and the patterns: one for each host that sent.

    The host sends equal parts to all other hosts of its group; in a large group, to some of them.
    """
    group, host = ints(table, "group"), hosts.column(table, "host")
    width = max(len(hosts.known), 1)
    known, pattern = np.unique(group * width + host, return_inverse=True)
    made = []
    partners = {}
    for number in np.unique(group).tolist():
        members = np.unique(groups[number])
        source, target, part = even(np.ones(len(members), np.int64))
        order = np.argsort(source, kind="stable")
        source = members[source[order]]
        partners[number] = source, members[target[order]], part[order]
    for key in known.tolist():
        source, target, part = partners[key // width]
        mine = slice(*np.searchsorted(source, [key % width, key % width + 1]))
        made.append(Messages(source[mine], target[mine], part[mine], part[mine]))
    return pattern, _drafted(made, np.array([not len(each.sources) for each in made], bool))


def _drafted(made: Sequence[Messages], nowhere: NDArray[np.bool_]) -> _Pattern:
    empty = [np.zeros(0, np.int64)]
    return _Pattern(
        np.repeat(np.arange(len(made)), [len(each.sources) for each in made]),
        np.concatenate([each.sources for each in made] or empty),
        np.concatenate([each.targets for each in made] or empty),
        np.concatenate([each.bytes for each in made] or [np.zeros(0)]),
        len(made),
        nowhere,
    )
