"""Computes what licences would have saved in a past period, and which jobs they would have delayed.

The jobs of the period are scheduled again, with a limited number of licences. The loss that two
programs cause each other on a resource is assumed to be proportional to the time for which jobs of
both programs run at the same time.
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
    """The saving and the delays that licences would have brought.

    Attributes:
        saved: Core hours that would not have been lost; below 0 where more would have been lost.
        apart: Core hours of victims for which a cause of their losses ran at the same time, but
            would not have run with the licences.
        delays: Delays of jobs that would have started later, by program.
        jobs: Number of these jobs.
        delay_s: Sum of the delays of these jobs, in seconds.
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
    """Return the lost core hours for each pair of programs: that of the cause, and of the victim.

    Losses to servers and to loads without a profile are left out.

    Args:
        costs: The losses of jobs.
        jobs: The jobs by name.
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
        lost: Core hours that were lost on the resource, by pair of programs.
        needs: Number of licences that a job needs, by program.
        total: Number of licences that exist.
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
    """Return the delays of jobs by program, the program with the longest mean delay first.

    Args:
        late: Each delayed job with its delay, in seconds.
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
    """Return the core seconds of victims for which a cause of their losses ran at the same time.

    Victims without a verdict do not count.

    Args:
        jobs: The jobs.
        pair: Program of the cause, and program of the victim.
        later: By how many seconds each job starts later than it did, by name.
    """
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
