"""How processes, commands and jobs get their names."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from jostle.names.identity import identity, program_of_command, script_of

CASES = [
    line.split("\t")
    for line in (Path(__file__).parents[1] / "data/scripts.txt").read_text().splitlines()
    if not line.startswith("#")
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: " ".join(case[2:]))
def test_scripts(case: list[str]) -> None:
    """The cases that the runtime has, too (runtime/test/test_script.c)."""
    name, program, *command = case
    assert script_of(program, command) == name


def test_identity() -> None:
    """A process is its script, else its executable."""
    assert identity("train.py", "/usr/bin/python3.11") == "train.py"
    assert identity("", "/opt/lmp") == identity(None, "lmp") == "lmp"
    assert identity("", "") == identity(None, None) == "?"


@pytest.mark.parametrize(
    ("command", "name"),
    {
        "train.py --fast": "train.py",
        "env A=1 timeout -k 5 10s nice -n 3 cat x": "cat",
        f"mpirun -np 4 {sys.executable} -u code/train.py": "train.py",
        "timeout 5": "timeout",
        "sh -c ls": "sh",
        "sh job.sh": "job.sh",
    }.items(),
)
def test_commands(command: str, name: str) -> None:
    """A command is what its wrappers start."""
    assert program_of_command(command.split()) == name
