"""Query parameters that several routes share."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Query

MOST_POINTS = 4000
FAR = 2**63 - 1

Job = Annotated[str, Path(description="name of a job, as in the list of jobs")]
Metric = Annotated[str, Query(max_length=100, description="id of a view or metric in /metrics")]
FromNs = Annotated[int, Query(ge=0, le=FAR, description="start of the span, ns since the epoch")]
ToNs = Annotated[int, Query(ge=0, le=FAR, description="end of the span, ns since the epoch")]
Points = Annotated[
    int, Query(ge=16, le=MOST_POINTS, description="largest number of time steps in the answer")
]
#: Value for `responses` of a route that returns a header and numbers.
BINARY: dict[int | str, dict[str, Any]] = {200: {"content": {"application/octet-stream": {}}}}
