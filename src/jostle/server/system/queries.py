"""Queries of the repository for the charts of the whole system."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from jostle.repository import Repository
from jostle.repository.store.layout import Rollup
from jostle.server.background.tiles import MINUTE_NS, Tiles

_LIVES = """
SELECT job, host, CASE WHEN min(uid) = max(uid) THEN min(uid) END AS uid,
       min(start_ns) AS start_ns, CASE WHEN bool_and(complete) THEN max(end_ns)
           ELSE greatest(max(end_ns), max(seen_ns)) END AS end_ns,
       max(longest_slice_ns) AS slice_ns, NOT bool_and(complete) AS running
FROM process_kinds GROUP BY job, host ORDER BY min(min(start_ns)) OVER (PARTITION BY job), job, host
"""
# Slices longer than a column count in all that they overlap: sums in parts, levels unchanged.
# Levels are averaged over the recorded slices.
_NODES = """
SELECT job, host, place, {how}(value)::DOUBLE AS value FROM (
    SELECT job, host, {what}{part} AS value,
           unnest(range(first::BIGINT, (first + columns)::BIGINT)) AS place
    FROM (SELECT *, (slice * slice_ns - $1) // $3 AS first,
                 greatest((slice_ns + $3 - 1) // $3, 1) AS columns
          FROM {table} WHERE (slice + 1) * slice_ns > $1 AND slice * slice_ns < $2))
GROUP BY job, host, place
"""
_PATHS = """
SELECT mount, arg_min(path, (length(path), path)) AS path, min(type) AS type
FROM mounts WHERE path <> '' {which} GROUP BY mount
"""
_OF_JOBS = "AND list_contains($1, job)"


@dataclass(frozen=True)
class Life:
    """The run time of a job on a node.

    Attributes:
        job: Name of the job.
        host: Name of the node.
        uid: Uid of the job's user; None: it belongs to several users.
        start_ns: Start of the job, ns since the epoch.
        end_ns: End of the job; for a running job, the end of its newest slice.
        slice_ns: Length of the job's slices, in ns.
        running: Whether the job runs.
    """

    job: str
    host: str
    uid: int | None
    start_ns: int
    end_ns: int
    slice_ns: int
    running: bool


def lives(repository: Repository) -> list[Life]:
    """Return the run time of each job on each of its nodes, the earliest job first."""
    rows = repository.query(_LIVES).to_pylist()
    running = sorted({row["job"] for row in rows if row["running"]})
    seen = {}
    if running:  # the rollup is updated with every slice, the table of processes is not
        seen = {
            row["job"]: row["seen_ns"] for row in repository.loads.job_marks(running).to_pylist()
        }
    whole: dict[str, set[int | None]] = {}
    for row in rows:
        if row["running"]:
            row["end_ns"] = max(row["end_ns"], seen.get(row["job"], 0))
        whole.setdefault(row["job"], set()).add(row["uid"])
    for row in rows:
        row["uid"] = row["uid"] if len(whole[row["job"]]) == 1 else None
    return [Life(**row) for row in rows]


def node_cells(
    tiles: Tiles, ids: Sequence[str], axis: tuple[int, int, int], *, on_mounts: bool, level: bool
) -> pa.Table:
    """Add up metrics by job, node and column.

    Args:
        tiles: Loads of all jobs.
        ids: Ids of metrics of one scope.
        axis: Start and end of the columns, and length of a column, ns; the start is a multiple of
            the length.
        on_mounts: Whether the metrics are those of mounts. These are read from slices of processes,
            which takes longer.
        level: Whether the metrics are gauges; then a column gets the mean over its slices in place
            of the sum.

    Returns:
        Columns job, host, place (number of the column), value.
    """
    if not (on_mounts or level):
        return _cells(tiles, "node_rollup", ids, axis).rename_columns(
            ["job", "host", "place", "value"]
        )
    names = ids if on_mounts else [f"{name}_sum" for name in ids]
    return tiles.repository.query(
        _NODES.format(
            what=f"({' + '.join(names)})",
            how="avg" if level else "sum",
            part="" if level else " / columns",
            table="mount_slices" if on_mounts else "node_rollup",
        ),
        list(axis),
    )


def owners(lives: Sequence[Life]) -> Callable[[str], int | None]:
    """Return a function that returns the user of a job; None: several users, or unknown."""
    return {life.job: life.uid for life in lives}.get


def mount_cells(tiles: Tiles, ids: Sequence[str], axis: tuple[int, int, int]) -> pa.Table:
    """Add up metrics of mounts by job, mount and column.

    Returns:
        Columns job, mount, place, value.
    """
    return _cells(tiles, "rollup", ids, axis).rename_columns(["job", "mount", "place", "value"])


def _cells(tiles: Tiles, table: Rollup, ids: Sequence[str], axis: tuple[int, int, int]) -> pa.Table:
    """Return loads by job, resource and column; columns of whole minutes come from the cache."""
    begin, end, step = axis
    if step % MINUTE_NS == 0:
        rows = tiles.minutes(table, [ids], (begin, end))
    else:
        # A slice that begins earlier may overlap the first columns.
        early = max(begin - MINUTE_NS, 0)
        rows = tiles.repository.loads.sums(table, [ids], (early, end), step_ns=step)
    place = np.floor_divide(rows["start_ns"].to_numpy() - begin, step)
    return pa.table(
        {"job": rows["job"], "resource": rows["resource"], "place": place, "value": rows["v0"]}
    )


def mounts_named(
    repository: Repository, jobs: AbstractSet[str] | None = None
) -> dict[str, tuple[str, str]]:
    """Return the shortest path and the type of each mount that some (None: all) jobs used."""
    found = (
        repository.query(_PATHS.format(which=""))
        if jobs is None
        else repository.query(_PATHS.format(which=_OF_JOBS), [sorted(jobs)])
    )
    return {row["mount"]: (row["path"], row["type"] or "") for row in found.to_pylist()}
