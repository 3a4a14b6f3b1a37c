"""The demo's two MPI programs: LAMMPS and icoFoam where they are installed, else two of our own.

Everything here may fail on some machine; then there is no MPI cast, and the demo is the one of
files.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from jostle.demo import mpi_input
from jostle.demo.story import SLICE, Cast, Program

_HERE = Path(__file__).resolve().parent
_RANKS = str(mpi_input.RANKS)
_PATIENCE_S = 60
#: Compiler wrappers with the launchers that belong to them.
_WRAPPERS = (
    ("mpicc.openmpi", "mpirun.openmpi"),
    ("mpicc.mpich", "mpirun.mpich"),
    ("mpicc", "mpirun"),
    ("mpicc", "mpiexec"),
)


@dataclass(frozen=True)
class Mpi:
    """An MPI that programs can be started with, and built with where there is a compiler.

    Attributes:
        family: openmpi or mpich.
        says: Its name and version.
        launcher: Its mpirun.
        compiler: Its mpicc; "" without.
    """

    family: str
    says: str
    launcher: str
    compiler: str

    def command(self, *words: str) -> tuple[str, ...]:
        """Return the command line that starts a program on all ranks."""
        # Two mpiruns that bind would both take the first cores.
        extra = ("--oversubscribe", "--bind-to", "none") if self.family == "openmpi" else ()
        return (self.launcher, *extra, "-np", _RANKS, *words)


def cast(folder: Path, seconds: int) -> Cast | None:
    """Return the MPI cast, its input written and its programs built; None where there is none.

    Args:
        folder: Where the programs may work.
        seconds: How long the demo may take.
    """
    found = installed()
    if not found:
        return None
    each = seconds * 2 // 3
    programs = real(found, folder, each) or own(found, folder, each)
    return _cast(programs, seconds) if programs else None


def installed() -> list[Mpi]:
    """Return the MPIs that have a launcher here and an adapter of ours."""
    from jostle.cli.checks_mpi import adapters, recognised

    adapter = adapters()
    found: dict[str, Mpi] = {}
    for compiler, launcher in _WRAPPERS:
        if shutil.which(launcher) is None:
            continue
        known = recognised(_said(launcher, "--version"), launcher)
        if not known or known.family in found:
            continue
        usable = shutil.which(compiler) is not None and shutil.which("cc") is not None
        mpi = Mpi(known.family, known.says, launcher, compiler if usable else "")
        if any(name.split("-")[0] == mpi.family for name in adapter) and _starts(mpi):
            found[mpi.family] = mpi
    return list(found.values())


def root_environment() -> dict[str, str]:
    """Return what Open MPI wants to hear before it runs as root, as in most containers."""
    if os.geteuid() != 0:
        return {}
    return {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def _starts(mpi: Mpi) -> bool:
    """Tell whether this MPI can start processes here at all."""
    try:
        done = subprocess.run(
            mpi.command("true"), stdin=subprocess.DEVNULL, capture_output=True,
            timeout=_PATIENCE_S, check=False, env={**os.environ, **root_environment()},
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _said(*command: str) -> str:
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=_PATIENCE_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + done.stderr


def real(found: list[Mpi], folder: Path, each: int) -> tuple[Program, Program] | None:
    """Return LAMMPS and icoFoam, as Debian builds them for Open MPI; None where one is missing."""
    mpi = next((mpi for mpi in found if mpi.family == "openmpi"), None)
    needed = ("lmp", "icoFoam", "blockMesh", "decomposePar")
    if mpi is None or any(shutil.which(name) is None for name in needed):
        return None
    case = mpi_input.cavity(folder)
    environment = {**os.environ, **foam_environment()}
    for tool in ("blockMesh", "decomposePar"):
        done = subprocess.run(
            [tool], cwd=case, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
            timeout=_PATIENCE_S, check=False,
        )  # fmt: skip
        if done.returncode != 0:
            return None
    script = mpi_input.melt(folder, each)
    return (
        Program(
            "lammps-melt",
            mpi.command("lmp", "-in", str(script), "-log", "none"),
            folder=folder,
        ),
        Program(
            "icofoam-cavity",
            mpi.command("icoFoam", "-parallel", "-case", str(case)),
            folder=folder, after_s=each / 2, stop_s=each * 1.5, stop=case / mpi_input.STOP,
        ),
    )  # fmt: skip


def foam_environment() -> dict[str, str]:
    """Return what OpenFOAM needs to find its own settings, where Debian keeps them."""
    place = Path("/usr/share/openfoam")
    if os.environ.get("WM_PROJECT_DIR") or not place.is_dir():
        return {}
    return {"WM_PROJECT_DIR": str(place)}


def own(found: list[Mpi], folder: Path, each: int) -> tuple[Program, Program] | None:
    """Return two programs of ours, each built with another MPI where there are two."""
    builders = [mpi for mpi in found if mpi.compiler]
    if not builders:
        return None
    first, second = builders[0], builders[-1]
    for mpi, name in ((first, "heat"), (second, "spectrum")):
        command = (mpi.compiler, "-O2", "-o", str(folder / name), str(_HERE / f"{name}.c"), "-lm")
        if subprocess.run(command, capture_output=True, check=False).returncode != 0:
            return None
    return (
        Program(
            f"heat-{first.family}",
            first.command(str(folder / "heat"), str(folder / "plate.data"), str(each)),
            folder=folder,
        ),
        Program(
            f"spectrum-{second.family}",
            second.command(str(folder / "spectrum"), str(folder / "lines.text"), str(each)),
            folder=folder, after_s=each / 2,
        ),
    )  # fmt: skip


def _cast(programs: tuple[Program, Program], seconds: int) -> Cast:
    first, second = (program.job for program in programs)
    return Cast(
        about=("two MPI programs share the cores of this machine. Neither was rebuilt,",
               f"one preload serves both. They are watched in the same {SLICE} slices for "
               f"{seconds} s;", "the second starts when the first has half its time behind it."),
        programs=programs,
        seconds=seconds,
        scenes=(
            ("Both are in the repository now", "jobs"),
            (f"{first}: what its ranks did", f"digest {first}"),
            (f"{second}: the same, and other advice", f"digest {second}"),
            ("Their time in MPI, on one axis: look at the overlap",
             f"timeline {first} {second} --metric mpi --plot {{picture}}"),
            (f"The CPU time of {first} and of all others on its node",
             f"background {first} --metric cpu"),
        ),
        steps=(
            f"jostle digest --segments {second}",
            f"jostle timeline {first} {second} --metric wait",
            "jostle overhead -- mpirun -np 2 YOUR_PROGRAM",
            "jostle run -- mpirun -np 4 YOUR_PROGRAM",
        ),
        environment=foam_environment() | root_environment(),
    )  # fmt: skip
