"""Chooses the MPI world of a job for which a loss is estimated, and describes the other worlds."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pyarrow.compute as pc

from jostle.names.identity import SHELLS, identity, is_wrapper
from jostle.names.training import is_collective_library
from jostle.repository.types import RunTables, WorldSegments


def assessed_world(tables: RunTables) -> tuple[WorldSegments | None, list[str]]:
    """Return the world with most process-seconds, and notes on the job's other worlds.

    Args:
        tables: The tables of the run.

    Returns:
        The world, or None if no rank of the job has a segment; and the notes, sentences for
        RunEstimate.limits.
    """
    worlds = [world for world in tables.worlds if world.segments.num_rows]
    if not worlds:
        return None, []
    spent = {world.number: process_seconds(world) for world in worlds}
    best = max(worlds, key=lambda world: (spent[world.number], -world.number))
    limits = []
    others = [world for world in worlds if world is not best]
    if others:
        rest = sum(spent[world.number] for world in others)
        limits.append(
            f"{len(others)} more worlds with {rest:.0f} process-seconds are not assessed; this "
            f"one has {spent[best.number]:.0f}."
        )
    extra = _no_ranks(tables.processes)
    if extra:
        words = (
            "1 process that is no rank is"
            if extra == 1
            else f"{extra} processes that are no ranks are"
        )
        limits.append(f"{words} not assessed.")
    return best, [*limits, *best.notes]


def ranks_by_node(world: WorldSegments, processes: pa.Table) -> Counter[str]:
    """Count the ranks of a world on each node.

    Args:
        world: The world.
        processes: Processes of the job, as in repository.types.RunTables.
    """
    names = (processes.column(name).to_pylist() for name in ("process", "host"))
    node = dict(zip(*names, strict=True))
    return Counter(node[process] for process in world.processes if process in node)


def is_training(world: WorldSegments, processes: pa.Table) -> bool:
    """Return whether the ranks of a world communicate by a collective library such as NCCL."""
    rank = processes.filter(pc.is_in(processes["process"], pa.array(world.processes[:1])))
    known = "mpi_library" in processes.column_names and rank.num_rows > 0
    return known and is_collective_library(rank["mpi_library"][0].as_py())


def process_seconds(world: WorldSegments) -> float:
    """Return the time inside a world's segments times its number of ranks, seconds."""
    return float(pc.sum(world.segments["duration_ns"]).as_py() or 0) * len(world.ranks) / 1e9


def _no_ranks(processes: pa.Table) -> int:
    """Count the processes that are no ranks, without short ones, launchers and shells."""
    if "world_size" not in processes.column_names:
        return 0
    wanted = [
        name
        for name in ("program", "script", "world_size", "short")
        if name in processes.column_names
    ]
    rows = processes.select(wanted).to_pylist()
    return sum(
        1
        for row in rows
        if not row["world_size"]
        and not row["short"]
        and not is_wrapper(name := identity(row.get("script"), row["program"]))
        and name not in SHELLS
    )
