"""Runs a subcommand of jostle in a new process, and measures its time, CPU time and memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]


@dataclass(frozen=True)
class Run:
    """The result of a command: seconds, seconds of CPU, peak memory (MiB), output."""

    wall_s: float
    cpu_s: float
    memory_mib: float
    out: str


def run(words: list[str]) -> Run:
    """Run a verb in a new process."""
    env = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed jostle is compiled once, not each time
    begin = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, "-m", "jostle.cli", *words], env=env, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    out = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"jostle {words[0]} ended with {child.returncode}")
    wall = time.perf_counter() - begin
    return Run(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, out)
