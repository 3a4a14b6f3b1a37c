"""Which nodes, links and disks are persistently worse than their peers."""

from __future__ import annotations

import time
from typing import Any

from fastapi import FastAPI, HTTPException
from fastapi.responses import JSONResponse, Response

from jostle.report.models.nodes import node_differences, nodes_json
from jostle.server.access import Looking
from jostle.server.cache.background_cache import BackgroundCache
from jostle.server.context import ServerContext
from jostle.server.routes.making import MAKING, WAIT_S, making
from jostle.server.schemas.reports import NodesReport

_PERIOD_S = 3600.0  # for which an answer stands


def add(app: FastAPI, context: ServerContext) -> None:
    """Put the routes of this page on the application."""
    cache = BackgroundCache()

    @app.get(
        "/api/v1/nodes", operation_id="nodes", tags=["system"], response_model=NodesReport,
        responses=MAKING,
    )  # fmt: skip
    def nodes(viewer: Looking) -> Response:
        """Return what `jostle nodes --json` prints; for who may see all jobs."""
        if not viewer.sees_all:
            raise HTTPException(403, "Only support and administrators may compare nodes.")
        repository = context.job_service.repository

        def make() -> dict[str, Any]:
            commit = repository.commits()
            return nodes_json(node_differences(repository)) | {"commit": commit}

        # Not with each commit: it reads weeks of slices, and days change what it says.
        result = cache.ask("nodes", int(time.time() // _PERIOD_S), make, WAIT_S)
        if result is None:
            return making()
        return JSONResponse(result.value | {"seconds": round(result.seconds, 3)})
