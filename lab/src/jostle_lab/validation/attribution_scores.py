"""Scores how well `jostle.analysis.identify` finds injected interference.

Rules, fixed before anything was scored:
    A slice has interference if other jobs cost it at least 5 %, summed over all resources. It is
    clean if they cost it less than 1 %. Slices in between are not counted. Interference counts as
    found in a slice for which jostle reports a loss of at least 1 %.
    The first suspect is assessed for jobs that lost at least 5 % of their run time. It is correct
    if it cost the job at least four fifths of the time that the most harmful job cost it.
    The error of the lost seconds is relative if the job lost more than 10 % of its run time, else
    it is in percentage points of the run time.
    A null job is a job of a repository in which no program slows another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from jostle.analysis import JobInterference
from jostle.repository import Repository
from jostle_lab.synthetic.injected.model import CLEAN, DISTURBED, Injected, InjectedJob, Spec
from jostle_lab.synthetic.repository import plant

Identify = Callable[[Repository, str], JobInterference]
_WORTH = 0.05  # of the run: from this loss on a suspect should be named
_LARGE = 0.10  # of the run: from this loss on the error is relative
_NEAR = 0.8


@dataclass(frozen=True)
class JobScore:
    """The identification of one job's suspects, compared with the truth.

    Attributes:
        job: The job's name.
        seed: Seed of the job's repository.
        null: Whether no job in the repository slows another.
        run_s: Run time of the job, in seconds.
        true_s: Seconds that the job lost to others.
        found_s: Estimate of these seconds by jostle.
        low_s: Lower end of the estimate's interval.
        high_s: Upper end of the estimate's interval.
        evident: Whether jostle names a suspect.
        hits: Number of slices with interference that were found.
        misses: Number of slices with interference that were not found.
        alarms: Number of clean slices in which jostle found interference.
        culprit: Job that caused most of the loss; "" if no job caused 5 %.
        suspect: Name of the first suspect.
        suspect_share: Seconds that the first suspect truly cost, divided by those of `culprit`.
    """

    job: str
    seed: int
    null: bool
    run_s: float
    true_s: float
    found_s: float
    low_s: float
    high_s: float
    evident: bool
    hits: int
    misses: int
    alarms: int
    culprit: str
    suspect: str
    suspect_share: float


@dataclass(frozen=True)
class AttributionScore:
    """Scores of the identification over many synthetic repositories.

    Attributes:
        jobs: Score of each job.
        failed: Jobs that could not be evaluated, with the reasons.
    """

    jobs: list[JobScore]
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def precision(self) -> float:
        """Share of the found slices that have interference."""
        hits, alarms = self._sum("hits"), self._sum("alarms")
        return hits / (hits + alarms) if hits + alarms else 1.0

    @property
    def recall(self) -> float:
        """Share of the slices with interference that were found."""
        hits, misses = self._sum("hits"), self._sum("misses")
        return hits / (hits + misses) if hits + misses else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    @property
    def top1(self) -> float:
        """Share of disturbed jobs whose first suspect is correct; NaN without such jobs."""
        job_scores = [each for each in self.jobs if each.culprit]
        right = [each.suspect_share >= _NEAR for each in job_scores]
        return float(np.mean(right)) if right else float("nan")

    @property
    def relative_error(self) -> float:
        """Median relative error of the loss of jobs that lost over 10 % of their run time."""
        errors = [
            abs(each.found_s - each.true_s) / each.true_s
            for each in self.jobs
            if each.true_s > _LARGE * each.run_s
        ]
        return float(np.median(errors)) if errors else float("nan")

    @property
    def points_error(self) -> float:
        """Median error of the loss of all other jobs, in percentage points of the run time."""
        errors = [
            100 * abs(each.found_s - each.true_s) / each.run_s
            for each in self.jobs
            if each.true_s <= _LARGE * each.run_s
        ]
        return float(np.median(errors)) if errors else float("nan")

    @property
    def held(self) -> float:
        """Of the jobs with a named suspect, the share whose interval contains the true loss."""
        inside = [each.low_s <= each.true_s <= each.high_s for each in self.jobs if each.evident]
        return float(np.mean(inside)) if inside else float("nan")

    @property
    def false_alarms(self) -> float:
        """Share of null jobs for which a suspect is named; NaN if there are no null jobs."""
        named = [each.evident for each in self.jobs if each.null]
        return float(np.mean(named)) if named else float("nan")

    def _sum(self, name: str) -> int:
        return sum(int(getattr(each, name)) for each in self.jobs)

    def to_json(self) -> dict[str, Any]:
        """Return all scores as plain values."""
        names = (
            "precision",
            "recall",
            "f1",
            "top1",
            "relative_error",
            "points_error",
            "held",
            "false_alarms",
        )
        return asdict(self) | {name: getattr(self, name) for name in names}


def identify_job(repository: Repository, job: str) -> JobInterference:
    """Identify suspects as `jostle interference` does."""
    from jostle.analysis import identify

    return identify(repository.alongside(job), seed=0)


def score_seeds(seeds: Iterable[int]) -> AttributionScore:
    """Score jostle on two synthetic repositories per seed: with and without interference.

    Args:
        seeds: Seeds of the repositories. Smaller seeds than 1000 were used to tune jostle, so that
            only scores from 1000 on are evidence.
    """
    spec = Spec()
    parts = []
    for seed in seeds:
        for each in (spec, replace(spec, harm=0.0)):
            with TemporaryDirectory(prefix="jostle-injected-") as folder:
                injected = plant(Path(folder) / "repository", each, seed)
                parts.append(score(injected))
    failed = {name: why for part in parts for name, why in part.failed.items()}
    return AttributionScore([job for part in parts for job in part.jobs], failed)


def score(injected: Injected, *, identify: Identify = identify_job) -> AttributionScore:
    """Score the identification for all jobs of a synthetic repository."""
    repository = Repository(injected.path)
    truth = _disturbed(injected)
    scores, failed = [], {}
    for job in injected.jobs.values():
        try:
            interference = identify(repository, job.job)
        except Exception as error:  # an answer that fails is a result too
            failed[job.job] = f"{type(error).__name__}: {error}"
            continue
        scores.append(_job(injected, job, truth[job.job], interference))
    return AttributionScore(scores, failed)


def _disturbed(injected: Injected) -> dict[str, dict[int, float]]:
    """Return, for each job, the share of each slice that the job lost to other jobs."""
    found: dict[str, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    rows = injected.slices
    names = ("job", "slice", "seconds", "slice_ns")
    for job, at, seconds, length in zip(
        *(rows.column(name).to_pylist() for name in names), strict=True
    ):
        found[job][at] += seconds / length * 1e9
    return found


def _job(
    injected: Injected, job: InjectedJob, shares: dict[int, float], interference: JobInterference
) -> JobScore:
    length = round(injected.spec.slice_s * 1e9)
    named = {
        at
        for each in interference.disturbed
        if each.seconds >= CLEAN * injected.spec.slice_s
        for at in range(
            each.start_ns // length,
            max((each.start_ns + each.length_ns) // length, each.start_ns // length + 1),
        )
    }
    disturbed = {at for at, share in shares.items() if share >= DISTURBED}
    doubtful = {at for at, share in shares.items() if CLEAN <= share < DISTURBED}
    cost: dict[str, float] = defaultdict(float)
    for (_, _, other), seconds in job.by.items():
        cost[other] += seconds
    worst = max(cost, key=lambda name: cost[name], default="")
    asked = job.lost_s >= _WORTH * job.run_s
    suspect = interference.suspects[0].job if interference.suspects else ""
    return JobScore(
        job.job,
        injected.seed,
        injected.spec.harm == 0,
        job.run_s,
        job.lost_s,
        interference.seconds.value,
        interference.seconds.low,
        interference.seconds.high,
        interference.evident,
        len(disturbed & named),
        len(disturbed - named),
        len(named - disturbed - doubtful),
        worst if asked else "",
        suspect,
        cost.get(suspect, 0.0) / cost[worst] if worst else 0.0,
    )
