"""Ends processes whose profile is gone before anybody saw their end.

A profile may vanish from its spool while its process is recorded as running: the node was
reinstalled, its spool cleared, its disk lost. Nothing more comes of such a process. Once it was
silent for as long as a profile in the spool may be (store/layout.py), its row says that it is over,
with the reason "end not seen".

Its position stays open for a week: should its profile come back (a node that was cut off), what is
new in it is taken, and its next row, which has a higher revision, counts again. So long the row is
not settled (settle.py).
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
    """Return the processes of which nothing more is to be expected.

    Args:
        rows: The newest row of each process.
        present: Processes whose profile is there.
    """
    heard = ends(rows)
    limit = SILENT_NS + SILENT_SLICES * _ints(rows, "slice_ns")
    silent = ~rows["complete"].to_numpy() & (time.time_ns() - heard > limit)
    ids = rows["process"].filter(pa.array(silent)).to_pylist()
    return [process for process in ids if process not in present]


def ended(root: Path, rows: pa.Table, processes: Collection[int]) -> pa.Table:
    """Return rows in which some processes are over.

    Args:
        root: The repository.
        rows: The newest row of each process.
        processes: Those that are over; of one whose slices are not silent nothing is changed.
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
    """Return which processes are over for good: no further row will come of them."""
    waits = pc.equal(pc.fill_null(rows["end_reason"], ""), END_NOT_SEEN)
    is_late = pa.array(time.time_ns() - ends(rows) <= GONE_NS)
    return pc.and_(rows["complete"], pc.invert(pc.and_(waits, is_late)))


def unseen(rows: pa.Table) -> dict[int, int]:
    """Return when processes ended (ns) that are over for good, but whose end was not seen."""
    which = pc.and_(is_final(rows), pc.equal(pc.fill_null(rows["end_reason"], ""), END_NOT_SEEN))
    some = rows.filter(which)
    return dict(zip(some["process"].to_pylist(), ends(some).tolist(), strict=True))


def _last_slices(root: Path, rows: pa.Table) -> dict[int, int]:
    """Return the newest slice of each process: a running one's row is renewed once a minute."""
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
