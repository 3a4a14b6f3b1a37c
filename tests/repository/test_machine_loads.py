"""What agents counted on the mounts of a job: on clients, on servers, by name and by targets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support import SLICE

from jostle.repository import Repository
from synth import EPOCH, SECOND, Profile
from synth_machine import MachineProfile

MIB = 2**20
SLICES = 6


def job(name: str, host: str, pid: int, mount: tuple[str, str, str], **header: Any) -> Profile:
    p = Profile(job=name, host=host, pid=pid, **header)
    path, fs_type, source = mount
    p.add_mount(0, path, fs_type, source, (0, 50))
    for number in range(SLICES):
        p.add_slice(p.first_slice + number, {"posix_write_bytes": {0: MIB}})
    p.end_ns, p.end_reason = EPOCH + SLICES * SLICE, 1
    p.heartbeat_ns = p.end_ns
    return p


def machine(host: str, pid: int, components: list[dict[str, Any]], role: int = 0) -> MachineProfile:
    """A machine whose components write so many MiB in each slice."""
    p = MachineProfile(host=host, pid=pid, role=role, start_ns=EPOCH + pid)
    numbers = [p.add_component(**{k: v for k, v in c.items() if k != "mib"}) for c in components]
    for slice_ in range(SLICES):
        values = {
            number: {"storage_write_bytes": c["mib"] * MIB, "storage_busy_ns": SECOND}
            for number, c in zip(numbers, components, strict=True)
        }
        p.add_slice(p.first_slice + slice_, values)
    p.end_ns, p.end_reason = EPOCH + SLICES * SLICE, 1
    return p


def stored(tmp_path: Path, *profiles: Profile | MachineProfile) -> Repository:
    spool = tmp_path / "spool"
    spool.mkdir()
    for p in profiles:
        p.write(spool)
    store = Repository(tmp_path / "repository", create=True)
    report = store.ingest([spool])
    assert not report.warnings
    return store


NFS = ("/scratch", "nfs4", "srv:/scratch")


def test_nfs(tmp_path: Path) -> None:
    mount = {"kind": "nfs_mount", "name": "/scratch", "source": "srv:/scratch", "path": "/scratch"}
    store = stored(
        tmp_path,
        job("mine", "node1", 1, NFS, mpi={"batch": "slurm-1"}),
        job("theirs", "node2", 2, NFS, mpi={"batch": "slurm-2"}),
        machine("node1", 11, [mount | {"mib": 1}]),
        machine(
            "node2",
            12,
            [
                mount | {"mib": 4},
                {"kind": "batch_job", "name": "job_2", "job": "slurm-2", "mib": 0},
                {"kind": "batch_job", "name": "job_9", "job": "slurm-9", "mib": 0},
            ],
        ),
        machine(
            "srv",
            13,
            [
                {"kind": "nfs_server", "name": "nfsd", "mib": 6},
                {"kind": "disk", "name": "sda", "source": "srv:/scratch", "mib": 5},
                {"kind": "disk", "name": "sdb", "source": "elsewhere", "mib": 7},
                {"kind": "disk", "name": "sdc", "mib": 9},
            ],
            1,
        ),
        machine("other", 14, [{"kind": "nfs_server", "name": "nfsd", "mib": 8}], 1),
    )
    machines = store.beside("mine").machines
    clients = machines.clients.to_pylist()
    assert {(row["host"], row["write_bytes"]) for row in clients} == {
        ("node1", MIB),
        ("node2", 4 * MIB),
    }
    assert {row["mount"] for row in clients} == {"nfs:srv:/scratch"}
    assert len(clients) == 2 * SLICES
    profiled = machines.profiled.to_pylist()
    assert {(row["host"], row["write_bytes"]) for row in profiled} == {
        ("node1", MIB),
        ("node2", MIB),
    }
    served = {
        (row["host"], row["kind"], row["name"], row["storage_write_bytes"] // MIB)
        for row in machines.servers.to_pylist()
    }
    assert served == {("srv", "nfs_server", "nfsd", 6), ("srv", "disk", "sda", 5)}
    assert [row["job"] for row in machines.groups.to_pylist()] == ["slurm-9"]
    assert machines.places == {"nfs:srv:/scratch": ("nfs:srv:/scratch",)}


def test_lustre(tmp_path: Path) -> None:
    lustre = ("/lfs", "lustre", "10.0.0.1@tcp:/lfs")
    store = stored(
        tmp_path,
        job("mine", "node1", 1, lustre),
        machine(
            "node1",
            11,
            [
                {"kind": "lustre_mount", "name": "lfs", "source": "10.0.0.1@tcp:/lfs", "mib": 1},
                {"kind": "lustre_osc", "name": "lfs-OST0003-osc-ffff9a", "source": "lfs", "mib": 1},
            ],
        ),
        machine(
            "oss1",
            12,
            [
                {"kind": "lustre_ost", "name": "lfs-OST0003", "source": "lfs", "mib": 3},
                {"kind": "lustre_ost", "name": "old-OST0003", "source": "old", "mib": 4},
                {
                    "kind": "lustre_job",
                    "name": "lfs-OST0003",
                    "source": "lfs",
                    "job": "slurm-7",
                    "mib": 2,
                },
            ],
            1,
        ),
    )
    machines = store.beside("mine").machines
    assert machines.targets.to_pylist() == [
        {"host": "node1", "target": "lfs-OST0003", "bytes": SLICES * MIB}
    ]
    served = {
        (row["name"], row["job"], row["storage_write_bytes"] // MIB)
        for row in machines.servers.to_pylist()
    }
    assert served == {("lfs-OST0003", "", 3), ("lfs-OST0003", "slurm-7", 2)}


@pytest.mark.parametrize("source", ["root@srv:/export", "srv.site.org:/export", "[srv]:/export"])
def test_a_server_is_known_by_its_host(tmp_path: Path, source: str) -> None:
    store = stored(
        tmp_path,
        job("mine", "node1", 1, ("/x", "fuse.sshfs", source)),
        machine("srv", 12, [{"kind": "interface", "name": "eth0", "mib": 3}], 1),
    )
    assert store.beside("mine").machines.servers.num_rows == SLICES


def test_without_agents_nothing_is_asked(tmp_path: Path) -> None:
    store = stored(tmp_path, job("mine", "node1", 1, NFS))
    machines = store.beside("mine").machines
    assert not machines.clients.num_rows
    assert not machines.profiled.num_rows
