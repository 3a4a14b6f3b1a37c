"""The advice on one job of a repository: reads what it rests on, and asks the analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.compute as pc

if TYPE_CHECKING:
    from jostle.analysis.advise import Recommendations
    from jostle.repository import Repository


def advice_on(
    store: Repository, name: str, *, seed: int = 0, viewer: int | None = None
) -> Recommendations:
    """Return what to change about a job.

    Args:
        store: The repository.
        name: The job's full name.
        seed: Of the random steps.
        viewer: User (uid) whose jobs may be named; None: everybody's.

    Raises:
        DamagedError: A file of the time of the job is damaged: a part of the evidence is missing.
    """
    from jostle.analysis import digest, identify
    from jostle.analysis.advise import recommend

    co_running = store.beside(name)
    interference = identify(co_running, seed=seed, as_user=viewer)
    job_digest = digest(store.job_tables(name))
    given = recommend(co_running, interference, job_digest, run_times(store, name), seed=seed)
    store.require_whole(name)
    return given


def run_times(store: Repository, name: str) -> list[float]:
    """Return the run times of the runs that are like a job, s: those of its program and user.

    Only runs that are over and have as many processes and nodes: others do other work.
    """
    jobs = store.jobs()
    own = jobs.filter(pc.equal(jobs["job"], name)).to_pylist()
    if not own or own[0]["uid"] is None:
        return []
    alike = pc.invert(jobs["running"])
    for column in ("program", "uid", "processes", "hosts"):
        alike = pc.and_(alike, pc.equal(jobs[column], own[0][column]))
    spans = jobs.filter(alike).select(["start_ns", "end_ns"]).to_pylist()
    times = [(span["end_ns"] - span["start_ns"]) / 1e9 for span in spans]
    return [seconds for seconds in times if seconds > 0]
