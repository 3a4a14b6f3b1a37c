"""Encodes the slices of many processes at once as records of profiles.

The format is described in docs/reference/profile-format.md. Every step works on all records: the
position of a value in its record follows from the lengths of the values of the cells before it.
"""

from __future__ import annotations

import functools
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jostle.schema.metrics import HIST_BUCKETS, METRICS, MOUNT_SLOTS

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]
_COUNT, _TIME, _LEVEL = range(3)


@dataclass(frozen=True)
class Layout:
    """The cells of metrics in a process's counters.

    Attributes:
        cells: First cell of each metric; for metrics of mounts the cell in slot 0.
        codings: Coding of each cell: a count, a time or a level.
        stride: Number of cells of a mount slot.
        count: Total number of cells.
        text: Text of the metric table.
    """

    cells: dict[str, int]
    codings: Bytes
    stride: int
    count: int
    text: bytes


@functools.cache
def layout() -> Layout:
    """Return the layout of counters in this version of the runtime."""
    mount = [metric for metric in METRICS if metric.scope == "mount"]
    rest = sorted(
        (metric for metric in METRICS if metric.scope == "process"),
        key=lambda metric: metric.kind != "histogram",
    )
    stride = -(-len(mount) // 8) * 8
    cells = {metric.id: place for place, metric in enumerate(mount)}
    at = MOUNT_SLOTS * stride
    for metric in rest:
        cells[metric.id] = at
        at += HIST_BUCKETS if metric.kind == "histogram" else 1
    count = -(-at // 8) * 8
    codings = np.zeros(count, np.uint8)
    for metric in (*mount, *rest):
        timed = metric.kind == "timer" or (metric.kind == "counter" and metric.unit == "ns")
        coding = _LEVEL if metric.kind == "gauge" else _TIME if timed else _COUNT
        for slot in range(MOUNT_SLOTS if metric.scope == "mount" else 1):
            codings[slot * stride + cells[metric.id]] = coding
    lines = (
        f"{metric.id} {metric.kind} {metric.unit} {metric.scope} {cells[metric.id]} "
        f"{HIST_BUCKETS if metric.kind == 'histogram' else 1}\n"
        for metric in METRICS
        if metric.id in cells
    )
    return Layout(cells, codings, stride, count, "".join(lines).encode())


def cell_of(column: str, slot: int = 0) -> int:
    """Return the cell of a metric, or of a bucket under the name of its stored column."""
    known = layout()
    if column in known.cells:
        metric_slot = slot * known.stride if known.cells[column] < known.stride else 0
        return known.cells[column] + metric_slot
    name, _, bucket = column.rpartition("_b")
    return known.cells[name] + int(bucket)


def slice_records(cells: Mapping[int, tuple[Ints, Ints]], count: int) -> tuple[bytes, Ints]:
    """Encode the records of some slices; each begins where the one before it ended.

    Args:
        cells: For each cell, the numbers of the records in which it changed (ascending), and the
            changes: increases, ns with 12 significant bits, or changes of levels; no zeros.
        count: Number of records.

    Returns:
        All records, one behind the other, and where each begins (count + 1).
    """
    bitmap = -(-layout().count // 64)
    at = np.full(count, 2 + bitmap, np.int32)  # after the delta, the span and the bitmap
    marks = np.zeros((bitmap, count), np.uint8)
    groups: list[tuple[Ints, NDArray[np.int32], Bytes]] = []
    values: list[tuple[Ints, NDArray[np.int32], Ints, NDArray[np.int32], bool]] = []
    for group in sorted({cell // 8 for cell in cells}):
        mine = sorted(cell for cell in cells if cell // 8 == group)
        bits = np.zeros(count, np.uint8)
        for cell in mine:
            bits[cells[cell][0]] |= 1 << cell % 8
        present = np.flatnonzero(bits)
        marks[group // 8, present] |= 1 << group % 8
        groups.append((present, at[present], bits[present]))
        at[present] += 1
        for cell in mine:
            rows, numbers = cells[cell]
            timed = layout().codings[cell] == _TIME
            raw = _time_codes(numbers) if timed else numbers
            if layout().codings[cell] == _LEVEL:
                raw = np.where(numbers >= 0, 2 * numbers, -2 * numbers - 1)
            size = np.full(len(rows), 2, np.int32) if timed else _lengths(raw)
            values.append((rows, at[rows], raw, size, timed))
            at[rows] += size
    header = 1 + np.where(at < 128, 1, 2)
    begins = np.concatenate([[0], np.cumsum(header + at + 4)])
    out = np.zeros(int(begins[-1]), np.uint8)
    _put_frames(out, begins, at, header, marks)
    payload = begins[:-1] + header
    for rows, place, bits in groups:
        out[payload[rows] + place] = bits
    for rows, place, raw, size, timed in values:
        _put_values(out, payload[rows] + place, raw, size, timed=timed)
    return _with_sums(out, begins), begins


def _put_frames(
    out: Bytes, begins: Ints, at: NDArray[np.int32], header: NDArray[np.int64], marks: Bytes
) -> None:
    """Write types, lengths, deltas (0), spans (1) and bitmaps."""
    first = begins[:-1]
    out[first] = ord("S")
    long = at >= 128
    out[first + 1] = np.where(long, at & 0x7F | 0x80, at)
    out[first[long] + 2] = at[long] >> 7
    out[first + header + 1] = 1
    for place, bits in enumerate(marks):
        out[first + header + 2 + place] = bits


def _time_codes(ns: Ints) -> Ints:
    """Return the 16-bit codes of times."""
    bits = ns.astype(np.float32).view(np.int32).astype(np.int64)
    codes: Ints = np.where(ns < 2048, ns, (((bits >> 23) - 137) << 11) | ((bits >> 12) & 0x7FF))
    return codes


def _lengths(numbers: Ints) -> NDArray[np.int32]:
    """Return the number of bytes of each number as a varint."""
    size = np.ones(len(numbers), np.int32)
    most, limit = int(numbers.max(initial=0)), 1 << 7
    while limit <= most:
        size += numbers >= limit
        limit <<= 7
    return size


def _put_values(
    out: Bytes, place: Ints, raw: Ints, size: NDArray[np.int32], *, timed: bool
) -> None:
    if timed:
        out[place] = raw & 0xFF
        out[place + 1] = raw >> 8
        return
    for byte in range(int(size.max(initial=0))):
        more = size > byte
        part = (raw[more] >> (7 * byte)) & 0x7F
        out[place[more] + byte] = part | np.where(size[more] > byte + 1, 0x80, 0)


def _with_sums(out: Bytes, begins: Ints) -> bytes:
    """Append the checksum to each record."""
    view, ends = memoryview(out.data), begins[1:] - 4
    sums = np.array(
        [
            zlib.crc32(view[first:last])
            for first, last in zip(begins[:-1].tolist(), ends.tolist(), strict=True)
        ],
        np.uint32,
    )
    for byte in range(4):
        out[ends + byte] = (sums >> np.uint32(8 * byte)) & np.uint32(0xFF)
    return out.tobytes()


def varint(number: int) -> bytes:
    """Return a number in unsigned LEB128."""
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def text(value: str) -> bytes:
    """Return a string with its length."""
    raw = value.encode()
    return varint(len(raw)) + raw


def record(kind: str, payload: bytes) -> bytes:
    """Return a record: type, length, payload, checksum."""
    whole = kind.encode() + varint(len(payload)) + payload
    return whole + struct.pack("<I", zlib.crc32(whole))
