"""Nodes and servers that are persistently worse than their peers: one content for all views."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jostle.analysis.nodes import NodeDifferences
    from jostle.repository import Repository

#: Days that are looked at by default.
DAYS = 28
#: Rows of component slices that are looked at.
_MOST_ROWS = 40_000_000
_DAY_NS = 86_400_000_000_000

_MACHINES = """
SELECT m.host, any_value(m.role) AS role, coalesce(mode(c.cpu_count), 0)::BIGINT AS cores
FROM machines m LEFT JOIN (
    SELECT host, cpu_count FROM component_slices
    WHERE kind = 'machine' AND cpu_count > 0 AND slice * slice_ns >= {lo}
) c ON c.host = m.host
GROUP BY m.host
"""
_NEWEST = """
SELECT max(hi)::BIGINT AS hi FROM (
    SELECT (last_slice + 1) * slice_ns AS hi FROM machines
    UNION ALL SELECT (last_slice + 1) * slice_ns FROM processes
)
"""


def nodes_json(content: NodeDifferences) -> dict[str, Any]:
    """Return the differences as plain values, and in words."""
    from jostle.report.format.nodes import answer, not_judged, size_of, watched, what_of

    plain = content.to_json()
    for row, each in zip(plain["differences"], content.differences, strict=True):
        row |= {"what": what_of(each), "how_much": size_of(each)}
    for row, unjudged in zip(plain["unjudged"], content.unjudged, strict=True):
        row["words"] = not_judged(unjudged)
    return plain | {"answer": answer(content), "watched": watched(content)}


def node_differences(store: Repository, days: int = DAYS) -> NodeDifferences:
    """Compare the components of a repository's machines over its last days.

    Args:
        store: The repository.
        days: How many, up to its newest slice.
    """
    import pyarrow as pa

    from jostle.analysis.nodes import days_sql, job_days_sql, lasting_differences

    newest = store.query(_NEWEST).to_pylist()[0]["hi"] or 0
    lo = max(0, (newest - 1) // _DAY_NS - days + 1) * _DAY_NS
    between = f"slice * slice_ns >= {lo}"
    counted = store.query(f"SELECT count(*) AS rows FROM component_slices WHERE {between}")
    # A day has more slices than its figures need: of a large site some are enough.
    every = -(-counted["rows"][0].as_py() // _MOST_ROWS)
    if every > 1:
        between += f" AND slice % {every} = 0"
    parts = [store.query(sql(between)) for sql in (days_sql, job_days_sql)]
    condensed = pa.concat_tables(parts, promote_options="permissive")
    return lasting_differences(condensed, store.query(_MACHINES.format(lo=lo)))
