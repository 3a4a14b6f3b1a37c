"""Analysis: pure functions on tables; no files, no printing.

Public door:
    digest: what a job did, per process and mount, with rates, shares, errors and our own cost;
        for MPI programs also over the ranks of each world, with advice what to use next.
    overhead: what profiling costs, from the times of alternating runs.
    segment_rows: the segments of a world, one by one.
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
    Threads,
    Unaccounted,
)
from jostle.analysis.overhead import Overhead, overhead
from jostle.analysis.segments import segment_rows
from jostle.analysis.series import (
    Background,
    Neighbourhood,
    Timeline,
    TimelineJob,
    background,
    resample,
    timeline,
)
from jostle.analysis.spread import Range, Spread
from jostle.analysis.world import Advice, Segments, World

__all__ = [
    "Access",
    "Advice",
    "Background",
    "Clock",
    "Cost",
    "Digest",
    "Mount",
    "Neighbourhood",
    "Overhead",
    "Range",
    "Rate",
    "Segments",
    "Share",
    "Spread",
    "Threads",
    "Timeline",
    "TimelineJob",
    "Unaccounted",
    "World",
    "background",
    "digest",
    "overhead",
    "resample",
    "segment_rows",
    "timeline",
]
