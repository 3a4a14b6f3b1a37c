"""Shared parts of commands that run experiments: options, progress, graceful end."""

from __future__ import annotations

import argparse
import os
import platform
import signal
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
_MACHINE = "machine"


def options(about: str | None, folder: str, kinds: Iterable[str] = ()) -> argparse.ArgumentParser:
    """Return a parser with the options that all these commands have.

    Args:
        about: The docstring of the command, of which the first line is shown.
        folder: Description of the default folder for runs.
        kinds: Kinds of experiments, for an option that selects some; empty: no such option.
    """
    parser = argparse.ArgumentParser(description=str(about).partition("\n")[0])
    if kinds:
        named = ", ".join(dict.fromkeys(kinds))
        text = f"number or kind of the experiments to run; kinds: {named}; repeatable"
        parser.add_argument("--only", action="append", metavar="WHAT", help=text)
    parser.add_argument("--folder", type=Path, help=f"folder for the runs [{folder}]")
    parser.add_argument(
        "--score-only", action="store_true", help="run nothing; score the stored runs"
    )
    parser.add_argument(
        "--page",
        type=Path,
        nargs="?",
        const=ROOT / "docs" / "measurements",
        metavar="DIR",
        help="write the page and its data into this folder [docs/measurements]",
    )
    return parser


def is_chosen(only: Sequence[str] | None, kind: str, number: int) -> bool:
    """Return whether an experiment is one of those that the option `--only` names; None: all."""
    return not only or bool({kind, str(number)} & set(only))


def say(text: str) -> None:
    """Show progress."""
    print(text, file=sys.stderr, flush=True)


class Follower:
    """Shows the progress, and the approximate time left."""

    def __init__(self, each_s: float) -> None:
        """Begin; `each_s` is a guess of the time of one experiment, in seconds."""
        self._began, self._first, self._each_s = time.monotonic(), -1, each_s

    def __call__(self, done: int, total: int, what: str) -> None:
        """Called before each experiment."""
        if self._first < 0:
            self._first = done
        spent = time.monotonic() - self._began
        each = spent / (done - self._first) if done > self._first else self._each_s
        say(f"{done + 1} of {total}, about {each * (total - done) / 60:.0f} min left: {what}")


def end_in_order() -> None:
    """Let a signal that would kill the command end it as Ctrl-C does: labs are taken down."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _ended)


def _ended(*_: Any) -> None:
    raise KeyboardInterrupt


def machine() -> str:
    """Return a sentence with the date and the machine of a measurement."""
    day = time.strftime("%Y-%m-%d")
    cores = f"{os.cpu_count()} cores, Linux {platform.release()}"
    return f"{day} on {cores}, load at the end {os.getloadavg()[0]:.1f}"


def note_machine(folder: Path) -> None:
    """Write the date and the machine of a measurement into its folder."""
    (folder / _MACHINE).write_text(machine())


def measured(folder: Path, how: str, count: str) -> str:
    """Return the sentence on how, when and on which machine a measurement was made.

    Args:
        folder: Folder of the measurement.
        how: What was chosen, such as `with seed 7`.
        count: Number of experiments, with its noun and a full stop.
    """
    known = folder / _MACHINE
    where = f", {known.read_text()}" if known.exists() else ""
    return f"Measured {how}{where}: {count}"


def facts(folder: Path, seed: int, count: int, where: str = "") -> str:
    """Return a sentence about a measurement: seed, date, machine, number of experiments.

    Args:
        folder: Folder of the measurement.
        seed: Seed of the experiments.
        count: Number of experiments.
        where: File system on which all were made; "": not one.
    """
    on = f"on {where} " if where else ""
    return measured(folder, f"{on}with seed {seed}", f"{count} experiments.")
