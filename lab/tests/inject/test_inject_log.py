"""Logs are read exactly, and hostile ones are refused with name, place and reason."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jostle_lab.inject import InjectLogError, read, read_log
from jostle_lab.inject.log import _CLASS, _HEAD, _RECORD

CLASSES = (b"SEND", b"ALL_TO_ALL", b"READ")


def log(
    records: list[tuple[int, int, int, int]],
    *,
    rank: int = 3,
    begun: int | None = None,
    valid: int = 1,
    **more: object,
) -> bytes:
    """A log with records of start, delay, number and class."""
    data = bytearray(8192)
    head = np.frombuffer(data, _HEAD, count=1)
    head["magic"] = b"JSTINJ1\n"
    head["version"], head["head_bytes"], head["record_bytes"] = 1, 8192, 64
    head["capacity"], head["pid"], head["rank"], head["class_count"] = 1 << 20, 77, rank, 3
    head["host"], head["program"], head["rules"] = b"node1", b"solver", b"calls=mpi"
    head["begun"] = len(records) if begun is None else begun
    for name, value in more.items():
        head[name] = value
    classes = np.frombuffer(data, _CLASS, count=3, offset=2048)
    classes["name"] = CLASSES
    for _start, delay, _n, klass in records:
        if klass < 3:
            classes["calls"][klass] += 10
            classes["given"][klass] += delay > 0
            classes["ns"][klass] += delay
    rows = np.zeros(len(records), _RECORD)
    for i, (start, delay, n, klass) in enumerate(records):
        rows[i] = (start, delay, n, 99, klass, valid, b"MPI_Send" if klass == 0 else b"read")
    return bytes(data) + rows.tobytes()


GOOD = [(2_000, 50, 4, 0), (1_000, 70, 1, 2), (3_000, 0, 9, 0)]


def test_tables(tmp_path: Path) -> None:
    (tmp_path / "inject-node1-77.jil").write_bytes(log(GOOD, lost=2, lost_ns=9))
    (tmp_path / "inject-node1-78.jil").write_bytes(log([], rank=-1))
    (tmp_path / "inject-node1.order").write_bytes(b"\1")
    found = read(tmp_path)
    assert found.delays.to_pylist() == [
        {
            "host": "node1",
            "pid": 77,
            "rank": 3,
            "start_ns": 1000,
            "delay_ns": 70,
            "call": "read",
            "class": "read",
            "n": 1,
            "tid": 99,
        },
        {
            "host": "node1",
            "pid": 77,
            "rank": 3,
            "start_ns": 2000,
            "delay_ns": 50,
            "call": "MPI_Send",
            "class": "send",
            "n": 4,
            "tid": 99,
        },
    ]
    totals = [tuple(row.values())[3:] for row in found.totals.to_pylist()]
    assert totals == [("send", 20, 1, 50), ("read", 10, 1, 70)]
    assert found.processes["rank"].to_pylist() == [3, None]
    assert found.processes["unfinished"].to_pylist() == [1, 0]
    assert len(found.notes) == 2 and "2 delays" in found.notes[0]
    assert read_log([tmp_path / "inject-node1-78.jil"]).num_rows == 0
    assert read([]).delays.num_rows == 0


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (log(GOOD)[:100], "header: it has 100 bytes"),
        (b"x" * 9000, "byte 0: this is not a log"),
        (log(GOOD, version=2), "version 2"),
        (log(GOOD, record_bytes=63), "byte 12"),
        (log(GOOD, capacity=1 << 30), "byte 20"),
        (log(GOOD, class_count=0), "byte 36"),
        (log(GOOD, class_count=65), "byte 36"),
        (log(GOOD, lost_ns=1 << 63), "header: lost_ns"),
        (log([(1, 1, 1, 3)]), "record 0"),
        (log([(1, 1, 1, 0), (1 << 63, 1, 1, 0)]), "record 1"),
        (log([(1, 1 << 60, 1, 0)]), "record 0"),
    ],
)
def test_what_is_no_log(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "inject-x-1.jil"
    path.write_bytes(data)
    with pytest.raises(InjectLogError) as caught:
        read(path)
    assert str(path) in str(caught.value) and words in str(caught.value)
    assert caught.value.hint


def test_places_that_hold_none(tmp_path: Path) -> None:
    with pytest.raises(InjectLogError, match="neither a folder nor a file"):
        read(tmp_path / "none")
    os.mkfifo(tmp_path / "pipe.jil")
    assert read(tmp_path).processes.num_rows == 0


@pytest.mark.parametrize("data", [b"", bytes(8192 + 64 * 1008)])
def test_a_log_that_never_began_is_a_note(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "inject-x-1.jil").write_bytes(data)
    (tmp_path / "inject-x-2.jil").write_bytes(log(GOOD))
    found = read(tmp_path)
    assert found.processes.num_rows == 1
    assert any("the file is empty" in note for note in found.notes)


def test_a_torn_log_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "inject-x-1.jil"
    path.write_bytes(log(GOOD, begun=5)[:-70])
    found = read(path)
    assert found.delays.num_rows == 1
    assert any("shorter" in note for note in found.notes)


@settings(max_examples=80)
@given(
    edits=st.lists(st.tuples(st.integers(0, 8192 + 3 * 64 - 1), st.integers(0, 255)), max_size=12),
    cut=st.integers(0, 8192 + 3 * 64),
    whole=st.booleans(),
)
def test_any_bytes_are_read_or_refused(
    tmp_path: Path, edits: list[tuple[int, int]], cut: int, whole: bool
) -> None:
    data = bytearray(log(GOOD))
    for at, value in edits:
        data[at] = value
    path = tmp_path / "inject-x-1.jil"
    path.write_bytes(bytes(data if whole else data[:cut]))
    try:
        found = read(path)
    except InjectLogError:
        return
    assert found.delays.num_rows <= 3
    for table in (found.delays, found.totals, found.processes):
        table.validate(full=True)
