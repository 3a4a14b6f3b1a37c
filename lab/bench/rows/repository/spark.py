#!/usr/bin/env python3
"""Measures the matrix of programs by the embedded engine, and by Spark with 1, 2 and 4 tasks, s.

    lab/bench/rows/repository/spark.py [--repository DIR] [--rounds N]

Both engines run in turn, N times; the medians count. The time to start Spark and its workers'
Pythons is not included: each runs once before. Without --repository a synthetic one of seven days
is made.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # lab/bench

from measure import Bench, MissingError, Row

ROOT = Path(__file__).resolve().parents[4]
sys.path[:0] = [str(ROOT / "src")]

TARGET = 1.3
TASKS = (1, 2, 4)


def plant_days(folder: Path, level: str) -> Path:
    """Make a repository of several days."""
    from jostle_lab.synthetic import Spec, plant

    if level == "smoke":
        plant(folder, Spec(jobs=6, slices=250, length=40, processes=4, slice_s=900.0), seed=1)
    else:
        plant(folder, Spec(jobs=1500, slices=150_000, length=300, processes=16), seed=1)
    return folder


def measured(repository: Path, rounds: int, tasks: tuple[int, ...]) -> dict[int, float]:
    """Return the median seconds by number of tasks; 0: embedded."""
    from jostle.analysis import matrix
    from jostle.repository import Repository
    from jostle.spark.engine import SparkEngine
    from jostle.spark.session import Cluster

    store = Repository(repository)
    answer = matrix(store.programs_alongside())
    times: dict[int, list[float]] = {}

    def timed(what: int, ask: Callable[[], object]) -> None:
        begin = time.perf_counter()
        assert ask() == answer
        times.setdefault(what, []).append(time.perf_counter() - begin)

    for number in tasks:
        with Cluster(f"local[{number}]") as cluster:
            SparkEngine(cluster, store).matrix()
            for _ in range(rounds):
                timed(0, lambda: matrix(store.programs_alongside()))
                timed(number, lambda: SparkEngine(cluster, store).matrix())
    return {what: statistics.median(each) for what, each in sorted(times.items())}


def rows(bench: Bench) -> list[Row]:
    """The row of the table."""
    if importlib.util.find_spec("pyspark") is None:
        raise MissingError("pyspark is not installed")
    smoke = bench.level == "smoke"
    folder = plant_days(bench.disk / "spark", bench.level)
    seconds = measured(folder, 1 if smoke else 5, (2,) if smoke else TASKS)
    ratio = seconds[2] / seconds[0]
    each = ", ".join(f"{number}: {value:.2f} s" for number, value in seconds.items() if number)
    return [
        Row(
            "spark",
            "matrix of seven days, Spark on two cores, embedded for comparison",
            "s",
            f"<= {TARGET} x embedded",
            ratio <= TARGET,
            bare=seconds[0],
            ours=seconds[2],
            added=seconds[2] - seconds[0],
            ratio=ratio,
            note=f"tasks {each}",
        )
    ]


def main() -> None:
    """Measure, and print a line per engine."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--repository", type=Path)
    options.add_argument("--rounds", type=int, default=5)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = chosen.repository or plant_days(Path(folder) / "spark", "full")
        for number, value in measured(place, chosen.rounds, TASKS).items():
            print(f"{f'{number} tasks' if number else 'embedded'}: {value:.2f} s", flush=True)


if __name__ == "__main__":
    main()
