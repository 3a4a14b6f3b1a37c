"""Elements of profiles for tests/synth.py: numbers, records, metric tables, cells.

By docs/reference/profile-format.md alone; no line is shared with the runtime or the decoder.
"""

from __future__ import annotations

import struct
import tomllib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

SCHEMA = Path(__file__).resolve().parent.parent / "schema" / "metrics.toml"
BUCKETS = 32

# A value: a number (for a gauge its level), 32 numbers (histogram), or one number per mount slot.
Value = int | Sequence[int] | Mapping[int, int]
Values = Mapping[str, Value]


# ---- numbers and records ----


def varint(n: int) -> bytes:
    """LEB128, unsigned."""
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def svarint(n: int) -> bytes:
    """Zigzag, then varint."""
    return varint(2 * n if n >= 0 else -2 * n - 1)


def string(text: str | bytes) -> bytes:
    raw = text.encode() if isinstance(text, str) else text
    return varint(len(raw)) + raw


def ns_code(ns: int) -> int:
    """The 16-bit code of the largest representable number of ns that is not above ns."""
    if ns < 2048:
        return ns
    e = ns.bit_length() - 11
    return 0xFFFF if e > 31 else e << 11 | (ns >> (e - 1)) - 2048


def ns_value(code: int) -> int:
    e, m = code >> 11, code & 0x7FF
    return m if e == 0 else (2048 + m) << (e - 1)


def record(kind: str, payload: bytes) -> bytes:
    """Type, length and payload, and the checksum of these."""
    body = kind.encode() + varint(len(payload)) + payload
    return body + struct.pack("<I", zlib.crc32(body))


# ---- the metric table ----


@dataclass(frozen=True)
class Metric:
    """One line of a metric table."""

    id: str
    kind: str
    unit: str
    scope: str
    cell: int
    count: int = 1

    @property
    def coding(self) -> str:
        """How its cells are coded in a record: varint, svarint or ns."""
        if self.kind == "gauge":
            return "svarint"
        if self.kind == "timer" or (self.kind == "counter" and self.unit == "ns"):
            return "ns"
        return "varint"


@dataclass(frozen=True)
class Layout:
    """Where the metrics of a file live."""

    metrics: tuple[Metric, ...]
    cell_count: int
    slots: int
    stride: int

    @property
    def text(self) -> bytes:
        lines = (f"{m.id} {m.kind} {m.unit} {m.scope} {m.cell} {m.count}\n" for m in self.metrics)
        return "".join(lines).encode()

    def cells(self) -> dict[int, Metric]:
        """The metric of each cell."""
        return self._metric

    @cached_property
    def _metric(self) -> dict[int, Metric]:
        out = {}
        for m in self.metrics:
            for slot in range(self.slots if m.scope == "mount" else 1):
                for i in range(m.count):
                    out[slot * self.stride + m.cell + i] = m
        return out

    @cached_property
    def gauges(self) -> tuple[int, ...]:
        """The cells of levels."""
        return tuple(cell for cell, metric in self._metric.items() if metric.kind == "gauge")

    @cached_property
    def _by_id(self) -> dict[str, Metric]:
        return {m.id: m for m in self.metrics}

    def flat(self, values: Values) -> dict[int, int]:
        """Values by cell."""
        out: dict[int, int] = {}
        for name, value in values.items():
            m = self._by_id.get(name)
            if m is None:
                continue
            if isinstance(value, int):
                out[m.cell] = value
            elif isinstance(value, Mapping):
                out |= {slot * self.stride + m.cell: n for slot, n in value.items()}
            else:
                out |= {m.cell + i: n for i, n in enumerate(value)}
        return out

    def named(self, cells: Mapping[int, int]) -> dict[str, Value]:
        """Cells by metric, zeros left out."""
        filled: dict[str, list[int]] = {}
        for cell in sorted(cells):
            if cells[cell] and cell in self._metric:
                filled.setdefault(self._metric[cell].id, []).append(cell)
        out: dict[str, Value] = {}
        for m in self.metrics:
            if m.id not in filled:
                continue
            if m.scope == "mount":
                out[m.id] = {(c - m.cell) // self.stride: cells[c] for c in filled[m.id]}
            elif m.kind == "histogram":
                out[m.id] = [cells.get(m.cell + i, 0) for i in range(m.count)]
            else:
                out[m.id] = cells[m.cell]
        return out


@cache
def schema_layout() -> Layout:
    """The layout that this version of the runtime uses: mounts, histograms, the rest."""
    every = tomllib.loads(SCHEMA.read_text())["metric"]
    metrics = [m for m in every if m["scope"] != "component"]
    mount = [m for m in metrics if m["scope"] == "mount"]
    process = [m for m in metrics if m["scope"] != "mount"]
    stride = (len(mount) + 7) // 8 * 8
    place = {m["id"]: i for i, m in enumerate(mount)}
    at = 8 * stride
    for m in sorted(process, key=lambda m: m["kind"] != "histogram"):
        place[m["id"]] = at
        at += BUCKETS if m["kind"] == "histogram" else 1
    lines = tuple(
        Metric(
            m["id"],
            m["kind"],
            m["unit"],
            m["scope"],
            place[m["id"]],
            BUCKETS if m["kind"] == "histogram" else 1,
        )
        for m in metrics
    )
    return Layout(lines, (at + 7) // 8 * 8, 8, stride)


def cells(layout: Layout, moved: Mapping[int, int]) -> bytes:
    """The cells of a record; moved: increases, changes of gauges, ns (rounded down)."""
    metric = layout.cells()
    groups = sorted({cell // 8 for cell in moved})
    bitmap = bytearray(((layout.cell_count + 7) // 8 + 7) // 8)
    out = bytearray()
    for group in groups:
        bitmap[group // 8] |= 1 << group % 8
        mine = sorted(cell for cell in moved if cell // 8 == group)
        out.append(sum(1 << cell % 8 for cell in mine))
        for cell in mine:
            coding, n = metric[cell].coding, moved[cell]
            if coding == "ns":
                out += struct.pack("<H", ns_code(n))
            else:
                out += svarint(n) if coding == "svarint" else varint(n)
    return bytes(bitmap + out)


def slice_record(layout: Layout, moved: Mapping[int, int], delta: int = 0, span: int = 1) -> bytes:
    return record("S", svarint(delta) + varint(span) + cells(layout, moved))


class Bits:
    """Bits into bytes, the lowest of each byte first."""

    def __init__(self) -> None:
        self._value = self._count = 0

    def put(self, value: int, count: int) -> None:
        self._value |= (value & (1 << count) - 1) << self._count
        self._count += count

    def small(self, n: int) -> None:
        behind = (n + 1).bit_length() - 1
        self.put(1 << behind, behind + 1)
        self.put(n + 1, behind)

    def difference(self, n: int) -> None:
        self.small(2 * n if n >= 0 else -2 * n - 1)

    def number(self, n: int, against: int) -> None:
        self.difference(n.bit_length() - against.bit_length())
        self.put(n, max(n.bit_length() - 1, 0))

    def time(self, code: int, against: int) -> None:
        self.difference((code >> 11) - (against >> 11))
        self.put(code, 11)

    def done(self) -> bytes:
        return self._value.to_bytes(-(-self._count // 8), "little")


def code_of(metric: Metric, moved: int) -> int:
    """A change as a number without a sign, as 'L' records have it."""
    if metric.coding == "ns":
        return ns_code(moved)
    if metric.coding == "svarint":
        return 2 * moved if moved >= 0 else -2 * moved - 1
    return moved


def like_cells(layout: Layout, base: Mapping[int, int], moved: Mapping[int, int]) -> bytes:
    """The cells of an 'L' record; base: what the newest 'S' record has."""
    metric, bits = layout.cells(), Bits()
    order = sorted(base)
    old = {cell: code_of(metric[cell], base[cell]) for cell in order}
    new = {cell: code_of(metric[cell], moved.get(cell, 0)) for cell in {*order, *moved}}
    for i, cell in enumerate(order):
        if metric[cell].coding == "ns":
            bits.time(new[cell], old[cell])
            continue
        earlier = [
            other
            for other in order[max(0, i - 64) : i]
            if metric[cell].coding == metric[other].coding == "varint" and old[other] == old[cell]
        ]
        if earlier:
            bits.put(new[cell] == new[earlier[-1]], 1)
            if new[cell] == new[earlier[-1]]:
                continue
        bits.put(new[cell] == old[cell], 1)
        if new[cell] != old[cell]:
            bits.number(new[cell], old[cell])
    others, at = sorted(cell for cell in moved if cell not in base), 0
    bits.small(len(others))
    for cell in others:
        bits.small(cell - at)
        at = cell + 1
        if metric[cell].coding == "ns":
            bits.time(new[cell], 0)
        else:
            bits.number(new[cell], 0)
    return bits.done()


def like_record(
    layout: Layout,
    base: Mapping[int, int],
    back: int,
    moved: Mapping[int, int],
    delta: int = 0,
    span: int = 1,
) -> bytes:
    """A slice that is based on the newest 'S' record, `back` bytes before it."""
    payload = svarint(delta) + varint(span) + varint(back)
    return record("L", payload + like_cells(layout, base, moved))


def mount_record(
    slot: int, major: int, minor: int, mnt_id: int, fs_magic: int, path: str, kind: str, source: str
) -> bytes:
    numbers = b"".join(map(varint, (slot, major, minor, mnt_id, fs_magic)))
    return record("M", numbers + string(path) + string(kind) + string(source))


def clock_record(realtime_ns: int, state: int, maxerror_us: int, step_ns: int = 0) -> bytes:
    numbers = b"".join(map(varint, (realtime_ns, state, maxerror_us)))
    return record("C", numbers + svarint(step_ns))


def note_record(realtime_ns: int, text: str | bytes) -> bytes:
    return record("N", varint(realtime_ns) + string(text))
