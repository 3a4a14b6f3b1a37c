"""Times one run of a command, bare, profiled or with another profiler, for `jostle overhead`."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jostle.cli.config import settings
from jostle.cli.launch.environment import INJECTION, gpu_environment, preload_name
from jostle.cli.launch.other_profilers import OtherProfiler
from jostle.cli.launch.spawn import signal_name
from jostle.errors import JostleError, UsageError
from jostle.files.regular_files import read_regular

ARMS = ("plain", "profiled")
_PATIENCE_S = 10.0
_TIMER = "libjostle-timer.so"
_DRIVER = "libcuda.so.1"


class TrialError(JostleError):
    """A run failed, so that its time is not valid."""


@dataclass(frozen=True)
class TrialDirectory:
    """Working directory, environment and time limit of a command, if they differ from the user's.

    Attributes:
        folder: Working directory.
        environment: Complete environment.
        limit_s: Run time after which the command counts as hanging, in seconds.
    """

    folder: Path
    environment: Mapping[str, str]
    limit_s: float


@dataclass(frozen=True)
class TrialRun:
    """The times of one run.

    Attributes:
        arm: Kind of the run: plain, profiled, or the name of another profiler.
        wall_s: Time of the whole command, in seconds.
        mpi_s: Time from the first return of MPI_Init to the last call of MPI_Finalize, s; None if
            no process reached MPI_Finalize. Consecutive MPI programs are added up.
    """

    arm: str
    wall_s: float
    mpi_s: float | None


class Trial:
    """A command for runs of all kinds, with a temporary folder."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        gpu: bool = False,
        alongside: Sequence[OtherProfiler] = (),
        place: TrialDirectory | None = None,
    ) -> None:
        """Find the command and the parts of jostle.

        Args:
            command: The command and its arguments.
            gpu: Whether profiled runs also record GPUs.
            alongside: Other profilers.
            place: Directory, environment and limit of the command; None: as this process.

        Raises:
            UsageError: There is no such command; or no driver of a GPU, which `gpu` needs.
        """
        from jostle import NativeMissingError, native_path

        if shutil.which(command[0]) is None:
            raise UsageError(
                f"There is no command `{command[0]}`.", hint="Check the spelling and PATH."
            )
        if not settings().enabled:
            raise UsageError(
                "Recording is switched off (JOSTLE=off, or the operator's file): both kinds of "
                "runs would be equal.",
                hint="unset JOSTLE; jostle doctor",
            )
        self._recorder = _gpu_recorder() if gpu else {}
        self.command = list(command)
        self._others = {profiler.name: profiler for profiler in alongside}
        self._place = place
        self._library = preload_name()
        try:
            self._timer: str | None = str(native_path(_TIMER))
        except NativeMissingError:
            self._timer = None
        parent = settings().spool
        usable = parent.is_dir() and os.access(parent, os.W_OK | os.X_OK)
        self.folder = Path(
            tempfile.mkdtemp(prefix="overhead-", dir=parent if usable else None)
        ).absolute()
        # If the operator's spool is locked, the profiles go there in any case.
        locked = "spool" in settings().locked
        self.spool = parent if locked else self.folder / "spool"
        self.job = f"overhead-{os.getpid()}"
        self._stamps, self._output = self.folder / "stamps", self.folder / "output"
        self.logs = self.folder / "logs"

    @property
    def arms(self) -> tuple[str, ...]:
        """The kinds of runs."""
        return (*ARMS, *self._others)

    def close(self) -> None:
        """Remove the profiles and the temporary folder."""
        self._clear()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, arm: str) -> TrialRun:
        """Run the command once.

        Args:
            arm: plain, profiled, or the name of another profiler.

        Raises:
            TrialError: The command ended with a status other than 0, or did not end.
        """
        self._clear()
        self.spool.mkdir(mode=0o1777, parents=True, exist_ok=True)
        shutil.rmtree(self.logs, ignore_errors=True)
        self.logs.mkdir()
        limit_s = self._place.limit_s if self._place else None
        self._stamps.unlink(missing_ok=True)
        environment = self._environment(arm)
        with self._output.open("wb") as output:
            begin = time.monotonic_ns()
            process = subprocess.Popen(
                self.command,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=self._place.folder if self._place else None,
            )
            try:
                status = process.wait(limit_s)
            except subprocess.TimeoutExpired:
                _stop(process)
                raise self._failed(arm, f"did not end within {limit_s:g} s") from None
            except BaseException:
                _stop(process)
                raise
            wall_s = (time.monotonic_ns() - begin) / 1e9
        if status < 0:
            raise self._failed(arm, f"was killed by {signal_name(-status)}")
        if status > 0:
            raise self._failed(arm, f"ended with {status}")
        if arm in self._others and b"cannot be preloaded" in self._first_words():
            raise self._failed(arm, f"could not load {self._others[arm].library}")
        return TrialRun(arm, wall_s, mpi_seconds(self._stamps))

    def _environment(self, arm: str) -> dict[str, str]:
        """Return the environment of a kind of run: all kinds have the timer of MPI programs.

        Kinds differ only in the profiler. LD_PRELOAD has the timer after the profiler, so that the
        measured time includes the profiler's work in MPI_Init and MPI_Finalize.
        """
        environment = dict(self._place.environment if self._place else os.environ)
        libraries = [self._timer] if self._timer else []
        if arm == "profiled":
            libraries.insert(0, self._library)
            environment["JOSTLE_SPOOL"] = str(self.spool)
            environment["JOSTLE_JOB"] = self.job
            environment["JOSTLE_DIGEST"] = "off"
            environment |= self._recorder
        elif self._recorder:
            environment.pop(INJECTION, None)
        if arm in self._others:
            libraries.insert(0, self._others[arm].library)
            environment |= self._others[arm].environment(self.logs)
        others = environment.pop("LD_PRELOAD", "")
        preload = ":".join([*libraries, *([others] if others else [])])
        if preload:
            environment["LD_PRELOAD"] = preload
        environment["JOSTLE_TIMER_FILE"] = str(self._stamps)
        return environment

    def _first_words(self) -> bytes:
        with self._output.open("rb") as output:
            return output.read(1 << 16)

    def _failed(self, arm: str, ending: str) -> TrialError:
        words = self._output.read_bytes()[-2000:].decode(errors="replace").strip().splitlines()
        output = ", without any output"
        if words:
            output = "; its last words:\n    " + "\n    ".join(words[-5:])
        how, hint = {
            "plain": ("without jostle", "Only a command that ends with 0 can be measured."),
            "profiled": (
                "under jostle (without it, it succeeds)",
                "Please report this; JOSTLE=off switches the runtime off.",
            ),
        }.get(arm, (f"under {arm} (without it, it succeeds)", f"Leave {arm} out."))
        return TrialError(f"`{self.command[0]}` {ending} {how}{output}", hint=hint)

    def _profiles(self) -> list[Path]:
        return [path for path in self.spool.glob(f"{self.job}.*") if os.access(path, os.R_OK)]

    def _clear(self) -> None:
        """Remove the files of the last run."""
        for path in self._profiles():
            path.unlink(missing_ok=True)

    def recorded(self) -> list[Any]:
        """Return the headers of the last run's profiles, also of short-lived processes."""
        from jostle.reader import read_header

        return [read_header(path) for path in self._profiles()]

    def log_missing(self, arm: str) -> bool:
        """Return whether the last run, with a profiler that has a log folder, left no log there."""
        return bool(self._others[arm].variables) and not any(self.logs.iterdir())

    def gpus_recorded(self) -> tuple[bool, list[str]]:
        """Return whether the last run recorded a GPU, and its notes on missing numbers."""
        from jostle.reader import ProfileHeader, ReadRequest, read_profiles

        requests = [ReadRequest(path, number) for number, path in enumerate(self._profiles())]
        headers = [result.header for result in read_profiles(requests).results]
        profiles = [header for header in headers if isinstance(header, ProfileHeader)]
        notes = {note.text for header in profiles for note in header.notes}
        recorded = any(header.gpus for header in profiles)
        return recorded, sorted(text for text in notes if "with a GPU" in text)


def _gpu_recorder() -> dict[str, str]:
    """Return the variables that load the recorder of GPUs.

    Raises:
        UsageError: There is no GPU for CUDA, or another tool uses the variable.
    """
    try:
        ctypes.CDLL(_DRIVER)
    except OSError:
        raise UsageError(
            f"--gpu needs a GPU: NVIDIA's driver ({_DRIVER}) is not on this machine.",
            hint="Run the command on a node with a GPU, or leave out --gpu.",
        ) from None
    return gpu_environment()


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End a run after an interruption; the SIGINT of the keyboard reached it as well."""
    if process.poll() is None:
        process.terminate()
    try:
        process.wait(_PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def mpi_seconds(stamps: Path) -> float | None:
    """Read the time in which at least one rank was between MPI_Init and MPI_Finalize.

    Args:
        stamps: File that libjostle-timer.so wrote.

    Returns:
        Length of the union of the ranks' spans, s; None without any.
    """
    if not stamps.exists():
        return None
    spans = []
    for line in read_regular(stamps, 1 << 26).decode().splitlines():
        numbers = [int(word) for word in line.split() if word.isdigit()]
        if len(numbers) == 5 and 0 < numbers[2] <= numbers[3]:
            spans.append((numbers[2], numbers[3]))
    total, reached = 0, 0
    for begin, end in sorted(spans):
        total += max(0, end - max(begin, reached))
        reached = max(reached, end)
    return total / 1e9 if spans else None
