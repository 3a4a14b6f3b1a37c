#!/usr/bin/env python3
"""Measures the time and memory to open repositories of 1, 10 and 30 days, by their commit logs.

    lab/bench/rows/repository/open_log.py [--files N] [--processes N] [--running N] [--days N...]
                                          [--folder DIR]

The logs are complete, but the data files that they name do not exist. Their commits are those of a
site: new files of 14 tables, how far the profiles of running processes have been read, processes
that have ended, and a compaction of each hour. The options --files and --processes are numbers per
day. A new process measures how much time and memory a reader and an ingester need to open the
repository, and what each further commit costs them.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # lab/bench

from measure import Bench, Row

ROOT = Path(__file__).resolve().parents[4]
sys.path[:0] = [str(ROOT / "src")]

HOUR_NS = 3_600_000_000_000
START_NS = 20_000 * 24 * HOUR_NS
TABLES = (
    "slices",
    "mount_slices",
    "segments",
    "peer_slices",
    "collective_slices",
    "component_slices",
    "rollup",
    "node_rollup",
    "files",
    "communicators",
    "processes",
    "mounts",
    "tokens",
    "components",
)
MOST_COMMITS = 30  # per hour
MERGED = 16  # files that a compaction merges into one
TARGET_MS, TARGET_MB = 200.0, 100.0

# Prints the cost (ms, MB) of opening a repository, of choosing the files of slices for a query of
# an hour and of all time, and of an ingester's check of 2000 new profiles.
OPEN = """
import json, sys, time
from pathlib import Path
from jostle.repository import Repository
from jostle.repository.store.log import Log
def memory():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6
def took(what):
    before, begin = memory(), time.perf_counter()
    result = what()
    return result, 1e3 * (time.perf_counter() - begin), memory() - before
lo = int(sys.argv[2])
hour = (lo, lo + 3600 * 10**9)
store, opened = None, None
def open_it():
    global store
    store = Repository(sys.argv[1])
    return store.commits()
number, open_ms, open_mb = took(open_it)
snapshot, ask_ms, _ = took(lambda: store.snapshot(["slices"], hour))
_, all_ms, all_mb = took(lambda: store.snapshot(["slices"]))
_, ingest_ms, ingest_mb = took(
    lambda: Log(Path(sys.argv[1])).refresh().done_of(list(range(2000))))
print(json.dumps([open_ms, open_mb, ask_ms, len(snapshot.files["slices"]), all_ms, all_mb,
                  ingest_ms, ingest_mb]))
"""


@dataclass(frozen=True)
class Site:
    """The activity of a site.

    Attributes:
        files: Files that ingests publish, per day.
        processes: Processes that end, per day.
        running: Processes that run at any time.
    """

    files: int
    processes: int
    running: int


@dataclass
class Grown:
    """A log after some days.

    Attributes:
        days: Number of days.
        files: Files that were ever in it.
        live: Files that are in it now.
        commits: Number of commits.
        bytes: Size of its folder.
        commit_ms: Mean CPU time of a commit of the last day, including its share of checkpoints.
        follow_ms: Mean CPU time that a reader, which has followed the log since the first commit,
            needs for a commit of the last day.
        memory_mb: Memory that this reader and the writer have taken since the first commit.
    """

    days: int
    files: int
    live: int
    commits: int
    bytes: int
    commit_ms: float
    follow_ms: float
    memory_mb: float


def changes(site: Site) -> Iterator[tuple[int, Any]]:
    """Yield the changes of a site, day by day without an end: the number of the day, and a change.

    Their files do not exist.
    """
    from jostle.repository.store.file_days import File
    from jostle.repository.store.layout import TABLES as LAYOUT
    from jostle.repository.store.layout import partition_folder
    from jostle.repository.store.profile_positions import Position
    from jostle.repository.store.state import Change

    chance = random.Random(1)
    running = {chance.getrandbits(62): Position() for _ in range(site.running)}
    per_hour = max(min(site.files // len(TABLES) // 24, MOST_COMMITS), 1)
    each = max(site.files // (24 * per_hour * len(TABLES)), 1)

    def file(table: str, lo: int, size: int) -> File:
        timed = LAYOUT[table].partition_ns
        span = (lo, lo + HOUR_NS // per_hour) if timed else (0, 0)
        folder = partition_folder(LAYOUT[table], *span)
        name = f"{folder}/{chance.getrandbits(128):032x}.parquet"
        return File(table, name, 1000, size, *span, f"{chance.getrandbits(64):016x}")

    always: list[File] = []  # of tables without time, which are merged repeatedly
    for hour in itertools.count():
        fresh = list(always)
        for number in range(per_hour):
            lo = START_NS + hour * HOUR_NS + number * HOUR_NS // per_hour
            advance: dict[int, Any] = {}
            ended = site.processes * (hour * per_hour + number + 1) // (24 * per_hour)
            ended -= site.processes * (hour * per_hour + number) // (24 * per_hour)
            for key in list(itertools.islice(running, min(2000, site.running))):
                base = running.pop(key)
                if ended > 0:
                    ended -= 1
                    advance[key] = (base, lo)
                    running[chance.getrandbits(62)] = Position()
                else:
                    to = Position(base.records + 9, base.revision + 1, lo // 4_000_000_000, 0)
                    advance[key] = (base, to)
                    running[key] = to
            for _ in range(ended):  # those that were too short to be recorded before
                advance[chance.getrandbits(62)] = (Position(), lo)
            files = [file(table, lo, 1 << 20) for table in TABLES for _ in range(each)]
            fresh += files
            yield hour // 24, Change("ingest", add=files, advance=advance)
        begin = START_NS + hour * HOUR_NS
        merged = [
            file(table, begin, 60 << 20)
            for table in TABLES
            for _ in range(max(each * per_hour // MERGED, 1))
        ]
        always = [one for one in merged if not LAYOUT[one.table].partition_ns][:500]
        yield hour // 24, Change("compact", add=merged, remove=[one.path for one in fresh])


def grow(root: Path, site: Site, days: list[int]) -> Iterator[Grown]:
    """Write the log of a site; return its measures after each of some numbers of days."""
    from jostle.repository import Repository
    from jostle.repository.store import state
    from jostle.repository.store.log import Log

    class NoFiles(Log):
        def _holds(self, files: object) -> bool:
            return True

    state.PIECE_GRACE_NS = 0  # days pass in seconds here
    Repository(root, create=True)
    log, reader = NoFiles(root), Repository(root)
    before = memory_mb()
    total, today = 0, 0
    took: list[float] = []
    followed: list[float] = []
    for day, change in changes(site):
        if day != today:
            today = day
            if day in days:
                yield Grown(
                    day,
                    total,
                    sum(1 for _ in log.state),
                    log.state.number,
                    sum(path.stat().st_size for path in log.folder.iterdir()),
                    statistics.fmean(took) * 1e3,
                    statistics.fmean(followed) * 1e3,
                    memory_mb() - before,
                )
            if day == max(days):
                return
            took.clear()
            followed.clear()
        begin = time.process_time()
        log.commit(change)
        took.append(time.process_time() - begin)
        begin = time.process_time()
        reader.commits()
        followed.append(time.process_time() - begin)
        total += len(change.add)


def memory_mb() -> float:
    """Return the memory of this process, without mapped files."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("RssAnon:")[2].split()[0]) * 1024 / 1e6


def opened(root: Path, hour: int) -> list[float]:
    """Open a repository in a process of its own; what OPEN prints, the best of three."""
    command = [sys.executable, "-c", OPEN, str(root), str(START_NS + hour * HOUR_NS)]
    runs = [
        json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
        for _ in range(3)
    ]
    return [min(values) for values in zip(*runs, strict=True)]


def rows(bench: Bench) -> list[Row]:
    """Measure a month of 3 million files, in which 10 million processes end."""
    site = bench.pick(Site(100_000, 333_000, 500), Site(10_000, 33_000, 500), Site(400, 99, 9))
    days = bench.pick(30, 10, 1)
    root = bench.memory / "open-log"
    grown = next(grow(root, site, [days]))
    open_ms, open_mb, *_ = opened(root, 24 * days - 2)
    shutil.rmtree(root)
    note = (
        f"{days} days, {grown.commits} commits of {grown.files} files, {grown.live} in it; "
        f"commits/ {grown.bytes / 1e6:.1f} MB, a commit {grown.commit_ms:.1f} ms"
    )
    return [
        Row(
            "open",
            "open a repository",
            "ms",
            f"<= {TARGET_MS:g} ms",
            open_ms <= TARGET_MS,
            None,
            open_ms,
            None,
            None,
            note=note,
        ),
        Row(
            "open",
            "memory of opening it",
            "MB",
            f"<= {TARGET_MB:g} MB",
            open_mb <= TARGET_MB,
            None,
            open_mb,
            None,
            None,
        ),
    ]


def main() -> None:
    """Grow one log, and print a line for each number of days."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--processes", type=int, default=33_000)
    parser.add_argument("--running", type=int, default=4800)
    parser.add_argument("--days", type=int, nargs="+", default=[1, 10, 30])
    parser.add_argument("--folder", type=Path, default=Path("/dev/shm"))
    options = parser.parse_args()
    site = Site(options.files, options.processes, options.running)
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        root = Path(folder) / "repository"
        for grown in grow(root, site, options.days):
            open_ms, open_mb, ask_ms, files, all_ms, all_mb, ingest_ms, ingest_mb = opened(
                root, 24 * grown.days - 2
            )
            print(
                f"{grown.days} days: {grown.files} files, {grown.live} in it, {grown.commits} "
                f"commits, commits/ {grown.bytes / 1e6:.2f} MB; open {open_ms:.0f} ms "
                f"{open_mb:.1f} MB, an hour's {files:.0f} files {ask_ms:.1f} ms, all of slices "
                f"{all_ms:.0f} ms {all_mb:.0f} MB, ingester {ingest_ms:.0f} ms {ingest_mb:.0f} MB; "
                f"commit {grown.commit_ms:.1f} ms, followed in {grown.follow_ms:.2f} ms, writer "
                f"and reader {grown.memory_mb:.0f} MB",
                flush=True,
            )


if __name__ == "__main__":
    main()
