"""The worked examples of the format's document are true."""

from __future__ import annotations

import re
from pathlib import Path

from jostle.reader import ReadRequest, read_profiles, read_segments
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
