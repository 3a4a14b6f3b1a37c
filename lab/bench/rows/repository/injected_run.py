"""Makes a repository with one very long run, by the repository's own writer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from jostle.repository import Repository
from jostle.repository.store.files import publish, write_chunks
from jostle.repository.store.layout import DAY_NS, HOUR_NS, TABLES
from jostle.repository.store.log import Log
from jostle.repository.store.profile_positions import Position, Reached
from jostle.repository.store.state import Change
from jostle.repository.store.tables import PartitionChunk, split_by_partition, without_zeros
from jostle.repository.types import RunTables
from jostle.values.arrow_columns import ints
from jostle_lab.synthetic import SPECS
from jostle_lab.synthetic.traces.rows import ReplayedRun, segment_rows, tokens
from jostle_lab.synthetic.traces.tables import run_tables
from jostle_lab.synthetic.traces.trace import replayed

JOB = "injected"
_RANKS_AT_ONCE = 4


def plant(path: Path, family: str, ranks: int, segments: int, seed: int) -> float:
    """Write the ranks' segments of a synthetic run repeatedly, as an ingester would.

    Args:
        path: A new folder.
        family: Family of synthetic runs; every global collective ends a segment.
        ranks: Ranks.
        segments: Segments of each rank.
        seed: Seed of the run.

    Returns:
        How long the run took, seconds.
    """
    spec = SPECS[family]
    program = spec.program.sized(ranks=ranks, raw=True, slice_ns=4_000_000_000)
    run, _ = replayed(replace(spec, program=program), seed)
    tables = run_tables(run, JOB)
    length = round(run.timeline.seconds * 1e9)
    each = len(run.cuts.event) - 1  # the last one, MPI_Finalize, comes at the very end
    copies = -(-segments // each)
    Repository(path, create=True)
    log = Log(path)
    rows = without_zeros("segments", segment_rows(run, list(range(1, ranks + 1))))
    for first in range(1, ranks + 1, _RANKS_AT_ONCE):
        mine = [
            rows.slice((process - 1) * (each + 1), each + 1)
            for process in range(first, min(first + _RANKS_AT_ONCE, ranks + 1))
        ]
        files = write_chunks(path, _segments(mine, copies, length, segments))
        publish(path, log, Change("ingest", add=files))
    files = write_chunks(path, _rest(run, tables, copies, length))
    end = max(file.hi for file in files)
    done: dict[int, tuple[Position, Reached]] = {
        process: (Position(), end) for process in range(1, ranks + 1)
    }
    publish(path, log, Change("ingest", add=files, advance=done))
    return copies * length / 1e9


def _segments(
    ranks: list[pa.Table], copies: int, length: int, segments: int
) -> Iterator[PartitionChunk]:
    """Return table segments of some ranks, sorted and cut by the hour."""
    parts = [_repeated(rows, copies, length, segments) for rows in ranks]
    whole = pa.concat_tables(parts).combine_chunks()
    names = pa.array([JOB] * whole.num_rows).dictionary_encode()
    whole = whole.append_column("job", names)
    whole = whole.select([name for name in _columns("segments") if name in whole.column_names])
    start, end = ints(whole, "start_ns"), ints(whole, "end_ns")
    hour = start // HOUR_NS
    by = np.argsort(hour, kind="stable")
    yield from split_by_partition(
        "segments", whole.take(pa.array(by)), hour[by], start[by], end[by]
    )


def _repeated(rows: pa.Table, copies: int, length: int, segments: int) -> pa.Table:
    """Return a rank's segments, copy after copy; the last ends with MPI_Finalize."""
    each = rows.num_rows - 1
    place = np.tile(np.arange(each), copies)[: segments - 1]
    turn = np.repeat(np.arange(copies), each)[: segments - 1]
    place, turn = np.append(place, each), np.append(turn, turn[-1])
    result = rows.take(pa.array(place))
    moved = {
        "start_ns": length,
        "end_ns": length,
        "globals_before": ints(rows, "globals")[:-1].sum(),
    }
    values: dict[str, Any] = {name: result.column(name) for name in result.column_names}
    for name, step in moved.items():
        values[name] = ints(result, name) + turn * step
    # MPI_Finalize has its own time, also where the last copy was cut short.
    for name in ("start_ns", "globals_before"):
        values[name][-1] = values["end_ns" if name == "start_ns" else name][-2]
    values["globals_before"][-1] += ints(result, "globals")[-2]
    values["end_ns"][-1] = values["start_ns"][-1] + 1_000_000
    values["number"] = np.arange(len(place))
    values["sequence_hash"] = values["globals_before"] % 65521
    return pa.table(values)


def _rest(
    run: ReplayedRun, tables: RunTables, copies: int, length: int
) -> Iterator[PartitionChunk]:
    """Return processes, mounts, tokens and rollups."""
    slice_ns = run.program.slice_ns
    end = run.init_ns + copies * length
    people = tables.processes
    changed = {
        "end_ns": end,
        "mpi_finalize_ns": end,
        "mpi_end_ns": end,
        "last_slice": end // slice_ns,
        "revision": 1,
    }
    for name, value in changed.items():
        column = pa.array([value] * people.num_rows, pa.int64())
        people = people.set_column(people.column_names.index(name), name, column)
    yield PartitionChunk("processes", people, 0, 0)
    yield PartitionChunk("mounts", tables.mounts, 0, 0)
    yield PartitionChunk("tokens", tokens(run.script, JOB), 0, 0)
    for table, rows in (("node_rollup", tables.slices), ("rollup", tables.mount_slices)):
        place = np.tile(np.arange(rows.num_rows), copies)
        turn = np.repeat(np.arange(copies), rows.num_rows)
        long = rows.take(pa.array(place))
        slices = ints(long, "slice") + turn * length // slice_ns
        at = long.column_names.index("slice")
        long = long.set_column(at, "slice", pa.array(slices))
        long = long.append_column("job", pa.array([JOB] * long.num_rows).dictionary_encode())
        long = without_zeros(table, long.select(list(_columns(table))))
        start = slices * slice_ns
        yield from split_by_partition(table, long, start // DAY_NS, start, start + slice_ns)


def _columns(table: str) -> dict[str, pa.DataType]:
    return {**TABLES[table].keys, **TABLES[table].values}
