"""The format of a profile, for what writes one: structs of its header, and its metrics."""

from __future__ import annotations

from jostle._profile import (
    BIN_NS,
    END_REASONS,
    HEAD,
    HEAD_BYTES,
    MAGIC,
    MOUNT_SLOT,
    MOUNTS_AT,
    Head,
    MpiAdapter,
    MpiState,
)
from jostle._schema import BY_ID, COMPONENT_IDS, HIST_BUCKETS, METRICS, MOUNT_SLOTS

__all__ = [
    "BIN_NS",
    "BY_ID",
    "COMPONENT_IDS",
    "END_REASONS",
    "HEAD",
    "HEAD_BYTES",
    "HIST_BUCKETS",
    "MAGIC",
    "METRICS",
    "MOUNTS_AT",
    "MOUNT_SLOT",
    "MOUNT_SLOTS",
    "Head",
    "MpiAdapter",
    "MpiState",
]
