"""Metrics for monitoring: losses, traffic lights and suspects of the jobs of the last hour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jostle.server.jobs.losses import losses
from jostle.values.openmetrics import Family, Sample, openmetrics_text

Row = dict[str, Any]
#: Jobs without a newer slice are left out, ns.
RECENT_NS = 3_600_000_000_000
#: Most jobs with separate samples, so that the number of series is limited.
MOST_JOBS = 500
_FAR = 2**63 - 1
#: All families, by name. The label of a job is not `job`, which monitoring systems give to their
#: targets.
FAMILIES = {
    "jostle_jobs": Family("gauge", "", "Jobs with a slice in the last hour, by traffic light."),
    "jostle_jobs_without_samples": Family(
        "gauge",
        "",
        f"Jobs without samples of their own, because at most {MOST_JOBS} jobs have them: first "
        "running jobs, then the jobs that lost most time.",
    ),
    "jostle_job": Family("info", "", "Owner and program of a job."),
    "jostle_job_run_seconds": Family("gauge", "seconds", "Evaluated run time of a job."),
    "jostle_job_lost_seconds": Family(
        "gauge", "seconds", "Run time that interference cost a job, the most likely value."
    ),
    "jostle_job_lost_ratio": Family(
        "gauge", "ratio", "Run time that interference cost a job, as a share of its run time."
    ),
    "jostle_job_light": Family(
        "gauge",
        "",
        "Traffic light of a job: 0 green, 1 yellow, 2 red; no sample while it is undecided.",
    ),
    "jostle_job_suspect_lost_seconds": Family(
        "gauge",
        "seconds",
        "Run time that a suspect cost a job; label resource: where most of it was lost.",
    ),
    "jostle_user_run_seconds": Family("gauge", "seconds", "Run time of a user's jobs."),
    "jostle_user_lost_seconds": Family("gauge", "seconds", "Run time that a user's jobs lost."),
    "jostle_resource_lost_seconds": Family(
        "gauge", "seconds", "Run time that jobs lost on a resource."
    ),
    "jostle_newest_slice_timestamp_seconds": Family(
        "gauge", "seconds", "End of the newest slice of a job, in Unix time."
    ),
}
_LIGHTS = ("green", "yellow", "red")


@dataclass(frozen=True)
class SeenJob:
    """A job with its verdict and suspects, as far as a viewer may see them.

    Attributes:
        row: Row of the job in the list of jobs, with its verdict.
        suspects: Suspects that caused most of the job's loss: job, kind, resource, lost_s.
    """

    row: Row
    suspects: Sequence[Row]


def job_metrics(jobs: Sequence[SeenJob], newest_ns: int) -> bytes:
    """Return metrics of jobs as OpenMetrics text.

    Args:
        jobs: The jobs with a slice in the last hour that a viewer may see.
        newest_ns: End of the newest slice of these jobs, ns since the epoch; 0: there is none.
    """
    chosen = sorted(jobs, key=_importance, reverse=True)[:MOST_JOBS]
    sums = losses([job.row for job in jobs], 0, _FAR)
    lights = Counter(_light(job.row) for job in jobs)
    samples: Mapping[str, Iterator[Sample]] = {
        "jostle_jobs": (
            Sample(lights[light], {"light": light}) for light in (*_LIGHTS, "undecided", "none")
        ),
        "jostle_jobs_without_samples": iter([Sample(len(jobs) - len(chosen))]),
        "jostle_job": (Sample(1, _named(job.row, "user", "program"), "_info") for job in chosen),
        "jostle_job_run_seconds": _each(chosen, lambda verdict: verdict["run_s"]),
        "jostle_job_lost_seconds": _each(chosen, lambda verdict: verdict["lost_s"]),
        "jostle_job_lost_ratio": _each(chosen, lambda verdict: verdict["percent"] / 100),
        "jostle_job_light": _each(chosen, _light_number),
        "jostle_job_suspect_lost_seconds": (
            sample for job in chosen for sample in _of_suspects(job)
        ),
        "jostle_user_run_seconds": _of_groups(sums["users"], "user", "run_s"),
        "jostle_user_lost_seconds": _of_groups(sums["users"], "user", "lost_s"),
        "jostle_resource_lost_seconds": _of_groups(sums["resources"], "resource", "lost_s"),
        "jostle_newest_slice_timestamp_seconds": iter(
            [Sample(newest_ns / 1e9)] if newest_ns else []
        ),
    }
    return openmetrics_text(FAMILIES, samples)


def _importance(job: SeenJob) -> tuple[bool, float, str]:
    verdict = job.row["verdict"]
    return job.row["running"], verdict["lost_s"] if verdict else 0.0, job.row["job"]


def _light(row: Row) -> str:
    return row["verdict"]["light"] or "undecided" if row["verdict"] else "none"


def _light_number(verdict: Row) -> float | None:
    return _LIGHTS.index(verdict["light"]) if verdict["light"] else None


def _named(row: Row, *fields: str) -> dict[str, str]:
    return {"jostle_job": row["job"]} | {name: str(row[name] or "several") for name in fields}


def _each(jobs: Sequence[SeenJob], number: Callable[[Row], float | None]) -> Iterator[Sample]:
    """Yield a number from the verdict of each job that has a verdict."""
    for job in jobs:
        verdict = job.row["verdict"]
        value = number(verdict) if verdict else None
        if value is not None:
            yield Sample(value, _named(job.row))


def _of_suspects(job: SeenJob) -> Iterator[Sample]:
    seen: dict[tuple[str, str, str], float] = {}
    for one in job.suspects:
        key = (one["job"], one["kind"], one["resource"])
        seen[key] = seen.get(key, 0.0) + one["lost_s"]
    for (suspect, kind, resource), lost_s in seen.items():
        labels = {"suspect": suspect, "kind": kind, "resource": resource}
        yield Sample(lost_s, _named(job.row) | labels)


def _of_groups(groups: Sequence[Row], label: str, field: str) -> Iterator[Sample]:
    for group in groups:
        yield Sample(group[field], {label: group["name"]})
