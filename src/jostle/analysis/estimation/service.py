"""Estimates the loss from slower file calls, mount by mount and slice by slice.

Time in file calls depends on how many operations of which class and size were requested. The work
of a slice is the time that its operations take on average over the run. As long as the job is
undisturbed, the ratio of the time spent to this work is near one usual value.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow as pa

from jostle.analysis.estimation.columns import Floats, Ints
from jostle.analysis.estimation.robust import usual
from jostle.values.arrow_columns import floats
from jostle.values.file_metrics import file_metrics

#: Class -> metrics of its operations, its time and its bytes.
CLASSES = {
    "read": (file_metrics("read_ops"), file_metrics("read_ns"), file_metrics("read_bytes")),
    "write": (file_metrics("write_ops"), file_metrics("write_ns"), file_metrics("write_bytes")),
    "sync": (file_metrics("sync_ops"), file_metrics("sync_ns"), ()),
    "meta": (file_metrics("meta_ops", "open_ops", "close_ops"), file_metrics("meta_ns"), ()),
}

_WORTH = 0.01  # of the slices' time: a mount with less time in file calls is left out
_AT_ONCE = 8  # least number of operations in a block: one more or less is 12 %
_BLOCKS = 8  # least number of blocks from which a usual time is derived
_LEAST = 0.1  # of the usual time: smaller excess is scatter of the file service


@dataclass(frozen=True)
class FileService:
    """Time of a job's file calls on one mount, and the part lost; arrays have shape [slices].

    Attributes:
        mount: Identity of the mount.
        start_ns: Start of each slice, ascending.
        slice_ns: Length of each slice.
        processes: Number of processes with file calls on the mount.
        time_s: Time in file calls, summed over processes.
        lost_s: Time by which file calls took longer than usual, mean over processes.
        assessed: Whether there were enough operations on the mount to find the usual time.
        spread: Scatter of undisturbed times: median absolute deviation of their logarithms.
        blocks: Number of blocks of slices that were evaluated independently.
        missed_s: Error of the loss because of this scatter, mean over processes.
    """

    mount: str
    start_ns: Ints
    slice_ns: Ints
    processes: Floats
    time_s: Floats
    lost_s: Floats
    assessed: bool
    spread: float
    blocks: int
    missed_s: float


def services(mount_slices: pa.Table) -> list[FileService]:
    """Evaluate the file calls on every mount on which a job spent a notable share of its time.

    Args:
        mount_slices: The job's slices by mount (repository.types.RunTables).

    Returns:
        One entry per mount, by name.
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
    assessed = blocks >= _BLOCKS
    share = 1 / processes
    missed = float((time * share).sum()) * 2 * spread / np.sqrt(blocks)
    lost = lost * share if assessed else np.zeros(len(time))
    return FileService(
        mount, start, length, processes, time, lost, assessed, spread, blocks, missed
    )


def time_and_work(rows: pa.Table) -> tuple[Floats, Floats, Floats]:
    """Return the time in file calls, the work that they did, and their number, slice by slice.

    Args:
        rows: Slices of one mount, n rows.

    Returns:
        Time spent in calls, and work (the time that the same operations take on average), both in
        seconds summed over processes, [n]; and number of operations, [n].
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
        for size_class in np.unique(classes).tolist():
            at = classes == size_class
            amount = size if _by_bytes(size_class) else number
            if amount[at].sum() > 0:
                work[at] += amount[at] * (spent[at].sum() / amount[at].sum())
    return time, work, operations


def _size_class(size: Floats, number: Floats) -> Ints:
    """Return log2 of the mean size of each slice's operations; -1 below one byte."""
    mean = np.divide(size, number, out=np.zeros(len(size)), where=number > 0)
    return np.where(mean >= 1, np.log2(mean.clip(1)), -1).astype(np.int64)


@cache
def _by_bytes(size_class: int) -> bool:
    """Return whether operations of a size class take time in proportion to their bytes.

    Small operations take time in proportion to their number.
    """
    return size_class >= 16


def _blocks(operations: Floats, together: int) -> Ints:
    """Join neighbouring slices into blocks with enough operations; return block numbers, [n]."""
    block: Ints = (np.cumsum(operations) // together).astype(np.int64)
    block -= block[0]
    return np.unique(block, return_inverse=True)[1].astype(np.int64)


def excess(time: Floats, work: Floats, block: Ints) -> tuple[Floats, float]:
    """Return by how much operations took longer than usual in each slice.

    Args:
        time: Seconds spent in operations in each slice, [n].
        work: Seconds that the same operations take on average, [n].
        block: Number of the block of each slice, ascending, [n].

    Returns:
        Time beyond the usual ratio of time to work, seconds, [n]; and the scatter of this ratio,
        the median absolute deviation of its logarithm. Both are 0 if there are too few blocks.
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
