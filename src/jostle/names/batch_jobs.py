"""Recognises batch jobs and their parts by job names (runtime/src/process/identity.c).

A repository holds a batch job as several jobs: `slurm-12` is its script, `slurm-12-s0` a step and
`slurm-12-w5d5327ca` an mpirun of it. A user calls the whole `12`, the script `12.batch` and a step
`12.0`, as Slurm does. A job that was named by its user (JOSTLE_JOB) is no part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

#: system (darshan: which one it was is not known), number, step of Slurm or world; then the owner
#: that the repository appends (it is no part of the others).
_PART = re.compile(r"(slurm|pbs|lsf|darshan)-([^@]+?)(?:-s(\d{1,10})|-w[0-9a-f]{8})?(@[^@]+)?")
_STEP = re.compile(r"(?:(slurm)-)?(\d+)\.(\d{1,10}|batch)(@[^@]+)?")


@dataclass(frozen=True, order=True)
class BatchJob:
    """A job of a batch system.

    Attributes:
        system: Batch system: slurm, pbs or lsf; darshan for Darshan logs, which do not name the
            system.
        number: Number of the job in the batch system.
        owner: "@" and the login of its owner; "" for the repository's owner.
    """

    system: str
    number: str
    owner: str = ""

    @property
    def name(self) -> str:
        """Name that users give the batch job: its number, and the owner."""
        return f"{self.number}{self.owner}"

    @property
    def script(self) -> str:
        """The repository's name of its script and of whatever belongs to no step or mpirun."""
        return f"{self.system}-{self.number}{self.owner}"

    @property
    def title(self) -> str:
        """The batch job in a sentence: `Slurm job 12`."""
        title = {"slurm": "Slurm job", "darshan": "Batch job"}.get(self.system)
        return f"{title or f'{self.system.upper()} job'} {self.name}"


def batch_job_of(job: str) -> BatchJob | None:
    """Return the batch job that a job of a repository is a part of; None for any other job."""
    match = _PART.fullmatch(job)
    return BatchJob(match[1], match[2], match[4] or "") if match else None


def batch_jobs(jobs: Iterable[str]) -> dict[BatchJob, list[str]]:
    """Return the batch jobs among jobs of a repository, each with its parts in the given order."""
    parts: dict[BatchJob, list[str]] = {}
    for job in jobs:
        batch = batch_job_of(job)
        if batch is not None:
            parts.setdefault(batch, []).append(job)
    return parts


def part_name(job: str) -> str:
    """Return the user's name of a job: `12.batch`, `12.0`; its own name if it is no such part.

    An mpirun within the script and parts of other batch systems keep the repository's name.
    """
    match = _PART.fullmatch(job)
    if not match or match[1] != "slurm":
        return job
    number, step, owner = match[2], match[3], match[4] or ""
    if step:
        return f"{number}.{step}{owner}"
    return f"{number}.batch{owner}" if job == f"slurm-{number}{owner}" else job


def job_of_part(name: str) -> str | None:
    """Return the repository's name of a part that a user calls `12.batch` or `12.0`.

    None: the text is no such name.
    """
    match = _STEP.fullmatch(name)
    if not match:
        return None
    part = "" if match[3] == "batch" else f"-s{match[3]}"
    return f"slurm-{match[2]}{part}{match[4] or ''}"
