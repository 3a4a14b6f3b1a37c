"""Computes results from the tables of recorded jobs, by functions that read no files.

Public interface:
    digest: the activity of a job, per process and mount, with rates, shares of time, errors and
        the cost of jostle. For MPI programs it also has these numbers over the ranks of each world,
        and recommends the tool to use next.
    write_patterns, read_patterns: how a job wrote to each mount and read from it, phase by phase,
        with the size of its chunks and the period of its bursts.
    find_period: the period of the bursts in a series, if they are periodic.
    overhead: what profiling costs, from alternating runs with and without a profiler.
    job_end: the statistics that are printed at the end of a job's output.
    segment_rows: the execution segments of an MPI world, one dictionary for each segment.
    timeline: a metric of several jobs on one time axis, whatever their slice lengths.
    background: the load of a job and of all other jobs on the same resources, slice by slice.
    estimate: the time that one run lost to interference, from that run alone.
    compare: the clusters of segments, and the causes of loss, that explain why runs of one program
        took different times.
    identify: the shared resources on which a job lost time, the jobs whose load caused this, and
        the lost seconds.
    neighbours: which jobs ran concurrently with a job.
    matrix: which program slowed which other program, over all runs.
    waits_of: the late ranks of a job, for which the others waited, when they were late, and why.

The tables come from `jostle.repository.Repository`. The results are dataclasses with `to_json()`.
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
    JobDigest,
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
from jostle.analysis.estimation.attribute import lost_between, spread_over
from jostle.analysis.estimation.classes import ClassName, class_of, probability
from jostle.analysis.estimation.light import LIGHTS, Light
from jostle.analysis.estimation.model import Method, RunEstimate
from jostle.analysis.estimation.relative import relative_clusters
from jostle.analysis.estimation.runs import compare, measured_percent
from jostle.analysis.estimation.thesis import MEMBERS
from jostle.analysis.identification import identify, matrix, neighbours
from jostle.analysis.identification.model import JobInterference
from jostle.analysis.overhead import Overhead, ProgramOverhead, interval, overhead
from jostle.analysis.ratio_intervals import (
    CONFIDENCE,
    LEAST_RUNS,
    half_width,
    number,
    ratio_error,
    t_quantile,
)
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
from jostle.analysis.waits import JobWaits, Straggler, waits_of

__all__ = [
    "CONFIDENCE",
    "LEAST_RUNS",
    "LIGHTS",
    "MEMBERS",
    "AccessPattern",
    "AccessPhase",
    "AccessShape",
    "Advice",
    "BackgroundSeries",
    "ClassName",
    "Clock",
    "JobDigest",
    "JobEnd",
    "JobInterference",
    "JobWaits",
    "Light",
    "Method",
    "MountDigest",
    "Neighbourhood",
    "Overhead",
    "PatternShare",
    "Period",
    "ProfilerCost",
    "ProgramOverhead",
    "Range",
    "Rate",
    "RunEstimate",
    "SegmentsDigest",
    "Share",
    "Spread",
    "Straggler",
    "Threads",
    "Timeline",
    "TimelineJob",
    "Unaccounted",
    "WorldDigest",
    "background",
    "class_of",
    "compare",
    "digest",
    "estimate",
    "find_period",
    "half_width",
    "identify",
    "interval",
    "job_end",
    "lost_between",
    "matrix",
    "measured_percent",
    "neighbours",
    "number",
    "overhead",
    "probability",
    "ratio_error",
    "read_patterns",
    "relative_clusters",
    "resample",
    "segment_rows",
    "spread_over",
    "t_quantile",
    "timeline",
    "waits_of",
    "write_patterns",
]
