"""Compares a job's numbers with other runs of its program (see analysis/digest/among_runs.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.digest.among_runs import (
    FEWEST_FOR_QUARTERS,
    RunFigure,
    among,
    figures,
    others_of,
)
from jostle.analysis.processes import JobProcesses
from jostle.names.training import is_collective_library
from jostle.report.models.jobs import job_rows

if TYPE_CHECKING:
    from jostle.repository import Repository


def runs_of(store: Repository, job: str) -> dict[str, dict[str, Any]]:
    """Return the rows of jobs that `figures_of` needs, for a viewer who may see all jobs.

    Args:
        store: The repository.
        job: A job; if it still runs, its end is that of its newest slice.
    """
    rows = {row["job"]: row for row in job_rows(store, traffic=False)}
    rows |= {row["job"]: row for row in job_rows(store, [job])}
    return rows


def newest_other_run(store: Repository, job: str, owner: int | None = None) -> str:
    """Return the newest other run of a job's program and size that has ended; "" if there is none.

    Args:
        store: The repository.
        job: The job.
        owner: Search only jobs of this user (a uid).
    """
    rows = {
        name: row
        for name, row in runs_of(store, job).items()
        if name == job or owner is None or row["uid"] == owner
    }
    names, size = others_of(rows, job)
    return names[0] if names and size else ""


def figures_of(
    store: Repository, rows: Mapping[str, Mapping[str, Any]], job: str
) -> dict[str, Any]:
    """Return each number of a job: in total, over its processes, and in other runs of its program.

    Args:
        store: The repository.
        rows: Jobs that the viewer may see, by name: job, program, processes, ranks, running,
            start_ns, end_ns and slice_ns.
        job: Name of one of these jobs.

    Returns:
        A mapping with these keys. program: the job's program. runs: number of its other runs.
        others: names of these runs, if they are too few for quartiles. processes: number of
        processes of each run, if all have the same number. figures: the numbers, see
        `analysis.digest.among_runs.among`.
    """
    names, processes = others_of(rows, job)
    spans = {name: (rows[name]["end_ns"] - rows[name]["start_ns"]) / 1e9 for name in (job, *names)}
    found = among(
        _of_processes(store, rows[job], figures()),
        _of_jobs(store, [rows[name] for name in names], figures()),
        spans[job],
        np.array([spans[name] for name in names]),
        training=is_collective_library(rows[job].get("mpi_library")),
    )
    others = names if len(names) < FEWEST_FOR_QUARTERS else []
    return {
        "program": rows[job]["program"],
        "runs": len(names),
        "others": others,
        "processes": processes,
        "figures": found,
    }


def _span(rows: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
    """Return a span that contains all slices of some jobs."""
    longest = max(row["slice_ns"] for row in rows)
    first, last = min(row["start_ns"] for row in rows), max(row["end_ns"] for row in rows)
    return first - longest, last + longest


def _parts(wanted: Sequence[RunFigure]) -> dict[bool, list[int]]:
    """Return the indices of the numbers of mounts (key True) and of processes (key False)."""
    return {
        mount: [at for at, run_figure in enumerate(wanted) if run_figure.on_mounts == mount]
        for mount in (True, False)
    }


def _of_processes(
    store: Repository, job: Mapping[str, Any], wanted: Sequence[RunFigure]
) -> list[tuple[NDArray[np.float64], float]]:
    """Return each number per process (if there are ranks, per rank), and over all processes."""
    job_processes = JobProcesses(store.job_processes(job["job"]))
    place = {process: at for at, process in enumerate(job_processes.ints("process").tolist())}
    counts = job_processes.included
    sums = np.zeros((len(wanted), job_processes.count))
    for mount, chosen in _parts(wanted).items():
        rows = store.loads.totals(
            "mount_slices" if mount else "slices",
            [wanted[at].metrics for at in chosen],
            [job["job"]],
            _span([job]),
            by="process",
        )
        at = np.array([place.get(one, -1) for one in rows["process"].to_pylist()], dtype=np.int64)
        for number, figure in enumerate(chosen):
            sums[figure, at[at >= 0]] = rows[f"v{number}"].to_numpy()[at >= 0]
    return [(row[counts], float(row.sum())) for row in sums]


def _of_jobs(
    store: Repository, jobs: Sequence[Mapping[str, Any]], wanted: Sequence[RunFigure]
) -> list[NDArray[np.float64]]:
    """Return each number, summed over the processes of each of some jobs."""
    sums = np.zeros((len(wanted), len(jobs)))
    place = {job["job"]: at for at, job in enumerate(jobs)}
    for mount, chosen in _parts(wanted).items() if jobs else ():
        rows = store.loads.totals(
            "rollup" if mount else "node_rollup",
            [wanted[at].metrics for at in chosen],
            list(place),
            _span(jobs),
        )
        at = np.array([place[one] for one in rows["job"].to_pylist()], dtype=np.int64)
        for number, figure in enumerate(chosen):
            sums[figure, at] = rows[f"v{number}"].to_numpy()
    return list(sums)
