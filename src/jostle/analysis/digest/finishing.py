"""Finds when the processes of a job ended their I/O, and which server was slower than its peers.

By Shah, 2020, section 3.2.3, figures 3.3 and 3.4, most processes of a job end their I/O together
(the balanced part). A few go on, up to twice as long (the tail-off), mostly since one file server
moves less data than the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from jostle.analysis.series import resample
from jostle.repository.query.resources.machine_loads import SERVING_KINDS
from jostle.values.arrow_columns import ints
from jostle.values.plain_values import plain

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

#: Multiple of the median absolute deviation from which on a value is an outlier.
DEVIATIONS = 4.0
# A process is not late by less than two slices, or by less than a twentieth of the time.
_LATE_SLICES, _LATE_SHARE = 2, 0.05
# A server that moves more than four fifths of what its peers do does not lag.
_LAGS = 0.8
# With fewer processes or servers there are too few peers for a comparison.
_FEWEST = 4
_FEWEST_SERVERS = 3
# A process with less than a tenth of the usual bytes did something else: a launcher, a shell.
_PART = 0.1
# A server lags for a span: three slices at least, or a twentieth of the time.
_SPAN_SLICES, _SPAN_SHARE = 3, 0.05


@dataclass(frozen=True)
class ProcessEnd:
    """The instant at which a process had moved its last byte on a mount.

    Attributes:
        name: Rank of the process, as "rank 3"; host and process id if it has no rank.
        end_s: Time from the job's first byte on the mount to the process's last one, s; known to a
            slice.
        late: Whether the process ended later than most, so that it belongs to the tail-off.
    """

    name: str
    end_s: float
    late: bool


@dataclass(frozen=True)
class ServerRate:
    """The data rate of a file server over time.

    Attributes:
        host: Host name of the server.
        rates: Data rate in each slice, bytes/s.
        slow: Whether each slice is in a span in which the server moved less than its peers.
        ratio: Data rate in the slow slices divided by the median data rate of the other servers
            then; None: the server was never slow.
    """

    host: str
    rates: list[float]
    slow: list[bool]
    ratio: float | None


@dataclass(frozen=True)
class Finishing:
    """When the processes of a job ended their I/O on a mount, and the data rates of its servers.

    Attributes:
        job: Name of the job.
        mount: Identity of the mount.
        start_ns: Start of the slice with the job's first byte on the mount, ns since the epoch.
        slice_ns: Slice length of the job, in ns.
        ends: The processes that moved at least a tenth of the usual bytes, in order of their ends.
        balanced_s: When the last process that is not late had ended, s from start_ns.
        tail_s: How long the late processes went on after that, s; 0: none was late.
        tail_share: Share of the job's bytes on the mount that were moved in the tail-off.
        server_start_ns: Start of the servers' first slice, ns since the epoch.
        server_slice_ns: Slice length of the servers, ns; 0: no agent runs on them.
        servers: Data rate of each server, summed over all jobs.
    """

    job: str
    mount: str
    start_ns: int
    slice_ns: int
    ends: list[ProcessEnd]
    balanced_s: float
    tail_s: float
    tail_share: float
    server_start_ns: int
    server_slice_ns: int
    servers: list[ServerRate]

    @property
    def late(self) -> int:
        """Number of late processes."""
        return sum(end.late for end in self.ends)

    @property
    def slow_servers(self) -> list[ServerRate]:
        """The servers that were slower than their peers, the slowest first."""
        slow = [server for server in self.servers if server.ratio is not None]
        return sorted(slow, key=lambda server: (server.ratio or 0.0, server.host))

    @property
    def whole_s(self) -> float:
        """Time from the job's first byte on the mount to its last, in seconds."""
        return self.balanced_s + self.tail_s

    @property
    def notable(self) -> bool:
        """Whether there is a tail-off or a slow server."""
        return self.late > 0 or bool(self.slow_servers)

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON-compatible values.

        Of the processes only the late ones are listed; of the servers only host and ratio.
        """
        values: dict[str, Any] = plain(
            {
                "mount": self.mount,
                "start_ns": self.start_ns,
                "processes": len(self.ends),
                "late": self.late,
                "balanced_s": self.balanced_s,
                "tail_s": self.tail_s,
                "tail_share": self.tail_share,
                "late_processes": [
                    {"name": end.name, "end_s": end.end_s} for end in self.ends if end.late
                ],
                "servers": [
                    {"host": server.host, "ratio": server.ratio} for server in self.servers
                ],
            }
        )
        return values


def finishing(
    job: str, mount: str, processes: pa.Table, moved: pa.Table, servers: pa.Table
) -> Finishing | None:
    """Find when the processes of a job ended their I/O on a mount.

    Args:
        job: Name of the job.
        mount: Identity of the mount.
        processes: One row per process: name, first_ns and last_ns (times of its first and last byte
            on the mount), bytes, slice_ns.
        moved: What the job moved on the mount over time: start_ns, length_ns, bytes.
        servers: What the mount's servers moved over time, from Repository.served.

    Returns:
        The ends of the processes; None if fewer than four processes moved at least a tenth of the
        usual bytes.
    """
    amount = ints(processes, "bytes").astype(np.float64)
    usual = float(np.median(amount)) if len(amount) else 0.0
    part = (amount > 0) & (amount >= _PART * usual)
    if int(part.sum()) < _FEWEST:
        return None
    rows = processes.filter(pa.array(part))
    start, slice_ns = int(ints(rows, "first_ns").min()), int(ints(rows, "slice_ns").max())
    end = (ints(rows, "last_ns") - start) / 1e9
    late = late_ones(end, slice_ns / 1e9)
    balanced = float(end[~late].max())
    by = np.lexsort((np.arange(len(end)), end))
    names = rows.column("name").to_pylist()
    ends = [ProcessEnd(names[at], float(end[at]), bool(late[at])) for at in by]
    first, length, rates = server_rates(
        servers, mount, start, start + round(balanced * 1e9), start + round(float(end.max()) * 1e9)
    )
    return Finishing(
        job,
        mount,
        start,
        slice_ns,
        ends,
        balanced,
        float(end.max()) - balanced,
        _after(moved, start + round(balanced * 1e9)) if late.any() else 0.0,
        first,
        length,
        rates,
    )


def late_ones(end: Floats, slice_s: float) -> Flags:
    """Return which processes ended late.

    A process is late if it ended after the median by more than four median absolute deviations, by
    more than two slices, and by more than a twentieth of the median.

    Args:
        end: Time at which each process ended, s after the first byte.
        slice_s: Length of a slice, in seconds.
    """
    middle = float(np.median(end))
    usual = float(np.median(np.abs(end - middle)))
    late = max(DEVIATIONS * usual, _LATE_SLICES * slice_s, _LATE_SHARE * middle)
    return np.asarray(end > middle + late * (1 + 1e-9))


def _after(moved: pa.Table, instant: int) -> float:
    """Return the share of the job's bytes that were moved after an instant."""
    start, length = ints(moved, "start_ns"), ints(moved, "length_ns")
    bytes_ = ints(moved, "bytes").astype(np.float64)
    share = np.clip((start + length - instant) / np.maximum(length, 1), 0.0, 1.0)
    return float((bytes_ * share).sum() / bytes_.sum()) if bytes_.any() else 0.0


def server_rates(
    servers: pa.Table, mount: str, begin_ns: int, balanced_ns: int, end_ns: int
) -> tuple[int, int, list[ServerRate]]:
    """Return the data rate of each server of a mount, and when one lagged behind its peers.

    Args:
        servers: What servers moved over time, from Repository.served.
        mount: Identity of the mount.
        begin_ns: Start of the time to cover, ns since the epoch.
        balanced_ns: End of the comparison between servers; afterwards servers may be idle.
        end_ns: End of the time to cover.

    Returns:
        Start of the first slice, slice length (0 if no agent runs on the servers), and the data
        rates of the servers in alphabetical order.
    """
    mine = servers.filter(pc.and_(pc.equal(servers["mount"], mount), pc.equal(servers["job"], "")))
    kinds = set(mine["kind"].to_pylist())
    kind = next((kind for kind in SERVING_KINDS if kind in kinds), None)
    if kind is None:
        return begin_ns, 0, []
    mine = mine.filter(pc.equal(mine["kind"], kind))
    length = int(ints(mine, "slice_ns").max())
    first = begin_ns // length * length
    axis = (first, length, -(-(end_ns - first) // length))
    columns = (
        ("link_receive_bytes", "link_send_bytes")
        if kind == "interface"
        else ("storage_read_bytes", "storage_write_bytes")
    )
    hosts = sorted(set(mine["host"].to_pylist()))
    rates = np.zeros((len(hosts), axis[2]))
    for row, host in enumerate(hosts):
        own = mine.filter(pc.equal(mine["host"], host))
        start, lasts = ints(own, "slice") * ints(own, "slice_ns"), ints(own, "slice_ns")
        amount = sum((ints(own, name) for name in columns), np.zeros(len(start), np.int64))
        lasts = lasts * np.maximum(ints(own, "span"), 1)
        rates[row] = resample(start, lasts, amount, axis) / (length / 1e9)
    slow = lagging(
        rates, whole=range(-(-(begin_ns - first) // length), (balanced_ns - first) // length)
    )
    return (
        first,
        length,
        [
            ServerRate(host, rates[row].tolist(), slow[row].tolist(), _ratio(rates, row, slow[row]))
            for row, host in enumerate(hosts)
        ],
    )


def lagging(rates: Floats, whole: range) -> Flags:
    """Return for each server and slice whether the server moved less than its peers then.

    The rate of a server is averaged over three slices or a twentieth of the time, whichever is
    longer. The server lags if this mean is below four fifths of the peers' median, and below this
    median by more than four times the peers' median absolute deviation.

    Args:
        rates: Data rates, shape (servers, slices).
        whole: The slices in which to compare servers.
    """
    slow = np.zeros(rates.shape, dtype=np.bool_)
    span = max(_SPAN_SLICES, round(_SPAN_SHARE * len(whole)))
    if len(rates) < _FEWEST_SERVERS or len(whole) < span:
        return slow
    sums = np.cumsum(np.pad(rates[:, whole.start : whole.stop], ((0, 0), (1, 0))), axis=1)
    means = (sums[:, span:] - sums[:, :-span]) / span
    for row in range(len(rates)):
        middle, usual = _peers(means, row)
        off = means[row] < np.minimum(middle - DEVIATIONS * usual, _LAGS * middle)
        for at in np.flatnonzero(off):
            slow[row, whole.start + at : whole.start + at + span] = True
        _trim(slow[row], rates[row] < _LAGS * _peers(rates, row)[0])
    return slow


def _trim(slow: Flags, below: Flags) -> None:
    """Remove slices whose own rate is not low from both ends of each slow span, in place."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], slow.astype(np.int8), [0]])))
    for first, last in zip(edges[::2], edges[1::2], strict=True):
        low = first + np.flatnonzero(below[first:last])
        slow[first:last] = False
        if len(low):
            slow[low[0] : low[-1] + 1] = True


def _peers(values: Floats, row: int) -> tuple[Floats, Floats]:
    """Return median and median absolute deviation of the other servers' values in each slice."""
    others = np.delete(values, row, axis=0)
    middle = np.median(others, axis=0)
    return middle, np.median(np.abs(others - middle), axis=0)


def _ratio(rates: Floats, row: int, slow: Flags) -> float | None:
    if not slow.any():
        return None
    peers = float(_peers(rates, row)[0][slow].sum())
    return float(rates[row][slow].sum()) / peers if peers > 0 else None
