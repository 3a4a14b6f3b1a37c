"""The type of a figure (a counted cost), and the folder in which programs run to be counted."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = ROOT / "lab" / "bench" / "programs"
#: Where the C parts are; the build that is counted.
NATIVE = ROOT / "build" / "native"
FILES, IN_A_FOLDER = 512, 32  # as in programs/counted.c


class UncountedError(Exception):
    """This machine lacks what a kind of figure needs; the text names it."""


@dataclass(frozen=True)
class Figure:
    """A counted figure.

    Attributes:
        value: Value of the figure.
        of: Parts of the figure, to find what has been added.
    """

    value: int
    of: str = ""


Figures = dict[str, Figure]


def need(*commands: str) -> None:
    """Raise UncountedError unless all commands are installed."""
    missing = [command for command in commands if not shutil.which(command)]
    if missing:
        raise UncountedError(f"{' and '.join(missing)} not installed")


@contextmanager
def work_folder(kind: str) -> Iterator[Path]:
    """Make a folder in memory with the library; its path is the same each time.

    The length of a path determines the cost of its copies, and its hash the position of a file in a
    table. One process has the folder at a time; others wait.
    """
    shm = Path("/dev/shm")
    in_memory = shm.is_dir() and os.access(shm, os.W_OK)
    folder = (shm if in_memory else Path("/tmp")) / f"jostle-{os.getuid():05d}-{kind}"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        try:
            (folder / "spool").mkdir()
            (folder / "native").mkdir()
            for library in NATIVE.glob("libjostle*.so"):
                shutil.copy(library, folder / "native")
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def fill(folder: Path) -> None:
    """Make the files that programs/counted.c opens; each run needs new ones."""
    for name in ("data", "stream"):
        (folder / name).write_bytes(b"jostle! " * 8192)
    for number in range(FILES):
        above = f"{number // IN_A_FOLDER}/{number}"
        groups = [f"{group}/{above}" for group in ("absolute", "relative", "descriptor", "folder")]
        for name in (*groups, f"single/0/{number}", f"many/{number}/{number}"):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"jostle! ")


def variables(folder: Path, slice_length: str = "60s", *, is_bare: bool = False) -> dict[str, str]:
    """The whole environment of a counted program; nothing is inherited, since that would vary."""
    found = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "HOME": "/nowhere"}
    return (
        found
        if is_bare
        else found
        | {
            "LD_PRELOAD": str(folder / "native" / "libjostle.so"),
            "JOSTLE_SPOOL": str(folder / "spool"),
            "JOSTLE_SLICE": slice_length,
        }
    )


def compiled(folder: Path, name: str, *more: str, compiler: Sequence[str] = ("gcc",)) -> str:
    """Compile a program of lab/bench/programs into the folder; return its path."""
    program = folder / name
    words = [*compiler, "-std=gnu11", "-O2", str(PROGRAMS / f"{name}.c"), *more]
    done = subprocess.run([*words, "-o", str(program)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{name}.c cannot be compiled:\n{done.stderr}")
    return str(program)


def unmoved() -> list[str]:
    """The prefix of a command that gives the command the same memory addresses in each run."""
    command = ["setarch", "-R"]
    tried = subprocess.run([*command, "true"], capture_output=True, check=False)
    return command if tried.returncode == 0 else []


def run(words: Sequence[str], folder: Path, environment: dict[str, str]) -> str:
    """Run a command in the folder; return its output.

    Raises:
        RuntimeError: The command failed.
    """
    done = subprocess.run(
        words,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: status {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout
