"""Lists the jobs that ran concurrently with a job on its resources, when and where."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jostle.analysis.identification.model import OTHERS, Neighbour
from jostle.analysis.identification.pattern import size
from jostle.repository.query.lifetimes import spans
from jostle.repository.query.resources.co_running import CoRunning, hide

_KINDS = ("posix", "stdio")
_NS = 1e9


def neighbours(alongside: CoRunning, *, as_user: int | None = None) -> list[Neighbour]:
    """List the jobs that were active on a resource of a job while it ran.

    Args:
        alongside: The job and its neighbours, from Repository.alongside.
        as_user: Uid of the viewer, who sees the jobs of all other users as one entry without names.
            None: all jobs may be seen.

    Returns:
        The neighbours, the one with the longest overlap first.
    """
    found = alongside if as_user is None else hide(alongside, (as_user,), OTHERS)
    listed = [_neighbour(found, name) for name in found.others]
    return sorted(
        listed, key=lambda neighbour: (-neighbour.overlap_s, neighbour.start_ns, neighbour.job)
    )


def _neighbour(alongside: CoRunning, name: str) -> Neighbour:
    fact, own = alongside.others[name], alongside.job
    load = _loads(alongside, name)
    # Jobs without names: neither may the begin or end of any of them be shown.
    overlap = max(min(fact.last_ns, own.last_ns) - max(fact.start_ns, own.start_ns), 0)
    return Neighbour(
        job=name,
        program=fact.program,
        user=fact.user,
        start_ns=fact.start_ns,
        end_ns=fact.end_ns,
        nodes=list(fact.nodes),
        shared=list(load),
        overlap_s=overlap / _NS,
        load=load,
    )


def _loads(alongside: CoRunning, name: str) -> dict[str, str]:
    said: dict[str, str] = {}
    rows = _of(alongside, alongside.mount_loads, name)
    for mount in dict.fromkeys(rows.column("mount").to_pylist()) if rows.num_rows else ():
        here = rows.filter(pc.equal(rows.column("mount"), mount))
        parts = []
        for what, done in (("write", "written"), ("read", "read")):
            moved = _sum(here, *(f"{kind}_{what}_bytes" for kind in _KINDS))
            if moved:
                parts.append(f"{size(moved)} {done}")
        if not parts:
            calls = ("open_ops", "close_ops", "meta_ops", "seek_ops", "sync_ops")
            many = _sum(here, *(f"{kind}_{call}" for kind in _KINDS for call in calls))
            parts.append(f"{many:.0f} operations without data")
        said[str(mount)] = ", ".join(parts)
    rows = _of(alongside, alongside.node_loads, name)
    for node in dict.fromkeys(rows.column("host").to_pylist()) if rows.num_rows else ():
        here = rows.filter(pc.equal(rows.column("host"), node))
        said[str(node)] = f"{_sum(here, 'cpu_ns') / _NS:.1f} s of CPU time"
    rows = _of(alongside, alongside.network_loads, name)
    if rows.num_rows:
        said["network"] = f"{size(_sum(rows, 'bytes'))} by MPI"
    rows = _of(alongside, alongside.gpu_loads, name)
    # A job that only sends messages shares a switch with others' copies, but no GPU.
    rows = rows.filter(pc.is_in(rows.column("host"), value_set=alongside.own_gpus["host"].unique()))
    for gpu in sorted(set(rows.column("gpu").to_pylist())) if rows.num_rows else ():
        here = rows.filter(pc.equal(rows.column("gpu"), gpu))
        copied = _sum(here, *(f"gpu_{way}_bytes_sum" for way in ("h2d", "d2h", "peer")))
        launches = _sum(here, "gpu_launch_ops_sum", "gpu_graph_ops_sum")
        said[f"GPU {gpu}"] = f"{size(copied)} copied, {launches:.0f} launches"
    return said


def _of(alongside: CoRunning, table: pa.Table, name: str) -> pa.Table:
    """Return the rows of a neighbour, with a column `part`: how much of each lies in the job's run.

    The part is from 0 to 1.
    """
    if not table.num_rows:
        return table
    rows = table.filter(pc.equal(table.column("job"), name))
    start, length = spans(rows)
    begin, end = alongside.job.life
    part = np.minimum(start + length, end) - np.maximum(start, begin)
    return rows.append_column("part", pa.array(np.clip(part / length, 0, 1)))


def _sum(rows: pa.Table, *names: str) -> float:
    part = rows.column("part").to_numpy()
    values = (np.asarray(rows.column(name).to_numpy(), dtype=float) for name in names)
    return float(sum((part * value).sum() for value in values))
