"""Query parameters that several routes share."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Query

MOST_POINTS = 4000
FAR = 2**63 - 1

Job = Annotated[str, Path(description="a job's name, as the list of jobs gives it")]
Metric = Annotated[str, Query(max_length=100, description="a view or a metric of /metrics")]
FromNs = Annotated[int, Query(ge=0, le=FAR, description="start of the span, ns since the epoch")]
ToNs = Annotated[int, Query(ge=0, le=FAR, description="end of the span, ns since the epoch")]
Points = Annotated[
    int, Query(ge=16, le=MOST_POINTS, description="most points in time in the answer")
]
#: Value for `responses` of a route that returns a header and numbers.
BINARY: dict[int | str, dict[str, Any]] = {200: {"content": {"application/octet-stream": {}}}}
