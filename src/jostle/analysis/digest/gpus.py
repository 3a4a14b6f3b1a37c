"""Summarises the use of each GPU by a job over its whole run time."""

from __future__ import annotations

import math
from typing import Any

from jostle.analysis.digest.model import GpuDigest
from jostle.analysis.shares_of_time import share_of_time
from jostle.repository.types import JobTables

_NS = 1e9
#: Names of a digest -> direction of metrics.
_WAYS = {"to": "h2d", "back": "d2h", "within": "d2d", "peer": "peer"}


def gpus(tables: JobTables, seconds: float) -> list[GpuDigest]:
    """Summarise the copies, launches and kernels of a job on each GPU.

    Args:
        tables: The tables of the job, from Repository.job_tables.
        seconds: Run time of the job, in seconds.

    Returns:
        One entry per host and GPU; an empty list where no process recorded what a GPU did.
    """
    rows = tables.gpus.to_pylist() if tables.gpus is not None else []
    return [_gpu(row, seconds) for row in rows]


def _gpu(row: dict[str, Any], seconds: float) -> GpuDigest:
    def served(way: str) -> float | None:
        ns = row[f"gpu_{way}_ns"]
        return row[f"gpu_{way}_bytes"] * _NS / ns if ns else None

    busy = row["gpu_busy_ns"]
    busy_share = share_of_time(busy / _NS, seconds)
    return GpuDigest(
        host=row["host"],
        gpu=row["gpu"],
        name=row["name"],
        memory_bytes=row["memory_bytes"],
        **{f"{name}_bytes": row[f"gpu_{way}_bytes"] for name, way in _WAYS.items()},
        to_served=served("h2d"),
        back_served=served("d2h"),
        launches=row["gpu_launch_ops"] + row["gpu_graph_ops"],
        busy_share=None if not busy or math.isnan(busy_share) else busy_share,
        lost_records=row["gpu_lost_ops"],
    )
