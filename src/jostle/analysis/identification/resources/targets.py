"""Computes which part of a job's load is on the storage targets that another job uses.

A file system of a hundred targets is a hundred resources: two jobs whose files are on different
targets do not slow each other there.
"""

from __future__ import annotations

from collections.abc import Collection

import pyarrow as pa
import pyarrow.compute as pc

from jostle.repository.query.resources.co_running import CoRunning

#: Part of a job's bytes on the file system: the job does not depend on a target with less.
_LEAST = 0.01


def shared_part(alongside: CoRunning, job: str, mount: str) -> float:
    """Return the part of a neighbour's load on a mount that is on the job's own targets.

    Args:
        alongside: The job and its neighbours.
        job: The neighbour.
        mount: The mount.

    Returns:
        A part from 0 to 1. It is 1 if the targets of one of the jobs are not known, or if both jobs
        used the same node, since targets are counted for each node.
    """
    own, other = alongside.job.nodes, alongside.others[job].nodes
    if not other or set(own) & set(other) or not mount.startswith("lustre:"):
        return 1.0
    prefix = mount.rpartition("/")[2] + "-"
    mine, theirs = (_bytes(alongside.machines.targets, nodes, prefix) for nodes in (own, other))
    whole = sum(theirs.values())
    if not mine or not whole:
        return 1.0
    least = _LEAST * sum(mine.values())
    used = {target for target, moved in mine.items() if moved >= least}
    return sum(moved for target, moved in theirs.items() if target in used) / whole


def _bytes(rows: pa.Table, nodes: Collection[str], prefix: str) -> dict[str, int]:
    """Return the bytes that some nodes moved on each target of a file system.

    Args:
        rows: Bytes per host and target.
        nodes: The nodes.
        prefix: Start of the names of the file system's targets.
    """
    rows = rows.filter(pc.is_in(rows.column("host"), pa.array(sorted(nodes), pa.string())))
    moved: dict[str, int] = {}
    for target, amount in zip(
        rows.column("target").to_pylist(), rows.column("bytes").to_pylist(), strict=True
    ):
        if target.startswith(prefix):
            moved[target] = moved.get(target, 0) + amount
    return {target: amount for target, amount in moved.items() if amount > 0}
