"""Advises to run fewer jobs of one program at the same time, if they slow each other."""

from __future__ import annotations

import math
from collections.abc import Iterator

from jostle.analysis.advise.model import Recommendation, added
from jostle.analysis.identification.model import JobInterference
from jostle.analysis.interval import Interval
from jostle.repository.query.resources.co_running import CoRunning

#: Fewest other jobs for this advice; with one other the advice is to run one after the other.
_FEWEST = 2
#: Most that each of the jobs at once may lose, as a part of its time alone.
_MOST_LOSS = 0.1


def like_jobs(alongside: CoRunning, interference: JobInterference) -> list[str]:
    """Return the jobs of the same user and program that slowed a job, if there are several."""
    job = alongside.job
    found = {
        suspect.job
        for suspect in interference.suspects
        if suspect.kind == "job"
        and job.user is not None
        and suspect.user == job.user
        and suspect.program == job.program
        and suspect.job != job.job
    }
    return sorted(found) if len(found) >= _FEWEST else []


def fewer_at_once(alongside: CoRunning, interference: JobInterference) -> Iterator[Recommendation]:
    """Yield the advice how many jobs of a program to run at once, if they slow each other.

    It is assumed that the time that a job loses is proportional to the number of jobs of the same
    program that run at the same time.

    Args:
        alongside: The job and its co-running jobs.
        interference: Result of `identify` for the job.
    """
    names, job = like_jobs(alongside, interference), alongside.job
    if not names:
        return
    lost = added(each.seconds for each in interference.suspects if each.job in names)
    others = _mean_others(alongside, names, interference.run_s)
    alone = interference.run_s - lost.value
    if others < 1 or alone <= 0 or lost.value <= _MOST_LOSS * alone:
        return
    most = 1 + math.floor(_MOST_LOSS * alone * others / lost.value)
    part = 1 - (most - 1) / others
    saving = Interval(part * lost.value, part * lost.low, part * lost.high)
    longer = (interference.run_s - saving.value) / most * (1 + others) / interference.run_s
    yield Recommendation(
        rule="fewer at once",
        seen=(
            f"{len(names)} other jobs of yours that run {job.program} slowed it; "
            f"{others:.2g} of them ran at the same time, on average"
        ),
        lever=f"run at most {most} of them at once",
        texts=(
            f"#SBATCH --array=1-N%{most}   # N is the number of your jobs",
            *(("sbatch --dependency=singleton SCRIPT   # all with one name",) if most == 1 else ()),
        ),
        saving=saving,
        saving_words="if each of the others costs as much as it did on average",
        pays=(
            f"you: all of them together take {longer:.2g} times as long"
            if longer > 1
            else "nobody: all of them together take no longer"
        ),
        unless="all are needed at the same time",
    )


def _mean_others(alongside: CoRunning, names: list[str], run_s: float) -> float:
    """Return how many of the named jobs ran while a job ran, on average over its run time."""
    job, shared = alongside.job, 0.0
    end_ns = job.end_ns or job.last_ns
    for name in names:
        other = alongside.others.get(name)
        if other is not None:
            until = min(end_ns, other.end_ns or other.last_ns)
            shared += max(until - max(job.start_ns, other.start_ns), 0) / 1e9
    return shared / run_s if run_s > 0 else 0.0
