"""Starts the programs of a run, watches them, and stops all processes that they started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jostle_lab.study.launch import MARK, Command

#: How long a program may take to end when it is asked to, in seconds: what it writes cannot be
#: interrupted, and a disk or a server that two programs load may take many for it.
ASKED_S = 30.0
#: The same where a whole run is given up.
GRACE_S = 5.0
#: How long a launcher may take to end after all its ranks have done their work.
LINGER_S = 15.0
KEPT_BYTES = 64 << 10
KEPT_LINES = 12


def marked(mark: str, job: str | None = None) -> list[int]:
    """Find the processes of a run by an environment variable.

    Args:
        mark: The run's mark.
        job: Name of the job to which the processes must belong. The name alone is not unique:
            another study on this machine, or another user's demo, has jobs of the same names.

    Returns:
        Process IDs, without that of this process. Processes of other users are visible to root
        only.
    """
    wanted = {f"{MARK}={mark}".encode()} | ({f"JOSTLE_JOB={job}".encode()} if job else set())
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            content = Path("/proc", name, "environ").read_bytes()
            if wanted.issubset(content.split(b"\0")):
                found.append(int(name))
    return found


def kill(pids: Iterable[int], number: signal.Signals) -> None:
    """Send a signal to processes, some of which may have ended."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def sweep(mark: str, patience_s: float = GRACE_S) -> bool:
    """Stop all processes of a run: SIGTERM, a wait, then SIGKILL.

    Args:
        mark: The run's mark.
        patience_s: Time that the processes may take to end, in seconds.

    Returns:
        Whether all processes have ended.
    """
    left = marked(mark)
    kill(left, signal.SIGTERM)
    end = time.monotonic() + patience_s
    while left and time.monotonic() < end:
        time.sleep(0.05)
        left = marked(mark)
    for _ in range(40):
        if not left:
            return True
        kill(left, signal.SIGKILL)
        time.sleep(0.05)
        left = [pid for pid in marked(mark) if not _zombie(pid)]
    return not left


def _zombie(pid: int) -> bool:
    with contextlib.suppress(OSError, IndexError):
        return Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()[0] == "Z"
    return True


@dataclass
class Task:
    """A program of a run, from its start to its end.

    Attributes:
        job: Name of the program's job.
        mark: Mark of the run in the environment.
        commands: Commands that start the program: one process per mpirun, or one per node.
        words: Folder for the program's output.
        stop: Function that asks the program to end, by a signal to its ranks.
        limit_s: Time limit after which the program is stopped, in seconds.
        finished: Function that returns whether the program's work is done, even if its launcher
            still runs.
        repeat: Whether the program is restarted after it has succeeded (a command that must last
            until its probe ends).
        status: Exit status in a shell's notation; None while the program runs.
        error: Reason why the program failed; "" if it did not.
        begin_ns, end_ns: Begin and end of the program's processes, in ns.
        rounds: Number of times that the program was started.
        lingered: Whether the program had to be stopped after its work was done.
    """

    job: str
    mark: str
    commands: Sequence[Command]
    words: Path
    stop: Callable[[Sequence[subprocess.Popen[bytes]]], None]
    limit_s: float
    finished: Callable[[], bool] = lambda: False
    repeat: bool = False
    status: int | None = None
    error: str | None = None
    begin_ns: int = 0
    end_ns: int = 0
    rounds: int = 0
    lingered: bool = False
    _processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    _asked: float | None = None
    _deadline: float = 0.0
    _looked: float = 0.0
    _since: float | None = None

    def start(self) -> None:
        """Start the program; one that cannot be started has ended with status 127 or 126."""
        self.words.mkdir(parents=True, exist_ok=True)
        now = time.time_ns()
        self.begin_ns = self.begin_ns or now
        if not self.rounds:
            self._deadline = time.monotonic() + self.limit_s
        self.rounds += 1
        try:
            with (
                (self.words / "stdout").open("ab") as out,
                (self.words / "stderr").open("ab") as err,
            ):
                for command in self.commands:
                    # A session of its own: the keyboard's ^C reaches only this process, which ends
                    # it gracefully.
                    self._processes.append(
                        subprocess.Popen(
                            command.argv,
                            env=command.env,
                            cwd=command.cwd,
                            stdout=out,
                            stderr=err,
                            stdin=subprocess.DEVNULL,
                            start_new_session=True,
                        )
                    )
        except OSError as error:
            self._kill()
            self._end(127 if isinstance(error, FileNotFoundError) else 126)
            self.end_ns = self.begin_ns
            name = error.filename or self.commands[0].argv[0]
            self.error = f"cannot be started: {os.fsdecode(name)}: {error.strerror}"

    def poll(self) -> bool:
        """Return whether the program has ended; stop it after its time limit."""
        if self.status is not None:
            return True
        codes = [process.poll() for process in self._processes]
        if None not in codes:
            worst = next((code for code in codes if code), 0) or 0
            if self.repeat and worst == 0 and self._asked is None:
                self._processes.clear()
                self.start()
                return self.status is not None
            self._end(worst if worst >= 0 else 128 - worst)
            return True
        now = time.monotonic()
        if self._asked is None and now > self._deadline:
            self.error = f"ended by its time limit of {self.limit_s:g} s"
            self.ask()
        elif self._asked is not None and now > self._asked + ASKED_S:
            self._kill()
        elif now > self._looked + 1:
            self._looked = now
            self._linger(now)
        return False

    def _linger(self, now: float) -> None:
        """Stop a launcher that still runs after the work is done, since MPI_Finalize may hang."""
        if not self.finished():
            return
        self._since = self._since or now
        if now > self._since + LINGER_S:
            self.lingered = True
            self._kill()

    def ask(self) -> None:
        """Ask the program to end."""
        if self.status is None and self._asked is None:
            self._asked = time.monotonic()
            self.stop(self._processes)

    def _end(self, status: int) -> None:
        self.status, self.end_ns = status, time.time_ns()
        # One node's processes may outlive another's failure.
        self._kill()

    def _kill(self) -> None:
        alive = [process for process in self._processes if process.poll() is None]
        kill(marked(self.mark, self.job), signal.SIGKILL)
        for process in alive:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)

    def abandon(self) -> None:
        """Stop the program at once."""
        self._kill()
        for process in self._processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=2)

    def last_lines(self) -> list[str]:
        """Return the last lines of the program's stderr, or of its stdout if stderr is empty."""
        for name in ("stderr", "stdout"):
            if lines := tail(self.words / name):
                return lines
        return []


def tail(path: Path) -> list[str]:
    """Return the last lines of a file, at most KEPT_LINES of at most 300 characters."""
    try:
        with path.open("rb") as stream:
            stream.seek(max(0, os.fstat(stream.fileno()).st_size - 8192))
            text = stream.read(8192).decode(errors="replace")
    except OSError:
        return []
    lines = [
        "".join(c if c.isprintable() else "?" for c in line.expandtabs(4))[:300]
        for line in text.splitlines()
    ]
    return [line for line in lines if line.strip()][-KEPT_LINES:]


def shorten(path: Path) -> None:
    """Keep the beginning and the end of a program's output."""
    with contextlib.suppress(OSError):
        size = path.stat().st_size
        if size == 0:
            path.unlink()
        elif size > KEPT_BYTES:
            with path.open("rb") as stream:
                head = stream.read(KEPT_BYTES // 2)
                stream.seek(size - KEPT_BYTES // 2)
                end = stream.read()
            left = f"\n... {size - KEPT_BYTES} bytes left out ...\n".encode()
            path.write_bytes(head + left + end)
