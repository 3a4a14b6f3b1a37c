"""Files of every format version are read for ever."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from frozen import segment_totals, totals
from jostle.reader import ProfileHeader, ReadRequest, ShortsHeader, read_profiles, read_segments

DATA = Path(__file__).resolve().parents[1] / "data"


@pytest.mark.parametrize("name", ["v1.jst", "v1.jss", "v1-synth.jst", "v1-segments.jst"])
def test_totals(name: str) -> None:
    decoded = read_profiles([ReadRequest(DATA / name, 0)])
    assert decoded.results[0].warnings == []
    result = read_segments([ReadRequest(DATA / name, 0)])
    assert result.results[0].warnings == []
    expected = json.loads((DATA / f"{name}.json").read_text())
    found = totals(decoded) | segment_totals(result)
    assert {key: found[key] for key in expected} == expected


def test_what_the_program_did() -> None:
    """tests/data/make.py says what the profiled program wrote and read."""
    decoded = read_profiles([ReadRequest(DATA / "v1.jst", 0)])
    found = totals(decoded)
    assert (found["posix_write_ops"], found["posix_write_bytes"]) == (25, 1_000_000)
    assert found["posix_read_bytes"] == 1_000_000
    header = decoded.results[0].header
    assert isinstance(header, ProfileHeader)
    assert (header.job, header.program, header.end_reason) == ("frozen", "/usr/bin/perl", "exit")
    assert header.slice_ns == 500_000_000
    shorts = read_profiles([ReadRequest(DATA / "v1.jss", 0)])
    assert isinstance(shorts.results[0].header, ShortsHeader)
    assert [p.program for p in shorts.short_processes] == ["true"]
