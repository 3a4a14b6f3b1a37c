"""Route of the losses of the whole system: by user, program, resource and week."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import Response

from jostle.server.access import Looking
from jostle.server.context import Context
from jostle.server.jobs.losses import losses
from jostle.server.routes.query import FAR, FromNs, ToNs
from jostle.server.schemas.jobs import Losses
from jostle.server.transport.routers import api_router

router = api_router()


@router.get("/api/v1/losses", operation_id="losses", tags=["losses"], response_model=Losses)
def all_losses(
    context: Context, request: Request, viewer: Looking, from_ns: FromNs = 0, to_ns: ToNs = FAR
) -> Response:
    """Add up the losses of jobs that began in a span, and that the viewer may see."""
    context.job_service.queue.follow(viewer.users)
    return context.job_service.answer(
        request,
        ("losses", viewer.users, from_ns, to_ns),
        lambda: losses(
            [
                context.job_service.with_verdict(row, viewer)
                for row in context.rows(viewer).values()
            ],
            from_ns,
            to_ns,
        ),
        has_verdicts=True,
    )
