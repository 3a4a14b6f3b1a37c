"""The segments of one job, downsampled, and its clusters."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from fastapi.responses import Response

from jostle.server.access import Looking
from jostle.server.context import ServerContext
from jostle.server.jobs.segments import Segmented, Segments, segments_of
from jostle.server.routes.query import FAR, FromNs, Job, Points, ToNs

Cluster = Annotated[
    int | None, Query(ge=1, le=FAR, description="only segments of the cluster with this number")
]


def add(app: FastAPI, context: ServerContext) -> None:
    """Put the routes of this page on the application."""
    job_service = context.job_service

    @app.get(
        "/api/v1/jobs/{job:name}/segments",
        operation_id="segments",
        tags=["job"],
        response_model=Segments,
    )
    def segments(
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
            run = job_service.cached(
                ("segmented", viewer.users, job),
                lambda: Segmented.of(job_service.estimate(job, viewer)),
                of=[job],
            )
            return segments_of(run, span=span, cluster=cluster, columns=points)

        return job_service.answer(
            request, ("segments", viewer.users, job, cluster, span, points), make, of=[job]
        )
