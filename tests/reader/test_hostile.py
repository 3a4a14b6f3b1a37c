"""Damaged and hostile files: the valid prefix with a warning, or an error that helps."""

from __future__ import annotations

import os
import random
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jostle.reader import (
    Decoded,
    ProfileError,
    ReadRequest,
    ReadResult,
    find_profiles,
    read_header,
    read_profiles,
)
from synth import EPOCH, Profile, Short, Shorts
from synth_format import Bits, Layout, record, schema_layout, svarint, varint
from synth_random import SMALL, flip, random_profile, small_profile, small_shorts

SETTINGS = settings(max_examples=60)


def read_bytes(folder: Path, data: bytes, **request: Any) -> tuple[Decoded, ReadResult]:
    path = folder / "x.jst"
    path.write_bytes(data)
    decoded = read_profiles([ReadRequest(path, 0, **request)])
    return decoded, decoded.results[0]


def rejected(folder: Path, data: bytes) -> ProfileError:
    error = read_bytes(folder, data)[1].error
    assert error is not None
    assert "x.jst" in str(error)
    assert error.hint
    return error


def patched(data: bytes, at: int, form: str, value: int) -> bytes:
    out = bytearray(data)
    struct.pack_into(form, out, at, value)
    return bytes(out)


def test_cut_at_every_byte(tmp_path: Path) -> None:
    path = small_profile(1).write(tmp_path)
    size = path.stat().st_size
    head_bytes = struct.unpack_from("<I", path.read_bytes(), 12)[0]
    request = ReadRequest(path, 0, remainder=False)
    rows = read_profiles([request]).slices
    left = rows.num_rows
    for cut in range(size - 1, head_bytes - 1, -1):
        os.truncate(path, cut)
        decoded = read_profiles([request])
        result = decoded.results[0]
        assert result.error is None
        assert result.warnings
        assert result.records_end <= cut
        assert decoded.slices.equals(rows.slice(0, decoded.slices.num_rows))
        assert left - decoded.slices.num_rows in (0, 1)
        left = decoded.slices.num_rows
    assert left == 0
    for cut in range(head_bytes - 1, -1, -1):
        os.truncate(path, cut)
        with pytest.raises(ProfileError):
            read_header(path)


def test_shorts_cut_at_every_byte(tmp_path: Path) -> None:
    data = small_shorts().encode()
    rows = read_bytes(tmp_path, data)[0].slices
    for size in range(1, len(data)):
        decoded, _ = read_bytes(tmp_path, data[:size])
        assert decoded.slices.equals(rows.slice(0, decoded.slices.num_rows))


@SETTINGS
@given(seed=st.integers(0, 5), bits=st.lists(st.integers(0, 8 * 6700), min_size=1, max_size=4))
def test_flipped_bits(tmp_path: Path, seed: int, bits: list[int]) -> None:
    p = small_profile(seed)
    decoded, result = read_bytes(tmp_path, flip(p.encode(), bits))
    decoded.slices.validate(full=True)
    decoded.mount_slices.validate(full=True)
    assert result.error is None or decoded.slices.num_rows == 0


def test_flipped_bits_in_records_never_show(tmp_path: Path) -> None:
    """Each record is under a checksum: what comes out is a prefix of the truth."""
    p = small_profile(2)
    data = p.encode()
    head_bytes = struct.unpack_from("<I", data, 12)[0]
    rows = read_bytes(tmp_path, data, remainder=False)[0].slices
    rng = random.Random(0)
    for _ in range(300):
        bit = rng.randrange(8 * head_bytes, 8 * len(data))
        decoded, result = read_bytes(tmp_path, flip(data, [bit]), remainder=False)
        assert decoded.slices.equals(rows.slice(0, decoded.slices.num_rows))
        assert len(result.warnings) == 1


def test_a_damaged_record_does_not_cost_the_remainder(tmp_path: Path) -> None:
    p = random_profile(3)
    data = bytearray(p.encode())
    data[-2] ^= 1
    decoded, result = read_bytes(tmp_path, bytes(data))
    assert p.remainder is not None
    assert result.remainder
    assert decoded.slices.to_pylist()[-1]["slice"] == p.remainder.slice
    assert "checksum" in result.warnings[0]


FIELDS = {
    "version": 8,
    "head_bytes": 12,
    "cell_count": 16,
    "block_offset": 20,
    "block_bytes": 24,
    "block_capacity": 28,
    "table_offset": 32,
    "table_bytes": 36,
    "commit_offset": 40,
    "commit_bytes": 44,
    "table_crc": 48,
    "mount_slots": 52,
    "mount_stride": 56,
}


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("value", [0, 1, 2**16, 2**20 + 1, 2**31, 2**32 - 1])
def test_lying_lengths_in_the_header(tmp_path: Path, field: str, value: int) -> None:
    data = small_profile(4).encode()
    if struct.unpack_from("<I", data, FIELDS[field])[0] != value:
        decoded, result = read_bytes(tmp_path, patched(data, FIELDS[field], "<I", value))
        # Blocks that are left out or lie elsewhere cannot be noticed; all else contradicts itself.
        noticed = result.error is not None or result.warnings
        as_well = field == "version" and value == 1  # only 'L' records are new
        assert noticed or as_well or field in ("block_capacity", "block_offset")
        decoded.slices.validate(full=True)


def test_a_newer_version_says_so(tmp_path: Path) -> None:
    error = rejected(tmp_path, patched(small_profile(4).encode(), 8, "<I", 3))
    assert "version" in str(error)
    assert "newer" in error.hint


@pytest.mark.parametrize("records_end", [0, 1, 2**40, 2**64 - 1])
def test_lying_commit(tmp_path: Path, records_end: int) -> None:
    p = small_profile(4, generation=0)
    p.generation = 0
    data = patched(p.encode(), 4096, "<Q", records_end)
    decoded, result = read_bytes(tmp_path, data, remainder=False)
    assert result.error is None
    assert len(result.warnings) == 1
    assert decoded.slices.num_rows == len(p.rows)


def with_record(raw: bytes) -> bytes:
    p = Profile(layout=SMALL, align=8, block_bytes=512)
    p.add_slice(p.first_slice, {"self_calls_ops": 1})
    p.records.append(raw)
    return p.encode()


BITMAP = bytes(1)  # SMALL has 7 groups
SENSELESS = {
    "empty": b"",
    "endless number": b"\xff" * 11,
    "span 0": svarint(0) + varint(0) + BITMAP,
    "span too long": svarint(0) + varint(2**31) + BITMAP,
    "no bitmap": svarint(0) + varint(1),
    "group beyond the cells": svarint(0) + varint(1) + b"\x80\x01\x01",
    "missing values": svarint(0) + varint(1) + b"\x40\xff\x01",
    "cell of no metric": svarint(0) + varint(1) + b"\x40\x80\x01",
    "half a time": svarint(0) + varint(1) + b"\x40\x01\x01",
}


@pytest.mark.parametrize("name", SENSELESS)
def test_records_that_make_no_sense(tmp_path: Path, name: str) -> None:
    decoded, result = read_bytes(tmp_path, with_record(record("S", SENSELESS[name])))
    assert decoded.slices.num_rows == 1
    assert result.records_read == 1
    assert "makes no sense" in result.warnings[0]


# The 'S' record before has moved self_calls_ops alone: by 1.
ONE = svarint(0) + varint(1)
SELF_CALLS = next(m.cell for m in SMALL.metrics if m.id == "self_calls_ops")


def like_bits(*puts: tuple[str, int, int]) -> bytes:
    """Bits of an 'L' record whose first cell is as before."""
    bits = Bits()
    bits.put(1, 1)
    for what, value, against in puts:
        getattr(bits, what)(*((value,) if what == "small" else (value, against)))
    return bits.done()


SENSELESS_LIKES = {
    "empty": b"",
    "no distance": ONE,
    "itself": ONE + varint(0) + like_bits(("small", 0, 0)),
    "before the records": ONE + varint(2**20) + like_bits(("small", 0, 0)),
    "before the file": ONE + varint(2**63) + like_bits(("small", 0, 0)),
    "into a record": ONE + varint(5) + like_bits(("small", 0, 0)),
    "no bits": ONE,
    "longer than a number": like_bits(("put", 0, 1), ("small", 200, 0)),
    "shorter than nothing": b"\x00",
    "endless zeros": bytes(40),
    "more others than cells": like_bits(("small", 10**6, 0), *[("small", 0, 0)] * 200),
    "other beyond the cells": like_bits(("small", 1, 0), ("small", 10**6, 0), ("number", 1, 0)),
    "other of no metric": like_bits(("small", 1, 0), ("small", 55, 0), ("number", 1, 0)),
    "other that is none": like_bits(("small", 1, 0), ("small", SELF_CALLS, 0), ("number", 1, 0)),
    "exponent too large": like_bits(("small", 1, 0), ("small", 48, 0), ("small", 64, 0)),
}


@pytest.mark.parametrize("name", SENSELESS_LIKES)
def test_likes_that_make_no_sense(tmp_path: Path, name: str) -> None:
    p = Profile(layout=SMALL, align=8, block_bytes=512)
    p.add_slice(p.first_slice, {"self_calls_ops": 1})
    payload = SENSELESS_LIKES[name]
    if payload and not payload.startswith(ONE):
        payload = ONE + varint(len(p.records[0])) + payload
    p.records.append(record("L", payload))
    decoded, result = read_bytes(tmp_path, p.encode())
    assert decoded.slices.num_rows == 1
    assert result.records_read == 1
    assert "makes no sense" in result.warnings[0]


def test_a_like_is_based_on_the_newest_slice(tmp_path: Path) -> None:
    """Else a forged file could have each of its records read another one, a megabyte before it."""
    p = Profile(layout=SMALL, align=8, block_bytes=512)
    for n in (1, 2):
        p.add_slice(p.first_slice + n, {"self_calls_ops": n})
    back, good = sum(map(len, p.records)), like_bits(("small", 0, 0))
    p.records.append(record("L", ONE + varint(back) + good))
    assert read_bytes(tmp_path, p.encode())[1].records_read == 2
    p.records[2] = record("L", ONE + varint(len(p.records[1])) + good)
    decoded, result = read_bytes(tmp_path, p.encode())
    assert result.warnings == []
    assert decoded.slices["self_calls_ops"].to_pylist() == [1, 2, 2]


def test_a_like_without_a_slice(tmp_path: Path) -> None:
    p = Profile(layout=SMALL, align=8, block_bytes=512)
    p.add_mount(0)
    p.records.append(record("L", ONE + varint(len(p.records[0])) + like_bits(("small", 0, 0))))
    decoded, result = read_bytes(tmp_path, p.encode())
    assert decoded.slices.num_rows == 0
    assert "makes no sense" in result.warnings[0]


@pytest.mark.parametrize(
    "raw",
    [
        b"S" + varint(2**63) + b"abc",
        b"S" + varint(2**20 + 1) + bytes(2**20 + 5),
        b"S" + b"\xff" * 20,
        b"M" + varint(50) + b"short",
    ],
)
def test_lying_record_lengths(tmp_path: Path, raw: bytes) -> None:
    decoded, result = read_bytes(tmp_path, with_record(raw))
    assert decoded.slices.num_rows == 1
    assert len(result.warnings) == 1


def test_lying_strings(tmp_path: Path) -> None:
    for kind, numbers in (("M", 5), ("N", 1)):
        payload = b"\x01" * numbers + varint(2**62) + b"abc"
        _, result = read_bytes(tmp_path, with_record(record(kind, payload)))
        assert "makes no sense" in result.warnings[0]


def test_unknown_records_are_passed_over(tmp_path: Path) -> None:
    p = Profile(layout=SMALL, align=8, block_bytes=512)
    p.records.append(record("Z", b"of the future"))
    p.add_slice(p.first_slice, {"self_calls_ops": 1})
    decoded, result = read_bytes(tmp_path, p.encode())
    assert (decoded.slices.num_rows, result.warnings) == (1, [])


TABLES = {
    "few words": b"posix_read_bytes counter bytes\n",
    "many words": b"a counter ops process 1 1 1\n",
    "cell outside": b"a counter ops process 56 1\n",
    "two in one": b"a counter ops process 1 1\nb counter ops process 1 1\n",
    "twice": b"self_calls_ops counter ops process 1 1\nself_calls_ops counter ops process 2 1\n",
    "outside the slot": b"a counter ops mount 2 1\n",
    "many cells": b"a histogram ops process 40 999999\n",
    "negative": b"a counter ops process -1 1\n",
    "huge": b"a counter ops process 18446744073709551616 1\n",
    "nul": b"a counter ops process 1 1\n\0",
}


class RawTable(Layout):
    """A layout whose text is false."""

    raw = b""

    @property
    def text(self) -> bytes:
        return self.raw


@pytest.mark.parametrize("name", TABLES)
def test_lying_tables(tmp_path: Path, name: str) -> None:
    layout = RawTable(SMALL.metrics, SMALL.cell_count, SMALL.slots, SMALL.stride)
    object.__setattr__(layout, "raw", TABLES[name])
    error = rejected(tmp_path, Profile(layout=layout, align=8).encode())
    assert "table" in str(error) or "metric" in str(error)


def test_a_wrong_table_checksum(tmp_path: Path) -> None:
    assert "checksum" in str(rejected(tmp_path, patched(small_profile(1).encode(), 48, "<I", 7)))


def test_many_notes_are_bounded(tmp_path: Path) -> None:
    p = Profile(layout=SMALL, align=8, block_bytes=512)
    for _ in range(12_000):
        p.add_note(EPOCH, "x")
    p.add_slice(p.first_slice, {"self_calls_ops": 1})
    decoded, result = read_bytes(tmp_path, p.encode())
    assert decoded.slices.num_rows == 1
    assert len(result.warnings) == 1
    assert result.header is not None
    assert len(result.header.notes) == 10_000  # type: ignore[union-attr]


def test_a_huge_hole_takes_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "hole.jst"
    path.write_bytes(small_profile(1).encode())
    os.truncate(path, 2**40)
    assert read_profiles([ReadRequest(path, 0)]).results[0].error is None
    shorts = small_shorts().write(tmp_path)
    os.truncate(shorts, 2**28)
    result = read_profiles([ReadRequest(shorts, 0)]).results[0]
    assert result.short_processes[1] == 4
    assert result.warnings


def test_counters_behind_their_commit(tmp_path: Path) -> None:
    p = Profile(blocks_used=0)
    p.add_slice(p.first_slice, {"self_calls_ops": 5})
    p.set_remainder({"stream_read_ops": 1})
    decoded, result = read_bytes(tmp_path, p.encode())
    assert decoded.slices.num_rows == 1
    assert "behind" in result.warnings[0]


# ---- shorts files ----


def test_a_torn_short_costs_itself_alone(tmp_path: Path) -> None:
    s = small_shorts()
    s.records.insert(3, s.records[2][:-9])
    decoded, result = read_bytes(tmp_path, s.encode())
    assert [p.pid for p in decoded.short_processes] == [100, 101, 102, 103]
    assert "torn" in result.warnings[0]


def test_without_a_header_nothing_is_lost_yet(tmp_path: Path) -> None:
    s = Shorts()
    s.add(Short())
    error = rejected(tmp_path, s.encode())
    assert "header" in str(error)
    result = read_bytes(tmp_path, s.encode())[1]
    assert result.records_read == 0
    s.add_header()
    assert read_bytes(tmp_path, s.encode())[0].slices.num_rows == 1


def test_shorts_of_two_versions(tmp_path: Path) -> None:
    old, new, lost = Shorts(layout=SMALL), Shorts(layout=schema_layout()), Shorts(layout=SMALL)
    old.add_header()
    new.add_header()
    for s in (old, new):
        s.add(Short(values={"self_calls_ops": 1}))
    decoded, result = read_bytes(tmp_path, old.encode() + new.encode())
    assert decoded.slices["self_calls_ops"].to_pylist() == [1, 1]
    lost.add(Short())
    decoded, result = read_bytes(tmp_path, new.encode() + lost.encode())
    assert decoded.slices.num_rows == 1
    assert "another version" in result.warnings[0]


def test_rescue_is_bounded(tmp_path: Path) -> None:
    """A megabyte that looks like beginnings of long records all over."""
    s = small_shorts()
    filler = (b"P" + varint(2**19)) * (2**18)
    _, result = read_bytes(tmp_path, s.encode() + filler)
    assert result.short_processes[1] == 4


# ---- what is no profile ----


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"", "empty"),
        (b"#!/bin/sh\n", "does not begin like"),
        (bytes(5000), "does not begin like"),
        (b"jostle01", "cut short"),
        (b"jostle01" + bytes(4088), "version"),
        (b"Hello, world", "header"),
        (b"P", "header"),
    ],
)
def test_no_profile(tmp_path: Path, data: bytes, word: str) -> None:
    assert word in str(rejected(tmp_path, data))


def test_not_a_file(tmp_path: Path) -> None:
    target = small_profile(1).write(tmp_path)
    link, fifo = tmp_path / "link.jst", tmp_path / "fifo.jst"
    link.symlink_to(target)
    os.mkfifo(fifo)
    words = {link: "symbolic link", fifo: "pipe", tmp_path: "folder", tmp_path / "no": "no such"}
    for path, word in words.items():
        with pytest.raises(ProfileError, match=word) as caught:
            read_header(path)
        assert caught.value.exit_code == 2
        assert caught.value.path == path


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path: Path) -> None:
    path = small_profile(1).write(tmp_path)
    path.chmod(0)
    with pytest.raises(ProfileError, match="permission"):
        read_header(path)


def test_one_bad_file_does_not_stop_the_others(tmp_path: Path) -> None:
    good = small_profile(1).write(tmp_path)
    bad = tmp_path / "bad.jst"
    bad.write_bytes(b"nonsense")
    decoded = read_profiles([ReadRequest(bad, 0), ReadRequest(good, 1), ReadRequest(tmp_path, 2)])
    assert [r.error is None for r in decoded.results] == [False, True, False]
    assert set(decoded.slices["process"].to_pylist()) == {1}


def test_find_profiles(tmp_path: Path) -> None:
    good = small_profile(1).write(tmp_path)
    (tmp_path / "note.txt").touch()
    (tmp_path / "link.jst").symlink_to(good)
    (tmp_path / "folder.jst").mkdir()
    shorts = small_shorts().write(tmp_path)
    assert find_profiles([tmp_path]) == sorted([good, shorts])
    assert find_profiles([good, tmp_path]) == sorted([good, shorts])
    with pytest.raises(ProfileError, match="no such"):
        find_profiles([tmp_path / "nowhere"])
