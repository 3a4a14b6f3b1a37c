#!/usr/bin/env python3
"""Measures the CPU time per profile of an ingester that follows a site of running processes.

    lab/bench/rows/repository/passes.py [FILES] [SLICES]

In one pass, the ingester reads all profiles, each of which has got four new slices since the pass
before. The profiles are those of running processes, as a receiver stores them: their headers say
that they are not complete. Passes are measured for few and many profiles, short and long ones: the
cost of a pass must not depend on how many slices a profile already has.
"""

from __future__ import annotations

import random
import statistics
import struct
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # lab/bench

from measure import Bench, Row, apart
from rows.repository.ingest import amount

NEW = 4  # slices of a profile in a pass: a post of 16 s
PASSES = 3
SECOND = 1_000_000_000


def images(history: int) -> tuple[list[bytes], list[bytes]]:
    """Make the headers of a profile after each pass, and the records that each pass adds."""
    from synth import Profile
    from synth_random import TYPICAL

    rng = random.Random(1)
    begin = time.time_ns() // (4 * SECOND) * 4 * SECOND - (history + 100) * 4 * SECOND
    profile = Profile(start_ns=begin, heartbeat_ns=time.time_ns())
    profile.add_mount(0, "/scratch", "nfs4", "server:/scratch", device=(0, 50))
    heads, added, before = [], [], 0
    for number in range(history + NEW * PASSES):
        profile.add_slice(
            profile.first_slice + number,
            {
                name: {0: amount(rng, name)} if name.startswith("posix") else amount(rng, name)
                for name in TYPICAL
            },
        )
        if number + 1 >= history and (number + 1 - history) % NEW == 0:
            whole = profile.encode()
            heads.append(whole[: len(whole) - sum(map(len, profile.records))])
            added.append(b"".join(profile.records[before:]))
            before = len(profile.records)
    return heads, added


def of_process(head: bytes, number: int) -> bytes:
    """Change a header to that of another process."""
    data = bytearray(head)
    struct.pack_into("<I", data, 96, 1000 + number)
    node, job = f"node{number // 48}".encode(), f"job{number // 480}".encode()
    struct.pack_into("<64s128s", data, 144, node, job)
    return bytes(data)


def measure(folder: Path, files: int, history: int) -> tuple[float, int]:
    """Return the CPU time of a pass per profile, us, the median of passes; and commits per pass."""
    from jostle.repository import Repository
    from jostle.repository.ingest.ingest import Ingester

    spool = folder / "spool"
    spool.mkdir(parents=True)
    heads, added = images(history)
    paths = [spool / f"job{number // 480}.{1000 + number}.jst" for number in range(files)]
    for number, path in enumerate(paths):
        path.write_bytes(of_process(heads[0], number) + added[0])
    Repository(folder / "repository", create=True)
    ingester = Ingester(folder / "repository")
    ingester.run([spool])
    costs, commits = [], 0
    for head, more in zip(heads[1:], added[1:], strict=True):
        for number, path in enumerate(paths):
            with path.open("r+b") as file:
                file.write(of_process(head, number))
                file.seek(0, 2)
                file.write(more)
        begin = time.process_time()
        report = ingester.run([spool])
        costs.append((time.process_time() - begin) / files * 1e6)
        if report.slices != files * NEW or report.warnings:
            raise RuntimeError(f"{report.slices} slices, warnings: {report.warnings[:1]}")
        commits = report.commits
    return statistics.median(costs), commits


def rows(bench: Bench) -> list[Row]:
    """Measure few and many profiles, and long ones."""
    files, history = bench.pick(5000, 1000, 60), bench.pick(2000, 1000, 50)
    few, _ = apart(measure, bench.disk / "few", files // 5, NEW)
    many, commits = apart(measure, bench.disk / "many", files, NEW)
    long, _ = apart(measure, bench.disk / "long", files // 5, history)
    return [
        Row(
            "passes",
            "ingest, CPU of a pass per profile with 4 new slices",
            "us",
            "<= 1.25 x with 5 x the profiles, or 500 x their length",
            max(many, long) <= 1.25 * few,
            ours=many,
            note=f"{files} profiles, {commits} commits; {files // 5} profiles: {few:.0f} us; "
            f"{files // 5} of {history} slices: {long:.0f} us; medians of {PASSES} passes",
        )
    ]


def main() -> None:
    """Measure one size and print."""
    root = Path(__file__).resolve().parents[4]
    sys.path[:0] = [str(root / "src"), str(root / "tests")]
    files, history = (int(word) for word in (*sys.argv[1:], "1000", "4")[:2])
    with tempfile.TemporaryDirectory(prefix="jostle-bench-") as folder:
        cost, commits = measure(Path(folder), files, history)
    rate = NEW / cost * 1e6
    print(
        f"{files} profiles of {history} slices: {cost:.0f} us of CPU per profile and pass, "
        f"{rate:,.0f} process-slices/s, {commits} commits"
    )


if __name__ == "__main__":
    main()
