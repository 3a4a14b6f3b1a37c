"""Checks that a repository has every slice that the simulated processes wrote, exactly once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from jostle.repository import Repository
from jostle_lab.validation.scale.spools import SLICE_NS, Written

_ROWS = """
SELECT boot_id, pid, start_ns, {sums} FROM processes JOIN (
    SELECT process, {inner} FROM {table} WHERE {where} GROUP BY process) USING (process)
"""
_SLICES = {
    "sums": "n, lo, hi, total, squares",
    "inner": "count(*) AS n, min(slice) AS lo, max(slice) AS hi, sum(slice)::HUGEINT AS total, "
    "sum(slice::HUGEINT * slice::HUGEINT) AS squares",
    "table": "slices",
}
_BYTES = {
    "sums": "moved",
    "inner": "sum(posix_write_bytes)::HUGEINT AS moved",
    "table": "mount_slices",
}
_MOST = 10
Key = tuple[str, int, int]


@dataclass
class Comparison:
    """The differences between a repository and what was written.

    Attributes:
        processes: Number of processes that wrote slices.
        slices: Number of their slices that were durable on a node's disk and have not expired.
        lost: Number of these slices that the repository lacks.
        doubled: Number of slices in the repository that are duplicates, or were never written.
        unsure: Number of slices that a node lost when it failed.
        arrived: Number of slices of `unsure` that are in the repository, as the node had sent them
            before it failed.
        wrong: Descriptions of the first few differences.
    """

    processes: int = 0
    slices: int = 0
    lost: int = 0
    doubled: int = 0
    unsure: int = 0
    arrived: int = 0
    wrong: list[str] = field(default_factory=list)

    def say(self, text: str) -> None:
        """Record a difference."""
        if len(self.wrong) < _MOST:
            self.wrong.append(text)

    @property
    def is_same(self) -> bool:
        """Whether nothing differs."""
        return not (self.lost or self.doubled or self.wrong)


def compare(repository: Repository, truths: Iterable[Written]) -> Comparison:
    """Compare a repository with what was written.

    Args:
        repository: Repository into which all profiles have been ingested.
        truths: Written slices of every process.

    Returns:
        The differences. Of slices old enough to expire, only duplicates count as differences.
    """
    horizon = -(-repository.snapshot().horizon_ns // SLICE_NS)
    slices = _rows(repository, _SLICES, f"slice >= {horizon}")
    moved = _rows(repository, _BYTES, f"slice >= {horizon}")
    before = _rows(repository, _SLICES, f"slice < {horizon}")
    rollup = repository.query(
        f"SELECT sum(posix_write_bytes_sum)::HUGEINT AS moved FROM rollup WHERE slice >= {horizon}"
    )
    result, in_all = Comparison(), 0
    for truth in truths:
        key = (truth.boot_id, truth.pid, truth.start_ns)
        in_all += _compare_one(result, truth, horizon, slices.pop(key, None), moved.get(key, (0,)))
        old = before.pop(key, (0,))[0]
        result.doubled += max(0, old - sum(_expired(truth, horizon)))
    for key, row in [*slices.items(), *before.items()]:
        result.doubled += row[0]
        result.say(f"process {key} is in the repository, and was never written")
    total = rollup["moved"][0].as_py() or 0
    if int(total) != in_all:
        result.say(f"the rollup has {total} bytes, not {in_all}")
    return result


def _rows(repository: Repository, what: dict[str, str], where: str) -> dict[Key, tuple[int, ...]]:
    table = repository.query(_ROWS.format(**what, where=where))
    rows = (tuple(row.values()) for row in table.to_pylist())
    return {(row[0], row[1], row[2]): tuple(map(int, row[3:])) for row in rows}


def _expired(truth: Written, horizon: int) -> tuple[int, int]:
    """Return how many of a process's slices have expired: before and after its clock was set."""
    by, jump = truth.jump
    early = min(max(horizon - truth.first, 0), min(jump, truth.slices))
    rest = truth.slices - min(jump, truth.slices)
    late = min(max(horizon - truth.first - by - min(jump, truth.slices), 0), rest)
    return early, late


def _compare_one(
    result: Comparison,
    truth: Written,
    horizon: int,
    row: tuple[int, ...] | None,
    moved: tuple[int, ...],
) -> int:
    """Compare the slices of one process; return the bytes that they must report as written."""
    result.processes += 1
    early, late = _expired(truth, horizon)
    # Slices before the horizon are a prefix, as time only increases.
    gone = early if not late else max(early, truth.jump[1]) + late
    n = row[0] if row else 0
    least, most = max(truth.safe - gone, 0), max(truth.slices - gone, 0)
    result.slices += least
    result.unsure += most - least
    result.lost += max(0, least - n)
    result.doubled += max(0, n - most)
    kept = min(max(n, least), most)
    result.arrived += kept - least
    numbers = [truth.slice_number(turn) for turn in range(gone, gone + kept)]
    wanted = truth.program.bytes_after(gone + kept) - truth.program.bytes_after(gone)
    if row is None and not numbers:
        return 0
    expected = (
        len(numbers),
        min(numbers, default=0),
        max(numbers, default=0),
        sum(numbers),
        sum(number * number for number in numbers),
    )
    name = f"{truth.host}, process {truth.pid} of {truth.start_ns}"
    if row != expected:
        result.say(f"{name}: slices (rows, first, last, sums) {row}, not {expected}")
    if moved[0] != wanted:
        result.say(f"{name}: {moved[0]} bytes written, not {wanted}")
    return wanted
