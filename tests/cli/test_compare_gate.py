"""`jostle compare --gate`: exit statuses, and its output for pipelines."""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as Xml
from pathlib import Path

import pytest
from test_estimate import stub

OLD_AND_NEW = ("compare", "old-run-*", "new-run-*")  # of 31 to 33 s, and of 21 to 23 s


@pytest.mark.parametrize(
    ("baseline", "percent", "status", "finding"),
    [
        ("old-run-1", "5", 0, "no slower: without interference 0.69 times"),
        ("new-run-1", "5", 3, "slower: without interference 1.45 times"),
        ("new-run-1", "45", 4, "undecided: without interference 1.45 times"),
    ],
)
def test_a_gate_ends_with_what_it_found(
    tmp_path: Path, baseline: str, percent: str, status: int, finding: str
) -> None:
    file = tmp_path / "junit.xml"
    words = (*OLD_AND_NEW, "--baseline", baseline, "--gate", percent, "--junit", str(file))
    done = stub(*words, "--annotate", "github")
    assert done.code == status, done.err
    assert f"run-*: {finding}" in done.out
    (case,) = Xml.parse(file).iter("testcase")
    tag, level = {0: ("system-out", "notice"), 3: ("failure", "error"), 4: ("skipped", "warning")}[
        status
    ]
    assert case[-1].tag == tag
    assert f"::{level} title=jostle compare%3A " in done.err
    reported = json.loads(stub(*words, "--json").out)
    (gate,) = reported["gate"]
    assert finding.startswith(gate["finding"])
    assert gate["ratio"]["low"] < gate["ratio"]["value"] < gate["ratio"]["high"]


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ((*OLD_AND_NEW, "--gate", "5"), "--baseline old-1 --gate 5"),
        ((*OLD_AND_NEW, "--junit", "it.xml"), "--gate 7.5 --junit it.xml"),
        (
            ("compare", "old-run-1", "old-run-2", "--baseline", "old-run-1", "--gate", "5"),
            "compare 'old-*' 'new-*'",
        ),
    ],
)
def test_a_gate_needs_something_to_compare(words: tuple[str, ...], hint: str) -> None:
    done = stub(*words)
    assert done.code == 2
    assert hint in done.err


def test_a_merge_request_gets_its_table_and_its_status(tmp_path: Path) -> None:
    words = (*OLD_AND_NEW, "--baseline", "new-run-1", "--gate", "5", "--markdown")
    done = stub(*words)
    assert done.code == 3
    assert done.out.startswith("| Runs of |")
    assert not (Path(os.getcwd()) / "gl-code-quality-report.json").exists()
