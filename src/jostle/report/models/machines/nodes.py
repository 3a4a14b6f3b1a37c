"""Nodes and servers that are persistently worse than their peers, as data for all views."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

    from jostle.analysis.nodes import NodeDifferences
    from jostle.repository import Repository

#: Default number of days.
DAYS = 28
#: Most rows of component slices that are read.
_MOST_ROWS = 40_000_000
_DAY_NS = 86_400_000_000_000

_MACHINES = "SELECT host, any_value(role) AS role FROM machines GROUP BY host"
_CORES = """
SELECT host, cpu_count, slice * slice_ns // 86400000000000 AS day, count(*) AS slices
FROM component_slices
WHERE kind = 'machine' AND cpu_count > 0 AND {between}
GROUP BY ALL
"""
_ROWS = """
SELECT slice * slice_ns // 86400000000000 AS day, count(*) AS slices FROM component_slices
WHERE {between} GROUP BY ALL
"""
_NEWEST = """
SELECT max(hi)::BIGINT AS hi FROM (
    SELECT (last_slice + 1) * slice_ns AS hi FROM machines
    UNION ALL SELECT (last_slice + 1) * slice_ns FROM processes
)
"""


def nodes_json(content: NodeDifferences) -> dict[str, Any]:
    """Return the differences as JSON-compatible values, and as text."""
    from jostle.report.format.nodes import answer, not_assessed, size_of, watched, what_of

    plain = content.to_json()
    for row, each in zip(plain["differences"], content.differences, strict=True):
        row |= {"what": what_of(each), "how_much": size_of(each)}
    for row, unassessed in zip(plain["unassessed"], content.unassessed, strict=True):
        row["words"] = not_assessed(unassessed)
    return plain | {"answer": answer(content), "watched": watched(content)}


def node_differences(store: Repository, days: int = DAYS) -> NodeDifferences:
    """Compare the components of a repository's machines over its last days.

    Args:
        store: The repository.
        days: Number of days, up to the repository's newest slice.
    """
    import pyarrow as pa

    from jostle.analysis.nodes import days_sql, job_days_sql, persistent_differences
    from jostle.repository.query.divided import Question

    newest = store.query(_NEWEST).to_pylist()[0]["hi"] or 0
    span = max(0, (newest - 1) // _DAY_NS - days + 1) * _DAY_NS, 2**63 - 1
    between = f"slice * slice_ns >= {span[0]}"

    def ask(sql: str) -> pa.Table:
        return store.divided.ask(Question(sql, span=span))

    rows = sum(ask(_ROWS.format(between=between))["slices"].to_pylist())
    machines = _machines(store, ask(_CORES.format(between=between)))
    # A day has more slices than its numbers need: for a large site a sample is enough.
    every = -(-rows // _MOST_ROWS)
    if every > 1:
        between += f" AND slice % {every} = 0"
    parts = [ask(days_sql(between)), ask(job_days_sql(between))]
    condensed = pa.concat_tables(parts, promote_options="permissive")
    return persistent_differences(condensed, machines)


def _machines(store: Repository, cores: pa.Table) -> pa.Table:
    """Return host, role and number of cores (the most frequent one) of all machines."""
    from pyarrow import array, int64

    slices: dict[str, Counter[int]] = {}
    for row in cores.to_pylist():
        slices.setdefault(row["host"], Counter())[row["cpu_count"]] += row["slices"]
    usual = {
        host: max(had.items(), key=lambda each: (each[1], each[0]))[0]
        for host, had in slices.items()
    }
    machines = store.query(_MACHINES)
    numbers = [usual.get(host, 0) for host in machines["host"].to_pylist()]
    return machines.append_column("cores", array(numbers, int64()))
