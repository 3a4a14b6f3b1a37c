"""Summarises the execution segments of an MPI world for its digest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from jostle.analysis.digest.mpi_world import SegmentsDigest
from jostle.analysis.spread import Range
from jostle.repository.types import JobTables

_NS = 1e9
#: Columns of a listed segment, as far as the table has them.
LISTED = (
    "start_ns end_ns duration_ns duration_min_ns duration_max_ns rule level parts "
    "function globals sends recvs isends irecvs sendrecvs p2p_bytes p2p_room one_to_all all_to_one "
    "all_to_all barriers scans neighbors collective_bytes rma_ops rma_bytes opens closes reads "
    "writes read_bytes write_bytes mpiio_ops mpiio_bytes mpi_ns io_ns cpu_ns wait_ns offcpu_ns "
    "instructions flops signature_sum signature_set recurring"
).split()


def merged_of(tables: JobTables, processes: Sequence[int]) -> Any:
    """Return the segments, merged over ranks, of the world whose ranks are these processes.

    None where no rank has segments.
    """
    found = getattr(tables, "segments", None)
    mine = set(processes)
    for world in found.worlds if found is not None else ():
        if mine & set(world.processes):
            return world
    return None


def segments_of(tables: JobTables, processes: Sequence[int]) -> SegmentsDigest | None:
    """Summarise the segments of a world, merged over its ranks.

    Args:
        tables: The tables of the job.
        processes: Ids of the processes of the world's ranks.

    Returns:
        The summary; None where no rank has segments.
    """
    world = merged_of(tables, processes)
    if world is None or not any(world.rank_segments):
        return None
    table = world.segments
    duration = np.asarray(table.column("duration_ns").to_numpy(), dtype=np.float64) / _NS
    per_rank = np.asarray(world.rank_segments, dtype=np.float64)
    ended = Counter(name for name in table.column("function").to_pylist() if name)
    recurring = table.column("recurring").to_pylist()
    sets = table.column("signature_set").to_pylist()
    return SegmentsDigest(
        number=table.num_rows,
        per_rank=Range.of(per_rank),
        rule=world.rule,
        rules=dict(world.rules),
        delimiter=ended.most_common(1)[0][0] if ended else "",
        coverage=float(world.coverage),
        segmentable=bool(world.segmentable),
        kinds=len({kind for kind, again in zip(sets, recurring, strict=True) if again}),
        agreement=float(world.agreement),
        duration_s=Range.of(duration) if len(duration) else Range(0.0, 0.0, 0.0),
        median_s=float(np.median(duration)) if len(duration) else 0.0,
        missing=list(world.missing),
        notes=list(world.notes),
    )


def segment_rows(tables: JobTables, processes: Sequence[int]) -> list[dict[str, Any]]:
    """Return the segments of a world, merged over its ranks, in order of time.

    Args:
        tables: The tables of the job.
        processes: Ids of the processes of the world's ranks.

    Returns:
        One dictionary per segment. Durations are the median, minimum and maximum over ranks; counts
        and times are sums over ranks. `signature_set` is hexadecimal text, since it has 64 bits.
        `kind` numbers the recurring kinds from 1, in the order of their first segments; it is 0
        for segments of other kinds.
    """
    world = merged_of(tables, processes)
    if world is None:
        return []
    names = [name for name in LISTED if name in world.segments.column_names]
    rows: list[dict[str, Any]] = world.segments.select(names).to_pylist()
    for row in rows:
        if row.get("signature_set") is not None:
            row["signature_set"] = f"{row['signature_set']:016x}"
    kinds: dict[str, int] = {}
    for number, row in enumerate(rows):
        kind = row.get("signature_set") if row["recurring"] else None
        row["kind"] = kinds.setdefault(kind, len(kinds) + 1) if kind else 0
        row["number"] = number
    return rows
