"""The demo's stage: where it plays, and the two programs side by side."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from jostle.errors import JostleError

STEADY, BURSTS = "tar-steady", "sqlite-bursts"
SLICE = "500ms"
_HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Program:
    """One of the two programs.

    Attributes:
        job: The name its job gets.
        command: Its command line.
        folder: Where it runs; where we are when None.
        after_s: It starts so long after the first.
        stop_s: So long after the first the file `stop` is touched, which ends it; 0: never.
        stop: That file.
    """

    job: str
    command: tuple[str, ...]
    folder: Path | None = None
    after_s: float = 0.0
    stop_s: float = 0.0
    stop: Path | None = None

    @property
    def shown(self) -> str:
        """The command that profiles it, as one may type it."""
        words = ["jostle", "run", "--job", self.job, "--slice", SLICE, "--", *self.command]
        return shlex.join(words)


@dataclass(frozen=True)
class Cast:
    """Both programs, and what is shown of them.

    Attributes:
        about: What the demo is, in a sentence or two of one line each.
        programs: The programs.
        seconds: How long they take, roughly.
        scenes: (heading, words after `jostle`) in their order; {picture} is the picture's file.
        steps: What to try afterwards.
        environment: What the programs need besides.
    """

    about: tuple[str, ...]
    programs: tuple[Program, Program]
    seconds: int
    scenes: tuple[tuple[str, str], ...]
    steps: tuple[str, ...]
    environment: dict[str, str]


@contextmanager
def workplace() -> Iterator[Path]:
    """Give a temporary folder on a disk (memory file systems are no disk), and remove it."""
    from jostle.cli.checks import file_system_of

    places = [Path(tempfile.gettempdir()), Path("/var/tmp"), Path.home()]
    usable = [place for place in places if os.access(place, os.W_OK)]
    disks = [place for place in usable if file_system_of(place) not in ("tmpfs", "ramfs")]
    with tempfile.TemporaryDirectory(prefix="jostle-demo-", dir=[*disks, *usable][0]) as name:
        if shutil.disk_usage(name).free < 2 << 30:
            raise JostleError(
                f"The demo needs 2 GiB of room in {Path(name).parent}.",
                hint="Make room, or set TMPDIR to a folder on another disk.",
            )
        yield Path(name)


def home() -> Path:
    """Return the folder that keeps the demo's repository and picture, emptied."""
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    folder = Path(data) / "jostle-demo"
    try:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "repository").mkdir(exist_ok=True)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="jostle-demo-kept-"))
    return folder


def files(folder: Path, seconds: int) -> Cast:
    """Return the cast without MPI: tar and SQLite on one disk."""
    library = sysconfig.get_path("stdlib")
    return Cast(
        about=("two ordinary programs share one disk. Neither was rebuilt,",
               f"neither knows of the other. Both are watched in the same {SLICE} slices "
               f"for {seconds} s."),
        programs=(
            Program(STEADY, ("sh", str(_HERE / "steady.sh"), library,
                             str(folder / "library.tar"), str(seconds))),
            Program(BURSTS, ("python3", str(_HERE / "bursts.py"), str(folder), str(seconds))),
        ),
        seconds=seconds,
        scenes=(
            ("Both are in the repository now", "jobs"),
            ("tar: many short processes, reading and writing evenly", f"digest {STEADY}"),
            ("sqlite: one process that writes in bursts", f"digest {BURSTS}"),
            ("Both on one time axis", f"timeline {STEADY} {BURSTS} --plot {{picture}}"),
            ("What tar's neighbours did on its disk meanwhile", f"background {STEADY}"),
        ),
        steps=(
            f"jostle timeline {STEADY} {BURSTS} --metric ops",
            f"jostle background {BURSTS} --plot background.svg",
            "jostle run -- CMD",
        ),
        environment={},
    )  # fmt: skip


def play(cast: Cast, repository: Path, spool: Path, tick: Callable[[float], None]) -> list[str]:
    """Run both programs under `jostle run`, side by side for most of the time.

    Args:
        cast: The programs.
        repository: Where their slices go.
        spool: Where their profiles go.
        tick: Called now and then with the seconds that have passed.

    Returns:
        What each `jostle run` said.
    """
    spool.mkdir(exist_ok=True)
    environment = _environment(cast, repository, spool)
    running: dict[str, subprocess.Popen[str]] = {}
    try:
        begin = time.monotonic()
        while len(running) < 2 or any(process.poll() is None for process in running.values()):
            passed = time.monotonic() - begin
            for program in cast.programs:
                if program.job not in running and passed >= program.after_s:
                    running[program.job] = _start(program, environment)
                if program.stop and passed >= program.stop_s and not program.stop.exists():
                    program.stop.touch()
            tick(min(passed, cast.seconds))
            time.sleep(0.1)
        said = [running[program.job].communicate()[1] for program in cast.programs]
    finally:
        for process in running.values():
            if process.poll() is None:
                process.terminate()
                process.wait()
    for program, words in zip(cast.programs, said, strict=True):
        if running[program.job].returncode != 0:
            raise JostleError(
                f"{program.job} ended with {running[program.job].returncode}: "
                f"{words.strip()[-400:]}",
                hint="jostle doctor; jostle demo --files needs no MPI",
            )
    return said


def _environment(cast: Cast, repository: Path, spool: Path) -> dict[str, str]:
    """Return the environment of `jostle run`: the user's, without settings of ours."""
    environment = {name: value for name, value in os.environ.items()
                   if (name != "JOSTLE" and not name.startswith("JOSTLE_"))
                   or name in ("JOSTLE_NATIVE", "JOSTLE_CONFIG")}  # fmt: skip
    environment["JOSTLE_REPOSITORY"] = str(repository)
    environment["JOSTLE_SPOOL"] = str(spool)
    # The commands that are shown say python3: the one that runs jostle comes first.
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment.get('PATH', os.defpath)}"
    return environment | cast.environment


def _start(program: Program, environment: dict[str, str]) -> subprocess.Popen[str]:
    prefix = [sys.executable, "-m", "jostle.cli", "run", "--slice", SLICE]
    return subprocess.Popen(
        [*prefix, "--job", program.job, "--", *program.command],
        env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True, cwd=program.folder,
    )  # fmt: skip
