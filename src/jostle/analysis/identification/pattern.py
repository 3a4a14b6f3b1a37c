"""Describes in a few words the access pattern of a suspect on a resource."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jostle.analysis.access.model import PATTERNS, RE_READ, READ_PATTERNS
from jostle.analysis.access.reads import read_patterns
from jostle.analysis.access.writes import write_patterns
from jostle.analysis.identification.resources.memory import bytes_or_cores
from jostle.analysis.identification.resources.shared import DATA_PER_REQUEST, SharedResource
from jostle.repository.query.resources.co_running import CoRunning
from jostle.repository.types import ACCESS_METRICS, JobTables

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
_KINDS = ("posix", "stdio")


def size(count: float) -> str:
    """Format a number of bytes with a unit such as MiB."""
    level = 0
    while count >= 1024 and level < len(_UNITS) - 1:
        count /= 1024
        level += 1
    return (
        f"{count:.0f} {_UNITS[level]}"
        if count >= 10 or not level
        else f"{count:.1f} {_UNITS[level]}"
    )


def pattern(alongside: CoRunning, job: str, resource: SharedResource) -> str:
    """Return a job's use of a resource as text, such as its access pattern or its CPU time."""
    if resource.kind == "node":
        load = resource.loads[job]
        cores = load.sum() / max(float((load > 0).sum()), 1) / resource.axis[1]
        return f"{cores:.1f} cores busy"
    if resource.kind == "memory":
        return bytes_or_cores(resource, job)
    if resource.kind == "network" or job in resource.places:
        rows = alongside.network_loads.filter(pc.equal(alongside.network_loads.column("job"), job))
        calls = _sum(rows, "ops")
        return f"MPI, {size(_sum(rows, 'bytes') / max(calls, 1))} a call"
    if resource.kind in ("gpu", "bus"):
        return _gpu(alongside, job)
    unprofiled = alongside.others[job].kind == "unprofiled"
    rows = alongside.mount_loads
    rows = rows.filter(
        pc.and_(pc.equal(rows.column("job"), job), pc.equal(rows.column("mount"), resource.mount))
    )
    if resource.kind == "metadata server" and (asked := _asked(rows)):
        return asked
    if unprofiled:  # the kernel counts bytes, not the calls of programs
        moved = {"read": _sum(rows, "posix_read_bytes"), "written": _sum(rows, "posix_write_bytes")}
        return " and ".join(f"{size(count)} {what}" for what, count in moved.items() if count)
    return _files(job, rows)


def _asked(rows: pa.Table) -> str:
    """Return a job's metadata operations as text; "" where its data is a larger load than they."""
    ops = _sum(
        rows, *(f"{kind}_{what}_ops" for kind in _KINDS for what in ("open", "close", "meta"))
    )
    moved = _sum(rows, *(f"{kind}_{what}_bytes" for kind in _KINDS for what in ("read", "write")))
    return f"metadata, {ops:.0f} operations" if ops > moved / DATA_PER_REQUEST else ""


def _gpu(alongside: CoRunning, job: str) -> str:
    rows = alongside.gpu_loads.filter(pc.equal(alongside.gpu_loads.column("job"), job))
    said = []
    for way, done in (
        ("h2d", "copied to GPUs"),
        ("d2h", "copied back"),
        ("peer", "copied between GPUs"),
    ):
        if moved := _sum(rows, f"gpu_{way}_bytes_sum"):
            said.append(f"{size(moved)} {done}")
    if launches := _sum(rows, "gpu_launch_ops_sum", "gpu_graph_ops_sum"):
        said.append(f"{launches:.0f} launches")
    rows = alongside.message_loads.filter(pc.equal(alongside.message_loads.column("job"), job))
    for name, done in (("ccl_bytes", "in collectives"), ("bytes", "sent to other nodes")):
        if moved := _sum(rows, name):
            said.append(f"{size(moved)} {done}")
    return ", ".join(said)


def _sum(rows: pa.Table, *names: str) -> float:
    return float(sum(np.asarray(rows.column(name).to_numpy(), dtype=float).sum() for name in names))


def _files(job: str, rows: pa.Table) -> str:
    written = _sum(rows, *(f"{kind}_write_bytes" for kind in _KINDS))
    read = _sum(rows, *(f"{kind}_read_bytes" for kind in _KINDS))
    files = _sum(rows, *(f"{kind}_{what}_ops" for kind in _KINDS for what in ("open", "meta")))
    moves = _sum(rows, *(f"{kind}_{what}_ops" for kind in _KINDS for what in ("read", "write")))
    if files > 4 * max(moves, 1):
        return "metadata"
    reads = read > written
    named = (read_patterns if reads else write_patterns)(_tables(job, rows))
    if named and named[0].pattern in (*PATTERNS, *READ_PATTERNS) and named[0].chunk_bytes:
        done = f"{named[0].pattern} read" if reads and named[0].pattern != RE_READ else ""
        return f"{done or named[0].pattern}, chunk {size(named[0].chunk_bytes)}"
    what, moved = ("read", read) if reads else ("write", written)
    calls = _sum(rows, *(f"{kind}_{what}_ops" for kind in _KINDS))
    return f"{what}, {size(moved / max(calls, 1))} a call" if calls else ""


def _tables(job: str, rows: pa.Table) -> JobTables:
    empty = pa.table({})
    keys = ["mount", "slice", "slice_ns", "count"]
    return JobTables(job, empty, empty, empty, empty, None, rows.select([*keys, *ACCESS_METRICS]))
