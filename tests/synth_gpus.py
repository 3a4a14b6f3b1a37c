"""Writes GPUs and their activity, for the profiles of synth.py.

By docs/reference/profile-format.md alone; no line is shared with the runtime or the decoder.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from synth_format import record, svarint, varint

#: What the words of a place are, in their order; five more have no meaning yet.
GPU_WORDS = (
    *(
        f"gpu_{kind}_{what}"
        for kind in ("h2d", "d2h", "d2d", "peer", "set")
        for what in ("ops", "bytes", "ns")
    ),
    "gpu_launch_ops",
    "gpu_graph_ops",
    "gpu_lost_ops",
    "gpu_busy_ns",
)
PLACE_BYTES = 576


@dataclass(frozen=True)
class GpuName:
    """The entry of a GPU."""

    pci: str = "0000:3b:00.0"
    uuid: str = "GPU-1"
    name: str = "Big GPU"
    path: str = "pci0000:3a/0000:3a:01.0/0000:3b:00.0"
    numa: int = 0
    memory_bytes: int = 80_000_000_000

    def image(self, words: Mapping[int, int]) -> bytes:
        """Its place in the header."""
        numbers = [words.get(w, 0) for w in range(24)]
        texts = [text.encode() for text in (self.pci, self.uuid, self.name, self.path)]
        return struct.pack(
            "<I4xQ24s64s64s192s24x24Q", self.numa + 1, self.memory_bytes, *texts, *numbers
        )


@dataclass
class Gpus:
    """The table of a process, and the expected result of a reader."""

    first_slice: int
    names: Sequence[GpuName] = (GpuName(),)
    capacity: int = 4
    rows: list[dict[str, Any]] = field(default_factory=list)
    open_slice: int = 0

    def __post_init__(self) -> None:
        self._end = self.open_slice = self.first_slice
        self._words: dict[int, dict[int, int]] = {}

    def add(self, slice_: int, span: int, gained: Mapping[int, Mapping[int, int]]) -> bytes:
        """A 'D' record: by place, by word, what it gained."""
        payload, before = svarint(slice_ - self._end) + varint(span), -1
        for place, words in sorted(gained.items()):
            payload += varint(place - before) + varint(sum(1 << w for w in words))
            payload += b"".join(varint(n) for _, n in sorted(words.items()))
            before = place
        self._gain(slice_, span, gained)
        self._end = self.open_slice = slice_ + span
        return record("D", payload + varint(0))

    def rest(self, span: int, gained: Mapping[int, Mapping[int, int]]) -> None:
        """Puts into the header what no record holds; span: of its rows."""
        self._gain(self.open_slice, span, gained)

    def _gain(self, slice_: int, span: int, gained: Mapping[int, Mapping[int, int]]) -> None:
        for place, words in sorted(gained.items()):
            held = self._words.setdefault(place, {})
            for w, n in words.items():
                held[w] = held.get(w, 0) + n
            values = {name: words.get(w, 0) for w, name in enumerate(GPU_WORDS)}
            self.rows.append({"slice": slice_, "span": span, "place": place, **values})

    def image(self) -> bytes:
        """The table, as the header has it."""
        places = [name.image(self._words.get(i, {})) for i, name in enumerate(self.names)]
        return b"".join(places).ljust(PLACE_BYTES * self.capacity, b"\0")


def random_gpus(seed: int, first_slice: int, records: int = 6) -> tuple[Gpus, list[bytes]]:
    """Three GPUs with gaps and spans, a word of a later version, and a rest."""
    rng = random.Random(seed)
    names = [GpuName(), GpuName("", "MIG-2", numa=-1, path=""), GpuName("0000:d8:00.0", "", "", "")]
    gpus, at, out = Gpus(first_slice, names), first_slice, []

    def some() -> dict[int, dict[int, int]]:
        words = (*range(len(GPU_WORDS)), 21)
        return {
            place: {
                w: rng.randrange(1, 2 ** rng.choice((1, 8, 50)))
                for w in rng.sample(words, rng.randrange(1, 6))
            }
            for place in range(3)
            if rng.random() < 0.6
        }

    for _ in range(records):
        at += rng.choice((0, 0, 3))
        span = rng.choice((1, 1, 4))
        out.append(gpus.add(at, span, some()))
        at += span
    gpus.rest(1, some())
    return gpus, out
