"""Finds which processes form an MPI world, from rows of table processes."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

_WANTED = (
    "process",
    "boot_id",
    "pid",
    "start_ns",
    "part",
    "host",
    "world",
    "world_size",
    "world_rank",
    "spawned",
    "mpi_init_ns",
    "mpi_ready_ns",
    "mpi_finalize_ns",
    "complete",
)


@dataclass
class MpiWorld:
    """An MPI world: the processes of one MPI_COMM_WORLD.

    Attributes:
        number: Number of the world in the job, 0 for the earliest.
        name: Id of the mpirun that started the world, as the runtime found it; "": unknown.
        size: Number of its ranks.
        spawned: Whether it was created by MPI_Comm_spawn.
        processes: Process id of each rank with a profile, in order of rank.
        ranks: Rank numbers of these processes.
    """

    number: int
    name: str
    size: int
    spawned: bool
    processes: list[int] = field(default_factory=list)
    ranks: list[int] = field(default_factory=list)

    @property
    def missing(self) -> list[int]:
        """The ranks without a profile."""
        return sorted(set(range(self.size)) - set(self.ranks)) if self.size < 1 << 20 else []


def find_worlds(processes: pa.Table) -> list[MpiWorld]:
    """Group the processes of a job into worlds.

    Processes of one world have the same id of their mpirun, the same world size, and different
    ranks. Several worlds may agree in id and size (several spawns of equal size, or a launcher
    without an id). Then, of the processes with the same rank, the k-th one, in order of MPI_Init,
    belongs to the k-th of these worlds.

    Args:
        processes: Rows of table processes; those without MPI are ignored.
    """
    names = [name for name in _WANTED if name in processes.column_names]
    rows = [row for row in processes.select(names).to_pylist() if row.get("world_size")]
    rows.sort(key=lambda row: (row["mpi_init_ns"] or row["start_ns"], row["part"], row["process"]))
    times: dict[Any, int] = defaultdict(int)
    worlds: dict[Any, MpiWorld] = {}
    members: dict[Any, list[tuple[int, int]]] = defaultdict(list)
    images = set()
    for row in rows:
        image = (row["boot_id"], row["pid"], row["start_ns"])
        if image in images:  # a later part of the same process: its segments start again
            continue
        images.add(image)
        kind = (row["world"] or "", row["world_size"], bool(row["spawned"]))
        rank = row["world_rank"]
        key = (*kind, times[kind, rank])
        times[kind, rank] += 1
        if key not in worlds:
            worlds[key] = MpiWorld(len(worlds), *kind)
        members[key].append((rank, row["process"]))
    for key, world in worlds.items():
        for rank, process in sorted(members[key]):
            world.ranks.append(rank)
            world.processes.append(process)
    return list(worlds.values())


def worlds_table(worlds: list[MpiWorld], processes: pa.Table) -> pa.Table:
    """Return worlds as a table: one row per rank with a profile.

    Args:
        worlds: Worlds from `find_worlds`.
        processes: Rows from which they were found.

    Returns:
        Columns number, world, world_size, spawned, world_rank, process, host.
    """
    hosts = dict(zip(processes["process"].to_pylist(), processes["host"].to_pylist(), strict=True))
    rows = [
        {
            "number": world.number,
            "world": world.name,
            "world_size": world.size,
            "spawned": world.spawned,
            "world_rank": rank,
            "process": process,
            "host": hosts[process],
        }
        for world in worlds
        for rank, process in zip(world.ranks, world.processes, strict=True)
    ]
    return pa.Table.from_pylist(rows, _SCHEMA)


_SCHEMA = pa.schema(
    {
        "number": pa.int64(),
        "world": pa.string(),
        "world_size": pa.int64(),
        "spawned": pa.bool_(),
        "world_rank": pa.int64(),
        "process": pa.int64(),
        "host": pa.string(),
    }
)
