"""Writes profiles in the runtime's format for many simulated processes at once.

The format is described in docs/reference/profile-format.md. Each kind of program has records of
about a minute, which are repeated, and running totals of their counters (cells). So any number of
new slices of a process takes only four writes. The totals in a profile's header are exactly the
sums over its records.
"""

from __future__ import annotations

import functools
import random
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jostle.schema.metrics import HIST_BUCKETS, METRICS, MOUNT_SLOTS
from jostle.schema.profile import HEAD, HEAD_BYTES, MAGIC, MOUNT_SLOT, MOUNTS_AT, Head
from jostle_lab.synthetic.site.encode import record, text, varint

#: Slices after which a program's records repeat.
PERIOD = 60
GENERATION_AT, HEARTBEAT_AT, END_AT = 2048, 2064, 2072
#: Metrics that increase in every slice, by the largest value.
_MOVES = {
    "posix_read_ops": 10**4,
    "posix_read_bytes": 10**9,
    "posix_read_ns": 10**9,
    "posix_write_ops": 10**4,
    "posix_write_bytes": 10**9,
    "posix_write_ns": 10**9,
    "posix_seek_ops": 10**3,
    "os_read_chars": 10**9,
    "os_write_chars": 10**9,
    "os_read_calls": 10**4,
    "os_write_calls": 10**4,
    "os_user_ns": 4 * 10**9,
    "os_system_ns": 10**9,
    "os_voluntary_switches": 10**4,
    "os_minor_faults": 10**4,
    "self_calls_ops": 10**4,
    "self_heartbeat_ns": 10**6,
    "self_cost_ns": 10**7,
}
_SIZES = ("posix_read_size", "posix_write_size")
_LEVEL = "os_rss_bytes"


@functools.cache
def places() -> tuple[dict[str, int], int, int]:
    """Return the first cell (counter) of each metric, the cells per mount, and the cells in all."""
    mount = [m for m in METRICS if m.scope == "mount"]
    stride = _up(len(mount), 8)
    cells = {m.id: number for number, m in enumerate(mount)}
    at = MOUNT_SLOTS * stride
    rest = [m for m in METRICS if m.scope != "mount"]
    for metric in sorted(rest, key=lambda m: m.kind != "histogram"):
        cells[metric.id] = at
        at += HIST_BUCKETS if metric.kind == "histogram" else 1
    return cells, stride, _up(at, 8)


@functools.cache
def _codings() -> dict[int, str]:
    """Return the codings of the cells that increase in synthetic profiles."""
    cells, _, _ = places()
    codings = {}
    for metric in METRICS:
        is_time = metric.kind == "timer" or (metric.kind == "counter" and metric.unit == "ns")
        coding = "level" if metric.kind == "gauge" else "time" if is_time else "count"
        for place in range(HIST_BUCKETS if metric.kind == "histogram" else 1):
            codings[cells[metric.id] + place] = coding
    return codings


@functools.cache
def _table() -> bytes:
    cells, _, _ = places()
    return "".join(
        f"{m.id} {m.kind} {m.unit} {m.scope} {cells[m.id]} "
        f"{HIST_BUCKETS if m.kind == 'histogram' else 1}\n"
        for m in METRICS
    ).encode()


def _up(number: int, step: int) -> int:
    return -(-number // step) * step


def _signed(number: int) -> bytes:
    return varint(2 * number if number >= 0 else -2 * number - 1)


def _time_code(ns: int) -> int:
    if ns < 2048:
        return ns
    exponent = ns.bit_length() - 11
    return exponent << 11 | (ns >> (exponent - 1)) - 2048


def _time_value(code: int) -> int:
    exponent, mantissa = code >> 11, code & 0x7FF
    return mantissa if exponent == 0 else (2048 + mantissa) << (exponent - 1)


def slice_record(moved: Mapping[int, int], delta: int = 0) -> bytes:
    """Return the record of one slice.

    Args:
        moved: Increase of each cell.
        delta: Number of slices between the last record's end and this record.
    """
    _, _, count = places()
    bitmap, cells = bytearray(_up(count // 8, 8) // 8), bytearray()
    for group in sorted({cell // 8 for cell in moved}):
        bitmap[group // 8] |= 1 << group % 8
        mine = [cell for cell in sorted(moved) if cell // 8 == group]
        cells.append(sum(1 << cell % 8 for cell in mine))
        for cell in mine:
            coding = _codings()[cell]
            if coding == "time":
                cells += struct.pack("<H", _time_code(moved[cell]))
            else:
                cells += (_signed if coding == "level" else varint)(moved[cell])
    return record("S", _signed(delta) + varint(1) + bytes(bitmap + cells))


def mount_record(source: str) -> bytes:
    """Return the record of mount 0, a network file system at /scratch."""
    numbers = b"".join(map(varint, (0, 0, 50, 30, 0x6969)))
    return record("M", numbers + text("/scratch") + text("nfs4") + text(source))


def clock_record(realtime_ns: int, step_ns: int) -> bytes:
    """Return the record which states that the node's clock was set."""
    return record("C", varint(realtime_ns) + varint(0) + varint(1000) + _signed(step_ns))


@dataclass(frozen=True)
class Program:
    """The records of a program's processes, which repeat after some slices.

    Attributes:
        name: Path of the program.
        records: The records of PERIOD slices, twice.
        ends: 0, and the offset of the end of each record, (2 * PERIOD + 1,).
        totals: Values of the cells after 0 to PERIOD slices, (PERIOD + 1, cells).
        written: Value of posix_write_bytes after 0 to PERIOD slices, (PERIOD + 1,).
    """

    name: str
    records: bytes
    ends: tuple[int, ...]
    totals: NDArray[np.uint64]
    written: NDArray[np.uint64]

    def appended(self, turn: int, slices: int) -> bytes:
        """Return the records of some slices, at most PERIOD, after the first `turn` slices."""
        first = turn % PERIOD
        return self.records[self.ends[first] : self.ends[first + slices]]

    def after(self, turn: int) -> NDArray[np.uint64]:
        """Return the values of the cells after `turn` slices."""
        whole, rest = divmod(turn, PERIOD)
        total: NDArray[np.uint64] = self.totals[rest] + self.totals[PERIOD] * np.uint64(whole)
        return total

    def bytes_after(self, turn: int) -> int:
        """Return the bytes written in the first `turn` slices."""
        whole, rest = divmod(turn, PERIOD)
        return int(self.written[rest]) + int(self.written[PERIOD]) * whole


def program(name: str, seed: int) -> Program:
    """Make a synthetic program; the seed determines the content of its slices."""
    chance = random.Random(seed)
    cells, _, count = places()
    busy = {name: chance.choice((0.02, 0.2, 1.0)) for name in _MOVES}
    totals = np.zeros((PERIOD + 1, count), np.uint64)
    records, level = [], 0
    for turn in range(PERIOD):
        moved = dict(_moves(chance, busy))
        # NOTE: the last level is the first one's base, since the records repeat.
        wanted = 0 if turn == PERIOD - 1 else (300 + turn) << 20
        moved[cells[_LEVEL]], level = wanted - level, wanted
        records.append(slice_record(moved))
        totals[turn + 1] = totals[turn]
        for cell, gain in moved.items():
            totals[turn + 1, cell] = (
                level if cell == cells[_LEVEL] else gain + int(totals[turn, cell])
            )
    ends = [0, *np.cumsum([len(record) for record in records * 2]).tolist()]
    return Program(
        name, b"".join(records * 2), tuple(ends), totals, totals[:, cells["posix_write_bytes"]]
    )


def _moves(chance: random.Random, busy: Mapping[str, float]) -> Iterator[tuple[int, int]]:
    cells, _, _ = places()
    for name, most in _MOVES.items():
        gain = 1 + int(chance.random() * most * busy[name])
        is_time = _codings()[cells[name]] == "time"
        yield cells[name], _time_value(_time_code(gain)) if is_time else gain
    for name in _SIZES:
        for bucket in (1, 10, 13, 17, 21):
            yield cells[name] + bucket, 1 + chance.randrange(500)


@dataclass(frozen=True)
class Shape:
    """Offsets of the parts of a header, bytes."""

    commit: int
    commit_bytes: int
    block: int
    head: int


@functools.cache
def shape() -> Shape:
    """Return the offsets of the parts of a header that has one block and no ring."""
    _, _, count = places()
    commit_bytes = _up(16 + 8 * count, 4096)
    table = HEAD_BYTES + 2 * commit_bytes
    block = _up(table + len(_table()), 4096)
    return Shape(HEAD_BYTES, commit_bytes, block, _up(block + 64 + 8 * count, 4096))


def new_head(**fields: object) -> bytearray:
    """Return the header of a profile that has no slices yet.

    Args:
        fields: Fields of the header that identify the writer, and the time.
    """
    _, stride, count = places()
    at, table = shape(), _table()
    table_at = HEAD_BYTES + 2 * at.commit_bytes
    zero = Head._make(HEAD.unpack(bytes(HEAD.size)))._asdict()
    given = {
        "magic": MAGIC,
        "version": 1,
        "head_bytes": at.head,
        "cell_count": count,
        "block_offset": at.block,
        "block_bytes": at.head - at.block,
        "block_capacity": 1,
        "table_offset": table_at,
        "table_bytes": len(table),
        "commit_offset": at.commit,
        "commit_bytes": at.commit_bytes,
        "table_crc": zlib.crc32(table),
        "mount_slots": MOUNT_SLOTS,
        "mount_stride": stride,
        "tick_ns": 1 << 32,
        "blocks_used": 1,
        "library": b"simulated",
    }
    head = bytearray(at.head)
    head[: HEAD.size] = HEAD.pack(*{**zero, **given, **fields}.values())
    MOUNT_SLOT.pack_into(head, MOUNTS_AT, 0, 50, 0x6969, 30, 1)
    head[table_at : table_at + len(table)] = table
    return head
