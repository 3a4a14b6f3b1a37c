"""Signals are named by their profiles: pattern, chunk, period.

lab/bench/rows/lab/access.py scores more.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from mpis import Mpi

from jostle.analysis import AccessPattern, write_patterns
from jostle.repository import Repository
from jostle_lab.signals import program

PATTERNS = OWC, SEEK, AGGREGATE = ["open-write-close", "write-seek", "aggregate-write"]
KIB, MIB = 1 << 10, 1 << 20


class Profiled:
    """Runs signals under the preload and names what they did."""

    def __init__(self, library: Path, folder: Path) -> None:
        self.spool, self.data = folder / "spool", folder / "data"
        self.spool.mkdir()
        self.data.mkdir()
        wanted = (os.environ.get("JOSTLE_TEST_PRELOAD"), str(library))
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("JOSTLE_")},
            "LD_PRELOAD": ":".join(each for each in wanted if each),
            "JOSTLE_SPOOL": str(self.spool),
            "JOSTLE_JOB": "named",
            "JOSTLE_SLICE": "100ms",
        }

    def run(self, *words: str | int, mpi: Mpi | None = None) -> AccessPattern:
        """Runs a signal of two processes; gives the pattern on its mount."""
        command = [
            str(program(mpi.name if mpi else None)),
            *map(str, words),
            "--dir",
            str(self.data),
            "--log",
            "none",
            "--quiet",
            "--slice",
            "100ms",
        ]
        environment = self.environment
        if mpi is None:
            command += ["--processes", "2"]
        else:
            command = mpi.command(2, *command, "--api", "mpiio")
            environment = environment | mpi.environment
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=100
        )
        assert done.returncode == 0, done.stderr
        with Repository.of_spool([self.spool]) as store:
            tables = store.job_tables("named")
        over = [
            row
            for row in tables.mounts.to_pylist()
            if row["path"] and self.data.is_relative_to(row["path"])
        ]
        mount = max(over, key=lambda row: len(row["path"]))["mount"]
        return next(each for each in write_patterns(tables) if each.mount == mount)


@pytest.fixture
def profiled(library: Path, tmp_path: Path) -> Profiled:
    """A place to run signals under the preload."""
    return Profiled(library, tmp_path)


SMALL, SHARED = ("--chunk", 2 * KIB), ("--chunk", 256 * KIB, "--shared")
PIECES, UNFLUSHED = ("--chunk", 64 * KIB, "--piece", 4 * KIB), ("--chunk", MIB, "--flush", "none")


@pytest.mark.parametrize(
    ("pattern", "more"),
    [
        *((pattern, SMALL) for pattern in PATTERNS),
        (OWC, SHARED),
        (AGGREGATE, SHARED),
        (SEEK, PIECES),
        (AGGREGATE, PIECES),
        (OWC, UNFLUSHED),
        (SEEK, UNFLUSHED),
    ],
)
def test_named(profiled: Profiled, pattern: str, more: tuple[str | int, ...]) -> None:
    """Over chunk sizes, sharing, pieces and flush modes."""
    found = profiled.run(pattern, "--iterations", 40, *more)
    assert found.pattern == pattern, found
    options = dict(zip(more[::2], more[1::2], strict=False))
    chunk = options["--chunk"]
    if pattern == "aggregate-write":
        chunk = options.get("--piece", chunk)
    assert found.chunk_bytes == pytest.approx(chunk, rel=0.1)


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("pattern", "sharing"), [(OWC, ()), (SEEK, ("--shared",)), (AGGREGATE, ("--shared",))]
)
def test_named_by_mpi_io(
    profiled: Profiled, mpi: Mpi, pattern: str, sharing: tuple[str, ...]
) -> None:
    """The same through MPI-IO, whatever calls it makes."""
    found = profiled.run(pattern, "--iterations", 40, "--chunk", 64 * KIB, *sharing, mpi=mpi)
    assert found.pattern == pattern, found
    assert found.chunk_bytes == pytest.approx(64 * KIB, rel=0.1)


def test_reused_file(profiled: Profiled) -> None:
    """A file opened repeatedly is a new one for whoever counts closes."""
    found = profiled.run("open-write-close", "--iterations", 40, "--chunk", 4 * KIB, "--reuse")
    assert found.pattern == "open-write-close" and found.chunk_bytes == pytest.approx(4 * KIB)


@pytest.mark.in_turn
@pytest.mark.tries(3)
def test_periodic(profiled: Profiled) -> None:
    """Bursts come back; where the machine is too busy to be regular nothing is said."""
    found = profiled.run("write-seek", "--chunk", 16 * KIB, "--period", 0.6, "--time", 5)
    assert found.pattern == "write-seek", found
    if found.period:
        assert found.period.low - 0.05 <= 0.6 <= found.period.high + 0.05
        assert found.period.on_seconds <= 0.5


@pytest.mark.in_turn
@pytest.mark.tries(3)
def test_sustained(profiled: Profiled) -> None:
    """No period where there is none."""
    assert profiled.run("write-seek", "--chunk", 16 * KIB, "--time", 2).period is None
