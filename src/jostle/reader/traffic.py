"""Converts tables of the C decoder into tables of partners, collectives and communicators."""

from __future__ import annotations

import pyarrow as pa

from jostle.reader.columns import columns, texts
from jostle.reader.native import COLLECTIVE_SLICES, COMMUNICATORS, PEER_SLICES, DecoderBatch

#: Counters of a partner, and of a collective.
PEER_VALUES = ("sent_ops", "sent_bytes", "recv_ops", "recv_bytes", "recv_room")
COLLECTIVE_VALUES = ("ops", "bytes")
#: Most members of a communicator that are listed.
MOST_MEMBERS = 1 << 17

_FIXED = {"process": pa.int32(), "slice": pa.int64(), "span": pa.int32()}
_PEERS = {**_FIXED, "peer": pa.int64(), **dict.fromkeys(PEER_VALUES, pa.int64())}
_COLLECTIVES = {
    **_FIXED,
    "communicator": pa.int64(),
    "root": pa.int64(),
    **dict.fromkeys(COLLECTIVE_VALUES, pa.int64()),
    "operation": pa.binary(),
}
_COMMUNICATORS = {
    "process": pa.int32(),
    "communicator": pa.int64(),
    "size": pa.int64(),
    "members": pa.binary(),
}


def peer_slices(batch: DecoderBatch) -> pa.Table:
    """Return the rows of Decoded.peer_slices."""
    return pa.table(columns(batch, PEER_SLICES, _PEERS))


def collective_slices(batch: DecoderBatch) -> pa.Table:
    """Return the rows of Decoded.collective_slices."""
    rows = columns(batch, COLLECTIVE_SLICES, _COLLECTIVES)
    rows["operation"] = texts(rows["operation"])
    return pa.table(rows)


def communicators(batch: DecoderBatch) -> pa.Table:
    """Return the rows of Decoded.communicators."""
    rows = columns(batch, COMMUNICATORS, _COMMUNICATORS)
    sizes = rows["size"].to_pylist()
    known: dict[tuple[bytes, int], list[int]] = {}
    ranks = []
    for key in zip(rows.pop("members").to_pylist(), sizes, strict=True):
        if key not in known:
            known[key] = members(*key)
        ranks.append(known[key])
    rows["ranks"] = pa.array(ranks, pa.list_(pa.int64()))
    return pa.table(rows)


def members(raw: bytes, size: int) -> list[int]:
    """Return the world ranks of a communicator, in order.

    Args:
        raw: Ranges of ranks, as in a record.
        size: Number of members.

    Returns:
        The ranks; none if they are not recorded, more than MOST_MEMBERS, or contradict the size.
    """
    ranks: list[int] = []
    numbers = iter(_numbers(raw))
    last = 0
    for first in numbers:
        count = next(numbers, 0)
        if not 0 < count <= min(size, MOST_MEMBERS) - len(ranks):
            return []
        step = _signed(next(numbers, 0)) if count > 1 else 1
        begin = last + _signed(first)
        last = begin + (count - 1) * step
        if not (0 <= begin < 2**32 and 0 <= last < 2**32):
            return []
        ranks += [begin + i * step for i in range(count)]
    return ranks if len(ranks) == size else []


def _numbers(raw: bytes) -> list[int]:
    numbers, value, shift = [], 0, 0
    for byte in raw:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(value)
            value, shift = 0, 0
    return numbers


def _signed(value: int) -> int:
    return value >> 1 ^ -(value & 1)
