"""The answer (HTTP status 202) of routes whose result is still being computed."""

from __future__ import annotations

from typing import Any

from fastapi.responses import JSONResponse, Response

#: How long a request waits for the result, s.
WAIT_S = 0.4
#: Value for `responses` of such a route.
MAKING: dict[int | str, dict[str, Any]] = {
    202: {"description": "The answer is still being computed: retry after `Retry-After` seconds."}
}


def making() -> Response:
    """Return an answer with HTTP status 202 and the time after which to retry, in seconds."""
    return JSONResponse({"state": "making"}, 202, {"Retry-After": "1"})
