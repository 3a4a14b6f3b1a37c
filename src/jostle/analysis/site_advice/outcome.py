"""Computes the saving of a limit on concurrent programs in a past period, and the delays of jobs.

The jobs of the period are scheduled again, with the limit. The loss that two programs cause each
other on a resource is assumed to be proportional to the time for which jobs of both run at the same
time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.interval import Interval
from jostle.analysis.site_advice.model import Cost, Delay, SiteEvidence, SiteJob, added, scaled
from jostle.analysis.site_advice.queue import Request, start_times

#: Program that causes a loss, and program that suffers it.
Pair = tuple[str, str]
#: Programs whose delays are listed.
_MOST_PROGRAMS = 8
_LEAST_DELAY_S = 1.0


@dataclass(frozen=True)
class Outcome:
    """The saving and the delays that a limit would have brought.

    Attributes:
        saved: Core hours that would not have been lost; below 0 where it would have done harm.
        apart: Core hours for which victims and causes ran at the same time, but would not have with
            the limit.
        delays: Delays by program whose jobs would have started later.
        jobs: Number of these jobs.
        delay_s: Sum of their delays, s.
    """

    saved: Interval
    apart: float
    delays: tuple[Delay, ...]
    jobs: int
    delay_s: float


def lost_core_hours(cost: Cost, jobs: Mapping[str, SiteJob]) -> Interval:
    """Convert a loss to core hours of the job that lost the time."""
    return scaled(cost.seconds, jobs[cost.job].cores / 3600)


def by_pair(costs: Iterable[Cost], jobs: Mapping[str, SiteJob]) -> dict[Pair, Interval]:
    """Return core hours lost by the programs of cause and victim, for causes that are jobs.

    Args:
        costs: The costs.
        jobs: The jobs that they name.
    """
    parts: dict[Pair, list[Interval]] = defaultdict(list)
    for cost in costs:
        cause = jobs.get(cost.cause)
        if cause is not None and cost.source == "job":
            pair = (cause.program, jobs[cost.job].program)
            parts[pair].append(lost_core_hours(cost, jobs))
    return {pair: added(some) for pair, some in parts.items()}


def outcome(
    evidence: SiteEvidence,
    uses: Callable[[SiteJob], bool],
    lost: Mapping[Pair, Interval],
    needs: Mapping[str, float],
    total: float,
) -> Outcome:
    """Return the saving and the delays that licences would have brought in the period.

    Args:
        evidence: Recorded data of the period.
        uses: Function that returns whether a job uses the resource.
        lost: Core hours that were lost on it, by programs.
        needs: Number of licences of a job, by program.
        total: Number of licences.
    """
    jobs = [job for job in evidence.jobs.values() if uses(job)]
    requests = [
        Request(job.job, job.start_s, job.run_s, {"licence": needs[job.program]})
        for job in jobs
        if job.program in needs
    ]
    moved = start_times(requests, {"licence": total})
    later = {job.job: max(moved.get(job.job, job.start_s) - job.start_s, 0.0) for job in jobs}
    saved, apart = [], 0.0
    for pair, core_hours in lost.items():
        before, after = _together(jobs, pair, {}), _together(jobs, pair, later)
        if before > 0:
            saved.append(scaled(core_hours, 1 - after / before))
            apart += (before - after) / 3600
    late = [(job, later[job.job]) for job in jobs if later[job.job] >= _LEAST_DELAY_S]
    return Outcome(
        saved=added(saved),
        apart=apart,
        delays=delays_of(late),
        jobs=len(late),
        delay_s=sum(delay for _, delay in late),
    )


def delays_of(late: Iterable[tuple[SiteJob, float]]) -> tuple[Delay, ...]:
    """Return delays by program, the longest mean first.

    Args:
        late: Jobs with their delays, s.
    """
    by_program: dict[str, list[float]] = defaultdict(list)
    for job, delay in late:
        by_program[job.program].append(delay)
    rows = [
        Delay(program, len(some), float(np.mean(some)), max(some))
        for program, some in by_program.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.mean_s, row.program))[:_MOST_PROGRAMS])


def _together(jobs: Sequence[SiteJob], pair: Pair, later: Mapping[str, float]) -> float:
    """Return core seconds of victims with a verdict for which a cause ran at the same time."""
    causes = [job for job in jobs if job.program == pair[0]]
    begins, ends = _spans(causes, later)
    names = np.array([job.job for job in causes])
    found = 0.0
    for victim in jobs:
        if victim.program != pair[1] or not victim.evaluated:
            continue
        shift = later.get(victim.job, 0.0)
        overlap = np.minimum(ends, victim.end_s + shift) - np.maximum(
            begins, victim.start_s + shift
        )
        found += victim.cores * float(overlap.clip(0)[names != victim.job].sum())
    return found


def _spans(
    jobs: Sequence[SiteJob], later: Mapping[str, float]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    shifts = np.array([later.get(job.job, 0.0) for job in jobs])
    return (
        np.array([job.start_s for job in jobs]) + shifts,
        np.array([job.end_s for job in jobs]) + shifts,
    )
