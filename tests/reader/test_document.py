"""The worked examples of the format's document are correct."""

from __future__ import annotations

import random
import re
import string
import struct
import uuid
from dataclasses import fields
from pathlib import Path

import pytest

from jostle.reader import MachineHeader, ReadRequest, read_profiles, read_segments
from jostle.reader.header import parse_header
from jostle.reader.header_fields import MachineFields, ProcessFields, machine_fields
from jostle.schema.profile import HEAD, Head
from synth import EPOCH, Profile
from synth_format import record, schema_layout, slice_record
from synth_segments import Segment, Stream, Token


def example_of(root: Path, title: str) -> bytes:
    text = (root / "docs" / "reference" / "profile-format.md").read_text()
    block = text.partition(f"## {title}, byte by byte")[2].split("```")[1]
    return bytes.fromhex("".join(re.findall(r"^((?:[0-9a-f]{2}(?: |$))+)", block, re.MULTILINE)))


def test_a_slice(root: Path, tmp_path: Path) -> None:
    example = example_of(root, "A slice")
    named = {"posix_write_ops": {0: 1}, "posix_write_bytes": {0: 4096}}
    cells = schema_layout().flat(
        {**named, "posix_write_ns": {0: 10_000}, "os_rss_bytes": -4096, "self_calls_ops": 1}
    )
    assert slice_record(schema_layout(), cells) == example
    header = (root / "runtime" / "include" / "jst_metrics.h").read_text()
    cell_count = int(re.findall(r"JST_CELL_COUNT\D+(\d+)", header)[0])
    groups = -(-cell_count // 8)
    text = (root / "docs" / "reference" / "profile-format.md").read_text()
    assert f"({cell_count} cells, so {groups} groups and {-(-groups // 8)} bytes of" in text
    p = Profile()
    p.add_slice(p.first_slice, {"os_rss_bytes": 2**20})
    p.records.append(example)
    decoded = read_profiles([ReadRequest(p.write(tmp_path), 0, remainder=False)])
    assert decoded.slices["os_rss_bytes"].to_pylist() == [2**20, 2**20 - 4096]
    assert decoded.mount_slices["posix_write_ns"].to_pylist() == [10_000]


def test_a_segment(root: Path, tmp_path: Path) -> None:
    example = example_of(root, "A segment")
    values = {"all_to_all": 8, "collective_bytes": 64, "mpi_ns": 1_500_000, "cpu_ns": 50_000_000}
    stream = Stream(EPOCH)
    stream.add_token(Token(1, 0x5EED1234, "MPI_Allreduce", 8, 0x11F0, ""))
    stream.add(
        Segment(
            52_428_800,
            "coalesced",
            3,
            1,
            8,
            0xBEEF,
            0x0BADCAFE,
            0x21,
            values,
            wait_bins=b"\x00\x40\x00",
            occurrence=64,
        )
    )
    assert b"".join(stream.entries) == example
    p = Profile(mpi={"mpi_state": 2, "mpi_init_ns": EPOCH})
    p.records.append(record("G", example))
    result = read_segments([ReadRequest(p.write(tmp_path), 0)])
    assert result.tokens["function"].to_pylist() == ["MPI_Allreduce"]
    (row,) = result.segments.to_pylist()
    assert (row["mpi_ns"], row["cpu_ns"]) == (1_499_648, 49_987_584)
    assert row.items() >= stream.segments[0].items()


# What a header of a random process says: by the page alone, and by what Python makes of a few.
OTHERS = {
    "boot_id": lambda raw: str(uuid.UUID(bytes=raw)),
    "spawned": bool,
    "tick_ns": lambda ticks: ticks / 2**32,
    "end_reason": ("none", "exit", "_exit", "exec", "abort", "continued").__getitem__,
    "role": ("node", "server").__getitem__,
}


def fields_of(root: Path, title: str) -> list[tuple[int, str, list[int], str]]:
    """Rows of a table of the page: offset, type, dimensions, name."""
    text = (root / "docs" / "reference" / "profile-format.md").read_text()
    table = text.partition(f"<!-- Table `{title}`:")[2].partition("<!-- End")[0]
    rows = re.findall(r"^\| (\d+) \| (\w+?)((?:\[\d+\])*) \| (\w+) \|", table, re.MULTILINE)
    return [(int(at), kind, [*map(int, re.findall(r"\d+", n))], name) for at, kind, n, name in rows]


def fill(chance: random.Random, page: bytearray, at: int, kind: str, counts: list[int]) -> object:
    """Write a value into a header, and return it as Python has it."""
    if kind == "char" and len(counts) == 2:
        return tuple(
            fill(chance, page, at + n * counts[1], kind, counts[1:]) for n in range(counts[0])
        )
    if kind == "char":
        text = "".join(chance.choices(string.ascii_letters, k=chance.randrange(1, counts[0])))
        page[at : at + len(text)] = text.encode()
        return text
    if kind == "u8":
        page[at : at + counts[0]] = raw = chance.randbytes(counts[0])
        return raw
    values = [chance.randrange(1, 2**31) for _ in range(counts[0] if counts else 1)]
    struct.pack_into(f"<{len(values)}{'I' if kind == 'u32' else 'Q'}", page, at, *values)
    return tuple(values) if counts else values[0]


@pytest.mark.parametrize("seed", range(3))
def test_a_header(root: Path, seed: int) -> None:
    chance, page = random.Random(seed), bytearray(4096)
    said = {}
    for part in ("head fixed", "head mpi", "head live"):
        for at, kind, counts, name in fields_of(root, part):
            if kind not in ("mount_slot", "binding"):
                said[name] = fill(chance, page, at, kind, counts)
    for place, number in enumerate((seed % 2, 1 - seed % 2)):
        for at, kind, counts, name in fields_of(root, "binding"):
            value = fill(chance, page, 2392 + 648 * place + at, kind, counts)
            said |= {name: value} if number else {}
        struct.pack_into("<Q", page, 2392 + 648 * place, number)
    struct.pack_into("<I", page, 1788, seed % 2)
    struct.pack_into("<I", page, 2080, seed)
    said |= {"role": seed % 2, "end_reason": seed}
    said |= {name: change(said[name]) for name, change in OTHERS.items()}
    header = parse_header(bytes(page), owner=7)
    assert header.uid == 7
    machine = MachineHeader(
        *machine_fields(Head._make(HEAD.unpack_from(page))),
        uid=7,
        components=[],
        clock_events=[],
        notes=[],
        alive=None,
    )
    for of, kind in ((header, ProcessFields), (machine, MachineFields)):
        names = [field.name for field in fields(kind)]
        assert {name: getattr(of, name) for name in names} == {name: said[name] for name in names}
