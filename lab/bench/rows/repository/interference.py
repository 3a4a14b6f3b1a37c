#!/usr/bin/env python3
"""Measures a whole `jostle interference` of one job among 1000, with 20 million process-slices.

    lab/bench/rows/repository/interference.py [--json] [--quick] [--folder DIR]

The repository is synthetic (jostle_lab.synthetic): 1000 jobs of a dozen programs over ten hours of
4 s slices, on three file systems and a network. Of the jobs of usual length, the one that others
slow most gets the verdict, each time from a new process. Its time and peak memory are measured from
the start of the process to its end. `jostle matrix`, which reads all jobs, is measured likewise.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # lab/bench

from measure import Bench, Row, apart, half_width, pick
from rows.repository.timed import run

if TYPE_CHECKING:
    from jostle_lab.synthetic import Spec

ROOT = Path(__file__).resolve().parents[4]
sys.path[:0] = [str(ROOT / "src")]

TARGET_S, TARGET_MIB = 3.0, 2048.0
SEED = 1001


def sized(spec: Spec, level: str) -> Spec:
    """The large repository, or a smaller one of its kind."""
    jobs, slices = pick(level, (spec.jobs, spec.slices), (150, 1500), (30, 300))
    return replace(spec, jobs=jobs, slices=slices)


def make(path: Path, level: str) -> dict[str, Any]:
    """Make the repository; return its size, and the job to assess.

    That is the one that others slow most, of those whose length is in the middle third.
    """
    from jostle_lab.synthetic import LARGE, plant

    begin = time.perf_counter()
    injected = plant(path, sized(LARGE, level), SEED)
    jobs = sorted(injected.jobs.values(), key=lambda job: job.run_s)
    job = max(jobs[len(jobs) // 3 : 2 * len(jobs) // 3], key=lambda job: job.lost_s / job.run_s)
    note = (
        f"{injected.process_slices / 1e6:.1f} M process-slices of {len(jobs)} jobs, made in "
        f"{time.perf_counter() - begin:.0f} s; {job.job} truly lost {job.lost_s:.0f} s of "
        f"{job.run_s:.0f} s"
    )
    return {"job": job.job, "note": note}


def measure(folder: Path, rounds: int, level: str) -> dict[str, Any]:
    """Make the repository and measure the verdict."""
    path = folder / "repository"
    made = apart(make, path, level)
    place = ["--repository", str(path)]
    asked = [run(["interference", *place, made["job"], "--json"]) for _ in range(rounds + 1)]
    answer = json.loads(asked[0].out)
    times = [each.wall_s for each in asked[1:]]  # the first one includes a cold disk
    matrix = [run(["matrix", *place, "--json"]) for _ in range(max(rounds // 3, 1))]
    size = sum(each.stat().st_size for each in path.rglob("*.parquet"))
    return {
        "interference_s": statistics.median(times),
        "spread": half_width(times),
        "cpu_s": statistics.median(each.cpu_s for each in asked[1:]),
        "memory_mib": max(each.memory_mib for each in asked),
        "matrix_s": statistics.median(each.wall_s for each in matrix),
        "matrix_mib": max(each.memory_mib for each in matrix),
        "note": f"{made['note']}, found {answer['seconds']['value']:.0f} s; "
        f"{answer['neighbours']} neighbours; {size / 1e6:.0f} MB",
    }


def rows(bench: Bench) -> list[Row]:
    """Measure in a folder of the benchmarks."""
    found = measure(bench.disk / "interference", bench.rounds(9), bench.level)
    seconds, memory = found["interference_s"], found["memory_mib"]
    return [
        Row(
            "interference",
            "interference of one job in 1000",
            "s",
            f"<= {TARGET_S:.0f} s",
            seconds <= TARGET_S,
            ours=seconds,
            spread=found["spread"],
            note=f"{found['cpu_s']:.2f} s of CPU; {found['note']}",
        ),
        Row(
            "interference",
            "its peak memory",
            "MiB",
            f"<= {TARGET_MIB:.0f} MiB",
            memory <= TARGET_MIB,
            ours=memory,
        ),
        Row(
            "interference",
            "matrix of 1000 jobs",
            "s",
            "none",
            None,
            ours=found["matrix_s"],
            note=f"peak memory {found['matrix_mib']:.0f} MiB",
        ),
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--quick", action="store_true", help="150 jobs, 3 million process-slices")
    parser.add_argument("--folder", help="where to work (default: a temporary folder)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="jostle-bench-", dir=options.folder) as folder:
        level = "quick" if options.quick else "full"
        found = measure(Path(folder), pick(level, 9, 3, 1), level)
    if options.json:
        print(json.dumps(found))
        return
    for name, value, unit, most in (
        ("interference", found["interference_s"], "s", TARGET_S),
        ("memory", found["memory_mib"], "MiB", TARGET_MIB),
    ):
        verdict = "reached" if value <= most else "MISSED"
        print(f"{name:12}  {value:.2f} {unit}  target <= {most:.0f} {unit}  {verdict}")
    print(f"CPU           {found['cpu_s']:.2f} s")
    print(f"matrix        {found['matrix_s']:.2f} s, {found['matrix_mib']:.0f} MiB")
    print(f"              {found['note']}")


if __name__ == "__main__":
    main()
