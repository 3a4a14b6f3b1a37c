"""The interface for modules that write tables themselves: imports, and simulated sites."""

from __future__ import annotations

from jostle.repository.errors import ConflictError
from jostle.repository.ingest.file_rows import file_chunks
from jostle.repository.ingest.ingest import Ingester
from jostle.repository.maintenance.compact import compact
from jostle.repository.query.resources.machine_loads import SERVING_KINDS
from jostle.repository.segments.align import COALESCED, EPOCH, EVERY, FINAL, RAW, RULES
from jostle.repository.segments.merge import merge_world
from jostle.repository.segments.worlds import MpiWorld
from jostle.repository.store.fabrics import save_fabric
from jostle.repository.store.files import plain_errors, publish, write_chunks
from jostle.repository.store.layout import (
    BINDING_COLUMNS,
    DAY_NS,
    GAUGE_IDS,
    HOUR_NS,
    MARKER,
    SEGMENT_BINS,
    TABLES,
    bucket_column,
    is_shared,
    mount_identity,
    process_id,
)
from jostle.repository.store.log import Log
from jostle.repository.store.owner_names import JobNames
from jostle.repository.store.profile_positions import Position, Reached
from jostle.repository.store.state import Change
from jostle.repository.store.tables import (
    PartitionChunk,
    ProcessSource,
    SliceBatch,
    dictionary,
    order,
    partition_chunks,
    split_by_partition,
    without_zeros,
)

__all__ = [
    "BINDING_COLUMNS",
    "COALESCED",
    "DAY_NS",
    "EPOCH",
    "EVERY",
    "FINAL",
    "GAUGE_IDS",
    "HOUR_NS",
    "MARKER",
    "RAW",
    "RULES",
    "SEGMENT_BINS",
    "SERVING_KINDS",
    "TABLES",
    "Change",
    "ConflictError",
    "Ingester",
    "JobNames",
    "Log",
    "MpiWorld",
    "PartitionChunk",
    "Position",
    "ProcessSource",
    "Reached",
    "SliceBatch",
    "bucket_column",
    "compact",
    "dictionary",
    "file_chunks",
    "is_shared",
    "merge_world",
    "mount_identity",
    "order",
    "partition_chunks",
    "plain_errors",
    "process_id",
    "publish",
    "save_fabric",
    "split_by_partition",
    "without_zeros",
    "write_chunks",
]
