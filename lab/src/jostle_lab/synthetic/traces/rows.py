"""Makes the rows of table segments for a synthetic run, as if they were read from its profiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.reader import SEGMENT_VALUES
from jostle.repository.writing import EVERY, FINAL, RULES, SEGMENT_BINS
from jostle.schema.profile import BIN_NS
from jostle_lab.synthetic.traces.accounts import Spans
from jostle_lab.synthetic.traces.cuts import Cuts
from jostle_lab.synthetic.traces.disturb import Effect
from jostle_lab.synthetic.traces.program import Floats, Ints, ReplayProgram, Script
from jostle_lab.synthetic.traces.timeline import ReplayTimeline

_MOST_BINS = 32
_FULL = 255
_COUNTS = {
    "MPI_Allreduce": "all_to_all",
    "MPI_Alltoall": "all_to_all",
    "MPI_Allgather": "all_to_all",
    "MPI_Barrier": "barriers",
    "MPI_Sendrecv": "sendrecvs",
    "MPI_Recv": "recvs",
    "MPI_Send": "sends",
    "read": "reads",
    "write": "writes",
}
_BYTES = {"global": "collective_bytes", "neighbours": "p2p_bytes", "send": "p2p_bytes"}
_RATE = 2.5e9  # instructions a second of computation; a fifth of them floating point
_TIMES = ("mpi_ns", "io_ns", "cpu_ns", "wait_ns", "offcpu_ns")


@dataclass(frozen=True)
class ReplayedRun:
    """A replayed run with what the runtime would record of it.

    Attributes:
        program: The program.
        script: The run's events.
        timeline: Times at which the ranks entered and left the events.
        effect: The disturbances.
        waits_s: Time of each call beyond its usual time [K, R].
        away: Spans in which each rank was observed off its CPU.
        cuts: Boundaries of the segments.
        init_ns: Time of MPI_Init, ns since the epoch.
        seed: Seed of the noise of counters.
        core_probe: Slowdown of computation over that of the core-speed probe; 0: no probe.
    """

    program: ReplayProgram
    script: Script
    timeline: ReplayTimeline
    effect: Effect
    waits_s: Floats
    away: list[Spans]
    cuts: Cuts
    init_ns: int
    seed: int
    core_probe: float = 0.0

    @property
    def starts(self) -> Ints:
        """First event of each segment."""
        return np.concatenate([[0], self.cuts.event[:-1] + 1])


def tokens(script: Script, job: str) -> pa.Table:
    """Return table tokens: one row per distinct call."""
    hashes = _hashes(script)
    return pa.table(
        {
            "job": [job] * len(hashes),
            "hash": hashes,
            "function": [call.function for call in script.calls],
            "bytes": [call.bytes for call in script.calls],
            "site": np.arange(len(hashes)) * 16,
            "module": ["program"] * len(hashes),
        }
    )


def segment_rows(run: ReplayedRun, processes: list[int]) -> pa.Table:
    """Return the rows of all ranks, by rank and number.

    Args:
        run: The run.
        processes: Id of each rank's process.
    """
    shared = _shared(run)
    counter = np.random.default_rng(run.seed)
    columns: dict[str, list[NDArray[Any]]] = {}
    bins: dict[str, list[tuple[Ints, NDArray[np.uint8]]]] = {name: [] for name in SEGMENT_BINS}
    for rank, process in enumerate(processes):
        mine = _rank_columns(run, rank, counter)
        mine["process"] = np.full(len(run.cuts.event), process, dtype=np.int64)
        mine["offcpu_ns"], bins_off = _binned(run, mine, run.away[rank])
        waited = run.waits_s[:, rank]
        late = np.flatnonzero(waited > 0)
        end = run.timeline.end_s[late, rank]
        spans = Spans(end - waited[late], end, waited[late])
        mine["wait_ns"], bins_wait = _binned(run, mine, spans)
        bins["wait_bins"].append(bins_wait)
        bins["offcpu_bins"].append(bins_off)
        for name in _TIMES:
            mine[name] = short(mine[name])
        for name, values in mine.items():
            columns.setdefault(name, []).append(values)
    table: dict[str, Any] = {name: np.concatenate(parts) for name, parts in columns.items()}
    for name, value in shared.items():
        table.setdefault(name, np.tile(value, len(processes)))
    table["rule"] = pa.DictionaryArray.from_arrays(
        pa.array(table["rule"].astype(np.int8)), pa.array(RULES)
    )
    for name in SEGMENT_BINS:
        table[name] = _binary(bins[name])
    for name in SEGMENT_VALUES:
        table.setdefault(name, np.zeros(len(table["process"]), dtype=np.int64))
    return pa.table(table)


def short(ns: Ints) -> Ints:
    """Round times down to 12 significant bits, as profiles store them."""
    spare = np.maximum(np.floor(np.log2(np.maximum(ns, 1))).astype(np.int64) - 11, 0)
    result: Ints = ns >> spare << spare
    return result


def _hashes(script: Script) -> Ints:
    drawn = np.random.default_rng(2).integers(1, 1 << 31, len(script.calls))
    return np.asarray(drawn, dtype=np.int64)


def _sums(run: ReplayedRun, values: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(np.add.reduceat(values, run.starts))


def _shared(run: ReplayedRun) -> dict[str, NDArray[Any]]:
    """Return the columns that are equal on all ranks."""
    script, cuts = run.script, run.cuts
    number = len(cuts.event)
    sorts, hashes = script.sorts, _hashes(script)
    is_mpi = script.in_mpi
    bits = np.uint64(1) << (hashes % 64).astype(np.uint64)
    kinds = np.where(is_mpi, bits[script.call], np.uint64(0))
    globals_ = _sums(run, (sorts == "global").astype(np.int64))
    ended = np.where(cuts.rule == FINAL, 0, hashes[script.call[cuts.event]])
    columns: dict[str, NDArray[Any]] = {
        "number": np.arange(number),
        "rule": np.where(cuts.rule < 0, EVERY, cuts.rule),
        "level": cuts.level,
        "token_hash": ended,
        "globals": globals_,
        "globals_before": np.cumsum(globals_) - globals_,
        "sequence_hash": np.cumsum(globals_) % 65521,
        "occurrence": cuts.occurrence,
        "signature_sum": _sums(run, np.where(is_mpi, hashes[script.call], 0)) & 0xFFFFFFFF,
        "signature_set": np.bitwise_or.reduceat(kinds, run.starts),
    }
    for name in dict.fromkeys(_COUNTS.values()):
        mine = [_COUNTS.get(call.function) == name for call in script.calls]
        columns[name] = _sums(run, np.array(mine)[script.call].astype(np.int64))
    return columns


def _rank_columns(
    run: ReplayedRun, rank: int, counter: np.random.Generator
) -> dict[str, NDArray[Any]]:
    """Return a rank's times, bytes and counters."""
    script, timeline = run.script, run.timeline
    begin, end = timeline.begin_s[:, rank], timeline.end_s[:, rank]
    is_file = script.sorts == "file"
    took = np.rint((end - begin) * 1e9).astype(np.int64)
    ends = run.init_ns + np.rint(end[run.cuts.event] * 1e9).astype(np.int64)
    starts = np.concatenate([[run.init_ns], ends[:-1]])
    columns: dict[str, NDArray[Any]] = {
        "start_ns": starts,
        "end_ns": ends,
        "mpi_ns": _sums(run, np.where(is_file, 0, took)),
        "io_ns": _sums(run, np.where(is_file, took, 0)),
    }
    stolen = run.effect.stolen_s
    away = stolen[:, rank if stolen.shape[1] > 1 else 0] * 1e9
    away = away + np.where(is_file, np.maximum(took - 20_000, 0), 0)
    columns["cpu_ns"] = (ends - starts - np.rint(_sums(run, away)).astype(np.int64)).clip(0)
    size = script.bytes if script.bytes_of is None else script.bytes * script.bytes_of[:, rank]
    size = np.rint(size).astype(np.int64)
    for sort, name in _BYTES.items():
        columns[name] = _sums(run, np.where(script.sorts == sort, size, 0))
    for function, name in (("read", "read_bytes"), ("write", "write_bytes")):
        mine = np.array([call.function == function for call in script.calls])[script.call]
        columns[name] = _sums(run, np.where(mine, size, 0))
    if run.program.counter:
        work = _sums(run, script.work_s[:, rank]) * _RATE
        spread = 1 + 0.002 * counter.standard_normal(len(work))
        columns["instructions"] = np.rint(work * spread).astype(np.int64)
        if run.program.counter == "flops":
            columns["flops"] = np.rint(work / 5).astype(np.int64)
    return columns


def _binned(
    run: ReplayedRun, columns: dict[str, NDArray[Any]], spans: Spans
) -> tuple[Ints, tuple[Ints, NDArray[np.uint8]]]:
    """Return the time of spans in each segment, and in each bin (part) of the segment.

    Returns:
        Time in each segment (ns), as in its counter; and the number of its bins and their bytes. A
        span counts in the segment in which it ends. Its part before that segment is in the counter,
        but not in the bins.
    """
    starts, ends = columns["start_ns"], columns["end_ns"]
    first, shift = starts // BIN_NS, np.zeros(len(starts), dtype=np.int64)
    last = (ends - 1) // BIN_NS
    while (wide := (last >> shift) - (first >> shift) >= _MOST_BINS).any():
        shift += wide
    columns["bin_shift"] = shift
    counts = (last >> shift) - (first >> shift) + 1
    begin = run.init_ns + np.rint(spans.begin_s * 1e9).astype(np.int64)
    end = run.init_ns + np.rint(spans.end_s * 1e9).astype(np.int64)
    segment = np.searchsorted(ends, end).clip(0, len(ends) - 1)
    amount = spans.amount_s * 1e9
    total = np.bincount(segment, weights=amount, minlength=len(starts))
    offsets = np.concatenate([[0], np.cumsum(counts)])
    width = np.int64(BIN_NS) << shift
    low = np.maximum(begin // width[segment], (first >> shift)[segment])
    high = np.minimum((end - 1) // width[segment], (last >> shift)[segment])
    steps = np.maximum(high - low + 1, 1)
    which = np.repeat(np.arange(len(steps)), steps)
    within = np.arange(len(which)) - np.repeat(np.cumsum(steps) - steps, steps)
    number = low[which] + within
    edge = number * width[segment][which]
    inside = np.minimum(end[which], edge + width[segment][which]) - np.maximum(begin[which], edge)
    share = amount / np.maximum(end - begin, 1)
    place = offsets[segment][which] + number - (first >> shift)[segment][which]
    kept = (place >= 0) & (place < offsets[-1])
    filled = np.bincount(
        place[kept], weights=(inside.clip(0) * share[which])[kept], minlength=int(offsets[-1])
    )
    whole = np.repeat(width, counts)
    code = np.rint(filled * _FULL / whole).clip(0, _FULL).astype(np.uint8)
    some = np.add.reduceat(code.astype(np.int64), offsets[:-1]) > 0
    return (
        np.rint(total).astype(np.int64),
        (np.where(some, counts, 0), code[np.repeat(some, counts)]),
    )


def _binary(parts: list[tuple[Ints, NDArray[np.uint8]]]) -> pa.Array:
    lengths = np.concatenate([counts for counts, _ in parts])
    data = np.concatenate([codes for _, codes in parts])
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return pa.Array.from_buffers(
        pa.binary(),
        len(lengths),
        [None, pa.py_buffer(offsets.tobytes()), pa.py_buffer(data.tobytes())],
    )
