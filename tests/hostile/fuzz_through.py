"""Ingests mutants of profiles with a good job, and then requests every route of the server.

    fuzz_through.py [--minutes 10] [--seed N] [--keep FOLDER]     what `make fuzz-nightly` does
    fuzz_through.py --replay FOLDER                               a spool that something came of

What is wrong: an exception, a status that no visitor should see, another answer of the good job
than without the mutants, more than a gigabyte or a minute. The spool that it came of is kept.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import quote, urlencode

_TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(_TESTS / name) for name in ("hostile", "repository", "server", "")]

from mutants import mutant, seeds  # noqa: E402
from server_fixtures import Hall, hall  # noqa: E402
from support import SHARED, make_profile  # noqa: E402
from test_segment_tables import make_loop  # noqa: E402
from users import U1, U2  # noqa: E402

from jostle.errors import JostleError  # noqa: E402
from jostle.repository import Repository  # noqa: E402
from jostle.topology import torus  # noqa: E402
from jostle.topology.store import FOLDER, save  # noqa: E402

PER_ROUND = 120
_MOST_KIB = 1 << 20
_MOST_S = 180.0
_MOST_JOBS = 12  # that the server is asked for in a round
#: Questions that say nothing of one job, or never end.
_NOT_ASKED = re.compile(r"/live$|/login|/audit$|/openapi")
#: What is said of a job that left none; that its status is 500 is known.
_NO_SLICES = b"has no slices"
_VALUES = {
    "metric": "bytes",
    "of": "others",
    "kind": "node",
    "victim": "prog",
    "aggressor": "prog",
    "name": "none",
}


def good_profiles(spool: Path) -> list[Path]:
    """Puts the job of another user into a spool, on nodes and mounts that no mutant names."""
    with patch.dict(SHARED, path="/far", source="far:/scratch", device=(0, 77)):
        made = [make_loop(rank, job="honest", count=32) for rank in (0, 1)]
        made.append(make_profile(3, "honest"))
    paths = []
    for number, one in enumerate(made):
        one.host, one.pid, one.program = "far-away", 700 + number, "/opt/honest"
        paths.append(one.write(spool, f"honest-{number}.jst"))
    for path in paths:
        if os.geteuid() == 0:
            os.chown(path, U2, U2)
    return paths


def fill(spool: Path, rng: random.Random, count: int) -> None:
    """Fills a spool with mutants, as files of one user."""
    made = seeds(rng)
    for number in range(count):
        (ending, data), (_, other) = rng.choice(made), rng.choice(made)
        if ending == ".jst" and rng.random() < 0.1:
            ending = ".jsp"
        path = spool / f"evil.{number}.1{ending}"
        path.write_bytes(mutant(rng, data, other))
        if os.geteuid() == 0:
            os.chown(path, U1, U1)


def tried(spool: Path, work: Path, good: dict[str, Any] | None) -> tuple[list[str], dict[str, Any]]:
    """Ingests a spool and sends every request.

    Args:
        spool: Profiles.
        work: An empty folder.
        good: Answers of the good job without others; None for no comparison.

    Returns:
        What is wrong, and the answers of the good job.
    """
    begin, memory = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    store = Repository(work / "repository", create=True)
    # Of other nodes: who shares links with the good job would change its answers.
    save(store.path / FOLDER, torus((2, 2), hosts=["n1", "n2", "n3", "n4"], name=_VALUES["name"]))
    found, answers = [], {}
    try:
        for _ in range(2):  # as one that follows does
            report = store.ingest([spool])
            found += [one for one in report.warnings if "is skipped" in one]
        found += [f"{one.file}: {one.reason}" for one in store.check().damaged]
        jobs = store.jobs().select(["job", "uid"]).to_pylist()
        (honest,) = (row["job"] for row in jobs if row["job"].startswith("honest"))
        others = sorted({row["job"] for row in jobs} - {honest})
        with served(store.path, work) as centre:
            found += shared_answers(centre)
            for job in others[:_MOST_JOBS]:
                found += job_answers(centre, job)[0]
            wrong, answers = job_answers(centre, honest)
            found += wrong
    except (Exception, JostleError):
        found.append(traceback.format_exc())
    store.close()
    if good is not None:
        found += [
            f"{name} of the good job: {str(answers.get(name))[:300]} for {str(value)[:300]}"
            for name, value in good.items()
            if answers.get(name) != value
        ]
    if time.monotonic() - begin > _MOST_S:
        found.append(f"took {time.monotonic() - begin:.0f} s")
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory
    if grown > _MOST_KIB:
        found.append(f"took {grown >> 10} MiB")
    return found, answers


@contextmanager
def served(repository: Path, work: Path) -> Iterator[Hall]:
    """A server of a repository, whose verdicts are its own."""
    before = os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = str(work / "cache")
    try:
        centre = hall(repository, work / "audit.jsonl")
        with centre.guest("adam"):  # it starts, and ends
            yield centre
    finally:
        os.environ.pop("XDG_CACHE_HOME")
        if before is not None:
            os.environ["XDG_CACHE_HOME"] = before


def routes(centre: Hall, *, of_job: bool) -> list[str]:
    """Gives the addresses to ask, {job} for the job's name: all GETs that the server has."""
    found = []
    for path, how in centre.app.openapi()["paths"].items():
        asked = how.get("get", {}).get("parameters", [])
        names = {one["name"] for one in asked}
        is_of_job = "{job}" in path or "job" in names
        if "get" not in how or _NOT_ASKED.search(path) or is_of_job != of_job:
            continue
        values = _VALUES | ({"metric": "gpu"} if path.endswith("/gpus") else {})
        query = {
            one["name"]: values[one["name"]]
            for one in asked
            if one["in"] == "query"
            and one["name"] in values
            and (one.get("required") or one["name"] == "metric")
        }
        named = path.replace("{name}", _VALUES["name"])
        if "job" in names and "{job}" not in path:
            found.append(f"{named}?job={{job}}&job={{other}}")
        else:
            found.append(named + (f"?{urlencode(query)}" if query else ""))
            if "of" in names:
                found.append(f"{found[-1]}&of=others")
    return found


def asked(centre: Hall, address: str) -> tuple[int, bytes]:
    """Asks until there is an answer."""
    status, content = 202, b""
    end = time.monotonic() + _MOST_S
    while status == 202 and time.monotonic() < end:
        answer = centre.guest("adam").get(address)
        status, content = answer.status_code, answer.content
        if status == 202:
            time.sleep(0.02)
    return status, content


def shared_answers(centre: Hall) -> list[str]:
    """Requests the routes of no single job; gives the errors."""
    wrong = []
    for address in routes(centre, of_job=False):
        status, content = asked(centre, address)
        if status not in (200, 404):
            wrong.append(f"{address}: {status} {content[:300]!r}")
    return wrong


def job_answers(centre: Hall, job: str) -> tuple[list[str], dict[str, Any]]:
    """Requests all routes of a job; gives the errors and the answers."""
    wrong, answers = [], {}
    names = [row["job"] for row in json.loads(asked(centre, "/api/v1/jobs")[1])["jobs"]]
    other = next((name for name in names if name != job), job)
    for route in routes(centre, of_job=True):
        one, two = quote(job, safe=""), quote(other, safe="")
        address = route.replace("{job}", one).replace("{other}", two)
        status, content = asked(centre, address)
        known = (status == 400 and "{other}" in route) or _NO_SLICES in content
        if status != 200 and not known:
            wrong.append(f"{address}: {status} {content[:300]!r}")
        if "{other}" not in route:
            answers[route] = content if b"\0" in content else content.decode()
    return wrong, answers


def alone(work: Path) -> dict[str, Any]:
    """Gives the answers of the good job where there is no other."""
    spool = work / "spool"
    spool.mkdir(parents=True)
    good_profiles(spool)
    found, answers = tried(spool, work, None)
    assert not found, found
    return answers


def one_round(work: Path, seed: str, good: dict[str, Any], count: int = PER_ROUND) -> list[str]:
    """Makes a spool of mutants by a seed and tests it; gives the errors.

    Args:
        work: An empty folder, where the spool is left.
        seed: Makes the mutants.
        good: The good job's answers.
        count: How many mutants.
    """
    spool = work / "spool"
    spool.mkdir(parents=True)
    fill(spool, random.Random(seed), count)
    good_profiles(spool)
    return tried(spool, work, good)[0]


def _go_on(seed: int, seconds: float, keep: Path) -> int:
    print(f"seed {seed}", flush=True)
    end, number, bad = time.monotonic() + seconds, 0, 0
    with tempfile.TemporaryDirectory(prefix="jostle-fuzz-") as folder:
        good = alone(Path(folder) / "alone")
        while time.monotonic() < end:
            work = Path(folder) / str(number)
            found = one_round(work, f"{seed} {number}", good)
            if found:
                bad += 1
                kept = keep / f"{seed}-{number}"
                shutil.copytree(work / "spool", kept, dirs_exist_ok=True)
                print(f"{kept} (--replay):", *found, sep="\n  ", flush=True)
            shutil.rmtree(work)
            number += 1
    print(f"seed {seed}: {number} spools of {PER_ROUND} mutants, {bad} with findings")
    return bad


def _replay(spool: Path) -> int:
    with tempfile.TemporaryDirectory(prefix="jostle-fuzz-") as folder:
        good = alone(Path(folder) / "alone")
        work = Path(folder) / "again"
        shutil.copytree(spool, work / "spool")
        if os.geteuid() == 0:
            for path in (work / "spool").iterdir():
                owner = U2 if path.name.startswith("honest") else U1
                os.chown(path, owner, owner)
        found = tried(work / "spool", work, good)[0]
    print(*found, sep="\n")
    return len(found)


if __name__ == "__main__":
    _parser = argparse.ArgumentParser(description=__doc__)
    _parser.add_argument("--minutes", type=float, default=10)
    _parser.add_argument("--seed", type=int, default=time.time_ns() % 10**9)
    _parser.add_argument("--keep", type=Path, default=Path("build/fuzz-through"))
    _parser.add_argument("--replay", type=Path)
    _given = _parser.parse_args()
    sys.exit(
        bool(
            _replay(_given.replay)
            if _given.replay
            else _go_on(_given.seed, 60 * _given.minutes, _given.keep)
        )
    )
