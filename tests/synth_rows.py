"""Writes rows of tables straight into a repository, as its own writers would."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from jostle.repository import Repository
from jostle.repository.store.files import publish, write_chunks
from jostle.repository.store.layout import TABLES
from jostle.repository.store.log import Log
from jostle.repository.store.state import Change
from jostle.repository.store.tables import PartitionChunk

SECOND = 1_000_000_000
#: A whole hour: all rows of these tests are in one partition.
BEGIN = 472_222 * 3_600 * SECOND


def add_rows(repository: Repository, table: str, rows: Sequence[dict[str, Any]]) -> None:
    """Write rows of a table; keys that a row lacks are null, and its `slice` counts from BEGIN."""
    layout = TABLES[table]
    whole = [
        row | {"slice": BEGIN // row["slice_ns"] + row["slice"]} if "slice" in row else row
        for row in rows
    ]
    used = {name for row in rows for name in row} & layout.values.keys()
    fields = {**layout.keys, **{name: layout.values[name] for name in sorted(used)}}
    span = (BEGIN, BEGIN + 3_600 * SECOND) if layout.partition_ns else (0, 0)
    chunk = PartitionChunk(
        table, pa.Table.from_pylist(whole, pa.schema(list(fields.items()))), *span
    )
    path = Path(repository.path)
    publish(path, Log(path), Change("ingest", add=write_chunks(path, [chunk])))


def add_ranks(repository: Repository, job: str, hosts: Sequence[str], world: str = "w") -> None:
    """Write the processes of a job: one rank per host that is named; ids are 100, 101, ..."""
    add_rows(
        repository,
        "processes",
        [
            {
                "process": process_of(job, rank),
                "job": job,
                "host": host,
                "world": world,
                "world_size": len(hosts),
                "world_rank": rank,
                "mpi_state": 4,
                "slice_ns": SECOND,
                "start_ns": BEGIN,
                "end_ns": BEGIN + 60 * SECOND,
                "complete": True,
                "revision": 1,
                "first_slice": BEGIN // SECOND,
                "last_slice": BEGIN // SECOND + 59,
            }
            for rank, host in enumerate(hosts)
        ],
    )


def process_of(job: str, rank: int) -> int:
    """Return the id of a rank's process."""
    return sum(map(ord, job)) * 1000 + rank
