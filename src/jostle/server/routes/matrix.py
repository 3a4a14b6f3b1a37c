"""Which program slowed which, and the runs behind it."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import FastAPI, HTTPException, Query
from fastapi.responses import JSONResponse, Response

from jostle.server.access import Looking, Viewer
from jostle.server.cache.background_cache import BackgroundCache, CachedResult
from jostle.server.context import ServerContext
from jostle.server.routes.making import MAKING, WAIT_S, making
from jostle.server.schemas.reports import EvidenceReport, MatrixReport
from jostle.server.verdicts.matrix import MatrixResult, make_matrix

Program = Annotated[str, Query(max_length=4096, description="a program, as the matrix names it")]


def add(app: FastAPI, context: ServerContext) -> None:
    """Put the routes of this page on the application."""
    cache = BackgroundCache()

    def cached_matrix(viewer: Viewer) -> CachedResult[MatrixResult] | None:
        repository, users = context.job_service.repository, viewer.users
        return cache.ask(
            users, repository.commits(), lambda: make_matrix(repository, users), WAIT_S
        )

    @app.get(
        "/api/v1/matrix",
        operation_id="matrix",
        tags=["matrix"],
        response_model=MatrixReport,
        responses=MAKING,
    )
    def matrix(viewer: Looking) -> Response:
        """Return what `jostle matrix --json` prints; of a user, of his own jobs beside others."""
        result = cached_matrix(viewer)
        if result is None:
            return making()
        origin = {"commit": result.commit, "seconds": round(result.seconds, 3)}
        return JSONResponse(result.value.to_json() | origin)

    @app.get(
        "/api/v1/matrix/evidence",
        operation_id="matrix_evidence",
        tags=["matrix"],
        response_model=EvidenceReport,
        responses=MAKING,
    )
    def evidence(
        viewer: Looking,
        victim: Program,
        aggressor: Program,
        kind: Annotated[
            Literal["file system", "network", "node"], Query(description="the shared resource")
        ],
    ) -> Response:
        """Return the runs of a program beside another one, and those without it."""
        result = cached_matrix(viewer)
        if result is None:
            return making()
        try:
            return JSONResponse(result.value.behind(viewer, victim, aggressor, kind))
        except KeyError:
            raise HTTPException(404, "These two programs did not meet there.") from None
