"""Profiles that only grew are followed: the repository is the same as without following."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from children import ended, running
from support import (
    SLICE,
    compare,
    end_job,
    expected_keys,
    key_of,
    make_profile,
    random_moves,
    stored_keys,
)

from jostle.repository import Repository
from jostle.repository.ingest import followed, followed_pass
from jostle.repository.ingest import ingest as ingest_module
from jostle.repository.ingest.ingest import Ingester
from jostle.repository.ingest.mirror import create_mirror
from synth_gpus import random_gpus
from synth_segments import Ring, random_stream
from synth_traffic import random_traffic

BACK = 200  # slices between the start of the processes and the present


def first_slice() -> int:
    return time.time_ns() // SLICE - BACK


def running_profile(seed: int, job: str = "alpha", **header: Any) -> Any:
    """A profile of a process that runs on another machine."""
    return make_profile(seed, job, slices=0, ended=False, start_ns=first_slice() * SLICE, **header)


def write(profile: Any, path: Path) -> None:
    """Writes the present state into the same file, as the runtime does."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    image = bytearray(profile.encode())
    image[8] = 2  # the version from the beginning, not only from the first 'L' record on
    with path.open("r+b") as file:
        file.write(image)
        file.truncate()


def grow(profile: Any, rng: random.Random, most: int = 4) -> None:
    """Adds slices; some are based on the one before, some come late or cover several."""
    at = profile._expected
    for _ in range(rng.randrange(1, most + 1)):
        at += rng.choice((0, 0, 0, 1))
        span = rng.choice((1, 1, 1, 2))
        profile.add_slice(at, random_moves(rng), span, like=rng.random() < 0.6)
        at += span


@dataclass
class World:
    """A spool or mirror, and what happens in it."""

    folder: Path
    rng: random.Random
    mirror: bool
    live: list[Any] = field(default_factory=list)
    made: int = 0

    @property
    def spool(self) -> Path:
        if not self.mirror:
            return self.folder
        return self.folder / "node0" / str(os.getuid())

    def path(self, profile: Any) -> Path:
        return self.spool / profile.name

    def start(self) -> None:
        """Starts a process of some kind."""
        self.made += 1
        seed = self.made
        job = self.rng.choice(("alpha", "beta", "train-1a2b3c4d"))
        profile = running_profile(seed, job)
        kind = self.rng.randrange(8)
        if kind == 0:
            profile.traffic, records = random_traffic(seed, profile.first_slice)
            profile.records += records
        elif kind == 1:
            profile.gpus, records = random_gpus(seed, profile.first_slice)
            profile.records += records
        elif kind == 2:
            self.begin_mpi(profile, seed)
        if self.rng.random() < 0.7:
            grow(profile, self.rng)
        self.live.append(profile)
        write(profile, self.path(profile))

    def begin_mpi(self, profile: Any, seed: int) -> None:
        start = profile.start_ns + SLICE // 2
        profile.mpi = {"mpi_state": 2, "world_size": 4, "world_rank": seed % 4} | {
            "mpi_init_ns": start,
            "mpi_ready_ns": start + 1000,
            "world": "w1",
        }
        if not profile.records:
            raw = b"".join(random_stream(seed, 20, start).entries)
            profile.ring = Ring(len(raw) + 8, 0, raw)

    def happen(self) -> None:
        """One event of a random process."""
        rng = self.rng
        if not self.live or rng.random() < 0.15:
            self.start()
            return
        profile = rng.choice(self.live)
        path = self.path(profile)
        what = rng.choices(
            ("grow", "beat", "mount", "clock", "note", "binding", "mpi", "end", "copy", "twin",
             "cut", "damage", "link", "away", "lost"),
            (40, 6, 2, 2, 2, 2, 1, 4, 2, 1, 2, 2, 1, 1, 3),
        )[0]  # fmt: skip
        now = profile._expected * SLICE
        if what == "beat":
            profile.heartbeat_ns = max(now, profile.heartbeat_ns or 0) + rng.randrange(SLICE)
        elif what == "mount":
            profile.add_mount(2, "/new", "xfs", "/dev/vdb", (254, 16))
        elif what == "clock":
            profile.add_clock(now, 5, rng.randrange(10**6), rng.choice((0, 10**9)))
        elif what == "note":
            profile.add_note(now, "the spool vanished")
        elif what == "binding":
            profile.bindings = [*profile.bindings, ("0-3", "0", "0-7", "0")][-2:]
        elif what == "mpi":
            self.begin_mpi(profile, self.made)
        elif what == "lost":
            profile.lost_threads += 1
            profile.clock_error_us = rng.randrange(10**5)
        elif what == "end":
            self.end(profile, path)
            return
        if what in ("grow", "lost", "mount"):
            grow(profile, rng)
            if profile.heartbeat_ns is not None:
                profile.heartbeat_ns = max(profile.heartbeat_ns, profile._expected * SLICE)
        self.store(profile, path, what)

    def store(self, profile: Any, path: Path, what: str) -> None:
        if what == "copy":  # another file with the same name and content
            new = path.with_name(".new")
            write(profile, new)
            new.rename(path)
            return
        write(profile, path)
        whole = path.read_bytes()
        if what == "twin":
            path.with_name("z" + path.name).write_bytes(whole)  # the first one counts
        elif what == "cut":
            os.truncate(path, len(whole) - self.rng.randrange(1, 60))
        elif what == "damage":
            at = self.rng.randrange(len(whole) - 60, len(whole))
            with path.open("r+b") as file:
                file.seek(at)
                file.write(bytes([whole[at] ^ 0x10]))
        elif what == "link":
            os.link(path, path.with_name("b" + path.name))
            self.live.remove(profile)  # left out from now on
        elif what == "away":
            path.rename(path.with_name("c" + path.name))
            self.live.remove(profile)

    def end(self, profile: Any, path: Path) -> None:
        profile.set_remainder(random_moves(self.rng))
        end_job(profile, profile._expected)
        write(profile, path)
        if self.mirror:
            path.with_name(path.name + ".over").touch()
        self.live.remove(profile)


def live_through(tmp_path: Path, seed: int, steps: int = 14) -> int:
    """Compares both ways of ingest; returns the number of profiles that were followed."""
    rng = random.Random(seed)
    world = World(tmp_path / "spool", rng, mirror=seed % 2 == 1)
    if world.mirror:
        create_mirror(world.folder)
    else:
        world.folder.mkdir()
    grown = Repository(tmp_path / "grown", create=True)
    plain = Repository(tmp_path / "plain", create=True)
    ingester, slow, many = Ingester(grown.path), Ingester(plain.path), 0
    for _ in range(3):
        world.start()
    for step in range(steps):
        for _ in range(rng.randrange(1, 7)):
            world.happen()
        many += len(ingester._follower.followed)
        ingester.turn([world.folder])
        slow.run([world.folder])
        if rng.random() < 0.15:
            ingester, slow = Ingester(grown.path), Ingester(plain.path)
        if step % 5 == 4:
            compare(grown, plain)
    for profile in world.live[:2]:
        world.end(profile, world.path(profile))
    ingester.turn([world.folder])
    slow.run([world.folder])
    compare(grown, plain)
    return many


@pytest.mark.parametrize("seed", range(6))
def test_the_repository_is_the_same_as_without_following(tmp_path, seed):
    assert live_through(tmp_path, seed) > 5


def living(tmp_path: Path, number: int = 3) -> tuple[World, Repository, Ingester]:
    """Profiles that are followed."""
    world = World(tmp_path / "spool", random.Random(number), mirror=False)
    world.folder.mkdir()
    for seed in range(number):
        profile = running_profile(seed)
        grow(profile, world.rng)
        world.live.append(profile)
        write(profile, world.path(profile))
    store = Repository(tmp_path / "repository", create=True)
    ingester = Ingester(store.path)
    assert ingester.turn([world.folder]).processes == number
    assert len(ingester._follower.followed) == number
    return world, store, ingester


def grow_all(world: World) -> None:
    for profile in world.live:
        grow(profile, world.rng)
        write(profile, world.path(profile))


def test_followed_profiles_are_not_read_again(tmp_path, monkeypatch):
    world, store, ingester = living(tmp_path)
    grow_all(world)
    monkeypatch.setattr(ingest_module, "peek_header", None)
    report = ingester.turn([world.folder])
    assert (report.profiles, report.changed, report.commits) == (3, 3, 1)
    assert stored_keys(store) == expected_keys(world.live)


def test_a_named_profile_is_followed_and_others_stay_followed(tmp_path, monkeypatch):
    """As the receiver names the files that changed."""
    world, store, ingester = living(tmp_path)
    monkeypatch.setattr(ingest_module, "peek_header", None)
    for profile in world.live:
        grow(profile, world.rng)
        write(profile, world.path(profile))
        assert ingester.turn([world.path(profile)]).changed == 1
    assert stored_keys(store) == expected_keys(world.live)


def test_a_removed_profile_is_forgotten(tmp_path):
    world, _, ingester = living(tmp_path)
    world.path(world.live[0]).unlink()
    grow_all(World(world.folder, world.rng, mirror=False, live=world.live[1:]))
    assert ingester.turn([world.folder]).changed == 2
    assert len(ingester._follower.followed) == 2
    assert ingester.present == {key_of(profile) for profile in world.live[1:]}


def test_a_killed_process_is_complete_after_two_passes(tmp_path):
    """Its last heartbeat may be newer than the pass before."""
    world = World(tmp_path / "spool", random.Random(1), mirror=False)
    child = subprocess.Popen(["sleep", "600"])
    began = Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()[19]
    boot = uuid.UUID(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
    profile = running_profile(1, boot_id=boot, pid=child.pid, proc_start=int(began))
    world.live = [profile]
    grow_all(world)
    store = Repository(tmp_path / "repository", create=True)
    ingester = Ingester(store.path)
    ingester.turn([world.folder])
    grow_all(world)
    assert ingester.turn([world.folder]).finished == 0
    grow_all(world)
    child.kill()
    child.wait()
    passes = [ingester.turn([world.folder]) for _ in range(2)]
    assert [report.finished for report in passes] == [0, 1]
    assert stored_keys(store) == expected_keys(world.live)


def test_another_ingester_takes_the_same_profiles(tmp_path):
    """The slower of the two reads again from where the other one stopped."""
    world, store, ingester = living(tmp_path)
    for _ in range(3):
        grow_all(world)
        other = Ingester(store.path)
        other.turn([world.folder])
        grow_all(world)
        other.turn([world.folder])
        ingester.turn([world.folder])
    assert stored_keys(store) == expected_keys(world.live)


def test_columns_of_profiles_that_are_gone_are_freed(tmp_path, monkeypatch):
    monkeypatch.setattr(followed, "_MOST_GARBAGE", 1)
    world, store, ingester = living(tmp_path, 12)
    for _ in range(10):
        world.end(world.live[0], world.path(world.live[0]))
        grow_all(world)
        ingester.turn([world.folder])
    known = ingester._follower.followed
    assert len(known) == len(known.rows(np.array(list(known.places.values())))) == 2
    assert known._row_count < 12
    ingester.run([world.folder])
    rows = store.query("SELECT count(*) n FROM slices").to_pylist()
    assert rows == [{"n": len(set(stored_keys(store)))}]


def test_an_error_within_a_batch_leaves_it_to_the_normal_ingest(tmp_path, monkeypatch):
    world, store, ingester = living(tmp_path)
    grow_all(world)
    monkeypatch.setattr(followed_pass, "plan_followed", lambda *_: 1 / 0)
    assert ingester.turn([world.folder]).changed == 3
    assert stored_keys(store) == expected_keys(world.live)


@pytest.mark.parametrize(
    "step", ["file-written", "file-renamed", "commit-written", "commit-linked"]
)
def test_killed_while_it_follows(tmp_path, step):
    """After a kill at any step of the second pass, each slice is there exactly once."""
    world, store, _ = living(tmp_path)
    later = tmp_path / "later"
    for profile in world.live:
        grow(profile, world.rng)
        write(profile, later / profile.name)
    code = (
        "import os\n"
        "spool, later = Path(sys.argv[2]), Path(sys.argv[3])\n"
        "ingester = ingest.Ingester(Path(sys.argv[1]))\n"
        "ingester.turn([spool])\n"
        "assert len(ingester._follower.followed) == 3\n"
        "for path in later.iterdir(): (spool / path.name).write_bytes(path.read_bytes())\n"
        "def reached(now):\n"
        f"    if now == {step!r}: os.kill(os.getpid(), 9)\n"
        "log.reached = files.reached = reached\n"
        "ingester.turn([spool])\n"
    )
    assert ended(running(code, store.path, world.folder, later)) == -signal.SIGKILL
    grow_all(world)
    ingester = Ingester(store.path)
    ingester.turn([world.folder])
    grow_all(world)
    ingester.turn([world.folder])
    assert stored_keys(store) == expected_keys(world.live)
