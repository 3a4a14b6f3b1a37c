"""Killed at any instant and run again, the repository holds each slice exactly once."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest
from children import compacting, ended, ingesting
from support import expected_keys, make_profile, make_shorts, plain_total, stored_keys, write_all

from jostle.repository import Repository, RepositoryError
from jostle.repository.ingest import fair_batches as shares
from jostle.repository.maintenance.compact import compact
from jostle.repository.store import files, log

STEPS = [
    "file-written",
    "file-renamed",
    "commit-written",
    "commit-linked",
    "pieces-written",
    "checkpoint-written",
    "checkpoint-renamed",
]


class Crash(BaseException):
    """Ends an ingest as abruptly as Python can: no handler of ours may rely on running."""


def kill_at(step: str, count: int) -> str:
    """Lines that kill the process with SIGKILL when it reaches a step for the n-th time."""
    return (
        "import os, itertools; seen = itertools.count(1)\n"
        f"def reached(step):\n"
        f"    if step == {step!r} and next(seen) == {count}: os.kill(os.getpid(), 9)\n"
        "log.reached = files.reached = reached\n"
        "log.CHECKPOINT_EVERY = 2\n"
        "shares._BATCH_FILES = 2\n"
    )


@pytest.fixture
def profiles(spool):
    made = [make_profile(seed, job=f"job{seed % 3}") for seed in range(9)]
    write_all(spool, made)
    make_shorts("job0", 4).write(spool)
    return made


def check_all_there(root: Path, spool: Path, profiles) -> None:
    store = Repository(root, create=True)
    store.ingest([spool])
    assert store.query("SELECT count(*) n FROM processes WHERE short").to_pylist() == [{"n": 4}]
    long = "SELECT process, slice FROM slices JOIN processes USING (process) WHERE NOT short"
    rows = store.query(long).to_pylist()
    assert sorted((r["process"], r["slice"]) for r in rows) == expected_keys(profiles)
    total = "SELECT sum(posix_write_bytes{}) n FROM {}"
    truth = plain_total(profiles, "posix_write_bytes") + sum(1000 + i for i in range(4))
    assert store.query(total.format("", "mount_slices")).to_pylist() == [{"n": truth}]
    assert store.query(total.format("_sum", "rollup")).to_pylist() == [{"n": truth}]


@pytest.mark.in_turn
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("count", [1, 3])
def test_killed_at_every_step(tmp_path, spool, profiles, step, count):
    child = ingesting(tmp_path / "repository", spool, kill_at(step, count))
    assert ended(child) == -signal.SIGKILL
    check_all_there(tmp_path / "repository", spool, profiles)


@pytest.mark.in_turn
def test_killed_again_and_again_at_random_instants(tmp_path, spool, profiles):
    rng = random.Random(5)
    root = tmp_path / "repository"
    killed = 0
    for number in range(12):
        make_profile(100 + number, job="more").write(spool)
        profiles.append(make_profile(100 + number, job="more"))
        child = ingesting(root, spool, "log.CHECKPOINT_EVERY = 2; shares._BATCH_FILES = 2\n")
        time.sleep(rng.uniform(0, 0.25))
        child.kill()
        killed += ended(child) != 0
    assert killed
    check_all_there(root, spool, profiles)


def test_killed_compaction_changes_nothing(tmp_path, spool, profiles):
    root = tmp_path / "repository"
    store = Repository(root, create=True)
    for path in sorted(spool.iterdir()):
        store.ingest([path])
    for step in STEPS[:4]:
        assert ended(compacting(root, kill_at(step, 2))) == -signal.SIGKILL
        check_all_there(root, spool, profiles)
    store.compact()
    check_all_there(root, spool, profiles)


def test_two_ingesters_and_readers_at_once(tmp_path, spool, profiles):
    root = tmp_path / "repository"
    Repository(root, create=True)
    stop = threading.Event()
    problems: list[Exception] = []

    def read() -> None:
        store = Repository(root)
        before = 0
        while not stop.is_set():
            try:
                rows = store.query(
                    "SELECT count(*) n, count(DISTINCT (process, slice)) d FROM slices"
                ).to_pylist()[0]
                assert rows["n"] == rows["d"] >= before
                before = rows["n"]
                time.sleep(0.02)
            except Exception as error:
                problems.append(error)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    children = [
        ingesting(root, spool, "log.CHECKPOINT_EVERY = 2; shares._BATCH_FILES = 1\n")
        for _ in range(3)
    ]
    codes = [ended(child) for child in children]
    compact(root)
    stop.set()
    for reader in readers:
        reader.join()
    assert codes == [0, 0, 0]
    assert not problems
    check_all_there(root, spool, profiles)


@pytest.mark.parametrize("without_locks", [False, True])
def test_threads_race_for_the_same_numbers(tmp_path, spool, profiles, monkeypatch, without_locks):
    """Also where the file system has no locks: then link alone keeps them apart."""
    if without_locks:

        def no_locks(*_: object) -> None:
            raise OSError(errno.ENOLCK, "no locks")

        monkeypatch.setattr(log.fcntl, "flock", no_locks)
    monkeypatch.setattr(log, "CHECKPOINT_EVERY", 2)
    monkeypatch.setattr(shares, "_BATCH_FILES", 1)
    root = tmp_path / "repository"
    Repository(root, create=True)
    errors: list[BaseException] = []

    def work() -> None:
        try:
            Repository(root).ingest([spool])
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    check_all_there(root, spool, profiles)


def test_a_full_disk(tmp_path, spool, profiles, monkeypatch):
    root = tmp_path / "repository"
    store = Repository(root, create=True)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(files.pq, "ParquetWriter", full)
        with pytest.raises(RepositoryError, match="No space left") as error:
            store.ingest([spool])
    assert "free some space" in error.value.hint
    assert not list(root.rglob("*.parquet"))
    assert not [name for name in os.listdir(root / "commits") if name.endswith(".json")]
    with monkeypatch.context() as patch:
        patch.setattr(log, "write_durably", full)
        with pytest.raises(RepositoryError, match="No space left"):
            store.ingest([spool])
    assert not list(root.rglob("*.parquet"))
    check_all_there(root, spool, profiles)


def test_trouble_after_the_commit_loses_nothing(tmp_path, spool, profiles, monkeypatch):
    """The disk is full just when the checkpoint is due, or the log cannot be read back."""
    monkeypatch.setattr(log, "CHECKPOINT_EVERY", 1)
    monkeypatch.setattr(shares, "_BATCH_FILES", 2)
    root = tmp_path / "repository"
    Repository(root, create=True)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(log.Log, "_checkpoint", full)
        Repository(root).ingest([sorted(spool.iterdir())[0]])

    def linked(step: str) -> None:
        if step == "commit-linked":
            raise RepositoryError("trouble")

    with monkeypatch.context() as patch:
        patch.setattr(log, "reached", linked)
        with pytest.raises(RepositoryError, match="trouble"):
            Repository(root).ingest([spool])
    check_all_there(root, spool, profiles)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
def test_a_really_full_disk(tmp_path, spool, profiles):
    root = tmp_path / "small"
    root.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=192k", "none", root]).returncode:
        pytest.skip("no mounts here")
    try:
        store = Repository(root, create=True)
        for seed in range(1000, 1016):
            make_profile(seed, job="filler", slices=20).write(spool)
        with pytest.raises(RepositoryError, match="No space left") as error:
            ingest_one_by_one(store, spool)
        assert "free some space" in error.value.hint
        rows = stored_keys(store)
        assert len(rows) == len(set(rows))
        subprocess.run(["mount", "-o", "remount,size=64m", root], check=True)
        store.ingest([spool])
        assert set(expected_keys(profiles)) <= set(stored_keys(store))
        assert len(stored_keys(store)) == len(set(stored_keys(store)))
    finally:
        subprocess.run(["umount", "-l", root], check=True)


def ingest_one_by_one(store: Repository, spool: Path) -> None:
    for path in sorted(spool.iterdir()):
        store.ingest([path])


def test_checkpoints_and_a_late_reader(tmp_path, spool, monkeypatch):
    """A reader that was open before the log was tidied up catches up all the same."""
    monkeypatch.setattr(log, "CHECKPOINT_EVERY", 3)
    store = Repository(tmp_path / "repository", create=True)
    late = Repository(tmp_path / "repository")
    assert late.jobs().num_rows == 0
    made = [make_profile(seed) for seed in range(14)]
    for profile in made:
        profile.write(spool)
        store.ingest([spool])
    names = os.listdir(tmp_path / "repository" / "commits")
    assert len([name for name in names if name.endswith("checkpoint.json")]) == 2
    assert "00000001.json" not in names
    fresh = Repository(tmp_path / "repository")
    assert stored_keys(late) == stored_keys(fresh) == expected_keys(made)
    assert late.ingest([spool]).slices == 0


def test_a_writer_that_slept_without_locks(tmp_path, spool, monkeypatch):
    """Its number was taken and tidied up meanwhile: it must notice, and plan anew."""
    monkeypatch.setattr(log, "CHECKPOINT_EVERY", 2)
    store = Repository(tmp_path / "repository", create=True)
    made = [make_profile(seed) for seed in range(8)]
    write_all(spool, made)
    plain_link = os.link
    asleep = True

    def link(source, target) -> None:
        nonlocal asleep
        if asleep:
            asleep = False
            awake = Repository(tmp_path / "repository")
            for profile in made[1:]:
                awake.ingest([spool / profile.name])
        plain_link(source, target)

    monkeypatch.setattr(log.os, "link", link)
    monkeypatch.setattr(log.fcntl, "flock", lambda *_: None)
    assert store.ingest([spool / made[0].name]).slices
    assert not asleep
    fresh = Repository(tmp_path / "repository")
    assert stored_keys(store) == stored_keys(fresh) == expected_keys(made)
