"""Routers of the API: parts that all routes share."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

import jostle.server.transport.address  # noqa: F401  it defines `name`, a part of paths

#: Answers of every route when a request cannot be served.
ERRORS: dict[int | str, dict[str, Any]] = {
    code: {
        "description": text,
        "content": {
            "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}
        },
    }
    for code, text in {
        400: "A parameter names something that does not exist, such as an unknown metric.",
        401: "Not logged in.",
        403: "Not allowed for this role, or not sent by a page of this server.",
        404: "There is no such job, or none that the viewer may see.",
        409: "This server uses another method of log-in.",
        413: "The body of the request is too long.",
        421: "The header Host of the request names another server.",
        422: "A parameter is out of range.",
        429: "There were too many attempts to log in.",
        431: "The headers of the request are too long.",
        500: "The repository cannot be read.",
        503: "Too many users are logging in at the same time.",
    }.items()
}


def api_router() -> APIRouter:
    """Return a router whose paths may contain `{job:name}`, with the answers to errors."""
    return APIRouter(responses=ERRORS)
