"""A signal in the lab: its log, its profile and the counters of the links agree."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from lab_tools import Carried, Traffic, jostle, on, patient_with, processes

from jostle import NativeMissingError
from jostle.repository import Repository
from jostle_lab.cluster import Lab
from jostle_lab.signals import program, read_log

MIB = 1 << 20


@pytest.fixture(autouse=True)
def built(library: Path) -> None:
    """These tests need the runtime."""


def launched(lab: Lab, folder: Path, *words: str) -> dict[str, Carried]:
    """Runs a profiled signal; gives the traffic of links meanwhile."""
    traffic = Traffic(lab)
    done = jostle(
        "lab",
        words[0],
        "--name",
        lab.name,
        "--slice",
        "100ms",
        "--repository",
        str(folder / "repository"),
        *words[1:],
        "--slice",
        "100ms",
        "--quiet",
        "--log",
        str(folder / "log"),
    )
    assert done.returncode == 0, done.stderr
    return traffic.carried()


@pytest.mark.in_turn
@pytest.mark.parametrize("pattern", ["open-write-close", "write-seek", "aggregate-write", "read"])
def test_files(lab: Lab, tmp_path: Path, pattern: str) -> None:
    moved = launched(
        lab,
        tmp_path,
        "exec",
        "--job",
        "load",
        "node2",
        "--",
        str(program()),
        pattern,
        "--processes",
        "2",
        "--chunk",
        "512KiB",
        "--volume",
        "24MiB",
        "--dir",
        str(lab.shared),
    )
    totals = read_log(tmp_path / "log").processes
    said = sum(totals["bytes"].to_pylist())
    assert said == 24 * MIB
    reads = pattern == "read"
    metric = "posix_read_bytes" if reads else "posix_write_bytes"
    rows = Repository(tmp_path / "repository").job_mount_slices("load").to_pylist()
    seen = sum(row[metric] for row in rows if row["mount"].startswith("sshfs:"))
    assert seen == pytest.approx(said, rel=0.01)
    for link in ("node2.in", "storage.out") if reads else ("node2.out", "storage.in"):
        # What is written before the start, to be read, goes the other way.
        assert moved[link].is_of(said), (link, moved[link])
    assert on(lab, "node1", f"ls -A {lab.shared}") == ""


@pytest.mark.in_turn
@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_messages(lab: Lab, tmp_path: Path, mpi: str) -> None:
    """A ping over the uplink: what each rank says that it sent is what went its way."""
    try:
        path = program(mpi)
    except NativeMissingError as error:
        pytest.skip(str(error))
    with patient_with(mpi):
        moved = launched(
            lab,
            tmp_path,
            "mpirun",
            "--mpi",
            mpi,
            "--job",
            "load",
            "-n",
            "2",
            "--nodes",
            "node2,node3",
            "--",
            str(path),
            "ping",
            "--chunk",
            "512KiB",
            "--volume",
            "24MiB",
        )
    first, second = read_log(tmp_path / "log").processes["bytes"].to_pylist()
    assert first + second == 24 * MIB
    rows = processes(tmp_path / "repository", "load")
    assert {row["host"] for row in rows} == {"node2", "node3"}
    slices = Repository(tmp_path / "repository").job_slices("load").to_pylist()
    assert sum(row["mpi_send_bytes"] for row in slices) == pytest.approx(24 * MIB, rel=0.01)
    # The launcher and the ranks' greetings are small compared with it.
    for link, sent in (("uplink.right", first), ("uplink.left", second)):
        assert moved[link].is_of(sent), (link, moved[link])


def test_a_full_disk_is_named(lab: Lab, tmp_path: Path) -> None:
    """SFTP reports a failure without a reason."""
    load = lab.popen(
        "node1",
        [
            str(program()),
            "aggregate-write",
            "--volume",
            "80MiB",
            "--dir",
            str(lab.shared),
            "--log",
            str(tmp_path),
            "--quiet",
            "--chunk",
            "64KiB",
            "--period",
            "2s",
            "--duty",
            "0.1",
        ],
        stderr=-1,
        text=True,
    )
    # It has seen room enough, and takes half a minute: the disk is full long before.
    while not list(tmp_path.iterdir()) and load.poll() is None:
        time.sleep(0.02)
    on(lab, "node3", f"dd if=/dev/zero of={lab.shared}/other bs=1M count=200 2>/dev/null || true")
    said = load.communicate(timeout=60)[1]
    on(lab, "node3", f"rm {lab.shared}/other")
    assert load.returncode == 1
    assert "its file system is nearly full" in said and "free space" in said
    assert on(lab, "node1", f"ls -A {lab.shared}") == ""
