"""Fixtures for tests of faults: a repository of many commits, and a spool with more for it."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from faults import Fault, Forks, Outcome, build_shim
from operations import BATCH_FILES, CHECKPOINT_EVERY, NEWER_S, READING
from support import SLICE, make_profile, make_shorts
from test_segment_tables import make_loop, make_rank

from jostle.repository import Repository
from jostle.repository.ingest import fair_batches as shares
from jostle.repository.store import log
from jostle.repository.store.log import Log
from synth import EPOCH, SECOND

NEWER = {"start_ns": NEWER_S * SECOND, "heartbeat_ns": NEWER_S * SECOND + 100 * SLICE}


@dataclass
class Grounds:
    """The fixture of operations: the Python that forks, and the folder that is copied for each."""

    forks: Forks
    folder: Path
    _plain: dict[str, Outcome] = field(default_factory=dict)

    def run(self, name: str, fault: Fault | None = None, *, kill_at: int = 0) -> Outcome:
        """Does an operation on a fresh copy."""
        kind = "hurt" if name == "repair" else "small" if name in READING else "plain"
        here = copy_of(self.folder / kind, self.folder / "here")
        return self.forks.run(name, here, fault, kill_at=kill_at, look=not kill_at)

    def again(self, name: str, *, kill_at: int = 0) -> Outcome:
        """Does an operation where the last one left off."""
        return self.forks.run(name, self.folder / "here", kill_at=kill_at, look=not kill_at)

    def plain(self, name: str) -> Outcome:
        """Gives the outcome of an operation in which nothing fails; it is done once."""
        if name not in self._plain:
            self._plain[name] = self.run(name)
        return self._plain[name]


def make_grounds(folder: Path) -> Grounds:
    """Makes all kinds of grounds, and starts the Python that forks."""
    plain = make_ground(folder / "plain")
    make_small(plain, folder / "small")
    make_hurt(plain, folder / "hurt")
    return Grounds(Forks(build_shim(folder)), folder)


def make_ground(folder: Path) -> Path:
    """Makes the folder that operations work on a copy of: repository, spool, and what comes late.

    Of the repository, half the slices are older than what expires. One process is in the middle.
    """
    spool, late = folder / "spool", folder / "late"
    late.mkdir(parents=True)
    store = Repository(folder / "repository", create=True)
    grows = make_profile(40, "job1", slices=4, ended=False)
    held = [
        *(make_profile(n, f"job{n}", slices=5) for n in range(2)),
        grows,
        *(make_profile(n, "job0", slices=5, **NEWER) for n in (5, 6)),
        make_rank(0, seed=1, job="ranks")[0],
        make_shorts("job0", 3),
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log, "CHECKPOINT_EVERY", CHECKPOINT_EVERY)
        patch.setattr(shares, "_BATCH_FILES", BATCH_FILES)
        for one in held:
            one.write(spool)
            store.ingest([spool], remove=True)
    for path in spool.glob("*.jss"):
        path.unlink()
    make_profile(40, "job1", slices=9).write(spool, grows.name)
    for number in range(10, 13):
        make_profile(number, f"job{number % 3}", slices=5).write(spool)
    make_loop(1, job="ranks", seed=2).write(spool)
    make_shorts("job2", 3).write(spool)
    (spool / "job2.1000.said").touch()
    child = make_profile(20, "job0", proc_start=99)
    child.write(spool)
    less = make_profile(20, "job0", proc_start=99, slices=2)  # what was kept of it
    less.write(spool, child.name.replace(".jst", ".jsp"))
    for number in range(30, 34):
        make_profile(number, "job1", **NEWER).write(late)
    store.close()
    for place in (
        "slices/date=2023-11-14/left.parquet",
        "commits/.left",
        "merged/.left",
        f"merged/{EPOCH:020d}-0123.parquet",
    ):
        path = store.path / place
        path.parent.mkdir(exist_ok=True)
        path.touch()
        os.utime(path, (0, 0))
    assert EPOCH < NEWER_S * SECOND - 3600 * SECOND
    return folder


def make_small(ground: Path, target: Path) -> Path:
    """Makes one of few files, which is quickly read."""
    Repository(copy_of(ground, target) / "repository").compact()
    for path in (target / "repository").rglob("*.parquet"):
        os.utime(path, (0, 0))
    Repository(target / "repository").compact()  # what was replaced is stray by now
    return target


def make_hurt(ground: Path, target: Path) -> Path:
    """Makes one to repair: a commit is damaged, and a file of a table."""
    root = copy_of(ground, target) / "repository"
    newest = sorted((root / "commits").glob("*[0-9].json"))[-1]
    newest.write_bytes(newest.read_bytes()[:-9])
    (root / Log(root).refresh().of("slices")[0].path).write_bytes(b"PAR1")
    return target


def copy_of(ground: Path, target: Path) -> Path:
    """Copies a ground to a place where there may be one."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(ground, target)
    return target
