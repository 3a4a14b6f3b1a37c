#!/usr/bin/env python3
"""Measures the CPU time per profile of an ingester that follows a site of running processes.

    lab/bench/rows/repository/passes.py [FILES] [SLICES] [ranks]

In one pass, the ingester reads all profiles, each of which has got four new slices since the pass
before. The profiles are those of running processes, as a receiver stores them: their headers say
that they are not complete. Passes are measured for few and many profiles, short and long ones: the
cost of a pass must not depend on how many slices a profile already has. Profiles of MPI ranks also
have partners, collectives and segments.
"""

from __future__ import annotations

import random
import statistics
import struct
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # lab/bench

from measure import Bench, Row, apart
from rows.repository.ingest import amount

if TYPE_CHECKING:
    from synth import Profile

NEW = 4  # slices of a profile in a pass: a post of 16 s
PASSES = 3
PER_SLICE = 10  # segments
PARTNERS = 6
RING_BYTES = 1 << 14
SECOND = 1_000_000_000


class Rank:
    """Adds what only MPI ranks have to a profile."""

    def __init__(self, profile: Profile) -> None:
        from synth_segments import Stream, Token
        from synth_traffic import Traffic

        start = profile.start_ns
        profile.mpi = {"mpi_state": 2, "world_size": 48, "world": "w1"} | {
            "mpi_init_ns": start,
            "mpi_ready_ns": start,
        }
        self.profile = profile
        self.traffic = profile.traffic = Traffic(profile.first_slice, 64)
        self.stream = Stream(start)
        for index in range(1, 30):
            self.stream.add_token(Token(index, 1000 * index))

    def add(self, slice_: int) -> None:
        """Add the partners, collectives and segments of a slice; every fourth empties the ring."""
        from synth_format import record
        from synth_segments import Ring, Segment

        profile, stream = self.profile, self.stream
        peers = {place: (place + 1, (9, 90_000, 9, 90_000, 0)) for place in range(PARTNERS)}
        collectives = {0: ((0, "MPI_Allreduce", -1), (50, 400)), 1: ((0, "MPI_Bcast", 0), (2, 99))}
        profile.records.append(self.traffic.add(slice_, 1, peers, collectives))
        for number in range(PER_SLICE):
            values = {"sends": 6, "p2p_bytes": 60_000, "mpi_ns": 10**7, "cpu_ns": 10**8}
            length = profile.slice_ns // PER_SLICE
            stream.add(Segment(length, token=1 + number, globals=5, values=values))
        text = b"".join(stream.entries)
        stream.entries = [b""] * len(stream.entries)  # their number counts
        before = profile.ring or Ring(RING_BYTES, 0, b"")
        content = before.content + text
        if slice_ % 4 == 0:
            profile.records.append(record("G", content))
            profile.ring = Ring(RING_BYTES, before.drained + len(content), b"")
        else:
            profile.ring = Ring(RING_BYTES, before.drained, content)


def images(history: int, *, ranks: bool) -> tuple[list[bytes], list[bytes]]:
    """Make the headers of a profile after each pass, and the records that each pass adds."""
    from synth import Profile
    from synth_random import TYPICAL

    rng = random.Random(1)
    begin = time.time_ns() // (4 * SECOND) * 4 * SECOND - (history + 100) * 4 * SECOND
    profile = Profile(start_ns=begin, heartbeat_ns=time.time_ns())
    profile.add_mount(0, "/scratch", "nfs4", "server:/scratch", device=(0, 50))
    rank = Rank(profile) if ranks else None
    heads, added, before = [], [], 0
    for number in range(history + NEW * PASSES):
        profile.add_slice(
            profile.first_slice + number,
            {
                name: {0: amount(rng, name)} if name.startswith("posix") else amount(rng, name)
                for name in TYPICAL
            },
        )
        if rank is not None:
            rank.add(profile.first_slice + number)
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


def measure(folder: Path, files: int, history: int, *, ranks: bool = False) -> tuple[float, int]:
    """Return the CPU time of a pass per profile, us, the median of passes; and commits per pass."""
    from jostle.repository import Repository
    from jostle.repository.ingest.ingest import Ingester

    spool = folder / "spool"
    spool.mkdir(parents=True)
    heads, added = images(history, ranks=ranks)
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


def measure_ranks(folder: Path, files: int, history: int) -> tuple[float, int]:
    """Return the same for profiles of MPI ranks."""
    return measure(folder, files, history, ranks=True)


def rows(bench: Bench) -> list[Row]:
    """Measure few and many profiles, and long ones."""
    files, history = bench.pick(5000, 1000, 60), bench.pick(2000, 1000, 50)
    few, _ = apart(measure, bench.disk / "few", files // 5, NEW)
    many, commits = apart(measure, bench.disk / "many", files, NEW)
    long, _ = apart(measure, bench.disk / "long", files // 5, history)
    ranks, _ = apart(measure_ranks, bench.disk / "ranks", files // 10, NEW)
    long_ranks, _ = apart(measure_ranks, bench.disk / "long-ranks", files // 10, history)
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
        ),
        Row(
            "passes-ranks",
            "ingest, CPU of a pass per profile of an MPI rank with 4 new slices",
            "us",
            "<= 1.25 x with 500 x their length",
            long_ranks <= 1.25 * ranks,
            ours=long_ranks,
            note=f"{files // 10} profiles of {history} slices; of {NEW} slices: {ranks:.0f} us; "
            f"{PARTNERS} partners, {PER_SLICE} segments per slice",
        ),
    ]


def main() -> None:
    """Measure one size and print."""
    root = Path(__file__).resolve().parents[4]
    sys.path[:0] = [str(root / "src"), str(root / "tests")]
    files, history = (int(word) for word in (*sys.argv[1:], "1000", "4")[:2])
    with tempfile.TemporaryDirectory(prefix="jostle-bench-") as folder:
        cost, commits = measure(Path(folder), files, history, ranks="ranks" in sys.argv)
    rate = NEW / cost * 1e6
    print(
        f"{files} profiles of {history} slices: {cost:.0f} us of CPU per profile and pass, "
        f"{rate:,.0f} process-slices/s, {commits} commits"
    )


if __name__ == "__main__":
    main()
