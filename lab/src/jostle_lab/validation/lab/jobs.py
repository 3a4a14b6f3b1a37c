"""Builds the commands of an experiment's jobs (signals that write a log), and ends the jobs."""

from __future__ import annotations

import contextlib
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from jostle import native_path
from jostle_lab.signals import program


def signal_words(
    words: Sequence[str],
    *,
    job: str,
    folder: Path | None,
    log: Path,
    start_ns: int,
    slice_ns: int,
    mpi: str | None = None,
) -> list[str]:
    """Return the command line of a signal, the load program `jostle signal`.

    Args:
        words: Pattern and options.
        job: Name of the signal's job in the log.
        folder: Folder of the signal's files; None if it has no files.
        log: Folder of the log, as the signal's node sees it.
        start_ns: Time of the signal's first operation, Unix time, in ns.
        slice_ns: Length of the log's slices, in ns.
        mpi: MPI library of the ranks; None for a signal without MPI.
    """
    return [
        str(program(mpi)),
        *words,
        *(["--dir", str(folder)] if folder else []),
        "--job",
        job,
        "--slice",
        f"{slice_ns // 1_000_000}ms",
        "--start",
        f"{start_ns // 10**9}.{start_ns % 10**9:09d}",
        "--log",
        str(log),
        "--quiet",
    ]


def profiled_words(words: Sequence[str], *, job: str, spool: Path, slice_ns: int) -> list[str]:
    """Return the command line that runs a command and records its profile."""
    return [
        str(native_path("jostle-run")),
        "--job",
        job,
        "--spool",
        str(spool),
        "--slice",
        f"{slice_ns // 1_000_000}ms",
        "--",
        *words,
    ]


def wait(process: subprocess.Popen[bytes], over: threading.Event, limit_s: float) -> int:
    """Wait for a process; return its exit status, or 124 if this function had to stop it."""
    end = time.monotonic() + limit_s
    while process.poll() is None:
        if over.wait(0.05) or time.monotonic() > end:
            stop(process)
            return 124
    return process.returncode


def stop(process: subprocess.Popen[bytes], patience_s: float = 5.0) -> None:
    """Ask a process to end; kill it if it does not."""
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(patience_s)
    process.kill()
    process.wait()
