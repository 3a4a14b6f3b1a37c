"""Reads the traffic of nodes' memory controllers per slice, where an agent counts it."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from jostle.repository.query.engine import Engine, total

NO_MEMORY_TRAFFIC = pa.table(
    {"host": pa.array([], pa.string())}
    | {name: pa.array([], pa.int64()) for name in ("slice", "slice_ns", "span", "bytes")}
)


def memory_traffic(engine: Engine, hosts: Sequence[str], window: Sequence[int]) -> pa.Table:
    """Return the bytes that the memory controllers of nodes read and wrote in a span of time.

    Args:
        engine: The repository.
        hosts: The nodes.
        window: Start and end, ns since the epoch.

    Returns:
        Columns host, slice, slice_ns, span and bytes, for all sockets of a node together. Slices in
        which one of the counters was not known are left out.
    """
    if not hosts or not engine.newest("component_slices", *window):
        return NO_MEMORY_TRAFFIC
    moved = "coalesce(memory_read_bytes, 0)::HUGEINT + coalesce(memory_write_bytes, 0)"
    rows = engine.source("component_slices", *window)
    found = engine.ask(
        lambda: (
            f"SELECT host, slice, slice_ns, span, {total(moved)} AS bytes FROM ({rows}) "
            "WHERE kind = 'socket' AND list_contains($3, host) "
            "AND (slice + span) * slice_ns > $1 AND slice * slice_ns < $2 "
            "GROUP BY host, slice, slice_ns, span "
            "HAVING NOT bool_or(contains(coalesce(unknown, ''), 'memory_')) ORDER BY ALL"
        ),
        [*window, list(hosts)],
    )
    return found.cast(NO_MEMORY_TRAFFIC.schema)
