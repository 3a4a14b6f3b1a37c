"""jostle inside the lab: profiles of all nodes reach one repository."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from lab_tools import jostle, mpi_program, patient_with, processes

from jostle_lab.cluster import Lab

MIB = 1 << 20


@pytest.fixture(autouse=True)
def built(library: Path) -> None:
    """These tests need the runtime."""


def nodes_of(repository: Path, job: str) -> set[str]:
    return {row["host"] for row in processes(repository, job)}


def test_a_command_on_a_node(lab: Lab, tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    for node in ("node1", "node3"):
        done = jostle(
            "lab",
            "exec",
            "--name",
            lab.name,
            "--job",
            f"copy-{node}",
            "--slice",
            "100ms",
            "--repository",
            str(repository),
            node,
            "--",
            "dd",
            "if=/dev/zero",
            f"of={lab.shared}/{node}",
            "bs=1M",
            "count=8",
            "oflag=direct",
        )
        assert done.returncode == 0, done.stderr
        assert f"next: jostle digest --repository {repository}" in done.stderr
        assert nodes_of(repository, f"copy-{node}") == {node}
        traffic = written(repository, f"copy-{node}")
        # One resource, seen from two nodes.
        assert traffic[f"sshfs:storage.{lab.name}:/"] == 8 * MIB
    kept = [path for node in lab.nodes for path in lab.local(node).glob("spool/*")]
    assert kept == []


def written(repository: Path, job: str) -> dict[str, int]:
    """Bytes that a job has written, by mount."""
    from jostle.repository import Repository

    found: dict[str, int] = {}
    for row in Repository(repository).job_mount_slices(job).to_pylist():
        found[row["mount"]] = found.get(row["mount"], 0) + row["posix_write_bytes"]
    return found


@pytest.mark.parametrize("mpi", ["openmpi", pytest.param("mpich", marks=pytest.mark.in_turn)])
def test_an_mpi_job_over_nodes(lab: Lab, mpi: str, tmp_path: Path) -> None:
    program = mpi_program(mpi, tmp_path)
    repository = tmp_path / "repository"
    length, times = 200_000, 5
    with patient_with(mpi):
        done = jostle(
            "lab",
            "mpirun",
            "--name",
            lab.name,
            "--job",
            "send",
            "--slice",
            "100ms",
            "--repository",
            str(repository),
            "-n",
            "4",
            "--nodes",
            "node1,node4",
            "--",
            str(program),
            str(length),
            str(times),
        )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("preload=yes") == 4
    assert nodes_of(repository, "send") == {"node1", "node4"}
    # The ranks, and no mpirun, no daemon, no shell.
    names = [Path(row["program"]).name for row in processes(repository, "send")]
    assert names == [program.name] * 4


@pytest.mark.in_turn
def test_a_killed_command_loses_nothing(lab: Lab, tmp_path: Path) -> None:
    """Its process is in another PID namespace than the ingester: is it known to be dead?"""
    repository = tmp_path / "repository"
    script = (
        "import os, signal\n"
        f"file = os.open('{lab.shared}/killed', os.O_WRONLY | os.O_CREAT)\n"
        "for _ in range(37): os.write(file, bytes(100_000))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = jostle(
        "lab",
        "exec",
        "--name",
        lab.name,
        "--job",
        "killed",
        "--slice",
        "60s",
        "--repository",
        str(repository),
        "node2",
        "--",
        "/usr/bin/python3",
        "-c",
        script,
    )
    assert done.returncode == 128 + signal.SIGKILL, done.stderr
    # Killed within its first slice, it had no time to say what the mount is called.
    assert sum(written(repository, "killed").values()) == 37 * 100_000
    assert "still run" not in done.stderr
