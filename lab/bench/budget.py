#!/usr/bin/env python3
"""Compares jostle's costs with lab/bench/budget.toml, by counts that every run reproduces.

    lab/bench/budget.py [KIND]... [--write [--reason WHY]]

KIND is one of answers, instructions, memory, pages, profile-bytes, system-calls and verbs; all,
if none is named. Two kinds are counted at a time. --write rewrites the budget; a figure that grows
needs a reason, which is written next to it.

Exit status 1 when a figure has grown, is new or is gone; 77 when nothing else is wrong, but some
figures could not be counted here, or only with other tools than the budget's. A figure that fell
is only named.
"""

from __future__ import annotations

import argparse
import importlib
import platform
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

from counts.figure import Figures, UncountedError
from counts.ledger import (
    Change,
    Limits,
    applied,
    before,
    compare,
    raised_without_reason,
    read,
    write,
)

BUDGET = Path(__file__).with_name("budget.toml")
AT_A_TIME = 2
NOT_DONE = 77
FAILED = "failed"


@dataclass(frozen=True)
class Kind:
    """A kind of figure.

    Attributes:
        unit: Unit of the counted figures.
        tools: Keys of `tools()` on which the figures depend: with other tools they cannot be
            compared.
        chance: Random variation of a figure in thousandths (at least 1), by the beginning of the
            figure's name; all other figures are exact.
    """

    unit: str
    tools: tuple[str, ...] = ()
    chance: Mapping[str, int] = field(default_factory=dict)


#: By the time they take, the longest first. Random variation of instructions: the numbers of files
#: decide where they are in a table, and an MPI looks for messages by the clock; of system calls: a
#: clock may be read once more, and the heartbeat may be waited for; of bytes: a number of an answer
#: may have a digit more; of statements: the order of threads decides what is queried twice.
KINDS = {
    "answers": Kind("SQL statements, bytes of JSON", (), {"bytes:": 0}),
    "pages": Kind("routes, bytes of files"),
    "instructions": Kind(
        "instructions",
        ("compiler", "libc", "valgrind"),
        {"call:": 0, "file:": 30, "start": 5, "openmpi:": 20, "mpich:": 20},
    ),
    "verbs": Kind("SQL statements", (), {"compare": 100, "report": 100}),
    "system-calls": Kind(
        "system calls",
        ("libc", "kernel", "strace"),
        {"512 files": 10, "slice of the agent": 1, "slice of the heartbeat": 0, "start": 0},
    ),
    "memory": Kind(
        "page faults, KiB", ("compiler", "libc", "kernel"), {"page faults": 150, "KiB": 10}
    ),
    "profile-bytes": Kind("bytes"),
}


def tools() -> dict[str, str]:
    """Return the versions of the tools on which figures depend."""
    return {
        "compiler": _first_line("gcc", "--version"),
        "kernel": ".".join(platform.release().split(".")[:2]),
        "libc": _first_line("ldd", "--version"),
        "strace": _first_line("strace", "--version"),
        "valgrind": _first_line("valgrind", "--version"),
    }


def _first_line(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return "none"
    return done.stdout.partition("\n")[0]


def count(kind: str) -> tuple[Figures | None, str, float]:
    """Count the figures of a kind; return them or the reason of a failure, and the seconds."""
    begin = time.monotonic()
    module = importlib.import_module(f"counts.{kind.replace('-', '_')}")
    try:
        found, why = module.measure(), ""
    except UncountedError as error:
        found, why = None, str(error)
    return found, why, time.monotonic() - begin


def count_all(kinds: list[str]) -> dict[str, Figures | str]:
    """Count some kinds, two at a time, each in a process of its own."""
    found: dict[str, Figures | str] = {}
    with ProcessPoolExecutor(
        AT_A_TIME, mp_context=get_context("spawn"), max_tasks_per_child=1
    ) as pool:
        running = {pool.submit(count, kind): kind for kind in kinds}
        for done in as_completed(running):
            kind = running[done]
            try:
                figures, why, seconds = done.result()
            except Exception as error:  # the other kinds are counted nevertheless
                found[kind] = f"{FAILED}: {error}"
                print(f"{kind:14s} {found[kind]}", file=sys.stderr)
                continue
            found[kind] = why if figures is None else figures
            said = f"{len(figures)} figures" if figures is not None else f"not counted: {why}"
            print(f"{kind:14s} {said}, {seconds:.0f} s", file=sys.stderr)
    return found


def main(arguments: list[str]) -> int:
    """Check or rewrite the budget; return the exit status."""
    options = _options(arguments)
    made_with, limits = read(BUDGET.read_text()) if BUDGET.exists() else ({}, {})
    kinds = [kind for kind in KINDS if not options.kind or kind in options.kind]
    found = count_all(kinds)
    here = tools()
    changes, undone = [], []
    for kind, figures in sorted(found.items()):
        other = [key for key in KINDS[kind].tools if made_with.get(key, here[key]) != here[key]]
        if isinstance(figures, str):
            undone.append(f"{kind}: {figures}")
        elif other and not options.write:
            undone.append(f"{kind}: the budget was counted with another {' and '.join(other)}")
        else:
            changes += compare(kind, limits.get(kind, {}), figures, KINDS[kind].chance)
    if options.write:
        return _write(made_with | here, limits, changes, options.reason)
    return _check(limits, changes, undone)


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(usage=(__doc__ or "").split("\n\n")[1].strip())
    parser.add_argument("kind", nargs="*", choices=[*KINDS, []])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--reason", default="")
    return parser.parse_args(arguments)


def _write(made_with: dict[str, str], limits: Limits, changes: list[Change], reason: str) -> int:
    for change in changes:
        print(change)
    if any(change.is_raise for change in changes) and not reason.strip():
        print('\nNothing was written: figures that grow need --reason "WHY".')
        return 1
    for kind in {change.kind for change in changes}:
        own = [change for change in changes if change.kind == kind]
        limits[kind] = applied(limits.get(kind, {}), own, reason.strip())
    BUDGET.write_text(write(made_with, limits))
    print(f"{BUDGET.name}: {len(changes)} figures changed.")
    return 0


def _check(limits: Limits, changes: list[Change], undone: list[str]) -> int:
    for change in changes:
        print(change)
    old = before(BUDGET)
    unexplained = raised_without_reason(old, limits) if old else []
    for each in unexplained:
        print(f"NO REASON for raising {each}")
    for each in undone:
        print(f"NOT DONE {each}")
    broken = any(f": {FAILED}: " in each for each in undone)
    if any(change.is_raise for change in changes) or unexplained:
        print(
            "\nA change increases a cost. Avoid that (`lab/bench/budget.py KIND` counts one kind\n"
            "again), or raise the figure in the same commit:\n"
            '    lab/bench/budget.py --write --reason "WHY IT IS WORTH IT"'
        )
    elif changes:
        print("\nThe budget is out of date: `make budget` rewrites it; commit its file.")
    if any(not change.is_fall for change in changes) or unexplained or broken:
        return 1
    count = sum(len(table) for table in limits.values())
    print(
        f"{count} figures are as in {BUDGET.name}" + f"; {len(undone)} kinds not "
        "done" * bool(undone)
    )
    return NOT_DONE if undone else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
