"""Compares run time, traffic and calls of a job with those of other runs of its program."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from jostle.schema.metrics import METRICS

_FILES = "(posix|stdio)"
_SHAPES = "(one_to_all|all_to_one|all_to_all|scan|neighbor)"
_IN_MPI = "Time in MPI"
#: Name, unit and metrics of each figure: the rows of the digest in Shah, 2020, section 2.1.3.
_WANTED = (
    ("Bytes written", "bytes", rf"{_FILES}_write_bytes"),
    ("Write calls", "ops", rf"{_FILES}_write_ops"),
    ("Time in writes", "ns", rf"{_FILES}_write_ns"),
    ("Bytes read", "bytes", rf"{_FILES}_read_bytes"),
    ("Read calls", "ops", rf"{_FILES}_read_ops"),
    ("Time in reads", "ns", rf"{_FILES}_read_ns"),
    ("Time opening, syncing", "ns", rf"{_FILES}_(meta|sync)_ns"),
    ("MPI sends", "ops", r"mpi_(i?send|sendrecv)_ops"),
    ("Bytes sent", "bytes", r"mpi_(i?send|sendrecv|sendrecv_sent)_bytes"),
    ("Collectives", "ops", rf"(mpi_i?|ccl_)({_SHAPES[1:-1]}|barrier)_ops"),
    ("Bytes in collectives", "bytes", rf"(mpi_i?|ccl_){_SHAPES}_bytes"),
    (_IN_MPI, "ns", r"state_(p2p|collective|onesided|mpi)_ns"),
    ("Time in collectives", "ns", rf"ccl_({_SHAPES[1:-1]}|barrier)_ns"),
    ("CPU time", "ns", r"os_(user|system)_ns"),
    ("Waiting for a core", "ns", r"os_runqueue_ns"),
)
#: Relative difference of totals below which they count as equal.
_EQUAL = 0.005
#: Most other runs that a run is compared with, the newest first.
_MOST_RUNS = 60
#: Number of other runs from which on quartiles are shown instead of the runs themselves.
FEWEST_FOR_QUARTERS = 5


@dataclass(frozen=True)
class RunFigure:
    """One quantity by which runs are compared: a sum of metrics.

    Attributes:
        name: Name of the quantity, as shown to users.
        unit: Unit of the quantity: bytes, ops or ns.
        metrics: Ids of the metrics that are added up; all have the same scope.
        on_mounts: Whether the metrics are recorded per mount; else they are recorded per process.
    """

    name: str
    unit: str
    metrics: tuple[str, ...]
    on_mounts: bool


@cache
def figures() -> tuple[RunFigure, ...]:
    """Return all quantities by which runs are compared, in the order of a digest."""
    run_figures = []
    for name, unit, pattern in _WANTED:
        named = [metric for metric in METRICS if re.fullmatch(pattern, metric.id)]
        ids = tuple(metric.id for metric in named)
        run_figures.append(RunFigure(name, unit, ids, named[0].scope == "mount"))
    return tuple(run_figures)


def others_of(rows: Mapping[str, Mapping[str, Any]], job: str) -> tuple[list[str], int | None]:
    """Return the finished runs of a job's program with which to compare the job.

    If there are runs with as many processes as the job, only these are returned.

    Args:
        rows: For each job: program, processes, ranks (0 without MPI), running and start_ns.
        job: Name of one of these jobs.

    Returns:
        Names of the other runs, the newest first; and the number of processes (of an MPI program:
        ranks) that all of them have, or None if it is not that of the job.
    """

    def size(row: Mapping[str, Any]) -> int:
        return int(row["ranks"] or row["processes"])

    own = rows[job]
    found = [
        (name, row)
        for name, row in rows.items()
        if name != job and row["program"] == own["program"] and not row["running"]
    ]
    like = [(name, row) for name, row in found if size(row) == size(own)]
    # Runs with as many processes most likely did the same work.
    chosen = sorted(like or found, key=lambda one: -one[1]["start_ns"])[:_MOST_RUNS]
    return [name for name, _ in chosen], size(own) if like else None


def among(
    own: Sequence[tuple[NDArray[np.float64], float]],
    theirs: Sequence[NDArray[np.float64]],
    seconds: float,
    their_seconds: NDArray[np.float64],
    *,
    training: bool = False,
) -> list[dict[str, Any]]:
    """Return each quantity of a run, compared with its values in other runs of the program.

    Args:
        own: For each quantity of `figures`, its value in each process of the run that counts, and
            its total in the run.
        theirs: For each quantity of `figures`, its total in each other run.
        seconds: Run time of the run, in seconds.
        their_seconds: Run times of the other runs, in seconds.
        training: Whether the run is a training job without MPI.

    Returns:
        One dictionary per quantity that is not 0, with its name, its unit (bytes, ops or s) and its
        total in the run; least, mean and most over the run's processes (None for the run time); and
        others: the totals of the other runs (see `quartiles`).
    """
    found = [
        {
            "name": "Run time",
            "unit": "s",
            "total": seconds,
            "least": None,
            "mean": None,
            "most": None,
            "others": quartiles(their_seconds),
        }
    ]
    for figure, (values, total), alongside in zip(figures(), own, theirs, strict=True):
        if not total or (training and figure.name == _IN_MPI):  # calls of NCCL only enqueue
            continue
        scale, unit = (1e-9, "s") if figure.unit == "ns" else (1.0, figure.unit)
        found.append(
            {
                "name": figure.name,
                "unit": unit,
                "total": total * scale,
                "least": float(values.min()) * scale,
                "mean": float(values.mean()) * scale,
                "most": float(values.max()) * scale,
                "others": quartiles(alongside * scale),
            }
        )
    return found


def quartiles(values: NDArray[np.float64]) -> dict[str, Any] | None:
    """Return the number and the quartiles of values of several runs.

    Returns:
        A dictionary with the number of runs, min, q1, median, q3, max, and values. With five or
        more runs, `values` is empty. With fewer, it has all values in their order, and q1, median
        and q3 are None. Without any run, the result is None.
    """
    if not len(values):
        return None
    low, first, middle, third, high = np.percentile(values, [0, 25, 50, 75, 100]).tolist()
    if len(values) < FEWEST_FOR_QUARTERS:
        first = middle = third = None
    return {
        "runs": len(values),
        "min": low,
        "q1": first,
        "median": middle,
        "q3": third,
        "max": high,
        "values": values.tolist() if first is None else [],
    }


Side = Literal[
    "as usual",
    "between them",
    "more than in any",
    "more than in three of four",
    "less than in any",
    "less than in three of four",
]


def side(total: float, others: Mapping[str, Any]) -> Side:
    """Return whether a run's total is below, among or above the totals of other runs.

    Args:
        total: Total of this run.
        others: Result of `quartiles` for the totals of the other runs.
    """
    if others["q1"] is None:
        if (1 - _EQUAL) * others["min"] <= total <= (1 + _EQUAL) * others["max"]:
            return "between them" if others["runs"] > 1 else "as usual"
        return "more than in any" if total > others["max"] else "less than in any"
    if total > others["q3"]:
        return "more than in any" if total > others["max"] else "more than in three of four"
    if total < others["q1"]:
        return "less than in any" if total < others["min"] else "less than in three of four"
    return "as usual"
