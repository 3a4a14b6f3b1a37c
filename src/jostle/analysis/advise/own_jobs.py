"""Advises users whose own jobs slow each other to run them in sequence or shifted in time."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.access.bursts import Period, find_period, usual_amount
from jostle.analysis.advise.model import OwnNeighbour, Recommendation, added
from jostle.analysis.identification.model import JobInterference, ResourceLoss, Suspect
from jostle.analysis.interval import Interval
from jostle.repository.query.resources.co_running import CoRunning, JobFacts

#: Largest relative difference of two equal periods; with a larger one a shift does not last.
_ALIKE = 0.02
#: Least part of the amount in the slice of the median byte that a slice of a burst has.
_ON = 0.25
#: Part of the load of all others: a suspect with less of it is not visible in their sum.
_MOST_OF_IT = 0.9
#: Least part of the overlap that a later start must avoid.
_WORTH = 0.25


def own_jobs(
    job: JobFacts, interference: JobInterference, without: Collection[str] = ()
) -> Iterator[Recommendation]:
    """Yield the advice on each job of the same user that slowed a job.

    Args:
        job: The job that was slowed.
        interference: Result of `identify` for the job.
        without: Names of jobs to leave out, since different advice is given about them.
    """
    resources = {each.resource: each for each in interference.resources}
    for name, suspects in own_suspects(job, interference).items():
        if name in without:
            continue
        main = max(suspects, key=lambda each: each.seconds.value)
        shift = _shift(resources[main.resource], main)
        if shift is not None:
            yield _out_of_step(main, shift)
        yield _one_after_the_other(name, suspects)


def own_neighbours(alongside: CoRunning, interference: JobInterference) -> Iterator[OwnNeighbour]:
    """Yield the jobs of the same user that slowed a job, with the times when they ran.

    Args:
        alongside: The job and its co-running jobs.
        interference: Result of `identify` for the job.
    """
    begin = alongside.job.start_ns
    for name, suspects in own_suspects(alongside.job, interference).items():
        other = alongside.others.get(name)
        if other is not None:
            yield OwnNeighbour(
                name,
                (other.start_ns - begin) / 1e9,
                ((other.end_ns or other.last_ns) - begin) / 1e9,
                added(suspect.seconds for suspect in suspects),
            )


def own_suspects(job: JobFacts, interference: JobInterference) -> dict[str, list[Suspect]]:
    """Return the suspects (jobs whose load explains a loss) of a job's own user, by job name.

    Args:
        job: The job that was slowed.
        interference: Result of `identify` for the job.
    """
    mine: dict[str, list[Suspect]] = {}
    for suspect in interference.suspects:
        own = suspect.kind == "job" and suspect.user == job.user and suspect.job != job.job
        if job.user is not None and own:
            mine.setdefault(suspect.job, []).append(suspect)
    return mine


def _one_after_the_other(name: str, suspects: list[Suspect]) -> Recommendation:
    seconds = added(suspect.seconds for suspect in suspects)
    where = " and ".join(dict.fromkeys(suspect.resource for suspect in suspects))
    return Recommendation(
        rule="one after the other",
        seen=f"your own job {name} worked on {where} at the same time",
        lever="run the two jobs one after the other",
        texts=(
            "sbatch --dependency=afterany:JOBID SCRIPT   # of the one that starts second",
            "sbatch --dependency=singleton SCRIPT        # both with the same --job-name",
        ),
        saving=seconds,
        saving_words=f"what {name} cost this run",
        pays="you: the second job starts when the first has ended",
        unless="both are needed at the same time, or together they end earlier than in turn",
    )


@dataclass(frozen=True)
class _Shift:
    """A later start of the other job, by which the bursts of two jobs overlap less.

    Attributes:
        seconds: By how much later the other job starts, in seconds.
        period: Period of the bursts, the same for both jobs.
        left: Overlap after the shift divided by the overlap before it, 0 to 1.
    """

    seconds: float
    period: Period
    left: float


def _shift(loss: ResourceLoss, suspect: Suspect) -> _Shift | None:
    """Return the shift by which the bursts of two jobs overlap least; None if no shift helps.

    A shift helps only if the bursts of both jobs have the same period, and if enough time is left
    between the bursts.
    """
    own, others = np.array(loss.own_load), np.array(loss.others_load)
    if suspect.share < _MOST_OF_IT or len(own) != len(others) or not loss.slice_ns:
        return None
    slice_s = loss.slice_ns / 1e9
    mine, theirs = find_period(own, slice_s), find_period(others, slice_s)
    if mine is None or theirs is None:
        return None
    if abs(mine.seconds - theirs.seconds) > _ALIKE * mine.seconds:
        return None
    steps = round(mine.seconds / slice_s)
    on, busy = _is_on(own), _is_on(others)
    overlap = [int(np.sum(on & np.roll(busy, step))) for step in range(steps)]
    best = int(np.argmin(overlap))
    if not overlap[0] or overlap[best] > (1 - _WORTH) * overlap[0]:
        return None
    return _Shift(best * slice_s, mine, overlap[best] / overlap[0])


def _is_on(amounts: NDArray[np.float64]) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = amounts >= max(_ON * usual_amount(amounts), 1e-12)
    return found


def _out_of_step(suspect: Suspect, shift: _Shift) -> Recommendation:
    part, seconds = 1 - shift.left, suspect.seconds
    period = f"{shift.period.seconds:.3g} s"
    return Recommendation(
        rule="out of step",
        seen=(
            f"both this job and your job {suspect.job} use {suspect.resource} in bursts every "
            f"{period}, mostly at the same instants"
        ),
        lever=f"start one of them {shift.seconds:.3g} s later, so that the bursts alternate",
        texts=(f"sleep {shift.seconds:.3g}   # first line of the other job's script",),
        saving=Interval(part * seconds.value, part * seconds.low, part * seconds.high),
        saving_words=f"{part:.0%} of what {suspect.job} cost, by the overlap that would remain",
        pays=f"nobody; {suspect.job} ends {shift.seconds:.3g} s later",
        unless="the jobs do not keep their periods: if these differ by 1 %, bursts meet again "
        f"within 100 times {period}",
    )
