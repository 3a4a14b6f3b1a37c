"""Finds the jobs that a user's text (name, prefix, number or `last`) refers to."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path

from jostle.names.batch_jobs import batch_job_of, batch_jobs, job_of_part, part_name
from jostle.repository.errors import JobError


def find_jobs(name: str, jobs: Sequence[str], place: Path, owner: int | None = None) -> list[str]:
    """Return the job that a name refers to, or all parts of the batch job that it refers to.

    Args:
        name: A job's name, a prefix of it that no other job has, the number of a batch job, a step
            of Slurm such as `12.0`, or "last".
        jobs: Names of all jobs to search, the newest first.
        place: Folder of the repository, for messages.
        owner: User (uid) whose jobs are searched; None: all users.

    Raises:
        JobError: There is no such job, or several.
    """
    whose = "" if owner is None else f" of uid {owner}"
    if not jobs and whose:
        raise JobError(
            f"The repository {place} holds no job{whose}.",
            hint="You can only see jobs in which every process is yours; `jostle jobs` names "
            "owners.",
        )
    if not jobs:
        raise JobError(
            f"The repository {place} holds no job yet.",
            hint="Profile one with `jostle run -- COMMAND`.",
        )
    if name == "last":
        newest = batch_job_of(jobs[0])
        return batch_jobs(jobs)[newest] if newest else [jobs[0]]
    if name in jobs:
        return [name]
    if parts := _parts_named(name, jobs):
        return parts
    called: list[str] = []
    for wanted in filter(None, (name, job_of_part(name))):
        called = [job for job in jobs if wanted in (job, job.rpartition("@")[0])]  # without owner
        if len(called) == 1:
            return called
    matches = called or [job for job in jobs if job.startswith(name)]
    if len(matches) == 1:
        return matches
    if matches:
        raise JobError(
            f"{len(matches)} jobs begin with {name!r}: {_few(matches)}.",
            hint="Give more letters of the name.",
        )
    near = difflib.get_close_matches(name, jobs, n=3, cutoff=0.5)
    raise JobError(
        f"There is no job {name!r}{whose} in {place}.",
        hint=(
            f"Did you mean {' or '.join(near)}? "
            if near
            else f"The newest: {', '.join(jobs[:3])}. "
        )
        + ("Other users' jobs are not shown." if whose else "`jostle jobs` lists them all."),
    )


def find_job(name: str, jobs: Sequence[str], place: Path, owner: int | None = None) -> str:
    """Return the only job that a name refers to; "last" is the newest part of a batch job.

    Arguments and errors are those of `find_jobs`. In addition, a name of a batch job with several
    parts is an error.
    """
    matches = find_jobs(name, jobs, place, owner)
    if len(matches) == 1 or name == "last":
        return matches[0]
    batch = batch_job_of(matches[0])
    assert batch is not None, "only a batch job has parts"
    raise JobError(
        f"{batch.title} has {len(matches)} parts: {_few(list(map(part_name, matches)))}.",
        hint=f"Name one of the parts. `jostle digest {batch.name}` shows the program of each part.",
    )


def _parts_named(name: str, jobs: Sequence[str]) -> list[str]:
    """Return the parts of the batch job with a name or number; none if there is no such job."""
    batches = batch_jobs(jobs)
    for names in (
        {batch: (batch.name, batch.script) for batch in batches},
        {batch: (batch.number, f"{batch.system}-{batch.number}") for batch in batches},
    ):
        called = [batch for batch in batches if name in names[batch]]
        if len(called) > 1:
            raise JobError(
                f"{len(called)} batch jobs have the number {name!r}: "
                f"{_few([batch.name for batch in called])}.",
                hint="Use one of these names.",
            )
        if called:
            return batches[called[0]]
    return []


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (" and others" if len(names) > 5 else "")
