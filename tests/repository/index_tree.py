"""The thesis' store of segments (index tree and list), for comparison with ours: ADR 0008.

Each feature of a group keeps at most 256 unique values in a tree; when one more comes, all are
halved (integer division, the divisor kept) until there is room, and a list refers to the tree in
order of arrival (thesis 5.1.2, figures 5.7 and 5.8). Merged over ranks: 512. Which values lie in a
sorted dictionary instead of an AVL tree makes no difference to what is kept.

Run as a program, it prints the error of both stores on the segments of a spool:

    python tests/repository/index_tree.py SPOOL
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

TREE_NODE_BYTES = 40  # value, index, two children, balance


@dataclass
class IndexTree:
    """One feature of one group: unique values by their index, and the list of indices."""

    limit: int = 256
    halvings: int = 0
    values: dict[int, int] = field(default_factory=dict)  # value: index, from 1
    order: list[int] = field(default_factory=list)

    def add(self, value: int) -> None:
        """Adds a value."""
        value >>= self.halvings
        while value not in self.values and len(self.values) >= self.limit:
            self._halve()
            value >>= 1
        if value not in self.values:
            self.values[value] = len(self.values) + 1
        self.order.append(self.values[value])

    def _halve(self) -> None:
        self.halvings += 1
        index: dict[int, int] = {}
        moved: dict[int, int] = {}
        for value, old in sorted(self.values.items()):
            moved[old] = index.setdefault(value >> 1, len(index) + 1)
        self.values = index
        self.order = [moved[old] for old in self.order]

    def decoded(self) -> list[int]:
        """The values in order of arrival, as far as they are still known."""
        value = {index: v << self.halvings for v, index in self.values.items()}
        return [value[index] for index in self.order]

    @property
    def bytes(self) -> int:
        """Memory: the tree, and a byte per arrival."""
        return TREE_NODE_BYTES * len(self.values) + len(self.order)


def in_groups(groups: Iterable[int], values: Iterable[int], limit: int = 256) -> list[int]:
    """What the thesis' store gives back of a feature, with a tree per group."""
    trees: dict[int, IndexTree] = {}
    trace = []
    for group, value in zip(groups, values, strict=True):
        trees.setdefault(group, IndexTree(limit)).add(value)
        trace.append(group)
    lists = {group: iter(tree.decoded()) for group, tree in trees.items()}
    return [next(lists[group]) for group in trace]


def profile_time(ns: int) -> int:
    """What our profile gives back of a time: 11 bits of mantissa, rounded down."""
    shift = max(ns.bit_length() - 12, 0)
    return ns >> shift << shift


def error(truth: Sequence[int], kept: Sequence[int]) -> tuple[float, float, float]:
    """Median and largest relative error (of values above 0), and the share lost to zero."""
    true, got = np.array(truth, dtype=float), np.array(kept, dtype=float)
    some = true > 0
    off = np.abs(got[some] - true[some]) / true[some]
    if not len(off):
        return 0.0, 0.0, 0.0
    return float(np.median(off)), float(off.max()), float((got[some] == 0).mean())


def synthetic(count: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Segments of a code with two phases and a checkpoint at every 200th: group, CPU ns, bytes.

    One in a hundred is hit by interference, by a factor with a long tail.
    """
    rng = np.random.default_rng(seed)
    group = np.where(np.arange(count) % 200 == 199, 2, np.arange(count) % 2)
    usual = np.array([60e6, 15e6, 4e9])[group]
    hit = np.where(rng.random(count) < 0.01, 1 + rng.pareto(1, count), 1)
    cpu = usual * rng.lognormal(0, 0.02, count) * hit
    size = np.array([4096, 65536, 10**9])[group] + rng.integers(0, 2000, count)
    return {"group": group, "cpu_ns": cpu.astype(np.int64), "p2p_bytes": size}


def solver(count: int, seed: int = 0) -> list[tuple[int, int, int]]:
    """Calls of the segments of an iterative solver, whose iterations vary: three loops a step."""
    rng = np.random.default_rng(seed)
    return [tuple(row) for row in rng.integers([10, 10, 25], [16, 16, 60], (count, 3)).tolist()]


def main(spool: str) -> None:
    """Prints the errors on the segments of a spool."""
    from jostle.repository import Repository

    with Repository.of_spool(Path(spool)) as store:
        for job in store.jobs()["job"].to_pylist():
            rows = store.process_segments(job)
            for process in dict.fromkeys(rows["process"].to_pylist()):
                own = rows.filter(np.array(rows["process"].to_pylist()) == process)
                report(job, own)
                break


def report(job: str, rows: object) -> None:
    """Prints the errors on one process's segments."""
    counts = ("sends", "recvs", "isends", "irecvs", "one_to_all", "all_to_all", "reads", "writes")
    keys = list(zip(*(rows[name].to_pylist() for name in counts), strict=True))  # type: ignore[index]
    groups = [hash(key) for key in keys]
    print(f"{job}: {len(keys)} segments in {len(set(keys))} groups")
    for name in ("cpu_ns", "mpi_ns", "p2p_bytes"):
        truth = rows[name].to_pylist()  # type: ignore[index]
        one = in_groups([0] * len(truth), truth)
        several = in_groups(groups, truth)
        for what, kept in (("one group", one), ("by group", several)):
            print(
                f"  {name:10} tree, {what:9}: median %.2g, largest %.2g, lost %.2g"
                % error(truth, kept)
            )


if __name__ == "__main__":
    main(sys.argv[1])
