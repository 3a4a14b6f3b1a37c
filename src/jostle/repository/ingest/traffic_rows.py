"""Turns partners, collectives and communicators into rows of the repository."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from jostle.reader import COLLECTIVE_VALUES, PEER_VALUES, Decoded
from jostle.repository.store.layout import DAY_NS, HOUR_NS
from jostle.repository.store.tables import (
    MAX_VALUE,
    Ints,
    NameRanks,
    PartitionChunk,
    ProcessSource,
    dictionary,
    order,
    split_by_partition,
)
from jostle.values.arrow_columns import ints

#: Largest communicator of which each member stores all members; else only the first does.
_FEW = 64


def traffic_chunks(
    decoded: Decoded, source_index: Ints, sources: Sequence[ProcessSource], horizon_ns: int = 0
) -> Iterator[PartitionChunk]:
    """Turn tables of the reader into rows of peer_slices, collective_slices and communicators.

    Args:
        decoded: The reader's tables.
        source_index: For each process number in the tables, its index in sources; -1: rows of this
            process are dropped.
        sources: The processes.
        horizon_ns: Slices that ended before this time are dropped.
    """
    names = NameRanks(sources)
    own = np.array([source.row.get("world_rank") or 0 for source in sources], dtype=np.int64)
    for table, rows, keys, values in (
        ("peer_slices", decoded.peer_slices, ("peer",), PEER_VALUES),
        (
            "collective_slices",
            decoded.collective_slices,
            ("communicator", "root"),
            COLLECTIVE_VALUES,
        ),
    ):
        if rows.num_rows:
            yield from _slices(table, rows, keys, values, source_index, names, own, horizon_ns)
    if decoded.communicators.num_rows:
        yield from _communicators(decoded.communicators, source_index, sources, names, own)


def _slices(
    table: str,
    rows: pa.Table,
    keys: Sequence[str],
    values: Sequence[str],
    source_index: Ints,
    names: NameRanks,
    own: Ints,
    horizon_ns: int,
) -> Iterator[PartitionChunk]:
    index = source_index[ints(rows, "process")]
    end = (ints(rows, "slice") + ints(rows, "span")) * names.slice_ns[index]
    keep = (index >= 0) & (end > horizon_ns)
    if not keep.any():
        return
    rows, index, end = rows.filter(pa.array(keep)), index[keep], end[keep]
    slices = ints(rows, "slice")
    start = slices * names.slice_ns[index]
    hour = start // HOUR_NS
    by = order(
        hour,
        names.job[index],
        slices,
        names.process_rank[index],
        *(ints(rows, key) for key in keys),
    )
    index = index[by]
    columns: dict[str, Any] = {
        "job": dictionary(names.job[index], names.jobs),
        "process": names.process[index],
        "host": dictionary(names.host[index], names.hosts),
        "rank": own[index],
        "slice": slices[by],
        "slice_ns": names.slice_ns[index],
        "span": ints(rows, "span")[by].astype(np.int32),
    }
    for key in keys:
        columns[key] = ints(rows, key)[by]
    if "operation" in rows.column_names:
        columns["operation"] = rows.column("operation").take(pa.array(by))
    for name in values:
        column = ints(rows, name)
        if column.any():
            columns[name] = column[by].clip(0, MAX_VALUE)
    yield from split_by_partition(table, pa.table(columns), hour[by], start[by], end[by])


def _communicators(
    rows: pa.Table,
    source_index: Ints,
    sources: Sequence[ProcessSource],
    names: NameRanks,
    own: Ints,
) -> Iterator[PartitionChunk]:
    index = source_index[ints(rows, "process")]
    keep = index >= 0
    rows, index = rows.filter(pa.array(keep)), index[keep]
    if not rows.num_rows:
        return
    # Each member has the full list: for a large communicator, only one list is stored.
    ranks = [
        each if each and (len(each) <= _FEW or each[0] == own[at]) else None
        for each, at in zip(rows.column("ranks").to_pylist(), index, strict=True)
    ]
    start = np.array([source.row["start_ns"] for source in sources], dtype=np.int64)[index]
    last = np.array([source.row["last_slice"] + 1 for source in sources], dtype=np.int64)
    end = np.maximum(last[index] * names.slice_ns[index], start + 1)
    day = start // DAY_NS
    number = ints(rows, "communicator")
    by = order(day, names.job[index], names.process_rank[index], number)
    columns: dict[str, Any] = {
        "job": dictionary(names.job[index[by]], names.jobs),
        "process": names.process[index[by]],
        "communicator": number[by],
        "size": ints(rows, "size")[by],
        "ranks": pa.array([ranks[at] for at in by], pa.list_(pa.int64())),
    }
    yield from split_by_partition("communicators", pa.table(columns), day[by], start[by], end[by])
