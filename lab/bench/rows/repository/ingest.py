#!/usr/bin/env python3
"""Measures ingest: process-slices per second, from profiles on disk into published Parquet.

    lab/bench/rows/repository/ingest.py [--json] [--quick] [--folder DIR]

A process-slice is one row of table slices. The profiles are of a typical program: 22 metrics of
process and mount increase in every slice, and both posix histograms. Everything counts: finding and
decoding the profiles, sorting, rollups, Parquet, fsync and commits.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import struct
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # lab/bench

from measure import Bench, Row, apart

ROOT = Path(__file__).resolve().parents[4]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

TARGET = 500_000
SLICES = 2000
JOBS = 8


def make_spool(folder: Path, processes: int) -> None:
    """Write profiles of ended processes, 16 to a node.

    All have the same 2000 different records, each process in another order, so that the columns
    of a job's slices are as hard to compress as real ones.
    """
    from synth import EPOCH, SECOND, Profile
    from synth_random import TYPICAL

    rng = random.Random(1)
    profile = Profile(end_ns=EPOCH + SLICES * 4 * SECOND, end_reason=1)
    profile.add_mount(0, "/scratch", "nfs4", "server:/scratch", device=(0, 50))
    mounts = len(profile.records)
    for number in range(SLICES):
        values: dict[str, object] = {
            name: {0: amount(rng, name)} if name.startswith("posix") else amount(rng, name)
            for name in TYPICAL
        }
        for way in ("read", "write"):
            size = [rng.randrange(500) if b in (1, 10, 13, 17, 21) else 0 for b in range(32)]
            values[f"posix_{way}_size"] = size
        profile.add_slice(profile.first_slice + number, values)  # type: ignore[arg-type]
    body = profile.records[mounts:]
    head = profile.encode()
    head = head[: len(head) - sum(map(len, body))]
    folder.mkdir()
    for number in range(processes):
        data = bytearray(head)
        struct.pack_into("<I", data, 96, 1000 + number)
        job = f"job{number * JOBS // processes}"  # a node belongs to one job
        struct.pack_into("<64s128s", data, 144, f"node{number // 16}".encode(), job.encode())
        turn = number * 37 % SLICES
        path = folder / f"{job}.{1000 + number}.{EPOCH}.jst"
        path.write_bytes(bytes(data) + b"".join(body[turn:] + body[:turn]))


def amount(rng: random.Random, name: str) -> int:
    """Return a synthetic increase of a metric in a slice; memory is constant."""
    if name == "os_rss_bytes":
        return 300 << 20
    return rng.randrange(10 ** (4 if name.endswith(("ops", "calls", "switches")) else 9))


def measure(folder: Path, processes: int, rounds: int) -> dict[str, Any]:
    """Ingest the same spool several times into new repositories."""
    from jostle.repository import Repository

    spool = folder / "spool"
    make_spool(spool, processes)
    rates, size = [], 0
    busy = time.process_time()
    for number in range(rounds):
        root = folder / f"repository-{number}"
        store = Repository(root, create=True)
        begin = time.perf_counter()
        report = store.ingest([spool])
        seconds = time.perf_counter() - begin
        if report.slices != processes * SLICES:
            raise RuntimeError(f"{report.slices} slices came out, not {processes * SLICES}")
        rates.append(report.slices / seconds)
        size = report.bytes_written
        shutil.rmtree(root)
    busy = (time.process_time() - busy) / rounds
    spool_bytes = sum(path.stat().st_size for path in spool.iterdir())
    return {
        "slices_per_s": statistics.median(rates),
        "spread": (max(rates) - min(rates)) / 2,
        "target": TARGET,
        "note": f"{processes * SLICES / 1e6:.1f} M process-slices, {spool_bytes / 1e6:.0f} MB of "
        f"profiles, {size / 1e6:.0f} MB of Parquet; "
        f"{busy:.1f} s of CPU time on {os.cpu_count()} cores; median of {rounds}",
    }


def rows(bench: Bench) -> list[Row]:
    """Measure in a folder of the benchmarks."""
    folder = bench.disk / "ingest"
    folder.mkdir()
    found = apart(measure, folder, bench.pick(800, 400, 40), bench.rounds(5))
    rate = found["slices_per_s"]
    return [
        Row(
            "ingest",
            "ingest, process-slices/s",
            "1/s",
            ">= 500 000 /s",
            rate >= TARGET,
            ours=rate,
            spread=found["spread"],
            note=found["note"],
        )
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--quick", action="store_true", help="fewer profiles, fewer rounds")
    parser.add_argument("--folder", help="where to work (default: a temporary folder)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="jostle-bench-", dir=options.folder) as folder:
        processes, rounds = (400, 3) if options.quick else (800, 5)
        result = measure(Path(folder), processes, rounds)
    if options.json:
        print(json.dumps(result))
        return
    rate = result["slices_per_s"]
    verdict = "reached" if rate >= TARGET else "MISSED"
    print(f"ingest  {rate:,.0f} process-slices/s  target >= {TARGET:,}  {verdict}")
    print(f"        {result['note']}")


if __name__ == "__main__":
    main()
