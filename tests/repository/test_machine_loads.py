"""Agents' counters of the mounts of a job: on clients, on servers, by name and by targets."""

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


def machine(
    host: str, pid: int, components: list[dict[str, Any]], role: int = 0, late_ns: int = 0
) -> MachineProfile:
    """A machine whose components write so many MiB in each slice, later than usual or not."""
    p = MachineProfile(host=host, pid=pid, role=role, start_ns=EPOCH + pid + late_ns)
    numbers = [p.add_component(**{k: v for k, v in c.items() if k != "mib"}) for c in components]
    for slice_ in range(SLICES):
        values = {
            number: {"storage_write_bytes": c["mib"] * MIB, "storage_busy_ns": SECOND}
            for number, c in zip(numbers, components, strict=True)
        }
        p.add_slice(p.first_slice + slice_, values)
    p.end_ns, p.end_reason = EPOCH + SLICES * SLICE + late_ns, 1
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
    machines = store.alongside("mine").machines
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
    machines = store.alongside("mine").machines
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
    assert store.alongside("mine").machines.servers.num_rows == SLICES


def test_without_agents_nothing_is_asked(tmp_path: Path) -> None:
    store = stored(tmp_path, job("mine", "node1", 1, NFS))
    machines = store.alongside("mine").machines
    assert not machines.clients.num_rows
    assert not machines.profiled.num_rows


FSID, ELSE = "4d2b71c3-9f6a-4c11-8e2c-0a4de5b51c11", "99999999-9f6a-4c11-8e2c-0a4de5b51c11"


def ceph(host: str, pid: int, fsid: str, late_ns: int = 0) -> MachineProfile:
    kinds = (("ceph_osd", "osd.0"), ("ceph_mds", "mds.a"), ("ceph_client", "node1"))
    rows = [{"kind": kind, "name": name, "source": fsid, "mib": 1} for kind, name in kinds]
    return machine(host, pid, rows, 1, late_ns)


@pytest.mark.parametrize("fs_type", ["ceph", "fuse.ceph-fuse"])
def test_ceph(tmp_path: Path, fs_type: str) -> None:
    """The kernel's mounts name their cluster; by FUSE it is the only one."""
    source = "ceph-fuse" if "fuse" in fs_type else f"admin@{FSID}.cephfs=/"
    store = stored(tmp_path, job("mine", "node1", 1, ("/c", fs_type, source)), ceph("s1", 11, FSID))
    machines = store.alongside("mine").machines
    kinds = {(row["host"], row["kind"]) for row in machines.servers.to_pylist()}
    assert {("s1", "ceph_osd"), ("s1", "ceph_mds"), ("s1", "ceph_client")} <= kinds
    (servers,) = store.storage_servers().values()
    assert (servers.objects, servers.metadata, servers.clusters) == (("s1",), ("s1",), 0)


@pytest.mark.parametrize("fs_type", ["ceph", "fuse.ceph-fuse"])
def test_what_a_client_of_ceph_counts_is_of_the_mount_that_jobs_use(
    tmp_path: Path, fs_type: str
) -> None:
    source = "ceph-fuse" if "fuse" in fs_type else f"admin@{FSID}.cephfs=/"
    name = "client.node1" if "fuse" in fs_type else "client4112"
    mount = {"kind": "ceph_mount", "name": name, "source": source, "path": "/c", "mib": 2}
    store = stored(
        tmp_path, job("mine", "node1", 1, ("/c", fs_type, source)), machine("node1", 11, [mount])
    )
    clients = store.alongside("mine").machines.clients
    assert sum(clients["write_bytes"].to_pylist()) == SLICES * 2 * MIB


def test_of_several_clusters_none_is_taken_without_a_name(tmp_path: Path) -> None:
    store = stored(
        tmp_path,
        job("mine", "node1", 1, ("/c", "fuse.ceph-fuse", "ceph-fuse")),
        job("other", "node1", 2, ("/k", "ceph", f"admin@{ELSE}.cephfs=/")),
        ceph("s1", 11, FSID),
        ceph("s2", 12, ELSE),
    )
    assert not store.alongside("mine").machines.servers.num_rows
    hosts = {row["host"] for row in store.alongside("other").machines.servers.to_pylist()}
    assert hosts == {"s2"}
    by_mount = store.storage_servers()
    assert by_mount["ceph-fuse:/c"].clusters == 2
    assert not by_mount["ceph-fuse:/c"].objects


def test_a_cluster_of_another_day_does_not_count(tmp_path: Path) -> None:
    store = stored(
        tmp_path,
        job("mine", "node1", 1, ("/c", "fuse.ceph-fuse", "ceph-fuse")),
        ceph("s1", 11, FSID),
        ceph("s2", 12, ELSE, 86_400 * SECOND),
    )
    hosts = {row["host"] for row in store.alongside("mine").machines.servers.to_pylist()}
    assert hosts == {"s1"}


def test_metadata_servers_of_lustre_serve_no_data(tmp_path: Path) -> None:
    mdt = {"kind": "lustre_mdt", "name": "lfs-MDT0000", "source": "lfs", "mib": 0}
    ost = {"kind": "lustre_ost", "name": "lfs-OST0000", "source": "lfs", "mib": 1}
    store = stored(
        tmp_path,
        job("mine", "node1", 1, ("/lfs", "lustre", "mgs@tcp:/lfs")),
        machine("oss1", 11, [ost], 1),
        machine("mds1", 12, [mdt], 1),
    )
    assert store.servers_of(["lustre:mgs@tcp:/lfs"]) == {"lustre:mgs@tcp:/lfs": ("mds1", "oss1")}
    (servers,) = store.storage_servers().values()
    assert (servers.objects, servers.metadata) == (("oss1",), ("mds1",))
