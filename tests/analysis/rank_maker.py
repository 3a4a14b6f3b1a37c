"""Makes the activity of the ranks of a synthetic job, slice by slice, with a known cause of delay.

Every slice the ranks do equal work, and wait for the slowest of them: what a rank does not need of
the time that the slowest one needs, it spends in communication.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from jostle.repository.query.job.rank_slices import (
    COMMUNICATION,
    FILE_CLASSES,
    RESOURCES,
    RankTables,
)
from jostle.values.arrow_columns import Floats

LENGTH_NS = 250_000_000
LENGTH = LENGTH_NS / 1e9
FIRST = 7_000_000_000


@dataclass
class RankMaker:
    """A job whose ranks, one world, are made slow on purpose.

    Attributes:
        hosts: The node of each rank.
        slices: Its length in slices.
        seed: Of the scatter.
        scatter: Of the time that a rank needs for its work, relative.
        need: Time that the work of a slice needs, (slices, ranks), in units of a usual one.
        values: Other metrics, s per slice, (slices, ranks).
    """

    hosts: list[str]
    slices: int = 120
    seed: int = 1
    scatter: float = 0.03
    messages: float = 0.1
    need: Floats = field(init=False)
    values: dict[str, Floats] = field(init=False, default_factory=dict)
    mounts: list[tuple[int, str, str, Floats, Floats]] = field(init=False, default_factory=list)
    peers: list[tuple[int, int, int]] = field(init=False, default_factory=list)
    there: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.dice = np.random.default_rng(self.seed)
        shape = (self.slices, len(self.hosts))
        self.need = np.exp(self.dice.normal(0, self.scatter, shape))
        self.there = np.ones(shape, dtype=bool)

    def add(self, name: str, rank: int | slice, at: slice, seconds: float) -> None:
        """Adds seconds per slice to a metric of a rank."""
        shape = self.need.shape
        self.values.setdefault(name, np.zeros(shape))[at, rank] += seconds

    def probe(self, slower: Mapping[int, float] | None = None, at: slice = slice(None)) -> None:
        """Adds a core-speed probe: 12 runs of 10 us per slice, and the ranks that it finds slow."""
        shape = self.need.shape
        cost = 1e-5 * np.exp(self.dice.normal(0, 0.02, shape))
        for rank, factor in (slower or {}).items():
            cost[at, rank] *= factor
        self.values["core_probe"] = 12 * cost
        self.values["core_probe_count"] = np.full(shape, 12.0)

    def slow(self, rank: int | slice, at: slice, factor: float) -> None:
        """Lets the work of a rank take longer in some slices."""
        self.need[at, rank] *= factor

    def busy(self) -> Floats:
        """Seconds of each slice that a rank worked, (slices, ranks)."""
        need = np.where(self.there, self.need, 0)
        return need / need.max(axis=1, keepdims=True) * LENGTH * (1 - self.messages)

    def tables(self, *, job: str = "made", size: int = 0) -> RankTables:
        """The tables that the repository would return for it."""
        count, busy = len(self.hosts), self.busy()
        held = sum(self.values.get(name, 0 * busy) for name in ("os_runqueue", "state_io"))
        stopped = self.values.get("os_throttled", 0 * busy)
        defaults = {
            "state_collective": LENGTH - busy - self.values.get("state_p2p", 0 * busy),
            "os_user": np.where(self.there, (LENGTH - held - stopped).clip(0), 0),
        }
        columns = {
            name: (defaults | self.values).get(name.removesuffix("_ns"), 0 * busy)
            for name in (*COMMUNICATION, *RESOURCES)
        }
        at, rank = np.nonzero(self.there)
        slices = {
            "process": 100 + rank,
            "slice": FIRST + at,
            "slice_ns": np.full(len(at), LENGTH_NS),
            "span": np.ones(len(at), dtype=np.int64),
        } | {
            name: (values[at, rank] * (1e9 if name.endswith("_ns") else 1)).astype(np.int64)
            for name, values in columns.items()
        }
        begin = (FIRST + self.there.argmax(axis=0)) * LENGTH_NS
        end = (FIRST + self.slices - self.there[::-1].argmax(axis=0)) * LENGTH_NS
        ranks = pa.table(
            {
                "number": [0] * count,
                "world_size": [size or count] * count,
                "world_rank": list(range(count)),
                "process": [100 + number for number in range(count)],
                "host": self.hosts,
                "begin_ns": begin,
                "end_ns": end,
                "clock_error_us": [100] * count,
            }
        )
        return RankTables(job, ranks, pa.table(slices), self._mounts())

    def _mounts(self) -> pa.Table:
        rows = []
        for rank, mount, kind, ops, seconds in self.mounts:
            for at in range(self.slices):
                row = {f"{name}_{unit}": 0 for name in FILE_CLASSES for unit in ("ops", "ns")}
                row |= {f"{kind}_ops": int(ops[at]), f"{kind}_ns": int(seconds[at] * 1e9)}
                row |= {"process": 100 + rank, "slice": FIRST + at}
                rows.append(row | {"slice_ns": LENGTH_NS, "span": 1, "mount": mount})
        return (
            pa.Table.from_pylist(rows)
            if rows
            else RankTables("", pa.table({}), pa.table({})).mounts
        )

    def peer_table(self) -> pa.Table:
        """Traffic between ranks."""
        names = ("process", "peer", "bytes")
        columns = list(zip(*((100 + a, b, c) for a, b, c in self.peers), strict=True)) or [[]] * 3
        return pa.table(
            {
                name: pa.array(values, pa.int64())
                for name, values in zip(names, columns, strict=True)
            }
        )
