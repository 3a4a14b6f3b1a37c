"""Routes of the list of jobs, and of one batch job."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from fastapi import HTTPException, Path, Query, Request
from fastapi.responses import Response

from jostle.analysis.estimation.model import CauseName
from jostle.server.access import Looking
from jostle.server.context import Context
from jostle.server.jobs.index import Filter, Sort, ask
from jostle.server.routes.query import FAR, FromNs, ToNs
from jostle.server.schemas.jobs import BatchJob, Jobs
from jostle.server.transport.routers import api_router

router = api_router()

_MOST = 50


@router.get("/api/v1/jobs", operation_id="jobs", tags=["jobs"], response_model=Jobs)
def jobs(
    context: Context,
    request: Request,
    viewer: Looking,
    search: Annotated[
        str, Query(max_length=200, description="words that must be in the name, program or user")
    ] = "",
    light: Annotated[
        list[Literal["green", "yellow", "red", "undecided", "none"]] | None,
        Query(description="traffic light of the verdict; none: there is no verdict yet"),
    ] = None,
    cause: Annotated[
        list[str],
        Query(
            max_length=_MOST,
            description="cause of the largest loss: "
            + ", ".join(f"`{name}`" for name in get_args(CauseName)),
        ),
    ] = [],  # noqa: B006
    user: Annotated[list[str], Query(max_length=_MOST, description="name of an owner")] = [],  # noqa: B006
    program: Annotated[list[str], Query(max_length=_MOST, description="name of a program")] = [],  # noqa: B006
    state: Annotated[
        list[Literal["live", "over"]] | None,
        Query(description="live: the job still runs; over: it has ended"),
    ] = None,
    batch: Annotated[
        str, Query(max_length=200, description="number of a batch job whose parts are requested")
    ] = "",
    from_ns: FromNs = 0,
    to_ns: ToNs = FAR,
    sort: Annotated[
        Sort, Query(description="field by which rows are sorted; with - before it, descending")
    ] = "-start",
    limit: Annotated[int, Query(ge=1, le=500, description="largest number of rows")] = 100,
    offset: Annotated[int, Query(ge=0, le=1_000_000, description="number of rows to skip")] = 0,
) -> Response:
    """List the jobs that the viewer may see, running jobs first.

    The parameters `light`, `cause`, `user`, `program` and `state` may be given several times. For
    each of these parameters that is given, a job must match one of its values.
    """
    context.job_service.queue.follow(viewer.users)
    wanted = Filter(
        search,
        frozenset(light or ()),
        frozenset(cause),
        frozenset(user),
        frozenset(program),
        frozenset(state or ()),
        from_ns,
        to_ns,
        batch,
    )
    key = ("jobs", viewer.users, wanted, sort, offset, limit)
    return context.job_service.answer(
        request,
        key,
        lambda: ask(
            [
                context.job_service.with_verdict(row, viewer)
                for row in context.rows(viewer).values()
            ],
            wanted,
            sort,
            offset,
            limit,
        ),
        has_verdicts=True,
    )


@router.get("/api/v1/batch-jobs/{batch:name}", operation_id="batch_job", tags=["jobs"])
def batch_job(
    context: Context,
    viewer: Looking,
    batch: Annotated[str, Path(description="number of the batch job, such as 12")],
) -> BatchJob:
    """Return the loss of a batch job as a whole, from the verdicts on its parts."""
    found = context.job_service.batch(batch, context.rows(viewer), viewer)
    if found is None:
        raise HTTPException(404, f"There is no batch job {batch!r}.")
    return BatchJob.model_validate(found)
