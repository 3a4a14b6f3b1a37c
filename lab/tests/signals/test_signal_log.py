"""The reader of signals' logs: what is read, tolerated and refused."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from signal_logs import BURST, END, HEADER, SLICE, put, text, whole

from jostle_lab.signals import SignalLogError, read_log
from jostle_lab.signals.log import LONGEST_LINE

FILE = settings(max_examples=100)


def test_tables(tmp_path: Path) -> None:
    put(tmp_path, whole(pid=8, rank=1, ranks=2), "noise.node1.8.jsonl")
    put(tmp_path, whole(ranks=2))
    log = read_log(tmp_path)
    assert log.processes["rank"].to_pylist() == [0, 1]
    assert log.processes["complete"].to_pylist() == [True, True]
    first = log.processes.to_pylist()[0]
    assert {k: first[k] for k in HEADER if k in first} == {
        **{k: v for k, v in HEADER.items() if k not in ("type", "version")},
        "ranks": 2,
    }
    assert {k: first[k] for k in END if k != "type"} == {k: END[k] for k in END if k != "type"}
    assert log.bursts.to_pylist()[1] == {
        "job": "noise",
        "host": "node1",
        "pid": 8,
        "rank": 1,
        **{k: v for k, v in BURST.items() if k != "type"},
    }
    assert log.slices.num_rows == 2 and log.slices["max_ns"].to_pylist() == [40, 40]
    assert log.notes == ()


def test_one_job_of_a_folder(tmp_path: Path) -> None:
    put(tmp_path, whole())
    put(tmp_path, whole(job="noise.two"), "noise.two.node1.9.jsonl")
    put(tmp_path, whole(job="other"), "other.node1.9.jsonl")
    assert read_log(tmp_path, job="noise").processes["job"].to_pylist() == ["noise"]
    assert read_log(tmp_path, job="noise.two").processes.num_rows == 1
    assert read_log(tmp_path).processes.num_rows == 3
    with pytest.raises(SignalLogError, match="No log of a signal named nose") as caught:
        read_log(tmp_path, job="nose")
    assert "noise" in caught.value.hint


def test_files_and_folders_together(tmp_path: Path) -> None:
    one = put(tmp_path, whole(), "a.jsonl")
    folder = tmp_path / "more"
    folder.mkdir()
    put(folder, whole(pid=8))
    assert read_log([one, folder]).processes.num_rows == 2


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(SignalLogError, match="No log of a signal in") as caught:
        read_log(tmp_path)
    assert "--log" in caught.value.hint
    with pytest.raises(SignalLogError, match="neither a folder nor a file"):
        read_log(tmp_path / "away")


def test_a_pipe_does_not_keep_us_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "noise.node1.9.jsonl")
    put(tmp_path, whole())
    assert read_log(tmp_path).processes.num_rows == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_closed_file(tmp_path: Path) -> None:
    put(tmp_path, whole()).chmod(0)
    with pytest.raises(SignalLogError, match="cannot be read"):
        read_log(tmp_path)


@given(cut=st.integers(min_value=1))
@FILE
def test_a_log_cut_anywhere_is_read_as_far_as_it_goes(tmp_path: Path, cut: int) -> None:
    content = whole().encode()
    cut = cut % len(content)
    path = put(tmp_path, content[:cut])
    log = read_log(path)
    lines = content[:cut].split(b"\n")
    # What has all its characters counts, the new line or not.
    entire = sum(json_or_none(line) is not None for line in lines)
    assert log.processes.num_rows == min(entire, 1)
    assert log.bursts.num_rows == int(entire >= 2)
    assert log.slices.num_rows == int(entire >= 3)
    assert len(log.notes) >= int(entire < 4)
    assert all(str(path) in note for note in log.notes)


def json_or_none(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None


def test_a_killed_process_has_no_totals(tmp_path: Path) -> None:
    put(tmp_path, text(HEADER, BURST))
    log = read_log(tmp_path)
    assert log.processes.to_pylist()[0]["operations"] is None
    assert log.processes["complete"].to_pylist() == [False]
    assert "was killed, or still runs" in log.notes[0]


def without(line: dict[str, Any], name: str) -> dict[str, Any]:
    return {k: v for k, v in line.items() if k != name}


DAMAGE = {
    "no json": ('{"type": "signal"\n', 1, "not JSON"),
    "nan": (whole().replace("40}", "NaN}"), 3, "NaN is not a number"),
    "no object": ("[1]\n", 1, "not an object"),
    "no type": ('{"version": 1}\n', 1, "no type"),
    "not utf-8": (b'{"type": "\xff"}\n', 1, "not text in UTF-8"),
    "nested": (b"[" * 100_000 + b"\n", 1, "nested too deeply"),
    "long": (b" " * LONGEST_LINE, 1, "longer than"),
    "endless number": ('{"type": "x", "n": ' + "9" * 5000 + "}\n", 1, "not JSON"),
    "newer": (text(HEADER | {"version": 2}), 1, "version of the log is 2"),
    "headless": (text(BURST), 1, "begins with `burst`"),
    "two heads": (text(HEADER, HEADER), 2, "second signal"),
    "after the end": (text(HEADER, END, SLICE), 3, "comes after the end"),
    "missing": (text(without(HEADER, "rank")), 1, "has no rank"),
    "null": (text(HEADER | {"host": None}), 1, "has no host"),
    "text for number": (text(HEADER | {"rank": "0"}), 1, "rank is not a whole number"),
    "truth for number": (text(HEADER | {"pid": True}), 1, "pid is not a whole number"),
    "real for number": (text(HEADER, BURST | {"bytes": 1.5}), 2, "bytes is not a whole number"),
    "number for text": (text(HEADER | {"job": 1}), 1, "job is not a text"),
    "number for truth": (text(HEADER | {"shared": 1}), 1, "shared is not true or false"),
    "text for real": (text(HEADER | {"duty": "half"}), 1, "duty is not a number"),
    "text for list": (text(HEADER | {"arguments": "a"}), 1, "arguments is not a list of texts"),
    "half a surrogate": (text(HEADER | {"job": "\ud800"}), 1, "job is not a text"),
    "too large": (text(HEADER | {"chunk": 1 << 63}), 1, "chunk is out of range"),
    "negative": (text(HEADER, SLICE | {"busy_ns": -1}), 2, "busy_ns is out of range"),
    "burst backwards": (text(HEADER, BURST | {"end_ns": 5}), 2, "before its beginning"),
    "bursts overlap": (text(HEADER, BURST, BURST), 3, "before the end of the last one"),
    "slice again": (text(HEADER, SLICE, SLICE), 3, "comes after slice"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_named(tmp_path: Path, name: str) -> None:
    """Every error names file, line and reason, and says what to do."""
    content, line, reason = DAMAGE[name]
    path = put(tmp_path, content)
    with pytest.raises(SignalLogError) as caught:
        read_log(tmp_path)
    message = str(caught.value)
    assert message.startswith(f"{path}, line {line}: ") and reason in message
    assert caught.value.hint
    assert len(message) < 400 + len(str(path))


def test_additions_of_later_versions_are_left_out(tmp_path: Path) -> None:
    put(tmp_path, text(HEADER | {"new": [1]}, {"type": "wrap", "bytes": 1}, BURST, SLICE, END))
    log = read_log(tmp_path)
    assert log.bursts.num_rows == 1 and "new" not in log.processes.column_names


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


@given(content=st.binary(max_size=2000))
@FILE
def test_any_bytes_give_tables_or_our_error(tmp_path: Path, content: bytes) -> None:
    attempt(put(tmp_path, content))


@given(data=st.data())
@FILE
def test_any_change_gives_tables_or_our_error(tmp_path: Path, data: st.DataObject) -> None:
    """One value of a good log becomes any other."""
    lines = [dict(line) for line in (HEADER, BURST, SLICE, END)]
    line = data.draw(st.sampled_from(lines))
    line[data.draw(st.sampled_from(sorted(line)))] = data.draw(JSON)
    attempt(put(tmp_path, text(*lines)))


@given(data=st.data())
@FILE
def test_any_order_gives_tables_or_our_error(tmp_path: Path, data: st.DataObject) -> None:
    lines = data.draw(st.lists(st.sampled_from([HEADER, BURST, SLICE, END]), max_size=6))
    attempt(put(tmp_path, text(*lines)))


def attempt(path: Path) -> None:
    """Any exception but ours goes on, and fails the test."""
    said: SignalLogError | None = None
    try:
        log = read_log(path)
    except SignalLogError as error:
        said = error
    if said is not None:
        assert str(path) in str(said)
        assert said.hint
        return
    for table in (log.processes, log.bursts, log.slices):
        table.validate(full=True)
