"""Current load of a job, and of other jobs on its nodes and file systems, for `run --live`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow.compute as pc

from jostle.values.file_metrics import file_metrics

if TYPE_CHECKING:
    from jostle.repository import Repository
    from jostle.repository.store.layout import Rollup

_CPU = ("os_user_ns", "os_system_ns")
_READ, _WRITTEN = file_metrics("read_bytes"), file_metrics("write_bytes")
_IN_FILES = file_metrics("read_ns", "write_ns", "sync_ns", "meta_ns")


@dataclass(frozen=True)
class LiveLoad:
    """A job's load in its newest slices, and the load of other jobs on the same resources.

    Attributes:
        cores: Mean number of cores that the job keeps busy.
        waiting: Mean number of its threads that wait for a core.
        in_files: Mean number of its threads that are in calls on files.
        read: Bytes that the job reads per second.
        written: Bytes that the job writes per second.
        others_cores: Mean number of cores that other jobs keep busy on this job's nodes.
        others_bytes: Bytes that other jobs move per second on this job's file systems.
    """

    cores: float
    waiting: float
    in_files: float
    read: float
    written: float
    others_cores: float
    others_bytes: float


def live_load(
    store: Repository, job: str, span: tuple[int, int], around: tuple[int, int]
) -> LiveLoad:
    """Add up the newest slices of a job and of the other jobs.

    Args:
        store: The repository.
        job: Full name of the job.
        span: Start and end of the slices of the job, ns since the epoch.
        around: Start and end of the slices of other jobs. This span is longer, since slices of
            other jobs may be longer and may arrive later.
    """
    seconds = (span[1] - span[0]) / 1e9
    cores, waiting = _sums(store, "node_rollup", [_CPU, ("os_runqueue_ns",)], span, job)
    read, written, in_files = _sums(store, "rollup", [_READ, _WRITTEN, _IN_FILES], span, job)
    return LiveLoad(
        cores / 1e9 / seconds,
        waiting / 1e9 / seconds,
        in_files / 1e9 / seconds,
        read / seconds,
        written / seconds,
        _others(store, "node_rollup", _CPU, around, job) / 1e9,
        _others(store, "rollup", _READ + _WRITTEN, around, job),
    )


def _sums(
    store: Repository,
    table: Rollup,
    lines: Sequence[Sequence[str]],
    span: tuple[int, int],
    job: str | None,
    resources: Sequence[str] | None = None,
) -> list[float]:
    rows = store.loads.sums(table, lines, span, job=job, resources=resources)
    return [float(pc.sum(rows[f"v{n}"]).as_py() or 0) for n in range(len(lines))]


def _others(
    store: Repository, table: Rollup, metrics: Sequence[str], span: tuple[int, int], job: str
) -> float:
    """Return the load of other jobs on the resources of a job, per second."""
    own = store.loads.sums(table, [metrics], span, job=job)
    used = own["resource"].unique().to_pylist()
    if not used:
        return 0.0
    everybody = _sums(store, table, [metrics], span, None, used)[0]
    seconds = (span[1] - span[0]) / 1e9
    return max(everybody - float(pc.sum(own["v0"]).as_py() or 0), 0.0) / seconds
