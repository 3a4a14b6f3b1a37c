"""Helpers of lab tests: the command, and what a lab may have left on the machine."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

#: No two runs of the tests meet.
NAME = f"t{os.getpid()}"
CLI = [sys.executable, "-m", "jostle.cli"]
HERE = Path(__file__).parent


def jostle(*words: str, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run the command; not checked."""
    return subprocess.run([*CLI, *words], capture_output=True, text=True, timeout=120, **more)


@contextmanager
def patient_with(mpi: str) -> Iterator[None]:
    """Skip where MPICH hangs in MPI_Finalize between nodes, as Debian's does now and then."""
    try:
        yield
    except subprocess.TimeoutExpired:
        if mpi != "mpich":
            raise
        pytest.skip("this MPICH hung in MPI_Finalize")


def on(lab: Any, node: str, script: str, **more: Any) -> str:
    """Run a shell script on a node; return what it says."""
    done = subprocess.run(
        lab.command(node, ["sh", "-c", script], cwd="/"),
        capture_output=True,
        text=True,
        timeout=60,
        **more,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@dataclass(frozen=True)
class Carried:
    """Bytes over a link without headers, and an upper bound of retransmitted ones."""

    bytes: int
    again: int

    def is_of(self, said: float, rel: float = 0.01) -> bool:
        """All bytes and no others; retransmitted ones, which queues dropped, count twice."""
        return (1 - rel) * said <= self.bytes <= (1 + rel) * said + self.again


class Traffic:
    """Traffic of links from now on."""

    _SEGMENT = 1448  # bytes of a TCP segment here, at most

    def __init__(self, lab: Any) -> None:
        self._lab = lab
        self._before, self._resent = lab.counters(payload=True), self._sent_again()

    def carried(self) -> dict[str, Carried]:
        """Traffic of each link so far."""
        again = self._sent_again() - self._resent
        after = self._lab.counters(payload=True)
        return {link: Carried(after[link] - begin, again) for link, begin in self._before.items()}

    def _sent_again(self) -> int:
        """Bytes that TCP of all hosts sent again so far, as their kernels count them."""
        found = 0
        for host in self._lab.state.hosts:
            lines = on(self._lab, host, "grep ^Tcp: /proc/net/snmp").splitlines()
            counters = dict(zip(*(line.split() for line in lines), strict=True))
            found += self._SEGMENT * int(counters["RetransSegs"])
        return found


def traces(name: str, patience_s: float = 60) -> list[str]:
    """What the kernel still lists of a lab on this machine, after it had time to vanish."""
    end = time.monotonic() + patience_s
    while (found := _traces(name)) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def leftovers(name: str) -> list[str]:
    """The same, but for the state folder."""
    end = time.monotonic() + 60
    while (found := _living(name)) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def _traces(name: str) -> list[str]:
    folders = [Path("/run/jostle-lab") / name, Path("/var/tmp/jostle-lab") / name]
    return [str(folder) for folder in folders if folder.exists()] + _living(name)


def _living(name: str) -> list[str]:
    """Mounts, processes, loop devices and interfaces of a lab."""
    mark = f"jostle-lab/{name}"
    found = [line for line in Path("/proc/mounts").read_text().splitlines() if mark in line]
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_text(errors="replace")
            mounts = (process / "mountinfo").read_text(errors="replace")
        except OSError:
            continue
        if mark in words or mark in mounts:
            found.append(f"{process.name}: {words}")
    for backing in Path("/sys/block").glob("loop*/loop/backing_file"):
        try:
            found += [str(backing)] if mark in backing.read_text() else []
        except OSError:
            continue
    return found


def host_traffic() -> dict[str, int]:
    """Bytes that the machine's own interfaces moved so far, both ways."""
    moved = {}
    for line in Path("/proc/net/dev").read_text().splitlines()[2:]:
        device, _, numbers = line.partition(":")
        fields = numbers.split()
        moved[device.strip()] = int(fields[0]) + int(fields[8])
    return moved


def processes(repository: Path, job: str) -> list[dict[str, Any]]:
    """The processes of a job that the repository knows."""
    from jostle.repository import Repository

    return list(Repository(repository).job_processes(job).to_pylist())


def mpi_program(mpi: str, folder: Path) -> Path:
    """Build ring.c for an MPI, or skip."""
    compiler, launcher = shutil.which(f"mpicc.{mpi}"), shutil.which(f"mpirun.{mpi}")
    if not (compiler and launcher):
        pytest.skip(f"{mpi} is not installed")
    program = folder / f"send.{mpi}"
    if not program.exists():
        subprocess.run([compiler, "-O1", "-o", program, HERE / "send.c"], check=True)
    return program


def as_json(text: str) -> Any:
    """Read JSON."""
    return json.loads(text)
