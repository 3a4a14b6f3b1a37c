"""Profiles of MPI ranks that grow: reading by steps gives what reading at once gives."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jostle.reader import (
    Bookmark,
    Decoded,
    ProfileHeader,
    ReadRequest,
    SegmentResult,
    read_profiles,
    read_segments,
)
from synth_growing import GrowingRank
from synth_random import SMALL

SLICES = ("slices", "mount_slices", "peer_slices", "collective_slices", "communicators")
SLICES += ("gpu_slices",)
SEGMENTS = ("segments", "tokens")
FEW = {"layout": SMALL, "align": 8, "block_bytes": 512, "block_capacity": 2}


def moves(rng: random.Random) -> dict[str, Any]:
    return {
        "os_rss_bytes": rng.randrange(1, 10**6),
        "self_calls_ops": rng.randrange(1, 1000),
        "posix_read_bytes": {rng.randrange(2): rng.randrange(1, 10**6)},
    }


def rank(seed: int, **header: Any) -> GrowingRank:
    """A rank; some use GPUs."""
    rng = random.Random(seed)
    return GrowingRank(rng, moves, gpus=rng.random() < 0.5, **{**FEW, **header})


class Reader:
    """Reads a file again and again, and collects what is new."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.found: dict[str, list[pa.Table]] = defaultdict(list)
        self.record = self.entry = 0
        self.bookmark: Bookmark | None = None
        self.state = b""
        self.warnings: list[str] = []

    def read(self, *, remainder: bool = False, most: int = 10**6) -> None:
        """Read what is new; most: rows in one go."""
        while not self._slices(remainder=remainder, most=most):
            pass
        while not self._segments(max(most, 8)):  # peers are among the rows
            pass

    def _slices(self, *, remainder: bool, most: int) -> bool:
        request = ReadRequest(self.path, 3, self.record, remainder, bookmark=self.bookmark)
        decoded = read_profiles([request], most)
        (result,) = decoded.results
        assert result.error is None
        for name in SLICES:
            table = getattr(decoded, name)
            table.validate(full=True)
            self.found[name].append(table)
        self.record, self.bookmark = result.records_read, result.bookmark
        self.warnings += result.warnings
        return result.complete

    def _segments(self, most: int) -> bool:
        request = ReadRequest(self.path, 3, first_number=self.entry, stream_state=self.state)
        result = read_segments([request], most)
        (one,) = result.results
        assert one.error is None
        for name in SEGMENTS:
            table = getattr(result, name)
            table.validate(full=True)
            self.found[name].append(table)
        self.found["peers"] = [result.peers]
        self.entry, self.state = one.next_number, one.state
        self.warnings += one.warnings
        return one.complete

    def same_as(self, decoded: Decoded, segments: SegmentResult) -> None:
        """Check that all rows are those of a reading of the whole file."""
        for name in (*SLICES, *SEGMENTS, "peers"):
            whole = getattr(decoded if name in SLICES else segments, name)
            assert pa.concat_tables(self.found[name]).to_pylist() == whole.to_pylist(), name


def whole(path: Path) -> tuple[Decoded, SegmentResult]:
    decoded, segments = read_profiles([ReadRequest(path, 3)]), read_segments([ReadRequest(path, 3)])
    assert decoded.results[0].warnings == segments.results[0].warnings == []
    return decoded, segments


def segments_expected(ranks: GrowingRank, segments: SegmentResult) -> None:
    found = segments.segments.drop_columns(["process"]).to_pylist()
    assert found == ranks.stream.segments
    assert segments.tokens.drop_columns(["process"]).to_pylist() == ranks.stream.tokens


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32))
def test_reading_by_steps_gives_what_reading_at_once_gives(tmp_path: Path, seed: int) -> None:
    mine, path = rank(seed), tmp_path / "x.jst"
    reader, rng = Reader(path), random.Random(seed)
    for _ in range(rng.randrange(2, 8)):
        mine.grow(rng.randrange(12))
        mine.write(path)
        reader.read(most=rng.choice((1, 3, 20, 10**6, 10**6)))
    mine.end()
    mine.write(path)
    reader.read(remainder=True, most=10**6)
    assert reader.warnings == []
    decoded, segments = whole(path)
    segments_expected(mine, segments)
    assert decoded.peer_slices.drop_columns(["process"]).to_pylist() == mine.traffic.peers
    reader.same_as(decoded, segments)


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32))
def test_damage_passes(tmp_path: Path, seed: int) -> None:
    """A record that is damaged for some time, or not yet complete: its rows come later, once."""
    mine, path = rank(seed, cuts=False), tmp_path / "x.jst"
    reader, rng = Reader(path), random.Random(seed)
    for _ in range(6):
        before = len(mine.image())
        mine.grow(rng.randrange(1, 9))
        mine.write(path)
        size = path.stat().st_size
        damage = rng.choice(("none", "flip", "cut"))
        if damage == "flip" and size > before:
            with path.open("r+b") as file:
                at = rng.randrange(before, size)
                file.seek(at)
                file.write(bytes([mine.image()[at] ^ 0x10]))
        elif damage == "cut" and size > before:
            with path.open("r+b") as file:
                file.truncate(rng.randrange(before, size))
        reader.read()
    mine.end()
    mine.write(path)
    reader.read(remainder=True)
    reader.same_as(*whole(path))


@pytest.mark.parametrize("seed", range(8))
def test_what_lies_before_the_place_is_not_looked_at(tmp_path: Path, seed: int) -> None:
    """The cost of a file is that of its new part, however long it is."""
    mine, path = rank(seed), tmp_path / "x.jst"
    mine._slices()
    mine.grow(60)
    mine.write(path)
    reader = Reader(path)
    reader.read()
    assert reader.bookmark is not None
    assert reader.bookmark.state
    assert reader.state
    mine.grow(20)
    mine.write(path)
    with path.open("r+b") as file:
        file.seek(len(mine.image()) - sum(map(len, mine.profile.records)))
        file.write(b"\xff")  # the first record is no more
    reader.read()
    assert reader.warnings == []
    mine.write(path)
    _, segments = whole(path)
    reader.same_as(read_profiles([ReadRequest(path, 3, remainder=False)]), segments)


@pytest.mark.parametrize("other", ["pid", "start_ns", "content"])
def test_another_file_in_its_place_is_read_wholly(tmp_path: Path, other: str) -> None:
    """It has as many records and entries as the reader knows, or more."""
    mine, path = rank(1), tmp_path / "x.jst"
    mine.grow(30)
    mine.write(path)
    reader = Reader(path)
    reader.read()
    header: dict[str, Any] = {"pid": {"pid": 77}, "start_ns": {"start_ns": 10**18}}.get(other, {})
    new = rank(2, **header)
    new.grow(90)
    new.write(path)
    assert len(new.profile.records) > reader.record
    assert len(new.stream.entries) > reader.entry
    marked = read_profiles([ReadRequest(path, 3, reader.record, bookmark=reader.bookmark)])
    plain = read_profiles([ReadRequest(path, 3, reader.record)])
    for name in SLICES:
        assert getattr(marked, name).equals(getattr(plain, name)), name
    request = ReadRequest(path, 3, first_number=reader.entry)
    found = read_segments([replace(request, stream_state=reader.state)])
    expected = read_segments([request])
    for name in (*SEGMENTS, "peers"):
        assert getattr(found, name).equals(getattr(expected, name)), name
    assert found.results[0].warnings == []


def test_a_state_may_be_older_than_the_position(tmp_path: Path) -> None:
    """As after a commit of another ingester; never newer, since entries would be missing."""
    mine, path = rank(5), tmp_path / "x.jst"
    mine.grow(30)
    mine.write(path)
    reader = Reader(path)
    reader.read()
    mine.grow(30)
    mine.write(path)
    expected = whole(path)[1].segments
    for first in (0, reader.entry - 1, reader.entry, reader.entry + 3, len(mine.stream.entries)):
        request = ReadRequest(path, 3, first_number=first, stream_state=reader.state)
        found = read_segments([request])
        rows = [row for row in expected.to_pylist() if row["number"] >= first]
        assert found.segments.to_pylist() == rows
        assert found.results[0].warnings == []


@pytest.mark.parametrize("damage", range(40))
def test_a_damaged_state_is_harmless(tmp_path: Path, damage: int) -> None:
    mine, path = rank(7), tmp_path / "x.jst"
    mine.grow(40)
    mine.write(path)
    reader = Reader(path)
    reader.read()
    assert reader.bookmark is not None
    rng = random.Random(damage)

    def damaged(state: bytes) -> bytes:
        text = bytearray(state)
        text[rng.randrange(len(text))] ^= 1 << rng.randrange(8)
        return bytes(text)[: rng.choice((None, None, rng.randrange(len(text))))]

    mark = replace(reader.bookmark, state=damaged(reader.bookmark.state))
    decoded = read_profiles([ReadRequest(path, 3, reader.record, bookmark=mark)])
    decoded.peer_slices.validate(full=True)
    assert isinstance(decoded.results[0].header, ProfileHeader)
    request = ReadRequest(path, 3, first_number=reader.entry, stream_state=damaged(reader.state))
    read_segments([request]).segments.validate(full=True)


def test_a_large_state_is_not_kept(tmp_path: Path) -> None:
    """More tokens than 64 KiB hold: the file is read wholly."""
    mine, path = rank(9, first_token=20_000), tmp_path / "x.jst"
    mine.grow(100)
    mine.write(path)
    reader = Reader(path)
    reader.read()
    assert mine.stream.tokens
    assert (reader.state, reader.warnings) == (b"", [])
    mine.grow(20)
    mine.write(path)
    reader.read()
    segments_expected(mine, read_segments([ReadRequest(path, 3)]))
    assert sum(table.num_rows for table in reader.found["segments"]) == len(mine.stream.segments)
