"""Collects a job's calls on each mount per slice, the input of the analysis of access patterns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from jostle.analysis.access.bursts import Floats
from jostle.analysis.processes import Ints, histogram
from jostle.repository.types import JobTables
from jostle.values.arrow_columns import ints_or_zeros
from jostle.values.file_metrics import file_metrics

_NS = 1e9
_ALL = 0.9  # of the bytes, or of the calls
_WIDEST = 5_000_000  # slices: earlier ones come from a clock that was wrong
_VERSION = (0, 3)  # of the runtime: since then it records where writes begin


@dataclass(frozen=True)
class Series:
    """A job's calls of one direction (reads or writes) on one mount; arrays have shape (slices,).

    Attributes:
        mount: Identity of the mount.
        first: Number of the first slice.
        slice_ns: Length of a slice, in ns.
        known: Whether the profile records where in a file calls begin.
        bytes: Bytes written (read) in each slice.
        busy: Seconds inside calls in each slice, mean over the processes.
    """

    mount: str
    first: int
    slice_ns: int
    known: bool
    bytes: Floats
    busy: Floats


@dataclass(frozen=True)
class MountSeries(Series):
    """A job's writes to one mount, slice by slice.

    Attributes:
        writers: Number of processes that wrote to the mount.
        heavy: Number of write calls, from the largest down, that carry nine tenths of the bytes; 0
            when unknown.
        active: Number of processes with calls on the mount in each slice.
        writes: Number of write calls in each slice, as of the following calls.
        backs: Steps back: writes that begin before the end of the descriptor's previous write.
        back_bytes: Bytes written before each step back, since the previous one or the open.
        gaps: Writes that begin beyond the end of the descriptor's previous write.
        files: Closed descriptors and streams that bytes were written to.
        file_bytes: Bytes written to the files that were closed in the slice.
        closes: Number of close calls.
        seeks: Number of seek calls.
        reads: Number of read calls.
    """

    writers: int
    heavy: float
    active: Floats
    writes: Floats
    backs: Floats
    back_bytes: Floats
    gaps: Floats
    files: Floats
    file_bytes: Floats
    closes: Floats
    seeks: Floats
    reads: Floats


@dataclass(frozen=True)
class ReadSeries(Series):
    """A job's reads from one mount, slice by slice.

    A run is a sequence of reads of which each continues where the previous one ended.

    Attributes:
        reads: Number of read calls in each slice.
        jumps: Number of runs that ended in each slice, shape (4, slices). Row 0: runs that began
            with an irregular jump ahead; row 1: with an irregular jump back; row 2: with a regular
            jump, of a recurring distance; row 3: with a return to where an earlier run began.
        jump_bytes: Bytes of the runs that began with an irregular jump.
        stride_bytes: Bytes of the runs that began with a regular jump.
        again_bytes: Bytes of the runs that began with a return.
    """

    reads: Floats
    jumps: Floats
    jump_bytes: Floats
    stride_bytes: Floats
    again_bytes: Floats


def mount_series(tables: JobTables) -> list[MountSeries]:
    """Return a job's writes to each of its mounts, per slice.

    Args:
        tables: The tables of the job, with `accesses`.

    Returns:
        One series per mount, in alphabetical order of the mounts.
    """
    writers = _processes(tables, "write_bytes")
    known, heavy = _follows(tables), _heavy(tables)
    return [
        _written(rows, writers.get(rows.mount, 1), heavy.get(rows.mount, 0.0), known=known)
        for rows in _by_mount(tables)
    ]


def read_series(tables: JobTables) -> list[ReadSeries]:
    """Return a job's reads from each of its mounts, per slice; see `mount_series`."""
    readers = _processes(tables, "read_bytes")
    rows = tables.accesses
    known = rows is not None and any(
        ints_or_zeros(rows, name).any()
        for name in rows.column_names
        if name.startswith("access_read_")
    )
    return [_read(mine, readers.get(mine.mount, 1), known=known) for mine in _by_mount(tables)]


class _Rows:
    """The rows of one mount on one time axis, whose step is the most frequent slice length."""

    def __init__(self, mount: str, rows: Mapping[str, Ints]) -> None:
        self.mount = mount
        self._rows = rows
        lengths, times = np.unique(rows["slice_ns"], return_counts=True)
        self.slice_ns = int(lengths[times.argmax()])
        at = rows["slice"] * rows["slice_ns"] // self.slice_ns
        self.first = max(int(at.min()), int(at.max()) - _WIDEST)
        self._size = int(at.max()) - self.first + 1
        self._inside = at >= self.first
        self._at = (at - self.first)[self._inside]

    def laid(self, *names: str) -> Floats:
        """Return the sum of the named metrics in each slice, shape (slices,)."""
        values = np.zeros(self._size, dtype=np.float64)
        for name in names:
            if name in self._rows:
                np.add.at(values, self._at, self._rows[name][self._inside].astype(np.float64))
        return values


def _by_mount(tables: JobTables) -> list[_Rows]:
    rows = tables.accesses
    if rows is None or not rows.num_rows:
        return []
    names = np.asarray(rows.column("mount").to_pylist(), dtype=object)
    columns = {name: ints_or_zeros(rows, name) for name in rows.column_names if name != "mount"}
    return [
        _Rows(mount, {name: values[names == mount] for name, values in columns.items()})
        for mount in sorted(set(names.tolist()))
    ]


def _follows(tables: JobTables) -> bool:
    """Return whether the runtime recorded where writes begin."""
    rows = tables.accesses
    if rows is not None and any(
        ints_or_zeros(rows, name).any()
        for name in rows.column_names
        if name.startswith("access_") and not name.startswith("access_read_")
    ):
        return True
    if "library" not in tables.processes.column_names:
        return False
    for text in tables.processes.column("library").to_pylist():
        digits = (text or "").split(".")[:2]
        if all(part.isdigit() for part in digits) and tuple(map(int, digits)) >= _VERSION:
            return True
    return False


def _sum(rows: pa.Table, quantity: str) -> Ints:
    """Return a quantity, added up over posix and stdio calls on files, one value per row."""
    posix, stdio = (ints_or_zeros(rows, name) for name in file_metrics(quantity))
    return posix + stdio


def _processes(tables: JobTables, quantity: str) -> dict[str, int]:
    """Count, for each mount, the processes in which a quantity is above 0."""
    rows = tables.mount_totals
    if not rows.num_rows:
        return {}
    has = _sum(rows, quantity) > 0
    counts: dict[str, int] = {}
    for mount, did in zip(rows.column("mount").to_pylist(), has.tolist(), strict=True):
        counts[mount] = counts.get(mount, 0) + did
    return {mount: max(count, 1) for mount, count in counts.items()}


def _heavy(tables: JobTables) -> dict[str, float]:
    """Count the write calls, from the largest down, that carry nine tenths of a mount's bytes.

    Sizes of calls are recorded per process, not per mount. So the result contains a mount only if
    nine tenths of all write calls were made on it.
    """
    rows = tables.mount_totals
    if not rows.num_rows or "posix_write_size" not in tables.totals.column_names:
        return {}
    posix, stdio = (histogram(tables.totals, name) for name in file_metrics("write_size"))
    sizes, calls = posix + stdio, _sum(rows, "write_ops")
    mounts = np.asarray(rows.column("mount").to_pylist(), dtype=object)
    # From the largest down; all sizes of a bucket count as its middle.
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


def _written(rows: _Rows, writers: int, heavy: float, *, known: bool) -> MountSeries:
    laid = rows.laid
    calls = laid(*file_metrics("write_ns", "sync_ns", "meta_ns"))
    return MountSeries(
        mount=rows.mount,
        first=rows.first,
        slice_ns=rows.slice_ns,
        known=known,
        bytes=laid(*file_metrics("write_bytes")),
        busy=calls / _NS / writers,
        writers=writers,
        heavy=heavy,
        active=laid("count"),
        writes=laid(*file_metrics("write_ops")),
        backs=laid("access_back_ops"),
        back_bytes=laid("access_back_bytes"),
        gaps=laid("access_gap_ops"),
        files=laid("access_file_ops"),
        file_bytes=laid("access_file_bytes"),
        closes=laid(*file_metrics("close_ops")),
        seeks=laid(*file_metrics("seek_ops")),
        reads=laid(*file_metrics("read_ops")),
    )


def _read(rows: _Rows, readers: int, *, known: bool) -> ReadSeries:
    laid = rows.laid
    kinds = ("ahead", "back", "stride", "again")
    return ReadSeries(
        mount=rows.mount,
        first=rows.first,
        slice_ns=rows.slice_ns,
        known=known,
        bytes=laid(*file_metrics("read_bytes")),
        busy=laid(*file_metrics("read_ns", "meta_ns")) / _NS / readers,
        reads=laid(*file_metrics("read_ops")),
        jumps=np.stack([laid(f"access_read_{kind}_ops") for kind in kinds]),
        jump_bytes=laid("access_read_jump_bytes"),
        stride_bytes=laid("access_read_stride_bytes"),
        again_bytes=laid("access_read_again_bytes"),
    )
