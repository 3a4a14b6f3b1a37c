"""Profiles of MPI ranks that grow by random steps, for tests of readers that follow them."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from synth import Profile
from synth_format import record
from synth_gpus import GPU_WORDS, GpuName, Gpus
from synth_segments import Ring, Stream, Token, peers_record, random_segment
from synth_traffic import Name, Traffic, members_record

RING_BYTES = 1 << 14

Moves = Callable[[random.Random], dict[str, Any]]


class GrowingRank:
    """The profile of a rank that runs.

    Args:
        rng: Source of all that is random.
        moves: Returns what a slice holds.
        gpus: Whether the rank uses GPUs.
        first_token: Index of its first token.
        cuts: Whether records may end within an entry. The runtime's do not, and where one that does
            is damaged, a reader cannot know where the next entry begins.
        header: Other fields of Profile.
    """

    def __init__(
        self,
        rng: random.Random,
        moves: Moves,
        *,
        gpus: bool = False,
        first_token: int = 1,
        cuts: bool = True,
        **header: Any,
    ) -> None:
        self.rng, self._moves, self._first_token, self._cuts = rng, moves, first_token, cuts
        self.profile = p = Profile(**header)
        p.mpi = {"mpi_state": 2, "world_size": 4, "world_rank": p.pid % 4, "world": "w1"} | {
            "mpi_init_ns": p.start_ns,
            "mpi_ready_ns": p.start_ns + 1000,
        }
        p.traffic = self.traffic = Traffic(p.first_slice)
        p.gpus = self.gpus = Gpus(p.first_slice, [GpuName(), GpuName("", "2")]) if gpus else None
        self.stream = Stream(p.start_ns)
        self._indices: list[int] = []
        self._text = b""  # all entries of the stream
        self._entries = 0  # those that it has
        self._drained = 0  # bytes of it that are in records
        self._put_ring()

    def grow(self, steps: int) -> None:
        """Add records, and entries in the ring."""
        kinds = {
            self._slices: 6,
            self._traffic: 4,
            self._gpus: 3,
            self._members: 1,
            self._note: 1,
            self._segments: 6,
            self._drain: 3,
            self._peers: 1,
        }
        for kind in self.rng.choices([*kinds], [*kinds.values()], k=steps):
            kind()
        self._put_ring()

    def end(self) -> None:
        """Let the process end in order; ring and tables have something that no record has."""
        self._drain()
        self._peers()
        self._put_ring()
        p, span = self.profile, self.profile._expected - self.traffic.open_slice + 1
        p.set_remainder(self._moves(self.rng))
        p.end_ns = p._expected * p.slice_ns + p.slice_ns // 2
        p.end_reason = 1
        self.traffic.rest(span, self._places(0), self._places(1))

    def image(self) -> bytes:
        """The file as it is now."""
        image = bytearray(self.profile.encode())
        image[8] = 2  # the version from the beginning, not only from the first 'L' record on
        return bytes(image)

    def write(self, path: Path) -> None:
        """Write the present state into the same file, as the runtime does."""
        path.touch(mode=0o600)
        image = self.image()
        with path.open("r+b") as file:
            file.write(image)
            file.truncate()

    # ---- records ----

    def _slices(self) -> None:
        p, rng = self.profile, self.rng
        at = p._expected + rng.choice((0, 0, 0, 1))
        p.add_slice(at, self._moves(rng), rng.choice((1, 1, 1, 2)), like=rng.random() < 0.6)

    def _places(self, kind: int) -> dict[int, tuple[Name, list[int]]]:
        rng, places = self.rng, {}
        for place in range(self.traffic.capacity):
            if rng.random() < 0.3:
                name: Name = rng.choice((place, place, place + 100, -1))
                if kind:
                    name = (place, rng.choice(("MPI_Bcast", "MPI_Barrier")), rng.choice((-1, 4)))
                counts = [rng.randrange(2 ** rng.choice((1, 8, 40))) for _ in range((5, 2)[kind])]
                counts[0] += 1
                places[place] = (name, counts)
        return places

    def _traffic(self) -> None:
        """All that is not yet in a record, up to the present."""
        first, end = self.traffic.open_slice, self.profile._expected
        if end > first:
            changes = self._places(0), self._places(1)
            self.profile.records.append(self.traffic.add(first, end - first, *changes))

    def _gpus(self) -> None:
        gpus, rng = self.gpus, self.rng
        if gpus is not None and self.profile._expected > gpus.open_slice:
            gained = {
                place: {
                    w: rng.randrange(1, 2 ** rng.choice((1, 8, 40)))
                    for w in rng.sample(range(len(GPU_WORDS)), rng.randrange(1, 6))
                }
                for place in range(len(gpus.names))
                if rng.random() < 0.6
            }
            span = self.profile._expected - gpus.open_slice
            self.profile.records.append(gpus.add(gpus.open_slice, span, gained))

    def _members(self) -> None:
        ranks = self.rng.sample(range(99), 4)
        self.profile.records.append(members_record(self.rng.randrange(1, 2**32), ranks))

    def _note(self) -> None:
        now = self.profile._expected * self.profile.slice_ns
        self.profile.add_note(now, f"note {self.rng.randrange(10**6)}")

    # ---- segments ----

    def _segments(self) -> None:
        rng, stream = self.rng, self.stream
        for _ in range(rng.randrange(1, 8)):
            if rng.random() < 0.2:
                # Some indices are given to another call.
                again = self._indices and rng.random() < 0.2
                new = self._first_token + len(self._indices)
                index = rng.choice(self._indices) if again else new
                self._indices.append(index)
                stream.add_token(Token(index, rng.randrange(1, 2**32), "MPI_X", bytes=index))
            stream.add(random_segment(rng, stream, self._indices))
        self._text += b"".join(stream.entries[self._entries :])
        self._entries = len(stream.entries)
        if len(self._text) - self._drained > RING_BYTES // 2:
            self._drain()

    def _drain(self) -> None:
        """Put all of the ring, or a part that may end within an entry, into a record."""
        there = len(self._text) - self._drained
        some = self.rng.choice((there, there, self.rng.randrange(there + 1)))
        if there > RING_BYTES // 2 or not self._cuts:
            some = there
        if some:
            text = self._text[self._drained : self._drained + some]
            self.profile.records.append(record("G", text))
            self._drained += some

    def _peers(self) -> None:
        rng = self.rng
        peers = [[rank, *(rng.randrange(1000) for _ in "1234")] for rank in rng.sample(range(9), 3)]
        self.profile.records.append(peers_record(peers))

    def _put_ring(self) -> None:
        self.profile.ring = Ring(RING_BYTES, self._drained, self._text[self._drained :])
