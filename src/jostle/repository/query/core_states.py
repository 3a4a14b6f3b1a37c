"""Reads what agents counted of the nodes of a job: frequency, throttling, limits, steal, energy.

Without agents the table is empty, and nothing is asked.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from jostle.repository.query.engine import Engine
from jostle.repository.types import CORE_METRICS, NO_CORE_STATES

_KINDS = ("machine", "power", "batch_job")
_MOST_ROWS = 1_000_000  # of a day on a thousand nodes so many slices are joined that this is left
_LEVELS = {
    "cpu_frequency_khz": "avg", "cpu_frequency_limit_khz": "max", "power_limit_uw": "min",
    "power_temperature_mc": "max",
}  # fmt: skip
_JOINED = {name: _LEVELS.get(name, "sum") for name in CORE_METRICS}


def core_states(
    engine: Engine, hosts: Sequence[str], batches: Sequence[str], window: Sequence[int]
) -> pa.Table:
    """Return the slices of the machines, power domains and control groups of a job's nodes.

    Args:
        engine: The repository.
        hosts: The job's nodes.
        batches: The batch jobs that it belongs to, such as slurm-12.
        window: Start and end, ns since the epoch.

    Returns:
        As RunTables.core_states.
    """
    if not hosts or not engine.newest("component_slices", *window):
        return NO_CORE_STATES
    rows = engine.source("component_slices", *window)
    chosen = (
        f"FROM ({rows}) WHERE list_contains($1, host) AND list_contains($2, kind) "
        "AND (kind <> 'batch_job' OR list_contains($3, job)) "
        "AND slice + span > $4 // slice_ns AND slice * slice_ns < $5"
    )
    asked = [list(hosts), list(_KINDS), list(batches), *window]
    number = engine.ask(lambda: f"SELECT count(*) AS number {chosen}", asked)["number"][0].as_py()
    joined = -(-number // _MOST_ROWS) or 1
    columns = ", ".join(
        # 0 in a row that does not know the metric would be taken for a measurement.
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
