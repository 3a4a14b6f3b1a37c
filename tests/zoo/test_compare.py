"""The zoo's rules of comparison, on runs and traces made by hand."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from zoo import Outcome, Program, compare_counts, compare_files, compare_rest, compare_texts
from zoo import read_table as table

sys.path.insert(0, str(Path(__file__).parents[1] / "runtime"))

from tracing import Traced

BARE = Outcome(0, {"stdout": "a", "stderr": ""}, {"f.12": "1", "g": "2"}, {"/tmp/x7"}, [])
TRUTH = Traced(reads=3, bytes_read=30, writes=2, bytes_written=20, opens=5, folders=1)
COUNTED = {"reads": 3, "bytes_read": 30, "writes": 2, "bytes_written": 20, "opens": 4}


def test_names_are_given_once() -> None:
    rows = table()
    assert len({row.name for row in rows}) == len(rows) >= 50
    assert all(row.why for row in rows if row.counts != "calls")
    assert {row.counts for row in rows} == {"calls", "bytes", "bounds", "none"}


def test_texts() -> None:
    assert compare_texts("stdout", ("a", "a"), "a") == ([], "")
    assert compare_texts("stdout", ("a", "a"), "b")[0]
    assert compare_texts("stdout", ("pid 7", "pid 8"), "pid 9") == ([], "stdout: numbers")
    assert compare_texts("stdout", ("pid 7", "pid 8"), "pid 9\nld.so: no")[0]
    assert compare_texts("stdout", ("a", "b"), "c") == ([], "stdout")


def test_files() -> None:
    other = replace(BARE, files={"f.13": "1", "g": "2"})
    assert compare_files((BARE, other), replace(BARE, files={"f.9": "1", "g": "2"}))[0] == []
    for files in ({"g": "2"}, {"f.9": "1", "g": "3"}, {"f.9": "1", "g": "2", "h": "4"}):
        assert compare_files((BARE, other), replace(BARE, files=files))[0], files


def test_what_is_left() -> None:
    assert not compare_rest((BARE, BARE), replace(BARE, tmp={"/tmp/x8"}))
    assert compare_rest((BARE, BARE), replace(BARE, tmp={"/tmp/x7", "/tmp/jostle"}))
    assert compare_rest((BARE, BARE), replace(BARE, left=["heartbeat"]))


def test_counts() -> None:
    calls, nothing = Program("p", "true"), dict.fromkeys(COUNTED, 0)
    seen = {"posix": COUNTED, "stdio": nothing}
    assert compare_counts(calls, seen, [TRUTH]) == []
    for word in COUNTED:
        for more in (-1, 2):
            wrong = {"posix": {**COUNTED, word: COUNTED[word] + more}, "stdio": nothing}
            assert compare_counts(calls, wrong, [TRUTH]), (word, more)
    streams = {
        "posix": {**COUNTED, "writes": 1, "bytes_written": 5},
        "stdio": {**nothing, "bytes_written": 15},
    }
    assert compare_counts(calls, streams, [TRUTH])
    by_bytes = replace(calls, counts="bytes")
    assert compare_counts(by_bytes, streams, [TRUTH]) == []
    streams["stdio"]["bytes_written"] = 14
    assert compare_counts(by_bytes, streams, [TRUTH])
    assert compare_counts(replace(by_bytes, unseen=0.1), streams, [TRUTH]) == []
    assert compare_counts(replace(calls, counts="bounds"), streams, [TRUTH]) == []
    assert compare_counts(
        replace(calls, counts="bounds"),
        {"posix": {**COUNTED, "reads": 4}, "stdio": nothing},
        [TRUTH],
    )
