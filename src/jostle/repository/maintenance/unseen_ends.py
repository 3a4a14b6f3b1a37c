"""Marks processes as ended whose profile was removed before their end was recorded.

A profile may disappear from its spool while its process is recorded as running: the node was
reinstalled, its spool was cleared, or its disk was lost. Then no more data of the process follows.
If no data has arrived for a time (SILENT_NS and SILENT_SLICES in store/layout.py), the row of the
process gets an end, with the reason "end not seen".

The process may continue for a week: if its profile appears again (on a node that was disconnected),
the new data is ingested, and a row with a higher revision replaces the one with this end. Until the
week is over, the row is not settled (settle.py).
"""

from __future__ import annotations

import time
from collections.abc import Collection
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jostle.repository.maintenance.settle import ends
from jostle.repository.query.engine import Engine
from jostle.repository.store.layout import GONE_NS, SILENT_NS, SILENT_SLICES
from jostle.repository.store.log import Log
from jostle.repository.store.tables import Ints

END_NOT_SEEN = "end not seen"


def silent_ones(rows: pa.Table, present: Collection[int]) -> list[int]:
    """Return the processes from which no more data is expected.

    Args:
        rows: The newest row of each process.
        present: Ids of processes with a profile in a spool.
    """
    heard = ends(rows)
    limit = SILENT_NS + SILENT_SLICES * _ints(rows, "slice_ns")
    silent = ~rows["complete"].to_numpy() & (time.time_ns() - heard > limit)
    ids = rows["process"].filter(pa.array(silent)).to_pylist()
    return [process for process in ids if process not in present]


def ended(root: Path, rows: pa.Table, processes: Collection[int]) -> pa.Table:
    """Return the rows with an end for some processes, with the reason "end not seen".

    Args:
        root: The repository.
        rows: The newest row of each process.
        processes: Ids of the processes that get an end, unless they have recent slices.
    """
    mine = rows.filter(pc.is_in(rows["process"], value_set=pa.array(processes, pa.int64())))
    last = _last_slices(root, mine)
    at = {process: number for number, process in enumerate(rows["process"].to_pylist())}
    last_slice, end_ns = _ints(rows, "last_slice").copy(), _ints(rows, "end_ns").copy()
    slice_ns = _ints(rows, "slice_ns")
    over = np.zeros(rows.num_rows, dtype=bool)
    for process in processes:
        row = at[process]
        last_slice[row] = max(last_slice[row], last.get(process, 0))
        seen = (last_slice[row] + 1) * slice_ns[row]
        if time.time_ns() - seen > SILENT_NS + SILENT_SLICES * slice_ns[row]:
            over[row], end_ns[row] = True, seen
    reasons = [
        END_NOT_SEEN if is_over else reason
        for is_over, reason in zip(over.tolist(), rows["end_reason"].to_pylist(), strict=True)
    ]
    complete = rows["complete"].to_numpy() | over
    for name, values in (
        ("last_slice", last_slice),
        ("end_ns", end_ns),
        ("end_reason", reasons),
        ("complete", complete),
    ):
        field = rows.schema.field(name)
        rows = rows.set_column(
            rows.schema.get_field_index(name), field, pa.array(values, field.type)
        )
    return rows


def is_final(rows: pa.Table) -> pa.ChunkedArray:
    """Return which processes have ended, so that no further row of them will follow."""
    waits = pc.equal(pc.fill_null(rows["end_reason"], ""), END_NOT_SEEN)
    is_late = pa.array(time.time_ns() - ends(rows) <= GONE_NS)
    return pc.and_(rows["complete"], pc.invert(pc.and_(waits, is_late)))


def unseen(rows: pa.Table) -> dict[int, int]:
    """Return the end (ns) of each process whose end was not seen and whose week is over."""
    which = pc.and_(is_final(rows), pc.equal(pc.fill_null(rows["end_reason"], ""), END_NOT_SEEN))
    some = rows.filter(which)
    return dict(zip(some["process"].to_pylist(), ends(some).tolist(), strict=True))


def _last_slices(root: Path, rows: pa.Table) -> dict[int, int]:
    """Return each process's newest slice, since its row may be older (up to a minute)."""
    engine = Engine(root, Log(root))
    lo = int((_ints(rows, "last_slice") * _ints(rows, "slice_ns")).min())
    found = engine.ask(
        lambda: (
            f"SELECT process, max(slice + span) - 1 AS last FROM ({engine.source('slices', lo)}) "
            "WHERE list_contains($1, process) GROUP BY process"
        ),
        [rows["process"].to_pylist()],
    )
    engine.close()
    return dict(zip(found["process"].to_pylist(), found["last"].to_pylist(), strict=True))


def _ints(rows: pa.Table, name: str) -> Ints:
    values: Ints = pc.fill_null(rows[name], 0).to_numpy().astype(np.int64)
    return values
