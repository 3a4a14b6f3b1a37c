"""Advice on one job of a repository: reads the evidence, and calls the analysis."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from jostle.errors import JostleError

if TYPE_CHECKING:
    from jostle.analysis.advise import PastRun, Recommendation, Recommendations
    from jostle.repository import Repository

#: Returns the loss of a run, s; None: it is not known.
LostOf = Callable[[str], float | None]
#: Most runs of which losses are read: the newest.
_MOST_EVALUATED = 12
#: Least runs for advice on time limits.
_FEWEST_RUNS = 8


def advice_on(
    store: Repository,
    name: str,
    *,
    seed: int = 0,
    viewer: int | frozenset[int] | None = None,
    lost_of: LostOf | None = None,
) -> Recommendations:
    """Return the advice on a job.

    Args:
        store: The repository.
        name: The job's full name.
        seed: Seed of the random steps.
        viewer: User (uid) or users whose jobs may be named; None: all users.
        lost_of: Function that returns the loss of an earlier run; None: it is evaluated now.

    Raises:
        DamagedError: A file from the time of the job is damaged, so that evidence is missing.
    """
    from jostle.analysis import digest, identify
    from jostle.analysis.advise import recommend
    from jostle.report.models.machines.targets import slow_targets_of

    def lost_now(job: str) -> float | None:
        try:
            if not store.has_company(job):
                return 0.0
            return identify(store.alongside(job), seed=seed, as_user=viewer).seconds.value
        except JostleError:
            return None

    co_running = store.alongside(name)
    interference = identify(co_running, seed=seed, as_user=viewer)
    job_digest = digest(store.job_tables(name))
    given = recommend(
        co_running,
        interference,
        job_digest,
        past_runs(store, name, lost_of or lost_now),
        slow_targets=slow_targets_of(store, [name])[1],
        seed=seed,
    )
    store.require_whole(name)
    return given


def best_advice(store: Repository, parts: Sequence[str]) -> Recommendation | None:
    """Return the advice that would save a job most run time; None: no advice saves any.

    Args:
        store: The repository.
        parts: The job, or the parts of a batch job.
    """
    found: list[Recommendation] = []
    for part in parts:
        with contextlib.suppress(JostleError):  # other parts may still have advice
            found += advice_on(store, part, lost_of=lambda _: None).found
    with_saving = [each for each in found if each.saving is not None]
    return max(with_saving, key=lambda each: each.saving.value if each.saving else 0, default=None)


def past_runs(store: Repository, name: str, lost_of: LostOf) -> list[PastRun]:
    """Return comparable runs (of the same program and user as a job), the newest last.

    A run is comparable if it has ended, and if it had as many processes and nodes as the job. Other
    runs do a different amount of work. Losses are read for the newest runs only, and only if there
    are enough runs.

    Args:
        store: The repository.
        name: The job.
        lost_of: Function that returns the loss of a run.
    """
    from jostle.analysis.advise import PastRun

    jobs = store.jobs()
    own = jobs.filter(pc.equal(jobs["job"], name)).to_pylist()
    if not own or own[0]["uid"] is None:
        return []
    alike = pc.invert(jobs["running"])
    for column in ("program", "uid", "processes", "hosts"):
        alike = pc.and_(alike, pc.equal(jobs[column], own[0][column]))
    runs = [row for row in jobs.filter(alike).to_pylist() if row["end_ns"] > row["start_ns"]]
    runs.sort(key=lambda row: (row["start_ns"], row["job"]))
    newest = {row["job"] for row in runs[-_MOST_EVALUATED:]} if len(runs) >= _FEWEST_RUNS else ()

    def past(row: dict[str, Any]) -> PastRun:
        lost = lost_of(row["job"]) if row["job"] in newest else None
        return PastRun((row["end_ns"] - row["start_ns"]) / 1e9, lost, row["start_ns"] / 1e9)

    return [past(row) for row in runs]
