"""Compaction and retention: merges small files and drops old ones."""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from jostle.repository.errors import ConflictError, DamagedError, RepositoryError
from jostle.repository.segments import merge_cache as copies
from jostle.repository.store.damage import reason_of
from jostle.repository.store.files import cannot_use, plain_errors, publish, strays, write_chunks
from jostle.repository.store.layout import HOUR_NS, STATS, TABLES, TableLayout
from jostle.repository.store.log import Log, open_marker
from jostle.repository.store.state import Change, File, RepositoryState
from jostle.repository.store.tables import Ints, PartitionChunk, groups, order, without_zeros
from jostle.repository.types import CompactReport, ExpireReport

SMALL_BYTES = 32 << 20
# A file that no commit names is nobody's after this time; until then a reader may have it open
# and an ingester may be about to commit it.
GRACE_S = 900.0
_ORDER = {
    "slices": ("job", "slice", "process"),
    "mount_slices": ("job", "slice", "process"),
    "segments": ("job", "process", "number"),
    "peers": ("job", "process", "peer"),
    "peer_slices": ("job", "slice", "process", "peer"),
    "collective_slices": ("job", "slice", "process", "communicator", "operation", "root"),
    "communicators": ("job", "process", "communicator"),
    "files": ("job", "process", "hash"),
    "component_slices": ("kind", "host", "name", "job", "slice"),
}
#: Tables of lives, of which the newest row counts: what tells them apart, and how they are sorted.
_LIVES = {
    "processes": ("process", "job"),
    "machines": ("machine", "host"),
    "batch_jobs": ("batch_job", "job"),
}
#: Tables of names: of whose lives, and the column that says so.
_NAMES = {
    "mounts": ("processes", "job"),
    "tokens": ("processes", "job"),
    "components": ("machines", "machine"),
}


def compact(root: Path, *, small_bytes: int = SMALL_BYTES, at_least: int = 2) -> CompactReport:
    """Merge the small files of each partition and removes stray files.

    Args:
        root: The repository.
        small_bytes: Files below this size are merged, into files of about this size.
        at_least: Partitions with fewer small files are left alone.
    """
    open_marker(root)
    with plain_errors(root):
        return _compact(root, small_bytes, at_least)


def _compact(root: Path, small_bytes: int, at_least: int) -> CompactReport:
    log = Log(root)
    before = list(log.refresh())
    removed = _tidy(root, log)  # on a full disk it makes the room that merging needs
    damaged: list[str] = []
    for group in _groups(before, small_bytes, at_least):
        with contextlib.suppress(ConflictError):  # somebody else merged them: just as well
            files, rows = _readable(root, group, damaged)
            if len(files) >= at_least:
                _replace(root, log, files, rows)
    after = list(log.refresh())
    return CompactReport(
        len(before),
        len(after),
        sum(file.bytes for file in before),
        sum(file.bytes for file in after),
        removed,
        tuple(damaged),
    )


def _readable(
    root: Path, files: Sequence[File], damaged: list[str]
) -> tuple[Sequence[File], pa.Table]:
    """Merge the files of one table that can be read.

    Args:
        root: The repository.
        files: The files.
        damaged: Gets the paths of the others.

    Returns:
        The files that were read, and their rows.
    """
    while files:
        try:
            return files, merge(root, files)
        except DamagedError as error:
            damaged.append(error.file)
            files = [file for file in files if file.path != error.file]
    return files, pa.table({})


def _tidy(root: Path, log: Log) -> int:
    """Remove stray files; gives how many."""
    removed = 0
    for path in list(strays(root, log.state, GRACE_S, time.time())):
        with contextlib.suppress(OSError):  # the next one removes it
            path.unlink(missing_ok=True)
            removed += 1
    return removed


def _groups(files: Iterable[File], small_bytes: int, at_least: int) -> list[list[File]]:
    folders = defaultdict(list)
    for file in files:
        if file.bytes < small_bytes:
            folders[os.path.dirname(file.path)].append(file)
    result = []
    for members in folders.values():
        group: list[File] = []
        for file in sorted(members, key=lambda file: file.lo):
            if group and sum(member.bytes for member in group) + file.bytes > 2 * small_bytes:
                result.append(group)
                group = []
            group.append(file)
        result.append(group)
    return [group for group in result if len(group) >= at_least]


def _replace(root: Path, log: Log, old: Sequence[File], rows: pa.Table) -> None:
    lo, hi = min(file.lo for file in old), max(file.hi for file in old)
    new = write_chunks(root, [PartitionChunk(old[0].table, rows, lo, hi)] if rows.num_rows else [])
    publish(root, log, Change("compact", add=new, remove=[file.path for file in old]))
    _leave(root, old)


def _leave(root: Path, files: Iterable[File]) -> None:
    """Start the time of grace of files that were just taken out."""
    for file in files:
        with contextlib.suppress(OSError):
            os.utime(root / file.path)


def merge(root: Path, files: Sequence[File]) -> pa.Table:
    """Read files of one table and gives their rows as one file should hold them.

    Raises:
        DamagedError: A file is damaged.
        RepositoryError: A file cannot be read at this time.
    """
    table = TABLES[files[0].table]
    parts = []
    for file in files:
        try:
            parts.append(pq.ParquetFile(root / file.path).read())
        except (OSError, pa.ArrowException) as error:
            if isinstance(error, OSError) and error.errno not in (None, errno.ENOENT, errno.EIO):
                raise cannot_use(root, error) from error
            span = (file.lo, file.hi)
            raise DamagedError(root, file.path, reason_of(error, root), span) from error
    rows = pa.concat_tables(parts, promote_options="default").combine_chunks()
    for index, field in enumerate(rows.schema):
        number = pa.types.is_integer(field.type)
        if number and field.name in table.values and rows.column(index).null_count:
            filled = pc.fill_null(rows.column(index), 0)
            rows = rows.set_column(index, field.name, filled)
    if table.name in ("rollup", "node_rollup"):
        return _merge_rollup(table, rows)
    if table.name in _LIVES:
        return _latest(rows, *_LIVES[table.name])
    if table.name in _NAMES:
        return rows.group_by(rows.column_names).aggregate([])
    keys = [_rank(rows, name) for name in _ORDER[table.name]]
    return without_zeros(table.name, rows.take(pa.array(order(*keys))))


def _rank(rows: pa.Table, name: str) -> Ints:
    """Return numbers that sort as a column does."""
    column = rows.column(name)
    if pa.types.is_integer(column.type):
        values: Ints = column.to_numpy().astype(np.int64)
        return values
    encoded = column.combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    names = encoded.dictionary.to_pylist()
    rank_of = np.empty(len(names), dtype=np.int64)
    rank_of[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    result: Ints = rank_of[encoded.indices.to_numpy()]
    return result


def _merge_rollup(table: TableLayout, rows: pa.Table) -> pa.Table:
    slice_ns = _rank(rows, "slice_ns")
    start = _rank(rows, "slice") * slice_ns
    resource = "mount" if table.name == "rollup" else "host"
    by, starts = groups(start, _rank(rows, "job"), _rank(rows, resource), slice_ns)
    first = pa.array(by[starts])
    functions = dict(zip(STATS, (np.add, np.minimum, np.maximum), strict=True))
    columns: dict[str, Any] = {}
    for name in rows.column_names:
        stat = "sum" if name == "count" else name.rpartition("_")[2]
        if name == "count" or name in table.values:
            columns[name] = functions[stat].reduceat(_rank(rows, name)[by], starts)
        else:
            columns[name] = rows.column(name).take(first)
    return without_zeros(table.name, pa.table(columns))


def _latest(rows: pa.Table, key: str, group: str) -> pa.Table:
    """Keep the newest row of each process or machine, sorted by group and start."""
    life, revision = _rank(rows, key), _rank(rows, "revision")
    by = np.lexsort((revision, life))
    last = np.append(np.diff(life[by]) != 0, True)
    rows = rows.take(pa.array(by[last]))
    return rows.take(pa.array(np.lexsort((_rank(rows, "start_ns"), _rank(rows, group)))))


def expire(root: Path, older_than_s: float, *, now_s: float | None = None) -> ExpireReport:
    """Remove files whose slices all ended before a horizon, and processes that ended before it.

    The horizon is a full hour; a file that reaches beyond it stays until all of it is old.

    Args:
        root: The repository.
        older_than_s: Age of the horizon, seconds.
        now_s: The time now, seconds since the epoch; the clock's when not given.
    """
    if older_than_s < 0:
        raise RepositoryError("An age cannot be negative.", hint="Try 30d.", exit_code=2)
    open_marker(root)
    log = Log(root)
    now = time.time() if now_s is None else now_s
    horizon = max(int((now - older_than_s) * 1e9), 0) // HOUR_NS * HOUR_NS
    for attempt in range(5):
        try:
            with plain_errors(root):
                return _expire(root, log, horizon)
        except ConflictError:
            if attempt == 4:
                raise
    raise AssertionError("unreachable")


def _expire(root: Path, log: Log, horizon: int) -> ExpireReport:
    state = log.refresh()
    _sane(state, horizon)
    old = [file for file in state
           if TABLES[file.table].partition_ns and file.hi <= horizon]  # fmt: skip
    rows_removed = sum(file.rows for file in old)
    partition_chunks: list[PartitionChunk] = []
    forget: list[int] = []
    damaged: list[str] = []
    for lives, (key, _) in _LIVES.items():
        life_files, rows = _readable(root, state.of(lives), damaged)
        if not life_files:
            continue
        end = _ends(rows)
        gone = rows.column("complete").to_numpy() & (end <= horizon)
        forget += _rank(rows, key)[gone].tolist()
        rows_removed += int(gone.sum())
        if not gone.any():
            continue
        rows = rows.filter(pa.array(~gone))
        partition_chunks.append(PartitionChunk(lives, rows, 0, 0))
        old += life_files
        # What a damaged file of processes names is not known: nothing of its jobs may go.
        for table, (of, owner) in _NAMES.items():
            if damaged or of != lives:
                continue
            files, of_table = _readable(root, state.of(table), damaged)
            if files:
                partition_chunks.append(_still_named(table, of_table, rows, owner))
                old += files
    new = write_chunks(root, [chunk for chunk in partition_chunks if chunk.rows.num_rows])
    change = Change(
        "expire",
        add=new,
        remove=[file.path for file in old],
        forget=forget,
        horizon_ns=horizon,
    )
    if old or horizon > state.horizon_ns:
        publish(root, log, change)
    _leave(root, old)
    copies.drop(root, horizon)
    freed = sum(file.bytes for file in old) - sum(file.bytes for file in new)
    return ExpireReport(horizon, len(old), rows_removed, freed, len(forget), tuple(damaged))


def _ends(rows: pa.Table) -> Ints:
    """Return when each life ended, ns."""
    if "last_slice" in rows.column_names:
        return (_rank(rows, "last_slice") + 1) * _rank(rows, "slice_ns")
    return _rank(rows, "end_ns")


def _sane(state: RepositoryState, horizon: int) -> None:
    """Refuse a horizon that a clock gone wrong would give.

    Raises:
        RepositoryError: Nothing would be left.
    """
    newest = max((file.hi for file in state), default=0)
    if newest and horizon > newest:
        ends, border = (f"{datetime.fromtimestamp(at // 10**9, UTC):%Y-%m-%d %H:%M} UTC"
                        for at in (newest, horizon))  # fmt: skip
        raise RepositoryError(
            f"Nothing would be left: the newest slices ended at {ends}, before {border}.",
            hint="Is this machine's clock right? Else take a higher age, or remove the folder.",
        )


def _still_named(table: str, rows: pa.Table, lives: pa.Table, owner: str) -> PartitionChunk:
    """Keep what belongs to the jobs of some processes, or to some machines."""
    left = pc.unique(lives.column(owner))
    return PartitionChunk(table, rows.filter(pc.is_in(rows.column(owner), value_set=left)), 0, 0)
