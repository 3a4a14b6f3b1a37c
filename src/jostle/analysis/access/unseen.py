"""Detects bytes written without a counted call: by mapped memory, io_uring or static programs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from jostle.analysis.access.model import NONE, UNKNOWN, AccessPattern
from jostle.analysis.processes import Ints
from jostle.repository.types import JobTables
from jostle.values.arrow_columns import ints_or_zeros

_MEMORY = frozenset({"tmpfs", "ramfs", "devtmpfs", "proc", "sysfs"})
_PER_CALL = 16 << 10  # bytes of pages and of file system metadata that a call may dirty as well,
_PER_SLICE = 64 << 10  # and the profile of the process itself
_LEAST = 4 << 20  # bytes: fewer unseen ones do not matter
_DOUBT = 0.2  # of a mount's bytes: if more may be unseen, its pattern is unknown


def unseen_bytes(tables: JobTables) -> int:
    """Estimate how many bytes a job sent to disks without a counted call.

    The kernel counts all bytes that each process sends to the storage layer (os_write_bytes). From
    these are subtracted the bytes of the counted calls, and the bytes of pages and metadata that
    such calls may have changed in addition.

    Args:
        tables: The tables of the job.

    Returns:
        A lower bound in bytes; 0 if it is negligible. It is not known on which mounts they are.
    """
    if not tables.totals.num_rows or "os_write_bytes" not in tables.totals.column_names:
        return 0
    order = np.argsort(ints_or_zeros(tables.totals, "process"), kind="stable")
    process_ids = ints_or_zeros(tables.totals, "process")[order]
    left = ints_or_zeros(tables.totals, "os_write_bytes")[order] - _PER_SLICE * _slices(
        tables, process_ids
    )
    rows = tables.mount_totals
    if rows.num_rows:
        kinds = dict(
            zip(
                tables.mounts.column("mount").to_pylist(),
                tables.mounts.column("type").to_pylist(),
                strict=True,
            )
        )
        on_disk = np.array([kinds.get(m) not in _MEMORY for m in rows.column("mount").to_pylist()])
        explained = np.zeros(rows.num_rows, dtype=np.int64)
        for kind in ("posix", "stdio"):
            explained += ints_or_zeros(rows, f"{kind}_write_bytes")
            for call in ("open", "close", "write", "meta"):
                explained += _PER_CALL * ints_or_zeros(rows, f"{kind}_{call}_ops")
        np.subtract.at(
            left, _places(process_ids, ints_or_zeros(rows, "process")[on_disk]), explained[on_disk]
        )
    found = int(np.maximum(left, 0).sum())
    return found if found >= _LEAST else 0


def _slices(tables: JobTables, process_ids: Ints) -> Ints:
    """Count the slices that each process lived for."""
    rows, counts = tables.processes, np.ones(len(process_ids), dtype=np.int64)
    if "first_slice" in rows.column_names:
        lived = ints_or_zeros(rows, "last_slice") - ints_or_zeros(rows, "first_slice") + 1
        counts[_places(process_ids, ints_or_zeros(rows, "process"))] = np.maximum(lived, 1)
    return counts


def _places(process_ids: Ints, wanted: Ints) -> Ints:
    return (
        np.searchsorted(process_ids, wanted).clip(0, max(len(process_ids) - 1, 0)).astype(np.int64)
    )


def doubted(pattern: AccessPattern, unseen: int) -> AccessPattern:
    """Replace a job's access pattern by an unknown one if unseen writes may contradict it.

    Args:
        pattern: How a job wrote to a mount, by its counted calls.
        unseen: Bytes that the job wrote without a counted call, from unseen_bytes.

    Returns:
        The same pattern; or an unknown one with unknown phases, if more than a fifth of the bytes
        on the mount may be unseen.
    """
    if unseen <= _DOUBT * (unseen + pattern.bytes):
        return pattern
    why = f"Written past all calls: {unseen / (1 << 20):.0f} MiB of the job reached a disk unseen"
    phases = [
        replace(
            phase,
            pattern=UNKNOWN,
            chunk_bytes=None,
            calls_per_chunk=None,
            evidence=f"{why}; seen: {phase.evidence}",
        )
        for phase in pattern.phases
        if phase.pattern != NONE or len(pattern.phases) == 1
    ]
    return replace(pattern, pattern=UNKNOWN, chunk_bytes=None, period=None, phases=phases)
