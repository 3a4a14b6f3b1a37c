"""Data for the web pages of studies: the output of `jostle study show --json`."""

from __future__ import annotations

from typing import Any

from fastapi import HTTPException

from jostle.repository import Repository
from jostle.server.pages import Viewer
from jostle_lab.study.stored import study_json


def jobs_of(records: list[dict[str, Any]]) -> set[str]:
    """Return the jobs of all runs of a study."""
    return {str(program["job"]) for record in records for program in record.get("programs", [])}


def may_see(viewer: Viewer, jobs: set[str], visible: set[str]) -> bool:
    """Return whether a viewer may see a study: he owns, or has access to, all its jobs."""
    return viewer.sees_all or (bool(jobs) and jobs <= visible)


def brief(repository: Repository, name: str, viewer: Viewer, visible: set[str]) -> dict[str, Any]:
    """Return a study's row of the list of studies; empty if the viewer may not know of the study.

    A study whose files are damaged gets a row with the error, so that the others are still listed.
    """
    from jostle.errors import JostleError

    store = repository.study(name)
    try:
        plan, records = store.plan(), store.read_runs()
    except JostleError as error:
        if not viewer.sees_all:
            return {}
        return {"study": name, "damaged": str(error), "fix": error.hint}
    if not may_see(viewer, jobs_of(records), visible):
        return {}
    config = plan.get("config") or {}
    times = [
        int(program.get("end_ns") or 0) for record in records for program in record["programs"]
    ]
    return {
        "study": name,
        "description": config.get("description", ""),
        "place": (plan.get("place") or {}).get("place", ""),
        "done": len({record["run"] for record in records}),
        "planned": len(plan.get("runs") or []),
        "failed": sum(any(run.get("error") for run in record["programs"]) for record in records),
        "programs": sorted({str(run["name"]) for record in records for run in record["programs"]}),
        "end_ns": max(times, default=0),
    }


def allowed(repository: Repository, name: str, viewer: Viewer, visible: set[str]) -> set[str]:
    """Return the jobs of a study that the viewer may see.

    Returns:
        The names of the jobs of all its runs.

    Raises:
        HTTPException: Status 404: there is no such study, or the viewer may not know of it.
        JostleError: A file of it is damaged.
    """
    if name in repository.studies():
        jobs = jobs_of(repository.study(name).read_runs())
        if may_see(viewer, jobs, visible):
            return jobs
    raise HTTPException(404, f"There is no study {name!r}.")


def study(repository: Repository, name: str) -> dict[str, Any]:
    """Return what `jostle study show --json` prints, less figures, and a description.

    Raises:
        JostleError: A file of it is damaged.
    """
    from jostle_lab.study.result import result

    study_result = result(repository, name)
    plan = repository.study(name).plan()
    description = (plan.get("config") or {}).get("description", "")
    return study_json(study_result) | {"description": description}
