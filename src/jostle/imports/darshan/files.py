"""Makes rows for the single files in a Darshan log: traffic, format and storage targets."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pyarrow as pa

from jostle.imports.darshan.metrics import INTERFACES, amounts
from jostle.imports.darshan.model import DarshanLog, Ints
from jostle.imports.darshan.mounts import LogMounts
from jostle.reader import FILE_VALUES

#: Named files of one log; all others are summed by mount.
_MOST_FILES = 20_000
#: Values of table files -> metrics of which they are the sum; {} is replaced by posix and stdio.
_SUMS = {
    "opens": ("{}_open_ops",),
    "reads": ("{}_read_ops",),
    "writes": ("{}_write_ops",),
    "syncs": ("{}_sync_ops",),
    "read_bytes": ("{}_read_bytes",),
    "write_bytes": ("{}_write_bytes",),
    "read_ns": ("{}_read_ns",),
    "write_ns": ("{}_write_ns",),
    "sync_ns": (),
    "meta_ns": ("{}_meta_ns",),
}


def file_rows(log: DarshanLog, mounts: LogMounts) -> pa.Table:
    """Return the use of each file, by rank.

    Args:
        log: The log.
        mounts: The mounts of its files.

    Returns:
        Columns process (the rank; 0 for all ranks together), slot (number of the mount), path,
        hash, format, files (number of files in the row), shared_by (number of processes that the
        row is about), targets, and FILE_VALUES.
    """
    ids, ranks, columns = _records(log)
    if not len(ids):
        return pa.table({name: pa.array([], kind) for name, kind in _SHAPE.items()})
    key = np.rec.fromarrays([ids, ranks])
    keys, which = np.unique(key, return_inverse=True)
    sums = {}
    for name, column in columns.items():
        sums[name] = np.zeros(len(keys), dtype=np.int64)
        np.add.at(sums[name], which, column)
    # The files with the most time and bytes keep their names.
    ns = sums["read_ns"] + sums["write_ns"] + sums["meta_ns"]
    weight = ns + sums["read_bytes"] + sums["write_bytes"]
    named = np.sort(np.argsort(-weight, kind="stable")[:_MOST_FILES])
    rest = np.setdiff1d(np.arange(len(keys)), named)
    file, rank = keys["f0"], keys["f1"]
    nowhere = len(mounts.paths) - 1
    slot = np.array([mounts.of.get(each, nowhere) for each in file.tolist()], dtype=np.int64)
    parts = [_named(log, file[named], rank[named], slot[named], _take(sums, named))]
    if len(rest):
        parts.append(_others(slot[rest], _take(sums, rest)))
    return pa.concat_tables(parts)


_SHAPE = {
    "process": pa.int64(),
    "slot": pa.int64(),
    "path": pa.string(),
    "hash": pa.int64(),
    "format": pa.string(),
    "files": pa.int64(),
    "shared_by": pa.int64(),
    "targets": pa.list_(pa.int64()),
    **dict.fromkeys(FILE_VALUES, pa.int64()),
}


def _records(log: DarshanLog) -> tuple[np.ndarray, Ints, dict[str, Ints]]:
    """Return file, rank and values of all records of files."""
    ids, ranks = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
    columns: dict[str, list[Ints]] = {name: [np.zeros(0, np.int64)] for name in FILE_VALUES}
    for interface in INTERFACES:
        records = log.counted.get(interface.module)
        if records is None:
            continue
        ids.append(records.id)
        ranks.append(records.rank)
        known: dict[str, Ints] = {}
        for way in ("read", "write", "both"):
            known |= amounts(records, interface, way)
        for name, metrics in _SUMS.items():
            found = [known[metric.format(interface.kind)] for metric in metrics]
            columns[name].append(sum(found, np.zeros(len(records.id), np.int64)))
    joined = {name: np.concatenate(parts) for name, parts in columns.items()}
    return np.concatenate(ids), np.concatenate(ranks), joined


def _take(columns: dict[str, Ints], rows: np.ndarray) -> dict[str, Ints]:
    return {name: column[rows] for name, column in columns.items()}


def _named(
    log: DarshanLog, file: np.ndarray, rank: Ints, slot: Ints, sums: dict[str, Ints]
) -> pa.Table:
    targets: dict[int, list[int]] = defaultdict(list)
    for key, target in zip(log.targets.id.tolist(), log.targets.target.tolist(), strict=True):
        targets[key].append(target)
    formats = {key: name for name, keys in log.formats.items() for key in keys}
    keys = file.tolist()
    return pa.table(
        {
            "process": rank.clip(0),
            "slot": slot,
            "path": [log.names.get(key, "") for key in keys],
            "hash": file.view(np.int64),
            "format": [formats.get(key, "") for key in keys],
            "files": np.ones(len(keys), np.int64),
            "shared_by": np.where(rank < 0, log.processes, 1),
            "targets": [targets.get(key, []) for key in keys],
            **sums,
        },
        schema=pa.schema(list(_SHAPE.items())),
    )


def _others(slot: Ints, sums: dict[str, Ints]) -> pa.Table:
    """Sum, by mount, the files that get no row of their own."""
    slots, which = np.unique(slot, return_inverse=True)
    added = {}
    for name, column in sums.items():
        added[name] = np.zeros(len(slots), dtype=np.int64)
        np.add.at(added[name], which, column)
    number = len(slots)
    return pa.table(
        {
            "process": np.zeros(number, np.int64),
            "slot": slots,
            "path": [""] * number,
            "hash": np.zeros(number, np.int64),
            "format": [""] * number,
            "files": np.bincount(which, minlength=number),
            "shared_by": np.ones(number, np.int64),
            "targets": [[] for _ in range(number)],
            **added,
        },
        schema=pa.schema(list(_SHAPE.items())),
    )
