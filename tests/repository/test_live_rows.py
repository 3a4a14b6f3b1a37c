"""The newest slices of all jobs at once: the load of each on mounts and nodes."""

from __future__ import annotations

from pathlib import Path

import pytest

from jostle.repository import Repository
from synth import EPOCH, SECOND, Profile
from synth_machine import MachineProfile

SLICE = 4 * SECOND
BEGIN = EPOCH // SLICE * SLICE


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    spool = tmp_path / "spool"
    spool.mkdir()
    for pid, reads in ((1, 10), (2, 30)):
        profile = Profile(
            job="reader", pid=pid, start_ns=BEGIN, end_ns=BEGIN + 4 * SLICE, end_reason=1
        )
        profile.add_mount(0, path="/data", type="ext4", source="/dev/sda1")
        for at in range(4):
            values = {
                "posix_read_ops": {0: reads},
                "posix_read_bytes": {0: reads << 20},
                "posix_read_ns": {0: reads * 1_000_000},
                "stdio_read_ops": {0: 1},
                "posix_meta_ops": {0: 2},
                "posix_open_ops": {0: 3},
                "os_user_ns": SECOND,
                "os_runqueue_ns": SECOND // 2,
            }
            profile.add_slice(profile.first_slice + at, values)
        profile.write(spool)
    machine = MachineProfile(host="node1", start_ns=BEGIN, end_ns=BEGIN + 4 * SLICE)
    at = machine.add_component("process", "dd", pid=4711)
    for number in range(4):
        values = {"cpu_used_ns": 2 * SECOND, "storage_write_bytes": 1 << 20}
        machine.add_slice(machine.first_slice + number, {at: values})
    machine.write(spool)
    store = Repository(tmp_path / "r", create=True)
    store.ingest([spool])
    return store


def test_the_rows_are_the_sums_over_the_processes(repository: Repository) -> None:
    rows = repository.live_rows((BEGIN, BEGIN + 2 * SLICE))
    assert [(job.job, job.end_ns > 0, job.nodes) for job in rows.jobs] == [
        ("reader", True, ("node1",))
    ]
    mine = [row for row in rows.mounts if row.count]
    assert [row.start_ns for row in mine] == [BEGIN, BEGIN + SLICE]
    row = mine[0]
    assert (row.mount, row.count, row.ops) == ("node1:/dev/sda1", 2, (42, 0, 0, 10))
    assert row.bytes == (40 << 20, 0, 0, 0)
    times = (row.seconds[0], row.longest[0])
    assert times == pytest.approx((0.04, 0.03), rel=1e-3)  # as exact as a profile has it
    node = next(row for row in rows.nodes if row.count)
    assert (node.host, node.count) == ("node1", 2)
    assert (node.cpu_s, node.queue_s) == pytest.approx((2.0, 1.0), rel=1e-3)
    assert rows.newest_ns == BEGIN + 2 * SLICE


def test_what_has_no_profile_is_there_too(repository: Repository) -> None:
    rows = repository.live_rows((BEGIN + 2 * SLICE, BEGIN + 3 * SLICE))
    (other,) = [row for row in rows.nodes if not row.count]
    assert other.job.startswith("dd (pid 4711") and other.cpu_s == pytest.approx(2.0, rel=1e-3)
    (disk,) = [row for row in rows.mounts if not row.count]
    assert (disk.job, disk.mount, disk.bytes) == (other.job, "node1:/dev/sda1", (0, 1 << 20, 0, 0))


def test_a_time_without_slices_has_no_rows(repository: Repository) -> None:
    rows = repository.live_rows((BEGIN + 100 * SLICE, BEGIN + 101 * SLICE))
    assert (rows.jobs, rows.mounts, rows.nodes, rows.newest_ns) == ((), (), (), 0)
