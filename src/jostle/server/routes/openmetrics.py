"""Route of metrics for monitoring: losses of the jobs of the last hour, with suspects."""

from __future__ import annotations

import time

from fastapi import Request
from fastapi.responses import Response

from jostle.server.access import Looking
from jostle.server.access.access import METRICS
from jostle.server.context import Context
from jostle.server.jobs.metrics import RECENT_NS, SeenJob, job_metrics
from jostle.server.transport.routers import api_router
from jostle.values.openmetrics import CONTENT_TYPE

router = api_router()
#: How long an answer is valid without a new slice or verdict, ns: jobs become too old meanwhile.
_VALID_NS = 30_000_000_000


@router.get(
    METRICS,
    operation_id="openmetrics",
    tags=["system"],
    response_class=Response,
    responses={200: {"content": {CONTENT_TYPE: {}}}},
)
def openmetrics(context: Context, request: Request, viewer: Looking) -> Response:
    """Return losses, traffic lights and suspects of the last hour's jobs, as OpenMetrics text.

    Jobs that the viewer may not see are not included in any number. With the token that the
    operator made for monitoring, the jobs of all users are included.
    """
    now, service = time.time_ns(), context.job_service
    service.queue.follow(viewer.users)

    def make() -> bytes:
        rows = context.rows(viewer)
        jobs = [
            SeenJob(service.with_verdict(row, viewer), service.suspects(job, viewer))
            for job, row in rows.items()
            if row["end_ns"] >= now - RECENT_NS
        ]
        return job_metrics(jobs, max((row["end_ns"] for row in rows.values()), default=0))

    key = ("openmetrics", viewer.users, now // _VALID_NS)
    return service.answer(request, key, make, CONTENT_TYPE, has_verdicts=True)
