"""The body of a post: invalid ones are refused before anything is stored."""

from __future__ import annotations

import contextlib
import struct
import zlib

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from receive_node import body, ranged

from jostle.receive.ranges import MOST_BODY, Range, decode, parse
from jostle.receive.refused import RefusedError

NAMES = st.from_regex(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,60}\.js[tspmb]", fullmatch=True)
SENT = st.tuples(
    st.integers(0, 2**64 - 1),
    st.binary(max_size=300),
    st.integers(0, 2**61),
    NAMES,
    st.integers(0, 2**32 - 2),
    st.booleans(),
)


@given(st.lists(SENT, max_size=5))
def test_what_is_sent_is_read(sent: list[tuple[int, bytes, int, str, int, bool]]) -> None:
    raw = [ranged(f, d, o, name=n, owner=u, over=v) for f, d, o, n, u, v in sent]
    got = parse(decode(body(*raw)))
    assert [(r.file, bytes(r.data), r.offset, r.name, r.owner, r.over) for r in got] == sent
    assert all(r.end == r.offset + len(r.data) and not r.gap for r in got)


@given(st.binary(max_size=400))
def test_any_bytes_are_ranges_or_refused(raw: bytes) -> None:
    with contextlib.suppress(RefusedError):
        assert all(isinstance(part, Range) for part in parse(b"jstship1" + raw))


@given(st.binary(max_size=200), st.integers(0, 10_000))
def test_one_wrong_bit_is_refused(data: bytes, bit: int) -> None:
    raw = bytearray(b"jstship1" + ranged(1, data))
    bit %= 8 * len(raw)
    raw[bit // 8] ^= 1 << bit % 8
    with pytest.raises(RefusedError):
        parse(bytes(raw))


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".jst",
        "a",
        "a.txt",
        ".a.jst",
        "../a.jst",
        "a/b.jst",
        "/etc/a.jst",
        "a\0.jst",
        "ä.jst",
        "a.jst\n",
        "a" * 200 + ".jst",
        "a.jst.over",
        "..jst",
        "a b.jst",
    ],
)
def test_names_of_no_profile_are_refused(name: str) -> None:
    with pytest.raises(RefusedError, match="names no file"):
        parse(b"jstship1" + ranged(1, b"x", name=name))


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (ranged(1, b"x", flags=4), "flags"),
        (ranged(1, b"x", gap=True), "gap with data"),
        (ranged(1, b"x", 2**63), "absurd"),
        (ranged(1, b"x", owner=2**32 - 1), "absurd"),
        (ranged(1, bytes((1 << 20) + 1)), "bytes of data"),
        (ranged(1, b"x")[:-1], "cut off"),
        (ranged(1, b"x") + b"\0", "cut off"),
        (b"".join(ranged(n) for n in range(4097)), "more than 4096"),
    ],
)
def test_a_malformed_range_says_why(raw: bytes, why: str) -> None:
    with pytest.raises(RefusedError, match=why):
        parse(b"jstship1" + raw)


def test_a_length_that_overflows_is_refused() -> None:
    rest = struct.pack("<IQQIIHH", 0xFFFFFFFF, 0, 1, 1, 0, 0xFFFF, 0)
    with pytest.raises(RefusedError, match="cut off"):
        parse(b"jstship1" + struct.pack("<I", zlib.crc32(rest)) + rest)


def test_bombs_are_refused_in_bounded_memory() -> None:
    bomb = pa.Codec("zstd").compress(bytes(1 << 30), asbytes=True)
    assert len(bomb) < 200_000
    before = pa.total_allocated_bytes()
    with pytest.raises(RefusedError, match="more than 8 MiB"):
        decode(bomb)
    with pytest.raises(RefusedError, match="more than 8 MiB"):
        decode(body(bytes(MOST_BODY)))
    assert pa.total_allocated_bytes() - before < 64 << 20


@pytest.mark.parametrize(
    "sent",
    [b"", b"jstship1", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", body(ranged(1, b"x" * 99))[:-3]],
)
def test_what_is_no_whole_frame_is_refused(sent: bytes) -> None:
    with pytest.raises(RefusedError, match="zstd"):
        parse(decode(sent))
