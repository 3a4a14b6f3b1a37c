"""Converts decoded profiles into rows of the repository, by partition, without file access.

Every function works on whole columns (numpy, int64). Rows are sorted as the layout requires
and split into chunks of one time partition each.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from jostle.repository.store.layout import (
    DAY_NS,
    GAUGE_IDS,
    HOUR_NS,
    NO_GPU,
    ROLLUPS,
    TABLES,
    bucket_column,
)
from jostle.schema.metrics import BY_ID, HIST_BUCKETS, HISTOGRAM_IDS
from jostle.values.arrow_columns import ints

Ints = NDArray[np.int64]
Columns = dict[str, Ints]

# Most slices over which a record's values are spread; beyond, they go to the last ones only: a
# stopped process of a week at 4 s has 151 000; a malicious profile must not cause billions of rows.
MAX_SPREAD = 200_000
# Most rows for which records of one table are spread one by one; for more, rows of one span are
# added up first.
_MOST_SPREAD = 2_000_000
# 9 PB or 104 days in one slice: larger values come from a damaged or malicious profile, and are
# limited so that sums over it do not overflow.
MAX_VALUE = 2**53


@dataclass
class ProcessSource:
    """One process whose slices are being ingested.

    Attributes:
        process: Stable id of the process.
        job: Name of its job.
        host: Name of its node.
        slice_ns: Length of its slices, in ns.
        mounts: Identity of the mount in each slot.
        row: Row of the process in table processes, without the columns that the ingester fills.
        mount_rows: Rows of the process in table mounts.
        gpus: Name of the GPU at each index.
        gpu_rows: Rows of the process in table gpus.
    """

    process: int
    job: str
    host: str
    slice_ns: int
    mounts: list[str]
    row: dict[str, Any] = field(default_factory=dict)
    mount_rows: list[dict[str, Any]] = field(default_factory=list)
    gpus: list[str] = field(default_factory=list)
    gpu_rows: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class PartitionChunk:
    """Rows that go into one file: a table, its rows, and their span of time (ns)."""

    table: str
    rows: pa.Table
    lo: int
    hi: int


@dataclass(frozen=True)
class PartitionStream:
    """Rows that go into one file, which may exceed the memory.

    Attributes:
        table: Name of the table.
        parts: Consecutive parts of the rows, each with the same columns; at least one.
        lo: Start of the rows' span, in ns.
        hi: End of that span, in ns.
    """

    table: str
    parts: Iterator[pa.Table]
    lo: int
    hi: int


@dataclass
class SliceBatch:
    """Decoded slices of several processes.

    Attributes:
        sources: The processes.
        source_index: For each process number in the tables, its index in sources; -1: rows of this
            process are dropped. Negative process numbers count from the end, as in numpy.
        slices: process, slice, span and metrics of scope process.
        mount_slices: process, slice, span, slot and metrics of scope mount.
        bits: Decoded.bits, if a decoder provides them.
        gpu_slices: process, slice, span, place and metrics of GPUs.
    """

    sources: list[ProcessSource]
    source_index: Ints
    slices: pa.Table
    mount_slices: pa.Table
    bits: Mapping[str, Sequence[int]] = field(default_factory=dict)
    gpu_slices: pa.Table = field(default_factory=lambda: pa.table({}))


@dataclass(frozen=True)
class _DecodedRows:
    """Decoded rows as columns.

    Attributes:
        index: Index of each row's process in the sources.
        slice: First slice of each row.
        span: Number of slices of each row.
        parts: Columns that distinguish rows of one process and slice (such as mount), as ranks of
            names (see NameRanks).
        metrics: Metric columns by name.
    """

    index: Ints
    slice: Ints
    span: Ints
    parts: Columns
    metrics: Columns

    def where(self, keep: NDArray[np.bool_]) -> _DecodedRows:
        return _DecodedRows(
            self.index[keep],
            self.slice[keep],
            self.span[keep],
            {name: values[keep] for name, values in self.parts.items()},
            {name: values[keep] for name, values in self.metrics.items()},
        )


def partition_chunks(
    batch: SliceBatch, horizon_ns: int = 0, names: NameRanks | None = None
) -> Iterator[PartitionChunk]:
    """Convert a batch into rows of the tables of slices and of their rollups.

    Args:
        batch: Decoded slices.
        horizon_ns: Slices that ended before this time are dropped.
        names: Names of the sources, if these are known without the sources.
    """
    names = names or NameRanks(batch.sources)
    bits = batch.bits
    for decoded, raw, rollup, known in (
        (batch.slices, "slices", "node_rollup", bits),
        (batch.mount_slices, "mount_slices", "rollup", bits),
        (batch.gpu_slices, "gpu_slices", "gpu_rollup", {}),
    ):
        if not decoded.num_rows:
            continue
        rows = _rows(decoded, batch.source_index, names, known)
        if horizon_ns:
            end = (rows.slice + rows.span) * names.slice_ns[rows.index]
            rows = rows.where(end > horizon_ns)
        if len(rows.index):
            yield from _raw(raw, names, rows)
            yield from _rollup(rollup, names, rows)


class NameRanks:
    """Numbers (ranks) for the names in a batch, in the order of the names: for fast sorting."""

    def __init__(self, sources: Sequence[ProcessSource]) -> None:
        self.jobs, self.job = _rank([source.job for source in sources])
        self.hosts, self.host = _rank([source.host for source in sources])
        self.process = np.array([source.process for source in sources], dtype=np.int64)
        self.process_rank = np.argsort(np.argsort(self.process, kind="stable"), kind="stable")
        self.slice_ns = np.array([source.slice_ns for source in sources], dtype=np.int64)
        self.mounts, self.mount = _matrix([source.mounts for source in sources], "")
        # One more, for rows of GPUs that are not in the header.
        self.gpus, self.gpu = _matrix([[*source.gpus, NO_GPU] for source in sources], NO_GPU)

    def of(self, column: str) -> list[str]:
        """Return the names that the ranks of a column stand for."""
        return {"host": self.hosts, "mount": self.mounts, "gpu": self.gpus}[column]


def _matrix(lists: Sequence[Sequence[str]], none: str) -> tuple[list[str], Ints]:
    """Return names, and their ranks as a matrix; short lists are padded."""
    width = max((len(names) for names in lists), default=0)
    flat = [name for names in lists for name in (*names, *[none] * (width - len(names)))]
    distinct, ranks = _rank(flat)
    return distinct, ranks.reshape(len(lists), width)


def _rank(names: Sequence[str]) -> tuple[list[str], Ints]:
    distinct = sorted(set(names))
    rank_of = {name: rank for rank, name in enumerate(distinct)}
    return distinct, np.array([rank_of[name] for name in names], dtype=np.int64)


def _rows(
    decoded: pa.Table, source_index: Ints, names: NameRanks, all_bits: Mapping[str, Sequence[int]]
) -> _DecodedRows:
    """Return the columns that are not zero, histograms bucket by bucket."""
    metrics: Columns = {}
    for name in decoded.column_names:
        if name in HISTOGRAM_IDS:
            metrics |= _buckets(name, decoded.column(name), all_bits.get(name))
        elif name in BY_ID:
            # RATIONALE: most columns are zero, and most values plausible; the bits of all values
            # show both without a check of each.
            known = all_bits.get(name)
            if known == [0]:
                continue
            values = ints(decoded, name)
            bits = int(known[0] if known else np.bitwise_or.reduce(values))
            if bits:
                sound = 0 < bits <= MAX_VALUE or plausible(values)
                metrics[name] = values if sound else values.clip(0, MAX_VALUE)
    index = source_index[ints(decoded, "process")]
    parts: Columns = {}
    if "slot" in decoded.column_names:
        parts["mount"] = names.mount[index, ints(decoded, "slot")]
    if "place" in decoded.column_names:
        place = ints(decoded, "place").clip(0, names.gpu.shape[1] - 1)
        parts["gpu"] = names.gpu[index, place]
    rows = _DecodedRows(index, ints(decoded, "slice"), ints(decoded, "span"), parts, metrics)
    return rows.where(index >= 0) if (index < 0).any() else rows


def plausible(values: Ints) -> bool:
    """Return whether values are possible, and their sums stay far below 64 bits."""
    return int(values.max()) <= MAX_VALUE and int(values.min()) >= 0


def _buckets(name: str, column: pa.ChunkedArray, bits: Sequence[int] | None) -> Columns:
    if column.null_count == len(column):
        return {}
    chunk = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    # NOTE: a null row stands for 32 zeros, which the decoder stores for it.
    flat = chunk.values.slice(chunk.offset * HIST_BUCKETS, len(chunk) * HIST_BUCKETS)
    matrix = flat.to_numpy().reshape(-1, HIST_BUCKETS)
    used = np.flatnonzero(np.bitwise_or.reduce(matrix, axis=0) if bits is None else bits)
    return {bucket_column(name, int(bucket)): matrix[:, bucket] for bucket in used}


def order(*keys: Ints) -> NDArray[np.intp]:
    """Sort by several keys, the first the most significant.

    Keys are packed into one integer where they fit: a third of the time of lexsort.
    """
    packed = np.zeros(len(keys[0]), dtype=np.int64)
    bits = 0
    for key in reversed(keys):
        low = int(key.min())
        width = (int(key.max()) - low).bit_length()
        if width == 0:
            continue
        if bits + width > 62:
            return np.lexsort(keys[::-1])
        packed += (key - low) << bits
        bits += width
    return np.argsort(packed, kind="stable")


def dictionary(codes: Ints, names: Sequence[str]) -> pa.DictionaryArray:
    """Return a column of names from their ranks."""
    return pa.DictionaryArray.from_arrays(
        pa.array(codes.astype(np.int32)), pa.array(names, pa.string())
    )


def _raw(table: str, names: NameRanks, rows: _DecodedRows) -> Iterator[PartitionChunk]:
    """Yield rows of a table of slices, sorted by (job, slice, process), then by mount or GPU."""
    start = rows.slice * names.slice_ns[rows.index]
    hour = start // HOUR_NS
    keys = [hour, names.job[rows.index], rows.slice, names.process_rank[rows.index]]
    by = order(*keys, *rows.parts.values())
    index, start, span = rows.index[by], start[by], rows.span[by]
    values: dict[str, Any] = {
        "job": dictionary(names.job[index], names.jobs),
        "process": names.process[index],
        "host": dictionary(names.host[index], names.hosts),
    }
    for name, ranks in rows.parts.items():
        values[name] = dictionary(ranks[by], names.of(name))
    values["slice"] = rows.slice[by]
    values["slice_ns"] = names.slice_ns[index]
    values["span"] = span.astype(np.int32)
    for name, column in rows.metrics.items():
        values[name] = column[by]
    end = start + span * names.slice_ns[index]
    yield from split_by_partition(table, pa.table(values), hour[by], start, end)


def split_by_partition(
    table: str, rows: pa.Table, part: Ints, start: Ints, end: Ints
) -> Iterator[PartitionChunk]:
    """Split sorted rows by partition; leave out columns that are zero in a whole chunk."""
    edges = [0, *(np.flatnonzero(np.diff(part)) + 1).tolist(), len(part)]
    whole = len(edges) == 2
    for first, last in itertools.pairwise(edges):
        chunk = rows if whole else without_zeros(table, rows.slice(first, last - first))
        yield PartitionChunk(table, chunk, int(start[first:last].min()), int(end[first:last].max()))


def without_zeros(table: str, rows: pa.Table) -> pa.Table:
    """Drop the value columns that are zero, empty or null in all rows."""
    values = TABLES[table].values
    zero = [name for name in rows.column_names if name in values and _is_empty(rows, name)]
    return rows.drop_columns(zero) if zero else rows


def _is_empty(rows: pa.Table, name: str) -> bool:
    column = rows.column(name)
    if not pa.types.is_integer(column.type) and not pa.types.is_binary(column.type):
        return pc.all(pc.equal(pc.fill_null(column.cast(pa.string()), ""), "")).as_py() is not False
    if pa.types.is_binary(column.type):
        return not any(
            chunk.get_total_buffer_size() and pc.max(pc.binary_length(chunk)).as_py()
            for chunk in column.chunks
        )
    return not np.bitwise_or.reduce(ints(rows, name))


def ends(slices: Ints, span: Ints) -> Ints:
    """Return the slice after each record, at most the largest int64.

    RATIONALE: numpy's sum would overflow and be negative, so the slices of a hostile profile could
    look as if they were within the life of its process.
    """
    after = slices + span
    after[after < slices] = np.iinfo(np.int64).max
    return after


def spread(slices: Ints, span: Ints, columns: Mapping[str, Ints]) -> tuple[Ints, Columns, Ints]:
    """Spread records that span several slices over them.

    Args:
        slices: First slice of each record.
        span: Number of slices that it covers.
        columns: Metric columns. Gauges are repeated in each slice. All other metrics are divided
            evenly; the last slice gets the remainder of the integer division.

    Returns:
        The slice of each resulting row, its columns, and the record that it came from.
    """
    width = np.clip(span, 1, MAX_SPREAD)
    if int(width.max(initial=1)) == 1:
        return slices, dict(columns), np.arange(len(slices))
    source = np.repeat(np.arange(len(slices)), width)
    first = np.repeat(np.cumsum(width) - width, width)
    offset = np.arange(len(source)) - first
    last = offset == width[source] - 1
    # A span beyond MAX_SPREAD keeps its end.
    result = slices[source] + (span - width)[source].clip(0) + offset
    out: Columns = {}
    for name, column in columns.items():
        if name in GAUGE_IDS:
            out[name] = column[source]
            continue
        share = column // width
        values = share[source]
        values[last] += column - share * width
        out[name] = values
    return result, out, source


def _rollup(table: str, names: NameRanks, rows: _DecodedRows) -> Iterator[PartitionChunk]:
    """Yield rows of a rollup, sorted by (time, job, resource)."""
    metrics = {name: values for name, values in rows.metrics.items() if name in BY_ID}
    if int(rows.span.clip(1, MAX_SPREAD).sum()) > _MOST_SPREAD:
        yield from _rollup_of_spans(table, names, rows, metrics)
        return
    slices, metrics, source = spread(rows.slice, rows.span, metrics)
    index = rows.index[source]
    ranks = {"host": names.host[index]}
    ranks |= {name: part[source] for name, part in rows.parts.items()}
    slice_ns = names.slice_ns[index]
    resources = [ranks[name] for name in ROLLUPS[table]]
    keys = (slices * slice_ns, names.job[index], *resources, slice_ns)
    by, starts = groups(*keys)
    start, job, *resources, slice_ns = (key[by][starts] for key in keys)
    sums, leasts, mosts = {}, {}, {}
    for name, values_of in metrics.items():
        column = values_of[by]
        sums[name] = np.add.reduceat(column, starts)
        leasts[name] = np.minimum.reduceat(column, starts)
        mosts[name] = np.maximum.reduceat(column, starts)
    keys = (start, job, *resources, slice_ns)
    count = np.diff(np.append(starts, len(by)))
    yield from _rollup_chunks(table, names, keys, count, (sums, leasts, mosts))


def _rollup_of_spans(
    table: str, names: NameRanks, rows: _DecodedRows, metrics: Columns
) -> Iterator[PartitionChunk]:
    """Yield rows of a rollup for very many processes with common spans.

    RATIONALE: an imported log of 65 536 ranks has only their sums over hours. If each of them was
    spread over its slices, there would be 48 million rows; so records with the same span are added
    up first. Sums stay exact; minimum and maximum over processes differ by the remainders of
    integer divisions.
    """
    ranks = {"host": names.host[rows.index], **rows.parts}
    slice_ns = names.slice_ns[rows.index]
    resources = [ranks[name] for name in ROLLUPS[table]]
    keys = (rows.slice, rows.span, names.job[rows.index], *resources, slice_ns)
    by, starts = groups(*keys)
    slices, span, job, *resources, slice_ns = (key[by][starts] for key in keys)
    count = np.diff(np.append(starts, len(by)))
    parts = []
    for how in (np.add, np.minimum, np.maximum):
        columns = {name: how.reduceat(values[by], starts) for name, values in metrics.items()}
        parts.append(spread(slices, span, columns))
    at, _, source = parts[0]
    keys = tuple(key[source] for key in (job, *resources, slice_ns))
    begin = at * keys[-1]
    by, starts = groups(begin, *keys)
    found = tuple(
        {name: how.reduceat(values[by], starts) for name, values in columns.items()}
        for how, (_, columns, _) in zip((np.add, np.minimum, np.maximum), parts, strict=True)
    )
    total = np.add.reduceat(count[source][by], starts)
    yield from _rollup_chunks(
        table, names, tuple(key[by][starts] for key in (begin, *keys)), total, found
    )


def _rollup_chunks(
    table: str,
    names: NameRanks,
    keys: tuple[Ints, ...],
    count: Ints,
    values_of: tuple[Columns, ...],
) -> Iterator[PartitionChunk]:
    """Yield the rows of a rollup, one table for each partition.

    Args:
        table: Name of the rollup.
        names: The texts for which the numbers in `keys` stand.
        keys: Four kinds of columns: start of the slice (ns), job, resources, length of the slice.
            Jobs and resources are numbers, in alphabetical order of the texts.
        count: For each row, the number of decoded rows whose values are added up in it.
        values_of: Sums, minima and maxima of each metric.
    """
    start, job, *resources, slice_ns = keys
    values: dict[str, Any] = {
        "job": dictionary(job, names.jobs),
        **{
            name: dictionary(resource, names.of(name))
            for name, resource in zip(ROLLUPS[table], resources, strict=True)
        },
        "slice": start // slice_ns,
        "slice_ns": slice_ns,
        "count": count,
    }
    sums, leasts, mosts = values_of
    for name, total in sums.items():
        values[f"{name}_sum"] = total
        if leasts[name].any():
            values[f"{name}_min"] = leasts[name]
        values[f"{name}_max"] = mosts[name]
    yield from split_by_partition(table, pa.table(values), start // DAY_NS, start, start + slice_ns)


def groups(*keys: Ints) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Sort by keys, and find the first position of each distinct combination."""
    by = order(*keys)
    fresh = np.zeros(len(by), dtype=bool)
    fresh[:1] = True
    for key in keys:
        sorted_key = key[by]
        fresh[1:] |= sorted_key[1:] != sorted_key[:-1]
    return by, np.flatnonzero(fresh)
