"""Execution segments, tokens, peers, and the header's fields of MPI."""

from __future__ import annotations

import struct
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jostle.reader import (
    RULES,
    SEGMENT_VALUES,
    ProfileHeader,
    ReadRequest,
    SegmentRead,
    SegmentResult,
    read_header,
    read_profiles,
    read_segments,
)
from synth import EPOCH, MPI_FIELDS, SECOND, Profile
from synth_format import record, varint
from synth_random import SMALL, random_profile, small_mpi, small_shorts
from synth_segments import (
    VALUES,
    Ring,
    Segment,
    Stream,
    Token,
    entry,
    peers_record,
    random_stream,
    segment_payload,
    token_payload,
)

SETTINGS = settings(max_examples=40)
MPI = {"mpi_state": 2, "mpi_init_ns": EPOCH}


def read(path: Path, **request: Any) -> tuple[SegmentResult, SegmentRead]:
    result = read_segments([ReadRequest(path, 3, **request)])
    (one,) = result.results
    assert one.error is None
    for table in (result.segments, result.tokens, result.peers):
        table.validate(full=True)
    return result, one


def rows(result: SegmentResult) -> list[dict[str, Any]]:
    out = result.segments.drop_columns(["process"]).to_pylist()
    assert set(result.segments["process"].to_pylist()) <= {3}
    return out


def tokens(result: SegmentResult) -> list[dict[str, Any]]:
    return result.tokens.drop_columns(["process"]).to_pylist()


def both(tmp_path: Path, stream: Stream, **where: int) -> tuple[SegmentResult, SegmentRead]:
    p = Profile(mpi=MPI, align=128)
    stream.into(p, **where)
    return read(p.write(tmp_path))


# ---- what is written is found ----


@SETTINGS
@given(seed=st.integers(0, 2**32), data=st.data())
def test_random_streams(tmp_path: Path, seed: int, data: st.DataObject) -> None:
    stream = random_stream(seed, data.draw(st.integers(0, 60)), EPOCH)
    in_records = data.draw(st.integers(0, len(stream.entries)))
    p = random_profile(seed, slices=3, layout=SMALL, mpi=MPI, block_bytes=128, align=128)
    stream.into(
        p,
        in_records,
        per_record=data.draw(st.integers(1, 9)),
        overlap=data.draw(st.integers(0, in_records)),
        spare=data.draw(st.integers(1, 100)),
    )
    path = p.write(tmp_path)
    result, one = read(path)
    assert one.warnings == []
    assert rows(result) == stream.segments
    assert tokens(result) == stream.tokens
    assert one.next_number == len(stream.entries)
    slices = read_profiles([ReadRequest(path, 0)])
    assert slices.results[0].warnings == []
    assert slices.results[0].records_read == len(p.records)
    assert slices.slices.num_rows >= len(p.rows)


@SETTINGS
@given(seed=st.integers(0, 2**32), first=st.integers(0, 50))
def test_later_readings_say_the_same(tmp_path: Path, seed: int, first: int) -> None:
    stream = random_stream(seed, 40, EPOCH)
    p = Profile(mpi=MPI)
    stream.into(p, in_records=30, overlap=3)
    result, one = read(p.write(tmp_path), first_number=first)
    assert rows(result) == [row for row in stream.segments if row["number"] >= first]
    assert tokens(result) == [row for row in stream.tokens if row["number"] >= first]
    assert one.next_number == max(first, len(stream.entries))


def test_small_steps(tmp_path: Path) -> None:
    stream = random_stream(7, 50, EPOCH)
    p = Profile(mpi=MPI)
    stream.into(p, in_records=20)
    path, at, found = p.write(tmp_path), 0, []
    for _ in range(100):
        result = read_segments([ReadRequest(path, 3, first_number=at)], max_rows=4)
        assert result.segments.num_rows + result.tokens.num_rows <= 4
        found += rows(result)
        at = result.results[0].next_number
        if result.results[0].complete:
            break
    assert found == stream.segments


def test_the_ring_wraps(tmp_path: Path) -> None:
    stream = random_stream(1, 30, EPOCH)
    for spare in (0, 1, 63, 5000):
        result, one = both(tmp_path, stream, in_records=13, spare=spare)
        assert (rows(result), one.warnings) == (stream.segments, [])


def test_entries_across_records(tmp_path: Path) -> None:
    """The payloads are one stream, wherever a writer cuts it."""
    stream = random_stream(2, 30, EPOCH)
    text = b"".join(stream.entries)
    for size in (1, 3, 50, 1000):
        p = Profile(mpi=MPI)
        drained = len(text) * 2 // 3
        pieces = [text[i : min(i + size, drained)] for i in range(0, drained, size)]
        p.records += [record("G", piece) for piece in pieces]
        p.ring = Ring(len(text), drained, text[drained:])
        result, one = read(p.write(tmp_path))
        assert (rows(result), one.warnings) == (stream.segments, [])


def test_many_files(tmp_path: Path) -> None:
    streams = [random_stream(seed, 20, EPOCH + seed) for seed in range(5)]
    requests = []
    for i, stream in enumerate(streams):
        p = Profile(mpi={**MPI, "mpi_init_ns": EPOCH + i}, pid=i + 1)
        stream.into(p, in_records=10)
        p.records.append(peers_record([(i, 1, 2, 3, 4)]))
        requests.append(ReadRequest(p.write(tmp_path), i))
    requests.insert(2, ReadRequest(tmp_path / "nowhere.jst", 9))
    requests.append(ReadRequest(small_shorts().write(tmp_path), 10))
    result = read_segments(requests)
    assert result.results.pop(2).error is not None
    assert result.results.pop(5).header is None
    for i, (one, stream) in enumerate(zip(result.results, streams, strict=True)):
        first, count = one.segments
        mine = result.segments.slice(first, count).to_pylist()
        assert mine == [{"process": i, **row} for row in stream.segments]
        first, count = one.tokens
        assert result.tokens.slice(first, count).to_pylist() == [
            {"process": i, **row} for row in stream.tokens
        ]
        assert result.peers["rank"][one.peers[0]].as_py() == i


def test_peers(tmp_path: Path) -> None:
    p = Profile(mpi=MPI)
    p.records.append(peers_record([(9, 9, 9, 9, 9)]))
    p.records.append(peers_record([(0, 1, 2, 3, 2**40), (2**32 - 1, 5, 6, 7, 8)]))
    result, one = read(p.write(tmp_path))
    names = ("process", "rank", "sent_ops", "sent_bytes", "recv_ops", "recv_room")
    expected = [(3, 0, 1, 2, 3, 2**40), (3, 2**32 - 1, 5, 6, 7, 8)]
    assert [tuple(row[n] for n in names) for row in result.peers.to_pylist()] == expected
    assert one.peers == (0, 2)


def test_names() -> None:
    assert tuple(VALUES.values()) == SEGMENT_VALUES
    assert RULES[-1] == "unknown"


def test_header_fields(tmp_path: Path) -> None:
    fields: dict[str, Any] = {
        name: i + 1 for i, (name, (_, form)) in enumerate(MPI_FIELDS.items()) if form in "IQ"
    }
    fields |= {
        "mpi_library": "Open MPI v4.1.4",
        "mpi_adapter_name": "openmpi",
        "launcher": "orte",
        "batch": "slurm-123",
        "world": "1a2b3c4d",
        "papi_names": ("PAPI_FP_OPS", "PAPI_L3_TCM", "", "X\x1b"),
    }
    p = Profile(mpi=fields, ring=Ring(100, 0, b""))
    header = read_header(p.write(tmp_path))
    assert isinstance(header, ProfileHeader)
    expected = {
        **fields,
        "spawned": True,
        "papi_names": ("PAPI_FP_OPS", "PAPI_L3_TCM", "", "X\\x1b"),
    }
    assert {name: getattr(header, name) for name in expected} == expected
    assert read(p.write(tmp_path))[1].header == header


def test_without_mpi(tmp_path: Path) -> None:
    p = random_profile(1, ring=Ring(100, 0, b""))
    result, one = read(p.write(tmp_path))
    assert (result.segments.num_rows, one.warnings) == (0, [])
    assert one.header is not None
    assert (one.header.world_size, one.header.mpi_library) == (0, "")


# ---- calls in progress ----


def test_a_call_in_progress_counts_until_the_heartbeat(tmp_path: Path) -> None:
    p = Profile(tick_ns=2**32, heartbeat_ns=EPOCH + SECOND, tick_now=5000, blocks_used=3)
    p.marks = {0: ("state_p2p_ns", 1000), 1: ("state_p2p_ns", 4000), 2: ("state_io_ns", 6000)}
    p.set_remainder({"state_p2p_ns": 70, "self_calls_ops": 1})
    row = read_profiles([ReadRequest(p.write(tmp_path), 0)]).slices.to_pylist()[0]
    assert row["state_p2p_ns"] == 70 + 4000 + 1000
    assert row["state_io_ns"] == 0  # began after the heartbeat


def test_what_the_records_hold_of_it_is_not_counted_twice(tmp_path: Path) -> None:
    """At the slice's end 3000 ns of the call were booked, though its block has none of it yet."""
    p = Profile(tick_ns=2**32, tick_now=5000, blocks_used=3)
    p.add_slice(p.first_slice, {"state_p2p_ns": 3000, "self_calls_ops": 1})
    p.set_remainder({"state_p2p_ns": -3000, "self_calls_ops": 1})
    p.marks = {1: ("state_p2p_ns", 1000)}
    decoded = read_profiles([ReadRequest(p.write(tmp_path), 0)])
    assert decoded.slices["state_p2p_ns"].to_pylist() == [3000, 1000]
    assert decoded.results[0].warnings == []
    p.marks = {}  # the thread has left the call and books it in a moment
    decoded = read_profiles([ReadRequest(p.write(tmp_path), 0)])
    assert decoded.slices["state_p2p_ns"].to_pylist() == [3000, 0]
    assert decoded.results[0].warnings == []


def test_lying_marks(tmp_path: Path) -> None:
    p = Profile(tick_ns=2**32, tick_now=2**64 - 1)
    p.set_remainder({"self_calls_ops": 1})
    for mark in ("os_rss_bytes", "self_calls_ops"):
        p.marks = {0: (mark, 5)}  # no timers
        decoded = read_profiles([ReadRequest(p.write(tmp_path), 0)])
        assert decoded.slices["self_calls_ops"].to_pylist() == [1]
        assert decoded.slices["os_rss_bytes"].to_pylist() == [0]
    p.marks = {0: ("state_io_ns", 0), 1: ("state_io_ns", 2**63)}
    read_profiles([ReadRequest(p.write(tmp_path), 0)]).slices.validate(full=True)
    data = bytearray(p.encode())
    block = struct.unpack_from("<I", data, 20)[0]
    struct.pack_into("<I", data, block + 4, 2**32 - 1)
    (tmp_path / "x.jst").write_bytes(data)
    assert read_profiles([ReadRequest(tmp_path / "x.jst", 0)]).results[0].error is None


# ---- damage ----


def cut_at(tmp_path: Path, raw: bytes, good: int = 3) -> str:
    """Entries that make no sense after some good ones: the good ones stay, and one warning."""
    for in_ring in (False, True):
        stream = random_stream(4, good, EPOCH)
        p = Profile(mpi=MPI)
        stream.into(p, in_records=len(stream.entries))
        if in_ring:
            drained = sum(map(len, stream.entries))
            p.ring = Ring(len(raw) + 8, drained, raw)
        else:
            p.records.append(record("G", raw))
        result, one = read(p.write(tmp_path))
        assert rows(result) == stream.segments
        assert len(one.warnings) == 1
    return one.warnings[0]


def next_number(good: int = 3) -> int:
    return len(random_stream(4, good, EPOCH).entries)


HUGE = varint(2**63 + 5)
FRONT = varint(5) + b"\0" + varint(0) + varint(0) + bytes(6)
SENSELESS = {
    "empty": b"",
    "no end": FRONT,
    "endless number": b"\xff" * 12,
    "too long to be true": varint(2**63) + FRONT[1:] + b"\0",
    "too many globals": varint(5) + b"\0\0" + varint(2**63) + bytes(6) + b"\0",
    "half a set": FRONT + varint(1) + b"1234",
    "missing count": FRONT + varint(1 << 1),
    "half a time": FRONT + varint(1 << 25) + b"1",
    "bins beyond the entry": FRONT + varint(1 << 32) + b"\0" + varint(2**60) + b"123",
    "shift too large": FRONT + varint(1 << 32) + b"\x21" + varint(1) + b"1",
    "half an occurrence": FRONT + varint(1 << 34) + b"\xff",
    "two shifts": FRONT + varint(3 << 32) + b"\0\x01a" + b"\x01\x01b",
}


@pytest.mark.parametrize("name", SENSELESS)
def test_segments_that_make_no_sense(tmp_path: Path, name: str) -> None:
    raw = entry("s", next_number(), SENSELESS[name])
    assert "makes no sense" in cut_at(tmp_path, raw + entry("s", next_number() + 1, FRONT + b"\0"))


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        varint(0) + token_payload(Token(1, 5))[1:],
        varint(1) + b"1234" + varint(2**62) + b"MPI",
        token_payload(Token(1, 5))[:-2],
    ],
)
def test_tokens_that_make_no_sense(tmp_path: Path, payload: bytes) -> None:
    assert "makes no sense" in cut_at(tmp_path, entry("t", next_number(), payload))


def test_entries_that_make_no_sense(tmp_path: Path) -> None:
    n = varint(next_number())
    assert "makes no sense" in cut_at(tmp_path, b"s" + b"\xff" * 30)
    assert "makes no sense" in cut_at(tmp_path, b"s" + n + b"\xff" * 30)
    assert "makes no sense" in cut_at(tmp_path, b"s" + n + varint(2**20 + 1))
    assert "cut short" in cut_at(tmp_path, b"s" + n + varint(100) + b"abc")
    assert "missing" in cut_at(tmp_path, entry("s", next_number() + 1, FRONT + b"\0"))
    assert "missing" in cut_at(tmp_path, entry("s", 2**64 - 1, FRONT + b"\0"))


def test_a_further_part_begins_with_its_file(tmp_path: Path) -> None:
    stream = Stream(EPOCH + 5)
    stream.add(Segment(7))
    p = Profile(mpi=MPI, part=1, file_ns=EPOCH + 5)
    stream.into(p, in_records=0)
    assert rows(read(p.write(tmp_path))[0]) == stream.segments


def test_times_do_not_run_over(tmp_path: Path) -> None:
    p = Profile(mpi={**MPI, "mpi_init_ns": 2**63})
    random_stream(1, 3, EPOCH).into(p, in_records=3)
    result, one = read(p.write(tmp_path))
    assert result.segments.num_rows == 0
    assert "MPI_Init" in one.warnings[0]


def test_large_counts_saturate(tmp_path: Path) -> None:
    stream = Stream(EPOCH)
    stream.add(Segment(1, values={"sends": 2**64 - 1, "flops": 2**63}))
    result, _ = both(tmp_path, stream, in_records=0)
    row = rows(result)[0]
    assert row["sends"] == row["flops"] == 2**63 - 1


def test_bins_stay_inside_their_segment(tmp_path: Path) -> None:
    stream = Stream(EPOCH + 9_999_999)
    stream.add(Segment(2, wait_bins=b"abcde", offcpu_bins=b"xy"))
    p = Profile(mpi={**MPI, "mpi_init_ns": EPOCH + 9_999_999})
    stream.into(p, in_records=1)
    result, one = read(p.write(tmp_path))
    assert result.segments["wait_bins"].to_pylist() == [b"ab"]
    assert result.segments["offcpu_bins"].to_pylist() == [b"xy"]
    assert "more bins" in one.warnings[0]


def test_an_unknown_token(tmp_path: Path) -> None:
    stream = Stream(EPOCH)
    for token in (5, 65_535, 2**40):
        stream.add(Segment(1, token=token))
    stream.add_token(Token(2**40, 77))  # beyond what is remembered
    stream.add(Segment(1, token=2**40))
    result, one = both(tmp_path, stream, in_records=0)
    assert result.segments["token_hash"].to_pylist() == [0] * 4
    assert len(one.warnings) == 1


def test_a_damaged_record(tmp_path: Path) -> None:
    """Entries after it are missing; those of the ring do not follow what there is."""
    stream = random_stream(3, 30, EPOCH)
    p = Profile(mpi=MPI)
    stream.into(p, in_records=20, per_record=5)
    bad = bytearray(p.records[1])
    bad[-1] ^= 1
    p.records[1] = bytes(bad)
    result, one = read(p.write(tmp_path))
    found = rows(result)
    assert found == stream.segments[: len(found)]
    assert one.next_number == 5
    assert "damaged" in one.warnings[0]
    assert "missing" in one.warnings[1]


@pytest.mark.parametrize(
    ("ring", "there"),
    [
        (Ring(100, 50, b"", written=40), 0),
        (Ring(100, 50, b"", written=151), 0),
        (Ring(100, 0, b"", written=2**64 - 1), 0),
        (Ring(100, 2**63, b"", written=2**63), 1),
        (Ring(1, 0, b"s"), 0),
    ],
)
def test_rings_that_contradict_themselves(tmp_path: Path, ring: Ring, there: int) -> None:
    stream = random_stream(1, 5, EPOCH)
    p = Profile(mpi=MPI)
    stream.into(p, in_records=len(stream.entries))
    p.ring = ring
    result, one = read(p.write(tmp_path))
    assert rows(result) == stream.segments
    assert len(one.warnings) == 1 - there


@pytest.mark.parametrize("offset", [0, 1, 4095, 2**31, 2**32 - 1])
@pytest.mark.parametrize("size", [1, 64, 65, 2**26 + 1, 2**32 - 1])
def test_rings_that_lie_elsewhere(tmp_path: Path, offset: int, size: int) -> None:
    stream = random_stream(1, 5, EPOCH)
    p = Profile(mpi=MPI)
    stream.into(p, in_records=len(stream.entries))
    data = bytearray(p.encode())
    struct.pack_into("<2I", data, 1504, offset, size)
    path = tmp_path / "x.jst"
    path.write_bytes(data)
    result, one = read(path)
    assert rows(result) == stream.segments
    assert "ring" in one.warnings[0]


def test_lying_peers(tmp_path: Path) -> None:
    for payload in (varint(2**60) + b"\1\2\3\4\5", varint(1) + varint(2**32) + b"\1\1\1\1", b""):
        p = Profile(mpi=MPI)
        p.records.append(record("W", payload))
        result, one = read(p.write(tmp_path))
        assert result.peers.num_rows == 0
        assert "peers" in one.warnings[0]


def test_every_truncation(tmp_path: Path) -> None:
    data = small_mpi(3).encode()
    path = tmp_path / "x.jst"
    for size in range(0, len(data), 37):
        path.write_bytes(data[:size])
        read_segments([ReadRequest(path, 0)])
    for bit in range(0, 8 * len(data), 397):
        bad = bytearray(data)
        bad[bit // 8] ^= 1 << bit % 8
        path.write_bytes(bad)
        read_segments([ReadRequest(path, 0)]).segments.validate(full=True)


# ---- speed ----


def bulk(tmp_path: Path, segments: int) -> Path:
    """A profile of so many segments, 5000 to a record."""
    s = Segment(
        50_000_000,
        "coalesced",
        3,
        1,
        8,
        1234,
        0xABCDEF,
        None,
        {name: 1000 + i for i, name in enumerate(VALUES.values()) if i % 3 == 0},
        0,
        b"\x05\x00\x90",
        b"",
    )
    payload = segment_payload(s)
    p = Profile(mpi=MPI)
    p.records.append(record("G", entry("t", 0, token_payload(Token(1, 99)))))
    for first in range(1, segments + 1, 5000):
        numbers = range(first, min(first + 5000, segments + 1))
        p.records.append(record("G", b"".join(entry("s", n, payload) for n in numbers)))
    return p.write(tmp_path)


def test_a_million_segments(tmp_path: Path) -> None:
    path = bulk(tmp_path, 1_000_000)
    begin = time.process_time()
    result, one = read(path)
    seconds = time.process_time() - begin
    assert result.segments.num_rows == 1_000_000
    assert one.warnings == []
    assert seconds < 2  # 0.1 s when it is quiet
