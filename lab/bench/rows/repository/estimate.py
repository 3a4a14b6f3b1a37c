#!/usr/bin/env python3
"""Measures a whole `jostle estimate` of a long run: a million segments of 64 ranks.

    lab/bench/rows/repository/estimate.py [--json] [--quick] [--folder DIR]

A run of which every global collective ends a segment (JOSTLE_SEGMENTS=raw; others have 61 000 a day
at most) is written with the repository's own writer, rank by rank. Then its segments are merged, as
the ingest does that completes a job; and then it is estimated, each time by a new process: seconds
and peak memory are the command's, from its start to its end.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # lab/bench

from measure import Bench, Row, apart, half_width, pick
from rows.repository.timed import run

ROOT = Path(__file__).resolve().parents[4]
sys.path[:0] = [str(ROOT / "src")]

TARGET_S = 5.0
RANKS, FAMILY, SEED = 64, "solver-calls", 1


def make(path: Path, segments: int) -> dict[str, Any]:
    """Write the run and merge its segments; return how long that took."""
    from jostle.repository.query.engine import Engine
    from jostle.repository.segments.merger import Merger
    from jostle.repository.store.log import Log
    from rows.repository.injected_run import JOB, plant

    seconds = plant(path, FAMILY, RANKS, segments, SEED)
    begin, spent = time.perf_counter(), time.process_time()
    Merger(Engine(path, Log(path))).keep(JOB)
    return {
        "job": JOB,
        "run_s": seconds,
        "merge_s": time.perf_counter() - begin,
        "merge_cpu_s": time.process_time() - spent,
        "merge_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "rows_mb": _size(path / "segments"),
        "kept_mb": _size(path / "merged"),
    }


def _size(folder: Path) -> float:
    return sum(each.stat().st_size for each in folder.rglob("*.parquet")) / 1e6


def measure(folder: Path, rounds: int, level: str) -> dict[str, Any]:
    """Make the repository and estimate the run by both methods."""
    path = folder / "repository"
    segments = pick(level, 1_000_000, 50_000, 2000)
    made = apart(make, path, segments)
    found: dict[str, Any] = {
        "note": f"{segments:,} segments of {RANKS} ranks, {made['run_s'] / 60:.0f} min; merged "
        f"once in {made['merge_s']:.0f} s ({made['merge_cpu_s']:.0f} s of CPU, "
        f"{made['merge_mib']:.0f} MiB); {made['rows_mb']:.0f} MB of rows, "
        f"{made['kept_mb']:.0f} MB kept"
    }
    for method in ("jostle", "thesis"):
        words = ["estimate", "--repository", str(path), made["job"], "--method", method, "--json"]
        asked = [run(words) for _ in range(rounds + 1)]
        times = [each.wall_s for each in asked[1:]]  # the first one includes a cold disk
        found[method] = {
            "seconds": statistics.median(times),
            "spread": half_width(times),
            "cpu_s": statistics.median(each.cpu_s for each in asked[1:]),
            "memory_mib": max(each.memory_mib for each in asked),
        }
    return found


def rows(bench: Bench) -> list[Row]:
    """Measure both methods; the target is for the default one."""
    found = measure(bench.disk / "estimate", bench.rounds(5), bench.level)
    result = []
    for method in ("jostle", "thesis"):
        one, aim = found[method], method == "jostle"
        result.append(
            Row(
                "estimate",
                f"estimate, method {method}",
                "s",
                f"<= {TARGET_S:.0f} s" if aim else "none",
                one["seconds"] <= TARGET_S if aim else None,
                ours=one["seconds"],
                spread=one["spread"],
                note=f"{one['cpu_s']:.1f} s of CPU, peak memory {one['memory_mib']:.0f} MiB; "
                f"{found['note']}",
            )
        )
    return result


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--quick", action="store_true", help="50 000 segments")
    parser.add_argument("--folder", help="where to work (default: a temporary folder)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="jostle-bench-", dir=options.folder) as folder:
        found = measure(Path(folder), 3, "quick" if options.quick else "full")
    if options.json:
        print(json.dumps(found))
        return
    for method in ("jostle", "thesis"):
        one = found[method]
        print(
            f"{method:8} {one['seconds']:.2f} s  ({one['cpu_s']:.2f} s of CPU, "
            f"{one['memory_mib']:.0f} MiB)"
        )
    verdict = "reached" if found["jostle"]["seconds"] <= TARGET_S else "MISSED"
    print(f"target <= {TARGET_S:.0f} s  {verdict}\n{found['note']}")


if __name__ == "__main__":
    main()
