"""Groups segments by the work that they did: their calls, numbers of calls and bytes.

Without a counter of instructions, the calls of a segment show its work: which calls they were, how
many, and how many bytes they moved. The set of calls (function, call site and size; column
`signature_set`) and the calls that delimit the segment determine its kind. Two segments of a kind
did the same work if their counts are equal and their bytes differ by less than a tenth (relative
distance of Shah, 2020, section 5.1.1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.analysis.estimation.columns import Floats, Ints, numbered, numbered_pairs, ordered
from jostle.values.arrow_columns import floats, some_floats

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
    "globals",
)
#: Those of the counts that are MPI calls that may wait.
CALLS = COUNTS[:12]
BYTES = ("p2p_bytes", "collective_bytes", "rma_bytes", "read_bytes", "write_bytes", "mpiio_bytes")
COUNTERS = ("instructions", "flops")
NEAR = 1.1  # factor: bytes or instructions that differ by less are the same work


@dataclass(frozen=True)
class Work:
    """The work of each segment: its calls, their numbers and bytes, and its cluster.

    Attributes:
        sets: Set of the calls of each segment, as 64 bits.
        kind: Number of each segment's kind, from 0; segments of one kind have the same set of
            calls and the same delimiters.
        cluster: Number of each segment's cluster, from 0; segments of one cluster are of one kind
            and have equal counts and nearly equal bytes.
        names: Names of the columns of `amounts`.
        amounts: Counts, bytes and instructions, summed over ranks, [segments x names]; columns that
            are zero everywhere are left out.
        measured: Name of the counter of computation; "" where there is none.
    """

    sets: NDArray[np.uint64]
    kind: Ints
    cluster: Ints
    names: list[str]
    amounts: Floats
    measured: str


def work_of(segments: pa.Table) -> Work:
    """Group segments by their calls, the numbers of these calls, and the bytes that they moved.

    Args:
        segments: Segments of a world, merged over ranks.
    """
    sets = segments.column("signature_set").to_numpy().astype(np.uint64, copy=False)
    kind = _kinds(segments, sets)
    columns = some_floats(segments, (*COUNTS, *BYTES, *COUNTERS))
    measured = next(
        (n for n in reversed(COUNTERS) if n in columns and np.mean(columns[n] > 0) > 0.9), ""
    )
    kept = [name for name in (*COUNTS, *BYTES) if name in columns]
    kept += [measured] if measured else []
    amounts = np.empty((len(kind), len(kept)), order="F")  # read column by column
    for place, name in enumerate(kept):
        amounts[:, place] = columns[name]
    near = sum((columns[name] for name in BYTES if name in columns), np.zeros(len(kind)))
    counted = numbered(_mixed([columns[name] for name in COUNTS if name in columns], len(kind)))
    cluster = _near(numbered_pairs(kind, counted), near)
    if measured:
        cluster = _near(cluster, columns[measured])
    return Work(sets, kind, cluster, kept, amounts, measured)


def _kinds(segments: pa.Table, sets: NDArray[np.uint64]) -> Ints:
    """Return the number of each segment's kind: its set of calls and its two delimiters."""
    ended = numbered(floats(segments, "token_hash"))
    began = np.concatenate([[-1], ended[:-1]]) + 1
    return numbered_pairs(numbered_pairs(numbered(sets), ended), began)


def _mixed(columns: list[Floats], count: int) -> NDArray[np.uint64]:
    """Return a hash of several columns for each row: equal for rows that are equal in all columns.

    Args:
        columns: The columns, each with `count` values.
        count: Number of rows.
    """
    mixed = np.zeros(count, dtype=np.uint64)
    for column in columns:
        mixed ^= column.astype(np.uint64)
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed


def _near(equal: Ints, value: Floats) -> Ints:
    """Split groups of rows where neighbouring values of a group are too far apart.

    Args:
        equal: Number of the group of each row, [n].
        value: Value of each row, [n].

    Returns:
        Number of the new group of each row, [n].
    """
    # Most pairs of number and value occur often: only one example of each is sorted.
    pair = numbered_pairs(equal, numbered(value))
    example = np.empty(int(pair.max(initial=-1)) + 1, dtype=np.int64)
    example[pair] = np.arange(len(pair))
    equal, value = equal[example], value[example]
    order = ordered(equal, value)
    a, v = equal[order], value[order]
    begins = np.ones(len(order), dtype=bool)
    begins[1:] = (a[1:] != a[:-1]) | (v[1:] > NEAR * v[:-1])
    result = np.empty(len(order), dtype=np.int64)
    result[order] = np.cumsum(begins) - 1
    return result[pair]
