"""Route of a job's placement in its fabric."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from jostle.server.access import Looking
from jostle.server.context import Context
from jostle.server.fabric.loads import fabrics_mark
from jostle.server.fabric.placement import placement_report
from jostle.server.routes.query import Job
from jostle.server.schemas.fabrics import PlacementReport
from jostle.server.transport.routers import api_router

router = api_router()


@router.get(
    "/api/v1/jobs/{job:name}/placement",
    operation_id="placement",
    tags=["job"],
    response_model=PlacementReport,
)
def placement(context: Context, request: Request, viewer: Looking, job: Job) -> Response:
    """Return the placement of a job in its fabric, and the jobs that may use the same links.

    Jobs that the viewer may not see are left out.
    """
    job = context.job(viewer, job)
    repository = context.job_service.repository
    key = ("placement", job, viewer.users, fabrics_mark(repository))
    return context.job_service.answer(
        request, key, lambda: placement_report(repository, job, viewer), of=[job]
    )
