"""A spool is cleared of profiles that were read to their end after their process died."""

from __future__ import annotations

import socket
import subprocess
import uuid
from pathlib import Path

import pytest

from jostle.cli.launch.collect import clear, collect
from jostle.repository import Repository
from synth import EPOCH, SECOND, Profile, Short, Shorts


@pytest.fixture
def store(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository", create=True)


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    (tmp_path / "spool").mkdir()
    return tmp_path / "spool"


def of_process(pid: int) -> Profile:
    """The profile of a process of this machine."""
    stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    boot = uuid.UUID(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
    profile = Profile(
        job="late", pid=pid, proc_start=int(stat[19]), boot_id=boot, host=socket.gethostname()
    )
    profile.add_mount(0)
    profile.add_slice(profile.first_slice, {"posix_write_bytes": {0: 1}})
    return profile


def counted(store: Repository) -> int:
    rows = store.query("SELECT sum(posix_write_bytes) AS n FROM mount_slices").to_pylist()
    return int(rows[0]["n"])


def test_what_was_read_while_its_process_was_dying_stays(store: Repository, spool: Path) -> None:
    dying = subprocess.Popen(["sleep", "600"])
    profile = of_process(dying.pid)
    path = profile.write(spool)
    collect(store, lambda: [path], failed=False)
    profile.set_remainder({"posix_write_bytes": {0: 10}})  # counted after it was read
    profile.write(spool)
    dying.kill()
    dying.wait()
    assert not clear(store, spool)
    assert path.exists()
    collect(store, lambda: [path], failed=False)
    assert counted(store) == 11
    assert clear(store, spool)
    assert not spool.exists()


def test_a_process_that_dies_while_it_is_read_is_read_again(store: Repository, spool: Path) -> None:
    dying = subprocess.Popen(["sleep", "600"])
    profile = of_process(dying.pid)
    path = profile.write(spool)
    ingest = store.ingest

    def and_then_it_dies(files: list[Path]) -> object:
        report = ingest(files)
        if dying.poll() is None:
            profile.set_remainder({"posix_write_bytes": {0: 10}})
            profile.write(spool)
            dying.kill()
            dying.wait()
        return report

    store.ingest = and_then_it_dies  # type: ignore[method-assign, assignment]
    collect(store, lambda: [path], failed=False)
    assert counted(store) == 11
    assert clear(store, spool)


def test_what_came_after_the_reading_stays(store: Repository, spool: Path) -> None:
    shorts = Shorts(host=socket.gethostname(), job="late")
    shorts.add_header()
    shorts.add(Short(start_ns=EPOCH, end_ns=EPOCH + SECOND, values={"self_calls_ops": 1}))
    path = shorts.write(spool)
    collect(store, lambda: [path], failed=False)
    shorts.add(Short(pid=7, start_ns=EPOCH, end_ns=EPOCH + SECOND, values={"self_calls_ops": 1}))
    shorts.write(spool)
    assert not clear(store, spool)
    assert path.exists()
    collect(store, lambda: [path], failed=False)
    (spool / "late.said").touch()
    assert clear(store, spool)
