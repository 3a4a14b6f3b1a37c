"""Reads profiles of machines by docs/reference/profile-format.md alone.

No line is shared with the agent or the decoder.
"""

from __future__ import annotations

import struct
import tomllib
import zlib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

SCHEMA = Path(__file__).resolve().parents[2] / "schema" / "metrics.toml"


@dataclass
class Row:
    """What one component gained in [first, first + span); unknown metrics are None."""

    first: int
    span: int
    epoch: bool
    values: dict[str, int | None]


@dataclass
class Machine:
    """A profile, as far as its valid commit reaches."""

    slice_ns: int
    start_ns: int
    first_slice: int
    open_slice: int
    heartbeat_ns: int
    end_ns: int
    end_reason: int
    part: int
    role: int
    host: str
    rows: dict[str, list[Row]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def total(self, component: str, metric: str) -> int:
        return sum(row.values.get(metric) or 0 for row in self.rows.get(component, []))


class Cursor:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, n: int) -> bytes:
        self.at += n
        assert self.at <= len(self.data)
        return self.data[self.at - n : self.at]

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def svarint(self) -> int:
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def string(self) -> str:
        return self.take(self.varint()).decode()

    @property
    def more(self) -> bool:
        return self.at < len(self.data)


@cache
def cells() -> list[tuple[str, bool]]:
    """Id of each cell, and whether it is a time."""
    every = tomllib.loads(SCHEMA.read_text())["metric"]
    return [
        (m["id"], m["kind"] == "counter" and m["unit"] == "ns")
        for m in every
        if m["scope"] == "component"
    ]


def _ns(code: int) -> int:
    exponent, mantissa = code >> 11, code & 0x7FF
    return (2048 + mantissa) << (exponent - 1) if exponent else mantissa


def _slices(machine: Machine, names: dict[int, str], c: Cursor, expected: int) -> int:
    first, span = expected + c.svarint(), c.varint()
    number = -1
    for _ in range(c.varint()):
        number += c.varint() + 1
        counts = c.varint()
        cell, values = -1, dict[str, int | None]()
        for _ in range(counts >> 1):
            key = c.varint()
            cell += (key >> 1) + 1
            metric, is_time = cells()[cell]
            if key & 1:
                values[metric] = None
            else:
                values[metric] = _ns(*struct.unpack("<H", c.take(2))) if is_time else c.varint()
        row = Row(first, span, bool(counts & 1), values)
        machine.rows.setdefault(names[number], []).append(row)
    assert not c.more
    return first + span


def read_machine(path: Path) -> Machine:
    """Every record up to the end that the valid commit names must be whole."""
    data = path.read_bytes()
    assert data[:8] == b"jostle01" and struct.unpack_from("<I", data, 60) == (1,)
    head_bytes, cell_count = struct.unpack_from("<II", data, 12)
    assert cell_count == len(cells())
    commit, commit_bytes, table_crc = struct.unpack_from("<III", data, 40)
    table, table_bytes = struct.unpack_from("<II", data, 32)
    assert zlib.crc32(data[table : table + table_bytes]) == table_crc
    (generation,) = struct.unpack_from("<Q", data, 2048)
    end, open_slice = struct.unpack_from("<QQ", data, commit + (generation & 1) * commit_bytes)
    slice_ns, start_ns, _, first_slice = struct.unpack_from("<QQQQ", data, 64)
    machine = Machine(
        slice_ns,
        start_ns,
        first_slice,
        open_slice,
        *struct.unpack_from("<QQI", data, 2064),
        *struct.unpack_from("<I", data, 124),
        *struct.unpack_from("<I", data, 1788),
        data[144:208].split(b"\0")[0].decode(),
    )
    c, names, expected = Cursor(data[:end]), dict[int, str](), first_slice
    c.at = head_bytes
    while c.more:
        begin = c.at
        kind, payload = c.take(1), Cursor(c.take(c.varint()))
        assert zlib.crc32(data[begin : c.at]) == struct.unpack("<I", c.take(4))[0]
        if kind == b"K":
            number, _, _, _ = (payload.varint() for _ in range(4))
            name, _, job, _ = (payload.string() for _ in range(4))
            payload.varint()
            names[number] = name + (" of " + job if job else "")
        elif kind == b"X":
            expected = _slices(machine, names, payload, expected)
        elif kind == b"N":
            payload.varint()
            machine.notes.append(payload.string())
    return machine
