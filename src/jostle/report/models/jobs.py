"""Rows of the list of jobs, as `jostle jobs` and the web page show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from jostle.report.format.values import count, iso_time

if TYPE_CHECKING:
    from jostle.repository import Repository

_RANKS = """
SELECT job, identity, sum(processes)::BIGINT AS ranks, min(mpi_library) AS library
FROM process_kinds WHERE is_rank AND ($1 IS NULL OR list_contains($1, job))
GROUP BY job, identity ORDER BY ranks DESC, identity
"""


def mpi_programs(
    store: Repository, names: Sequence[str] | None = None
) -> dict[str, dict[str, Any]]:
    """Return the MPI programs of all jobs, or of some; a job without ranks is left out.

    Returns:
        By job: `ranks` (number of ranks), `programs` (number of ranks by program), `mpi_library`.
    """
    found: dict[str, dict[str, Any]] = {}
    for row in store.query(_RANKS, [None if names is None else list(names)]).to_pylist():
        known = found.setdefault(row["job"], {"ranks": 0, "programs": {}, "mpi_library": None})
        known["ranks"] += row["ranks"]
        known["programs"][row["identity"]] = row["ranks"]
        known["mpi_library"] = known["mpi_library"] or row["library"] or None
    return found


NO_MPI: dict[str, Any] = {"ranks": 0, "programs": {}, "mpi_library": None}


def job_rows(
    store: Repository,
    names: Sequence[str] | None = None,
    *,
    traffic: bool = True,
    span: tuple[int, int] | None = None,
) -> list[dict[str, Any]]:
    """Return the jobs, oldest first, with their traffic.

    Args:
        store: The repository.
        names: Names of the jobs; None: all.
        traffic: Whether to read the jobs' traffic, and the newest slices of running jobs, too.
        span: Span that contains all slices of the jobs, ns since the epoch; None: not known.
    """
    marks = {}
    if traffic:
        found = store.loads.job_marks(names, span)
        marks = {row["job"]: row for row in found.to_pylist()}
    mpi = mpi_programs(store, names)
    rows = []
    for row in store.jobs(names).to_pylist():
        mark = marks.get(row["job"], {})
        if row["running"]:  # the rollup is updated with every slice, the table of processes is not
            row["end_ns"] = max(row["end_ns"], mark.get("seen_ns") or 0)
        row["start"], row["end"] = iso_time(row["start_ns"]), iso_time(row["end_ns"])
        row["read_bytes"] = mark.get("read_bytes") or 0
        row["written_bytes"] = mark.get("written_bytes") or 0
        row |= mpi.get(row["job"], NO_MPI)
        rows.append(row)
    return sorted(rows, key=lambda row: (row["start_ns"], row["job"]))


def is_chosen(
    row: Mapping[str, Any], uid: int | None, program: str | None, since_ns: int | None
) -> bool:
    """Return whether a job, or a part of a batch job, matches the user's filters.

    Args:
        row: A row of `job_rows` or of `batch_jobs.with_batch_jobs`.
        uid: User whose jobs match; None: all users.
        program: Program whose jobs match; * and ? are wildcards; None: any program.
        since_ns: Instant after which matching jobs ran, ns since the epoch; None: any time.
    """
    if uid is not None and row["uid"] != uid:
        return False
    if since_ns is not None and row["end_ns"] < since_ns:
        return False
    if program is None:
        return True
    runs = [
        name
        for each in (row, *row.get("parts", []))
        for name in (each["program"], *each["programs"])
    ]
    return any(fnmatchcase(name, program) for name in runs)


_SEEN_OF = "SELECT max((slice + 1) * slice_ns) AS seen_ns FROM node_rollup WHERE job = ?"


def job_row(store: Repository, job: str) -> dict[str, Any]:
    """Return the job's row of the list of jobs."""
    rows = store.query("SELECT * FROM jobs WHERE job = ?", [job]).to_pylist()
    row: dict[str, Any] = rows[0]
    if row["running"]:
        # The rollup is updated with every slice, the table of processes is not.
        seen = store.query(_SEEN_OF, [job]).to_pylist()[0]["seen_ns"] or 0
        row["end_ns"] = max(row["end_ns"], seen)
    row |= mpi_programs(store, [job]).get(job, NO_MPI)
    return row


def describe(row: dict[str, Any]) -> str:
    """Describe a job in a few words: its program and its number of processes or ranks."""
    number, what = row["processes"], "process"
    if row["ranks"]:
        number, what = row["ranks"], "rank"
    plural = "" if number == 1 else "es" if what == "process" else "s"
    words = f"{row['program']}, {count(number)} {what}{plural}"
    return words + (f" on {row['hosts']} nodes" if row["hosts"] > 1 else "")
