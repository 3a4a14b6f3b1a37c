"""Routes of the whole system: nodes over time, and the load on its mounts."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request
from fastapi.responses import Response

from jostle.server.access import Looking
from jostle.server.context import Context
from jostle.server.routes.query import BINARY, FAR, FromNs, Metric, Points, ToNs
from jostle.server.schemas.system import MachineLanes, MountLoads, Span
from jostle.server.system.machines import machine_lanes
from jostle.server.system.mounts import mount_load
from jostle.server.system.node_grid import span_of, system_grid
from jostle.server.transport.routers import api_router

router = api_router()

Rows = Annotated[
    int,
    Query(ge=1, le=2000, description="largest number of rows; if nodes are more, they share rows"),
]
Search = Annotated[
    str, Query(max_length=100, description="text that the names of the nodes must contain")
]


@router.get("/api/v1/system/span", operation_id="system_span", tags=["system"])
def span(context: Context, viewer: Looking, columns: Points = 400) -> Span:
    """Return the time in which visible jobs ran, and the number of nodes in use over this time."""

    def make() -> dict[str, Any]:
        return span_of([life for life in context.lives() if viewer.sees(life.uid)], columns)

    content = context.job_service.cached(("system span", viewer.users, columns), make)
    return Span.model_validate(content)


@router.get(
    "/api/v1/system/grid",
    operation_id="system_grid",
    tags=["system"],
    response_class=Response,
    responses=BINARY,
)
def nodes(
    context: Context,
    request: Request,
    viewer: Looking,
    metric: Metric = "cpu",
    from_ns: FromNs = 0,
    to_ns: ToNs = FAR,
    columns: Points = 800,
    rows: Rows = 512,
    search: Search = "",
) -> Response:
    """Return a metric per node and time step, and the nodes of the jobs.

    The answer has, little endian: the length of the header, uint32; the header, JSON, padded to
    four bytes; and the values, rows x columns, float32, row by row, NaN where no job ran.
    """
    shape = (rows, columns)
    return context.job_service.answer(
        request,
        ("system", viewer.users, metric, from_ns, to_ns, shape, search),
        lambda: system_grid(
            context.job_service.tiles,
            context.job_service.others,
            context.lives(),
            viewer,
            metric,
            (from_ns, to_ns),
            shape,
            search,
        ),
        "application/octet-stream",
    )


@router.get(
    "/api/v1/system/mounts",
    operation_id="system_mounts",
    tags=["system"],
    response_model=MountLoads,
)
def mounts(
    context: Context,
    request: Request,
    viewer: Looking,
    metric: Metric = "bytes",
    from_ns: FromNs = 0,
    to_ns: ToNs = FAR,
    columns: Points = 400,
) -> Response:
    """Return the load on each mount: of the twelve jobs with most load, and of all others."""
    return context.job_service.answer(
        request,
        ("system mounts", viewer.users, metric, from_ns, to_ns, columns),
        lambda: mount_load(
            context.job_service.tiles,
            context.job_service.others,
            context.lives(),
            viewer,
            metric,
            (from_ns, to_ns),
            columns,
        ),
    )


@router.get(
    "/api/v1/system/machines",
    operation_id="system_machines",
    tags=["system"],
    response_model=MachineLanes,
)
def machines(
    context: Context,
    request: Request,
    viewer: Looking,
    from_ns: FromNs = 0,
    to_ns: ToNs = FAR,
    columns: Points = 400,
) -> Response:
    """Return the activity of servers and nodes over time, from their agents.

    A viewer who may not see all jobs gets no nodes, and all servers of a file system as one.
    """
    return context.job_service.answer(
        request,
        ("system machines", viewer.users, from_ns, to_ns, columns),
        lambda: machine_lanes(
            context.job_service.repository,
            context.job_service.others,
            context.lives(),
            viewer,
            (from_ns, to_ns),
            columns,
        ),
    )
