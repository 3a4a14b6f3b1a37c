"""Counts user-space instructions that jostle adds to I/O and MPI calls and a program's start.

Callgrind executes a program instruction by instruction and counts them, so that the count is the
same each time. The runtime detects it and starts no heartbeat.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from counts.figure import (
    FILES,
    PROGRAMS,
    Figure,
    Figures,
    compiled,
    fill,
    need,
    run,
    unmoved,
    variables,
    work_folder,
)

CALLS = 200
MPI_CALLS = 4000
MPIS = ("openmpi", "mpich")
_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def measure() -> Figures:
    """Count with and without jostle; return the differences by name."""
    need("valgrind")
    with work_folder("calls") as folder:
        program = compiled(folder, "counted")
        bare, ours = (
            _dumps(folder, [program, str(folder), str(CALLS)], is_bare) for is_bare in (True, False)
        )
        found = {
            f"{'file' if ' ' in name else 'call'}: {name}": Figure(
                round((ours[name] - bare[name]) / (FILES if " " in name else CALLS))
            )
            for name in bare
            if name
        }
        starts = [_dumps(folder, [program, "none"], is_bare)[""] for is_bare in (True, False)]
        found["start and end of a process"] = Figure(starts[1] - starts[0])
        for mpi in MPIS:
            if shutil.which(f"mpicc.{mpi}"):
                found |= _mpi(folder, mpi)
    return found


def _run(folder: Path, words: list[str], is_bare: bool, **more: str) -> None:
    out = folder / "callgrind"
    for old in folder.glob("callgrind*"):
        old.unlink()
    run(
        [*unmoved(), "valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}", *words],
        folder,
        variables(folder, is_bare=is_bare) | more,
    )


def _texts(folder: Path) -> list[str]:
    return [path.read_text() for path in sorted(folder.glob("callgrind*"))]


def _dumps(folder: Path, words: list[str], is_bare: bool, **more: str) -> dict[str, int]:
    """Run a program; return the instructions up to each of its marks, by the mark's name.

    The name "" stands for the instructions from the last mark to the end.
    """
    fill(folder)
    _run(folder, words, is_bare, **more)
    return {_mark(text): _total(text) for text in _texts(folder)}


def _mark(text: str) -> str:
    found = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.M)
    return found[1] if found else ""


def _total(text: str) -> int:
    found = re.search(r"^(?:summary|totals): (\d+)$", text, re.M)
    assert found
    return int(found[1])


def _mpi(folder: Path, mpi: str) -> Figures:
    program = compiled(
        folder, "counted_mpi", str(PROGRAMS / "mpi_calls_c.c"), compiler=(f"mpicc.{mpi}",)
    )
    bare, ours = (
        _dumps(folder, [program, str(MPI_CALLS)], is_bare, **_ROOT) for is_bare in (True, False)
    )
    return {
        f"{mpi}: {mark}": Figure(round((ours[mark] - bare[mark]) / MPI_CALLS))
        for mark in bare
        if mark
    }
