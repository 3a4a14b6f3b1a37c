"""Settles ended processes: stores their rows by the day of their end, and adds them up by kind.

While a process runs, commits write new rows of it into table processes; the newest row counts.
After its end no further row follows, and compaction *settles* the process: one commit stores its
last row in a file of the day of its end (`ended=DAY`; only these files of the table have a time in
the log), and counts the process in a row of table process_kinds of that day. So each settled
process is counted in exactly one row of process_kinds. Queries about jobs add up these rows and the
rows of processes that are not settled, whether a job has ended or not. If data of a settled process
arrives later, the process only gets further rows.

All files with unsettled rows are settled together, so that none of them keeps an older row of a
settled process.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jostle.repository.query.engine import UNSETTLED, connect, shape
from jostle.repository.query.process_kinds import added_kinds, kinds_of
from jostle.repository.store.file_days import File
from jostle.repository.store.layout import DAY_NS
from jostle.repository.store.state import RepositoryState
from jostle.repository.store.tables import Ints, PartitionChunk

KINDS = "process_kinds"


def unsettled(state: RepositoryState) -> list[File]:
    """Return the files with rows of processes that are not settled."""
    return state.reaching("processes", *UNSETTLED)


def settled_chunks(rows: pa.Table, final: pa.ChunkedArray) -> Iterator[PartitionChunk]:
    """Convert unsettled rows of processes into the rows that replace them.

    Args:
        rows: The newest row of each process, in the order of a file.
        final: Whether each row is the last one of its process.
    """
    over = final.to_numpy()
    day = _day(rows)
    for number in np.unique(day[over]).tolist():
        yield from day_chunks(rows.filter(pa.array(over & (day == number))))
    if not over.all():
        yield PartitionChunk("processes", rows.filter(pa.array(~over)), 0, 0)


def day_chunks(rows: pa.Table) -> Iterator[PartitionChunk]:
    """Yield the rows of two files: of processes that ended on one day, and of their kinds."""
    if not rows.num_rows:
        return
    first = _ints(rows, "first_slice") * _ints(rows, "slice_ns")
    lo = int(np.minimum(first, _ints(rows, "start_ns")).min())
    hi = int(ends(rows).max())
    yield PartitionChunk("processes", rows, lo, hi)
    kinds = _asked(f"SELECT * FROM ({kinds_of(_whole('processes'))}) ORDER BY ALL", rows)
    yield PartitionChunk(KINDS, kinds, lo, hi)


def merged_kinds(rows: pa.Table) -> pa.Table:
    """Add up rows of process_kinds of one kind."""
    return _asked(f"SELECT * FROM ({added_kinds(_whole(KINDS))}) ORDER BY ALL", rows)


def unsettle(state: RepositoryState) -> None:
    """Undo the settling of all processes, since some files of settled processes are lost.

    Until the next compaction settles them again, queries read the row of each process.
    """
    state.files.change(
        [replace(file, lo=0, hi=0) for file in state.of("processes")],
        [file.path for file in (*state.of("processes"), *state.of(KINDS))],
    )


def days_of(files: Iterable[File]) -> dict[int, list[File]]:
    """Group settled files by their day (days since the epoch)."""
    days: dict[int, list[File]] = {}
    for file in files:
        if file.hi:
            days.setdefault((file.hi - 1) // DAY_NS, []).append(file)
    return days


def _day(rows: pa.Table) -> Ints:
    return (ends(rows) - 1) // DAY_NS


def ends(rows: pa.Table) -> Ints:
    """Return when processes ended, or were seen last, ns since the epoch."""
    seen = (_ints(rows, "last_slice") + 1) * _ints(rows, "slice_ns")
    result: Ints = np.maximum(seen, _ints(rows, "end_ns"))
    return result


def _ints(rows: pa.Table, name: str) -> Ints:
    values: Ints = pc.fill_null(rows[name], 0).to_numpy().astype(np.int64)
    return values


def _whole(table: str) -> str:
    """Return SQL of the rows that `_asked` gets, with all columns of their table."""
    return f"({shape(table)} UNION ALL BY NAME SELECT * FROM given)"


def _asked(sql: str, rows: pa.Table) -> pa.Table:
    with contextlib.closing(connect()) as database:
        database.register("given", rows)
        return database.sql(sql).to_arrow_table()
