"""Reads profiles for the benchmarks: sums of metrics, and single records."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path


def totals(spool: Path) -> dict[str, int]:
    """Return the sum of each metric over all profiles, slots and slices; without histograms."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from jostle import reader

    requests = [reader.ReadRequest(path, 0) for path in reader.find_profiles([spool])]
    if not requests:
        return {}
    decoded = reader.read_profiles(requests)
    sums: dict[str, int] = {}
    for table in (decoded.slices, decoded.mount_slices):
        for name in table.column_names:
            if pa.types.is_integer(table.schema.field(name).type):
                sums[name] = pc.sum(table.column(name)).as_py() or 0
    return sums


@dataclass(frozen=True)
class Record:
    """One record of a profile: type letter, size in the file, and payload."""

    kind: str
    size: int
    payload: bytes


def varint(data: bytes, at: int) -> tuple[int, int]:
    """Read an unsigned LEB128 number; return it and the offset after it."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if not byte & 0x80:
            return value, at


def records(path: Path) -> tuple[int, list[Record]]:
    """Walk a finished profile by docs/reference/profile-format.md.

    Returns:
        The bytes before the first record, and the records. A damaged record ends the list.
    """
    data = path.read_bytes()

    def u32(at: int) -> int:
        return int.from_bytes(data[at : at + 4], "little")

    def u64(at: int) -> int:
        return int.from_bytes(data[at : at + 8], "little")

    head = at = u32(12)
    end = u64(u32(40) + (u64(2048) & 1) * u32(44))
    found: list[Record] = []
    while at < end:
        length, start = varint(data, at + 1)
        stop = start + length
        if zlib.crc32(data[at:stop]) != u32(stop):
            break
        found.append(Record(chr(data[at]), stop + 4 - at, data[start:stop]))
        at = stop + 4
    return head, found
