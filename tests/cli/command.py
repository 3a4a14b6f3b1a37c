"""Run the command, or some Python, as a user would."""

from __future__ import annotations

import os
import subprocess
import sys

import ready
from ready import ROOT, Done


def jostle(*words: str, stdin: str | None = None, afresh: bool = False, **environment: str) -> Done:
    """Run the command as a user would, in UTC, without colour, 100 columns wide.

    Args:
        words: what follows `jostle`.
        stdin: what it may read.
        afresh: start it from nothing; else its imports are done already.
        environment: variables in addition to those of the tests, except JOSTLE_*.
    """
    if afresh or stdin is not None:
        return ready.started(words, plain() | environment, stdin=stdin)
    return ready.run(words, plain() | environment)


def plain() -> dict[str, str]:
    """The variables of a user: UTC, without colour, 100 columns wide."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("JOSTLE", "NO_COLOR"))}
    if "JOSTLE_NATIVE" in os.environ:
        clean["JOSTLE_NATIVE"] = os.environ["JOSTLE_NATIVE"]
    return clean | {
        "TZ": "UTC",
        "COLUMNS": "100",
        "PYTHONUTF8": "1",
        "PYTHONPATH": str(ROOT / "src"),
    }


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
