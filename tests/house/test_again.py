"""Calls that need a second try are retried, listed, and counted over runs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FLAKY = """\
from pathlib import Path
import pytest

def again(name):
    seen = Path(__file__).with_name(name)
    known = seen.exists()
    seen.touch()
    return known

@pytest.mark.parametrize("case", ["with blanks"])
def test_alone(case):
    assert again("alone")

@pytest.mark.tries(2)
def test_at_once():
    assert again("at once")

def test_wrong():
    assert False
"""
ALONE = "tests/house/test_flaky.py::test_alone[with blanks]"
AT_ONCE = "tests/house/test_flaky.py::test_at_once"


def record(logs: Path) -> list[list[str]]:
    return [line.split("\t")[2:] for line in (logs / "again.tsv").read_text().splitlines()]


def test_a_run_of_all_tests(tmp_path: Path) -> None:
    """tools/test.sh, in a project whose tests fail at the first try."""
    (tmp_path / "tests/house").mkdir(parents=True)
    (tmp_path / "lab/tests/study").mkdir(parents=True)
    (tmp_path / "lab/tests/study/test_right.py").write_text("def test_right(): pass\n")
    (tmp_path / "tools").mkdir()
    for name in (
        "tools/test.sh",
        "tools/again.py",
        "tools/order_tests.py",
        "tools/test_seconds.tsv",
        "tests/conftest.py",
        "tests/shared_fixtures.py",
        "pyproject.toml",
    ):
        shutil.copy(ROOT / name, tmp_path / name)
    bin_folder = tmp_path / ".venv" / "bin"
    bin_folder.mkdir(parents=True)
    (bin_folder / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (bin_folder / "python").chmod(0o755)
    (tmp_path / "tests/house/test_flaky.py").write_text(FLAKY)
    done = subprocess.run([tmp_path / "tools/test.sh"], capture_output=True, text=True)
    assert done.returncode == 1, "what is wrong is wrong again"
    assert re.search(r"^lab-study +ok .* 1 passed", done.stdout, re.MULTILINE)
    assert f"AGAIN {ALONE} (alone)\nAGAIN {AT_ONCE}\n" in done.stdout
    assert f"  1 x {ALONE}\n  1 x {AT_ONCE}\n" in done.stdout
    assert "DEFECT" not in done.stdout
    logs = tmp_path / "build/tests"
    renew = [sys.executable, "tools/order_tests.py", "build/tests", "--write"]
    subprocess.run(renew, cwd=tmp_path, check=True)
    rows = (tmp_path / "tools/test_seconds.tsv").read_text().splitlines()
    assert sorted(row.split("\t")[0] for row in rows[1:]) == ["house", "lab-study"]
    assert sorted(record(logs)) == [[ALONE, "alone"], [AT_ONCE, "at once"]]


def run(logs: Path, *tests: str) -> str:
    (logs / "lab.log").write_text("".join(f"AGAIN {test}\n" for test in tests))
    command = [sys.executable, ROOT / "tools/again.py", logs]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_a_test_that_needs_it_in_two_of_five_runs_is_a_defect(tmp_path: Path) -> None:
    assert run(tmp_path) == "", "a fresh clone has no record"
    assert "DEFECT" not in run(tmp_path, "a::b", "a::c (alone)", "a::b")
    assert "DEFECT" not in run(tmp_path, "a::d")
    said = run(tmp_path, "a::b (alone)")
    assert said.splitlines()[1:] == [
        "  2 x a::b",
        "  1   a::c",
        "  1   a::d",
        "DEFECT of the test or of the product, to be found and fixed: a::b",
    ]
    assert "DEFECT" in run(tmp_path) and "DEFECT" in run(tmp_path)
    said = run(tmp_path)  # the second run is not of the last five any more
    assert said.splitlines()[1:] == ["  1   a::b", "  1   a::d"]
    assert len(record(tmp_path)) == 8


def test_a_damaged_record_counts_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "again.tsv").write_text("2026-01-01\tabc\n\n\xff\t\t\n")
    assert run(tmp_path) == ""
