"""A bad storage target is found in a real run, without being named; healthy ones are not named."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from logs import example

from jostle.analysis.identification.resources.slow_targets import _factor, slow_targets
from jostle.imports import DarshanImport
from jostle.report.models.machines.targets import slow_targets_of, target_words
from jostle.repository import Repository


def slowest_by_the_package(path: Path) -> tuple[int, float]:
    """Target whose files took the longest in the median, and how many times that of all files."""
    import darshan

    report = darshan.DarshanReport(str(path), read_all=True)
    frames = report.records["POSIX"].to_df()
    seconds = dict(
        zip(frames["fcounters"]["id"], frames["fcounters"]["POSIX_F_WRITE_TIME"], strict=True)
    )
    by_target = defaultdict(list)
    components = report.records["LUSTRE"].to_df()["components"]
    for file, targets in zip(components["id"], components["LUSTRE_OST_IDS"], strict=True):
        for target in targets:
            by_target[int(target)].append(seconds[file])
    middle = {target: statistics.median(times) for target, times in by_target.items()}
    worst = max(middle, key=lambda target: middle[target])
    return worst, middle[worst] / statistics.median(seconds.values())


def test_the_bad_target_of_a_real_run_is_found(store: Repository) -> None:
    log = example("sample-badost")
    DarshanImport(store, workers=1).run([log])
    worst, factor = slowest_by_the_package(log)
    files, (found,) = slow_targets_of(store)
    assert files == 2048
    assert (found.mount, found.target, found.way) == ("lustre:/scratch1", worst, "write")
    assert found.factor == pytest.approx(factor, rel=0.1)
    assert target_words(found).startswith(f"Writing to storage target {worst} of lustre:/scratch1")


def test_no_target_of_a_healthy_run_is_named(store: Repository) -> None:
    import darshan

    log = Path(darshan.__file__).parent / "tests/input/sample-goodost.darshan"
    if not log.exists():
        pytest.skip("this version of the package has no log of a healthy run")
    DarshanImport(store, workers=1).run([log])
    files, found = slow_targets_of(store)
    assert files and found == []


def files(factors: dict[int, float], seed: int, jobs: int = 4) -> pa.Table:
    """Files of runs of different speed on 16 targets, of which some are slower."""
    random = np.random.default_rng(seed)
    rows = []
    for number in range(jobs):
        speed = 10 ** random.uniform(-9, -8)  # s per byte
        for _ in range(120):
            target = int(random.integers(16))
            moved = int(random.integers(1 << 20, 1 << 28))
            took = moved * speed * factors.get(target, 1.0) * random.lognormal(0, 0.4)
            ns = max(round(took * 1e9), 1)
            rows.append(
                {
                    "job": f"job{number}",
                    "mount": "lustre:/s",
                    "targets": [target],
                    "read_bytes": 0,
                    "read_ns": 0,
                    "write_bytes": moved,
                    "write_ns": ns,
                }
            )
    return pa.Table.from_pylist(rows)


def test_slow_targets_of_several_runs_are_found_and_no_others() -> None:
    named = [[each.target for each in slow_targets(files({5: 2.5}, seed))] for seed in range(20)]
    assert named == [[5]] * 20


def test_chance_names_nobody() -> None:
    assert sum(bool(slow_targets(files({}, seed))) for seed in range(100)) <= 1


@pytest.mark.parametrize("number", [6, 8, 11, 21, 200])
def test_the_interval_of_the_factor_covers_95_percent(number: int) -> None:
    """The ends miss the median if too few values are on one side of it: fair coins, counted."""
    _, low, high = _factor(np.arange(number) / 100, np.zeros(20))
    first, last = round(100 * math.log(low)), round(100 * math.log(high))
    assert first == number - 1 - last
    missed = [
        sum(math.comb(number, k) for k in range(n + 1)) / 2**number for n in (first, first + 1)
    ]
    assert missed[0] <= 0.025 < missed[1]


@pytest.mark.parametrize(("number", "named"), [(5, []), (6, [5])])
def test_five_files_are_too_few_for_an_interval(number: int, named: list[int]) -> None:
    rows = [
        {
            "job": "job",
            "mount": "lustre:/s",
            "targets": [target],
            "read_bytes": 0,
            "read_ns": 0,
            "write_bytes": 1 << 20,
            "write_ns": (10 if target == 5 else 1) * (1_000_000 + 1000 * file),
        }
        for target, many in ((0, 20), (1, 20), (5, number))
        for file in range(many)
    ]
    assert [each.target for each in slow_targets(pa.Table.from_pylist(rows))] == named
