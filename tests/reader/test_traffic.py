"""Partners, collectives and communicators of profiles, by slice; damaged and hostile ones."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jostle.reader import Decoded, ReadRequest, ReadResult, read_profiles
from jostle.reader.traffic import members
from synth import EPOCH, Profile
from synth_format import record, string, svarint, varint
from synth_random import SMALL
from synth_traffic import Traffic, random_traffic

SETTINGS = settings(max_examples=40)
MPI = {"mpi_state": 2, "mpi_init_ns": EPOCH}


def read(path: Path, **request: Any) -> tuple[Decoded, ReadResult]:
    decoded = read_profiles([ReadRequest(path, 3, **request)])
    (one,) = decoded.results
    assert one.error is None
    for table in (decoded.peer_slices, decoded.collective_slices, decoded.communicators):
        table.validate(full=True)
        assert set(table["process"].to_pylist()) <= {3}
    return decoded, one


def peers(decoded: Decoded) -> list[dict[str, Any]]:
    return decoded.peer_slices.drop_columns(["process"]).to_pylist()


def collectives(decoded: Decoded) -> list[dict[str, Any]]:
    return decoded.collective_slices.drop_columns(["process"]).to_pylist()


def small(seed: int, records: int = 6) -> Profile:
    p = Profile(layout=SMALL, mpi=MPI, align=8, block_bytes=512, block_capacity=2, heartbeat_ns=1)
    p.traffic, p.records = random_traffic(seed, p.first_slice, records)
    return p


@SETTINGS
@given(seed=st.integers(0, 2**32), data=st.data())
def test_what_is_written_is_found_in_two_goes(
    tmp_path: Path, seed: int, data: st.DataObject
) -> None:
    p = small(seed)
    assert p.traffic is not None
    path = p.write(tmp_path)
    decoded, one = read(path)
    assert one.warnings == []
    assert one.records_read == len(p.records)
    assert peers(decoded) == p.traffic.peers
    assert collectives(decoded) == p.traffic.collectives
    assert decoded.communicators.drop_columns(["process"]).to_pylist() == [
        {"communicator": 7, "size": 3, "ranks": [3, 5, 4]},
        {"communicator": 9, "size": 99, "ranks": []},
    ]
    early = Profile(**{**vars_of(p), "records": p.records[: data.draw(st.integers(0, 8))]})
    first, at = read(early.write(tmp_path, "early.jst"), remainder=False)
    second, _ = read(path, from_record=at.records_read)
    assert peers(first) + peers(second) == p.traffic.peers
    assert collectives(first) + collectives(second) == p.traffic.collectives


def vars_of(p: Profile) -> dict[str, Any]:
    return {name: getattr(p, name) for name in p.__dataclass_fields__}


def test_a_kill_between_a_record_and_the_word_that_says_so(tmp_path: Path) -> None:
    p = Profile(mpi=MPI)
    p.traffic = Traffic(p.first_slice)
    p.records.append(p.traffic.add(p.first_slice, 2, {0: (5, (1, 10, 0, 0, 0))}))
    p.traffic.rest(1, {0: (5, (1, 7, 0, 0, 0))})
    p.traffic.open_slice = p.first_slice  # as it was before the record
    p.heartbeat_ns = (p.first_slice + 2) * p.slice_ns
    decoded, _ = read(p.write(tmp_path))
    assert peers(decoded) == p.traffic.peers


def test_after_damage_nothing_is_counted_twice(tmp_path: Path) -> None:
    p = small(4)
    assert p.traffic is not None
    p.records[5] = p.records[5][:-1] + b"\0"
    decoded, one = read(p.write(tmp_path))
    assert "checksum" in one.warnings[0]
    assert peers(decoded) == p.traffic.peers[: len(peers(decoded))]
    assert len(peers(decoded)) < len(p.traffic.peers)


def entry(gap: int, mask: int, *rest: bytes) -> bytes:
    return varint(gap) + bytes([mask]) + b"".join(rest)


HEAD = svarint(0) + varint(1)
NONSENSE = {
    "no span": svarint(0) + varint(0) + b"\0\0",
    "place": HEAD + entry(2**40, 2, varint(1)) + b"\0\0",
    "place 2": HEAD + entry(4097, 2, varint(1)) + b"\0\0",
    "mask": HEAD + entry(1, 0x80, varint(1)) + b"\0\0",
    "rank": HEAD + entry(1, 1, varint(2**32)) + b"\0\0",
    "end": HEAD + entry(1, 2, varint(1)),
    "communicator": HEAD + b"\0" + entry(1, 1, varint(2**32), b"\0", string("x")) + b"\0",
    "operation": HEAD + b"\0" + entry(1, 1, b"\0\0", string("x" * 32)) + b"\0",
}


@pytest.mark.parametrize("what", NONSENSE)
def test_nonsense_ends_the_reading(tmp_path: Path, what: str) -> None:
    p = Profile(mpi=MPI)
    p.traffic = Traffic(p.first_slice)
    p.records.append(p.traffic.add(p.first_slice, 1, {0: (5, (1, 10, 0, 0, 0))}))
    p.records.append(record("T", NONSENSE[what]))
    decoded, one = read(p.write(tmp_path))
    assert peers(decoded) == p.traffic.peers
    assert "makes no sense" in one.warnings[0]


@pytest.mark.parametrize(
    ("offset", "size", "places"),
    [(0, 48, 8), (2**31, 48, 8), (4096, 47, 8), (4096, 48, 4097), (4096, 2**32 - 1, 4096)],
)
def test_tables_that_lie_elsewhere(tmp_path: Path, offset: int, size: int, places: int) -> None:
    data = bytearray(small(1).encode())
    struct.pack_into("<3I", data, 1792, offset, size, places)
    path = tmp_path / "x.jst"
    path.write_bytes(data)
    _, one = read(path)
    assert "partners" in one.warnings[0]


@pytest.mark.parametrize(
    ("raw", "size", "expected"),
    [
        (svarint(2) + varint(3) + svarint(2), 3, [2, 4, 6]),
        (svarint(9) + varint(4) + svarint(-3), 4, [9, 6, 3, 0]),
        (svarint(9) + varint(4) + svarint(-4), 4, []),
        (svarint(1) + varint(1), 2, []),
        (svarint(0) + varint(2**40) + svarint(0), 2**40, []),
        (varint(2), 1, []),
        (b"\x80", 1, []),
    ],
)
def test_members(raw: bytes, size: int, expected: list[int]) -> None:
    assert members(raw, size) == expected
