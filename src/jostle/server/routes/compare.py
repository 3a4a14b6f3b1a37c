"""Route of the comparison of runs of one program."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request
from fastapi.responses import Response

from jostle.errors import UsageError
from jostle.report.verdict.compare import comparison
from jostle.server.access import Looking
from jostle.server.context import Context
from jostle.server.jobs.compare import Compared, compared_runs
from jostle.server.transport.routers import api_router

router = api_router()

MOST_RUNS = 8

Names = Annotated[
    list[str],
    Query(max_length=MOST_RUNS, min_length=1, description="name of a job; give two to eight jobs"),
]


@router.get("/api/v1/compare", operation_id="compare", tags=["compare"], response_model=Compared)
def compare(context: Context, request: Request, viewer: Looking, job: Names) -> Response:
    """Return why runs of one program took different times; name 2 to 8 jobs: `job=A&job=B`."""
    names = tuple(dict.fromkeys(context.job(viewer, name) for name in job))
    if len(names) < 2:
        raise UsageError("One run cannot be compared with itself.", hint="Name at least two runs.")

    def make() -> dict[str, Any]:
        programs = [context.job_service.repository.program(name) for name in names]
        compared = comparison(
            [context.job_service.estimate(name, viewer) for name in names], programs
        )
        return compared_runs(compared, programs)

    return context.job_service.answer(request, ("compare", viewer.users, names), make, of=names)
