"""Builds the command lines that start the programs of a study under jostle-run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from jostle import native_path
from jostle_lab.study.errors import StudyError
from jostle_lab.study.model import Program
from jostle_lab.study.units import size_text

#: In the environment of everything that a run starts, so that it can be found again.
MARK = "JOSTLE_STUDY_RUN"
_PACKAGES = {"openmpi": "openmpi-bin", "mpich": "mpich"}
_SAYS = {"openmpi": "Open MPI", "mpich": "HYDRA"}


@dataclass(frozen=True)
class Launch:
    """A program that is about to start.

    Attributes:
        program: The program, with the values of every axis filled in.
        job: Name of the program's job.
        mark: Mark that identifies the run in the environment.
        nodes: Nodes on which the program runs.
        folder: Folder of the program on the file system under study, the same path on all its
            nodes.
        spool, log: Folders for profiles and for the signal's logs, local to each node.
        start_ns: Instant at which the first operation is due, on a slice boundary, in ns.
        slice_ns: Length of a time slice, in ns.
        until_stopped: Whether the program runs until its probe ends.
    """

    program: Program
    job: str
    mark: str
    nodes: tuple[str, ...]
    folder: Path
    spool: Path
    log: Path
    start_ns: int
    slice_ns: int
    until_stopped: bool


@dataclass(frozen=True)
class Command:
    """A process to start on this machine.

    Attributes:
        argv: Words of the command line.
        env: Complete environment.
        cwd: Working directory; None: that of this process.
    """

    argv: list[str]
    env: dict[str, str]
    cwd: Path | None = None


def placement(launch: Launch) -> list[tuple[str, int]]:
    """Spread a program's processes over its nodes as evenly as possible."""
    processes, nodes = launch.program.processes or 1, launch.nodes
    share, rest = divmod(processes, len(nodes))
    spread = [(node, share + (number < rest)) for number, node in enumerate(nodes)]
    return [(node, count) for node, count in spread if count]


def words(launch: Launch, processes: int | None = None) -> list[str]:
    """Return the command line of one process or rank, under jostle-run.

    Args:
        launch: The program to start.
        processes: Number of processes that a pattern without MPI forks.

    Raises:
        JostleError: A compiled part of jostle is missing.
    """
    length = _slice_text(launch.slice_ns)
    own = pattern_words(launch, processes) if launch.program.pattern else command_words(launch)
    return [
        str(native_path("jostle-run")),
        "--job",
        launch.job,
        "--spool",
        str(launch.spool),
        "--slice",
        length,
        "--",
        *own,
    ]


def _slice_text(slice_ns: int) -> str:
    return f"{slice_ns // 1_000_000}ms" if slice_ns % 1_000_000_000 else f"{slice_ns // 10**9}s"


def pattern_words(launch: Launch, processes: int | None) -> list[str]:
    """Return the command line of jostle-signal with its options."""
    from jostle_lab.signals import program as find_signal

    program = launch.program
    path = find_signal(None if program.mpi == "none" else program.mpi)
    found = [str(path), program.pattern or ""]

    def add(option: str, value: object) -> None:
        if value is not None:
            found.extend((option, str(value)))

    add("--dir", launch.folder)
    add("--chunk", program.chunk)
    add("--piece", program.piece)
    add("--api", program.api if program.api != "posix" else None)
    add("--flush", program.flush)
    add("--period", _seconds(program.period_s))
    add("--duty", program.duty if program.period_s else None)
    add("--phase", _seconds(program.phase_s))
    found += [
        f"--{flag}" for flag in ("shared", "reuse", "direct", "split") if getattr(program, flag)
    ]
    if launch.until_stopped:
        found.append("--until-stopped")
    else:
        add("--volume", _volume(program, processes))
        add("--iterations", program.iterations)
        add("--time", _seconds(program.time_s))
    add("--processes", processes)
    add("--start", f"{launch.start_ns // 10**9}.{launch.start_ns % 10**9:09d}")
    add("--slice", _slice_text(launch.slice_ns))
    add("--log", launch.log)
    add("--job", launch.job)
    return [*found, "--quiet", *program.options]


def _volume(program: Program, processes: int | None) -> int | None:
    """Return the part of a program's volume that the processes of one node are to move."""
    if program.volume is None or processes is None:
        return program.volume
    return max(1, program.volume * processes // (program.processes or 1))


def _seconds(value: float | None) -> str | None:
    return None if value is None else f"{value:.9f}".rstrip("0").rstrip(".")


def command_words(launch: Launch) -> list[str]:
    """Return a command in which {chunk}, {processes} and so on are replaced by their values."""
    return [fill(word, launch) for word in launch.program.command]


def fill(text: str, launch: Launch) -> str:
    """Replace the names in braces that a study may use; leave other braces unchanged."""
    program = launch.program
    known = {
        "processes": program.processes,
        "nodes": program.nodes,
        "chunk": program.chunk,
        "chunk_text": size_text(program.chunk) if program.chunk else "",
        "api": program.api or "",
        "shared": int(bool(program.shared)),
        "dir": launch.folder,
        "name": program.name,
        "job": launch.job,
    }
    return re.sub(r"\{(\w+)\}", lambda m: str(known.get(m[1], m[0])), text)


def environment(launch: Launch) -> dict[str, str]:
    """Return a program's environment: this process's without variables of other profiles."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("JOSTLE")}
    env |= {"JOSTLE": "on", "JOSTLE_DIGEST": "off", MARK: launch.mark}
    if os.geteuid() == 0:
        env |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return env | {key: fill(value, launch) for key, value in launch.program.env}


def find_mpirun(mpi: str) -> str:
    """Find the mpirun of an MPI.

    Raises:
        StudyError: That MPI is not installed.
    """
    for name in (f"mpirun.{mpi}", f"mpiexec.{mpi}"):
        if found := shutil.which(name):
            return found
    plain = shutil.which("mpirun")
    if plain and _SAYS[mpi].lower() in version_of([plain, "--version"]).lower():
        return plain
    raise StudyError(
        f"The study needs {_SAYS[mpi].replace('HYDRA', 'MPICH')}, and there is no mpirun of it.",
        hint=f"Install that MPI (Debian: apt install {_PACKAGES[mpi]}), or choose another with "
        "--mpi.",
    )


def version_of(argv: list[str]) -> str:
    """Return the first lines of a program's version text; "" if it has none."""
    try:
        done = subprocess.run(
            argv,
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
            stdin=subprocess.DEVNULL,
            errors="replace",
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return (done.stdout or done.stderr).strip()[:400]


def mpirun_words(mpi: str, processes: int) -> list[str]:
    """Return the command line of an mpirun on this machine whose idle ranks yield their cores."""
    if mpi == "openmpi":
        return [
            find_mpirun(mpi),
            "--oversubscribe",
            "--bind-to",
            "none",
            "--mca",
            "mpi_yield_when_idle",
            "1",
            "-np",
            str(processes),
        ]
    return [find_mpirun(mpi), "-np", str(processes)]


def stage(launch: Launch, folder: Path) -> None:
    """Create a folder with a program's files.

    Raises:
        StudyError: The folder cannot be created; the message names the reason.
    """
    try:
        folder.mkdir(parents=True)
        for name, content in launch.program.files:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(fill(content, launch))
    except OSError as error:
        raise StudyError(
            f"{error.filename or folder} cannot be created: {error.strerror}.",
            hint="Choose a folder with free space that you may write to ([where] dir, or --dir).",
        ) from error


def prepare(launch: Launch) -> None:
    """Create a program's folder and files on this machine, and run its preparation command.

    Raises:
        StudyError: One of these steps fails; the message names the step.
    """
    stage(launch, launch.folder)
    if not launch.program.prepare:
        return
    argv = [fill(word, launch) for word in launch.program.prepare]
    try:
        done = subprocess.run(
            argv,
            cwd=launch.folder,
            env=environment(launch),
            timeout=300,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise StudyError(f"its preparation command `{argv[0]}` cannot run: {error}") from error
    if done.returncode:
        last = (done.stderr or done.stdout).decode(errors="replace").strip().splitlines()[-1:]
        raise StudyError(
            f"its preparation command `{argv[0]}` ended with status {done.returncode}"
            + (f": {last[0]}" if last else ".")
        )


def check(program: Program, launch_mpi: bool = True) -> None:
    """Check that the compiled parts and the MPI for a program are installed.

    Raises:
        JostleError: A part is missing; the message explains how to get it.
    """
    native_path("jostle-run")
    if program.mpi not in (None, "none") and launch_mpi:
        find_mpirun(program.mpi or "")
    if program.pattern is not None:
        from jostle_lab.signals import program as find_signal

        find_signal(None if program.mpi in (None, "none") else program.mpi)
