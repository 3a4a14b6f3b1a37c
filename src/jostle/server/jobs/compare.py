"""The comparison of a program's runs for the pages, with the causes of their differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pydantic import BaseModel, Field

from jostle.analysis.estimation.light import Light
from jostle.analysis.estimation.model import ClusterDifference, Comparison
from jostle.analysis.interval import Interval
from jostle.report.models.job.segments import DrawnSegments
from jostle.report.verdict.compare import compare_json, finding, large
from jostle.report.verdict.run_ratios import run_ratios
from jostle.server.jobs.segments import SegmentBox, box_of, members

#: Most clusters that an answer names: those that explain most.
_MOST_CLUSTERS = 60
#: Fields of each run in an answer; hits and clusters are requested elsewhere.
_OF_A_RUN = (
    "job",
    "run_s",
    "start_ns",
    "ranks",
    "lost_s",
    "percent",
    "coverage",
    "light",
    "assessed",
    "sure",
    "undecided",
)


class ComparedRun(BaseModel):
    """The estimate of one run by itself, as `jostle estimate --json` prints it."""

    job: str
    program: str
    run_s: float
    start_ns: int
    ranks: int
    lost_s: Interval
    percent: Interval
    coverage: float
    light: Light | None
    assessed: bool
    sure: float
    undecided: str


class ComparedCluster(BaseModel):
    """A cluster of segments; lists have an entry per run, 0 for a run without the cluster."""

    name: str
    members: list[int]
    reference_s: list[float]
    excess_s: list[float]
    total_s: list[float]
    numbers: list[int] = Field(description="number of the cluster in the estimate of each run")
    boxes: list[SegmentBox | None]


class RunTime(BaseModel):
    """The run time of one run compared with that of the baseline."""

    job: str
    group: str = Field(description="program of the run")
    run_s: float
    ratio: float = Field(description="run time divided by that of the baseline run")


class GroupTime(BaseModel):
    """The run times of the runs of one program."""

    group: str
    runs: int
    median_s: float
    mean_s: float
    std_s: float | None = Field(description="standard deviation; null: fewer than three runs")
    min_s: float
    max_s: float
    ratio: float = Field(description="mean run time divided by that of the baseline's program")
    low: float | None = Field(
        description="lower end of the ratio's 95 % interval; null: one of the two programs has "
        "fewer than three runs, or this is the baseline's program"
    )
    high: float | None = Field(description="upper end of this interval; null as for `low`")


class RunTimes(BaseModel):
    """Run times of runs and of programs, also as ratios to those of the baseline."""

    runs: list[RunTime]
    groups: list[GroupTime]
    baseline: str
    baseline_group: str


class Compared(BaseModel):
    """The content of `jostle compare --json`; lists have an entry per run in the given order."""

    runs: list[ComparedRun]
    baseline: int = Field(
        description="index in `runs` of the fastest run, with which the others are compared"
    )
    finding: str = Field(
        description="how much longer the slowest run took, and what explains most of it, in words"
    )
    measured_s: list[float] = Field(description="run time minus that of the baseline")
    estimated_s: list[float] = Field(
        description="time lost according to the run's own estimate, minus that of the baseline"
    )
    displaced_s: list[float] = Field(
        description="further time by which segments took longer than similar ones of the baseline"
    )
    work_s: list[float] = Field(
        description="time of segments that the run has in addition to those of the baseline, minus "
        "time of segments that it lacks"
    )
    unexplained_s: list[float] = Field(
        description="measured_s - estimated_s - displaced_s - work_s"
    )
    by_cause: dict[str, list[float]] = Field(
        description="for each cause, the time that it cost each run, minus that of the baseline"
    )
    clusters: list[ComparedCluster]
    more_clusters: int = Field(
        description="number of clusters that are not listed: small ones, and those beyond the limit"
    )
    limits: list[str]
    run_times: RunTimes


def compared_runs(comparison: Comparison, programs: Sequence[str]) -> dict[str, Any]:
    """Return a comparison of runs in the form that the page draws.

    Args:
        comparison: The comparison.
        programs: Program of each run.

    Returns:
        The fields of `Compared`.
    """
    names = [estimate.job for estimate in comparison.estimates]
    times = {estimate.job: estimate.run_s for estimate in comparison.estimates}
    ratios = run_ratios(times, dict(zip(names, programs, strict=True)))
    plain = compare_json(comparison, ratios)
    runs = [
        {name: one[name] for name in _OF_A_RUN} | {"program": program}
        for one, program in zip(plain["estimates"], programs, strict=True)
    ]
    shown = large(comparison)[:_MOST_CLUSTERS]
    boxes = [
        _boxes(DrawnSegments.of(estimate), [row.numbers[at] for row in shown])
        for at, estimate in enumerate(comparison.estimates)
    ]
    clusters = [
        _cluster(row) | {"boxes": [own[place] for own in boxes]} for place, row in enumerate(shown)
    ]
    same = (
        "baseline",
        "measured_s",
        "estimated_s",
        "displaced_s",
        "work_s",
        "unexplained_s",
        "by_cause",
        "limits",
        "run_times",
    )
    return {name: plain[name] for name in same} | {
        "runs": runs,
        "finding": finding(comparison),
        "clusters": clusters,
        "more_clusters": len(comparison.clusters) - len(shown),
    }


def _cluster(row: ClusterDifference) -> dict[str, Any]:
    return {name: getattr(row, name) for name in row.__dataclass_fields__}


def _boxes(drawn: DrawnSegments, numbers: Sequence[int]) -> list[dict[str, float] | None]:
    """Return the box plots of some clusters of a run; None where the run lacks it (number 0)."""
    order = np.argsort(drawn.cluster, kind="stable")
    own = [members(drawn, order, number) for number in numbers]
    return [
        box_of(seconds) if number and len(seconds) else None
        for number, seconds in zip(numbers, own, strict=True)
    ]
