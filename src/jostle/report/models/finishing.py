"""When the processes of a job ended on each mount, and what its servers moved: words and data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jostle.report.format.values import count, duration, percent

if TYPE_CHECKING:
    from jostle.analysis.digest.finishing import Finishing, ServerRate
    from jostle.repository import Repository

#: Mounts with fewer bytes are left out: programs read their own files at their begin.
_LITTLE = 1 << 20
_BYTES = " + ".join(
    f"coalesce({kind}_{way}_bytes, 0)::HUGEINT" for kind in ("posix", "stdio")
    for way in ("read", "write")
)  # fmt: skip
_ENDS = f"""
SELECT mount, process, max((slice + span) * slice_ns) AS last_ns, min(slice * slice_ns) AS first_ns,
    least(sum({_BYTES}), 9e18)::BIGINT AS bytes, max(slice_ns) AS slice_ns
FROM mount_slices WHERE job = $1 AND {_BYTES} > 0 GROUP BY mount, process
"""
_NAMED = f"""
SELECT e.mount, e.first_ns, e.bytes, e.slice_ns,
    CASE WHEN p.end_ns > e.first_ns THEN least(e.last_ns, p.end_ns) ELSE e.last_ns END AS last_ns,
    CASE WHEN p.world_size > 1 THEN 'rank ' || p.world_rank
        ELSE p.host || ' ' || p.pid END AS name
FROM ({_ENDS}) e JOIN (SELECT * FROM processes WHERE job = $1) p USING (process)
ORDER BY e.mount, p.world_rank, p.host, p.pid
"""
_MOVED = """
SELECT slice * slice_ns AS start_ns, slice_ns AS length_ns, (posix_read_bytes_sum
    + posix_write_bytes_sum + stdio_read_bytes_sum + stdio_write_bytes_sum)::BIGINT AS bytes
FROM rollup WHERE job = $1 AND mount = $2 ORDER BY start_ns
"""


def finishing_of(store: Repository, job: str) -> list[Finishing]:
    """Return when the processes of a job ended, for each mount on which four or more moved data.

    Mounts with less than 1 MiB are left out. The one with the longest tail-off comes first.
    """
    import pyarrow.compute as pc

    from jostle.analysis.digest.finishing import finishing

    every = []
    rows = store.query(_NAMED, [job])
    for mount in pc.unique(rows["mount"]).to_pylist():
        mine = rows.filter(pc.equal(rows["mount"], mount))
        if pc.sum(mine["bytes"]).as_py() < _LITTLE:
            continue
        span = (pc.min(mine["first_ns"]).as_py(), pc.max(mine["last_ns"]).as_py())
        moved = store.query(_MOVED, [job, mount])
        each = finishing(job, mount, mine, moved, store.served([mount], span))
        if each is not None:
            every.append(each)
    return sorted(every, key=lambda each: (-each.tail_s, each.mount))


def finding(each: Finishing) -> str:
    """Return what there is to say: `balanced until 41 s, tail-off of 12 s: 3 of 64 processes`."""
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
    """Return how a server lagged: `server oss2 served 0.4 of its peers' rate`."""
    ratio = server.ratio or 0.0
    much = f"{ratio:.1f}" if ratio >= 0.095 else f"{ratio:.2f}"
    return f"server {server.host} served {much} of its peers' rate"


def tail_share(each: Finishing) -> str:
    """Return how much of the bytes the tail-off moved; empty without one."""
    return f"{percent(each.tail_share)} of the bytes in the tail-off" if each.late else ""
