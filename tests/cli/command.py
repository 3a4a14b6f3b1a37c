"""Run the command, or some Python, as a user would."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str


def jostle(*words: str, stdin: str | None = None, **environment: str) -> Done:
    """Run the command as a user would, in UTC, without colour, 100 columns wide."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("JOSTLE", "NO_COLOR"))}
    if "JOSTLE_NATIVE" in os.environ:
        clean["JOSTLE_NATIVE"] = os.environ["JOSTLE_NATIVE"]
    clean |= {"TZ": "UTC", "COLUMNS": "100", "PYTHONUTF8": "1", "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-m", "jostle.cli", *words],
        env=clean | environment,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def python(code: str, *words: str) -> Done:
    """Run some Python that can import jostle."""
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)
