"""When the processes of a job ended their I/O on each mount, and data rates of its servers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jostle.report.format.values import count, duration, percent

if TYPE_CHECKING:
    from jostle.analysis.digest.finishing import Finishing, ServerRate
    from jostle.repository import Repository

#: Mounts with fewer bytes are left out: programs read their own files when they start.
_LITTLE = 1 << 20


def finishing_of(store: Repository, job: str) -> list[Finishing]:
    """Return when the processes of a job ended their I/O, for each mount that four or more used.

    Mounts with less than 1 MiB of traffic are left out. The mount with the longest tail-off (the
    time in which only late processes still did I/O) comes first.
    """
    import pyarrow.compute as pc

    from jostle.analysis.digest.finishing import finishing

    every = []
    rows, moved = store.process_ends(job)
    for mount in pc.unique(rows["mount"]).to_pylist():
        mine = rows.filter(pc.equal(rows["mount"], mount))
        if pc.sum(mine["bytes"]).as_py() < _LITTLE:
            continue
        span = (pc.min(mine["first_ns"]).as_py(), pc.max(mine["last_ns"]).as_py())
        there = moved.filter(pc.equal(moved["mount"], mount))
        each = finishing(job, mount, mine, there, store.served([mount], span))
        if each is not None:
            every.append(each)
    return sorted(every, key=lambda each: (-each.tail_s, each.mount))


def finding(each: Finishing) -> str:
    """Return the finding on a mount: `balanced until 41 s, tail-off of 12 s: 3 of 64 processes`."""
    whole = count(len(each.ends))
    if each.late:
        text = (
            f"balanced until {duration(1e9 * each.balanced_s)}, "
            f"tail-off of {duration(1e9 * each.tail_s)}: {count(each.late)} of {whole} processes"
        )
    else:
        text = f"all {whole} processes ended together, after {duration(1e9 * each.balanced_s)}"
    return "; ".join([text, *map(slow_server, each.slow_servers[:2])])


def slow_server(server: ServerRate) -> str:
    """Format the slowdown of a server: `server oss2 served 0.4 of its peers' rate`."""
    ratio = server.ratio or 0.0
    much = f"{ratio:.1f}" if ratio >= 0.095 else f"{ratio:.2f}"
    return f"server {server.host} served {much} of its peers' rate"


def tail_share(each: Finishing) -> str:
    """Return a text on the share of the bytes in the tail-off; "" if no process was late."""
    return f"{percent(each.tail_share)} of the bytes in the tail-off" if each.late else ""
