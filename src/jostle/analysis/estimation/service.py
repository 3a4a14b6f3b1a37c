"""Computes what a file system's slower service cost a job, slice by slice.

Time in file calls does not depend on demand once it is set against the work asked for: operations
by class and size. Each class is worth what it takes on average, so that the work of a slice is the
time it should have taken, and time over work has one usual value as long as nobody else is there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow as pa

from jostle.analysis.estimation.columns import Floats, Ints
from jostle.analysis.estimation.robust import usual
from jostle.arrow_columns import floats
from jostle.file_metrics import file_metrics

#: Class: the counts that stand for its operations, its time, and its bytes.
CLASSES = {
    "read": (file_metrics("read_ops"), file_metrics("read_ns"), file_metrics("read_bytes")),
    "write": (file_metrics("write_ops"), file_metrics("write_ns"), file_metrics("write_bytes")),
    "sync": (file_metrics("sync_ops"), file_metrics("sync_ns"), ()),
    "meta": (file_metrics("meta_ops", "open_ops", "close_ops"), file_metrics("meta_ns"), ()),
}

_WORTH = 0.01  # of the slices' time: a mount on which less passes cannot have cost more
_AT_ONCE = 8  # operations that are judged together at least: one more or less is 12 %
_BLOCKS = 8  # judged together at least, or there is nothing usual
_LEAST = 0.1  # of the usual time: files are served with more scatter than instructions


@dataclass(frozen=True)
class FileService:
    """What file calls on one mount took.

    Attributes:
        mount: Its identity.
        start_ns: Start of each slice, in time.
        slice_ns: Length of each.
        processes: That had something to do there.
        time_s: Time in file calls, summed over processes.
        lost_s: What of it was beyond the usual, per process.
        judged: Whether there was enough to find what is usual.
        spread: How the usual scatters (log MAD).
        blocks: Independent pieces that were judged.
        missed_s: What the usual scatter may hide or pretend, per process.
    """

    mount: str
    start_ns: Ints
    slice_ns: Ints
    processes: Floats
    time_s: Floats
    lost_s: Floats
    judged: bool
    spread: float
    blocks: int
    missed_s: float


def services(mount_slices: pa.Table) -> list[FileService]:
    """Judge every mount on which a job spent time worth the name.

    Args:
        mount_slices: As in repository.types.RunTables.
    """
    if not mount_slices.num_rows:
        return []
    names = np.array(mount_slices.column("mount").to_pylist(), dtype=object)
    total = _summed(mount_slices, tuple(n for _, times, _ in CLASSES.values() for n in times))
    file_services = []
    for mount in sorted(set(names.tolist())):
        at = np.flatnonzero(names == mount)
        rows = mount_slices.take(pa.array(at))
        if total[at].sum() >= _WORTH * floats(rows, "slice_ns").sum():
            file_services.append(_service(str(mount), rows))
    return file_services


def _service(mount: str, rows: pa.Table) -> FileService:
    start = (rows.column("slice").to_numpy() * rows.column("slice_ns").to_numpy()).astype(np.int64)
    length = rows.column("slice_ns").to_numpy().astype(np.int64)
    processes = floats(rows, "count").clip(1)
    time, work, operations = time_and_work(rows)
    together = _AT_ONCE
    while True:
        block = _blocks(operations, together)
        blocks = int(block[-1]) + 1
        lost, spread = excess(time, work, block)
        if spread <= _LEAST or blocks < 4 * _BLOCKS:
            break
        together *= 2
    judged = blocks >= _BLOCKS
    share = 1 / processes
    missed = float((time * share).sum()) * 2 * spread / np.sqrt(blocks)
    lost = lost * share if judged else np.zeros(len(time))
    return FileService(mount, start, length, processes, time, lost, judged, spread, blocks, missed)


def time_and_work(rows: pa.Table) -> tuple[Floats, Floats, Floats]:
    """Return of each slice the time in file calls, the time they take on average, and their number.

    Times in seconds, summed over processes.
    """
    time, work = np.zeros(rows.num_rows), np.zeros(rows.num_rows)
    operations = np.zeros(rows.num_rows)
    for counts, times, sizes in CLASSES.values():
        number, spent = _summed(rows, counts), _summed(rows, times) / 1e9
        size = _summed(rows, sizes)
        time += spent
        if not spent.any():
            continue
        operations += number
        classes = _size_class(size, number)
        for one in np.unique(classes).tolist():
            at = classes == one
            amount = size if _by_bytes(one) else number
            if amount[at].sum() > 0:
                work[at] += amount[at] * (spent[at].sum() / amount[at].sum())
    return time, work, operations


def _size_class(size: Floats, number: Floats) -> Ints:
    """Return log2 of the mean size of a slice's operations."""
    mean = np.divide(size, number, out=np.zeros(len(size)), where=number > 0)
    return np.where(mean >= 1, np.log2(mean.clip(1)), -1).astype(np.int64)


@cache
def _by_bytes(size_class: int) -> bool:
    """Large operations take time by their bytes, small ones by their number."""
    return size_class >= 16


def _blocks(operations: Floats, together: int) -> Ints:
    """Put neighbouring slices together until they hold enough operations to be compared."""
    block: Ints = (np.cumsum(operations) // together).astype(np.int64)
    block -= block[0]
    return np.unique(block, return_inverse=True)[1].astype(np.int64)


def excess(time: Floats, work: Floats, block: Ints) -> tuple[Floats, float]:
    """Return the time beyond the usual ratio of time to work, and the scatter of this ratio.

    Args:
        time: Seconds spent.
        work: Seconds that what was done takes on average.
        block: Number of the block that each is judged in, ascending.
    """
    spent, done = np.bincount(block, weights=time), np.bincount(block, weights=work)
    fine = (spent > 0) & (done > 0)
    if fine.sum() < _BLOCKS:
        return np.zeros(len(time)), 0.0
    ratio = np.zeros(len(spent))
    ratio[fine] = np.log(spent[fine] / done[fine])
    undisturbed_range = usual(ratio[fine], 0.02)
    hit = fine & (ratio > undisturbed_range.threshold(_LEAST))
    calm = fine & ~hit
    reference = float(spent[calm].sum() / done[calm].sum())
    share = np.zeros(len(spent))
    share[hit] = (1 - reference * done[hit] / spent[hit]).clip(0)
    lost: Floats = time * share[block]
    return lost, undisturbed_range.spread


def _summed(rows: pa.Table, names: tuple[str, ...]) -> Floats:
    total = np.zeros(rows.num_rows)
    for name in names:
        total += floats(rows, f"{name}_sum")
    return total
