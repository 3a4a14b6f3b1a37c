"""Compares a run without slices, which was imported from a log, with similar runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jostle.names.basis import TIMES
from jostle.report.models.job.evidence import job_bases, rests_on

if TYPE_CHECKING:
    from jostle.analysis.identification.runs.met_runs import RunAmongItsLike
    from jostle.repository import Repository


def is_whole(store: Repository, job: str) -> bool:
    """Return whether the time of a job's calls is known for the whole run only."""
    return any(TIMES not in basis.has for basis, _ in job_bases(store, [job]).values())


def whole_run(
    store: Repository, job: str, viewer: int | frozenset[int] | None = None
) -> RunAmongItsLike:
    """Compare a run with similar runs, and list the jobs that ran at the same time.

    Args:
        store: The repository.
        job: The run's full name.
        viewer: User (uid) or users whose jobs may be named; None: everybody's.
    """
    from jostle.analysis.identification.model import Visibility
    from jostle.analysis.identification.runs.met_runs import run_among_its_like

    users = frozenset({viewer}) if isinstance(viewer, int) else viewer
    found = run_among_its_like(store.programs_alongside(), job, Visibility(users))
    store.require_whole(job)
    return found


def like_runs_report(store: Repository, job: str, viewer: frozenset[int] | None) -> dict[str, Any]:
    """Return the content of `interference --json` for a run without slices.

    Args:
        store: The repository.
        job: The job's full name.
        viewer: Users (uids) whose jobs may be named; None: everybody's.

    Returns:
        The content. For a job with slices it has the same keys with empty values.
    """
    if not is_whole(store, job):
        nothing: dict[str, Any] = {"job": job, "program": "", "resources": [], "met": []}
        return nothing | {"limits": [], "rests_on": []}
    found = whole_run(store, job, viewer).to_json()
    return found | {"rests_on": rests_on(store, [job], "interference")}
