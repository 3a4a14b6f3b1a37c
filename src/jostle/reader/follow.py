"""Decodes the new slices of profiles that were read before and have only grown."""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.reader.decode import NUMBER_IDS, mount_rows, slice_rows, used_bits
from jostle.reader.native import FOLLOWED, DecoderBatch, Shape
from jostle.schema.metrics import HISTOGRAM_IDS, MOUNT_IDS
from jostle.schema.profile import HEAD, HEAD_BYTES, MAGIC, Head

_MOST_TABLE = 1 << 20


class MetricTable(NamedTuple):
    """The metric table of profiles, with the fields of their headers that describe it."""

    text: bytes
    cell_count: int
    slots: int
    stride: int


@dataclass(frozen=True, slots=True)
class FollowedSlices:
    """The new slices of profiles: columns `slices`, `mount_slices` and `bits` as in Decoded."""

    slices: pa.Table
    mount_slices: pa.Table
    bits: dict[str, list[int]]


def follow_profiles(
    tables: Sequence[MetricTable],
    paths: NDArray[np.uint8],
    followed: NDArray[np.void],
    max_rows: int,
) -> FollowedSlices:
    """Read the new slices of many profiles; the rows of profile i have process i.

    A profile in which not only slices are new gives no rows, and its field `status` reports it.

    Args:
        tables: Metric tables of the profiles, by number.
        paths: Paths of the profiles, each with a NUL at its end.
        followed: The profiles (see native.FOLLOWED), whose positions are advanced in place.
        max_rows: Number of rows after which reading stops, at the next profile.
    """
    batch = DecoderBatch(NUMBER_IDS, HISTOGRAM_IDS, MOUNT_IDS, max_rows)
    shapes = [Shape(t.text, len(t.text), t.cell_count, t.slots, t.stride) for t in tables]
    batch.follow(shapes, paths, followed)
    return FollowedSlices(slice_rows(batch), mount_rows(batch), used_bits(batch))


def identify(path: Path, table_crc: int) -> tuple[os.stat_result, MetricTable] | None:
    """Return what identifies a profile's file, and its metric table; None if it is unusual.

    Args:
        path: The profile.
        table_crc: Checksum of the table, from the header that was read.
    """
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags)
    except OSError:
        return None
    try:
        info, head = os.fstat(descriptor), os.pread(descriptor, HEAD_BYTES, 0)
        if len(head) < HEAD_BYTES or not head.startswith(MAGIC):
            return None
        h = Head._make(HEAD.unpack_from(head))
        if h.table_bytes > _MOST_TABLE:
            return None
        text = os.pread(descriptor, h.table_bytes, h.table_offset)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    if len(text) != h.table_bytes or zlib.crc32(text) != table_crc:
        return None
    return info, MetricTable(text, h.cell_count, h.mount_slots, h.mount_stride)


__all__ = ["FOLLOWED", "FollowedSlices", "MetricTable", "follow_profiles", "identify"]
