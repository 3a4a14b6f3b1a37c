"""A small repository of synthetic jobs."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "analysis"))  # mpi_jobs

import pytest
from command import jostle

from synth import EPOCH, Profile, Short, Shorts

HALF = 500_000_000
MIB = 1 << 20


def steady(folder: Path) -> None:
    """tar-steady: two processes that read and write evenly for 20 s."""
    for number in range(2):
        profile = Profile(
            job="tar-steady",
            pid=100 + number,
            program="/usr/bin/tar",
            slice_ns=HALF,
            start_ns=EPOCH,
            end_ns=EPOCH + 40 * HALF,
            end_reason=1,
        )
        profile.add_mount(0, "/data")
        for index in range(40):
            amount = (10 + index % 3) * MIB
            profile.add_slice(profile.first_slice + index, _work(amount, amount))
        profile.write(folder)


def bursts(folder: Path) -> None:
    """sqlite-bursts: one process that writes for 2 s of every 5 s, on the same disk."""
    profile = Profile(
        job="sqlite-bursts",
        pid=200,
        program="/usr/bin/python3.11",
        slice_ns=HALF,
        start_ns=EPOCH + 4 * HALF,
        end_ns=EPOCH + 36 * HALF,
        end_reason=1,
    )
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
