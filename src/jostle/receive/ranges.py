"""Parses the body of a POST request: byte ranges of files, checked before any is stored."""

from __future__ import annotations

import functools
import re
import struct
import zlib
from dataclasses import dataclass

import pyarrow as pa

from jostle.receive.refused import RefusedError, malformed

MAGIC = b"jstship1"
#: Most bytes of a post once it is decoded, and of the data of one range.
MOST_BODY, MOST_RANGE = 8 << 20, 1 << 20
#: Most bytes of a post as it is sent: incompressible data grows a little.
MOST_SENT = MOST_BODY + (1 << 16)
MOST_RANGES = 4096
OVER, GAP = 1, 2
_HEAD = struct.Struct("<IIQQIIHH")  # crc, bytes, offset, file, owner, flags, name's bytes, zero
_NAME = re.compile(rb"(?!\.)[A-Za-z0-9_.-]{1,200}")
SUFFIXES = (b".jst", b".jss", b".jsp", b".jsm", b".jsb")
_MOST_OFFSET, _NOBODY = 1 << 62, 0xFFFFFFFF
_FRAME = b"\x28\xb5\x2f\xfd"


@dataclass(slots=True)
class Range:
    """A range of bytes of a file.

    Attributes:
        file: Identity of the file on its node.
        owner: Uid of the file's owner.
        name: Name of the file in the spool.
        offset: Offset of the bytes in the file.
        data: The bytes; empty if the range only asks for the file's state, or only sets a flag.
        end: Offset after the last of the bytes.
        over: Whether the file ends there.
        gap: Whether the bytes before `offset` that the receiver does not have will never arrive.
    """

    file: int
    owner: int
    name: str
    offset: int
    data: memoryview
    end: int
    over: bool
    gap: bool


def decode(sent: bytes) -> bytes:
    """Decompress a body, up to the largest permitted size.

    Raises:
        RefusedError: The body is no zstd frame, truncated, or too large.
    """
    if not sent.startswith(_FRAME):
        raise malformed("the body is no zstd frame")
    stream = pa.CompressedInputStream(pa.BufferReader(sent), "zstd")
    try:
        body: bytes = stream.read(MOST_BODY + 1)
    except (OSError, pa.ArrowException, MemoryError) as error:
        raise malformed(f"the body is no whole zstd frame ({str(error)[:100]})") from None
    if len(body) > MOST_BODY:
        raise RefusedError(
            413,
            "size",
            f"a post decodes to more than {MOST_BODY >> 20} MiB",
            "Send the ranges in several posts.",
        )
    return body


def parse(body: bytes) -> list[Range]:
    """Parse a decoded body.

    Raises:
        RefusedError: A range is malformed; then no range of the request is stored.
    """
    if not body.startswith(MAGIC):
        raise malformed("the body does not begin with `jstship1`")
    view = memoryview(body)
    size = len(view)
    at = len(MAGIC)
    ranges: list[Range] = []
    while at < size:
        if len(ranges) == MOST_RANGES:
            raise RefusedError(
                413,
                "size",
                f"a post has more than {MOST_RANGES} ranges",
                "Send them in several posts.",
            )
        first = at + _HEAD.size
        if first > size:
            raise _malformed(ranges, at, "is cut off")
        crc, length, offset, file, owner, flags, name_length, zero = _HEAD.unpack_from(view, at)
        data = first + name_length
        end = data + length
        if end > size:
            raise _malformed(ranges, at, "is cut off")
        if length > MOST_RANGE:
            raise _malformed(ranges, at, f"has more than {MOST_RANGE} bytes of data")
        if zlib.crc32(view[at + 4 : end]) != crc:
            raise _malformed(ranges, at, "has a wrong checksum")
        name = _name(body[first:data])
        if not name:
            raise _malformed(ranges, at, "names no file of a spool")
        if flags > OVER | GAP or zero:
            raise _malformed(ranges, at, "has flags that this receiver does not know")
        if flags & GAP and length:
            raise _malformed(ranges, at, "is a gap with data")
        if offset >= _MOST_OFFSET or owner == _NOBODY:
            raise _malformed(ranges, at, "has an absurd offset or owner")
        ranges.append(
            Range(
                file,
                owner,
                name,
                offset,
                view[data:end],
                offset + length,
                bool(flags & OVER),
                bool(flags & GAP),
            )
        )
        at = end
    return ranges


def _malformed(ranges: list[Range], at: int, why: str) -> RefusedError:
    return malformed(f"range {len(ranges)} at byte {at} {why}")


@functools.lru_cache(1 << 16)
def _name(raw: bytes) -> str:
    """Return a file's name; "" if it is not a valid name in a spool."""
    return raw.decode("ascii") if _NAME.fullmatch(raw) and raw.endswith(SUFFIXES) else ""
