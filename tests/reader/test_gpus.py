"""GPUs of profiles, by slice; damaged and hostile ones."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jostle.reader import Decoded, ProfileHeader, ReadRequest, ReadResult, read_profiles
from synth import Profile
from synth_format import record, svarint, varint
from synth_gpus import GpuName, Gpus, random_gpus
from synth_random import SMALL

SETTINGS = settings(max_examples=40)
BIG = 2**62


def read(path: Path, **request: Any) -> tuple[Decoded, ReadResult]:
    decoded = read_profiles([ReadRequest(path, 3, **request)])
    (result,) = decoded.results
    assert result.error is None
    decoded.gpu_slices.validate(full=True)
    assert set(decoded.gpu_slices["process"].to_pylist()) <= {3}
    return decoded, result


def rows(decoded: Decoded) -> list[dict[str, Any]]:
    return decoded.gpu_slices.drop_columns(["process"]).to_pylist()


def small(seed: int, records: int = 6) -> Profile:
    p = Profile(layout=SMALL, align=8, block_bytes=512, block_capacity=2, heartbeat_ns=1)
    p.gpus, p.records = random_gpus(seed, p.first_slice, records)
    return p


def plain() -> tuple[Profile, Gpus]:
    """One GPU with one record."""
    p = Profile(layout=SMALL)
    p.gpus = Gpus(p.first_slice)
    p.records.append(p.gpus.add(p.first_slice, 1, {0: {0: 1, 1: 10}}))
    return p, p.gpus


@SETTINGS
@given(seed=st.integers(0, 2**32), data=st.data())
def test_what_is_written_is_found_in_two_goes(
    tmp_path: Path, seed: int, data: st.DataObject
) -> None:
    p = small(seed)
    assert p.gpus is not None
    path = p.write(tmp_path)
    decoded, result = read(path)
    assert result.warnings == []
    assert rows(decoded) == p.gpus.rows
    fields = {name: getattr(p, name) for name in p.__dataclass_fields__}
    early = Profile(**{**fields, "records": p.records[: data.draw(st.integers(0, 6))]})
    first, at = read(early.write(tmp_path, "early.jst"), remainder=False)
    second, _ = read(path, from_record=at.records_read)
    assert rows(first) + rows(second) == p.gpus.rows


def test_names(tmp_path: Path) -> None:
    p = small(1)
    for first in (0, len(p.records)):  # they are reported at each reading
        _, result = read(p.write(tmp_path), from_record=first)
        assert isinstance(result.header, ProfileHeader)
        gpu, part, other = result.header.gpus
        assert (gpu.pci, gpu.uuid, gpu.name) == ("0000:3b:00.0", "GPU-1", "Big GPU")
        assert (gpu.path, gpu.numa) == (GpuName().path, 0)
        assert gpu.memory_bytes == 80_000_000_000
        assert (part.pci, part.uuid, part.path, part.numa) == ("", "MIG-2", "", -1)
        assert other.pci == "0000:d8:00.0"


def test_a_profile_of_an_earlier_version(tmp_path: Path) -> None:
    decoded, result = read(Profile().write(tmp_path))
    assert isinstance(result.header, ProfileHeader)
    assert result.header.gpus == [] and decoded.gpu_slices.num_rows == 0


def test_a_kill_between_a_record_and_the_word_that_says_so(tmp_path: Path) -> None:
    p, gpus = plain()
    gpus.rest(1, {0: {1: 7}})
    gpus.open_slice = p.first_slice  # as it was before the record
    p.heartbeat_ns = (p.first_slice + 1) * p.slice_ns
    decoded, _ = read(p.write(tmp_path))
    assert rows(decoded) == gpus.rows


def test_after_damage_nothing_is_counted_twice(tmp_path: Path) -> None:
    p = small(4)
    assert p.gpus is not None
    p.records[3] = p.records[3][:-1] + b"\0"
    decoded, result = read(p.write(tmp_path))
    assert "checksum" in result.warnings[0]
    assert rows(decoded) == p.gpus.rows[: len(rows(decoded))]
    assert len(rows(decoded)) < len(p.gpus.rows)


HEAD = svarint(0) + varint(1)
NONSENSE = {
    "no span": svarint(0) + varint(0) + b"\0",
    "place": HEAD + varint(2**40) + varint(1) + varint(1) + b"\0",
    "place 2": HEAD + varint(65) + varint(1) + varint(1) + b"\0",
    "end": HEAD + varint(1) + varint(1) + varint(1),
    "words": HEAD + varint(1) + varint(3) + varint(1),
}


@pytest.mark.parametrize("what", NONSENSE)
def test_nonsense_ends_the_reading(tmp_path: Path, what: str) -> None:
    p, gpus = plain()
    p.records.append(record("D", NONSENSE[what]))
    decoded, result = read(p.write(tmp_path))
    assert rows(decoded) == gpus.rows
    assert "makes no sense" in result.warnings[0]


@pytest.mark.parametrize(
    ("at", "value"), [(1816, 2**31), (1816, 0), (1820, 8), (1824, 2**20), (1824, 2**32 - 1)]
)
def test_a_table_that_lies_elsewhere(tmp_path: Path, at: int, value: int) -> None:
    p, gpus = plain()
    data = bytearray(p.encode())
    struct.pack_into("<I", data, at, value)
    path = tmp_path / p.name
    path.write_bytes(data)
    decoded, result = read(path)
    assert any("table of GPUs" in warning for warning in result.warnings)
    assert rows(decoded) == gpus.rows


def test_more_places_used_than_there_are(tmp_path: Path) -> None:
    p, _ = plain()
    data = bytearray(p.encode())
    struct.pack_into("<I", data, 2384, 2**32 - 1)
    path = tmp_path / p.name
    path.write_bytes(data)
    _, result = read(path)
    assert isinstance(result.header, ProfileHeader)
    assert len(result.header.gpus) == 4


def test_numbers_beyond_all_measure(tmp_path: Path) -> None:
    p = Profile(layout=SMALL)
    p.gpus = Gpus(p.first_slice)
    p.records.append(p.gpus.add(p.first_slice, 1, {0: {1: 2**64 - 1, 2: BIG}}))
    decoded, _ = read(p.write(tmp_path))
    (row,) = rows(decoded)
    assert row["gpu_h2d_bytes"] == 2**63 - 1 and row["gpu_h2d_ns"] == BIG
