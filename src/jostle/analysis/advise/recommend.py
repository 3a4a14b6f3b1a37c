"""Collects the advice of all rules on one job, and orders it by the time that it saves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jostle.analysis.advise.another_hour import another_hour
from jostle.analysis.advise.at_once import fewer_at_once, like_jobs
from jostle.analysis.advise.model import Recommendation, Recommendations
from jostle.analysis.advise.nodes import cpu_limit, exclusive
from jostle.analysis.advise.other_mount import another_mount, another_target
from jostle.analysis.advise.own_jobs import own_jobs, own_neighbours, own_suspects
from jostle.analysis.advise.requests import larger_requests
from jostle.analysis.advise.time_limit import PastRun, time_limit
from jostle.analysis.binding.model import BindingAdvice
from jostle.analysis.digest.model import JobDigest
from jostle.analysis.identification.model import JobInterference
from jostle.analysis.identification.resources.slow_targets import SlowTarget
from jostle.analysis.identification.statistics.seconds_lost import counted_once
from jostle.analysis.interval import saving_of
from jostle.repository.query.resources.co_running import CoRunning, JobFacts

#: Part of the run time, and seconds: with a predicted saving below both nothing is advised.
_WORTH = 0.01
_WORTH_S = 1.0
#: Rules whose intervals do not follow from losses within one run.
_WITH_ERROR = ("more cores", "another hour")


def recommend(
    alongside: CoRunning,
    interference: JobInterference,
    digest: JobDigest,
    runs: Sequence[PastRun] = (),
    *,
    slow_targets: Sequence[SlowTarget] = (),
    seed: int = 0,
) -> Recommendations:
    """Return the changes to a job that would save time; the list is empty if none would.

    The advice reveals no job of other users: it names only jobs of the job's own user.

    Args:
        alongside: The job and the jobs that ran at the same time, from Repository.alongside.
        interference: Result of `identify`, restricted to what the viewer may see.
        digest: Digest of the job.
        runs: Runs of the same program by the same user, including this one.
        slow_targets: Storage targets that were slower than others for the job's own files.
        seed: Seed of the bootstraps.
    """
    job, run_s = alongside.job, interference.run_s
    interference = _counted_once(interference)
    least = max(_WORTH * run_s, _WORTH_S)
    fewer = [each for each in fewer_at_once(alongside, interference) if _is_worth(each, least)]
    every = [
        *own_jobs(job, interference, like_jobs(alongside, interference) if fewer else ()),
        *fewer,
        *another_mount(alongside, interference),
        *another_target(slow_targets),
        *exclusive(interference),
        *cpu_limit(digest),
        *larger_requests(alongside, seed=seed),
        *(_of_binding(each) for each in digest.binding),
        *another_hour(runs, job.start_ns / 1e9, seed=seed),
        *time_limit(runs, job.program),
    ]
    found = [_with_error(each) for each in every if _is_worth(each, least)]
    found.sort(key=lambda each: -(each.saving.value if each.saving else -1.0))
    changes = [each for each in found if each.rule != "time limit"]
    return Recommendations(
        job=job.job,
        run_s=run_s,
        lost=interference.seconds,
        found=tuple(found),
        nothing="" if changes else _nothing(job, interference),
        limits=tuple(interference.limits),
        own_neighbours=tuple(own_neighbours(alongside, interference)),
    )


def _counted_once(interference: JobInterference) -> JobInterference:
    """Return the result of `identify` with losses of suspects that may be added up.

    A job that waits for its slowest node loses the same time on each of its nodes; here this time
    counts once (see `counted_once`).
    """
    kinds = {each.resource: each.kind for each in interference.resources}
    losses = counted_once(
        [
            (each.resource, kinds.get(each.resource, ""), each.seconds)
            for each in interference.suspects
        ],
        interference.seconds.value,
    )
    suspects = [
        replace(each, seconds=seconds)
        for each, seconds in zip(interference.suspects, losses, strict=True)
    ]
    return replace(interference, suspects=suspects)


def _is_worth(one: Recommendation, least_s: float) -> bool:
    """Return whether advice has no predicted saving, or one that is certain and large enough."""
    if one.saving is None:
        return True
    return one.saving.value >= least_s and (one.saving.low > 0 or one.rule == "more cores")


def _with_error(one: Recommendation) -> Recommendation:
    """Return advice whose interval includes the error of estimated losses."""
    if one.saving is None or one.rule in _WITH_ERROR:
        return one
    return replace(one, saving=saving_of(one.saving))


def _of_binding(advice: BindingAdvice) -> Recommendation:
    """Return advice on a binding as a Recommendation without a saving of run time.

    The seconds of such advice are those of copies to GPUs, so they are only in the text.
    """
    words = advice.saving
    if advice.saving_s is not None:
        low, middle, high = advice.saving_s
        words = f"{middle:.3g} s of copies ({low:.3g} to {high:.3g}), {advice.saving}"
    return Recommendation(
        rule=advice.rule,
        seen=advice.seen,
        lever=advice.lever,
        texts=tuple(advice.texts),
        saving=None,
        saving_words=words,
        pays=advice.pays,
        unless=advice.unless,
    )


def _nothing(job: JobFacts, interference: JobInterference) -> str:
    """Return the reason why no change is advised, as a sentence for users."""
    if not interference.evident:
        return (
            "Do nothing: there is no evidence that others cost this run time, and no change to "
            "the job itself would save 1 % of its time."
        )
    own = own_suspects(job, interference)
    others = [each.resource for each in interference.suspects if each.job not in own]
    if not others:
        return (
            "Do nothing: only your own jobs slowed this run, and what running them at other times "
            "would save is too little or too uncertain."
        )
    where = " and ".join(dict.fromkeys(others))
    return (
        "Nothing that you can change is known to help, because what slowed this run on "
        f"{where} belongs to others. An operator can separate them; `jostle interference` has the "
        "evidence."
    )
