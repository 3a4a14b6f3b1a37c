"""Synthetic ranks: segments as ranks of one program would store them, and their true work.

A program is a list of global collectives; each is done by all ranks at about one time. A rank cuts
its run at every 2^level-th of them, with levels of its own, as the runtime does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from jostle.reader import SEGMENT_VALUES
from jostle.repository.segments.worlds import MpiWorld
from jostle.repository.store.layout import SEGMENT_BINS

BEGIN = 1_795_000_000_000_000_000
MS = 1_000_000


@dataclass
class Program:
    """The global collectives of all ranks, in order.

    calls: number of the call (token) of each; gaps: time before each (ns).
    """

    calls: np.ndarray
    gaps: np.ndarray
    sequence: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.sequence = running_hash(self.calls)

    @property
    def count(self) -> int:
        return len(self.calls)


def running_hash(calls: np.ndarray) -> np.ndarray:
    """A 16-bit hash of the calls up to each."""
    value, out = 1, []
    for call in calls.tolist():
        value = (value * 0x9E3779B97F4A7C15 + call * 0xC2B2AE3D27D4EB4F + 1) % 2**64
        out.append(value >> 48)
    return np.array(out, dtype=np.int64)


def make_program(rng: np.random.Generator, count: int, kinds: int = 3) -> Program:
    calls = np.resize(np.arange(kinds), count)
    return Program(calls, rng.integers(5 * MS, 20 * MS, count))


def tokens_of(kinds: int = 3, names: dict[int, str] | None = None) -> pa.Table:
    """The dictionary of the calls of a program."""
    names = names or {}
    return pa.table(
        {
            "job": ["j"] * kinds,
            "hash": pa.array([100 + k for k in range(kinds)], pa.int64()),
            "function": [names.get(k, "MPI_Allreduce") for k in range(kinds)],
            "bytes": pa.array([8 * (k + 1) for k in range(kinds)], pa.int64()),
            "site": pa.array([0x1000 + k for k in range(kinds)], pa.int64()),
            "module": ["code"] * kinds,
        }
    )


def rank_rows(
    program: Program,
    cuts: np.ndarray,
    rng: np.random.Generator,
    *,
    process: int,
    final: bool = True,
    rule: str = "coalesced",
    level: int = 0,
    values: dict[str, np.ndarray] | None = None,
    until: int | None = None,
) -> dict[str, Any]:
    """One rank's rows.

    Args:
        program: What it does.
        cuts: After which global collectives (from 1) its segments end, ascending.
        rng: Jitter of its times.
        process: Its id.
        final: It comes to MPI_Finalize.
        rule: Of its segments.
        level: Of its segments.
        values: Per global collective (and one more for the rest) what is counted before it.
        until: It is killed after this many.
    """
    until = program.count if until is None else until
    cuts = np.asarray(cuts, dtype=np.int64)
    cuts = cuts[cuts <= until]
    ends = BEGIN + np.cumsum(program.gaps)
    ends = ends + rng.integers(0, 100_000, len(ends))
    at = [int(ends[c - 1]) for c in cuts]
    places = cuts.tolist()
    tokens = [100 + int(program.calls[c - 1]) for c in cuts]
    hashes = [int(program.sequence[c - 1]) for c in cuts]
    rules = [rule] * len(at)
    if final and until == program.count:
        at.append(int(ends[-1]) + 5 * MS)
        places.append(program.count)
        tokens.append(0)
        hashes.append(int(program.sequence[-1]))
        rules.append("final")
    n = len(at)
    before = [0, *places[:-1]][:n]
    counted = values or {"sends": np.ones(program.count + 1, dtype=np.int64)}
    rows: dict[str, Any] = {
        "process": np.full(n, process),
        "number": np.arange(n) * 2 + 1,
        "start_ns": np.array([BEGIN, *at[:-1]][:n], dtype=np.int64),
        "end_ns": np.array(at, dtype=np.int64),
        "rule": rules,
        "level": np.full(n, level),
        "token_hash": np.array(tokens, dtype=np.int64),
        "globals": np.array(places, dtype=np.int64) - np.array(before, dtype=np.int64),
        "globals_before": np.array(before, dtype=np.int64),
        "sequence_hash": np.array(hashes, dtype=np.int64),
        "occurrence": np.zeros(n, dtype=np.int64),
        "signature_sum": np.zeros(n, dtype=np.int64),
        "signature_set": np.zeros(n, dtype=np.uint64),
        "bin_shift": np.zeros(n, dtype=np.int64),
        "wait_bins": [b""] * n,
        "offcpu_bins": [b""] * n,
    }
    for name, column in counted.items():
        sums = np.concatenate([[0], np.cumsum(column)])
        low, high = np.array(before), np.array(places)
        if n and rules[-1] == "final":
            high = high + (np.arange(n) == n - 1)
        rows[name] = (sums[high] - sums[low]).astype(np.int64) if n else np.zeros(0, np.int64)
    kinds = [set(program.calls[a:b].tolist()) for a, b in zip(before, places, strict=True)]
    rows["signature_set"] = np.array(
        [sum(1 << (7 * k % 64) for k in kind) for kind in kinds], dtype=np.uint64
    )
    rows["signature_sum"] = np.array(
        [
            int((program.calls[a:b] * 2654435761 + 99).sum()) % 2**32
            for a, b in zip(before, places, strict=True)
        ],
        dtype=np.int64,
    )
    return rows


def table_of(ranks: list[dict[str, Any]]) -> pa.Table:
    """Table segments of some ranks."""
    parts = []
    for rows in ranks:
        n = len(rows["process"])
        values = {name: rows.get(name, np.zeros(n, dtype=np.int64)) for name in SEGMENT_VALUES}
        keys = {k: v for k, v in rows.items() if k not in values and k not in SEGMENT_BINS}
        bins = {name: pa.array(rows[name], pa.binary()) for name in SEGMENT_BINS}
        keys["rule"] = pa.array(keys["rule"], pa.string())
        parts.append(pa.table({**keys, **bins, **values}))
    return pa.concat_tables(parts)


def world_of(size: int, present: list[int] | None = None) -> MpiWorld:
    """A world whose ranks' processes are 1000 + rank."""
    ranks = list(range(size)) if present is None else present
    return MpiWorld(0, "w", size, False, [1000 + r for r in ranks], ranks)
