"""Defines the programs that a validation runs: installed real codes and jostle's own kernels.

Each does the same work in every run, takes about nine seconds on two cores of 2025 (two seconds in
a quick validation), and represents one kind of use of MPI. A user can add commands of his own.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from jostle_lab.validation.cases import CAVITY, MELT
from jostle_lab.validation.errors import ValidationError

#: Disturbers that may run concurrently with a run: patterns of `jostle signal`.
Disturber = Literal["cpu", "memory", "write-seek", "all-to-all"]
#: Names of folders that a validation has for other things.
_TAKEN = ("lab", "logs", "programs")
#: How ranks are started; their number follows.
MPIRUN = (
    "mpirun.openmpi",
    "--oversubscribe",
    "--bind-to",
    "none",
    "--mca",
    "mpi_yield_when_idle",
    "1",
    "-np",
)
_FOAM = ("/usr/share/openfoam",)


@dataclass(frozen=True)
class Code:
    """A program of the validation.

    Attributes:
        name: Name of the program in tables; "NAME@4": with four ranks.
        ranks: Number of ranks.
        about: Description of the program's use of MPI, for users.
        needs: Commands that must be installed.
        package: Package that has these commands.
        argv: The command line of a rank.
        make: Function that fills the program's folder once, given the folder and the ranks.
        steps: Number of steps, such as time steps, that the program makes; 0 if it has none.
        where: Folder in which the program runs, if not in a folder of its own.
        limit_s: Time limit after which the program counts as hung, in seconds.
        alongside: Patterns of `jostle signal` that disturb the program; each disturbed run has one
            of them, in turn.
        over_nodes: Whether the program runs on nodes of a lab: half of its ranks on each side of a
            link that the messages of the disturber cross as well.
    """

    name: str
    ranks: int
    about: str
    needs: tuple[str, ...]
    package: str
    argv: Callable[[Path], list[str]]
    make: Callable[[Path, Code], None]
    steps: int
    where: Path | None = None
    limit_s: float = 120.0
    alongside: tuple[Disturber, ...] = ("cpu", "memory")
    over_nodes: bool = False

    def missing(self) -> list[str]:
        """Return the needed commands that are not installed."""
        return [name for name in self.needs if shutil.which(name) is None]


def environment() -> dict[str, str]:
    """Return the environment of all programs: this process's, without its JOSTLE_ variables."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("JOSTLE_")}
    env |= {"JOSTLE": "on", "OMP_NUM_THREADS": "1"}
    if os.geteuid() == 0:
        env |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    found = [folder for folder in _FOAM if os.path.isdir(folder)]
    if "WM_PROJECT_DIR" not in env and found:
        env["WM_PROJECT_DIR"] = found[0]
    return env


def _run(argv: Sequence[str], folder: Path) -> None:
    """Run the preparation command of a program.

    Raises:
        ValidationError: The command fails.
    """
    try:
        done = subprocess.run(
            argv,
            cwd=folder,
            env=environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=300,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ValidationError(f"The preparation command `{argv[0]}` fails: {error}") from error
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
    _run(
        ["mpicc.openmpi", "-O2", "-fopenmp", "-o", str(folder / "mini"), str(source), "-lm"], folder
    )


def _make_melt(folder: Path, code: Code) -> None:
    _write(folder, {"in.melt": MELT}, steps=code.steps)


def _make_cavity(folder: Path, code: Code) -> None:
    _write(folder, CAVITY, end=code.steps * 0.0005, ranks=code.ranks)
    _run(["blockMesh"], folder)
    _run(["decomposePar", "-force"], folder)


def _mini(
    name: str,
    steps: int,
    about: str,
    ranks: int = 2,
    alongside: tuple[Disturber, ...] = ("cpu", "memory"),
    *,
    over_nodes: bool = False,
) -> Code:
    kernel = name.partition("@")[0].removesuffix(_OVER_NODES)
    return Code(
        name,
        ranks,
        about,
        ("mpicc.openmpi", "mpirun.openmpi"),
        "libopenmpi-dev, gcc",
        lambda folder: [str(folder / "mini"), kernel, str(steps)],
        _make_mini,
        steps,
        alongside=alongside,
        over_nodes=over_nodes,
    )


def _hybrid(name: str, steps: int, ranks: int) -> Code:
    """Return the only kernel of jostle that has two threads in each rank."""
    return replace(
        _mini(name, steps, _HYBRID, ranks),
        argv=lambda folder: [
            "env",
            "OMP_NUM_THREADS=2",
            "OMP_WAIT_POLICY=passive",
            str(folder / "mini"),
            "hybrid",
            str(steps),
        ],
    )


def _lammps(name: str, steps: int, ranks: int) -> Code:
    return Code(
        name,
        ranks,
        "molecular dynamics: neighbours, few Allreduces",
        ("lmp", "mpirun.openmpi"),
        "lammps",
        lambda _folder: ["lmp", "-in", "in.melt", "-log", "none", "-screen", "none"],
        _make_melt,
        steps,
    )


def _cavity(name: str, steps: int, ranks: int) -> Code:
    return Code(
        name,
        ranks,
        "flow solver: tens of thousands of Allreduces a second",
        ("icoFoam", "blockMesh", "decomposePar", "mpirun.openmpi"),
        "openfoam",
        # Ten lines a step: mpirun, which wakes for each, would take cores from the ranks.
        lambda _folder: ["sh", "-c", "exec icoFoam -parallel > /dev/null"],
        _make_cavity,
        steps,
    )


_OVER_NODES = "-nodes"
_ALL_TO_ALL = "Fourier transforms: two all-to-alls of 2 MiB a step"
_STENCIL = "neighbours only: no global collective"
_SOLVER = "conjugate gradients: thousands of Allreduces a second, varying iterations"
_WAVEFRONT = "pipelined sweeps: thousands of small messages a second, few collectives"
_CHECKPOINT = "a stencil that stores a checkpoint of 4 MiB per rank every 32 steps"
_FILES = "the same stencil with a new small file per rank every 16 steps"
_HYBRID = "neighbours and an Allreduce a step; two threads of OpenMP share a rank's part"
_DISK: tuple[Disturber, ...] = ("write-seek", "cpu")
_ASSEMBLY = "finite elements: half of the run assembles a matrix once, without MPI; then solves"

#: More ranks than this machine may have cores: their waits for each other are the program's own.
RANKS = (2, 4, 8)


def _of_ranks(ranks: int, times: int) -> tuple[Code, ...]:
    """Return all programs for a number of ranks, among which the same total work is divided.

    Args:
        ranks: Number of ranks.
        times: Amount of work: the run time in units of about two seconds.
    """
    at = "" if ranks == RANKS[0] else f"@{ranks}"
    return (
        _lammps(f"lammps{at}", times * 600, ranks),
        _cavity(f"icofoam{at}", times * 450, ranks),
        _mini(f"transpose{at}", times * 400, _ALL_TO_ALL, ranks),
        _mini(f"stencil{at}", times * 18000, _STENCIL, ranks),
        _mini(f"solver{at}", times * 280, _SOLVER, ranks),
        _mini(f"wavefront{at}", times * 62, _WAVEFRONT, ranks),
        _mini(f"assembly{at}", times * 24, _ASSEMBLY, ranks),
        _mini(f"checkpoint{at}", times * 2500, _CHECKPOINT, ranks, _DISK),
        _mini(f"files{at}", times * 2500, _FILES, ranks, _DISK),
        _mini(
            f"transpose{_OVER_NODES}{at}",
            times * 24,
            _ALL_TO_ALL + ", over nodes of a lab",
            ranks,
            ("all-to-all",),
            over_nodes=True,
        ),
        _hybrid(f"hybrid{at}", times * 8000, ranks),
    )


def _all(times: int) -> dict[str, Code]:
    return {code.name: code for ranks in RANKS for code in _of_ranks(ranks, times)}


#: In runs of two seconds a short disturbance is several percent of the run, and segments are few.
_USUAL_TIMES, _QUICK_TIMES = 4, 1
CODES = _all(_USUAL_TIMES)
_QUICK = _all(_QUICK_TIMES)
#: What is validated unless others are named: segments are those of the thread that calls MPI.
USUAL = (
    "lammps",
    "icofoam",
    "transpose",
    "stencil",
    "solver",
    "wavefront",
    "assembly",
    "checkpoint",
    "files",
)


def of_length(name: str, times: int, ranks: int = RANKS[0]) -> Code:
    """Return a program with more work than in a validation.

    Args:
        name: Name of the program, without a number of ranks.
        times: Amount of work: the run time in units of about two seconds.
        ranks: Number of ranks.

    Raises:
        ValidationError: There is no such program.
    """
    found = [code for code in _of_ranks(ranks, times) if code.name.partition("@")[0] == name]
    if not found:
        raise ValidationError(f"There is no program `{name}` to validate with.", exit_code=2)
    return found[0]


def installed() -> list[Code]:
    """Return all programs that can run on this machine alone, with the fewest ranks.

    Raises:
        ValidationError: No program can run here.
    """
    return _installed(
        [code.name for code in _of_ranks(RANKS[0], _USUAL_TIMES) if not code.over_nodes], CODES
    )


def _installed(names: Sequence[str], codes: dict[str, Code]) -> list[Code]:
    able = [codes[name] for name in names if not codes[name].missing()]
    if not able:
        raise ValidationError(
            "None of the programs can run here.", hint="Debian: apt install libopenmpi-dev gcc"
        )
    return able


def of_command(text: str) -> Code:
    """Make a program of a user's own command; it runs in the current folder.

    Args:
        text: NAME=COMMAND, or NAME@RANKS=COMMAND; two ranks by default.

    Raises:
        ValidationError: The text is malformed, its name is taken, or its program does not exist.
    """
    name, _, words = text.partition("=")
    match = re.fullmatch(r"[a-z][a-z0-9_-]*(?:@([1-9][0-9]{0,2}))?", name)
    try:
        argv = shlex.split(words)
    except ValueError:
        argv = []
    if match is None or not argv:
        raise ValidationError(
            f"`{text}` is not a program to validate with.",
            hint="Give a name, optionally the number of ranks, and a command: solve@4='./solve "
            "in.txt'.",
            exit_code=2,
        )
    if name.partition("@")[0] in (*CODES, *_TAKEN):
        raise ValidationError(
            f"`{name}` is a reserved name.", hint="Give your command another name.", exit_code=2
        )
    code = Code(
        name,
        int(match[1] or 2),
        "a command of yours",
        (argv[0], "mpirun.openmpi"),
        "openmpi-bin",
        lambda _folder: argv,
        lambda _folder, _code: None,
        0,
        Path.cwd(),
        3600.0,
    )
    if missing := code.missing():
        raise ValidationError(
            f"`{missing[0]}` cannot be run.",
            hint="Check that the program is installed, and its name is correct.",
            exit_code=2,
        )
    return code


def choose(
    names: Sequence[str], commands: Sequence[str] = (), *, quick: bool = False
) -> list[Code]:
    """Return codes by name.

    Args:
        names: Names of the programs; empty: the default programs that are installed.
        commands: The user's own commands, in the syntax of of_command. If there are commands and
            no names, only the commands are run.
        quick: Whether to choose the short variants.

    Raises:
        ValidationError: A program is not known, or not installed.
    """
    own = [of_command(text) for text in commands]
    if len({code.name for code in own}) < len(own):
        raise ValidationError(
            "Two commands have the same name.", hint="Give each command its own name.", exit_code=2
        )
    return [*([] if own and not names else _known(names, _QUICK if quick else CODES)), *own]


def _known(names: Sequence[str], codes: dict[str, Code]) -> list[Code]:
    if not names:
        return _installed(USUAL, codes)
    for name in names:
        if name not in codes:
            raise ValidationError(
                f"There is no program `{name}` to validate with.",
                hint=f"One of: {', '.join(codes)}.",
                exit_code=2,
            )
        if missing := codes[name].missing():
            raise ValidationError(
                f"`{name}` needs {', '.join(missing)}.",
                hint=f"Debian: apt install {codes[name].package}",
                exit_code=2,
            )
    return [codes[name] for name in dict.fromkeys(names)]


@dataclass
class Bench:
    """The folders of the programs, filled when they are first needed.

    Attributes:
        root: Parent folder of all programs' folders.
    """

    root: Path
    _ready: set[str] = field(default_factory=set)

    def folder(self, code: Code) -> Path:
        """Return the folder of a program, filled with its input.

        Raises:
            ValidationError: The program cannot be prepared.
        """
        if code.where is not None:
            self._same(code, code.where)
            return code.where
        folder = self.root / code.name
        if code.name not in self._ready:
            done = folder / ".ready"
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir(parents=True)
                code.make(folder, code)
                done.write_text(f"{code.steps}")
            if done.read_text() != f"{code.steps}":
                raise ValidationError(
                    f"In this folder `{code.name}` has runs of another length.",
                    hint="Use the same setting of --quick as at the beginning, or another --dir.",
                    exit_code=2,
                )
            self._ready.add(code.name)
        return folder

    def _same(self, code: Code, where: Path) -> None:
        """Check that all runs of a validation's folder use the same command under a name.

        Raises:
            ValidationError: An earlier run used another command, or folder, under this name.
        """
        note = self.root / f"{code.name}.command"
        words = f"{shlex.join(code.argv(where))}\nin {where}\n"
        self.root.mkdir(parents=True, exist_ok=True)
        if not note.exists():
            note.write_text(words)
        if (before := note.read_text()) != words:
            first = before.partition("\n")[0]
            raise ValidationError(
                f"In this folder `{code.name}` has runs of another command, or from elsewhere: "
                f"`{first}`.",
                hint="Give this command another name, or use another --dir.",
                exit_code=2,
            )
