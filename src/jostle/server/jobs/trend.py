"""The runs of a program over time, with their run times and traffic lights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel, Field

from jostle.analysis.digest.among_runs import others_of
from jostle.server.schemas.jobs import Brief


class TrendRun(BaseModel):
    """One run of a program."""

    job: str
    start_ns: int
    run_s: float = Field(description="run time, the same as in the answer of `figures`")
    running: bool
    verdict: Brief | None = Field(description="null: there is no verdict (yet); see `why_not`")
    why_not: str = Field(
        description="why there can be no verdict; empty: there is one, or one may still come"
    )


class Trend(BaseModel):
    """A job, and the other runs that it is compared with."""

    program: str
    processes: int | None = Field(
        description="the job's number of processes, if all these runs have the same number; null: "
        "no other run has as many processes as the job"
    )
    runs: list[TrendRun] = Field(description="the job and the other runs, the earliest first")


def trend_of(
    rows: Mapping[str, Mapping[str, Any]], job: str, assessed: Callable[[str], Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the runs of a job's program.

    Args:
        rows: Jobs that the viewer may see, by name.
        job: Name of one of these jobs.
        assessed: Function that returns the row of a job with its verdict.

    Returns:
        The fields of `Trend`.
    """
    names, processes = others_of(rows, job)
    runs = sorted(map(assessed, (job, *names)), key=lambda row: row["start_ns"])
    return {
        "program": rows[job]["program"],
        "processes": processes,
        "runs": [
            {
                "job": row["job"],
                "start_ns": row["start_ns"],
                "running": row["running"],
                "run_s": (row["end_ns"] - row["start_ns"]) / 1e9,
                "verdict": row["verdict"],
                "why_not": row["why_not"],
            }
            for row in runs
        ],
    }
