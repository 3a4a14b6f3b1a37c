"""Analysis: pure functions on tables; no files, no printing.

Public door:
    digest: what a job did, per process and mount, with rates, shares, errors and our own cost;
        for MPI programs also over the ranks of each world, with advice what to use next.
    write_patterns, read_patterns: how a job wrote to each mount and read from it, phase by phase,
        with chunk size and period.
    find_period: the period of bursts in a series, when it has one.
    overhead: what profiling costs, from the times of alternating runs.
    job_end: the five groups of figures at the end of a job's output.
    segment_rows: the segments of a world, one by one.
    timeline: a metric of several jobs on one time axis, whatever their slice lengths.
    background: a job's slices against what all others did on the same resources.
    estimate: what interference cost one run, told from that run alone.
    compare: by which clusters and causes estimated runs of one program differ.
    identify: which shared resources and whose load slowed a job, and by how many seconds.
    neighbours: who ran beside a job; matrix: which program slowed which.
    evaluate: what a study of probes and signals found; laws: which laws of the papers hold there.
    ProgressTables: the progress of jobs, slice by slice, that `evaluate` asks for.

Their tables come from `jostle.repository.Repository`; their results are dataclasses with
`to_json()`.
"""

from __future__ import annotations

from jostle.analysis.access.bursts import Period, find_period
from jostle.analysis.access.model import AccessPattern, AccessPhase, PatternShare
from jostle.analysis.access.reads import read_patterns
from jostle.analysis.access.writes import write_patterns
from jostle.analysis.digest.digest import digest
from jostle.analysis.digest.job_end import JobEnd, job_end
from jostle.analysis.digest.model import (
    AccessShape,
    Clock,
    Digest,
    MountDigest,
    ProfilerCost,
    Rate,
    Share,
    Threads,
    Unaccounted,
)
from jostle.analysis.digest.mpi_world import Advice, SegmentsDigest, WorldDigest
from jostle.analysis.digest.segments import segment_rows
from jostle.analysis.estimation import estimate
from jostle.analysis.estimation.runs import compare
from jostle.analysis.identification import identify, matrix, neighbours
from jostle.analysis.overhead import Overhead, overhead
from jostle.analysis.series import (
    BackgroundSeries,
    Neighbourhood,
    Timeline,
    TimelineJob,
    background,
    resample,
    timeline,
)
from jostle.analysis.spread import Range, Spread
from jostle.analysis.study.evaluate import evaluate
from jostle.analysis.study.model import Law, StudyResult
from jostle.analysis.study.pairs import JobProgress
from jostle.analysis.study.progress import ProgressTables, progress_of, progress_of_log
from jostle.analysis.study.published_laws import laws

__all__ = [
    "AccessPattern",
    "AccessPhase",
    "AccessShape",
    "Advice",
    "BackgroundSeries",
    "Clock",
    "Digest",
    "JobEnd",
    "JobProgress",
    "Law",
    "MountDigest",
    "Neighbourhood",
    "Overhead",
    "PatternShare",
    "Period",
    "ProfilerCost",
    "ProgressTables",
    "Range",
    "Rate",
    "SegmentsDigest",
    "Share",
    "Spread",
    "StudyResult",
    "Threads",
    "Timeline",
    "TimelineJob",
    "Unaccounted",
    "WorldDigest",
    "background",
    "compare",
    "digest",
    "estimate",
    "evaluate",
    "find_period",
    "identify",
    "job_end",
    "laws",
    "matrix",
    "neighbours",
    "overhead",
    "progress_of",
    "progress_of_log",
    "read_patterns",
    "resample",
    "segment_rows",
    "timeline",
    "write_patterns",
]
