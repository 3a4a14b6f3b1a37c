"""Any file call may fail: the error is reported plainly, and nothing is lost or doubled.

`python tests/hostile/test_faults.py [SEED]` tries every call of every operation, many times.
"""

from __future__ import annotations

import errno
import random
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from faults import Fault, Outcome, sites
from grounds import Grounds, make_grounds
from operations import OPERATIONS, READING

from jostle.repository.store.layout import TABLES

#: These read what others read, and take a second each.
SLOW = {"look", "digest", "background"}
TRIED = sorted(OPERATIONS.keys() - SLOW)
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
#: What names of one kind of file differ in: process, number of a commit, part of a checkpoint.
_ALIKE = re.compile(
    r"(?<=/)(\w+\.\d+\.\d+(?=\.js[tp])|\d{8}(?=\.))|(?<=/commits/)(files|done)-[\w-]+(?=\.)"
)
_TABLE = re.compile(rf"\b({'|'.join(TABLES)})\b(/(date|ended)=\*)?(/hour=\*)?")
#: Every operation reads these files by the same code.
_LOG = re.compile(r"repository/commits\b")
_READING_CALLS = {"access", "fstat", "mmap", "open", "opendir", "pread", "read", "readdir", "stat"}


def some_faults(grounds: Grounds, name: str, rng: random.Random) -> list[Fault]:
    """Picks faults: each call and kind of file once, whatever the table.

    What reads the log is the same in all operations: of these calls they share.
    """
    kinds: dict[tuple[str, str], list[tuple[str, str, int]]] = {}
    for (call, pattern), count in sites(grounds.plain(name).calls).items():
        kinds.setdefault((call, kind_of(pattern)), []).append((call, pattern, count))
    mine = share(grounds, name)
    return [
        one_fault(rng, *rng.choice(of_kind))
        for kind, of_kind in kinds.items()
        if kind in mine or not reads_log(*kind)
    ]


def reads_log(call: str, kind: str) -> bool:
    """Whether a call reads the log."""
    return call in _READING_CALLS and _LOG.match(kind) is not None


def share(grounds: Grounds, name: str) -> set[tuple[str, str]]:
    """Gives the calls that read the log which an operation tries.

    Of each kind of file those that none before it made, or else one that few have tried: each
    operation meets a failure at each kind of file.
    """
    tried: Counter[tuple[str, str]] = Counter()
    mine: set[tuple[str, str]] = set()
    for each in TRIED[: TRIED.index(name) + 1]:
        made: dict[str, set[str]] = {}
        for call, pattern in grounds.plain(each).calls:
            if reads_log(call, kind := kind_of(pattern)):
                made.setdefault(kind, set()).add(call)
        mine = set()
        for kind, calls in made.items():
            alike = sorted((call, kind) for call in calls)
            mine |= {one for one in alike if not tried[one]} or {min(alike, key=tried.__getitem__)}
        tried.update(mine)
    return mine


def kind_of(pattern: str) -> str:
    """Gives what a path has in common with all others of its kind."""
    return _TABLE.sub("TABLE", _ALIKE.sub(r"\2", pattern))


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
    """Finds errors after an operation in which a call failed.

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
    if said["code"] and name != "check" and not re.search(r"/.*fix.{3,}", words, re.S):
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
    found += [f"{table} has rows twice" for table, row in said["after"].items() if row[1]]
    found += [f"{what}: {said[what]}" for what in ("damaged", "strays") if said[what]]
    if said["spool"] != good["spool"]:
        found.append(f"spool: {set(said['spool']) ^ set(good['spool'])}")
    if name == "ingest" and said["code"] == 0 and said["left"] != good["left"] and not words:
        found.append("something was left out without a word")
    return found


def _difference(good: dict[str, Any], here: dict[str, Any]) -> str:
    differ = [table for table in {**good, **here} if good.get(table) != here.get(table)]
    return ", ".join(f"{table}: {here.get(table)} for {good.get(table)}" for table in differ)


@pytest.mark.in_turn
@pytest.mark.parametrize("name", TRIED)
def test_a_call_that_fails_loses_nothing(grounds: Grounds, name: str) -> None:
    plain = grounds.plain(name)
    assert not wrong(name, plain, plain)
    found = {}
    for fault in some_faults(grounds, name, random.Random(name)):
        tried = grounds.run(name, fault)
        if problems := wrong(name, plain, tried):
            found[str(fault)] = (problems, tried.said.get("err"))
    assert not found


def test_every_call_of_every_kind_is_tried(grounds: Grounds) -> None:
    there, tried = set(), set()
    for name in TRIED:
        there |= {(call, kind_of(pattern)) for call, pattern in grounds.plain(name).calls}
        faults = some_faults(grounds, name, random.Random(name))
        tried |= {(fault.call, kind_of(fault.pattern)) for fault in faults}
    assert tried == there


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
