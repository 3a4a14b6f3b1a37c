"""Writes partners, collectives and communicators, for the profiles of synth.py.

By docs/reference/profile-format.md alone; no line is shared with the runtime or the decoder.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from synth_format import record, string, svarint, varint

PEER_VALUES = ("sent_ops", "sent_bytes", "recv_ops", "recv_bytes", "recv_room")
#: A rank (-1: all others), or communicator, operation and root (-1: none).
Name = int | tuple[int, str, int]


def members_record(communicator: int, ranks: Sequence[int], *, listed: bool = True) -> bytes:
    """A 'U' record; every rank is a run of its own."""
    payload = varint(communicator) + varint(len(ranks))
    last = 0
    for rank in ranks if listed else ():
        payload += svarint(rank - last) + varint(1)
        last = rank
    return record("U", payload)


@dataclass
class Traffic:
    """The two tables of a process, and the expected result of a reader."""

    first_slice: int
    capacity: int = 8  # of each table
    peers: list[dict[str, Any]] = field(default_factory=list)
    collectives: list[dict[str, Any]] = field(default_factory=list)
    open_slice: int = 0

    def __post_init__(self) -> None:
        self._end = self.first_slice
        self._names: tuple[dict[int, Name], dict[int, Name]] = ({}, {})
        self._words: tuple[dict[int, list[int]], dict[int, list[int]]] = ({}, {})
        self.open_slice = self.first_slice

    def add(
        self, slice_: int, span: int, *changes: Mapping[int, tuple[Name, Sequence[int]]]
    ) -> bytes:
        """A 'T' record: of partners, of collectives, whose a place is and what it gained."""
        payload = svarint(slice_ - self._end) + varint(span)
        for kind, places in enumerate((*changes, {}, {})[:2]):
            before = -1
            for place, (name, gained) in sorted(places.items()):
                named = self._names[kind].get(place) != name
                mask = named | sum(2 << i for i, n in enumerate(gained) if n)
                payload += varint(place - before) + bytes([mask])
                before = place
                if named and isinstance(name, tuple):
                    payload += varint(name[0]) + varint(name[2] + 1) + string(name[1])
                elif named:
                    payload += varint(name + 1)  # type: ignore[operator]
                payload += b"".join(varint(n) for n in gained if n)
                self._names[kind][place] = name
                self._gain(kind, place, gained)
                self._row(kind, name, gained, slice_, span)
            payload += varint(0)
        self._end = self.open_slice = slice_ + span
        return record("T", payload)

    def rest(self, span: int, *changes: Mapping[int, tuple[Name, Sequence[int]]]) -> None:
        """Puts into the header what no record holds; span: of its rows."""
        for kind, places in enumerate(changes):
            for place, (name, gained) in sorted(places.items()):
                self._names[kind][place] = name
                self._gain(kind, place, gained)
                self._row(kind, name, gained, self.open_slice, span)

    def _gain(self, kind: int, place: int, gained: Sequence[int]) -> None:
        words = self._words[kind].setdefault(place, [0] * len(gained))
        for i, n in enumerate(gained):
            words[i] += n

    def _row(self, kind: int, name: Name, gained: Sequence[int], slice_: int, span: int) -> None:
        when = {"slice": slice_, "span": span}
        if isinstance(name, tuple):
            own = dict(zip(("communicator", "operation", "root"), name, strict=True))
            self.collectives.append({**when, **own, "ops": gained[0], "bytes": gained[1]})
        else:
            self.peers.append({**when, "peer": name, **dict(zip(PEER_VALUES, gained, strict=True))})

    def images(self) -> tuple[bytes, bytes]:
        """The two tables, as the header has them."""
        peers, collectives = bytearray(48 * self.capacity), bytearray(64 * self.capacity)
        for place, words in self._words[0].items():
            rank = self._names[0][place]
            struct.pack_into("<6Q", peers, 48 * place, rank + 2, *words)  # type: ignore[operator]
        for place, words in self._words[1].items():
            name = self._names[1][place]
            assert isinstance(name, tuple)
            state = 2 if name[1] else 1
            struct.pack_into(
                "<3I4x2Q32s",
                collectives,
                64 * place,
                state,
                name[0],
                name[2] % 2**32,
                *words,
                name[1].encode(),
            )
        return bytes(peers), bytes(collectives)


def random_traffic(seed: int, first_slice: int, records: int = 6) -> tuple[Traffic, list[bytes]]:
    """Traffic with gaps and spans, places that change hands, and a rest."""
    rng = random.Random(seed)
    traffic = Traffic(first_slice)
    at, out = (
        first_slice,
        [members_record(7, [3, 5, 4]), members_record(9, range(99), listed=False)],
    )

    def some(kind: int) -> dict[int, tuple[Name, list[int]]]:
        places = {}
        for place in range(traffic.capacity):
            if rng.random() < 0.4:
                name: Name = rng.choice((place, place + 100, -1))
                if kind:
                    name = (place, rng.choice(("MPI_Bcast", "MPI_Barrier")), rng.choice((-1, 4)))
                counts = [rng.randrange(2 ** rng.choice((1, 8, 40))) for _ in range((5, 2)[kind])]
                counts[0] += 1
                places[place] = (name, counts)
        return places

    for _ in range(records):
        at += rng.choice((0, 0, 3))
        span = rng.choice((1, 1, 4))
        out.append(traffic.add(at, span, some(0), some(1)))
        at += span
    traffic.rest(1, some(0), some(1))
    return traffic, out
