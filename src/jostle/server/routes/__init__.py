"""The routes of the HTTP API, one module per page; `add_routes` adds them to the application."""

from __future__ import annotations

from fastapi import FastAPI

from jostle.extensions import named
from jostle.server.context import ServerContext
from jostle.server.routes import (
    advice,
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
    openmetrics,
    placement,
    segments,
    system,
)


def add_routes(app: FastAPI, context: ServerContext) -> None:
    """Add all routes to the application."""
    for module in (
        jobs,
        job,
        segments,
        communication,
        placement,
        compare,
        losses,
        advice,
        system,
        fabrics,
        nodes,
        openmetrics,
        matrix,
        live,
        login,
    ):
        # Not include_router, which puts a router before these routes that each request passes.
        app.router.routes += module.router.routes
    for add in named("routes"):
        add(app, context)
