"""The quick programs of the zoo; `make zoo-nightly` runs all of them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def test_programs_do_not_notice(root: Path) -> None:
    """Status, output, files and counts of everyday programs are the same with jostle as without."""
    if shutil.which("strace") is None:
        pytest.skip("needs strace, which counts the calls")
    command = [sys.executable, str(root / "tests/zoo/zoo.py"), "--smoke"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
