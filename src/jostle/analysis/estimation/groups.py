"""Groups segments with equal communication and I/O (Shah, 2020, section 5.1.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.values.arrow_columns import ints

Ints = NDArray[np.int64]
BytesRule = Literal["exact", "median", "ignore"]
BYTES_RULES: tuple[BytesRule, ...] = ("exact", "median", "ignore")

#: Operations, by blocking semantics and by senders against recipients.
COUNTS = (
    "sends",
    "recvs",
    "isends",
    "irecvs",
    "sendrecvs",
    "one_to_all",
    "all_to_one",
    "all_to_all",
    "barriers",
    "scans",
    "neighbors",
    "rma_ops",
    "opens",
    "closes",
    "reads",
    "writes",
    "mpiio_ops",
)
#: Volumes; option `--bytes` decides how they count.
BYTES = (
    "p2p_bytes",
    "p2p_room",
    "collective_bytes",
    "rma_bytes",
    "read_bytes",
    "write_bytes",
    "mpiio_bytes",
)
#: A feature per rank counts as equal where its sum, minimum and maximum over the ranks are equal.
_OVER_RANKS = ("", "_min", "_max")


def features(segments: pa.Table, bytes_rule: BytesRule) -> list[Ints]:
    """Return the columns of counts and bytes that must be equal for all segments of a group.

    Args:
        segments: Segments merged over ranks (repository.types.WorldSegments).
        bytes_rule: Which numbers of bytes must be equal. exact: sum, minimum and maximum over the
            ranks. median: only the median over the ranks; kinds of bytes without a median in the
            table are left out. ignore: none.
    """
    names = [f"{name}{over}" for name in COUNTS for over in _OVER_RANKS]
    if bytes_rule == "exact":
        names += [f"{name}{over}" for name in BYTES for over in _OVER_RANKS]
    elif bytes_rule == "median":
        names += [f"{name}_median" for name in BYTES]
    return [ints(segments, name) for name in names if name in segments.column_names]


def equal_rows(columns: Sequence[NDArray[Any]], rows: int) -> Ints:
    """Return the number of each row of a table: equal rows get the same number.

    Args:
        columns: The columns of the table, each of shape [rows].
        rows: Number of rows of each column.

    Returns:
        Number of each row, from 0, [rows]. Numbers are in the order in which rows are sorted by
        the first column, then by the second, and so on.
    """
    number = np.zeros(rows, dtype=np.int64)
    example = np.zeros(min(rows, 1), dtype=np.int64)  # one row for each number
    for column in columns:
        if (column != column[example][number]).any():  # else the column separates nothing
            _, code = np.unique(column, return_inverse=True)
            pair = number * (int(code.max()) + 1) + code
            _, example, number = np.unique(pair, return_index=True, return_inverse=True)
    return number


def hybrid(clusters: Ints, groups: Ints) -> Ints:
    """Combine clusters of similar computation and groups of equal communication and I/O.

    Segments of one hybrid cluster are in the same cluster and in the same group (Shah, 2020,
    figure 5.6).

    Returns:
        Number of the hybrid cluster of each segment, from 0 in ascending order of cluster, then
        group, [n].
    """
    return equal_rows((clusters, groups), len(clusters))
