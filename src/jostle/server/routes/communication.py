"""Route of the traffic between the ranks of a job."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from fastapi.responses import Response

from jostle.report.models.job.communication import By, Communication, Order, communication
from jostle.server.access import Looking
from jostle.server.context import Context, ServerContext
from jostle.server.fabric.loads import fabric_of, fabrics_mark, headed
from jostle.server.routes.query import BINARY, Job
from jostle.server.transport.routers import api_router

router = api_router()

FirstRank = Annotated[
    int, Query(ge=0, le=2**31, description="index, in this order, of the first rank of the window")
]
EndRank = Annotated[
    int,
    Query(ge=0, le=2**31, description="index, in this order, after the last rank of the window"),
]
Size = Annotated[
    int,
    Query(
        ge=1,
        le=1024,
        description="largest number of cells in a row; if there are more ranks, several share a "
        "cell",
    ),
]


def _made(context: ServerContext, job: str) -> Communication:
    repository = context.job_service.repository
    found = repository.rank_pairs(job)
    row = context.job_service.index.row(job)
    hosts = set(found.ranks["host"].to_pylist())
    return communication(found, fabric_of(repository, hosts, row["start_ns"]))


@router.get(
    "/api/v1/jobs/{job:name}/communication",
    operation_id="communication",
    tags=["job"],
    response_class=Response,
    responses=BINARY,
)
def matrix(
    context: Context,
    request: Request,
    viewer: Looking,
    job: Job,
    by: Annotated[By, Query(description="quantity in the cells")] = "bytes",
    order: Annotated[
        Order, Query(description="ranks are ordered by number, by node, or by switch")
    ] = "rank",
    begin: FirstRank = 0,
    end: EndRank = 2**31,
    size: Size = 512,
) -> Response:
    """Return the traffic between the ranks of a job: a window (a square part) of the matrix.

    The answer has, little endian:

    - the length of the header, uint32;
    - the header, JSON: ranks, begin, end, each (number of ranks per cell), cells, unit, labels of
      the cells, the pairs with most traffic, and bytes, messages and modelled of the whole job;
    - the cells, cells x cells, float32, a row per sender; NaN: no message was sent.

    If there are neither pairs nor bytes, it was not recorded which rank sent to which.
    """
    job = context.job(viewer, job)
    mark = fabrics_mark(context.job_service.repository)
    found = context.job_service.cached(
        ("rank pairs", job, mark), lambda: _made(context, job), of=[job]
    )

    def answer() -> bytes:
        header, values = found.window(by, order, begin, end, size)
        return headed(header, values.astype("<f4").tobytes())

    key = ("communication", job, mark, by, order, begin, end, size)
    return context.job_service.answer(request, key, answer, "application/octet-stream", of=[job])
