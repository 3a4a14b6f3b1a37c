"""Encodes and checks messages from the process that reads Darshan logs to the importer.

A damaged log may crash or misuse the C library that reads it. So a separate process reads the log,
and its output is checked: a header in JSON, then arrays of numbers, each with its type and shape.
No part of the output is executed.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]

_SIZES = struct.Struct("<QQ")
#: Types that arrays may have.
_TYPES = frozenset({"<i8", "<u8", "<f8", "<i4"})
_MOST_HEADER = 256 << 20
_MOST_BYTES = 8 << 30


class MessageError(ValueError):
    """A message is malformed."""


def pack(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> list[bytes | memoryview]:
    """Return a message in parts.

    Args:
        header: JSON-compatible values.
        arrays: Arrays of 64-bit integers or floating point numbers, or of 32-bit integers.
    """
    kept = {name: np.ascontiguousarray(values) for name, values in arrays.items()}
    described = [[name, values.dtype.str, list(values.shape)] for name, values in kept.items()]
    text = json.dumps({"header": header, "arrays": described}).encode()
    size = sum(values.nbytes for values in kept.values())
    bodies = [values.reshape(-1).view(np.uint8).data for values in kept.values() if values.nbytes]
    return [_SIZES.pack(len(text), size), text, *bodies]


def unpack(read: Callable[[int], bytes]) -> tuple[dict[str, Any], Arrays]:
    """Read a message, and return its header and arrays.

    Args:
        read: Function that returns the requested number of bytes, or raises EOFError.

    Raises:
        EOFError: The sending process has ended.
        MessageError: The message is malformed.
    """
    head, size = _SIZES.unpack(read(_SIZES.size))
    if head > _MOST_HEADER or size > _MOST_BYTES:
        raise MessageError("the message has more bytes than a log can have")
    try:
        value = json.loads(read(head))
        header, described = dict(value["header"]), list(value["arrays"])
        arrays, left = {}, size
        for name, kind, shape in described:
            if kind not in _TYPES or not all(type(n) is int and n >= 0 for n in shape):
                raise MessageError("an array has an unknown type")
            # Python's integers: the product of untrusted numbers must not overflow.
            count = 1
            for number in shape:
                count *= number
            need = count * np.dtype(kind).itemsize
            if need > left:
                raise MessageError("an array is larger than its message")
            left -= need
            arrays[str(name)] = np.frombuffer(read(need), dtype=kind).reshape(shape)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise MessageError(f"it is malformed ({type(error).__name__}: {error})") from error
    return header, arrays
