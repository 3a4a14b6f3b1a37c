"""Unusual processes end in the same way with jostle, and are counted to the byte."""

from __future__ import annotations

import os

import pytest
from harness import Compile, Runner, needs_plain_build, needs_root

# The loader says that it had no descriptor left for the library, as it says of the C library.
_OF_US = ("jostle: ", "ERROR: ld.so: object ")
LIVES = {
    "thread ends": 3,
    "process ends": 3,
    "main ends first": 5,
    "jumps": 3,
    "throws": 3,
    "cancels": 3,
    "streams closed": 3,
    "stack is small": 3,
    "signal stack is small": 3,
}


@pytest.mark.in_turn
@pytest.mark.parametrize("first", [None, str(os.getpid())], ids=["", "started first"])
@pytest.mark.parametrize("closed", ["", "<&- >&- 2>&-"], ids=["", "no streams"])
@pytest.mark.parametrize("life", LIVES)
def test_odd_lives(
    jostle: Runner, build: Compile, life: str, closed: str, first: str | None
) -> None:
    """Same output and status as bare; what was written is what was counted."""
    program = build("hostile.cc", "-fnon-call-exceptions")
    command = ("sh", "-c", f"exec {program} '{life}' {closed}")
    out = jostle.data / "out"
    process = jostle.start(*command, preload=[], env={"TRUTH": None})
    said = process.communicate(timeout=60)
    bare, bare_code = out.read_bytes(), process.returncode
    out.unlink()
    assert bare_code == LIVES[life]
    result = jostle.run(*command, code=bare_code, env={"JOSTLE_FIRST": first})
    assert (result.stdout, result.stderr) == said
    assert out.read_bytes() == bare
    assert result.total("posix_write_bytes") == len(bare)
    result.check("posix_write", merged=True)


@pytest.mark.in_turn
@pytest.mark.parametrize("count", range(3, 9))
@pytest.mark.parametrize("first", [None, str(os.getpid())], ids=["", "started first"])
def test_few_descriptors_from_the_start(jostle: Runner, count: int, first: str | None) -> None:
    """What a program can open, and the error where it cannot, are the same."""
    script = (
        f"ulimit -n {count}; exec 3</etc/passwd; echo $?; exec 4</etc/passwd; echo $?; "
        "cat /etc/hostname; echo $?; for i in 1 2 3; do read line <&3; echo $line; done; exit 9"
    )
    ends = []
    for preload, env in (([], {}), (None, {"JOSTLE_FIRST": first})):
        process = jostle.start("bash", "-c", script, preload=preload, env=env)
        out, err = process.communicate(timeout=60)
        said = [line for line in err.splitlines() if not line.startswith(_OF_US)]
        ends.append((out, said, process.returncode))
    assert ends[0] == ends[1]


def test_children_of_a_changed_root(jostle: Runner, build: Compile) -> None:
    """Their spool is out of reach after chroot; each has a record, with all that it wrote."""
    needs_root()
    jail = jostle.data / "jail"
    result = jostle.run(build("changed_root.c"), jail)
    assert (result.stdout, result.stderr) == ("", "")
    result.check("posix_write", "error_access", merged=True)
    (main,) = [p for p in result.processes if not p.short]
    assert main.total("posix_write_ops") == 200
    writes = sorted(p.total("posix_write_ops") for p in result.processes if p.short)
    assert writes == [0, 7, 150]
    assert sorted(p.name for p in jail.iterdir()) == [
        "child",
        "grandchild",
        "large",
        "main",
        "thread",
    ]


def test_children_that_cannot_be_recorded(jostle: Runner, build: Compile) -> None:
    """Where the program closed what leads to the spool, its profile says how many are missing."""
    needs_root()
    needs_plain_build(jostle.library)
    result = jostle.run(build("changed_root.c"), jostle.data / "jail", "closed")
    assert (result.stdout, result.stderr) == ("", "")
    main = result.only()
    assert main.total("posix_write_ops") == 200
    (note,) = [note for note in main.notes if "root" in note]
    assert note.startswith("3 processes are missing")
