"""The repository: every job's slices as time-partitioned Parquet, queried with DuckDB.

The public interface of this package is `Repository`. The layout on disk is described in
docs/reference/repository.md.
"""

from __future__ import annotations

from jostle.repository.errors import DamagedError, JobError, RepositoryError, SnapshotGoneError
from jostle.repository.ingest.mirror import MARKER as MIRROR_MARKER
from jostle.repository.ingest.mirror import create_mirror
from jostle.repository.query.job.rank_slices import RankTables
from jostle.repository.query.resources.co_running import CoRunning, JobFacts
from jostle.repository.query.resources.core_users import CoreUse
from jostle.repository.repository import Repository
from jostle.repository.store.snapshot import Snapshot
from jostle.repository.store.studies import StudyStore
from jostle.repository.types import (
    CoarsenReport,
    CompactReport,
    CoreReference,
    ExpireReport,
    ExportReport,
    IngestProgress,
    IngestReport,
    JobSegments,
    JobTables,
    RunTables,
    WorldSegments,
)

__all__ = [
    "MIRROR_MARKER",
    "CoRunning",
    "CoarsenReport",
    "CompactReport",
    "CoreReference",
    "CoreUse",
    "DamagedError",
    "ExpireReport",
    "ExportReport",
    "IngestProgress",
    "IngestReport",
    "JobError",
    "JobFacts",
    "JobSegments",
    "JobTables",
    "RankTables",
    "Repository",
    "RepositoryError",
    "RunTables",
    "Snapshot",
    "SnapshotGoneError",
    "StudyStore",
    "WorldSegments",
    "create_mirror",
]
