"""Profiles that are wrong as a hostile or a broken process may make them, by a seed."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from pathlib import Path

from support import make_profile, make_shorts
from test_segment_tables import make_loop, make_rank

from synth import EPOCH, MPI_FIELDS, File, Profile
from synth_format import record, varint
from synth_random import random_profile, small_mpi, small_shorts

DATA = Path(__file__).parents[1] / "data"
#: Numbers at which something turns.
EDGES = (
    0,
    1,
    2,
    127,
    128,
    255,
    4095,
    4096,
    2**15,
    2**16,
    2**24,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**32,
    2**53,
    2**62,
    2**63 - 1,
    2**63,
    2**64 - 1,
    EPOCH,
    EPOCH + 10**15,
)
#: Numbers of a profile's head (docs/reference/profile-format.md): offset and bytes.
_FIELDS = (
    *((at, 4) for at in range(8, 64, 4)),
    *((at, 8) for at in range(64, 96, 8)),
    *((at, 4) for at in range(96, 128, 4)),
    *((at, 8) for at in range(2048, 2080, 8)),
    *((at, 4) for at in range(2080, 2096, 4)),
    *((at, 8) for at in range(2096, 2112, 8)),
    *((at, 8) for at in range(2112, 2368, 8)),
    (1504, 4),
    (1508, 4),
    (1776, 4),
    (1780, 4),
    (1784, 4),
    *((at, 8 if form == "Q" else 4) for at, form in MPI_FIELDS.values() if form in "IQ"),
)
_NAMES = (144, 208, 336, 592, 720)  # host, job, program, library, command


def seeds(rng: random.Random) -> list[tuple[str, bytes]]:
    """Gives profiles that are in order, from which mutants are made: ending and bytes."""
    made: list[tuple[str, bytes]] = [
        (path.suffix, path.read_bytes())
        for path in sorted((*DATA.glob("*.js[ts]"), *DATA.glob("seeds/*.js[ts]")))
    ]
    number = rng.randrange(1000)
    some = {"job": "evil", "host": "node0"}
    files = [File(name=f"/f{place}", hash=place, opens=place) for place in range(9)]
    profiles = [
        make_profile(number, "evil"),
        make_profile(number, "good", ended=False),
        random_profile(number, **some),
        small_mpi(number, **some),
        make_rank(0, 2, seed=number, job="ranks")[0],
        make_rank(1, 2, seed=number, job="ranks")[0],
        make_loop(0, seed=number, job="loop"),
        Profile(**some, files=files),
    ]
    made += [(".jst", one.encode()) for one in profiles]
    made += [(".jss", one.encode()) for one in (make_shorts("evil", 5), small_shorts())]
    return made


def mutant(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """Makes a profile wrong in one to four ways."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        data = rng.choice(_WAYS)(rng, data, other) or data
    return data


def _flip(rng: random.Random, data: bytes, _: bytes) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 8))):
        out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


def _cut(rng: random.Random, data: bytes, _: bytes) -> bytes:
    return data[: rng.randrange(1, len(data) + 1)]


def _splice(rng: random.Random, data: bytes, other: bytes) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + other[min(at, len(other)) :]


def _repeat(rng: random.Random, data: bytes, other: bytes) -> bytes:
    at, size = rng.randrange(len(data)), rng.randrange(1, 5000)
    begin = rng.randrange(len(other))
    return data[:at] + other[begin : begin + size] + data[at:]


def _field(rng: random.Random, data: bytes, _: bytes) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 3))):
        at, size = rng.choice(_FIELDS)
        if at + size <= len(out):
            number = rng.choice(EDGES) + rng.choice((0, 0, -1, 1))
            out[at : at + size] = (number % 2 ** (8 * size)).to_bytes(size, "little")
    return bytes(out)


def _name(rng: random.Random, data: bytes, _: bytes) -> bytes:
    at = rng.choice(_NAMES)
    text = rng.choice((b"", b"good", b"\xff\xfe", b"a/b", b"x" * 64, b"=1+1", b"\n\x1b[2J", b"@@"))
    return data[:at] + text + b"\0" + data[at + len(text) + 1 :] if len(data) > at + 65 else data


def _commit(rng: random.Random, data: bytes, _: bytes) -> bytes:
    """A cell of the commits or of the blocks: these have no checksum."""
    if len(data) < 8192:
        return data
    head = min(struct.unpack_from("<I", data, 12)[0], len(data) - 8)
    at = rng.randrange(4096, max(head, 4097)) // 8 * 8
    return data[:at] + (rng.choice(EDGES) % 2**64).to_bytes(8, "little") + data[at + 8 :]


def _records(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """Records whose content is wrong and whose sums are right; some twice, some in wrong order."""
    begin, mine = split(data)
    theirs = split(other)[1] or mine
    if not mine:
        return data
    for _ in range(rng.choice((1, 2, 5))):
        at = rng.randrange(len(mine))
        kind, payload = mine[at]
        way = rng.randrange(6)
        if way == 0:
            mine.insert(at, rng.choice(theirs))
        elif way == 1:
            mine.insert(rng.randrange(len(mine)), mine[at])
        elif way == 2:
            del mine[at]
            if not mine:
                return data
        else:
            where = rng.randrange(len(payload) + 1)
            put = (varint(rng.choice(EDGES)), bytes([rng.randrange(256)]), b"")[way - 3]
            mine[at] = (kind, payload[:where] + put + payload[where + rng.randrange(3) :])
    body = b"".join(record(kind, payload) for kind, payload in mine)
    whole = bytearray(begin + body)
    if len(begin) >= 8192 and rng.random() < 0.8:  # the commits say where records end
        size = struct.unpack_from("<I", whole, 44)[0]
        for commit in (4096, 4096 + size):
            if commit + 8 <= len(begin):
                struct.pack_into("<Q", whole, commit, len(whole))
    return bytes(whole)


_WAYS: tuple[Callable[[random.Random, bytes, bytes], bytes], ...] = (
    _flip,
    _cut,
    _splice,
    _repeat,
    _field,
    _field,
    _field,
    _name,
    _commit,
    _records,
    _records,
    _records,
)


def split(data: bytes) -> tuple[bytes, list[tuple[str, bytes]]]:
    """Gives what stands before the records of a file, and these: type and payload."""
    at = 0
    if data.startswith(b"jostle01") and len(data) > 16:
        at = min(struct.unpack_from("<I", data, 12)[0], len(data))
    begin, found = data[:at], []
    while at + 6 <= len(data):
        kind, size, shift, at = chr(data[at]), 0, 0, at + 1
        while at < len(data) and shift < 35:
            size |= (data[at] & 127) << shift
            shift, at = shift + 7, at + 1
            if data[at - 1] < 128:
                break
        if not kind.isascii() or at + size + 4 > len(data):
            break
        found.append((kind, data[at : at + size]))
        at += size + 4
    return begin, found
