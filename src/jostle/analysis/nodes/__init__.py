"""Finds components that are persistently worse than their peers (Shah, 2020, section 2.1).

Public interface:
    persistent_differences: the differences, from condensed slices of components.
    EVERY, BY_NAME: the figures (measures such as latency or errors) that are compared.
    days_sql, job_days_sql: SQL queries that condense the slices of components, and of jobs on
        nodes without an agent.
    NodeDifferences, Difference, DayOfPeers, Unassessed: its result types.
    date_of: a day as a date.
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
