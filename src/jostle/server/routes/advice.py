"""Routes of advice: on one job, and on the whole site."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from fastapi.responses import JSONResponse, Response

from jostle.analysis.advise import Recommendations
from jostle.report.verdict.advice import advice_on
from jostle.report.verdict.site_advice import DAYS
from jostle.server.access import Looking
from jostle.server.context import Context
from jostle.server.routes.making import MAKING, WAIT_S, making
from jostle.server.routes.query import Job
from jostle.server.schemas.reports import SiteAdviceReport
from jostle.server.transport.routers import api_router
from jostle.server.verdicts.site_advice import site_report

router = api_router()


@router.get(
    "/api/v1/jobs/{job:name}/advice",
    operation_id="advice",
    tags=["job"],
    response_model=Recommendations,
    responses=MAKING,
)
def advice(context: Context, viewer: Looking, job: Job) -> Response:
    """Return the output of `jostle advise JOB --json`: what to change, and what that would save."""
    job = context.job(viewer, job)
    service = context.job_service
    mark = hash(service.index.state(job))  # it is made again when the job has new data
    result = context.advice.ask(
        (job, viewer.users),
        mark,
        lambda: advice_on(
            service.repository,
            job,
            viewer=viewer.users,
            lost_of=lambda name: service.lost_s(name, viewer),
        ),
        WAIT_S,
    )
    return making() if result is None else JSONResponse(result.value.to_json())


@router.get(
    "/api/v1/advice",
    operation_id="site_advice",
    tags=["losses"],
    response_model=SiteAdviceReport,
    responses=MAKING,
)
def site_advice(
    context: Context,
    viewer: Looking,
    days: Annotated[
        int, Query(ge=1, le=366, description="days to evaluate, up to the end of the newest job")
    ] = DAYS,
) -> Response:
    """Return the output of `jostle advise --site --json`, from the verdicts made so far.

    A viewer who may not see all jobs gets no advice, but the sums of losses of visible jobs.
    """
    service = context.job_service
    service.queue.follow(viewer.users)
    result = context.advice.ask(
        ("site", days, viewer.users),
        service.state_of_all,
        lambda: site_report(service, viewer, days),
        WAIT_S,
    )
    return making() if result is None else JSONResponse(result.value)
