"""Batch jobs as a whole: their rows in the list of jobs, with the rows of their parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jostle.names.batch_jobs import BatchJob, batch_jobs, part_name
from jostle.report.format.values import iso_time
from jostle.report.models.jobs import job_rows

if TYPE_CHECKING:
    from jostle.repository import Repository

_HOSTS = """
SELECT job, list(DISTINCT host ORDER BY host) AS hosts FROM process_kinds
WHERE list_contains($1, job) GROUP BY job
"""
_CPU = """
SELECT job, (sum(os_user_ns_sum::DOUBLE) + sum(os_system_ns_sum::DOUBLE)) / 1e9 AS cpu_s
FROM node_rollup WHERE list_contains($1, job)
    AND (slice + 1) * slice_ns > $2 AND slice * slice_ns < $3
GROUP BY job
"""
_ADDED = ("processes", "short_processes", "ranks", "read_bytes", "written_bytes")


def with_batch_jobs(store: Repository, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of a list of jobs with one row for each batch job that has several parts.

    Args:
        store: The repository.
        rows: Rows of `jobs.job_rows`, the oldest first.

    Returns:
        The rows, the oldest first. In the row of a batch job, `job` is the batch job's number, and
        `parts` has the rows of its parts.
    """
    by_name = {row["job"]: row for row in rows}
    batches = {batch: parts for batch, parts in batch_jobs(by_name).items() if len(parts) > 1}
    grouped = {job: batch for batch, parts in batches.items() for job in parts}
    hosts = _hosts(store, list(grouped))
    wholes = [
        whole(batch, [by_name[job] for job in parts], hosts) for batch, parts in batches.items()
    ]
    alone = [row for row in rows if row["job"] not in grouped]
    return sorted([*alone, *wholes], key=lambda row: (row["start_ns"], row["job"]))


def with_part_names(row: dict[str, Any]) -> dict[str, Any]:
    """Return the row of a batch job with the name for users of each part added as `part`.

    This takes up to a millisecond per part. The row of a job without parts is returned unchanged.
    """
    if "parts" not in row:
        return row
    return row | {"parts": [part | {"part": part_name(part["job"])} for part in row["parts"]]}


def batch_row(store: Repository, parts: Sequence[str]) -> dict[str, Any]:
    """Return the row of one batch job; with CPU times (`with_cpu`).

    Args:
        store: The repository.
        parts: Parts of the batch job, as from `Repository.resolve_parts`.
    """
    rows = with_cpu(store, job_rows(store, parts))
    ((batch, _),) = batch_jobs(parts).items()
    row = whole(batch, rows, _hosts(store, parts))
    row = with_part_names(row)
    return _with_cores(row, sum(part["cpu_s"] for part in rows))


def with_cpu(store: Repository, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows of jobs with their CPU time.

    Args:
        store: The repository.
        rows: Rows of `jobs.job_rows`.

    Returns:
        The rows with two more values. `cpu_s`: CPU time, user and system, s. `cores_busy`: this CPU
        time divided by the run time.
    """
    slack = max(row["slice_ns"] for row in rows)
    span = min(row["start_ns"] for row in rows) - slack, max(row["end_ns"] for row in rows) + slack
    spent = store.query(_CPU, [[row["job"] for row in rows], *span]).to_pylist()
    cpu = {row["job"]: row["cpu_s"] for row in spent}
    return [_with_cores(row, cpu.get(row["job"], 0.0)) for row in rows]


def _with_cores(row: dict[str, Any], cpu_s: float) -> dict[str, Any]:
    lasted_s = (row["end_ns"] - row["start_ns"]) / 1e9
    return row | {"cpu_s": cpu_s, "cores_busy": cpu_s / lasted_s if lasted_s > 0 else 0.0}


def whole(
    batch: BatchJob, rows: Sequence[dict[str, Any]], hosts: dict[str, list[str]]
) -> dict[str, Any]:
    """Return the row of a batch job, computed from the rows of its parts.

    Args:
        batch: Number of the batch job.
        rows: Rows of its parts.
        hosts: The nodes of each part, by the name of its job.
    """
    parts = sorted(rows, key=lambda row: (row["job"] != batch.script, row["start_ns"], row["job"]))
    start_ns, end_ns = min(row["start_ns"] for row in parts), max(row["end_ns"] for row in parts)
    owners = {row["uid"] for row in parts}
    return {
        "job": batch.name,
        "title": batch.title,
        "script": batch.script,
        "start_ns": start_ns,
        "end_ns": end_ns,
        "start": iso_time(start_ns),
        "end": iso_time(end_ns),
        "running": any(row["running"] for row in parts),
        "hosts": len({host for row in parts for host in hosts.get(row["job"], [])}),
        "uid": owners.pop() if len(owners) == 1 else None,
        "slice_ns": max(row["slice_ns"] for row in parts),
        **{name: sum(row[name] for row in parts) for name in _ADDED},
        "program": _program(parts, batch.script),
        "programs": _programs(parts),
        "mpi_library": next(filter(None, (row["mpi_library"] for row in parts)), None),
        "parts": parts,
    }


def _program(parts: Sequence[dict[str, Any]], script: str) -> str:
    """Return the program that ran longest in a batch job, by which the batch job is named.

    The script counts only for its own time: the time of the steps is subtracted.

    Args:
        parts: Rows of its parts.
        script: The part that is the script.
    """
    lasted: dict[str, int] = {}
    for part in parts:
        length = part["end_ns"] - part["start_ns"]
        lasted[part["program"]] = lasted.get(part["program"], 0) + length
        if part["job"] == script:
            steps = sum(each["end_ns"] - each["start_ns"] for each in parts if each is not part)
            lasted[part["program"]] -= steps
    return max(lasted, key=lambda program: lasted[program])


def _programs(parts: Sequence[dict[str, Any]]) -> dict[str, int]:
    """Return the number of ranks of each MPI program."""
    ranks: dict[str, int] = {}
    for part in parts:
        for program, number in part["programs"].items():
            ranks[program] = ranks.get(program, 0) + number
    return ranks


def _hosts(store: Repository, jobs: Sequence[str]) -> dict[str, list[str]]:
    if not jobs:
        return {}
    return {row["job"]: row["hosts"] for row in store.query(_HOSTS, [list(jobs)]).to_pylist()}
