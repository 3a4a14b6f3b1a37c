"""Faults of file calls: lists the calls of an operation, and makes one of them fail or kill it.

A library (faults.c) stands between a Python and the C library; it sees the calls of DuckDB and
Arrow as well. That Python has imported everything and forks for each operation (operations.py).
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
_NUMBER = re.compile(r"[0-9a-f]{32}")
_TIME = re.compile(r"(?<==)[0-9-]+")


@dataclass(frozen=True)
class Fault:
    """One call that fails.

    Attributes:
        call: Its name, as faults.c has it.
        pattern: Its path in the watched folder, with * for what differs from time to time.
        number: Which of those calls.
        error: The errno.
        stays: All later ones fail, too.
    """

    call: str
    pattern: str
    number: int
    error: int
    stays: bool = False

    def __str__(self) -> str:
        more = " and on" if self.stays else ""
        return f"{self.call} {self.pattern} #{self.number}{more}: {os.strerror(self.error)}"


@dataclass(frozen=True)
class Outcome:
    """The outcome of an operation.

    Attributes:
        status: Of its process: 0, or negative the signal that ended it.
        calls: What it asked of files: names and patterns.
        failed: Calls that were made to fail.
        said: What the operation gives (operations.py).
    """

    status: int
    calls: list[tuple[str, str]]
    failed: int
    said: dict[str, Any]


def build_shim(folder: Path) -> Path:
    """Compiles the library; OSError or CalledProcessError where there is no compiler."""
    target = folder / "faults.so"
    command = ["cc", "-shared", "-fPIC", "-O1", "-Wall", str(HERE / "faults.c"), "-o", str(target)]
    subprocess.run([*command, "-ldl"], check=True)
    return target


class Forks:
    """A Python with the library, which forks for each operation."""

    def __init__(self, shim: Path) -> None:
        self._out = shim.with_name("outcome.json")
        env = {**os.environ, "LD_PRELOAD": str(shim), "OMP_NUM_THREADS": "1"}
        self._python = subprocess.Popen(
            [sys.executable, str(HERE / "operations.py")],
            env=env,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def run(
        self,
        name: str,
        ground: Path,
        fault: Fault | None = None,
        *,
        kill_at: int = 0,
        look: bool = True,
    ) -> Outcome:
        """Does an operation in a process of its own.

        Args:
            name: The operation.
            ground: Folder of spool and repository; the only one that is watched.
            fault: What is to fail.
            kill_at: Number of the call before which the process is killed; 0 for none.
            look: Look at what is left, too.
        """
        assert self._python.stdin is not None
        assert self._python.stdout is not None
        self._out.unlink(missing_ok=True)
        asked = {
            "name": name,
            "ground": str(ground),
            "out": str(self._out),
            "kill_at": kill_at,
            "look": look,
            "fault": fault and asdict(fault),
        }
        self._python.stdin.write(json.dumps(asked) + "\n")
        self._python.stdin.flush()
        status = int(self._python.stdout.readline())
        if not self._out.exists():
            return Outcome(status, [], 0, {})
        reported = json.loads(self._out.read_text())
        return Outcome(
            status, [(a, b) for a, b in reported["calls"]], reported["failed"], reported["said"]
        )

    def close(self) -> None:
        """Ends it."""
        self._python.communicate()


class Shim:
    """The library, from within the process that it was loaded into."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(None)
        self._library.faults_call.restype = ctypes.c_char_p

    def begin(self, ground: str, fault: Fault | None, kill_at: int) -> None:
        """Watches a folder, and lets a call fail or kill."""
        self._library.faults_watch(ground.encode())
        if fault is not None:
            self._library.faults_fail(
                fault.call.encode(),
                fault.pattern.encode(),
                ctypes.c_long(fault.number),
                fault.error,
                int(fault.stays),
            )
        self._library.faults_kill(kill_at)

    @contextmanager
    def away(self) -> Iterator[None]:
        """Ignores calls in the block."""
        self._library.faults_look(0)
        yield
        self._library.faults_look(1)

    def stop(self) -> int:
        """Ends that; gives how many calls failed."""
        return int(self._library.faults_stop())

    def calls(self) -> list[tuple[str, str]]:
        """Gives the calls: name, and pattern of the path."""
        path = ctypes.c_char_p()
        found = []
        for number in range(self._library.faults_calls()):
            name = self._library.faults_call(ctypes.c_long(number), ctypes.byref(path))
            found.append((name.decode(), pattern_of((path.value or b"").decode())))
        return found


def pattern_of(path: str) -> str:
    """Gives the pattern of a path: generated numbers differ from run to run."""
    path = path.replace("[", "[[]")
    return _TIME.sub("*", _NUMBER.sub("[0-9a-f]*", path)).removesuffix(" (deleted)")


def sites(calls: Iterable[tuple[str, str]]) -> dict[tuple[str, str], int]:
    """Counts the calls of each name and pattern, in order of their first."""
    found: dict[tuple[str, str], int] = {}
    for one in calls:
        found[one] = found.get(one, 0) + 1
    return found
