#!/usr/bin/env python3
"""Measures queries of a repository of 30 days: background of a job, the job page, the matrix.

    lab/bench/rows/repository/month.py [--quick|--smoke] [--folder DIR]

The repository is made by month_repository.py at three sizes: 2520 jobs with 50 million
process-slices, and a fifth and a twentieth of that; a site of 10 000 nodes has 40 times the
largest. Each query is made for random jobs by a repository or server that was opened for it.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # lab/bench

from measure import Bench, Row, apart, pick
from rows.repository.month_repository import DAYS, month
from rows.web.web_api import percentile, served

ASKED, LENGTH = 40, 300
SIZES = {"full": (4, 17, 84), "quick": (1, 4, 17), "smoke": (1, 2, 3)}
BACKGROUND_MS, PAGE_MS = 300.0, 200.0
#: Requests of the job page when it is opened, and when its time view shows others.
PAGE = ("", "/trend", "/series?metric=bytes", "/series?metric=bytes&of=others")


def rows(bench: Bench) -> list[Row]:
    """Measure in a folder of the benchmarks."""
    return measure(bench.disk / "month", bench.level)


def measure(folder: Path, level: str) -> list[Row]:
    """Measure all sizes, one after the other."""
    found = [apart(_asked, folder / str(jobs), jobs, level) for jobs in SIZES[level]]
    sizes = "; ".join(each["size"] for each in found)
    last = found[-1]

    def row(key: str, what: str, name: str, unit: str, most: float | None) -> Row:
        value = last[name]
        values = ", ".join(f"{each[name]:.3g}" for each in found)
        return Row(
            key,
            what,
            unit,
            "none" if most is None else f"<= {most:.0f} {unit}",
            None if most is None else value <= most,
            ours=value,
            note=f"{values} with {sizes}",
        )

    return [
        row("month-background", "background of a job, p95", "background", "ms", BACKGROUND_MS),
        row("month-page", "answers to the job page, p95", "page", "ms", PAGE_MS),
        row("month-matrix", "input of the matrix", "matrix", "s", None),
    ]


def _asked(path: Path, jobs: int, level: str) -> dict[str, Any]:
    from jostle.repository import Repository

    days = pick(level, DAYS, DAYS, 3)
    slices = month(path, jobs, pick(level, LENGTH, LENGTH, 30), days)
    names = [str(job) for job in Repository(path).jobs()["job"].to_pylist()]
    chance = random.Random(SIZES[level].index(jobs))
    some = [chance.choice(names) for _ in range(pick(level, ASKED, ASKED, 3))]
    background = []
    for job in some:
        store = Repository(path)
        begin = time.perf_counter()
        store.background(job, "posix_write_bytes")
        background.append(1e3 * (time.perf_counter() - begin))
        store.close()
    store = Repository(path)
    begin = time.perf_counter()
    store.programs_alongside()
    matrix = time.perf_counter() - begin
    store.close()
    page = []
    with (
        tempfile.TemporaryDirectory(prefix="jostle-bench-") as cache,
        served(path, Path(cache)) as server,
        httpx.Client(headers=server.headers(), timeout=120) as client,
    ):
        for job in some:
            for part in PAGE:
                begin = time.perf_counter()
                client.get(f"{server.url}/jobs/{job}{part}").raise_for_status()
                page.append(1e3 * (time.perf_counter() - begin))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "background": percentile(background, 0.95),
        "page": percentile(page, 0.95),
        "matrix": matrix,
        "size": f"{slices / 1e6:.1f} M process-slices of {len(names)} jobs ({memory:.0f} MiB)",
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a fifth of the sizes")
    parser.add_argument("--smoke", action="store_true", help="whether it can measure at all")
    parser.add_argument("--folder", help="where to work (default: a temporary folder)")
    options = parser.parse_args()
    level = "smoke" if options.smoke else "quick" if options.quick else "full"
    with tempfile.TemporaryDirectory(prefix="jostle-bench-", dir=options.folder) as folder:
        for row in measure(Path(folder), level):
            print(f"{row.key:18} {row.ours:.3g} {row.unit}  target {row.target}  {row.note}")


if __name__ == "__main__":
    main()
