#!/usr/bin/env python3
"""The whole `jostle interference` of one job among 1000, with 20 million process-slices.

    bench/interference.py [--json] [--quick] [--folder DIR]

The repository is planted (jostle.synthetic): 1000 jobs of a dozen programs over ten hours of 4 s
slices, on three file systems and a network. Asked is for the job that others hurt most among those
of usual length, each time by a new process; seconds and peak memory are the command's, from its
start to its end. `matrix` goes through all jobs.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from measure import Bench, Row, half_width

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src")]

TARGET_S, TARGET_MIB = 3.0, 2048.0
SEED = 1001


def run(words: list[str]) -> tuple[float, float, str]:
    """Runs a verb in a new process; gives seconds, peak memory in MiB, and its output."""
    begin = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, "-m", "jostle.cli", *words],
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    out = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"jostle {words[0]} ended with {child.returncode}")
    return time.perf_counter() - begin, used.ru_maxrss / 1024, out


def typical(planted: Any) -> Any:
    """Gives the job that others hurt most, of those whose length is in the middle third."""
    jobs = sorted(planted.jobs.values(), key=lambda job: job.run_s)
    middle = jobs[len(jobs) // 3 : 2 * len(jobs) // 3]
    return max(middle, key=lambda job: job.lost_s / job.run_s)


def measure(folder: Path, rounds: int, *, quick: bool) -> dict[str, Any]:
    """Plants the repository and asks it."""
    from jostle.synthetic import LARGE, plant

    spec = replace(LARGE, jobs=150, slices=1500) if quick else LARGE
    begin = time.perf_counter()
    planted = plant(folder / "repository", spec, SEED)
    made_s = time.perf_counter() - begin
    place = ["--repository", str(planted.path)]
    job = typical(planted)
    asked = [run(["interference", *place, job.job, "--json"]) for _ in range(rounds + 1)]
    answer = json.loads(asked[0][2])
    times, peaks = [each[0] for each in asked[1:]], [each[1] for each in asked]
    matrix = [run(["matrix", *place, "--json"])[:2] for _ in range(max(rounds // 3, 1))]
    size = sum(path.stat().st_size for path in planted.path.rglob("*.parquet"))
    lost = answer["seconds"]["value"]
    return {
        "interference_s": statistics.median(times),
        "spread": half_width(times),
        "memory_mib": max(peaks),
        "matrix_s": statistics.median(each[0] for each in matrix),
        "matrix_mib": max(each[1] for each in matrix),
        "note": f"{planted.process_slices / 1e6:.1f} M process-slices of {len(planted.jobs)} jobs, "
        f"{size / 1e6:.0f} MB, planted in {made_s:.0f} s; {job.job}: {answer['neighbours']} "
        f"neighbours, truly lost {job.lost_s:.0f} s of {job.run_s:.0f} s, found {lost:.0f} s",
    }


def rows(bench: Bench) -> list[Row]:
    """Measures in a folder of the benchmarks."""
    found = measure(bench.disk / "interference", bench.rounds(9), quick=bench.quick)
    seconds, memory = found["interference_s"], found["memory_mib"]
    return [
        Row("interference", "interference of one job in 1000", "s", f"<= {TARGET_S:.0f} s",
            seconds <= TARGET_S, ours=seconds, spread=found["spread"], note=found["note"]),
        Row("interference", "its peak memory", "MiB", f"<= {TARGET_MIB:.0f} MiB",
            memory <= TARGET_MIB, ours=memory),
        Row("interference", "matrix of 1000 jobs", "s", "none", None, ours=found["matrix_s"],
            note=f"peak memory {found['matrix_mib']:.0f} MiB"),
    ]  # fmt: skip


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--quick", action="store_true", help="150 jobs, 3 million process-slices")
    parser.add_argument("--folder", help="where to work (default: a temporary folder)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="jostle-bench-", dir=options.folder) as folder:
        found = measure(Path(folder), 3 if options.quick else 9, quick=options.quick)
    if options.json:
        print(json.dumps(found))
        return
    for name, value, unit, most in (
        ("interference", found["interference_s"], "s", TARGET_S),
        ("memory", found["memory_mib"], "MiB", TARGET_MIB),
    ):
        verdict = "reached" if value <= most else "MISSED"
        print(f"{name:12}  {value:.2f} {unit}  target <= {most:.0f} {unit}  {verdict}")
    print(f"matrix        {found['matrix_s']:.2f} s, {found['matrix_mib']:.0f} MiB")
    print(f"              {found['note']}")


if __name__ == "__main__":
    main()
