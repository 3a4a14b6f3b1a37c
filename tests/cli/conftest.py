"""A small repository of synthetic jobs, and a way to run the command."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from synth import EPOCH, Profile, Short, Shorts  # noqa: E402

HALF = 500_000_000
MIB = 1 << 20


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str


def jostle(*words: str, stdin: str | None = None, **environment: str) -> Done:
    """Run the command as a user would, in UTC, without colour, 100 columns wide."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("JOSTLE", "NO_COLOR"))}
    if "JOSTLE_NATIVE" in os.environ:
        clean["JOSTLE_NATIVE"] = os.environ["JOSTLE_NATIVE"]
    clean |= {"TZ": "UTC", "COLUMNS": "100", "PYTHONUTF8": "1", "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-m", "jostle.cli", *words],
        env=clean | environment,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def python(code: str, *words: str) -> Done:
    """Run some Python that can import jostle."""
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def steady(folder: Path) -> None:
    """tar-steady: two processes that read and write evenly for 20 s."""
    for number in range(2):
        profile = Profile(
            job="tar-steady", pid=100 + number, program="/usr/bin/tar", slice_ns=HALF,
            start_ns=EPOCH, end_ns=EPOCH + 40 * HALF, end_reason=1,
        )  # fmt: skip
        profile.add_mount(0, "/data")
        for index in range(40):
            amount = (10 + index % 3) * MIB
            profile.add_slice(profile.first_slice + index, _work(amount, amount))
        profile.write(folder)


def bursts(folder: Path) -> None:
    """sqlite-bursts: one process that writes for 2 s of every 5 s, on the same disk."""
    profile = Profile(
        job="sqlite-bursts", pid=200, program="/usr/bin/python3.11", slice_ns=HALF,
        start_ns=EPOCH + 4 * HALF, end_ns=EPOCH + 36 * HALF, end_reason=1,
    )  # fmt: skip
    profile.add_mount(0, "/data")
    for index in range(32):
        if index % 10 < 4:
            profile.add_slice(profile.first_slice + index, _work(64 * MIB, 0))
    profile.write(folder)


def shorts(folder: Path) -> None:
    """script: nothing but short processes."""
    file = Shorts(job="script", slice_ns=HALF)
    file.add_header()
    for number in range(5):
        start = EPOCH + 100 * HALF + number * 10_000_000
        file.add(Short(pid=300 + number, start_ns=start, end_ns=start + 5_000_000))
    file.write(folder)


def _work(written: int, read: int) -> dict[str, object]:
    sizes = [0] * 32
    sizes[17] = written // 65536
    return {
        "posix_write_bytes": {0: written},
        "posix_write_ops": {0: written // 65536},
        "posix_write_ns": {0: written // 8},
        "posix_read_bytes": {0: read},
        "posix_read_ops": {0: read // 65536},
        "posix_read_ns": {0: read // 16},
        "posix_open_ops": {0: 3},
        "posix_write_size": sizes,
        "os_user_ns": 100_000_000,
        "os_system_ns": 200_000_000,
        "os_rss_bytes": 12 * MIB,
        "os_threads": 1,
        "self_calls_ops": (written + read) // 65536,
        "self_cost_ns": (written + read) // 65536 * 30,
    }


@pytest.fixture(scope="session")
def spool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A spool with three jobs."""
    folder = tmp_path_factory.mktemp("spool")
    steady(folder)
    bursts(folder)
    shorts(folder)
    return folder


@pytest.fixture(scope="session")
def repository(spool: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A repository that holds them."""
    path = tmp_path_factory.mktemp("data") / "repository"
    done = jostle("ingest", str(spool), "--repository", str(path))
    assert done.code == 0, done.err
    return str(path)
