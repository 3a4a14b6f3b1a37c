"""Files of every format version can be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from frozen import segment_totals, totals
from jostle.reader import (
    PEER_VALUES,
    ProfileHeader,
    ReadRequest,
    ShortsHeader,
    read_profiles,
    read_segments,
)

DATA = Path(__file__).resolve().parents[1] / "data"


@pytest.mark.parametrize(
    "name",
    [
        "v1.jst",
        "v1.jss",
        "v1-synth.jst",
        "v1-segments.jst",
        "v1-mpi.jst",
        "v1-traffic.jst",
        "v2.jst",
        "v2-synth.jst",
    ],
)
def test_totals(name: str) -> None:
    decoded = read_profiles([ReadRequest(DATA / name, 0)])
    assert decoded.results[0].warnings == []
    result = read_segments([ReadRequest(DATA / name, 0)])
    assert result.results[0].warnings == []
    expected = json.loads((DATA / f"{name}.json").read_text())
    found = totals(decoded) | segment_totals(result)
    assert {key: found[key] for key in expected} == expected


@pytest.mark.parametrize("name", ["v1.jst", "v2.jst"])
def test_what_the_program_did(name: str) -> None:
    """tests/data/make.py says what the profiled program wrote and read."""
    decoded = read_profiles([ReadRequest(DATA / name, 0)])
    found = totals(decoded)
    assert (found["posix_write_ops"], found["posix_write_bytes"]) == (25, 1_000_000)
    assert found["posix_read_bytes"] == 1_000_000
    header = decoded.results[0].header
    assert isinstance(header, ProfileHeader)
    assert (header.job, header.program, header.end_reason) == ("frozen", "/usr/bin/perl", "exit")
    assert header.slice_ns == 500_000_000


def test_what_a_short_program_did() -> None:
    shorts = read_profiles([ReadRequest(DATA / "v1.jss", 0)])
    assert isinstance(shorts.results[0].header, ShortsHeader)
    assert [p.program for p in shorts.short_processes] == ["true"]


def test_what_the_mpi_program_did() -> None:
    request = ReadRequest(DATA / "v1-mpi.jst", 0)
    found = totals(read_profiles([request]))
    assert (found["mpi_sendrecv_ops"], found["mpi_sendrecv_bytes"]) == (40, 40 * 256)
    assert (found["mpi_all_to_all_ops"], found["mpi_all_to_all_bytes"]) == (40, 320)
    result = read_segments([request])
    header = result.results[0].header
    assert header is not None
    assert (header.world_size, header.world_rank, header.launcher) == (2, 1, "hydra")
    assert (header.mpi_state, header.mpi_adapter, header.mpi_adapter_name) == (4, 1, "mpich")
    assert header.mpi_library.startswith("MPICH Version:")
    assert sum(result.segments["globals"].to_pylist()) == 40
    assert sum(result.segments["all_to_all"].to_pylist()) == 40
    assert result.segments["start_ns"][0].as_py() == header.mpi_init_ns
    assert set(result.tokens["function"].to_pylist()) == {"MPI_Allreduce"}
    peers = result.peers.drop_columns(["process"]).to_pylist()
    assert [tuple(row.values()) for row in peers] == [(0, 40, 40 * 128, 40, 40 * 128)]


def test_whom_the_mpi_program_talked_to() -> None:
    """Forty messages there and back, in four slices or five and what no record holds."""
    decoded = read_profiles([ReadRequest(DATA / "v1-traffic.jst", 0)])
    rows = decoded.peer_slices
    assert rows.num_rows >= 4 and set(rows["peer"].to_pylist()) == {0}
    values = [sum(rows[name].to_pylist()) for name in PEER_VALUES]
    assert values == [40, 40 * 128, 40, 40 * 128, 0]
    sums = decoded.collective_slices
    assert set(sums["operation"].to_pylist()) == {"MPI_Allreduce"}
    assert (sum(sums["ops"].to_pylist()), sum(sums["bytes"].to_pylist())) == (40, 320)
