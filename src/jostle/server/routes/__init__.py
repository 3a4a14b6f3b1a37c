"""The routes of the API, a module for each page: `add_routes` puts them on the application."""

from __future__ import annotations

from fastapi import FastAPI

from jostle.extensions import named
from jostle.server.context import ServerContext
from jostle.server.routes import (
    communication,
    compare,
    fabrics,
    job,
    jobs,
    live,
    login,
    losses,
    matrix,
    nodes,
    placement,
    segments,
    system,
)
from jostle.server.transport.address import api_router


def add_routes(app: FastAPI, context: ServerContext) -> None:
    """Put all routes on the application."""
    whole = api_router()  # one list: an application tries its routers one after the other
    for module in (
        jobs,
        job,
        segments,
        communication,
        placement,
        compare,
        losses,
        system,
        fabrics,
        nodes,
        matrix,
        live,
        login,
    ):
        whole.routes += module.router.routes
    app.include_router(whole)
    for add in named("routes"):
        add(app, context)
