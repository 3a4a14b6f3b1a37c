"""Creates the web application: the routes of the API, and the pages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, Response
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware

from jostle import __version__
from jostle.errors import JostleError
from jostle.repository import DamagedError
from jostle.server.access import Access, Viewer
from jostle.server.access.files import AccessError
from jostle.server.alerts import Alerts
from jostle.server.context import ServerContext
from jostle.server.job_service import JobService
from jostle.server.routes import add_routes
from jostle.server.schemas.docstrings import describe_fields
from jostle.server.schemas.jobs import Problem
from jostle.server.transport.address import WholeNames
from jostle.server.transport.damage_notice import DamageNotice
from jostle.server.transport.error_paths import without_folders
from jostle.server.transport.front_end import Assets, links
from jostle.server.transport.middleware import AccessMiddleware, login_unavailable, problem
from jostle.server.transport.routers import ERRORS

if TYPE_CHECKING:
    from jostle.server.access.settings import AlertSettings

STATIC = Path(__file__).parent / "static"


def create_app(
    repository: Path,
    access: Access,
    cache: Path | None = None,
    flag: str = "",
    alerts: AlertSettings | None = None,
) -> FastAPI:
    """Return the application: the API and the pages.

    Args:
        repository: Folder of the repository.
        access: Access control.
        cache: Folder for verdicts and estimates, so that no run is evaluated twice; None: in the
            user's cache.
        flag: Option that commands need to find the repository, as ` --repository DIR`; "": none.
        alerts: Recipients of messages about disturbed jobs; None: none.

    Raises:
        RepositoryError: There is no repository in the folder.
    """
    job_service = JobService(repository, cache)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        job_service.queue.open()
        now = app.state.context.now
        watch = Alerts(alerts, job_service.index, access.url, now) if alerts else None
        if watch:
            watch.start(job_service.queue)
        yield
        if watch:
            watch.end()
        job_service.close()
        access.login_service.close()

    app = FastAPI(
        title="jostle",
        lifespan=lifespan,
        version=__version__,
        description="What disturbed the jobs of a cluster, when, and by how much.",
        openapi_url=None,  # made by our route in a thread, so that it delays no other answer
        docs_url=None,  # FastAPI's page loads scripts from other servers
        redoc_url=None,
        responses=ERRORS,
        middleware=[
            Middleware(AccessMiddleware, access=access),
            Middleware(DamageNotice, repository=job_service.repository),
            Middleware(GZipMiddleware, compresslevel=5),
            Middleware(WholeNames),
        ],
    )
    app.state.verdict_queue = job_service.queue
    app.state.context = ServerContext(job_service, access, flag)
    _describe(app)
    _api(app, app.state.context)
    _page(app)
    return app


def _api(app: FastAPI, context: ServerContext) -> None:
    @app.exception_handler(JostleError)
    async def failed(request: Request, error: JostleError) -> Response:
        if isinstance(error, AccessError):
            return login_unavailable(error)
        texts, status = [str(error), error.hint, ""], 400 if error.exit_code == 2 else 500
        if isinstance(error, DamagedError):
            file = error.file or "A file of the repository"
            texts, status = [f"{file} cannot be read.", error.hint, error.reason], 500
        viewer: Viewer | None = getattr(request.state, "viewer", None)
        if viewer is None or not viewer.sees_all:
            texts = [without_folders(text, context.job_service.repository.path) for text in texts]
        return problem(status, texts[0], texts[1], detail=texts[2])

    @app.exception_handler(HTTPException)
    async def refused(_request: Request, error: HTTPException) -> Response:
        answer = problem(error.status_code, str(error.detail), "")
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(RequestValidationError)
    async def invalid(_request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        return problem(
            422,
            f"{first['loc'][-1]}: {first['msg']}.",
            "/api/v1/openapi.json lists all parameters.",
        )

    add_routes(app, context)

    @app.get("/api/{rest:path}", include_in_schema=False)
    def unknown_route(rest: str) -> Response:
        return problem(404, f"There is no /api/{rest}.", "/api/v1/openapi.json lists all routes.")


def _describe(app: FastAPI) -> None:
    """Add to OpenAPI the schema of errors, which no route returns, and descriptions of fields."""
    make_openapi = app.openapi

    def openapi() -> dict[str, Any]:
        text = make_openapi()
        text["components"]["schemas"]["Problem"] = Problem.model_json_schema()
        for unused in ("HTTPValidationError", "ValidationError"):
            text["components"]["schemas"].pop(unused, None)
        describe_fields(text["components"]["schemas"])
        return text

    app.openapi = openapi  # type: ignore[method-assign]

    @app.get("/api/v1/openapi.json", include_in_schema=False)
    def openapi_json() -> dict[str, Any]:
        return app.openapi()


def _page(app: FastAPI) -> None:
    app.mount("/assets", Assets(directory=STATIC / "assets", check_dir=False), "assets")

    @app.get("/{rest:path}", include_in_schema=False)
    def page(rest: str) -> Response:
        if not (STATIC / "index.html").exists():
            return problem(500, "The web front end was not built.", "Run `make build`.")
        preload = links(STATIC / "assets", rest)
        headers = {"Link": preload} if preload else None
        return FileResponse(STATIC / "index.html", headers=headers)
