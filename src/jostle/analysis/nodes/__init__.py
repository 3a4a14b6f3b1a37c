"""Finds components that are persistently worse than their peers (Shah, 2020, section 2.1).

Public interface:
    persistent_differences: returns the differences, from values per component and day.
    EVERY, BY_NAME: the figures (measures such as latency or errors) by which components are
        compared.
    days_sql: SQL query for the values per component and day, from the slices of components.
    job_days_sql: the same from the slices of jobs, for nodes without an agent.
    NodeDifferences, Difference, DayOfPeers, Unassessed: result types of persistent_differences.
    date_of: returns a day as a date.
"""

from __future__ import annotations

from jostle.analysis.nodes.compare import persistent_differences
from jostle.analysis.nodes.figures import BY_NAME, EVERY, Figure, days_sql, job_days_sql
from jostle.analysis.nodes.model import DayOfPeers, Difference, NodeDifferences, Unassessed, date_of

__all__ = [
    "BY_NAME",
    "EVERY",
    "DayOfPeers",
    "Difference",
    "Figure",
    "NodeDifferences",
    "Unassessed",
    "date_of",
    "days_sql",
    "job_days_sql",
    "persistent_differences",
]
