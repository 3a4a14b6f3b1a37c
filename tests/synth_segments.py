"""Writes execution segments, their tokens, the ring and peers, for the profiles of synth.py.

By docs/reference/profile-format.md alone; no line is shared with the runtime or the decoder.

    s = Stream(EPOCH)
    s.add_token(Token(1, 0xABC, "MPI_Allreduce", 8, 0x1234, "prog"))
    s.add(Segment(50_000_000, "every", token=1, globals=1))
    p = Profile(mpi={"mpi_state": 2, "mpi_init_ns": EPOCH})
    s.into(p, in_records=1)  # the token in a record, the segment in the ring
    s.segments  # what a reader must find
"""

from __future__ import annotations

import random
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from synth_format import ns_code, ns_value, record, string, varint

if TYPE_CHECKING:
    from synth import Profile

U64 = 2**64
RULES = ("every", "coalesced", "epoch", "raw", "final")
BIN_NS = 10_000_000

# Bit in an entry -> (name, coding).
VALUES = {
    1: "sends",
    2: "recvs",
    3: "isends",
    4: "irecvs",
    5: "sendrecvs",
    6: "p2p_bytes",
    7: "p2p_room",
    8: "one_to_all",
    9: "all_to_one",
    10: "all_to_all",
    11: "barriers",
    12: "scans",
    13: "neighbors",
    14: "collective_bytes",
    15: "rma_ops",
    16: "rma_bytes",
    17: "opens",
    18: "closes",
    19: "reads",
    20: "writes",
    21: "read_bytes",
    22: "write_bytes",
    23: "mpiio_ops",
    24: "mpiio_bytes",
    25: "mpi_ns",
    26: "io_ns",
    27: "cpu_ns",
    28: "wait_ns",
    29: "offcpu_ns",
    30: "instructions",
    31: "flops",
}
TIMES = range(25, 30)


# ---- entries ----


@dataclass(frozen=True)
class Token:
    """The call that ended a segment."""

    index: int
    hash: int
    function: str = "MPI_Allreduce"
    bytes: int = 8
    site: int = 0x1000
    module: str = "prog"


@dataclass(frozen=True)
class Segment:
    """A segment; values by the names of VALUES, times in ns; no set: as in the one before."""

    duration_ns: int
    rule: str = "every"
    level: int = 0
    token: int = 0
    globals: int = 0
    sequence_hash: int = 0
    signature_sum: int = 0
    signature_set: int | None = None
    values: Mapping[str, int] = field(default_factory=dict)
    shift: int = 0
    wait_bins: bytes = b""
    offcpu_bins: bytes = b""
    occurrence: int = 0


def entry(kind: str, number: int, payload: bytes) -> bytes:
    return kind.encode() + varint(number) + varint(len(payload)) + payload


def token_payload(t: Token) -> bytes:
    return (
        varint(t.index)
        + struct.pack("<I", t.hash)
        + string(t.function)
        + varint(t.bytes)
        + varint(t.site)
        + string(t.module)
    )


def segment_payload(s: Segment, beyond: Mapping[int, bytes] | None = None) -> bytes:
    """Codes a segment; beyond: bits of a newer format and their bytes."""
    present, body = 0, b""
    if s.signature_set is not None:
        present, body = 1, struct.pack("<Q", s.signature_set)
    for bit, name in VALUES.items():
        if name in s.values:
            n = s.values[name]
            present |= 1 << bit
            body += struct.pack("<H", ns_code(n)) if bit in TIMES else varint(n)
    for bit, bins in ((32, s.wait_bins), (33, s.offcpu_bins)):
        if bins:
            present |= 1 << bit
            body += bytes([s.shift]) + varint(len(bins)) + bins
    if s.occurrence:
        present |= 1 << 34
        body += varint(s.occurrence)
    for bit, raw in (beyond or {}).items():
        present |= 1 << bit
        body += raw
    rule = (RULES.index(s.rule) if s.rule in RULES else int(s.rule)) | s.level << 3
    front = varint(s.duration_ns) + bytes([rule]) + varint(s.token) + varint(s.globals)
    front += struct.pack("<HI", s.sequence_hash, s.signature_sum)
    return front + varint(present) + body


# ---- the stream ----


@dataclass(frozen=True)
class Ring:
    """The ring of a header: its data area is `size` bytes, `content` is [drained, written)."""

    size: int
    drained: int
    content: bytes
    written: int | None = None  # a lie, else drained + len(content)

    def image(self) -> bytes:
        data = bytearray(b"\xee" * self.size)
        for i, byte in enumerate(self.content):
            data[(self.drained + i) % self.size] = byte
        written = self.drained + len(self.content) if self.written is None else self.written
        return struct.pack("<2Q48x", written % U64, self.drained) + bytes(data)


class Stream:
    """Entries under construction."""

    def __init__(self, start_ns: int) -> None:
        self.entries: list[bytes] = []
        self.segments: list[dict[str, Any]] = []  # what a reader must find
        self.tokens: list[dict[str, Any]] = []
        self._end, self._globals, self._set = start_ns, 0, 0
        self._hashes: dict[int, int] = {}

    def add_raw(self, kind: str, payload: bytes) -> None:
        self.entries.append(entry(kind, len(self.entries), payload))

    def add_token(self, t: Token) -> None:
        row = {"number": len(self.entries), "hash": t.hash, "function": t.function}
        self.tokens.append({**row, "bytes": t.bytes, "site": t.site, "module": t.module})
        self._hashes[t.index] = t.hash
        self.add_raw("t", token_payload(t))

    def add(self, s: Segment, beyond: Mapping[int, bytes] | None = None) -> None:
        start, before = self._end, self._globals
        self._end += s.duration_ns
        self._globals += s.globals
        self._set = self._set if s.signature_set is None else s.signature_set
        values = {
            name: ns_value(ns_code(s.values.get(name, 0)))
            if bit in TIMES
            else s.values.get(name, 0)
            for bit, name in VALUES.items()
        }
        self.segments.append(
            {
                "number": len(self.entries),
                "start_ns": start,
                "end_ns": self._end,
                "rule": s.rule if s.rule in RULES else "unknown",
                "level": s.level,
                "token_hash": self._hashes.get(s.token, 0),
                "globals": s.globals,
                "globals_before": before,
                "sequence_hash": s.sequence_hash,
                "occurrence": s.occurrence,
                "signature_sum": s.signature_sum,
                "signature_set": self._set,
                **values,
                "bin_shift": s.shift if s.wait_bins or s.offcpu_bins else 0,
                "wait_bins": s.wait_bins,
                "offcpu_bins": s.offcpu_bins,
            }
        )
        self.add_raw("s", segment_payload(s, beyond))

    def into(
        self, p: Profile, in_records: int, per_record: int = 7, overlap: int = 0, spare: int = 64
    ) -> None:
        """Puts the first entries into 'G' records of a profile, the rest into its ring.

        Args:
            p: The profile.
            in_records: Entries that records hold.
            per_record: Entries in each.
            overlap: So many of them are in the ring too, as after a kill in between.
            spare: Bytes of the ring that are free.
        """
        for i in range(0, in_records, per_record):
            p.records.append(
                record("G", b"".join(self.entries[i : min(i + per_record, in_records)]))
            )
        first = in_records - overlap
        drained = sum(map(len, self.entries[:first]))
        content = b"".join(self.entries[first:])
        p.ring = Ring(len(content) + spare, drained, content)


def peers_record(peers: Sequence[Sequence[int]]) -> bytes:
    """A 'W' record: rank, sent ops, sent bytes, received ops, room of each."""
    return record("W", varint(len(peers)) + b"".join(varint(n) for peer in peers for n in peer))


# ---- random content ----


def random_stream(seed: int, count: int, start_ns: int) -> Stream:
    """A stream of tokens and segments of all kinds, and entries of a newer format."""
    rng = random.Random(seed)
    s = Stream(start_ns)
    indices: list[int] = []
    for _ in range(count):
        if rng.random() < 0.1:
            indices.append(rng.randrange(1, 65_536) if rng.random() < 0.1 else len(indices) + 1)
            s.add_token(
                Token(
                    indices[-1],
                    rng.randrange(1, 2**32),
                    rng.choice(("MPI_Barrier", "MPI_X")),
                    rng.randrange(2**40),
                    rng.randrange(2**30),
                    rng.choice(("prog", "lib\u00e9")),
                )
            )
        if rng.random() < 0.02:
            s.add_raw("z", rng.randbytes(rng.randrange(300)))
        s.add(random_segment(rng, s, indices), {60: b"\x07later"} if rng.random() < 0.05 else None)
    return s


def random_segment(rng: random.Random, s: Stream, indices: Sequence[int]) -> Segment:
    duration = rng.randrange(2 ** rng.choice((10, 20, 26, 30)))
    shift = rng.choice((0, 0, 1, 7))
    width = BIN_NS << shift
    most = (s._end + duration) // width - s._end // width + 1
    bins = [
        rng.randbytes(min(most, rng.randrange(40))) if rng.random() < 0.3 else b"" for _ in "12"
    ]
    values = {
        name: rng.randrange(2 ** rng.choice((1, 7, 14, 30, 41)))
        for name in VALUES.values()
        if rng.random() < 0.3
    }
    return Segment(
        duration,
        rng.choice((*RULES, "6")),
        rng.randrange(32),
        rng.choice(indices) if indices and rng.random() < 0.9 else 0,
        rng.randrange(5),
        rng.randrange(2**16),
        rng.randrange(2**32),
        rng.randrange(2**64) if rng.random() < 0.3 else None,
        values,
        shift,
        bins[0],
        bins[1],
        rng.choice((0, 5, 2**40)),
    )
