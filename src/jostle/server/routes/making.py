"""What routes answer while something that takes seconds is made."""

from __future__ import annotations

from typing import Any

from fastapi.responses import JSONResponse, Response

#: How long a request waits for it.
WAIT_S = 0.4
#: For `responses` of such a route.
MAKING: dict[int | str, dict[str, Any]] = {202: {"description": "It is being made: ask again."}}


def making() -> Response:
    """Say that it is being made, and when to ask again."""
    return JSONResponse({"state": "making"}, 202, {"Retry-After": "1"})
