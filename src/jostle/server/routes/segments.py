"""Route of the segments of one job, downsampled, and of its clusters."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request
from fastapi.responses import Response

from jostle.server.access import Looking
from jostle.server.context import Context
from jostle.server.jobs.segments import Segmented, Segments, segments_of
from jostle.server.routes.query import FAR, MOST_POINTS, FromNs, Job, ToNs
from jostle.server.transport.routers import api_router

router = api_router()

Cluster = Annotated[
    int | None, Query(ge=1, le=FAR, description="only segments of the cluster with this number")
]
Parts = Annotated[
    int,
    Query(
        ge=16,
        le=MOST_POINTS,
        description="number of equal parts of the span; of the segments without a loss, the answer "
        "has the shortest, the middle and the longest in each part",
    ),
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
    points: Parts = 800,
) -> Response:
    """Return execution segments in a span: at most 10 000 that lost time, and some of the others.

    If more than 10 000 segments lost time, those with the largest losses are returned.
    """
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
