"""Routes of persistently worse nodes, links and disks, and of a node's GPUs and memory."""

from __future__ import annotations

import time
from typing import Annotated, Any

from fastapi import HTTPException, Path, Request
from fastapi.responses import JSONResponse, Response

from jostle.errors import UsageError
from jostle.report.models.machines.machine_steps import last_day, life_of
from jostle.report.models.machines.node_gpus import node_gpus
from jostle.report.models.machines.node_memory import node_memory
from jostle.report.models.machines.nodes import node_differences, nodes_json
from jostle.server.access import Looking
from jostle.server.context import Context
from jostle.server.routes.making import MAKING, WAIT_S, making
from jostle.server.routes.query import FAR, FromNs, Points, ToNs
from jostle.server.schemas.reports import NodesReport
from jostle.server.schemas.system import NodeGpus
from jostle.server.transport.routers import api_router

router = api_router()

Host = Annotated[str, Path(description="name of a node")]
_PERIOD_S = 3600.0  # for which an answer is valid


@router.get(
    "/api/v1/nodes",
    operation_id="nodes",
    tags=["system"],
    response_model=NodesReport,
    responses=MAKING,
)
def nodes(context: Context, viewer: Looking) -> Response:
    """Return the output of `jostle nodes --json`, for viewers who may see all jobs."""
    if not viewer.sees_all:
        raise HTTPException(403, "Only support and administrators may compare nodes.")
    repository = context.job_service.repository

    def make() -> dict[str, Any]:
        commit = repository.commits()
        return nodes_json(node_differences(repository)) | {"commit": commit}

    # Not with each commit: it reads weeks of slices, and the result changes over days.
    result = context.node_reports.ask("nodes", int(time.time() // _PERIOD_S), make, WAIT_S)
    if result is None:
        return making()
    return JSONResponse(result.value | {"seconds": round(result.seconds, 3)})


@router.get(
    "/api/v1/nodes/{host:name}/gpus",
    operation_id="node_gpus",
    tags=["system"],
    response_model=NodeGpus,
)
def gpus(
    context: Context,
    request: Request,
    viewer: Looking,
    host: Host,
    from_ns: FromNs = 0,
    to_ns: ToNs = FAR,
    points: Points = 400,
) -> Response:
    """Return the activity of a node's GPUs and memory, for viewers who may see all jobs.

    Without a span, the last 24 hours of the node's slices are returned. For a node without an
    agent, the answer has HTTP status 404.
    """
    if not viewer.sees_all:
        raise HTTPException(403, "Only support and administrators may look at nodes.")
    repository = context.job_service.repository

    def make() -> dict[str, Any]:
        try:
            first, last = life_of(repository, host)
        except UsageError as error:
            raise HTTPException(404, str(error)) from error
        begin, end = max(from_ns, first), min(to_ns, last)
        if (from_ns, to_ns) == (0, FAR):
            begin, end = last_day(repository, host)
        gpus = node_gpus(repository, host, (begin, end), points)
        return {
            "first_ns": first,
            "last_ns": last,
            "start_ns": begin,
            "end_ns": end,
            "gpus": [each.to_json() for each in gpus],
            "memory": [each.to_json() for each in node_memory(repository, host, (begin, end))],
        }

    return context.job_service.answer(request, ("node gpus", host, from_ns, to_ns, points), make)
