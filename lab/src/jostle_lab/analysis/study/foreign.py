"""Finds traffic at the servers that is not the study's own, from the counters of their agents.

The rule of Shah, 2020, section 3.2.2: runs in which the file servers were loaded 10 % more than by
our own programs are left out. It needs only the servers' slices and the programs' profiles, so it
is the same in a lab, under Slurm, and wherever else agents run on the servers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jostle.repository.writing import SERVING_KINDS
from jostle.values.arrow_columns import ints
from jostle_lab.analysis.study.pairs import JobProgress

#: Kinds that count the bytes of requests. A disk or a link moves more than that, or less: it is
#: compared with standalone runs.
_REQUESTS = frozenset({"lustre_ost", "gpfs_disk", "nfs_server"})
_READ, _WRITE = "storage_read_bytes", "storage_write_bytes"
# With fewer whole slices of the servers, the slices at a run's edges would decide.
_FEWEST = 3
# Share of a run's slices in which every server's agent must have run.
_WATCHED = 0.9


@dataclass(frozen=True)
class Served:
    """The data that all servers of a mount moved during a run, in complete slices of their agents.

    Attributes:
        read, written: Bytes that all clients read and wrote.
        until_ns: End of the last of these slices, ns since the epoch.
        requests: Whether the counters count the data of clients' requests, so that each byte of a
            program counts once; False for counters of links or disks.
    """

    read: float
    written: float
    until_ns: int
    requests: bool


def served(servers: pa.Table, mount: str | None, begin_ns: int, end_ns: int) -> Served | None:
    """Return the data that the servers of a mount moved during a run.

    Args:
        servers: Slices of servers (Repository.served).
        mount: Identity of the mount.
        begin_ns: Begin of the run, ns since the epoch.
        end_ns: End of the run, ns since the epoch.

    Returns:
        The data, or None if it is not known: no agent ran on all servers all the time, a counter
        was lost, or the run has fewer than three whole slices of theirs.
    """
    mine = servers.filter(
        pc.and_(pc.equal(servers["mount"], mount or ""), pc.equal(servers["job"], ""))
    )
    kinds = set(mine["kind"].to_pylist())
    kind = next((kind for kind in SERVING_KINDS if kind in kinds), None)
    if kind is None:
        return None
    length = int(ints(mine, "slice_ns").max())
    first, last = -(-begin_ns // length) * length, end_ns // length * length
    if last - first < _FEWEST * length:
        return None
    hosts = sorted(set(mine.filter(pc.equal(mine["kind"], kind))["host"].to_pylist()))
    start, lasts = ints(mine, "slice") * ints(mine, "slice_ns"), ints(mine, "slice_ns")
    lasts = lasts * np.maximum(ints(mine, "span"), 1)
    mine = mine.filter(pa.array((start >= first) & (start + lasts <= last)))
    if not all(_watched(mine, host, last - first) for host in hosts):
        return None
    counted = mine.filter(pc.equal(mine["kind"], kind))
    read, written = _READ, _WRITE
    if kind == "interface":
        read, written = "link_send_bytes", "link_receive_bytes"
    if any(read in each or written in each for each in counted["unknown"].to_pylist()):
        return None
    return Served(
        float(ints(counted, read).sum()),
        float(ints(counted, written).sum()),
        last,
        kind in _REQUESTS,
    )


def _watched(rows: pa.Table, host: str, whole_ns: int) -> bool:
    """Return whether a machine's agent ran during nearly all of a span.

    A running agent records a row in each slice, since no machine is idle for a whole slice.
    """
    mine = rows.filter(pc.and_(pc.equal(rows["host"], host), pc.equal(rows["kind"], "machine")))
    lasted = ints(mine, "slice_ns") * np.maximum(ints(mine, "span"), 1)
    return float(lasted.sum()) >= _WATCHED * whole_ns


def own_bytes(progress: Sequence[JobProgress | None], until_ns: int | None) -> float:
    """Return the bytes that programs moved up to an instant (None: during the whole run)."""
    total = 0.0
    for each in progress:
        if each is not None and until_ns is None:
            total += each.total
        elif each is not None and each.slice_ns and until_ns is not None:
            starts = (each.first_slice + np.arange(each.values.shape[1])) * each.slice_ns
            share = np.clip((until_ns - starts) / each.slice_ns, 0.0, 1.0)
            total += float((each.per_slice * share).sum())
    return total


def excess(servers: Served, read: float, written: float) -> float | None:
    """Return the servers' traffic of other jobs, divided by the traffic of the study's programs.

    Args:
        servers: Data that the servers moved, counted by requests.
        read: Bytes that the study's programs read until `servers.until_ns`.
        written: Bytes that the study's programs wrote until then.

    Returns:
        The ratio, such as 0.1 for 10 % more; None if the servers moved nothing for the study. Data
        that the study's programs read from a cache, or wrote and have not yet sent, does not hide
        traffic of others in the other direction.
    """
    ours = min(servers.read, read) + min(servers.written, written)
    others = max(servers.read - read, 0.0) + max(servers.written - written, 0.0)
    return others / ours if ours > 0 else None
