"""Merges the segments of a world's ranks. Pure functions on tables.

The ranks of a world are coarsened to the boundaries that all of them share (align.py). The values
that a rank counted between two of these are added up; over the ranks durations become a median with
minimum and maximum, counts a sum with minimum and maximum per rank. Why:
docs/adr/0011-where-segments-end.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.repository.segments.align import (
    COALESCED,
    EPOCH,
    FINAL,
    RULES,
    Alignment,
    CallNumbers,
    Rows,
    align,
)
from jostle.repository.segments.bins import MergedBins, bin_counts
from jostle.repository.segments.sums import COUNTED, Sums, middle
from jostle.repository.segments.worlds import MpiWorld
from jostle.repository.store.layout import SEGMENT_BINS
from jostle.repository.store.tables import Ints
from jostle.repository.types import WorldSegments
from jostle.values.arrow_columns import ints

RECURRING = 5  # least segments of a recurring kind (Shah, 2020, section 5.1.1)
SEGMENTABLE = 0.5
#: Columns that are read first, for all ranks.
KEYS = (
    "process",
    "start_ns",
    "end_ns",
    "rule",
    "token_hash",
    "globals",
    "globals_before",
    "sequence_hash",
    "occurrence",
    "signature_set",
    "bin_shift",
    *SEGMENT_BINS,
)
#: Columns that are read next, rank by rank.
SUMMED = (
    "process",
    "start_ns",
    "level",
    "signature_sum",
    "signature_set",
    "bin_shift",
    *COUNTED,
    *SEGMENT_BINS,
)
_GATHERED = (
    "start_ns",
    "end_ns",
    "rule",
    "place",
    "token",
    "site",
    "sequence",
    "occurrence",
    "bins",
    "bin_shift",
)
_AT_ONCE = 1 << 22


def merge_world(
    world: MpiWorld,
    rows: pa.Table | Callable[[Sequence[str]], Iterable[pa.Table]],
    tokens: pa.Table,
) -> WorldSegments:
    """Merge the segments of a world's ranks.

    Args:
        world: The world.
        rows: Rows of table segments, sorted by process and number; or a function that returns
            columns of them, in tables of a few complete processes each, always the same. Rows of
            processes of other worlds are ignored.
        tokens: The job's rows of table tokens.

    Returns:
        The merged segments, with facts about the world for a digest.
    """
    read = rows if callable(rows) else lambda names: [rows.select(list(names))]
    gathered = _gathered(world, read, tokens)
    columns, present = gathered.columns, gathered.present
    alignment = align(columns)
    alignment.diverged = {present[rank]: at for rank, at in alignment.diverged.items()}
    table, apart = _merged(alignment, gathered, read, tokens)
    share = float(np.mean(gathered.coverage)) if present else 0.0
    rules = _shares_of_rules(table)
    members = [present[rank] for rank in alignment.members]
    process_of = dict(zip(world.ranks, world.processes, strict=True))
    silent = sorted(set(world.ranks) - set(present))
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
    """Return the share of time in segments of recurring kinds, from first to last delimiter.

    Args:
        start: Start of each segment of a rank (ns), in order.
        end: End of each segment (ns).
        sets: Signature set of each segment; segments with equal sets are of one kind.
        rule: Rule of each segment, an index into RULES.
    """
    inner = slice(1, len(end) - int(len(rule) > 0 and rule[-1] == FINAL))
    length = (end[inner] - start[inner]).clip(0)
    if not length.sum():
        return 0.0
    return float(length[recurring(sets[inner])].sum() / length.sum())


def recurring(sets: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return whether each segment is of a recurring kind."""
    _, index, counts = np.unique(sets, return_inverse=True, return_counts=True)
    result: NDArray[np.bool_] = counts[index] >= RECURRING
    return result


@dataclass(frozen=True)
class _Gathered:
    """The columns that are needed for all ranks together.

    Attributes:
        columns: The ranks' rows as columns, for alignment.
        present: The ranks with segments, in order.
        coverage: Coverage of each of these ranks.
        bins: Bins of each row, and their shift.
    """

    columns: Rows
    present: list[int]
    coverage: list[float]
    bins: tuple[Ints, Ints]


def _gathered(
    world: MpiWorld, read: Callable[[Sequence[str]], Iterable[pa.Table]], tokens: pa.Table
) -> _Gathered:
    """Read the columns that are needed for all ranks together."""
    parts: dict[str, list[NDArray[Any]]] = {name: [] for name in _GATHERED}
    call_number = CallNumbers(tokens)
    spans: dict[int, tuple[int, int]] = {}
    covered: dict[int, float] = {}
    start = 0
    for rows in read(KEYS):
        rules, sets = _rules(rows), _unsigned(rows, "signature_set")
        begins, ends, hashes = (ints(rows, name) for name in ("start_ns", "end_ns", "token_hash"))
        for rank, (low, high) in _spans(world, rows).items():
            at = slice(low, high)
            spans[rank] = start + low, start + high
            covered[rank] = coverage(begins[at], ends[at], sets[at], rules[at])
        mine: tuple[NDArray[Any], ...] = (
            begins,
            ends,
            rules,
            ints(rows, "globals_before") + ints(rows, "globals"),
            call_number(hashes),
            hashes,
            ints(rows, "sequence_hash"),
            ints(rows, "occurrence"),
            bin_counts(rows).astype(np.int32),
            ints(rows, "bin_shift").clip(0, 99).astype(np.int8),
        )
        for name, values in zip(parts, mine, strict=True):
            parts[name].append(values)
        start += rows.num_rows
    present = sorted(spans)
    begin, end = (
        np.array([spans[rank][side] for rank in present], dtype=np.int64) for side in (0, 1)
    )
    whole: dict[str, Any] = {name: np.concatenate(parts.pop(name)) for name in _GATHERED}
    bins = whole.pop("bins"), whole.pop("bin_shift")
    return _Gathered(Rows(begin, end, **whole), present, [covered[r] for r in present], bins)


def _spans(world: MpiWorld, rows: pa.Table) -> dict[int, tuple[int, int]]:
    """Find the rows of each rank in a table; ranks without any are left out."""
    process = ints(rows, "process")
    low, high = (np.searchsorted(process, world.processes, side) for side in ("left", "right"))
    spans = zip(low.tolist(), high.tolist(), strict=True)
    return {rank: span for rank, span in zip(world.ranks, spans, strict=True) if span[1] > span[0]}


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
    gathered: _Gathered,
    read: Callable[[Sequence[str]], Iterable[pa.Table]],
    tokens: pa.Table,
) -> tuple[pa.Table, int]:
    """Coarsen the ranks to the common boundaries and merge them.

    Returns:
        The merged segments, and the number of those without bins.
    """
    columns, count = gathered.columns, alignment.rows.shape[1]
    first = columns.begin[alignment.members]
    bins = MergedBins(
        list(zip(first.tolist(), alignment.rows, strict=True)),
        columns.start_ns,
        *gathered.bins,
        count,
    )
    sums = Sums(count)
    ends_of = dict(zip(first.tolist(), alignment.rows, strict=True))
    begins = dict(zip(columns.begin.tolist(), columns.end.tolist(), strict=True))
    start = 0
    for rows in read(SUMMED):
        for low in sorted(begin for begin in ends_of if start <= begin < start + rows.num_rows):
            rank = rows.slice(low - start, begins[low] - low)
            sums.add(rank, ends_of[low] - low)
            bins.add(rank, ends_of[low] - low)
        start += rows.num_rows
    values: dict[str, Any] = _times(alignment, columns)
    values |= sums.columns()
    values |= _delimiters(alignment, columns, values["globals"], tokens)
    values["recurring"] = recurring(values["signature_set"])
    return pa.table(values | bins.columns()), bins.apart


def _times(alignment: Alignment, columns: Rows) -> dict[str, Any]:
    """Return start and end (medians over ranks) and durations."""
    rows, count = alignment.rows, alignment.rows.shape[1]
    shape = (count,)
    end, median = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    least, most = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    first = columns.start_ns[columns.begin[alignment.members]]
    step = max(_AT_ONCE // max(len(rows), 1), 1)
    for low in range(0, count, step):
        part = slice(low, low + step)
        ends = columns.end_ns[rows[:, part]]
        before = columns.end_ns[rows[:, low - 1]] if low else first
        length = np.diff(ends, axis=1, prepend=before[:, None])
        end[part] = middle(ends - ends[:1]) + ends[0]
        median[part] = middle(length)
        least[part], most[part] = length.min(axis=0), length.max(axis=0)
    begin = int(middle(first[:, None] - first[0])[0] + first[0]) if len(first) else 0
    return {
        "start_ns": np.concatenate([[begin], end[:-1]])[:count].astype(np.int64),
        "end_ns": end,
        "duration_ns": median,
        "duration_min_ns": least,
        "duration_max_ns": most,
    }


def _delimiters(
    alignment: Alignment, columns: Rows, globals_: Ints, tokens: pa.Table
) -> dict[str, Any]:
    """Return the rule that ended each segment, and the number of a rank's segments in it."""
    rows, count = alignment.rows, alignment.rows.shape[1]
    parts = np.zeros(count, dtype=np.int64)
    for first, ends in zip(columns.begin[alignment.members].tolist(), rows, strict=True):
        parts = np.maximum(parts, np.diff(ends, prepend=first - 1))
    at = rows[0] if len(rows) else np.empty(0, dtype=np.int64)
    rule = columns.rule[at].copy() if len(at) else np.empty(0, dtype=np.int8)
    at_globals = (rule != EPOCH) & (rule != FINAL)
    rule[at_globals & (globals_ > 1)] = COALESCED
    for ends in rows:
        rule[at_globals & (columns.rule[ends] != rule)] = COALESCED
    hashes = columns.site[at]
    names = dict(zip(tokens["hash"].to_pylist(), tokens["function"].to_pylist(), strict=True))
    distinct, index = np.unique(hashes, return_inverse=True)
    functions = [names.get(value, "") for value in distinct.tolist()]
    return {
        "rule": pa.DictionaryArray.from_arrays(pa.array(rule), pa.array(RULES)),
        "parts": parts,
        "token_hash": hashes,
        "function": pa.array(functions, pa.string()).take(pa.array(index)),
    }


def _shares_of_rules(table: pa.Table) -> dict[str, float]:
    """Return the share of time in segments of each rule."""
    length = ints(table, "duration_ns").astype(float)
    codes = table.column("rule").combine_chunks()
    codes = codes.combine_chunks() if isinstance(codes, pa.ChunkedArray) else codes
    spent = np.bincount(codes.indices.to_numpy(), weights=length, minlength=len(RULES))
    total = spent.sum()
    shares = {name: float(value / total) for name, value in zip(RULES, spent, strict=True) if value}
    return shares if total else {}


def _merged_coverage(table: pa.Table) -> float:
    start, end = ints(table, "start_ns"), ints(table, "end_ns")
    return coverage(start, end, _unsigned(table, "signature_set"), _rules(table))


def _notes(world: MpiWorld, alignment: Alignment, silent: Sequence[int], apart: int) -> list[str]:
    notes = []
    if world.missing:
        notes.append(f"{_ranks(world.missing)} of {world.size} left no profile.")
    if silent:
        notes.append(f"{_ranks(silent)} recorded no segments.")
    for rank, at in list(alignment.diverged.items())[:3]:
        notes.append(
            f"Rank {rank} is left out: from its global collective {at} on, its calls differ from "
            f"those of the other ranks."
        )
    if alignment.parted >= 0:
        notes.append(
            f"From global collective {alignment.parted} on, the ranks' calls differ, so the "
            "segments end there."
        )
    lost = alignment.epochs_coarsest - alignment.epochs
    if lost > 0:
        notes.append(
            f"{lost} of {alignment.epochs_coarsest} epochs of the rank with the fewest have no "
            f"counterpart on all other ranks, so they are not merged."
        )
    if alignment.by_time:
        notes.append(
            f"{alignment.by_time} epochs end at calls that differ between ranks, so they were "
            "matched by time."
        )
    if apart:
        notes.append(
            f"In {apart} segments the ranks' clocks are further apart than a segment is long: "
            f"which ranks waited at the same time is not known there."
        )
    return notes


def _ranks(ranks: Sequence[int]) -> str:
    few = ", ".join(map(str, ranks[:5])) + (", ..." if len(ranks) > 5 else "")
    return f"Rank {few}" if len(ranks) == 1 else f"{len(ranks)} ranks ({few})"
