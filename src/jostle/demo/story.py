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
    """

    job: str
    command: tuple[str, ...]

    @property
    def shown(self) -> str:
        """The command that profiles it, as one may type it."""
        words = ["jostle", "run", "--job", self.job, "--slice", SLICE, "--", *self.command]
        return shlex.join(words)


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


def programs(folder: Path, seconds: int) -> tuple[Program, Program]:
    """Return the two programs at work in `folder` for `seconds`."""
    library = sysconfig.get_path("stdlib")
    return (
        Program(STEADY, ("sh", str(_HERE / "steady.sh"), library,
                         str(folder / "library.tar"), str(seconds))),
        Program(BURSTS, ("python3", str(_HERE / "bursts.py"),
                         str(folder), str(seconds))),
    )  # fmt: skip


def play(
    cast: tuple[Program, Program],
    repository: Path,
    spool: Path,
    seconds: int,
    tick: Callable[[float], None],
) -> list[str]:
    """Run both programs under `jostle run` at the same time.

    Args:
        cast: The programs.
        repository: Where their slices go.
        spool: Where their profiles go.
        seconds: How long they will take, roughly.
        tick: Called now and then with the seconds that have passed.

    Returns:
        What each `jostle run` said.
    """
    unwanted = ("JOSTLE", "JOSTLE_SPOOL", "JOSTLE_JOB", "JOSTLE_SLICE", "JOSTLE_EXCLUDE_PROGRAMS")
    environment = {name: value for name, value in os.environ.items() if name not in unwanted}
    environment["JOSTLE_REPOSITORY"] = str(repository)
    environment["JOSTLE_SPOOL"] = str(spool)
    # The commands that are shown say python3: the one that runs jostle comes first.
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment.get('PATH', os.defpath)}"
    prefix = [sys.executable, "-m", "jostle.cli", "run", "--slice", SLICE]
    running = [
        subprocess.Popen(
            [*prefix, "--job", program.job, "--", *program.command],
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True,
        )
        for program in cast
    ]  # fmt: skip
    try:
        begin = time.monotonic()
        while any(process.poll() is None for process in running):
            tick(min(time.monotonic() - begin, seconds))
            time.sleep(0.1)
        said = [process.communicate()[1] for process in running]
    finally:
        for process in running:
            if process.poll() is None:
                process.terminate()
                process.wait()
    for process, words, program in zip(running, said, cast, strict=True):
        if process.returncode != 0:
            raise JostleError(
                f"{program.job} ended with {process.returncode}: {words.strip()[-400:]}",
                hint="jostle doctor",
            )
    return said
