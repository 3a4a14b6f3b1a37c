"""Replays the jobs of a period with and without a policy, to compare losses and waiting times."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.interval import LOSS_ERROR, Interval
from jostle.analysis.site_advice.model import Cost, SiteEvidence, SiteJob
from jostle.analysis.site_advice.outcome import Pair, delays_of
from jostle.analysis.site_advice.policy import Policy
from jostle.analysis.site_advice.replay_model import Figures, Load, Replay
from jostle.analysis.site_advice.simulate import Rates, simulate

Floats = NDArray[np.float64]

#: Number of replays with losses drawn from their intervals, for the intervals of savings.
_DRAWS = 30
#: Width of a 95 % interval in standard deviations.
_WIDTH = 3.92
_OF_A_NODE = ("node", "memory")
#: Least run time of a job in a slowdown, s.
_SHORT_S = 10.0
_NO_POLICY = Policy()


def replay(
    evidence: SiteEvidence, policy: Policy, *, cores: float | None = None, seed: int = 0
) -> Replay:
    """Replay the jobs of a period with and without a policy.

    Args:
        evidence: Recorded data of the period.
        policy: The policy.
        cores: Number of cores of the site. None: the cores of all nodes that ran jobs; if these are
            not known, the largest number of cores that jobs held at once.
        seed: Seed for drawing losses from their intervals.
    """
    jobs = sorted(
        (job for job in evidence.jobs.values() if job.start_s >= evidence.from_s and job.run_s > 0),
        key=lambda job: (_arrival(job), job.job),
    )
    site_cores = cores or _cores_of(evidence, jobs)
    runs = _Runs(evidence, jobs, site_cores)
    without, with_policy = (runs.run(rule) for rule in (_NO_POLICY, policy))
    dice = np.random.default_rng(seed)
    drawn = [
        (runs.run(_NO_POLICY, errors), runs.run(policy, errors))
        for errors in dice.standard_normal((_DRAWS, len(runs.pairs)))
    ]
    recorded = _recorded(evidence, jobs, site_cores)
    late = [
        (job, float(after - before))
        for job, before, after in zip(jobs, without.ends, with_policy.ends, strict=True)
    ]
    return Replay(
        from_s=evidence.from_s,
        to_s=evidence.to_s,
        jobs=len(jobs),
        cores=site_cores,
        recorded=recorded,
        without=without.figures,
        with_policy=with_policy.figures,
        saved=_difference(
            [(a.figures.core_hours, b.figures.core_hours) for a, b in drawn],
            without.figures.core_hours - with_policy.figures.core_hours,
        ),
        waited_more_s=_difference(
            [(b.figures.waited_s, a.figures.waited_s) for a, b in drawn],
            with_policy.figures.waited_s - without.figures.waited_s,
        ),
        delays=delays_of([(job, delay) for job, delay in late if delay >= 1]),
        limits=tuple(_limits(evidence, jobs, policy, recorded, without.figures)),
    )


class _Outcome:
    """The result of one replay: ends of the jobs, and how the site was used."""

    def __init__(self, loads: Sequence[Load], starts: Floats, ends: Floats, cores: float) -> None:
        self.ends = ends
        self.figures = _figures(
            np.array([load.at_s for load in loads]),
            starts,
            ends,
            np.array([load.work_s for load in loads]),
            np.array([load.cores for load in loads]),
            cores,
        )


class _Runs:
    """Replays the same jobs with different policies and losses."""

    def __init__(self, evidence: SiteEvidence, jobs: Sequence[SiteJob], cores: float) -> None:
        self._evidence, self._jobs, self._cores = evidence, jobs, cores
        programs = sorted({job.program for job in jobs})
        self._place = {name: number for number, name in enumerate(programs)}
        costs = [
            cost for cost in evidence.costs if cost.source == "job" and cost.cause in evidence.jobs
        ]
        self._lost = _lost_s(costs)
        #: Cause, victim, and whether on nodes -> seconds per second together, and their deviation.
        self.pairs = list(_per_second(costs, evidence, jobs).items())

    def run(self, policy: Policy, errors: Floats | None = None) -> _Outcome:
        """Replay the jobs once.

        Args:
            policy: The policy.
            errors: By how many standard deviations the loss of each pair of programs differs from
                its estimate; None: it does not differ.
        """
        order, loads = [], []
        for job in self._jobs:
            order.append(job)
            work = max(job.run_s - self._lost.get(job.job, 0.0), 0.1 * job.run_s)
            whole = _whole_nodes(job, self._evidence) if policy.is_exclusive(job.program) else None
            loads.append(
                Load(
                    job.job,
                    job.program,
                    _arrival(job),
                    work,
                    min(whole or job.cores, self._cores),
                    policy.needs(job.program),
                )
            )
        lost = np.zeros((len(self._place), len(self._place)))
        for number, ((pair, on_nodes), (rate, deviation)) in enumerate(self.pairs):
            if on_nodes and any(map(policy.is_exclusive, pair)):
                continue
            error = 0.0 if errors is None else float(errors[number])
            at = self._place[pair[0]], self._place[pair[1]]
            lost[at] += max(rate + error * deviation, 0.0)
        starts, ends = simulate(loads, Rates(self._place, lost), self._cores, policy.totals)
        return _Outcome(loads, starts, ends, self._cores)


def _arrival(job: SiteJob) -> float:
    return job.start_s if job.submit_s is None else min(job.submit_s, job.start_s)


def _cores_of(evidence: SiteEvidence, jobs: Sequence[SiteJob]) -> float:
    """Return the number of cores of all nodes that ran jobs.

    If it is not known, return the largest number of cores that jobs held at once.
    """
    nodes = {node for job in jobs for node in job.nodes}
    steps = sorted(
        [(job.start_s, job.cores) for job in jobs] + [(job.end_s, -job.cores) for job in jobs]
    )
    held = np.cumsum([change for _, change in steps]) if steps else np.zeros(1)
    most = max(float(held.max()), 1.0)
    if nodes and all(node in evidence.node_cores for node in nodes):
        return max(float(sum(evidence.node_cores[node] for node in nodes)), most)
    return most


def _whole_nodes(job: SiteJob, evidence: SiteEvidence) -> float | None:
    """Return the number of cores of all nodes of a job; None: it is not known."""
    cores = [evidence.node_cores.get(node, 0) for node in job.nodes]
    return float(sum(cores)) if cores and all(cores) else None


def _lost_s(costs: Iterable[Cost]) -> dict[str, float]:
    """Return the seconds that each job lost to other jobs."""
    lost: dict[str, float] = {}
    for cost in costs:
        lost[cost.job] = lost.get(cost.job, 0.0) + cost.seconds.value
    return lost


def _per_second(
    costs: Iterable[Cost], evidence: SiteEvidence, jobs: Sequence[SiteJob]
) -> dict[tuple[Pair, bool], tuple[float, float]]:
    """Return how much time jobs of a program lose per second for which a job of another runs.

    Returns:
        Seconds lost per second, and their standard deviation. The keys are the pair of programs
        (cause, victim), and whether the time was lost on nodes.
    """
    sums: dict[tuple[Pair, bool], tuple[float, float]] = {}
    here = {job.job for job in jobs}
    for cost in costs:
        if cost.job not in here or cost.cause not in here:
            continue
        pair = evidence.jobs[cost.cause].program, evidence.jobs[cost.job].program
        key = pair, cost.kind in _OF_A_NODE
        value, variance = sums.get(key, (0.0, 0.0))
        deviation = (cost.seconds.high - cost.seconds.low) / _WIDTH
        sums[key] = value + cost.seconds.value, variance + deviation**2
    found = {}
    for (pair, on_nodes), (value, variance) in sums.items():
        together = _together_s(jobs, pair)
        if together > 0:
            deviation = np.hypot(np.sqrt(variance), 2 * LOSS_ERROR * value / _WIDTH)
            found[pair, on_nodes] = value / together, float(deviation) / together
    return found


def _together_s(jobs: Sequence[SiteJob], pair: Pair) -> float:
    """Return for how many seconds a victim and a cause ran at the same time, over all such jobs.

    Victims without a verdict do not count.

    Args:
        jobs: The jobs.
        pair: Program of the cause, and program of the victim.
    """
    causes = [job for job in jobs if job.program == pair[0]]
    begins, ends = (np.array([getattr(job, at) for job in causes]) for at in ("start_s", "end_s"))
    total = 0.0
    for victim in jobs:
        if victim.program == pair[1] and victim.evaluated:
            overlap = np.minimum(ends, victim.end_s) - np.maximum(begins, victim.start_s)
            total += float(overlap.clip(0).sum())
            if pair[0] == pair[1]:
                total -= victim.run_s  # a job does not meet itself
    return total


def _figures(
    at: Floats, starts: Floats, ends: Floats, work: Floats, cores: Floats, site_cores: float
) -> Figures:
    if not len(at):
        return Figures(0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    held = (ends - starts) * cores
    span = max(float(ends.max() - at.min()), 1e-9)
    return Figures(
        utilisation=float(held.sum()) / (span * site_cores),
        waited_s=float((starts - at).mean()),
        slowdown=float(
            (np.maximum(ends - at, _SHORT_S) / np.maximum(work, _SHORT_S)).clip(1).mean()
        ),
        core_hours=float(held.sum()) / 3600,
        lost_core_hours=float(((ends - starts - work) * cores).sum()) / 3600,
        ended_s=float(ends.max()),
    )


def _recorded(evidence: SiteEvidence, jobs: Sequence[SiteJob], cores: float) -> Figures:
    """Return how the site was used in the period, by the record."""
    lost = _lost_s(
        cost for cost in evidence.costs if cost.source == "job" and cost.cause in evidence.jobs
    )
    return _figures(
        np.array([_arrival(job) for job in jobs]),
        np.array([job.start_s for job in jobs]),
        np.array([job.end_s for job in jobs]),
        np.array([max(job.run_s - lost.get(job.job, 0.0), 0.1 * job.run_s) for job in jobs]),
        np.array([job.cores for job in jobs]),
        cores,
    )


def _difference(drawn: Sequence[tuple[float, float]], value: float) -> Interval:
    """Return a difference between two replays with its 95 % interval.

    Args:
        drawn: The two compared values in each pair of replays with randomly drawn losses.
        value: The difference with the estimated losses.
    """
    low, high = np.percentile([first - second for first, second in drawn], [2.5, 97.5])
    return Interval(value, min(float(low), value), max(float(high), value))


def _limits(
    evidence: SiteEvidence,
    jobs: Sequence[SiteJob],
    policy: Policy,
    recorded: Figures,
    without: Figures,
) -> Iterable[str]:
    if any(job.submit_s is None for job in jobs):
        number = sum(job.submit_s is None for job in jobs)
        yield (
            f"It is not known when {number} of {len(jobs)} jobs were submitted. They are assumed "
            "to be submitted when they started."
        )
    if without.core_hours > 0 and abs(without.core_hours / recorded.core_hours - 1) > 0.1:
        yield (
            "The replay without the policy differs from the record: core hours by "
            f"{abs(without.core_hours / recorded.core_hours - 1):.0%}."
        )
    if any("switches" in words for some in policy.programs.values() for words in some):
        yield "Switches are not part of the replay, nor is what they would save."
    missing = sum(not job.evaluated for job in jobs)
    if missing:
        yield (
            f"{missing} of {len(jobs)} jobs have no verdict. They are assumed to have lost nothing."
        )
