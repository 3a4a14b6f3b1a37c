"""Routes of live data: changes of the repository, and losses of running jobs."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from jostle.server.access import Looking
from jostle.server.context import Context
from jostle.server.schemas.now import NowAnswer
from jostle.server.transport.routers import api_router

router = api_router()


@router.get(
    "/api/v1/live",
    operation_id="live",
    tags=["live"],
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def listen(context: Context, viewer: Looking, request: Request) -> StreamingResponse:
    """Send changes as server-sent events named `commit` and `verdict`.

    The data of an event are JSON: number (of the repository's newest commit), newest_ns (end of the
    newest slice), and jobs. In an event `commit`, jobs are those whose data changed; in an event
    `verdict`, those with a new verdict. Jobs that the viewer may not see are left out.

    The stream ends when the user logs out, when the session ends, and when the user's role changes.
    """
    context.live.enter(viewer)
    events = context.live.events(viewer, lambda: context.access.is_still(viewer, request))
    return StreamingResponse(events, media_type="text/event-stream")


@router.get("/api/v1/now", operation_id="now", tags=["live"], response_model=NowAnswer)
def now(
    context: Context,
    viewer: Looking,
    job: Annotated[
        str, Query(max_length=4096, description="name of the only job to return; empty: all jobs")
    ] = "",
) -> Response:
    """Return the present losses of running jobs, with causes: the output of `jostle top --json`.

    Jobs that the viewer may not see are not listed. As suspects they all have the same name.
    """
    full = context.job(viewer, job) if job else ""
    context.now.refresh()
    report = context.now.report(viewer.users)
    if job:
        only = tuple(each for each in report.jobs if each.answer.job == full)
        report = replace(report, jobs=only)
    return JSONResponse(report.to_json())
