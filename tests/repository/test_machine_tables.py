"""Profiles of machines, and mirrors of other machines' spools, come into the repository."""

from __future__ import annotations

import json
import os
import time
import uuid
from pathlib import Path
from typing import Any

import pytest
from support import SLICE, make_profile

from jostle.repository import Repository
from jostle.repository.ingest.listing import list_spools
from jostle.repository.ingest.mirror import MARKER, OVER, create_mirror
from jostle.repository.maintenance.coarsen import coarsen
from jostle.repository.maintenance.compact import compact, expire
from synth import EPOCH, Short, Shorts
from synth_machine import MachineProfile

OTHER = uuid.UUID(int=5)
MINUTE = 60 * 10**9


@pytest.fixture
def store(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository", create=True)


def machine(
    host: str = "node1", *, end: bool = True, slices: int = 5, **header: Any
) -> MachineProfile:
    p = MachineProfile(host=host, **header)
    p.add_component("machine", host)
    p.add_component("nfs_mount", "/scratch", "server:/scratch", path="/scratch", device=(0, 50))
    p.add_component("batch_job", "job_12", job="slurm-12")
    for number in range(slices):
        p.add_slice(
            p.first_slice + number,
            {
                0: {"cpu_user_ns": 1000 + number, "cpu_steal_ns": None},
                1: {"storage_write_bytes": 2**20 * (number + 1)},
                2: {"cpu_user_ns": 500},
            },
            epochs=frozenset({2} if number == 2 else ()),
        )
    p.heartbeat_ns = p.start_ns + slices * p.slice_ns
    if end:
        p.end_ns, p.end_reason = p.heartbeat_ns, 1
    return p


def all_rows(store: Repository) -> list[dict[str, Any]]:
    return store.query("SELECT * FROM component_slices ORDER BY host, component, slice").to_pylist()


def test_tables(store: Repository, tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    spool.mkdir()
    p = machine()
    p.write(spool)
    report = store.ingest([spool])
    assert (report.component_slices, report.commits, report.warnings) == (15, 1, [])
    (row,) = store.query("SELECT * FROM machines").to_pylist()
    assert (row["host"], row["role"], row["complete"], row["end_reason"]) == (
        "node1",
        "node",
        True,
        "exit",
    )
    names = store.query("SELECT * FROM components ORDER BY component").to_pylist()
    assert [(c["kind"], c["name"], c["mount"], c["job"]) for c in names] == [
        ("machine", "node1", "", ""),
        ("nfs_mount", "/scratch", "nfs:server:/scratch", ""),
        ("batch_job", "job_12", "", "slurm-12"),
    ]
    rows = all_rows(store)
    assert [row["storage_write_bytes"] for row in rows if row["component"] == 1] == [
        2**20 * number for number in range(1, 6)
    ]
    assert {row["unknown"] for row in rows} == {"cpu_steal_ns", ""}
    assert [row["epoch"] for row in rows if row["job"] == "slurm-12"] == [0, 0, 1, 0, 0]
    assert {row["slice_ns"] for row in rows} == {SLICE}
    assert store.ingest([spool]).commits == 0
    assert not store.query("SELECT * FROM jobs").num_rows  # a machine is no job


def test_whose_agents_are_behind(store: Repository, tmp_path: Path) -> None:
    """Only of agents that run, and that sent nothing from after a time yet."""
    mirror = tmp_path / "mirror"
    create_mirror(mirror)
    for host, end in (("node1", False), ("node2", True)):
        machine(host, end=end).write(mirrored(mirror, host, 0))
    store.ingest([mirror])
    last = max(row["slice"] * row["slice_ns"] for row in all_rows(store))
    hosts = ["node1", "node2", "node3"]
    assert store.loads.behind(hosts, last) == []
    assert store.loads.behind(hosts, last + 1) == ["node1"]


def test_a_growing_profile_gives_each_slice_once(store: Repository, tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    spool.mkdir()
    begin = time.time_ns() - 3 * 3600 * 10**9
    for slices in (2, 3, 5):
        growing = machine(end=False, slices=slices, start_ns=begin)
        growing.heartbeat_ns = time.time_ns()  # its agent may be alive
        growing.write(spool)
        store.ingest([spool])
    assert len(all_rows(store)) == 15
    assert len(store.query("SELECT * FROM components").to_pylist()) == 3
    machine(start_ns=begin).write(spool)
    store.ingest([spool], remove=True)
    assert len(all_rows(store)) == 15
    assert not list(spool.iterdir())
    before = all_rows(store)
    compact(store.path)
    assert all_rows(store) == before
    machine(host="node2", start_ns=time.time_ns() - 10 * SLICE, boot_id=OTHER).write(spool)
    store.ingest([spool])
    expire(store.path, 3600)
    assert {row["host"] for row in all_rows(store)} == {"node2"}
    assert store.query("SELECT DISTINCT host FROM components").to_pylist() == [{"host": "node2"}]
    assert store.query("SELECT host FROM machines").to_pylist() == [{"host": "node2"}]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_another_user_s_profile_of_a_machine_is_refused(store: Repository, tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    spool.mkdir()
    os.chown(machine().write(spool), 4711, 4711)
    report = store.ingest([spool])
    assert "belong to root or to the owner of the repository" in report.warnings[0]
    assert not all_rows(store)


@pytest.mark.parametrize(
    "wrong",
    [{"slice_ns": 1}, {"start_ns": 1}, {"start_ns": EPOCH + 10**19 // 2}],
    ids=["slices", "past", "future"],
)
def test_what_cannot_be_true_is_left_out(
    store: Repository, tmp_path: Path, wrong: dict[str, int]
) -> None:
    spool = tmp_path / "spool"
    spool.mkdir()
    machine(**wrong).write(spool)
    machine(host="node2", boot_id=OTHER).write(spool)
    report = store.ingest([spool])
    assert len(report.warnings) == 1
    assert {row["host"] for row in all_rows(store)} == {"node2"}


@pytest.mark.parametrize("span", [1, 3, 5])
def test_a_record_that_ends_beyond_all_numbers_is_left_out(
    store: Repository, tmp_path: Path, span: int
) -> None:
    """Its end would be negative as a number of 64 bits: a slice before all others."""
    spool = tmp_path / "spool"
    spool.mkdir()
    made = machine(slices=1)
    made.add_slice(2**63 - 3, {0: {"cpu_user_ns": 1000}}, span)
    made.write(spool)
    report = store.ingest([spool])
    assert "in the future" in report.warnings[0]
    assert not all_rows(store)


def test_in_a_longer_slice_each_component_has_one_row(store: Repository, tmp_path: Path) -> None:
    """Also where its counters began anew: in two rows the slice would count twice."""
    spool = tmp_path / "spool"
    spool.mkdir()
    machine(start_ns=EPOCH // MINUTE * MINUTE).write(spool)
    store.ingest([spool])
    before = sum(row["cpu_user_ns"] for row in all_rows(store))
    coarsen(store.path, 86_400, MINUTE, now_s=EPOCH / 1e9 + 5 * 86_400)
    rows = all_rows(store)
    assert [(row["component"], row["span"], row["epoch"]) for row in rows] == [
        (0, 1, 0),
        (1, 1, 0),
        (2, 1, 1),
    ]
    assert sum(row["cpu_user_ns"] for row in rows) == before


# ---- mirrors ----


def mirrored(mirror: Path, node: str, uid: int) -> Path:
    folder = mirror / node / str(uid)
    folder.mkdir(parents=True)
    return folder


def test_a_mirror_says_who_and_whether_it_is_over(store: Repository, tmp_path: Path) -> None:
    mirror = tmp_path / "mirror"
    create_mirror(mirror)
    assert json.loads((mirror / MARKER).read_text())["format"] == "jostle-mirror"
    path = make_profile(1, "alpha").write(mirrored(mirror, "node1", 4711))
    machine().write(mirrored(mirror, "node1", 0))
    machine(host="forged", pid=78).write(mirrored(mirror, "node2", 4711))
    machine(host="node1", pid=79, boot_id=OTHER).write(mirrored(mirror, "node3.site.org", 0))
    report = store.ingest([mirror])
    wrong_owner, wrong_node = sorted(report.warnings, key=len, reverse=True)
    assert "belong to root" in wrong_owner
    assert "came from node3.site.org, and says that it is of node1" in wrong_node
    (job,) = store.query("SELECT * FROM jobs").to_pylist()
    assert (job["uid"], job["job"], job["running"]) == (4711, "alpha@uid4711", True)
    assert {row["host"] for row in all_rows(store)} == {"node1"}
    path.with_name(path.name + OVER).touch()
    store.ingest([mirror], remove=True)
    (job,) = store.query("SELECT * FROM jobs").to_pylist()
    assert job["running"] is False
    assert not list(path.parent.iterdir())  # and its mark is gone with it


def test_what_is_still_coming_is_not_damaged(store: Repository, tmp_path: Path) -> None:
    mirror = tmp_path / "mirror"
    create_mirror(mirror)
    for p, uid in ((make_profile(1, "alpha", ended=False), 5), (machine(end=False), 0)):
        path = p.write(mirrored(mirror, "node1", uid))
        os.truncate(path, 5000)
    assert store.ingest([mirror]).warnings == []
    for path in [*mirror.glob("node1/*/*.js?")]:
        path.with_name(path.name + OVER).touch()
    assert len(store.ingest([mirror]).warnings) == 2


def test_silence_does_not_end_what_is_mirrored(store: Repository, tmp_path: Path) -> None:
    """A receiver that was away for hours must not take all processes for dead."""
    mirror = tmp_path / "mirror"
    create_mirror(mirror)
    path = make_profile(1, "alpha", ended=False, slices=3).write(mirrored(mirror, "n", 0))
    store.ingest([mirror])
    (job,) = store.query("SELECT * FROM jobs").to_pylist()
    assert job["running"] is True
    days = path.stat().st_mtime - 8 * 86_400
    os.utime(path, (days, days))
    store.ingest([mirror])
    (job,) = store.query("SELECT * FROM jobs").to_pylist()
    assert job["running"] is False


def test_mirrored_equals_direct(tmp_path: Path) -> None:
    """Rows from a mirror equal those from a spool."""
    spool, mirror = tmp_path / "spool", tmp_path / "mirror"
    create_mirror(mirror)
    folder = mirrored(mirror, "node1", os.getuid())
    for to in (spool, folder):
        to.mkdir(exist_ok=True)
        for seed in range(4):
            make_profile(seed, f"job{seed % 2}").write(to)
        shorts = Shorts("job0")
        shorts.add_header()
        shorts.add(Short(pid=9, values={"posix_write_ops": {0: 3}}))
        shorts.write(to)
    for path in list(folder.iterdir()):
        path.with_name(path.name + OVER).touch()
    tables = {}
    for name, source in (("direct", spool), ("mirrored", mirror)):
        repository = Repository(tmp_path / name, create=True)
        assert not repository.ingest([source]).warnings
        tables[name] = [
            repository.query(f"SELECT * FROM {table} ORDER BY ALL").to_pylist()
            for table in ("slices", "mount_slices", "rollup", "jobs")
        ]
    assert tables["direct"] == tables["mirrored"]


def test_strangers_in_a_mirror_are_passed_over(tmp_path: Path) -> None:
    mirror = tmp_path / "mirror"
    create_mirror(mirror)
    p = make_profile(1, "alpha")
    folder = mirrored(mirror, "node1", 5)
    good = p.write(folder)
    p.write(mirrored(mirror, "node1/x", 6))
    (mirror / "node1" / "99999999999").mkdir()
    p.write(mirror / "node1" / "99999999999")
    (folder / "link.jst").symlink_to(good)
    os.mkfifo(folder / "pipe.jst")
    again = folder / "again-77"
    again.mkdir()
    p.write(again)
    files = list_spools([mirror], {}).files
    assert {path.relative_to(mirror).as_posix() for path in files} == {
        f"node1/5/{good.name}",
        f"node1/5/again-77/{good.name}",
    }
    assert {origin.owner for origin in files.values() if origin} == {5}
