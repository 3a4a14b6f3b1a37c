"""Runs of a few segments, made by hand, for tests of estimates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from jostle.reader import SEGMENT_VALUES
from jostle.repository.segments.merge import merge_world
from jostle.repository.segments.worlds import MpiWorld
from jostle.repository.types import RunTables

START_NS = 1_700_000_000_000_000_000
_NS = 1_000_000_000


def run_of(
    durations_s: Sequence[float],
    values: Mapping[str, Sequence[int]] | None = None,
    *,
    ranks: int = 2,
    start_ns: int = START_NS,
    order: Sequence[int] | None = None,
    per_rank: Mapping[str, Sequence[Sequence[int]]] | None = None,
) -> RunTables:
    """Makes the tables of a run whose ranks all have these segments.

    Args:
        durations_s: Length of each segment, seconds.
        values: What of table segments each rank has in each of them; else the same in all.
        ranks: Processes.
        start_ns: MPI_Init.
        order: Ids of the processes by rank.
        per_rank: As values, for each rank its own.
    """
    count = len(durations_s)
    ends = start_ns + np.cumsum(np.rint(np.array(durations_s) * _NS).astype(np.int64))
    starts = np.concatenate([[start_ns], ends[:-1]]) if count else ends
    ids = list(order or range(1, ranks + 1))
    parts = []
    for rank in sorted(range(ranks), key=ids.__getitem__):
        own = {name: rows[rank] for name, rows in (per_rank or {}).items()}
        parts.append(_rank_rows(ids[rank], starts, ends, {**(values or {}), **own}))
    table = pa.concat_tables(parts)
    tokens = pa.table(
        {
            "job": ["job"],
            "hash": pa.array([77], pa.int64()),
            "function": ["MPI_Allreduce"],
            "bytes": pa.array([8], pa.int64()),
            "site": pa.array([0], pa.int64()),
            "module": ["a"],
        }
    )
    world = MpiWorld(0, "w", ranks, False, ids, list(range(ranks)))
    end = int(ends[-1]) if count else start_ns
    processes = pa.table(
        {
            "process": sorted(ids),
            "host": ["node1"] * ranks,
            "program": ["a.out"] * ranks,
            "world_size": [ranks] * ranks,
            "short": [False] * ranks,
            "mpi_init_ns": [start_ns] * ranks,
            "mpi_finalize_ns": [end] * ranks,
            "start_ns": [start_ns] * ranks,
            "end_ns": [end] * ranks,
        }
    )
    mounts = pa.table({"mount": pa.array([], pa.string()), "host": pa.array([], pa.string())})
    slices = pa.table(
        {
            "host": pa.array([], pa.string()),
            "slice": pa.array([], pa.int64()),
            "slice_ns": pa.array([], pa.int64()),
            "count": pa.array([], pa.int64()),
        }
    )
    return RunTables(
        "job",
        processes,
        mounts,
        (merge_world(world, table, tokens),),
        slices,
        slices.rename_columns(["mount", "slice", "slice_ns", "count"]),
    )


def _rank_rows(
    process: int, starts: np.ndarray[Any, Any], ends: np.ndarray[Any, Any], values: Any
) -> pa.Table:
    count = len(starts)
    columns: dict[str, Any] = {
        "process": np.full(count, process),
        "start_ns": starts,
        "end_ns": ends,
        "rule": pa.array(["every"] * count, pa.string()),
        "level": np.zeros(count, np.int64),
        "token_hash": np.full(count, 77),
        "globals": np.ones(count, np.int64),
        "globals_before": np.arange(count),
        "sequence_hash": np.arange(count) % 65521,
        "occurrence": np.zeros(count, np.int64),
        "signature_sum": np.full(count, 5, np.uint32),
        "signature_set": np.full(count, 1, np.uint64),
        "bin_shift": np.zeros(count, np.int64),
        "wait_bins": pa.array([b""] * count, pa.binary()),
        "offcpu_bins": pa.array([b""] * count, pa.binary()),
        **{name: np.zeros(count, np.int64) for name in SEGMENT_VALUES},
    }
    columns["cpu_ns"] = ends - starts
    columns["all_to_all"] = np.ones(count, np.int64)
    for name, given in values.items():
        columns[name] = np.array(given, dtype=np.int64)
    return pa.table(columns)
