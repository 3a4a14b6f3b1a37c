"""Cells, records and bits of a profile, read by the format's page alone."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

Cells = dict[int, int]


@dataclass(frozen=True)
class Metric:
    """One line of a profile's metric table."""

    id: str
    kind: str
    unit: str
    scope: str
    cell: int
    count: int


@dataclass
class Table:
    """The metric table of a profile and the layout of a counter block."""

    metrics: dict[str, Metric]
    cell_count: int
    mount_slots: int
    mount_stride: int
    kinds: dict[int, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str, cell_count: int, slots: int, stride: int) -> Table:
        """Read the text of a metric table and note how each cell is coded."""
        metrics = {}
        for line in text.splitlines():
            name, kind, unit, scope, first, count = line.split()
            metrics[name] = Metric(name, kind, unit, scope, int(first), int(count))
        table = cls(metrics, cell_count, slots, stride)
        for metric in metrics.values():
            float_coded = metric.kind == "timer" or (
                metric.kind == "counter" and metric.unit == "ns"
            )
            kind = "float" if float_coded else metric.kind
            for cell in table.cells_of(metric.id):
                assert cell not in table.kinds, f"cell {cell} is used twice"
                assert cell < cell_count
                table.kinds[cell] = kind
        return table

    def cells_of(self, metric: str, slot: int | None = None) -> list[int]:
        """All cells of a metric, or those of one mount slot."""
        m = self.metrics[metric]
        if m.scope == "mount":
            slots = range(self.mount_slots) if slot is None else [slot]
            return [s * self.mount_stride + m.cell for s in slots]
        return list(range(m.cell, m.cell + m.count))

    def name_of(self, cell: int) -> str:
        """The metric that a cell belongs to."""
        return next(name for name in self.metrics if cell in self.cells_of(name))


class Bytes:
    """A cursor over a byte string."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    def take(self, n: int) -> bytes:
        """The next n bytes."""
        if self.at + n > len(self.data):
            raise EOFError
        self.at += n
        return self.data[self.at - n : self.at]

    def varint(self) -> int:
        """An unsigned LEB128 number."""
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def svarint(self) -> int:
        """A zigzag-coded signed number."""
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def string(self) -> str:
        """A length and that many bytes of text."""
        return self.take(self.varint()).decode("utf-8", "replace")

    def minifloat(self) -> int:
        """A 5-bit exponent and 11-bit mantissa."""
        word = int.from_bytes(self.take(2), "little")
        exponent, mantissa = word >> 11, word & 0x7FF
        return mantissa if exponent == 0 else (2048 + mantissa) << (exponent - 1)

    def cells(self, table: Table) -> Cells:
        """The cells of an 'S' or 'P' record."""
        groups = (table.cell_count + 7) // 8
        bitmap = self.take((groups + 7) // 8)
        out: Cells = {}
        for group in range(groups):
            if not bitmap[group // 8] >> (group % 8) & 1:
                continue
            mask = self.take(1)[0]
            for bit in range(8):
                if mask >> bit & 1:
                    cell = group * 8 + bit
                    kind = table.kinds[cell]
                    out[cell] = (
                        self.minifloat()
                        if kind == "float"
                        else self.svarint()
                        if kind == "gauge"
                        else self.varint()
                    )
        return out


class Bits:
    """A cursor over bits, the lowest of each byte first."""

    def __init__(self, data: bytes) -> None:
        self.data, self.left = int.from_bytes(data, "little"), 8 * len(data)

    def take(self, n: int) -> int:
        """The next n bits as a number."""
        if n > self.left:
            raise EOFError
        value, self.data, self.left = self.data & (1 << n) - 1, self.data >> n, self.left - n
        return value

    def small(self) -> int:
        """Zeros, a one, as many bits as there were zeros: a number that is 1 too large."""
        behind = 0
        while not self.take(1):
            behind += 1
        return (1 << behind | self.take(behind)) - 1

    def difference(self) -> int:
        """A zigzag-coded signed number."""
        n = self.small()
        return (n >> 1) ^ -(n & 1)

    def number(self, against: int) -> int:
        """The difference of two lengths, and the bits behind the first."""
        n = against.bit_length() + self.difference()
        return 1 << n - 1 | self.take(n - 1) if n else 0

    def time(self, against: int) -> int:
        """The difference of two exponents, and a mantissa."""
        exponent = (against >> 11) + self.difference()
        return exponent << 11 | self.take(11)


def _code(kind: str, value: int) -> int:
    if kind == "gauge":
        return 2 * value if value >= 0 else -2 * value - 1
    if kind != "float" or value < 2048:
        return value
    exponent = value.bit_length() - 11
    return exponent << 11 | value >> exponent - 1 & 0x7FF


def _value(kind: str, code: int) -> int:
    if kind == "gauge":
        return (code >> 1) ^ -(code & 1)
    if kind != "float":
        return code
    return Bytes(code.to_bytes(2, "little")).minifloat()


def like(table: Table, base: Cells, data: bytes) -> Cells:
    """The cells of an 'L' record; base: those of the newest 'S' record."""
    bits, out = Bits(data), {}
    old = {cell: _code(table.kinds[cell], value) for cell, value in base.items()}
    order = sorted(old)
    for i, cell in enumerate(order):
        kind, back = table.kinds[cell], []
        if kind == "float":
            out[cell] = bits.time(old[cell])
            continue
        if kind != "gauge":
            back = [
                other
                for other in order[max(0, i - 64) : i]
                if old[other] == old[cell] and table.kinds[other] in ("counter", "histogram")
            ]
        if back and bits.take(1):
            out[cell] = out[back[-1]]
        else:
            out[cell] = old[cell] if bits.take(1) else bits.number(old[cell])
    cell = -1
    for _ in range(bits.small()):
        cell += 1 + bits.small()
        out[cell] = bits.time(0) if table.kinds[cell] == "float" else bits.number(0)
    assert bits.left < 8
    return {cell: _value(table.kinds[cell], code) for cell, code in sorted(out.items()) if code}


def records(data: bytes, at: int = 0) -> Iterator[tuple[str, bytes]]:
    """Type and payload of each record; a wrong checksum is an error."""
    cursor = Bytes(data, at)
    while cursor.at < len(data):
        begin = cursor.at
        kind = cursor.take(1).decode("latin-1")
        payload = cursor.take(cursor.varint())
        checked = data[begin : cursor.at]
        (crc,) = struct.unpack("<I", cursor.take(4))
        assert crc == zlib.crc32(checked), f"record {kind!r} at {begin}: wrong checksum"
        yield kind, payload
