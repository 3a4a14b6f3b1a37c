"""Converts decoded segments, tokens and peers into rows of the repository, without file access."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from jostle.reader import SEGMENT_VALUES, SegmentRead, SegmentResult
from jostle.repository.store.layout import DAY_NS, HOUR_NS, SEGMENT_BINS, TABLES
from jostle.repository.store.tables import (
    MAX_VALUE,
    Ints,
    NameRanks,
    PartitionChunk,
    ProcessSource,
    dictionary,
    order,
    plausible,
    split_by_partition,
)
from jostle.values.arrow_columns import ints

#: Events of PAPI that count operations or instructions: presets, and processors' own.
_WORK = re.compile(
    r"^PAPI_((FP|DP|SP|VEC)_(OPS|INS|DP|SP)|TOT_INS)$|(^|[:_])(INSTRUCTIONS|FLOPS?)($|:)"
    r"|INSTR?_RETIRED|RETIRED_INSTR|FP_ARITH",
    re.IGNORECASE,
)
_NUMBERS = ("level", "token_hash", "globals", "globals_before", "sequence_hash", "signature_sum")


@dataclass(frozen=True)
class DecodedSegments:
    """The segments of a batch of profiles.

    Attributes:
        result: The reader's result; None if no profile of the batch has segments.
        reads: Results of single profiles by the process number of their request.
    """

    result: SegmentResult | None
    reads: dict[int, SegmentRead]

    def entries(self, number: int, before: int) -> int:
        """Return how many of a profile's entries are in the repository after this commit."""
        read = self.reads.get(number)
        return before if read is None or read.error is not None else max(read.next_number, before)

    def unread(self) -> set[int]:
        """Return the profiles that could not be read now, and may have segments."""
        return {
            number
            for number, read in self.reads.items()
            if read.error is not None and read.error.passing
        }

    def rows(self, number: int) -> int:
        """Return the number of new segments and tokens of a profile."""
        read = self.reads.get(number)
        return 0 if read is None else read.segments[1] + read.tokens[1]

    def complete(self, number: int) -> bool:
        """Return whether the reading reached the end of a profile's segments."""
        read = self.reads.get(number)
        return read is None or read.complete or read.error is not None

    def state(self, number: int) -> bytes:
        """Return the state with which the next reading of a profile's segments may begin."""
        read = self.reads.get(number)
        return b"" if read is None else read.state

    def span(self, number: int) -> tuple[int, int]:
        """Return start of the first and end of the last new segment (ns); (0, 0): none."""
        read = self.reads.get(number)
        if self.result is None or read is None or not read.segments[1]:
            return 0, 0
        rows = self.result.segments.slice(*read.segments)
        return pc.min(rows["start_ns"]).as_py(), pc.max(rows["end_ns"]).as_py()


def counts_work(papi_names: Sequence[str] | None) -> bool:
    """Return whether the first PAPI event of a process, stored as `flops`, counts work.

    Profiles store the first event in `flops`. Events such as cycles and cache misses increase with
    interference, so they do not count work.

    Args:
        papi_names: Requested events, as in table processes.
    """
    return _WORK.search(papi_names[0]) is not None if papi_names else False


def segment_chunks(
    result: SegmentResult,
    source_index: Ints,
    sources: Sequence[ProcessSource],
    finished: Sequence[bool],
    horizon_ns: int = 0,
) -> Iterator[PartitionChunk]:
    """Convert decoded segments into rows of segments, tokens and peers.

    Args:
        result: The reader's result.
        source_index: For each process number in the tables, its index in sources; -1: rows of this
            process are dropped.
        sources: The processes.
        finished: For each source, whether its profile is complete; peers of the others are dropped,
            since their counts may still grow.
        horizon_ns: Segments that ended before this time are dropped.
    """
    names = NameRanks(sources)
    work = np.array([counts_work(source.row.get("papi_names")) for source in sources], dtype=bool)
    yield from _segments(result.segments, source_index, names, work, horizon_ns)
    tokens = _tokens(result.tokens, source_index, names)
    if tokens.num_rows:
        yield PartitionChunk("tokens", tokens, 0, 0)
    yield from _peers(result.peers, source_index, sources, np.array(finished, dtype=bool))


def _segments(
    rows: pa.Table, source_index: Ints, names: NameRanks, work: NDArray[np.bool_], horizon_ns: int
) -> Iterator[PartitionChunk]:
    index = source_index[ints(rows, "process")]
    keep = (index >= 0) & (ints(rows, "end_ns") > horizon_ns)
    if not keep.all():
        rows, index = rows.filter(pa.array(keep)), index[keep]
    if not rows.num_rows:
        return
    start, end = ints(rows, "start_ns"), ints(rows, "end_ns")
    hour = start // HOUR_NS
    by = order(hour, names.job[index], names.process_rank[index], ints(rows, "number"))
    index = index[by]
    values: dict[str, Any] = {
        "job": dictionary(names.job[index], names.jobs),
        "process": names.process[index],
        "number": ints(rows, "number")[by],
        "start_ns": start[by],
        "end_ns": end[by],
        "rule": rows.column("rule").take(pa.array(by)),
    }
    for name in _NUMBERS:
        values[name] = ints(rows, name)[by]
    values["signature_set"] = rows.column("signature_set").take(pa.array(by))
    for name in (*SEGMENT_VALUES, "occurrence", "bin_shift"):
        column = ints(rows, name)
        if column.any():
            values[name] = (column if plausible(column) else column.clip(0, MAX_VALUE))[by]
    if "flops" in values:
        values["flops"] = np.where(work[index], values["flops"], 0)
    for name in SEGMENT_BINS:
        values[name] = rows.column(name).take(pa.array(by))
    yield from split_by_partition("segments", pa.table(values), hour[by], start[by], end[by])


def _tokens(rows: pa.Table, source_index: Ints, names: NameRanks) -> pa.Table:
    """Return the tokens of each job, each once, since ranks have nearly all of them in common."""
    index = source_index[ints(rows, "process")]
    keep = index >= 0
    rows, index = rows.filter(pa.array(keep)), index[keep]
    columns = {"job": dictionary(names.job[index], names.jobs).cast(pa.string())}
    columns |= {
        name: rows.column(name).cast(kind)
        for name, kind in TABLES["tokens"].keys.items()
        if name != "job"
    }
    table = pa.table(columns)
    return table.group_by(table.column_names).aggregate([])


def _peers(
    rows: pa.Table,
    source_index: Ints,
    sources: Sequence[ProcessSource],
    finished: NDArray[np.bool_],
) -> Iterator[PartitionChunk]:
    index = source_index[ints(rows, "process")]
    keep = (index >= 0) & finished[index] if len(index) else index >= 0
    rows, index = rows.filter(pa.array(keep)), index[keep]
    if not rows.num_rows:
        return
    names = NameRanks(sources)
    end = np.array([source.row["end_ns"] for source in sources], dtype=np.int64)[index]
    day = end // DAY_NS
    by = order(day, names.job[index], names.process_rank[index], ints(rows, "rank"))
    values: dict[str, Any] = {
        "job": dictionary(names.job[index[by]], names.jobs),
        "process": names.process[index[by]],
        "peer": ints(rows, "rank")[by],
    }
    for name in ("sent_ops", "sent_bytes", "recv_ops", "recv_room"):
        values[name] = ints(rows, name)[by].clip(0, MAX_VALUE)
    yield from split_by_partition("peers", pa.table(values), day[by], end[by], end[by] + 1)
