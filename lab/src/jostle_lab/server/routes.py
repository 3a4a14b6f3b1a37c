"""Routes of the web pages of studies: runs of probes and signals, alone and in pairs."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import FastAPI, HTTPException, Path, Query
from fastapi.responses import JSONResponse, Response

from jostle.server.pages import (
    MAKING,
    WAIT_S,
    BackgroundCache,
    CachedResult,
    Looking,
    ServerContext,
    Viewer,
    making,
)
from jostle_lab.server.schemas import Studies, StudyPage
from jostle_lab.server.studies import allowed, brief, study


def add(app: FastAPI, context: ServerContext) -> None:
    """Add the routes of the pages of studies to the application."""
    cache = BackgroundCache()

    def cached_study(name: str, viewer: Viewer) -> CachedResult[dict[str, Any]] | None:
        repository = context.job_service.repository
        visible = set(context.rows(viewer))
        for job in sorted(allowed(repository, name, viewer, visible) & visible):
            context.job(viewer, job)  # its runs are shown slice by slice: each is an access
        return cache.ask(
            (name, viewer.users), repository.commits(), lambda: study(repository, name), WAIT_S
        )

    @app.get("/api/v1/studies", operation_id="studies", tags=["studies"])
    def studies(viewer: Looking) -> Studies:
        """List the studies whose jobs the viewer may see, the newest first."""
        repository = context.job_service.repository
        visible = set(context.rows(viewer))
        rows = [brief(repository, name, viewer, visible) for name in repository.studies()]
        rows = sorted(filter(None, rows), key=lambda row: (-row.get("end_ns", 0), row["study"]))
        return Studies.model_validate({"studies": rows})

    @app.get(
        "/api/v1/studies/{name:name}",
        operation_id="study",
        tags=["studies"],
        response_model=StudyPage,
        responses=MAKING,
    )
    def one_study(
        viewer: Looking,
        name: Annotated[str, Path(description="a study's name")],
        other: Annotated[
            str, Query(alias="with", max_length=200, description="a second study to compare with")
        ] = "",
    ) -> Response:
        """Return the output of `jostle study show --json` for one study or for two."""
        if other == name:
            raise HTTPException(400, "A study cannot be compared with itself.")
        results = [cached_study(each, viewer) for each in (name, other) if each]
        ready = [result.value for result in results if result is not None]
        if len(ready) < len(results):
            return making()
        return JSONResponse({"study": ready[0], "other": ready[1] if len(ready) > 1 else None})
