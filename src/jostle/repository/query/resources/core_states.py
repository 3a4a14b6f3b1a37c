"""Reads agents' counters of a job's nodes: frequency, throttling, limits, steal time, energy.

If no agent ran on these nodes, the table is empty, and no query runs.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from jostle.repository.query.engine import Engine
from jostle.repository.types import CORE_METRICS, NO_CORE_STATES

_KINDS = ("machine", "power", "batch_job")
_MOST_ROWS = 1_000_000  # slices are joined until at most this many rows are left
_LEVELS = {
    "cpu_frequency_khz": "avg",
    "cpu_frequency_limit_khz": "max",
    "power_limit_uw": "min",
    "power_temperature_mc": "max",
}
_JOINED = {name: _LEVELS.get(name, "sum") for name in CORE_METRICS}


def core_states(engine: Engine, processes: pa.Table, window: Sequence[int]) -> pa.Table:
    """Return the slices of the machines, power domains and control groups of a job's nodes.

    Args:
        engine: The repository.
        processes: Processes of the job, as RunTables.processes.
        window: Start and end, ns since the epoch.

    Returns:
        Rows as in RunTables.core_states.
    """
    hosts = sorted(set(processes["host"].to_pylist()))
    batches = sorted({batch for batch in processes["batch"].to_pylist() if batch})
    if not hosts or not engine.newest("component_slices", *window):
        return NO_CORE_STATES
    rows = engine.source("component_slices", *window)
    chosen = (
        f"FROM ({rows}) WHERE list_contains($1, host) AND list_contains($2, kind) "
        "AND (kind <> 'batch_job' OR list_contains($3, job)) "
        "AND slice + span > $4 // slice_ns AND slice * slice_ns < $5"
    )
    asked = [hosts, list(_KINDS), batches, *window]
    number = engine.ask(lambda: f"SELECT count(*) AS number {chosen}", asked)["number"][0].as_py()
    joined = -(-number // _MOST_ROWS) or 1
    columns = ", ".join(
        # A 0 in a row where the metric is unknown would count as a measurement.
        f"try_cast({how}(CASE WHEN NOT list_contains(string_split(coalesce(unknown, ''), ' '), "
        f"'{name}') THEN coalesce({name}, 0) END) AS BIGINT) AS {name}"
        for name, how in _JOINED.items()
    )
    return engine.ask(
        lambda: (
            f"SELECT host, kind, name, slice // {joined} AS slice, slice_ns * {joined} AS slice_ns,"
            f" max((span + {joined - 1}) // {joined})::BIGINT AS span, {columns} {chosen} "
            "GROUP BY ALL ORDER BY 1, 2, 3, min(slice * slice_ns)"
        ),
        asked,
    ).cast(NO_CORE_STATES.schema)


def newest_machine_slices(engine: Engine, since_ns: int) -> dict[str, int]:
    """Return, by host, the end (ns) of the machine's newest slice, if it is after an instant.

    Table machines does not suffice: it has the newest slice only of agents that have ended.
    """
    rest = (since_ns, 2**63 - 1)
    if not engine.newest("component_slices", *rest):
        return {}
    rows = engine.source("component_slices", *rest)
    newest = engine.ask(
        lambda: (
            f"SELECT host, max((slice + span) * slice_ns)::BIGINT AS ns FROM ({rows}) GROUP BY host"
        ),
        [],
    )
    return dict(zip(*(newest[name].to_pylist() for name in ("host", "ns")), strict=True))
