"""Shared parts of MPI benchmarks: MPI libraries of this machine, other profilers, compilation."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from measure import BARE, OURS, PROGRAMS, Bench, environment

RANKS = 2
LIMIT_S = 300.0  # a run that takes longer hangs


@dataclass(frozen=True)
class Mpi:
    """An MPI library with its compilers and launcher.

    Attributes:
        name: Name in Debian's commands.
        title: Name in tables.
        launch: Command line of the launcher with the options that it always needs.
    """

    name: str
    title: str
    launch: tuple[str, ...]

    def command(
        self, ranks: int, program: Sequence[str], variant: Mapping[str, str], patient: bool
    ) -> list[str]:
        """The command that runs a program; the variant reaches the ranks, not the launcher.

        Args:
            ranks: Number of ranks.
            program: Program and arguments.
            variant: Variables to set.
            patient: Whether waiting ranks should yield their CPUs, as there are more threads than
                CPUs.
        """
        words = [*self.launch, "-n", str(ranks)]
        if self.name == "openmpi":
            words += ["--mca", "mpi_yield_when_idle", str(int(patient))]
        settings = [f"{key}={value}" for key, value in variant.items()]
        return [*words, "env", *settings, *program]


OPENMPI = Mpi("openmpi", "Open MPI", ("mpirun.openmpi", "--oversubscribe", "--bind-to", "none"))
MPICH = Mpi("mpich", "MPICH", ("mpirun.mpich",))
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def mpis() -> list[Mpi]:
    """The MPIs for which programs can be compiled and run here."""
    return [mpi for mpi in (OPENMPI, MPICH) if compiler(mpi, "c") and shutil.which(mpi.launch[0])]


def compiler(mpi: Mpi, language: str) -> str | None:
    """The compiler for `c` or `fortran`, if it is installed."""
    return shutil.which({"c": "mpicc", "fortran": "mpif90"}[language] + "." + mpi.name)


def compile_c(bench: Bench, mpi: Mpi, name: str) -> str:
    """Compile programs/NAME.c for an MPI, once; return the program's path."""
    program = bench.disk / f"{Path(name).name}-{mpi.name}"
    compile_program(mpi, name, program)
    return str(program)


def compile_program(mpi: Mpi, name: str, program: Path) -> None:
    """Compile programs/NAME.c for an MPI, unless the program is newer than all sources."""
    newest = max(path.stat().st_mtime for path in PROGRAMS.rglob("*.[ch]"))
    if program.exists() and program.stat().st_mtime > newest:
        return
    flags = ["-std=gnu11", "-O2", "-fopenmp"]
    source = str(PROGRAMS / f"{name}.c")
    subprocess.run([f"mpicc.{mpi.name}", *flags, source, "-o", str(program), "-lm"], check=True)


def peers(bench: Bench) -> dict[str, dict[str, str]]:
    """Other profilers of MPI that are installed (for Open MPI), as variants by their names.

    MPIP_PRELOAD, IPM_PRELOAD and DARSHAN_MPI_PRELOAD name their libraries.
    """
    logs = bench.disk / "peers"
    logs.mkdir(exist_ok=True)
    settings = {
        "mpiP": ("MPIP_PRELOAD", {"MPIP": f"-f {logs} -k 0"}),  # without stacks: its fastest
        "IPM": ("IPM_PRELOAD", {"IPM_REPORT": "none", "IPM_LOGDIR": str(logs)}),
        "Darshan": ("DARSHAN_MPI_PRELOAD", {"DARSHAN_LOGPATH": str(logs)}),
    }
    found = {}
    for name, (variable, more) in settings.items():
        path = os.environ.get(variable)
        if path and Path(path).is_file():
            found[name] = {"LD_PRELOAD": path, **more}
    return found


def variants(bench: Bench, spool: Path, with_peers: bool) -> dict[str, dict[str, str]]:
    """Return the variants: bare program, with jostle (slices and segments), and with its peers."""
    ours = bench.jostle(spool, SEGMENTS="on")
    return {BARE: {}, OURS: ours, **(peers(bench) if with_peers else {})}


def run(
    bench: Bench,
    mpi: Mpi,
    program: Sequence[str],
    variant: Mapping[str, str],
    *,
    ranks: int = RANKS,
    patient: bool = False,
    folder: Path | None = None,
) -> str:
    """Run a program under an MPI; return its output.

    Raises:
        subprocess.CalledProcessError: The program ended with a status other than 0.
        subprocess.TimeoutExpired: The program hangs.
    """
    done = subprocess.run(
        mpi.command(ranks, program, variant, patient),
        cwd=folder or bench.memory,
        env=environment(ROOT),
        check=True,
        text=True,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=LIMIT_S,
    )
    return done.stdout


def counted(folder: Path, metrics: Sequence[str], least: int) -> str:
    """Return "" if each metric of a spool reached `least`; else the missing ones, for a note."""
    from profiles import totals

    sums = totals(folder)
    poor = [f"{name} = {sums.get(name, 0)}" for name in metrics if sums.get(name, 0) < least]
    return f"not counted: {', '.join(poor)}" if poor else ""


def emptied(spool: Path) -> Path:
    """A spool without the profiles of earlier runs."""
    shutil.rmtree(spool, ignore_errors=True)
    spool.mkdir()
    spool.chmod(0o1777)
    return spool
