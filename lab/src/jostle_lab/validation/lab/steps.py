"""Compiles the MPI program of steps (`steps.c`), and builds its command line."""

from __future__ import annotations

import subprocess
from pathlib import Path

from jostle_lab.validation.errors import ValidationError

#: The MPI whose waiting ranks leave their core to others.
MPI = "openmpi"
_SOURCE = Path(__file__).with_name("steps.c")


def compile_steps(folder: Path) -> Path:
    """Compile the program into a folder; return its path.

    Raises:
        ValidationError: There is no compiler of this MPI, or it failed.
    """
    program = folder / "steps"
    try:
        done = subprocess.run(
            [f"mpicc.{MPI}", "-O2", "-o", str(program), str(_SOURCE)],
            capture_output=True,
            text=True,
        )
    except FileNotFoundError as error:
        raise ValidationError(f"{_SOURCE.name} cannot be compiled: {error}") from error
    if done.returncode:
        raise ValidationError(f"{_SOURCE.name} cannot be compiled: {done.stderr.strip()}")
    return program.absolute()


def read_steps(log: Path) -> list[int]:
    """Return when each step of a program ended, in ns since the epoch, from its log.

    The last line is left out, since the end of the program may have cut it off.
    """
    return [int(line) for line in log.read_text().split()[:-1]]
