"""Defines the programs of windows.py: codes of the papers with long enough run times.

Each takes about 25 s on two cores of 2025.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from jostle_lab.validation.codes import Code, of_length
from jostle_lab.validation.within.plan import WithinCode
from mpi import OPENMPI
from papers.codes import BUILT, build

#: Sets of calls: those that a busy network delays, and those that a busy file server delays.
MESSAGES, FILES = "collective,send,receive", "io"
_CORES = os.cpu_count() or 1
_LIMIT_S = 300.0


def _make(folder: Path, code: Code) -> None:
    """Compile one of our own programs; nothing else is to be prepared."""
    build(BUILT, OPENMPI, [_source(code)])


def _source(code: Code) -> str:
    return code.name.partition("@")[0].partition("-")[0]


def _own(name: str, about: str, options: str, steps: int, ranks: int = 2) -> Code:
    """Return one of our own versions of the papers' codes (lab/bench/programs/codes).

    Args:
        name: NAME of the source, optionally followed by -SOMETHING and @RANKS.
        about: Description of the program.
        options: Options of the program; {steps} is replaced; files are in the program's folder.
        steps: Number of steps.
        ranks: Number of ranks.
    """
    source = name.partition("@")[0].partition("-")[0]
    words = [str(BUILT / OPENMPI.name / source), *options.format(steps=steps).split()]
    return Code(
        name,
        ranks,
        about,
        ("mpicc.openmpi", "mpirun.openmpi"),
        "libopenmpi-dev, gcc",
        lambda _folder: words,
        _make,
        steps,
    )


def _hybrid() -> WithinCode:
    """Return the program of ranks with two threads each: as many threads as cores."""
    ranks = max(_CORES // 2, 1) if _CORES < 4 else 2
    return WithinCode(of_length("hybrid", 11, ranks), threads=2)


def programs() -> dict[str, WithinCode]:
    """Return all programs by name."""
    both = (MESSAGES, FILES)
    found = [
        WithinCode(of_length("lammps", 11)),
        WithinCode(of_length("icofoam", 11)),
        WithinCode(of_length("checkpoint", 11), both),
        WithinCode(of_length("files", 11), both),
        WithinCode(_own("sweep3d", "waves of small messages", "--steps {steps}", 1900)),
        WithinCode(_own("milc", "four dimensions, two Allreduces", "--solves {steps}", 1900)),
        WithinCode(
            _own(
                "pf3d",
                "all-to-alls of rows and columns",
                "--nx 128 --ny 128 --nz 8 --steps {steps}",
                3500,
            )
        ),
        WithinCode(
            _own(
                "gapgeofem-300",
                "300 collectives a second, small files",
                "--rate 0 --work 7000 --steps {steps}",
                115,
            )
        ),
        WithinCode(
            _own(
                "gapgeofem-4800",
                "4800 collectives a second, small files",
                "--rate 0 --work 750 --steps {steps}",
                1750,
            )
        ),
        _hybrid(),
        WithinCode(of_length("transpose-nodes", 6)),
        WithinCode(
            _own(
                "hacc_io",
                "checkpoints of particles, and restart",
                "--header 1m --particles 100000 --steps {steps}",
                1000,
            ),
            (FILES,),
        ),
        WithinCode(
            _own(
                "madbench2",
                "matrices that are written, read and written, read",
                "--pixels 400 --bins {steps} --work 1000",
                600,
            ),
            (FILES,),
        ),
        WithinCode(
            _own("flash_io", "datasets, a collective write each", "--blocks 10 --work 500", 1),
            (FILES,),
        ),
        WithinCode(
            _own(
                "bt_io@4",
                "nested strided blocks, a collective write each dump",
                "--cells 24 --steps {steps} --work 500",
                600,
                ranks=4,
            ),
            (FILES,),
        ),
    ]
    # A machine that is in use may take much longer; this does not make a run fail.
    patient = [replace(each, code=replace(each.code, limit_s=_LIMIT_S)) for each in found]
    return {each.code.name: each for each in patient}
