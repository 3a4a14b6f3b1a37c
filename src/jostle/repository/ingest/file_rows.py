"""Converts tables on the use of files, as the reader decodes them, into rows of the repository."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from jostle.reader import FILE_VALUES
from jostle.repository.store.layout import DAY_NS
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

#: Columns that only imported logs have.
_OF_IMPORTS = ("shared_by", "targets")


def file_chunks(
    rows: pa.Table, source_index: Ints, sources: Sequence[ProcessSource], over: Sequence[bool]
) -> Iterator[PartitionChunk]:
    """Convert rows of the reader into rows of table files.

    Args:
        rows: Rows of the reader (FileTables.rows).
        source_index: For each process number in the rows, its index in sources; -1: rows of this
            process are dropped.
        sources: The processes of these rows.
        over: For each source, whether its profile is complete; rows of the others are dropped,
            since their counts may still grow.
    """
    if not rows.num_rows:
        return
    index = source_index[ints(rows, "process")]
    keep = (index >= 0) & np.array([*over, False])[index]
    rows, index = rows.filter(pa.array(keep)), index[keep]
    if not rows.num_rows:
        return
    names = NameRanks(sources)
    slot, number = ints(rows, "slot"), ints(rows, "hash")
    known = (slot >= 0) & (slot < names.mount.shape[1])
    mount = np.where(known, names.mount[index, np.where(known, slot, 0)], len(names.mounts))
    end = np.array([source.row["end_ns"] for source in sources], dtype=np.int64)[index]
    day = end // DAY_NS
    by = order(day, names.job[index], names.process_rank[index], number)
    values: dict[str, Any] = {
        "job": dictionary(names.job[index[by]], names.jobs),
        "process": names.process[index[by]],
        "mount": dictionary(mount[by], [*names.mounts, ""]),
        "path": rows.column("path").take(pa.array(by)),
        "hash": number[by],
        "format": rows.column("format").take(pa.array(by)),
    }
    for name in ("files", *FILE_VALUES):
        values[name] = ints(rows, name)[by].clip(0, MAX_VALUE)
    for name in _OF_IMPORTS:
        if name in rows.column_names:
            values[name] = rows.column(name).take(pa.array(by))
    yield from split_by_partition("files", pa.table(values), day[by], end[by], end[by] + 1)
