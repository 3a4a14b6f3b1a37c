"""The tables of files, as the reader gives them: whole ones, and hostile ones."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jostle.reader import ReadRequest, read_files
from synth import File, Profile

OTHERS = File(hash=3, opens=4, write_bytes=5)
NAMED = File("/data/a", 2**63 + 5, 1, 1, 2, 300, 21, 4, 500, 42, 6, 63, 84, 2)


def read(folder: Path, *profiles: Profile) -> tuple[list[dict[str, Any]], dict[int, str]]:
    """The rows of profiles, and what could not be read, by their number."""
    requests = [ReadRequest(profile.write(folder), i) for i, profile in enumerate(profiles)]
    tables = read_files(requests)
    return tables.rows.to_pylist(), {n: error.reason for n, error in tables.errors.items()}


def test_every_number_comes_back(tmp_path: Path) -> None:
    """Ticks as ns (2.1 of them are one), the others as a row without a hash, free places not."""
    free = File(hash=0)
    profile = Profile(pid=1, files=[OTHERS, free, NAMED])
    rows, errors = read(tmp_path, Profile(pid=2), profile)
    nothing = dict.fromkeys(("reads", "writes", "syncs", "read_bytes"), 0)
    times = dict.fromkeys(("read_ns", "write_ns", "sync_ns", "meta_ns"), 0)
    assert not errors
    assert rows == [
        {
            "process": 1,
            "hash": 0,
            "slot": -1,
            "path": "",
            "format": "",
            "files": 3,
            "opens": 4,
            "write_bytes": 5,
            **nothing,
            **times,
        },
        {
            "process": 1,
            "hash": 5 - 2**63,
            "slot": 1,
            "path": "/data/a",
            "format": "netCDF",
            "files": 1,
            "opens": 1,
            "reads": 2,
            "writes": 4,
            "syncs": 6,
            "read_bytes": 300,
            "write_bytes": 500,
            "read_ns": 10,
            "write_ns": 20,
            "sync_ns": 30,
            "meta_ns": 40,
        },
    ]


def test_nothing_used(tmp_path: Path) -> None:
    """An empty table has no row, not even one of others."""
    assert read(tmp_path, Profile(files=[File(hash=0)] * 8)) == ([], {})


def test_names(tmp_path: Path) -> None:
    """A cut path begins with an ellipsis; bytes that are no text are escaped."""
    files = [File(name, 9) for name in ("lib/x", "", "/a\x1bb")]
    rows, _ = read(tmp_path, Profile(files=[File(hash=0), *files]))
    assert [row["path"] for row in rows] == ["…lib/x", "", "/a\\x1bb"]
    path = next(tmp_path.iterdir())
    path.write_bytes(path.read_bytes().replace(b"lib/x", b"\xff/\xfe\0x"))
    rows = read_files([ReadRequest(path, 0)]).rows.to_pylist()
    assert rows[0]["path"] == "…\\xff/\\xfe"


@pytest.mark.parametrize(
    ("at", "value"),
    [(1776, 4095), (1776, 2**32 - 1), (1780, 255), (1780, 2**31), (1784, 2**32 - 1)],
)
def test_a_table_that_is_not_there(tmp_path: Path, at: int, value: int) -> None:
    """It is an error of this table alone, and says so; others are read."""
    path = Profile(pid=1, files=[OTHERS, NAMED]).write(tmp_path)
    data = bytearray(path.read_bytes())
    struct.pack_into("<I", data, at, value)
    path.write_bytes(data)
    sound = Profile(pid=2, files=[OTHERS]).write(tmp_path)
    tables = read_files([ReadRequest(path, 0), ReadRequest(sound, 1)])
    assert tables.rows["process"].to_pylist() == [1]
    assert "the table of files" in str(tables.errors[0]) and str(path) in str(tables.errors[0])


def test_absurd_numbers(tmp_path: Path) -> None:
    """Values stay within int64."""
    most = 2**64 - 1
    names = ("hash", "opens", "reads", "read_bytes", "read_ticks", "writes", "meta_ticks")
    absurd = replace(NAMED, mount=2**16 - 1, format=2**16 - 1, **dict.fromkeys(names, most))
    rows, errors = read(tmp_path, Profile(files=[absurd, absurd]))
    assert not errors and len(rows) == 2
    assert all(0 <= row["opens"] < 2**63 and 0 <= row["read_ns"] < 2**63 for row in rows)


def test_cut_short(tmp_path: Path) -> None:
    """Wherever a file ends, reading gives rows or an error."""
    path = Profile(files=[OTHERS, NAMED]).write(tmp_path)
    data = path.read_bytes()
    for size in range(0, len(data), 97):
        path.write_bytes(data[:size])
        tables = read_files([ReadRequest(path, 0)])
        assert tables.errors or tables.rows.num_rows in (0, 2)
