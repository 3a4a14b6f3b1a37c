"""Chooses the name of a run, since a reused name would merge two unrelated runs.

Related runs share a name: the ranks of one mpirun, the steps of one batch job, and a run within a
run of that name.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

from jostle.cli.options.common import open_repository
from jostle.errors import UsageError
from jostle.files.repository_address import is_address

_JOB_NAME = re.compile(r"[^A-Za-z0-9_.-]")
_LONGEST = 64
#: Variables of launchers in the environment of ranks.
_RANKS = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", "RANK")
#: Batch systems, in the runtime's order of checks (runtime/src/process/identity.c).
_BATCHES = (("slurm", "SLURM_JOB_ID"), ("pbs", "PBS_JOBID"), ("lsf", "LSB_JOBID"))


def job_name(named: str | None, program: str) -> str:
    """Return the job's name: the user's, or program, local time and this process's pid."""
    if named:
        if _JOB_NAME.search(named) or len(named) > _LONGEST:
            raise UsageError(
                f"`{named}` cannot name a job: names have at most 64 letters, digits, `_`, `.` and "
                "`-`.",
                hint=f"For example: --job {_JOB_NAME.sub('_', named)[:_LONGEST]}",
            )
        return named
    stem = _JOB_NAME.sub("_", os.path.basename(program))[:40] or "job"
    return f"{stem}-{time.strftime('%m%d-%H%M')}-{os.getpid()}"


def file_stem(name: str) -> str:
    """Return a job's name in the form that the runtime uses in file names."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:_LONGEST]


def joins(name: str) -> bool:
    """Return whether a run intentionally shares the name with others at the same time."""
    return os.environ.get("JOSTLE_JOB") == name or any(map(os.environ.get, _RANKS))


def candidates(name: str, first: int = 1) -> Iterator[str]:
    """Yield NAME, NAME-2, NAME-3 ..., beginning with the name of number `first`."""
    for number in range(first, 100_000):
        end = "" if number == 1 else f"-{number}"
        yield name[: _LONGEST - len(end)] + end


def is_taken(name: str, repository: Path, spool: Path) -> bool:
    """Return whether an earlier run of this user, outside this batch job, has the name."""
    return _in_spool(name, spool) or _in_repository(name, repository)


def batch() -> str:
    """Return the batch job of this process, as in profiles; empty without one."""
    return next((f"{kind}-{os.environ[key]}" for kind, key in _BATCHES if os.environ.get(key)), "")


def _in_spool(name: str, spool: Path) -> bool:
    from jostle.reader import ProfileHeader, read_header

    stem, ours, me = file_stem(name), batch(), os.getuid()
    for path in [*spool.glob(f"{stem}.*.jst"), *spool.glob(f"{stem}.*.js[ps]")]:
        try:
            if path.lstat().st_uid != me:
                continue
            if not ours:
                return True
            header = read_header(path)  # that of short-lived processes has no batch job
            if isinstance(header, ProfileHeader) and header.batch != ours:
                return True
        except Exception:  # removed, or not a profile
            continue
    return False


def _in_repository(name: str, repository: Path) -> bool:
    from jostle.repository.store.owner_names import login_name

    if not is_address(repository) and not repository.is_dir():
        return False
    try:
        rows = open_repository(repository).query(
            "SELECT count(*) AS n FROM processes WHERE job IN ($1, $4) AND uid = $2 "
            "AND ($3 = '' OR (NOT short AND coalesce(batch, '') <> $3))",
            [name, os.getuid(), batch(), f"{name}@{login_name(os.getuid())}"],
        )
    except Exception:  # the error is reported after the run, and must not stop it
        return False
    return bool(rows["n"][0].as_py())
