"""The programs that a validation runs: real codes where they are installed, and small ones of ours.

Each does the same work in every run, takes 5 to 6 seconds on two cores of 2024, and stands for a
way of using MPI.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jostle.validation.cases import CAVITY, MELT
from jostle.validation.errors import ValidationError

_FOAM = ("/usr/share/openfoam",)


@dataclass(frozen=True)
class Code:
    """A program to run.

    Attributes:
        name: What it is called in tables; "NAME@4": with four ranks.
        ranks: Processes.
        about: How it uses MPI, for people.
        needs: Programs that must be installed.
        package: Where to get them.
        argv: The words of a rank.
        make: Fills its folder, once; gets folder and ranks.
        steps: Its length, in steps of its own.
    """

    name: str
    ranks: int
    about: str
    needs: tuple[str, ...]
    package: str
    argv: Callable[[Path], list[str]]
    make: Callable[[Path, Code], None]
    steps: int

    def missing(self) -> list[str]:
        """Names what it needs and is not installed."""
        return [name for name in self.needs if shutil.which(name) is None]


def environment() -> dict[str, str]:
    """Returns the environment of all programs: ours without what is meant for other profiles."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("JOSTLE_")}
    env |= {"JOSTLE": "on", "OMP_NUM_THREADS": "1"}
    if os.geteuid() == 0:
        env |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    found = [folder for folder in _FOAM if os.path.isdir(folder)]
    if "WM_PROJECT_DIR" not in env and found:
        env["WM_PROJECT_DIR"] = found[0]
    return env


def _run(argv: Sequence[str], folder: Path) -> None:
    """Runs what prepares a program.

    Raises:
        ValidationError: It fails.
    """
    try:
        done = subprocess.run(argv, cwd=folder, env=environment(), stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=300, check=False)  # fmt: skip
    except (OSError, subprocess.SubprocessError) as error:
        raise ValidationError(f"`{argv[0]}`, which prepares a run, fails: {error}") from error
    if done.returncode:
        lines = (done.stderr or done.stdout).decode(errors="replace").strip().splitlines()
        raise ValidationError(
            f"`{' '.join(argv)}` ended with status {done.returncode}"
            + (f": {lines[-1]}" if lines else ".")
        )


def _write(folder: Path, files: dict[str, str], **values: object) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        for key, value in values.items():
            text = text.replace(f"@{key}@", str(value))
        path.write_text(text)


def _make_mini(folder: Path, _code: Code) -> None:
    source = Path(__file__).with_name("mini.c")
    _run(["mpicc.openmpi", "-O2", "-o", str(folder / "mini"), str(source), "-lm"], folder)


def _make_melt(folder: Path, code: Code) -> None:
    _write(folder, {"in.melt": MELT}, steps=code.steps)


def _make_cavity(folder: Path, code: Code) -> None:
    _write(folder, CAVITY, end=code.steps * 0.0005, ranks=code.ranks)
    _run(["blockMesh"], folder)
    _run(["decomposePar", "-force"], folder)


def _mini(name: str, steps: int, about: str, ranks: int = 2) -> Code:
    kernel = name.partition("@")[0]
    return Code(
        name, ranks, about, ("mpicc.openmpi", "mpirun.openmpi"), "libopenmpi-dev, gcc",
        lambda folder: [str(folder / "mini"), kernel, str(steps)], _make_mini, steps,
    )  # fmt: skip


def _lammps(name: str, steps: int, ranks: int) -> Code:
    return Code(
        name, ranks, "molecular dynamics: neighbours, few Allreduces", ("lmp", "mpirun.openmpi"),
        "lammps",
        lambda _folder: ["lmp", "-in", "in.melt", "-log", "none", "-screen", "none"],
        _make_melt, steps,
    )  # fmt: skip


def _cavity(name: str, steps: int, ranks: int) -> Code:
    return Code(
        name, ranks, "flow solver: tens of thousands of Allreduces a second",
        ("icoFoam", "blockMesh", "decomposePar", "mpirun.openmpi"), "openfoam",
        lambda _folder: ["icoFoam", "-parallel"], _make_cavity, steps,
    )  # fmt: skip


_ALL_TO_ALL = "Fourier transforms: two all-to-alls of 2 MiB a step"
_STENCIL = "neighbours only: no global collective"
_SOLVER = "conjugate gradients: thousands of Allreduces a second, varying iterations"

CODES: dict[str, Code] = {
    code.name: code
    for code in (
        _lammps("lammps", 600, 2),
        _cavity("icofoam", 600, 2),
        _mini("transpose", 400, _ALL_TO_ALL),
        _mini("stencil", 18000, _STENCIL),
        _mini("solver", 280, _SOLVER),
        _lammps("lammps@4", 600, 4),
        _mini("transpose@4", 400, _ALL_TO_ALL, 4),
        _mini("stencil@8", 12000, _STENCIL, 8),
    )
}
#: What is run unless others are named.
USUAL = ("lammps", "icofoam", "transpose", "stencil", "solver")


def choose(names: Sequence[str]) -> list[Code]:
    """Returns codes by name.

    Args:
        names: Their names; none: the usual ones, as far as they are installed.

    Raises:
        ValidationError: One is not known, or not installed.
    """
    if not names:
        found = [CODES[name] for name in USUAL if not CODES[name].missing()]
        if not found:
            raise ValidationError(
                "None of the programs can run here.", hint="Debian: apt install libopenmpi-dev gcc"
            )
        return found
    for name in names:
        if name not in CODES:
            raise ValidationError(
                f"There is no program `{name}` to validate with.",
                hint=f"One of: {', '.join(CODES)}.", exit_code=2,
            )  # fmt: skip
        if missing := CODES[name].missing():
            raise ValidationError(
                f"`{name}` needs {', '.join(missing)}.",
                hint=f"Debian: apt install {CODES[name].package}", exit_code=2,
            )  # fmt: skip
    return [CODES[name] for name in dict.fromkeys(names)]


@dataclass
class Bench:
    """The folders of the programs, filled when they are first needed.

    Attributes:
        root: Folder for them all.
    """

    root: Path
    _ready: set[str] = field(default_factory=set)

    def folder(self, code: Code) -> Path:
        """Gives the folder of a program, with all it needs in it.

        Raises:
            ValidationError: It cannot be prepared.
        """
        folder = self.root / code.name
        if code.name not in self._ready:
            done = folder / ".ready"
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir(parents=True)
                code.make(folder, code)
                done.touch()
            self._ready.add(code.name)
        return folder
