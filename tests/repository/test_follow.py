"""Following a spool: slices of living processes appear within two slices."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import threading
import time
import uuid
from pathlib import Path

import pytest
from support import end_job, expected_keys, make_profile, random_moves, stored_keys

from jostle.repository import Repository, RepositoryError
from jostle.repository.ingest import follow as follow_module
from jostle.repository.ingest import ingest as ingest_module
from jostle.repository.maintenance import tiers

LENGTH = 200_000_000  # ns


def living_profile(seed: int):
    """A profile of a process that is alive until it is killed."""
    pid = subprocess.Popen(["sleep", "600"]).pid
    stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    boot = uuid.UUID(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
    start = time.time_ns() // LENGTH * LENGTH
    return make_profile(
        seed,
        slices=0,
        ended=False,
        slice_ns=LENGTH,
        start_ns=start,
        boot_id=boot,
        pid=pid,
        proc_start=int(stat[19]),
    )


@pytest.fixture
def follower(store, spool):
    """Follows the spool in a thread; ends with the test."""
    stop = threading.Event()
    reports = []
    thread = threading.Thread(
        target=store.follow,
        args=([spool],),
        kwargs={"stop": stop.is_set, "on_change": reports.append},
    )
    thread.start()
    yield reports, stop, thread
    stop.set()
    thread.join(60)
    assert not thread.is_alive()


@pytest.fixture
def rests(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long the follower meant to rest after each of its passes, in seconds."""
    asked: list[float] = []
    plain = follow_module._sleep

    def noted(end, stop, wake):
        asked.append(end - time.monotonic())
        plain(end, stop, wake)

    monkeypatch.setattr(follow_module, "_sleep", noted)
    return asked


def pass_by(rests: list[float], passes: int) -> None:
    """Wait until the follower has been through so many passes."""
    wanted, end = len(rests) + passes, time.monotonic() + 60
    while len(rests) < wanted:
        assert time.monotonic() < end
        time.sleep(0.01)


def test_new_slices_appear_within_two_slices(rests, store, spool, follower):
    """After two passes, each of which begins half a slice after the one before, if it can."""
    _, stop, thread = follower
    profile = living_profile(1)
    profile.write(spool)
    rng = random.Random(1)
    reader = Repository(store.path)
    pass_by(rests, 2)  # the follower learns how short the slices are
    known = len(rests)
    for number in range(6):
        profile.add_slice(profile.first_slice + number, random_moves(rng))
        replace(profile, spool)
        pass_by(rests, 2)  # one may have been under way
        assert len(stored_keys(reader)) == number + 1
    assert max(rests[known:]) <= LENGTH / 2e9
    end_job(profile, profile.first_slice + 6)
    os.kill(profile.pid, signal.SIGKILL)
    profile.set_remainder(random_moves(rng))
    replace(profile, spool)
    stop.set()
    thread.join(60)
    assert stored_keys(reader) == expected_keys([profile])
    assert not reader.jobs().to_pylist()[0]["running"]


def replace(profile, spool: Path) -> None:
    """Writes the next state of a profile without ever showing half of it."""
    profile.write(spool.parent / "next").rename(spool / profile.name)


def test_a_spool_that_comes_later(store, tmp_path, spool):
    stop = threading.Event()
    late = tmp_path / "late"
    thread = threading.Thread(target=store.follow, args=([late],), kwargs={"stop": stop.is_set})
    thread.start()
    time.sleep(0.3)
    profile = make_profile(1)
    profile.write(tmp_path / "made")
    (tmp_path / "made").rename(late)
    stop.set()  # the last pass takes what is there
    thread.join(60)
    assert stored_keys(store) == expected_keys([profile])


def test_a_full_disk_is_survived(store, spool, monkeypatch):
    profile = make_profile(1)
    stop = threading.Event()
    seen: list[list[str]] = []
    broken = threading.Event()
    plain = ingest_module.write_chunks

    def sometimes(root, parts):
        if broken.is_set():
            broken.clear()
            raise RepositoryError("The disk is full.", hint="Free some space.")
        return plain(root, parts)

    monkeypatch.setattr(ingest_module, "write_chunks", sometimes)
    monkeypatch.setattr(follow_module, "_SLOWEST_S", 0.1)

    def on_change(report) -> None:
        seen.append(report.warnings)
        if report.commits:
            stop.set()

    thread = threading.Thread(
        target=store.follow, args=([spool],), kwargs={"stop": stop.is_set, "on_change": on_change}
    )
    thread.start()
    time.sleep(0.3)
    broken.set()
    replace(profile, spool)
    thread.join(60)
    assert seen[0] == ["The disk is full. Free some space."]
    assert stored_keys(store) == expected_keys([profile])


def test_compaction_alongside_the_follower(store, spool, monkeypatch):
    """Small files are merged while new ones come in, and every slice stays there once."""
    monkeypatch.setattr(follow_module, "_COMPACT_EVERY_S", 0.05)
    monkeypatch.setattr(tiers, "FAN", 3)
    monkeypatch.setattr(follow_module, "_SLOWEST_S", 0.02)
    stop = threading.Event()
    thread = threading.Thread(target=store.follow, args=([spool],), kwargs={"stop": stop.is_set})
    thread.start()
    reader = Repository(store.path)
    made = []
    for seed in range(14):
        made.append(make_profile(seed, slices=3))
        replace(made[-1], spool)
        end, found = time.monotonic() + 20, []
        while len(found) < len(expected_keys(made)) and time.monotonic() < end:
            found = stored_keys(reader)  # one commit for each
            assert len(found) == len(set(found))
    stop.set()
    thread.join(60)
    assert stored_keys(reader) == expected_keys(made)
    assert len(list((store.path / "processes").glob("*.parquet"))) > 5  # in their time of grace
    names = reader.query("SELECT count(*) n FROM processes").to_pylist()
    assert names == [{"n": 14}]
