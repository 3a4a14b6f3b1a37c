"""Defines the MPI programs that are benchmarked as a whole, and their run times."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import cases
from measure import Bench
from mpi import OPENMPI, RANKS, Mpi, compile_c, mpis, run

TIMER = "libjostle-timer.so"
PILOTS = 5  # at most
PILOT_S = 1.5  # a run from which a longer one is extrapolated

#: Makes the input for so many steps in a new folder; returns the command.
Make = Callable[[Bench, Path, int], list[str]]


@dataclass(frozen=True)
class Case:
    """A program that is benchmarked as a whole.

    Attributes:
        key: Name for `--only`, after `mpi-`.
        name: Name of the program in tables.
        make: Function that creates the program's input and command.
        steps: Number of steps of a pilot run.
        needs: Commands that must be installed.
        scales: Whether more steps take longer.
        steady: Whether later steps of the program take as long as the first.
        mpi: MPI library of the program.
        patient: Whether waiting ranks should yield their CPUs, as there are more threads than CPUs.
        variables: Further environment variables.
    """

    key: str
    name: str
    make: Make
    steps: int
    needs: tuple[str, ...] = ()
    scales: bool = True
    steady: bool = True
    mpi: Mpi = OPENMPI
    patient: bool = len(os.sched_getaffinity(0)) < RANKS
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def installed(self) -> bool:
        """Whether the case can run here."""
        return self.mpi in mpis() and all(cases.installed(name) for name in self.needs)


def threads() -> str:
    """OpenMP threads of each rank: as many as there are CPUs for, at least two."""
    return str(max(2, len(os.sched_getaffinity(0)) // RANKS))


def own(name: str, cells: int) -> Make:
    """A program of lab/bench/programs, called with cells and steps."""

    def make(bench: Bench, folder: Path, steps: int) -> list[str]:
        folder.mkdir(parents=True)
        return [compile_c(bench, OPENMPI, name), str(cells), str(steps)]

    return make


def sweep(bench: Bench, folder: Path, steps: int) -> list[str]:
    """The wavefront without a convergence check: no collective operation."""
    folder.mkdir(parents=True)
    program = compile_c(bench, OPENMPI, "codes/sweep3d")
    return [
        program,
        "--check",
        "0",
        "--nx",
        "24",
        "--ny",
        "48",
        "--nz",
        "48",
        "--steps",
        str(steps),
    ]


ONE_THREAD = {"OMP_NUM_THREADS": "1"}
HYBRID_THREADS = {"OMP_NUM_THREADS": threads(), "OMP_WAIT_POLICY": "passive"}

LAMMPS = Case(
    "lammps",
    "LAMMPS melt",
    lambda _, folder, steps: cases.melt(folder, 20, steps),
    100,
    needs=("lmp",),
    variables=ONE_THREAD,
)
ICOFOAM = Case(
    "icofoam",
    "icoFoam cavity",
    lambda _, folder, steps: cases.cavity(folder, 60, steps, RANKS),
    150,
    needs=("icoFoam", "blockMesh", "decomposePar"),
    steady=False,
    variables=cases.FOAM_VARIABLES,
)
HPCC = Case(
    "hpcc",
    "HPC Challenge",
    lambda _, folder, size: cases.challenge(folder, size, RANKS),
    1500,
    needs=("hpcc",),
    scales=False,
    variables=ONE_THREAD,
)
HYBRID = Case(
    "hybrid",
    "hybrid MPI + OpenMP",
    own("hybrid", 1000),
    300,
    variables=HYBRID_THREADS,
    patient=RANKS * int(threads()) > len(os.sched_getaffinity(0)),
)
TRANSPOSE = Case("transpose", "transpose, Alltoall", own("transpose", 256), 200)
SOLVER = Case("solver", "solver, sums by messages", own("solver", 400), 20)
WAVEFRONT = Case("sweep3d", "sweep3d, blocking sends", sweep, 20)


@dataclass(frozen=True)
class Prepared:
    """A case with its input, prepared for a run of a given length.

    Attributes:
        case: The case.
        command: Program and arguments.
        folder: Folder in which the program runs.
        stamps: File that the timer writes.
        timer: The timer's library.
    """

    case: Case
    command: list[str]
    folder: Path
    stamps: Path
    timer: Path

    def once(self, bench: Bench, variant: Mapping[str, str]) -> float:
        """Run the case; return the seconds from MPI_Init to MPI_Finalize (NaN if unknown)."""
        from jostle.cli.launch.trial import mpi_seconds

        self.stamps.unlink(missing_ok=True)
        libraries = [variant.get("LD_PRELOAD", ""), str(self.timer)]
        added = {
            **self.case.variables,
            **variant,
            "LD_PRELOAD": ":".join(path for path in libraries if path),
            "JOSTLE_TIMER_FILE": str(self.stamps),
        }
        run(
            bench, self.case.mpi, self.command, added, patient=self.case.patient, folder=self.folder
        )
        return mpi_seconds(self.stamps) or float("nan")


def prepare(bench: Bench, case: Case, seconds: float) -> Prepared:
    """Make a case that runs for about so many seconds here, by a pilot run.

    Raises:
        RuntimeError: The program does not run, or the timer saw no MPI.
    """
    timer = bench.preload.with_name(TIMER)
    folder = bench.memory / "mpi" / case.key
    steps, trusted = case.steps, False
    if bench.level == "smoke":  # of any short length
        steps, trusted = max(2, steps // 10), True
    for _ in range(PILOTS):
        shutil.rmtree(folder, ignore_errors=True)
        command = case.make(bench, folder, steps)
        made = Prepared(case, command, folder, bench.disk / "stamps", timer)
        if trusted:
            break
        took = made.once(bench, {})
        if not took > 0:
            raise RuntimeError(f"{TIMER} saw no MPI_Init and MPI_Finalize")
        if not case.scales or 0.8 * seconds < took < 1.3 * seconds:
            break
        trusted = took >= PILOT_S and case.steady
        goal = seconds if took >= PILOT_S else min(seconds, 1.5 * PILOT_S)
        steps = max(2, round(steps * goal / took))
    return made
