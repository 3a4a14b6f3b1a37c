"""The door of the repository (being built: signatures first)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from jostle.repository.types import (
    CompactReport,
    ExpireReport,
    ExportReport,
    IngestProgress,
    IngestReport,
    JobTables,
)

Progress = Callable[[IngestProgress], None]


class Repository:
    """A repository on disk; cheap to open, safe to open many times at once."""

    def __init__(self, path: Path | str, *, create: bool = False) -> None: ...
    def ingest(self, paths: Sequence[Path], *, progress: Progress | None = None,
               remove: bool = False) -> IngestReport: ...
    def follow(self, paths: Sequence[Path], *, stop: Callable[[], bool],
               on_change: Callable[[IngestReport], None] | None = None,
               remove: bool = False) -> IngestReport: ...
    def query(self, sql: str, params: Sequence[Any] = ()) -> pa.Table: ...
    def jobs(self) -> pa.Table: ...
    def resolve_job(self, name: str) -> str: ...
    def job_tables(self, job: str) -> JobTables: ...
    def job_processes(self, job: str) -> pa.Table: ...
    def job_mounts(self, job: str) -> pa.Table: ...
    def job_slices(self, job: str) -> pa.Table: ...
    def job_mount_slices(self, job: str) -> pa.Table: ...
    def series(self, job: str, metric: str) -> pa.Table:
        """Columns resource (mount identity or node), slice, slice_ns, sum, min, max, count."""
    def background(self, job: str, metric: str) -> pa.Table:
        """The same columns (and jobs) summed over all other jobs on the resources of `job`."""
    def compact(self) -> CompactReport: ...
    def expire(self, older_than_s: float) -> ExpireReport: ...
    def export(self, what: str, form: str, out: Path) -> ExportReport:
        """what: a table's name or a job; form: parquet, csv or json."""
