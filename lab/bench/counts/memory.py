"""Counts what jostle adds to a process: page faults of its start, and memory that it writes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from counts.figure import Figure, Figures, compiled, fill, run, unmoved, variables, work_folder


def measure() -> Figures:
    """Count with and without jostle; return the differences by name."""
    with work_folder("memory") as folder:
        fill(folder)
        program = compiled(folder, "counted")
        before = unmoved()
        faults = [
            min(_faults([*before, program, "none"], folder, is_bare) for _ in range(5))
            for is_bare in (True, False)
        ]
        kib = [
            int(
                run(
                    [*before, program, "hold", "60"],
                    folder,
                    variables(folder, "100ms", is_bare=is_bare),
                )
            )
            for is_bare in (True, False)
        ]
    return {
        "page faults: start and end of a process": Figure(faults[1] - faults[0]),
        "KiB written: a process that writes a file": Figure(kib[1] - kib[0]),
    }


def _faults(words: Sequence[str], folder: Path, is_bare: bool) -> int:
    """Minor page faults of a process until its end."""
    process = subprocess.Popen(words, env=variables(folder, is_bare=is_bare), cwd=folder)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{words[-2]} failed: {process.returncode}")
    return usage.ru_minflt
