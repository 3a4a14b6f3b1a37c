"""The ctypes binding of the C decoder (`runtime/decoder/jst_decode.h`)."""

from __future__ import annotations

import ctypes
import functools
import struct
from collections.abc import Sequence
from ctypes import POINTER, c_char_p, c_int, c_int32, c_int64, c_uint8, c_uint32, c_uint64
from ctypes import c_void_p as pointer
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle import native_path
from jostle.errors import JostleError

API = 9
BUCKETS = 32
REMAINDER, SEGMENTS = 1, 2  # flags
SLICES, MOUNT_SLICES, SEGMENT_ROWS, TOKENS, PEERS, COMPONENT_SLICES = range(6)  # tables
PEER_SLICES, COLLECTIVE_SLICES, COMMUNICATORS, GPU_SLICES = range(6, 10)
PROFILE, SHORTS = 1, 2  # kinds of file

# struct jst_decode_event: 9 numbers, record, 4 times (place, bytes) of text, type, header.
EVENT = struct.Struct("<18Q2I")


#: JST_DECODE_UNREADABLE: the error of a file that may be whole.
UNREADABLE = b"reading it failed"


class Issue(ctypes.Structure):
    """struct jst_decode_issue."""

    _fields_ = (("offset", c_uint64), ("text", c_char_p))


class Result(ctypes.Structure):
    """struct jst_decode_result."""

    _fields_ = (
        ("error", Issue),
        ("file_bytes", c_uint64),
        ("records_read", c_uint64),
        ("records_end", c_uint64),
        ("first_slice", c_uint64),
        ("slices", c_uint64),
        ("first_mount", c_uint64),
        ("mounts", c_uint64),
        ("first_segment", c_uint64),
        ("segments", c_uint64),
        ("first_token", c_uint64),
        ("tokens", c_uint64),
        ("first_peer", c_uint64),
        ("peers", c_uint64),
        ("first_component", c_uint64),
        ("components", c_uint64),
        ("first_peer_slice", c_uint64),
        ("peer_slices", c_uint64),
        ("first_collective", c_uint64),
        ("collectives", c_uint64),
        ("first_communicator", c_uint64),
        ("communicators", c_uint64),
        ("first_gpu_slice", c_uint64),
        ("gpu_slices", c_uint64),
        ("first_event", c_uint64),
        ("events", c_uint64),
        ("kind", c_uint32),
        ("complete", c_uint32),
        ("remainder", c_uint32),
        ("warning_count", c_uint32),
        ("warnings", Issue * 8),
        ("head", c_uint8 * 4096),
        ("next_slice", c_uint64),
        ("goes_on", c_uint32),
        ("resumed", c_uint32),
        ("newest_ns", c_uint64),
        ("head_sum", c_uint64),
        ("state", c_uint64),
        ("state_bytes", c_uint64),
    )


class Position(ctypes.Structure):
    """struct jst_decode_place."""

    _fields_ = (("record", c_uint64), ("at", c_uint64), ("slice", c_uint64))


class Shape(ctypes.Structure):
    """struct jst_decode_shape."""

    _fields_ = (
        ("text", c_char_p),
        ("text_bytes", c_uint32),
        ("cell_count", c_uint32),
        ("slots", c_uint32),
        ("stride", c_uint32),
    )


#: struct jst_decode_followed.
FOLLOWED = np.dtype(
    [
        *((name, "<u8") for name in ("path", "device", "inode", "head_sum", "record", "at")),
        *((name, "<u8") for name in ("slice", "base", "heartbeat_ns", "lost_threads")),
        *((name, "<u4") for name in ("clock_state", "clock_error_us", "owner", "table")),
        *((name, "<u4") for name in ("status", "slices")),
    ]
)
#: enum jst_decode_status.
IS_FOLLOWED, IS_WHOLE, IS_LATER, IS_GONE = range(4)


@functools.cache
def library() -> ctypes.CDLL:
    """Load the decoder.

    Raises:
        NativeMissingError: The decoder was not found.
        JostleError: The decoder belongs to a different version.
    """
    path = native_path("libjostle-decode.so")
    lib = ctypes.CDLL(str(path))
    functions: dict[str, tuple[Any, list[Any]]] = {
        "jst_decode_api": (c_uint32, []),
        "jst_decode_new": (pointer, [c_char_p, c_char_p, c_char_p, c_char_p, c_uint64]),
        "jst_decode_free": (None, [pointer]),
        "jst_decode_add_fd": (c_int64, [pointer, c_int, c_int32, c_uint64, c_uint32]),
        "jst_decode_add_bytes": (
            c_int64,
            [pointer, pointer, ctypes.c_size_t, c_int32, c_uint64, c_uint32],
        ),
        "jst_decode_result_at": (POINTER(Result), [pointer, c_uint64]),
        "jst_decode_rows": (c_uint64, [pointer, c_uint32]),
        "jst_decode_values": (pointer, [pointer, c_uint32, c_uint32]),
        "jst_decode_binary": (pointer, [pointer, c_uint32, c_uint32, POINTER(c_uint64)]),
        "jst_decode_histogram": (pointer, [pointer, c_uint32, POINTER(pointer), POINTER(c_uint64)]),
        "jst_decode_go_on": (None, [pointer, POINTER(Position), c_char_p, ctypes.c_size_t]),
        "jst_decode_follow": (
            c_int32,
            [pointer, POINTER(Shape), c_uint32, pointer, c_uint64, pointer, c_uint32],
        ),
        "jst_decode_bits": (POINTER(c_uint64), [pointer, c_uint32]),
        "jst_decode_bucket_bits": (POINTER(c_uint64), [pointer]),
        "jst_decode_events": (pointer, [pointer, POINTER(c_uint64)]),
        "jst_decode_text": (pointer, [pointer, POINTER(c_uint64)]),
        "jst_decode_states": (pointer, [pointer, POINTER(c_uint64)]),
    }
    for name, (result, arguments) in functions.items():
        function = getattr(lib, name, None)
        if function is None:
            break
        function.restype, function.argtypes = result, arguments
    if function is None or lib.jst_decode_api() != API:
        raise JostleError(
            f"{path} belongs to a different version of jostle.",
            hint="Run `make build`, or reinstall jostle.",
        )
    return lib


class DecoderBatch:
    """A batch of the decoder, freed together with the last table that uses its memory."""

    def __init__(
        self,
        process_ids: Sequence[str],
        histogram_ids: Sequence[str],
        mount_ids: Sequence[str],
        max_rows: int,
        component_ids: Sequence[str] = (),
    ) -> None:
        self._lib = library()
        groups = (process_ids, histogram_ids, mount_ids, component_ids)
        ids = ["\n".join(group).encode() for group in groups]
        self._handle = self._lib.jst_decode_new(*ids, max_rows)
        if not self._handle:
            raise MemoryError("there is not enough memory to decode a batch of profiles")

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._lib.jst_decode_free(self._handle)

    def add(
        self,
        fd: int,
        process: int,
        from_record: int,
        flags: int,
        place: Position | None = None,
        state: bytes = b"",
    ) -> Result:
        """Decode one file, by its descriptor, into the batch; the result is a copy.

        Args:
            fd: Descriptor of the file.
            process: Number of its rows.
            from_record: Number of the first record that gives rows.
            flags: REMAINDER, SEGMENTS.
            place: Where an earlier reading of the file stopped; None: all of it is read.
            state: What `state` returned for that reading.
        """
        if place is not None:
            self._lib.jst_decode_go_on(self._handle, place, state, len(state))
        number = self._lib.jst_decode_add_fd(self._handle, fd, process, from_record, flags)
        if number < 0:
            raise MemoryError("there is not enough memory for the results of a batch of profiles")
        view = self._lib.jst_decode_result_at(self._handle, number).contents
        return Result.from_buffer_copy(view)

    def state(self, result: Result) -> bytes:
        """Return what a later reading of a file needs besides the place; empty: nothing."""
        if not result.state_bytes:
            return b""
        states = self._lib.jst_decode_states(self._handle, c_uint64())
        return ctypes.string_at(states + result.state, result.state_bytes)

    def follow(
        self, shapes: Sequence[Shape], paths: NDArray[np.uint8], followed: NDArray[np.void]
    ) -> None:
        """Decode the new slices of profiles that were read before.

        Args:
            shapes: The metric tables of the profiles.
            paths: The paths, each with a NUL at its end.
            followed: The profiles, of type FOLLOWED; positions are advanced in place.
        """
        if not len(followed) or followed.dtype != FOLLOWED or not followed.flags.c_contiguous:
            return
        done = self._lib.jst_decode_follow(
            self._handle,
            (Shape * len(shapes))(*shapes),
            len(shapes),
            paths.ctypes.data,
            len(paths),
            followed.ctypes.data,
            len(followed),
        )
        if done < 0:
            raise MemoryError("no memory for the slices of a batch of profiles")

    def rows(self, table: int) -> int:
        """Return the number of rows of a table."""
        return int(self._lib.jst_decode_rows(self._handle, table))

    def column(self, table: int, number: int, kind: pa.DataType) -> pa.Array:
        """Return a column of numbers, without a copy."""
        rows = self.rows(table)
        if not rows:
            return pa.array([], kind)
        at = self._lib.jst_decode_values(self._handle, table, number)
        buffer = pa.foreign_buffer(at, rows * kind.bit_width // 8, base=self)
        return pa.Array.from_buffers(kind, rows, [None, buffer], 0)

    def binary(self, table: int, number: int) -> pa.Array:
        """Return a column of byte strings, without a copy."""
        rows, size = self.rows(table), c_uint64()
        if not rows:
            return pa.array([], pa.binary())
        heap = self._lib.jst_decode_binary(self._handle, table, number, size)
        at = self._lib.jst_decode_values(self._handle, table, number)
        offsets = pa.foreign_buffer(at, (rows + 1) * 4, base=self)
        values = pa.foreign_buffer(heap, size.value, base=self)
        return pa.Array.from_buffers(pa.binary(), rows, [None, offsets, values], 0)

    def histogram(self, number: int) -> pa.Array:
        """Return a column of histograms, without a copy; null rows have only zeros."""
        rows, valid, nulls = self.rows(SLICES), pointer(), c_uint64()
        kind = pa.list_(pa.int64(), BUCKETS)
        if not rows:
            return pa.array([], kind)
        at = self._lib.jst_decode_histogram(self._handle, number, valid, nulls)
        values = pa.Array.from_buffers(
            pa.int64(),
            rows * BUCKETS,
            [None, pa.foreign_buffer(at, rows * BUCKETS * 8, base=self)],
            0,
        )
        mask = pa.foreign_buffer(valid.value, (rows + 7) // 8, base=self)
        return pa.Array.from_buffers(kind, rows, [mask], nulls.value, children=[values])

    def bits(self, table: int, columns: int) -> list[int]:
        """Return the bits that are set in at least one value, per column of a table of slices."""
        return list(self._lib.jst_decode_bits(self._handle, table)[:columns])

    def bucket_bits(self, histograms: int) -> list[int]:
        """Return the bits that are set in at least one value, per histogram and bucket."""
        return list(self._lib.jst_decode_bucket_bits(self._handle)[: histograms * BUCKETS])

    def events(self) -> list[tuple[int, ...]]:
        """Return all events as plain numbers (see EVENT)."""
        count = c_uint64()
        at = self._lib.jst_decode_events(self._handle, count)
        raw = ctypes.string_at(at, count.value * EVENT.size) if count.value else b""
        return list(EVENT.iter_unpack(raw))

    def text(self) -> bytes:
        """Return the text of the events (a copy)."""
        count = c_uint64()
        at = self._lib.jst_decode_text(self._handle, count)
        return ctypes.string_at(at, count.value) if count.value else b""
