"""Lays out what a job did on one mount slice by slice: the input of access patterns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from jostle.analysis.access.bursts import Floats
from jostle.analysis.processes import Ints, histogram
from jostle.arrow_columns import ints_or_zeros
from jostle.file_metrics import file_metrics
from jostle.repository.types import JobTables

_NS = 1e9
_ALL = 0.9  # of the bytes, or of the calls
_WIDEST = 5_000_000  # slices: what lies further back, a clock that was wrong has made
_VERSION = (0, 3)  # of the runtime: since then it follows where writes begin


@dataclass(frozen=True)
class MountSeries:
    """What a job did on one mount, slice by slice; all arrays have shape (slices,).

    Attributes:
        mount: Its identity.
        first: Number of the first slice.
        slice_ns: Length of a slice, ns.
        writers: Processes that wrote.
        heavy: Write calls that carry nine tenths of the bytes, the largest first; 0 when unknown.
        known: The profile says where writes begin.
        active: Processes that did anything here in the slice.
        bytes: Bytes written; the others are sums of the metrics they are named after.
        busy: Seconds inside calls, mean over the writers.
    """

    mount: str
    first: int
    slice_ns: int
    writers: int
    heavy: float
    known: bool
    active: Floats
    bytes: Floats
    writes: Floats
    backs: Floats
    back_bytes: Floats
    gaps: Floats
    files: Floats
    file_bytes: Floats
    closes: Floats
    seeks: Floats
    reads: Floats
    busy: Floats


def mount_series(tables: JobTables) -> list[MountSeries]:
    """Lay out what a job did on each of its mounts.

    Args:
        tables: Everything about the job; `writes` must be there.

    Returns:
        One series per mount, in order of their names.
    """
    rows = tables.writes
    if rows is None or not rows.num_rows:
        return []
    names = np.asarray(rows.column("mount").to_pylist(), dtype=object)
    writers = _writers(tables)
    known, heavy = _follows(tables), _heavy(tables)
    columns = {name: ints_or_zeros(rows, name) for name in rows.column_names if name != "mount"}
    found = []
    for mount in sorted(set(names.tolist())):
        mine = names == mount
        here = {name: values[mine] for name, values in columns.items()}
        many, large = writers.get(mount, 1), heavy.get(mount, 0.0)
        found.append(_series(mount, here, many, large, known=known))
    return found


def _follows(tables: JobTables) -> bool:
    """Return whether the runtime followed where writes begin."""
    rows = tables.writes
    if rows is not None and any(ints_or_zeros(rows, name).any() for name in rows.column_names
                                if name.startswith("access_")):  # fmt: skip
        return True
    if "library" not in tables.processes.column_names:
        return False
    for text in tables.processes.column("library").to_pylist():
        digits = (text or "").split(".")[:2]
        if all(part.isdigit() for part in digits) and tuple(map(int, digits)) >= _VERSION:
            return True
    return False


def _sum(rows: pa.Table, quantity: str) -> Ints:
    """Return a quantity of all calls on files, one value per row."""
    posix, stdio = (ints_or_zeros(rows, name) for name in file_metrics(quantity))
    return posix + stdio


def _writers(tables: JobTables) -> dict[str, int]:
    """Count the processes that wrote, by mount."""
    rows = tables.mount_totals
    if not rows.num_rows:
        return {}
    wrote = _sum(rows, "write_bytes") > 0
    counts: dict[str, int] = {}
    for mount, did in zip(rows.column("mount").to_pylist(), wrote.tolist(), strict=True):
        counts[mount] = counts.get(mount, 0) + did
    return {mount: max(count, 1) for mount, count in counts.items()}


def _heavy(tables: JobTables) -> dict[str, float]:
    """Count the write calls that carry nine tenths of the bytes, by mount.

    Sizes are known per process only, so this is said of a mount that has nearly all calls.
    """
    rows = tables.mount_totals
    if not rows.num_rows or "posix_write_size" not in tables.totals.column_names:
        return {}
    posix, stdio = (histogram(tables.totals, name) for name in file_metrics("write_size"))
    sizes, calls = posix + stdio, _sum(rows, "write_ops")
    mounts = np.asarray(rows.column("mount").to_pylist(), dtype=object)
    # From the largest down; a bucket's sizes are taken at its middle.
    number = sizes[::-1].astype(np.float64)
    moved = np.cumsum(number * 0.75 * 2.0 ** np.arange(len(sizes))[::-1])
    if not moved[-1] or not calls.sum():
        return {}
    last = int(np.searchsorted(moved, _ALL * moved[-1]))
    large = float(number[: last + 1].sum())
    return {
        str(mount): large
        for mount in set(mounts.tolist())
        if calls[mounts == mount].sum() >= _ALL * calls.sum()
    }


def _series(
    mount: str, rows: Mapping[str, Ints], writers: int, heavy: float, *, known: bool
) -> MountSeries:
    """Lay rows of (slice, slice_ns, sums) on one axis, of the slice length most rows have."""
    lengths, times = np.unique(rows["slice_ns"], return_counts=True)
    length = int(lengths[times.argmax()])
    at = rows["slice"] * rows["slice_ns"] // length
    first = max(int(at.min()), int(at.max()) - _WIDEST)
    size = int(at.max()) - first + 1
    inside = at >= first

    def laid(*names: str) -> Floats:
        values = np.zeros(size, dtype=np.float64)
        for name in names:
            if name in rows:
                np.add.at(values, (at - first)[inside], rows[name][inside].astype(np.float64))
        return values

    calls = laid(*file_metrics("write_ns", "sync_ns", "meta_ns"))
    return MountSeries(
        mount=mount, first=first, slice_ns=length, writers=writers, heavy=heavy,
        known=known, active=laid("count"),
        bytes=laid(*file_metrics("write_bytes")),
        writes=laid(*file_metrics("write_ops")),
        backs=laid("access_back_ops"), back_bytes=laid("access_back_bytes"),
        gaps=laid("access_gap_ops"),
        files=laid("access_file_ops"), file_bytes=laid("access_file_bytes"),
        closes=laid(*file_metrics("close_ops")),
        seeks=laid(*file_metrics("seek_ops")),
        reads=laid(*file_metrics("read_ops")),
        busy=calls / _NS / writers,
    )  # fmt: skip
