"""Route of the segments of one job, downsampled, and of its clusters."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request
from fastapi.responses import Response

from jostle.server.access import Looking
from jostle.server.context import Context
from jostle.server.jobs.segments import Segmented, Segments, segments_of
from jostle.server.routes.query import FAR, FromNs, Job, Points, ToNs
from jostle.server.transport.routers import api_router

router = api_router()

Cluster = Annotated[
    int | None, Query(ge=1, le=FAR, description="only segments of the cluster with this number")
]


@router.get(
    "/api/v1/jobs/{job:name}/segments",
    operation_id="segments",
    tags=["job"],
    response_model=Segments,
)
def segments(
    context: Context,
    request: Request,
    viewer: Looking,
    job: Job,
    cluster: Cluster = None,
    from_ns: FromNs = 0,
    to_ns: ToNs = FAR,
    points: Points = 800,
) -> Response:
    """Return the segments of a job over a span: all losses, and three others per column."""
    job = context.job(viewer, job)
    span = (from_ns, to_ns)

    def make() -> dict[str, Any]:
        run = context.job_service.cached(
            ("segmented", viewer.users, job),
            lambda: Segmented.of(context.job_service.estimate(job, viewer)),
            of=[job],
        )
        return segments_of(run, span=span, cluster=cluster, columns=points)

    return context.job_service.answer(
        request, ("segments", viewer.users, job, cluster, span, points), make, of=[job]
    )
