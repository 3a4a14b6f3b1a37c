"""Runs a command with the same descriptors, signals and exit status as without jostle."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from resource import struct_rusage

from jostle.errors import UsageError

#: Signals from other processes that are forwarded to the command. SIGINT and SIGQUIT from the
#: keyboard reach it directly, since they are sent to the whole foreground group.
_FORWARDED = (
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGUSR1,
    signal.SIGUSR2,
)
_SI_USER, _SI_TKILL = 0, -6


@dataclass(frozen=True)
class CommandOutcome:
    """The end of a command: its exit status, times and bytes.

    Attributes:
        pid: Process id of the command.
        start_ns: Start of the command, ns since the epoch.
        wall_ns: Run time, in ns.
        cpu_ns: CPU time of the command and of the children that it waited for.
        status: Exit status as a shell would report it: 128 + signal when killed.
        signal: Name of the signal that killed it, or None.
        read_chars: Bytes read by it and the children that it waited for, as counted by the kernel:
            from files, cached or not, pipes and terminals. None: the kernel does not report them.
        write_chars: Bytes written, counted in the same way.
    """

    pid: int
    start_ns: int
    wall_ns: int
    cpu_ns: int
    status: int
    signal: str | None
    read_chars: int | None = None
    write_chars: int | None = None


def run(
    command: Sequence[str],
    environment: Mapping[str, str],
    alongside: tuple[float, Callable[[], None]] | None = None,
    output: int = 1,
    started: Callable[[int], None] | None = None,
) -> CommandOutcome:
    """Start `command`, forward signals to it, and wait for its end.

    Args:
        command: The words of the command.
        environment: Environment of the command.
        alongside: Time, s, after which a function is called, and this function, which must not
            fail.
        output: The descriptor that becomes its standard output.
        started: Function to call with its pid once it runs; it must not fail.

    Raises:
        UsageError: There is no such command (exit status 127) or it may not be executed (126), the
            statuses that a shell gives.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # an inherited SIG_IGN would hide the child's end
    watched = {*_FORWARDED, signal.SIGCHLD}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    # Python ignores these two; the command must have the defaults.
    restored = [signal.SIGPIPE, signal.SIGXFSZ]
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        restored.append(signal.SIGINT)
    before = _moved()
    start_ns, start = time.time_ns(), time.monotonic_ns()
    try:
        pid = os.posix_spawnp(
            command[0],
            list(command),
            dict(environment),
            setsigmask=mask,
            setsigdef=restored,
            file_actions=[(os.POSIX_SPAWN_DUP2, output, 1)] if output != 1 else [],
        )
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        raise UsageError(
            f"Cannot run `{command[0]}`: {error.strerror}.",
            hint="Check the spelling and PATH." if missing else "Check that it is executable.",
            exit_code=127 if missing else 126,
        ) from error
    try:
        if started:
            started(pid)
        status, usage = _wait(pid, watched, alongside)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    wall_ns = time.monotonic_ns() - start
    moved = [now - then for now, then in zip(_moved(), before, strict=False)]
    killed = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
    return CommandOutcome(
        pid=pid,
        start_ns=start_ns,
        wall_ns=wall_ns,
        cpu_ns=round((usage.ru_utime + usage.ru_stime) * 1e9),
        status=128 + killed if killed else os.WEXITSTATUS(status),
        signal=signal_name(killed) if killed else None,
        read_chars=moved[0] if len(moved) == 2 else None,
        write_chars=moved[1] if len(moved) == 2 else None,
    )


def signal_name(number: int) -> str:
    """Return the name of a signal: `SIGKILL`, or `SIGRTMIN+1`, for which Python has no name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIGRTMIN{number - signal.SIGRTMIN:+d}"


def _moved() -> list[int]:
    """Return the bytes read and written by this process and ended children; [] if unknown."""
    try:
        lines = Path("/proc/self/io").read_text().splitlines()
        return [int(line.split()[1]) for line in lines[:2]]
    except (OSError, ValueError, IndexError):
        return []


def _wait(
    pid: int, watched: set[signal.Signals], alongside: tuple[float, Callable[[], None]] | None
) -> tuple[int, struct_rusage]:
    """Wait for the child, and forward signals from others meanwhile."""
    due = time.monotonic() + alongside[0] if alongside else 0.0
    while True:
        ended, status, usage = os.wait4(pid, os.WNOHANG)
        if ended == pid:
            return status, usage
        if alongside and (left := due - time.monotonic()) <= 0:
            alongside[1]()
            alongside = None
            continue  # the child may have ended meanwhile
        news = signal.sigtimedwait(watched, left) if alongside else signal.sigwaitinfo(watched)
        # RATIONALE: only signals from processes are forwarded. The kernel's own (the keyboard, a
        # hang-up) have reached the command already; it would get them twice.
        if news and news.si_signo != signal.SIGCHLD and news.si_code in (_SI_USER, _SI_TKILL):
            try:
                os.kill(pid, news.si_signo)
            except ProcessLookupError:
                continue
