"""Routes of the matrix: which program slowed which, and the runs behind it."""

from __future__ import annotations

from typing import Annotated

from fastapi import HTTPException, Query
from fastapi.responses import JSONResponse, Response

from jostle.analysis.identification.model import ResourceKind
from jostle.server.access import Looking, Viewer
from jostle.server.cache.background_cache import CachedResult
from jostle.server.context import Context, ServerContext
from jostle.server.routes.making import MAKING, WAIT_S, making
from jostle.server.schemas.reports import EvidenceReport, MatrixReport
from jostle.server.transport.routers import api_router
from jostle.server.verdicts.matrix import MatrixResult, make_matrix

router = api_router()

Program = Annotated[str, Query(max_length=4096, description="name of a program in the matrix")]


def _cached_matrix(context: ServerContext, viewer: Viewer) -> CachedResult[MatrixResult] | None:
    repository, users = context.job_service.repository, viewer.users
    return context.matrices.ask(
        users, repository.commits(), lambda: make_matrix(repository, users), WAIT_S
    )


@router.get(
    "/api/v1/matrix",
    operation_id="matrix",
    tags=["matrix"],
    response_model=MatrixReport,
    responses=MAKING,
)
def matrix(context: Context, viewer: Looking) -> Response:
    """Return the output of `jostle matrix --json`, as far as the viewer may see it."""
    result = _cached_matrix(context, viewer)
    if result is None:
        return making()
    origin = {"commit": result.commit, "seconds": round(result.seconds, 3)}
    return JSONResponse(result.value.to_json() | origin)


@router.get(
    "/api/v1/matrix/evidence",
    operation_id="matrix_evidence",
    tags=["matrix"],
    response_model=EvidenceReport,
    responses=MAKING,
)
def evidence(
    context: Context,
    viewer: Looking,
    victim: Program,
    aggressor: Program,
    kind: Annotated[ResourceKind, Query(description="kind of the shared resource")],
) -> Response:
    """Return the runs of a program that ran alongside another program, and its other runs."""
    result = _cached_matrix(context, viewer)
    if result is None:
        return making()
    try:
        return JSONResponse(result.value.behind(viewer, victim, aggressor, kind))
    except KeyError:
        raise HTTPException(404, "These two programs did not run together there.") from None
