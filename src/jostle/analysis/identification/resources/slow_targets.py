"""Finds storage targets that are slower than the others of their file system, by their files.

A Darshan log records for each file its storage targets, how many bytes were moved and how long that
took. The time per byte of a file is divided by the median over all files of the run. Then the files
on one target are compared with files of the same runs on other targets of the file system.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Floats = NDArray[np.float64]
#: Files with fewer bytes show the time of requests, not the rate of a target.
_LEAST_BYTES = 1 << 20
#: Fewest files on a target, and on its peers, for a test. Of fewer than 6 values the median has no
#: 95 % interval without an assumption on their distribution.
_LEAST_FILES, _LEAST_PEERS = 6, 20
#: A target must be so many times slower than its peers to be named.
_FACTOR = 1.3
#: Largest p value, over all targets together (Holm).
_ALPHA = 0.01
#: Files on more targets than this show little about each of them.
_MOST_STRIPES = 8


@dataclass(frozen=True)
class SlowTarget:
    """A storage target that is slower than its peers.

    Attributes:
        mount: Mount of its file system.
        target: Number of the target.
        way: Direction: read or write.
        factor: Median time per byte of the files on the target, divided by that of the files on
            other targets.
        low: Lower end of the 95 % interval of the factor.
        high: Upper end of that interval.
        files: Number of files on the target.
        peers: Number of files of the same runs on other targets.
        targets: Number of targets that were compared.
        jobs: Number of runs with files on the target.
        p_value: Probability that at least one of all compared targets is so slow by chance.
    """

    mount: str
    target: int
    way: str
    factor: float
    low: float
    high: float
    files: int
    peers: int
    targets: int
    jobs: int
    p_value: float

    def to_json(self) -> dict[str, Any]:
        """Return all fields as JSON-compatible values."""
        return asdict(self)


def slow_targets(files: pa.Table) -> list[SlowTarget]:
    """Find storage targets that are slower than the other targets of their file system.

    Args:
        files: Rows of table `files` with columns job, mount, targets, read_bytes, read_ns,
            write_bytes, write_ns; one row for each file and process.

    Returns:
        The slow targets, the slowest first. The list is also empty if no row names targets.
    """
    found = []
    rows = [row for row in files.to_pylist() if 0 < len(row["targets"] or ()) <= _MOST_STRIPES]
    for way in ("read", "write"):
        by_mount: dict[str, dict[str, list[tuple[list[int], float]]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for row in rows:
            moved, ns = row[f"{way}_bytes"], row[f"{way}_ns"]
            if moved >= _LEAST_BYTES and ns > 0:
                by_mount[row["mount"]][row["job"]].append((row["targets"], np.log(ns / moved)))
        for mount, by_job in by_mount.items():
            found += _of_mount(mount, way, by_job)
    return sorted(found, key=lambda each: -each.factor)


def _of_mount(
    mount: str, way: str, by_job: dict[str, list[tuple[list[int], float]]]
) -> list[SlowTarget]:
    """Return the slow targets of one file system.

    Args:
        mount: Mount of the file system.
        way: Direction: read or write.
        by_job: For each run, its files: the targets of each, and the logarithm of its time per
            byte.
    """
    from scipy.stats import mannwhitneyu

    slowness: list[float] = []
    on: dict[int, list[int]] = defaultdict(list)  # target -> indices into slowness
    job_of: list[str] = []
    for job, entries in by_job.items():
        usual = float(np.median([value for _, value in entries]))
        for targets, value in entries:
            for target in set(targets):
                on[target].append(len(slowness))
            slowness.append(value - usual)
            job_of.append(job)
    values = np.array(slowness)
    tested = []
    for target, places in on.items():
        mine = np.zeros(len(values), dtype=bool)
        mine[places] = True
        runs = {job_of[place] for place in places}
        peers = ~mine & np.isin(job_of, list(runs))
        if mine.sum() < _LEAST_FILES or peers.sum() < _LEAST_PEERS:
            continue
        p_value = float(mannwhitneyu(values[mine], values[peers], alternative="greater").pvalue)
        tested.append((p_value, target, mine, peers, len(runs)))
    tested.sort(key=lambda each: each[0])
    found = []
    for number, (p_value, target, mine, peers, jobs) in enumerate(tested):
        adjusted = min(p_value * (len(tested) - number), 1.0)
        if adjusted > _ALPHA:
            break
        middle, low, high = _factor(values[mine], values[peers])
        if low >= _FACTOR:
            counts = (int(mine.sum()), int(peers.sum()), len(tested), jobs)
            found.append(SlowTarget(mount, target, way, middle, low, high, *counts, adjusted))
    return found


def _factor(mine: Floats, peers: Floats) -> tuple[float, float, float]:
    """Return by which factor a target is slower than the other targets, with its 95 % interval.

    Args:
        mine: Logarithms of the times per byte of the target's files.
        peers: Those of the files on other targets.
    """
    from scipy.stats import binom

    usual = float(np.median(peers))
    ordered = np.sort(mine) - usual
    # The interval of a median by order statistics: no distribution is assumed. The median is below
    # the value of index k with the probability that at most k of the values are below the median.
    k = int(binom.ppf(0.025, len(ordered), 0.5)) - 1
    bounds = (np.median(ordered), ordered[k], ordered[-1 - k])
    middle, low, high = (float(np.exp(x)) for x in bounds)
    return middle, low, high
