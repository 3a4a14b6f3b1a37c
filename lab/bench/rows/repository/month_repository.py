#!/usr/bin/env python3
"""Makes a repository of a simulated month: the jobs of one synthetic day on each of 30 days.

    lab/bench/rows/repository/month_repository.py FOLDER JOBS LENGTH [DAYS]

JOBS jobs a day of LENGTH slices each (mean) are simulated once; each further day has the same jobs
under other names, with other processes, a day later. One commit a day, as after a compaction, and
then `jostle repository compact`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parents[4]
sys.path[:0] = [str(ROOT / "src")]

DAYS, SEED = 30, 28
DAY_NS = 86_400_000_000_000
#: Columns that identify the job, and so must differ from day to day.
_NAMES = ("job", "world")


def month(path: Path, jobs: int, length: int, days: int = DAYS) -> int:
    """Make the repository; return its process-slices."""
    from jostle.repository import Repository
    from jostle.repository.store.files import publish, write_chunks
    from jostle.repository.store.log import Log
    from jostle.repository.store.state import Change, Position
    from jostle_lab.synthetic import LARGE, plant

    spec = replace(LARGE, jobs=jobs, slices=12 * 900, length=length)
    first = plant(path, spec, SEED)
    repository, log = Repository(path), Log(path)
    files = [file for file in log.refresh() if file.table != "process_kinds"]
    rows = [(file, pq.ParquetFile(path / file.path).read()) for file in files]
    for day in range(1, days):
        chunks = write_chunks(path, _day(rows, day))
        done = {
            int(process): (Position(), int(end) + day * DAY_NS)
            for file, table in rows
            if file.table == "processes"
            for process, end in zip(
                _other(table["process"].to_numpy(), day), table["end_ns"].to_numpy(), strict=True
            )
        }
        publish(path, log, Change("ingest", add=chunks, advance=done))
    repository.compact()
    return first.process_slices * days


def _day(rows: list[tuple[object, pa.Table]], day: int) -> Iterator[object]:
    from jostle.repository.store.tables import PartitionChunk

    shift = day * DAY_NS
    for file, table in rows:
        moved = table
        for index, name in enumerate(table.column_names):
            column = table.column(name)
            if name in _NAMES:
                values = pc.binary_join_element_wise(column.cast(pa.string()), f"d{day}", "-")
                values = pc.if_else(pc.equal(column.cast(pa.string()), ""), "", values)
            elif name == "process":
                values = pa.array(_other(column.to_numpy(), day))
            elif name in ("slice", "first_slice", "last_slice"):
                values = pa.array(column.to_numpy() + shift // table["slice_ns"].to_numpy())
            elif re.fullmatch("start_ns|end_ns|mpi_.*_ns", name):
                if file.table != "processes":
                    continue
                values = pc.if_else(pc.greater(column, 0), pc.add(column, shift), column)
            else:
                continue
            moved = moved.set_column(index, name, values)
        timed = shift if file.hi else 0
        yield PartitionChunk(file.table, moved, file.lo + timed, file.hi + timed)


def _other(process: np.ndarray, day: int) -> np.ndarray:
    return process ^ np.int64(day * 0x9E3779B97F4A7)


if __name__ == "__main__":
    folder, jobs, length = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    number = month(folder, jobs, length, int(sys.argv[4]) if len(sys.argv) > 4 else DAYS)
    print(f"{number / 1e6:.1f} M process-slices")
