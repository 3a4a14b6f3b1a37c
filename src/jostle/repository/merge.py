"""The segments of a job out of those of its ranks; pure functions on tables.

The ranks of a world are coarsened to the boundaries that all of them share (align.py). What a rank
counted between two of these adds up; over the ranks durations become a median with minimum and
maximum, counts a sum with minimum and maximum per rank. Why: docs/adr/0009-merging-segments.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.reader import SEGMENT_VALUES
from jostle.repository.align import (
    COALESCED,
    EPOCH,
    FINAL,
    RULES,
    Alignment,
    Rows,
    align,
    call_numbers,
)
from jostle.repository.bins import merged_bins
from jostle.repository.layout import SEGMENT_BINS
from jostle.repository.tables import Ints, ints
from jostle.repository.types import WorldSegments
from jostle.repository.worlds import World

RECURRING = 5  # segments of one kind make it one that can be judged (thesis 5.1.1)
SEGMENTABLE = 0.5
KEYS = (
    "process", "start_ns", "end_ns", "rule", "level", "token_hash", "globals", "globals_before",
    "sequence_hash", "occurrence", "signature_sum", "signature_set", "bin_shift", *SEGMENT_BINS,
)  # fmt: skip
#: Of these the median over ranks is given too: a group may be made by it (thesis 5.1.2).
MEDIANS = ("p2p_bytes", "collective_bytes", "read_bytes", "write_bytes", "mpiio_bytes")
_LOW_32 = 0xFFFFFFFF
_MEDIAN_AT_ONCE = 1 << 22


def merge_world(
    world: World, rows: pa.Table, tokens: pa.Table, more: Iterable[pa.Table] = ()
) -> WorldSegments:
    """Merges the segments of a world's ranks.

    Args:
        world: The world.
        rows: Rows of table segments, sorted by process and number, with the columns KEYS and any of
            SEGMENT_VALUES; rows of processes of other worlds are passed over.
        tokens: The job's rows of table tokens.
        more: The rest of SEGMENT_VALUES, in tables with the same rows in the same order.

    Returns:
        What a digest says of the world, and its segments.
    """
    columns, present, silent = _columns(world, rows, tokens)
    alignment = align(columns)
    alignment.diverged = {present[rank]: at for rank, at in alignment.diverged.items()}
    sets = _unsigned(rows, "signature_set")
    shares = []
    for at in map(columns.rank, range(len(present))):
        shares.append(
            coverage(columns.start_ns[at], columns.end_ns[at], sets[at], columns.rule[at])
        )
    table, apart = _merged(alignment, columns, rows, tokens, more)
    share = float(np.mean(shares)) if shares else 0.0
    rules = _shares_of_rules(table)
    members = [present[rank] for rank in alignment.members]
    process_of = dict(zip(world.ranks, world.processes, strict=True))
    return WorldSegments(
        number=world.number,
        world=world.name,
        world_size=world.size,
        spawned=world.spawned,
        processes=[process_of[rank] for rank in members],
        ranks=members,
        missing=world.missing,
        diverged=alignment.diverged,
        segments=table,
        rule=max(rules, key=rules.__getitem__, default="none"),
        rules=rules,
        coverage=share,
        merged_coverage=_merged_coverage(table),
        segmentable=share >= SEGMENTABLE,
        boundaries=alignment.rows.shape[1],
        boundaries_coarsest=alignment.coarsest,
        agreement=alignment.rows.shape[1] / alignment.coarsest if alignment.coarsest else 0.0,
        rank_segments=(columns.end - columns.begin).tolist(),
        notes=_notes(world, alignment, silent, apart),
    )


def coverage(start: Ints, end: Ints, sets: NDArray[np.uint64], rule: NDArray[np.int8]) -> float:
    """Gives the share of time in segments of recurring kind, first to last delimiter.

    Args:
        start: Start of each segment of a rank (ns), in order.
        end: Its end.
        sets: Its signature set: segments with equal sets are of one kind.
        rule: Its rule, an index into RULES.
    """
    inner = slice(1, len(end) - int(len(rule) > 0 and rule[-1] == FINAL))
    length = (end[inner] - start[inner]).clip(0)
    if not length.sum():
        return 0.0
    return float(length[recurring(sets[inner])].sum() / length.sum())


def recurring(sets: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Tells of each segment whether its kind is seen often enough."""
    _, place, counts = np.unique(sets, return_inverse=True, return_counts=True)
    result: NDArray[np.bool_] = counts[place] >= RECURRING
    return result


def _columns(world: World, rows: pa.Table, tokens: pa.Table) -> tuple[Rows, list[int], list[int]]:
    """Gives the columns to align, the ranks that have segments, and those that have none."""
    process = ints(rows, "process")
    edges = [np.searchsorted(process, world.processes, side) for side in ("left", "right")]
    begin, end = (edge.astype(np.int64) for edge in edges)
    ranks = np.array(world.ranks, dtype=np.int64)
    some = end > begin
    hashes = ints(rows, "token_hash")
    columns = Rows(
        begin[some],
        end[some],
        ints(rows, "start_ns"),
        ints(rows, "end_ns"),
        _rules(rows),
        ints(rows, "globals_before") + ints(rows, "globals"),
        call_numbers(hashes, tokens),
        hashes,
        ints(rows, "sequence_hash"),
        ints(rows, "occurrence"),
    )
    return columns, ranks[some].tolist(), ranks[~some].tolist()


def _rules(rows: pa.Table) -> NDArray[np.int8]:
    encoded = rows.column("rule").combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    names = encoded.dictionary.to_pylist()
    codes = [RULES.index(name) if name in RULES else len(RULES) - 1 for name in names]
    result: NDArray[np.int8] = np.array(codes or [0], dtype=np.int8)[encoded.indices.to_numpy()]
    return result


def _unsigned(rows: pa.Table, name: str) -> NDArray[np.uint64]:
    values: NDArray[np.uint64] = rows.column(name).to_numpy().astype(np.uint64, copy=False)
    return values


def _merged(
    alignment: Alignment,
    columns: Rows,
    rows: pa.Table,
    tokens: pa.Table,
    more: Iterable[pa.Table],
) -> tuple[pa.Table, int]:
    """Coarsens the ranks to the common boundaries and brings them together.

    Returns:
        The merged segments, and how many of them could get no bins.
    """
    over = _Ranks(alignment, columns)
    values: dict[str, Any] = _times(over, columns)
    values |= _delimiters(over, columns, rows, tokens)
    values["globals"] = over.each(ints(rows, "globals"), np.add)[2]  # the same on all
    signature = over.total(_unsigned(rows, "signature_sum"), np.add)
    values["signature_sum"] = (signature & np.uint64(_LOW_32)).astype(np.int64)
    values["signature_set"] = over.total(_unsigned(rows, "signature_set"), np.bitwise_or)
    values["recurring"] = recurring(values["signature_set"])
    for part in (rows, *more):
        for name in part.column_names:
            if name in SEGMENT_VALUES:
                total, least, most = over.each(ints(part, name), np.add)
                values |= {name: total, f"{name}_min": least, f"{name}_max": most}
                if name in MEDIANS:
                    values[f"{name}_median"] = over.median(ints(part, name), least, most)
    bins, apart = merged_bins(over.spans(), ints(rows, "start_ns"), ints(rows, "bin_shift"),
                              {name: rows.column(name) for name in SEGMENT_BINS},
                              over.count)  # fmt: skip
    return pa.table(values | bins), apart


class _Ranks:
    """Sums of rows between common boundaries, rank by rank."""

    def __init__(self, alignment: Alignment, columns: Rows) -> None:
        self.rows = alignment.rows
        self.count = alignment.rows.shape[1]
        self._first = columns.begin[alignment.members]

    def spans(self) -> list[tuple[int, Ints]]:
        """Gives of each rank its first row, and the rows that end at the boundaries."""
        return list(zip(self._first.tolist(), self.rows, strict=True))

    def coarse(self, column: NDArray[Any], reduce: np.ufunc) -> Iterable[NDArray[Any]]:
        """Gives a column of each rank, coarsened."""
        for first, ends in self.spans():
            if not self.count:
                yield column[:0]
                continue
            part = column[first : int(ends[-1]) + 1]
            if len(part) == self.count:
                yield part
            else:
                starts = np.concatenate([[0], ends[:-1] + 1 - first])
                yield reduce.reduceat(part, starts)

    def each(self, column: Ints, reduce: np.ufunc) -> tuple[Ints, Ints, Ints]:
        """Gives the sum over ranks of a column, with minimum and maximum."""
        total = np.zeros(self.count, dtype=np.int64)
        least, most = total.copy(), total.copy()
        if column.any():
            for number, part in enumerate(self.coarse(column, reduce)):
                total += part
                least = np.minimum(least, part) if number else part.copy()
                most = np.maximum(most, part)
        return total, least, most

    def median(self, column: Ints, least: Ints, most: Ints) -> Ints:
        """Gives the median over ranks of a sum between boundaries, from its least and most."""
        result = least.copy()
        differ = np.flatnonzero(least != most)
        if len(differ):
            parts = np.stack([part[differ] for part in self.coarse(column, np.add)])
            step = max(_MEDIAN_AT_ONCE // len(parts), 1)
            for low in range(0, len(differ), step):
                result[differ[low : low + step]] = _middle(parts[:, low : low + step])
        return result

    def total(self, column: NDArray[Any], reduce: np.ufunc) -> NDArray[Any]:
        """Brings a column of all ranks together by the operation that also coarsens it."""
        result = np.zeros(self.count, dtype=column.dtype)
        for part in self.coarse(column, reduce):
            reduce(result, part, out=result)
        return result


def _times(over: _Ranks, columns: Rows) -> dict[str, Any]:
    """Gives begin and end (medians over ranks) and durations."""
    shape = (over.count,)
    end, median = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    least, most = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    first = columns.start_ns[[row for row, _ in over.spans()]]
    step = max(_MEDIAN_AT_ONCE // max(len(over.rows), 1), 1)
    for low in range(0, over.count, step):
        part = slice(low, low + step)
        ends = columns.end_ns[over.rows[:, part]]
        before = columns.end_ns[over.rows[:, low - 1]] if low else first
        length = np.diff(ends, axis=1, prepend=before[:, None])
        end[part] = _middle(ends - ends[:1]) + ends[0]
        median[part] = _middle(length)
        least[part], most[part] = length.min(axis=0), length.max(axis=0)
    begin = int(_middle(first[:, None] - first[0])[0] + first[0]) if len(first) else 0
    return {
        "start_ns": np.concatenate([[begin], end[:-1]])[: over.count].astype(np.int64),
        "end_ns": end,
        "duration_ns": median,
        "duration_min_ns": least,
        "duration_max_ns": most,
    }


def _middle(values: Ints) -> Ints:
    result: Ints = np.rint(np.median(values, axis=0)).astype(np.int64)
    return result


def _delimiters(over: _Ranks, columns: Rows, rows: pa.Table, tokens: pa.Table) -> dict[str, Any]:
    """Gives what ended each segment, and of how many of a rank's it was made."""
    parts = np.zeros(over.count, dtype=np.int64)
    level = parts.copy()
    levels = ints(rows, "level")
    for first, ends in over.spans():
        parts = np.maximum(parts, np.diff(ends, prepend=first - 1))
        level = np.maximum(level, levels[ends])
    at = over.rows[0] if len(over.rows) else np.empty(0, dtype=np.int64)
    rule = columns.rule[at].copy() if len(at) else np.empty(0, dtype=np.int8)
    at_globals = (rule != EPOCH) & (rule != FINAL)
    rule[at_globals & (over.each(ints(rows, "globals"), np.add)[2] > 1)] = COALESCED
    for _, ends in over.spans():
        rule[at_globals & (columns.rule[ends] != rule)] = COALESCED
    hashes = ints(rows, "token_hash")[at]
    names = dict(zip(tokens["hash"].to_pylist(), tokens["function"].to_pylist(), strict=True))
    distinct, place = np.unique(hashes, return_inverse=True)
    functions = [names.get(value, "") for value in distinct.tolist()]
    return {
        "rule": pa.DictionaryArray.from_arrays(pa.array(rule), pa.array(RULES)),
        "level": level,
        "parts": parts,
        "token_hash": hashes,
        "function": pa.array(functions, pa.string()).take(pa.array(place)),
    }


def _shares_of_rules(table: pa.Table) -> dict[str, float]:
    """Gives the share of time that segments of each rule take."""
    length = ints(table, "duration_ns").astype(float)
    codes = table.column("rule").combine_chunks()
    codes = codes.combine_chunks() if isinstance(codes, pa.ChunkedArray) else codes
    spent = np.bincount(codes.indices.to_numpy(), weights=length, minlength=len(RULES))
    total = spent.sum()
    found = {name: float(value / total) for name, value in zip(RULES, spent, strict=True) if value}
    return found if total else {}


def _merged_coverage(table: pa.Table) -> float:
    start, end = ints(table, "start_ns"), ints(table, "end_ns")
    return coverage(start, end, _unsigned(table, "signature_set"), _rules(table))


def _notes(world: World, alignment: Alignment, silent: Sequence[int], apart: int) -> list[str]:
    notes = []
    if world.missing:
        notes.append(f"{_ranks(world.missing)} of {world.size} left no profile.")
    if silent:
        notes.append(f"{_ranks(silent)} recorded no segments.")
    for rank, at in list(alignment.diverged.items())[:3]:
        notes.append(
            f"Rank {rank} does not take part: from its global collective {at} on, its calls are "
            "not those of the others."
        )
    if alignment.parted >= 0:
        notes.append(
            f"From global collective {alignment.parted} on, the ranks' calls differ: the segments "
            "end there."
        )
    lost = alignment.epochs_coarsest - alignment.epochs
    if lost > 0:
        notes.append(
            f"{lost} of {alignment.epochs_coarsest} epochs of the rank with the fewest have no "
            "partner on all others: they stay that rank's own."
        )
    if alignment.by_time:
        notes.append(
            f"{alignment.by_time} epochs end at calls that differ between ranks: they were matched "
            "by time."
        )
    if apart:
        notes.append(
            f"In {apart} segments the ranks' clocks are further apart than a segment is long: who "
            "waited at the same time as others is not known there."
        )
    return notes


def _ranks(ranks: Sequence[int]) -> str:
    few = ", ".join(map(str, ranks[:5])) + (", ..." if len(ranks) > 5 else "")
    return f"Rank {few}" if len(ranks) == 1 else f"{len(ranks)} ranks ({few})"
