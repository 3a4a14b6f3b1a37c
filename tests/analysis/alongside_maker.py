"""Makes the co-running jobs of a job from arrays: one mount, one value per slice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.repository.query.resources.co_running import (
    MOUNT_METRICS,
    MOUNT_TIMES,
    NODE_METRICS,
    NODE_TIMES,
    CoRunning,
    JobFacts,
)

Floats = NDArray[np.float64]
SLICE_NS = 1_000_000_000
START = 1_800_000_000
MOUNT = "lustre:mds@tcp:/fs"
MIB = 1 << 20


def table(columns: Mapping[str, Floats | list[str]], every: tuple[str, ...]) -> pa.Table:
    """Gives a table of text and integer columns; columns of `every` that are missing are 0."""
    size = len(next(iter(columns.values())))
    full = {name: np.zeros(size) for name in every} | dict(columns)
    return pa.table(
        {
            name: pa.array(values, pa.string())
            if isinstance(values, list)
            else pa.array(np.minimum(values, 2.0**62).astype(np.int64))
            for name, values in full.items()
        }
    )


_MOUNT_COLUMNS = (*MOUNT_METRICS, *(f"{name}_max" for name in MOUNT_TIMES))
_NODE_COLUMNS = (
    *NODE_METRICS,
    *(f"{name}_{what}" for name in NODE_TIMES for what in ("max", "min")),
)


@dataclass
class Maker:
    """A job of one process that writes, and its neighbours.

    Attributes:
        ops: Writes per slice; size: their bytes; seconds: time of one, all per slice.
        neighbours: Name -> bytes that it writes per slice, in writes of 1 MiB.
        facts: What else is known of jobs, by name ("me" is the job itself).
        slice_ns: Length of the slices; theirs: that of the neighbours, who have fewer then.
    """

    ops: Floats
    size: Floats
    seconds: Floats
    neighbours: Mapping[str, Floats]
    facts: Mapping[str, dict[str, object]] = field(default_factory=dict)
    slice_ns: int = SLICE_NS
    theirs_ns: int = SLICE_NS

    def make(self) -> CoRunning:
        """Gives the tables."""
        jobs = {name: self._fact(name) for name in ("me", *self.neighbours)}
        loads = [self._load(name, values) for name, values in self.neighbours.items()]
        mine = self._own()
        empty_mounts = mine.slice(0, 0).add_column(0, "job", pa.array([], pa.string()))
        return CoRunning(
            jobs.pop("me"),
            jobs,
            mine,
            table(
                {"host": [], "slice": np.zeros(0), "slice_ns": np.zeros(0), "count": np.zeros(0)},
                _NODE_COLUMNS,
            ),
            pa.concat_tables(loads) if loads else empty_mounts,
            table({"job": [], "host": [], "slice": np.zeros(0)}, ("slice_ns", "count", "cpu_ns")),
            table({"job": [], "slice": np.zeros(0)}, ("slice_ns", "count", "bytes", "ops", "ns")),
        )

    def _fact(self, name: str) -> JobFacts:
        known: dict[str, object] = {
            "job": name,
            "program": f"/bin/{name}",
            "user": 1000,
            "nodes": (f"node-{name}",),
            "start_ns": START * SLICE_NS,
            "end_ns": START * SLICE_NS + len(self.ops) * self.slice_ns,
            "slice_ns": self.slice_ns,
            "clocks": ("one",),
        }
        return JobFacts(**{**known, **self.facts.get(name, {})})  # type: ignore[arg-type]

    def _own(self) -> pa.Table:
        on = np.flatnonzero(self.ops > 0)
        spent = (self.ops * self.seconds * 1e9)[on]
        return table(
            {
                "mount": [MOUNT] * len(on),
                "slice": START * SLICE_NS // self.slice_ns + on,
                "slice_ns": np.full(len(on), self.slice_ns),
                "count": np.ones(len(on)),
                "posix_write_ops": self.ops[on],
                "posix_write_bytes": (self.ops * self.size)[on],
                "posix_write_ns": spent,
                "posix_write_ns_max": spent,
            },
            _MOUNT_COLUMNS,
        )

    def _load(self, name: str, moved: Floats) -> pa.Table:
        on = np.flatnonzero(moved > 0)
        return table(
            {
                "job": [name] * len(on),
                "mount": [MOUNT] * len(on),
                "slice": START * SLICE_NS // self.theirs_ns + on,
                "slice_ns": np.full(len(on), self.theirs_ns),
                "count": np.ones(len(on)),
                "posix_write_ops": moved[on] / MIB,
                "posix_write_bytes": moved[on],
            },
            _MOUNT_COLUMNS,
        )


def noise(size: int, seed: int, spread: float = 0.08, memory: float = 0.5) -> Floats:
    """Makes autocorrelated service times, log-normal around 1."""
    rng = np.random.default_rng(seed)
    steps = rng.normal(0, spread * np.sqrt(1 - memory**2), size)
    values = np.zeros(size)
    for k in range(1, size):
        values[k] = memory * values[k - 1] + steps[k]
    return np.exp(values)


def bursts(size: int, seed: int, on: float = 8, off: float = 12) -> Floats:
    """Makes a load that is on and off for random times, 40 to 60 MiB a slice while it is on."""
    rng = np.random.default_rng(seed)
    values: list[float] = []
    while len(values) < size:
        values += [0.0] * (1 + int(rng.exponential(off)))
        values += list(rng.uniform(40, 60, 1 + int(rng.exponential(on))) * MIB)
    return np.array(values[:size])


def writer(
    slowed: Floats, neighbours: Mapping[str, Floats], seed: int = 0, **more: object
) -> CoRunning:
    """Makes a steady writer of 1 MiB chunks that waits for each: half of its time in calls."""
    seconds = 0.01 * slowed * noise(len(slowed), seed)
    ops = np.round(1 / (seconds + 0.01))
    return Maker(ops, np.full(len(slowed), float(MIB)), seconds, neighbours, **more).make()  # type: ignore[arg-type]
