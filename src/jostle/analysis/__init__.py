"""Analysis: pure functions on tables; no files, no printing.

Public door:
    digest: what a job did, per process and mount, with rates, shares, errors and our own cost.
    timeline: a metric of several jobs on one time axis, whatever their slice lengths.
    background: a job's slices against what all others did on the same resources.

Their tables come from `jostle.repository.Repository`; their results are dataclasses with
`to_json()`.
"""

from __future__ import annotations

from jostle.analysis.digest import digest
from jostle.analysis.model import (
    Access,
    Clock,
    Cost,
    Digest,
    Mount,
    Rate,
    Share,
    Spread,
    Threads,
    Unaccounted,
)
from jostle.analysis.series import (
    Background,
    Neighbourhood,
    Timeline,
    TimelineJob,
    background,
    resample,
    timeline,
)

__all__ = [
    "Access",
    "Background",
    "Clock",
    "Cost",
    "Digest",
    "Mount",
    "Neighbourhood",
    "Rate",
    "Share",
    "Spread",
    "Threads",
    "Timeline",
    "TimelineJob",
    "Unaccounted",
    "background",
    "digest",
    "resample",
    "timeline",
]
