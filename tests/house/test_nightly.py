"""Tests that take too long for every change are run in turn, and forgotten ones are named."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import nightly  # noqa: E402


def test_seven_days_run_each_part_that_has_a_day_once() -> None:
    begin = date(2026, 3, 2)
    ran = [part.name for day in range(7) for part in nightly.of_day(begin + timedelta(day))]
    assert sorted(ran) == sorted(part.name for part in nightly.PARTS if part.day is not None)
    names = [part.name for part in nightly.PARTS]
    assert len(set(names)) == len(names)


def test_parts_that_nobody_ran_before_have_a_day() -> None:
    days = {part.name: part.day for part in nightly.PARTS}
    assert days["demo-site"] is not None and days["demo-network"] is not None
    assert days["ubsan-0"] is not None


@pytest.mark.parametrize("part", nightly.PARTS, ids=lambda part: part.name)
def test_what_a_part_runs_is_there(part: nightly.Part) -> None:
    for name in re.findall(r"(?:\.venv|tools|tests|lab)/[\w/.]+", part.command):
        assert (ROOT / name).exists(), name
    for name in re.findall(r"python -m (\w+)", part.command):
        assert importlib.util.find_spec(f"{name}.__main__"), f"{name} cannot be run"


def test_the_pieces_of_ubsan_are_those_of_check() -> None:
    text = (ROOT / "tools/check.sh").read_text()
    pieces = " ".join(str(piece) for piece in range(nightly.UBSAN))
    assert f"for piece in {pieces}; do" in text
    assert f"NR % {nightly.UBSAN} == piece" in text


def test_the_committed_record_names_parts_and_its_days_are_short() -> None:
    passed = nightly.read()
    known = {part.name: part for part in nightly.PARTS}
    assert passed.keys() <= known.keys()
    seconds = dict.fromkeys(range(nightly.DAYS), 0.0)
    for name, each in passed.items():
        date.fromisoformat(each.date)
        day = known[name].day
        if day is not None:
            seconds[day] += float(each.seconds)
    # Twice: the machine that wrote them may have had other load.
    assert max(seconds.values()) <= 2 * nightly.LIMIT_S, "divide a part, or leave it to nightly"


def test_what_has_not_passed_for_long_is_named() -> None:
    today = date(2026, 11, 29)
    passed = {part.name: nightly.Passed("2026-11-01", "abc", "5") for part in nightly.PARTS}
    assert nightly.late(passed, today) == []
    passed["zoo"] = nightly.Passed("2026-10-29", "abc", "5")
    del passed["faults"]
    passed["ubsan-1"] = nightly.Passed("no date", "abc", "5")
    said = nightly.late(passed, today)
    assert [line.split(" has ")[0] for line in said] == ["LATE ubsan-1", "LATE faults", "LATE zoo"]
    assert "31 days, last on 2026-10-29 (abc)" in said[2]


def a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *commands: str, keep: bool = True
) -> tuple[int, dict[str, nightly.Passed]]:
    parts = tuple(nightly.Part(f"p{n}", command, 0) for n, command in enumerate(commands))
    monkeypatch.setattr(nightly, "PARTS", parts)
    monkeypatch.setattr(nightly, "RECORD", tmp_path / "nightly.tsv")
    monkeypatch.setattr(nightly, "LOGS", tmp_path / "logs")
    code = nightly.run_all(parts, keep=keep)
    return code, nightly.read(tmp_path / "nightly.tsv")


def test_only_what_passed_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    commands = ("echo fine", "echo no disk here; exit 77", "echo broken; exit 3")
    code, passed = a_run(tmp_path, monkeypatch, *commands)
    assert code == 1 and list(passed) == ["p0"]
    assert re.fullmatch(r"[0-9a-f]{7,}\+?|-", passed["p0"].commit)
    said = capsys.readouterr().out
    assert "p1               NOT DONE" in said and "no disk here" in said
    assert said.splitlines()[-1] == "passed: p0; FAILED: p2; NOT DONE: p1"
    assert a_run(tmp_path / "other", monkeypatch, *commands[:2])[0] == nightly.NOT_DONE


def test_a_check_in_a_fresh_clone_leaves_the_record_as_it_is() -> None:
    before = nightly.RECORD.read_bytes()
    script = """
import nightly, sys
today = nightly.datetime.now(nightly.UTC).timetuple().tm_yday % 7
nightly.PARTS = (nightly.Part("p", "true", today),)
sys.argv[1:] = ["--today"]
sys.exit(nightly.main())
"""
    environment = os.environ | {"CI": "1", "PYTHONPATH": str(ROOT / "tools")}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "passed: p"
    assert done.stderr == "LATE p has never passed: tools/nightly.py p\n"
    assert nightly.RECORD.read_bytes() == before


def test_what_a_machine_lacks_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part = nightly.Part("p", "touch it", needs=("no-such-program",))
    assert nightly.run(part) == (nightly.NOT_DONE, "no no-such-program here")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert nightly.missing(nightly.Part("p", "true", needs=("root",))) == "needs root"
