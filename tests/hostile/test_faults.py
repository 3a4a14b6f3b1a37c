"""A file call fails, whichever it is: it is said plainly, and nothing is lost or doubled.

`python tests/hostile/test_faults.py [SEED]` tries every call of every operation, many times.
"""

from __future__ import annotations

import errno
import os
import random
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from faults import Fault, Forks, Outcome, build_shim, sites
from grounds import copy_of, make_ground, make_hurt, make_small
from operations import OPERATIONS, READING

from jostle.repository.store.layout import TABLES

#: These read what others read, and take a second each.
SLOW = {"look", "digest", "background"}
_ANY = (errno.EIO, errno.ESTALE, errno.EACCES)
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.ESTALE)
ERRORS = {
    "create": (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EIO, errno.EROFS, errno.EMFILE),
    "open": (*_ANY, errno.EMFILE),
    "read": _ANY[:2],
    "pread": _ANY[:2],
    "fstat": _ANY[:2],
    "mmap": (errno.ENOMEM, errno.EIO),
    "write": _FULL,
    "fsync": _FULL,
    "close": _FULL,
    "ftruncate": _FULL,
    "mkdir": (*_FULL, errno.EACCES),
    "rename": (*_FULL, errno.EACCES),
    "link": (*_FULL, errno.EACCES, errno.EPERM, errno.EMLINK),
    "readdir": _ANY[:2],
    "flock": (errno.EIO, errno.ENOLCK, errno.ESTALE),
}
_ALIKE = re.compile(r"(?<=/)(\w+\.\d+\.\d+(?=\.jst)|\d{8}(?=\.))")
_TABLE = re.compile(rf"\b({'|'.join(TABLES)})\b(/date=\*)?(/hour=\*)?")


@dataclass
class Grounds:
    """Where operations are tried: the forks, and what is copied for each."""

    forks: Forks
    folder: Path

    def run(self, name: str, fault: Fault | None = None, *, kill_at: int = 0) -> Outcome:
        """Does an operation on a fresh copy."""
        kind = "hurt" if name == "repair" else "small" if name in READING else "plain"
        here = copy_of(self.folder / kind, self.folder / "here")
        return self.forks.run(name, here, fault, kill_at=kill_at, look=not kill_at)

    def again(self, name: str, *, kill_at: int = 0) -> Outcome:
        """Does an operation where the last one left off."""
        return self.forks.run(name, self.folder / "here", kill_at=kill_at, look=not kill_at)


def make_grounds(folder: Path) -> Grounds:
    plain = make_ground(folder / "plain")
    make_small(plain, folder / "small")
    make_hurt(plain, folder / "hurt")
    return Grounds(Forks(build_shim(folder)), folder)


@pytest.fixture(scope="module")
def grounds() -> Iterator[Grounds]:
    """Grounds in memory, where there is such a place: a disk would only make it slow."""
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=place) as folder:
        made = make_grounds(Path(folder))
        yield made
        made.forks.close()


def some_faults(outcome: Outcome, rng: random.Random) -> list[Fault]:
    """Picks faults: each call and kind of file once, whatever the table."""
    kinds: dict[tuple[str, str], list[tuple[str, str, int]]] = {}
    for (call, pattern), count in sites(outcome.calls).items():
        kind = call, _ALIKE.sub("", _TABLE.sub("TABLE", pattern))
        kinds.setdefault(kind, []).append((call, pattern, count))
    return [one_fault(rng, *rng.choice(of_kind)) for of_kind in kinds.values()]


def all_faults(outcome: Outcome, rng: random.Random) -> list[Fault]:
    """Picks faults: for each call and pattern the first, a later one, and all from one on."""
    found = []
    for (call, pattern), count in sites(outcome.calls).items():
        found += [one_fault(rng, call, pattern, 1), one_fault(rng, call, pattern, count)]
        found.append(one_fault(rng, call, pattern, count, stays=True))
    return found


def one_fault(
    rng: random.Random, call: str, pattern: str, count: int, *, stays: bool | None = None
) -> Fault:
    error = rng.choice(ERRORS.get(call, _ANY))
    stays = rng.random() < 0.3 if stays is None else stays
    return Fault(call, pattern, rng.randint(1, count), error, stays)


def wrong(name: str, plain: Outcome, tried: Outcome) -> list[str]:
    """Says what should not be after an operation in which a call failed.

    Args:
        name: The operation.
        plain: What it gave where nothing failed.
        tried: What it gave this time.
    """
    said, good = tried.said, plain.said
    if tried.status or "broken" in said:
        return [said.get("broken", f"ended with {tried.status}")]
    found = []
    words = f"{said['err']}{said.get('error', '')}"
    if "Traceback" in words or "should not" in words:
        found.append("no error for users")
    if said["code"] not in (0, 1, 2):
        found.append(f"code {said['code']}")
    if said["code"] and name != "check" and not re.search(r"/.*mend.{3,}", words, re.S):
        found.append("says not where, or not what to do")
    if name in READING:
        if said["files"] != good["files"]:
            found.append("the repository is not as it was")
        is_said = ".parquet cannot be read" in words
        if said["code"] == 0 and said["out"] != good["out"] and not is_said:
            found.append("another answer, without a word")
        return found
    if said["after"] != good["after"]:
        found.append(f"{_difference(good['after'], said['after'])} after it was done again")
    found += [f"{table} has rows twice" for table, told in said["after"].items() if told[1]]
    found += [f"{what}: {said[what]}" for what in ("damaged", "strays") if said[what]]
    if said["spool"] != good["spool"]:
        found.append(f"spool: {set(said['spool']) ^ set(good['spool'])}")
    if name == "ingest" and said["code"] == 0 and said["left"] != good["left"] and not words:
        found.append("something was left out without a word")
    return found


def _difference(good: dict[str, Any], here: dict[str, Any]) -> str:
    differ = [table for table in {**good, **here} if good.get(table) != here.get(table)]
    return ", ".join(f"{table}: {here.get(table)} for {good.get(table)}" for table in differ)


@pytest.mark.parametrize("name", sorted(OPERATIONS.keys() - SLOW))
def test_a_call_that_fails_loses_nothing(grounds: Grounds, name: str) -> None:
    plain = grounds.run(name)
    assert not wrong(name, plain, plain)
    found = {}
    for fault in some_faults(plain, random.Random(name)):
        tried = grounds.run(name, fault)
        if problems := wrong(name, plain, tried):
            found[str(fault)] = (problems, tried.said.get("err"))
    assert not found


def _try_all(seed: int, names: list[str]) -> int:
    print(f"seed {seed}")
    bad = 0
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        grounds = make_grounds(Path(folder))
        for name in names:
            begin, rng = time.monotonic(), random.Random(f"{seed} {name}")
            plain = grounds.run(name)
            faults, failed = all_faults(plain, rng), 0
            for fault in faults:
                tried = grounds.run(name, fault)
                failed += tried.failed > 0
                problems = wrong(name, plain, tried)
                bad += bool(problems)
                if problems:
                    said = tried.said.get("error") or tried.said.get("err", "")
                    print(f"{name}: {fault}: {[one.strip()[-300:] for one in problems]}")
                    print(f"    {said.strip()[-300:]}", flush=True)
            print(f"{name}: {len(faults)} tried, {failed} met, {time.monotonic() - begin:.0f} s")
        grounds.forks.close()
    return bad


if __name__ == "__main__":
    _seed = int(sys.argv[1]) if len(sys.argv) > 1 else time.time_ns() % 10**9
    sys.exit(bool(_try_all(_seed, sys.argv[2:] or list(OPERATIONS))))
