"""The routes of the API, a module for each page: `add` puts its routes on the application."""

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


def add_routes(app: FastAPI, context: ServerContext) -> None:
    """Put all routes on the application."""
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
        module.add(app, context)
    for add in named("routes"):
        add(app, context)
