"""Batch jobs and their parts, by the names that the runtime gives (runtime/src/identity.c).

A repository holds a batch job as several jobs: `slurm-12` is its script, `slurm-12-w5d5327ca` a
step or an mpirun of it. A user calls the whole `12`, the script `12.batch` and a step `12.0`, as
Slurm does. A job that was named by its user (JOSTLE_JOB) is no part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

#: system, number, world; then the owner that the repository appends (it is no part of the others).
_PART = re.compile(r"(slurm|pbs|lsf)-([^@]+?)(?:-w([0-9a-f]{8}))?(@[^@]+)?")
_STEP = re.compile(r"(?:(slurm)-)?(\d+)\.(\d{1,9}|batch)(@[^@]+)?")
#: Steps whose number is looked for: a job with more has its last ones under the repository's names.
_MOST_STEPS = 1024


@dataclass(frozen=True, order=True)
class BatchJob:
    """A job of a batch system.

    Attributes:
        system: slurm, pbs or lsf.
        number: What the system calls it.
        owner: "@" and the login of its owner; "" for the repository's owner.
    """

    system: str
    number: str
    owner: str = ""

    @property
    def name(self) -> str:
        """What users call it."""
        return f"{self.number}{self.owner}"

    @property
    def script(self) -> str:
        """The repository's name of its script and of whatever belongs to no step or mpirun."""
        return f"{self.system}-{self.number}{self.owner}"

    @property
    def title(self) -> str:
        """The batch job in a sentence: `Slurm job 12`."""
        return f"{'Slurm' if self.system == 'slurm' else self.system.upper()} job {self.name}"


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


@lru_cache(16384)
def part_name(job: str) -> str:
    """Return what a user calls a job: `12.batch`, `12.0`; its own name if it is no such part.

    The world of a step is a hash of its number, so that steps are found by trying numbers. Other
    parts (an mpirun within the script, parts of other batch systems) keep the repository's name.
    """
    batch = batch_job_of(job)
    if batch is None or batch.system != "slurm":
        return job
    if job == batch.script:
        return f"{batch.number}.batch{batch.owner}"
    world, begun = job.removesuffix(batch.owner)[-8:], _hashed(f"{batch.number}.")
    for step in range(_MOST_STEPS):
        if _folded(_hashed(str(step), begun)) == world:
            return f"{batch.number}.{step}{batch.owner}"
    return job


def job_of_part(name: str) -> str | None:
    """Return the repository's name of a part that a user calls `12.batch` or `12.0`; None else."""
    match = _STEP.fullmatch(name)
    if not match:
        return None
    batch = BatchJob("slurm", match[2], match[4] or "")
    return batch.script if match[3] == "batch" else _step_job(batch, int(match[3]))


def _step_job(batch: BatchJob, step: int) -> str:
    """Return the repository's name of a Slurm step."""
    world = _folded(_hashed(f"{batch.number}.{step}"))
    return f"{batch.system}-{batch.number}-w{world}{batch.owner}"


def _hashed(text: str, begun: int = 0xCBF29CE484222325) -> int:
    """Return the FNV-1a hash of a text, continued from that of what is before it."""
    for byte in text.encode():
        begun = (begun ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return begun


def _folded(hashed: int) -> str:
    return f"{(hashed ^ hashed >> 32) & 0xFFFFFFFF:08x}"
