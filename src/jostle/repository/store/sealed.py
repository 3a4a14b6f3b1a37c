"""Writes and reads log files: JSON with a number and a checksum over the content."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

# 2: positions know the entries of segments. 3: number and checksum. 4: checkpoints refer to pieces.
# An earlier jostle reports that it is too old.
LOG_VERSION = 4
_SEALED_SINCE = 3
_SEAL = re.compile(rb'\{"sum":"([0-9a-f]{16})",')


class DamageError(ValueError):
    """The content of a file of the log has changed since it was written."""


class NewerError(Exception):
    """A file of the log was written by a newer jostle."""


def seal(value: dict[str, Any], number: int) -> bytes:
    """Return the content of a file of the log.

    Args:
        value: Content of the file.
        number: Number of the file, also part of its name.
    """
    content = {"number": number, "version": LOG_VERSION, **value}
    text = json.dumps(content, separators=(",", ":")).encode()
    return b'{"sum":"%s",%s' % (_sum(text), text[1:])


def unseal(data: bytes, number: int) -> dict[str, Any]:
    """Read a file of the log.

    Args:
        data: Bytes of the file.
        number: Number in the file's name.

    Raises:
        DamageError: The content has changed; the message is a part of a sentence.
        NewerError: The file was written by a newer jostle.
    """
    seal = _SEAL.match(data)
    if seal and _sum(b"{" + data[seal.end() :]) != seal[1]:
        raise DamageError("its checksum does not match its content")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:  # not JSON, or not text
        raise DamageError(f"it is not JSON ({error})") from None
    if not isinstance(value, dict) or not isinstance(value.get("version", 0), int):
        raise DamageError("it has no content that is known")
    if seal is None and value.get("version", 0) >= _SEALED_SINCE:
        raise DamageError("it has no checksum")
    if value.get("version", 0) > LOG_VERSION:
        raise NewerError
    if value.get("version", 0) >= _SEALED_SINCE and value.get("number") != number:
        raise DamageError(f"it belongs to number {value.get('number')}")
    return value


def file_sum(path: Path) -> str:
    """Return the checksum of a file, 16 hexadecimal digits.

    Raises:
        OSError: The file cannot be read.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=8)).hexdigest()


def sum_of(data: bytes) -> str:
    """Return the checksum of a file's content, as `file_sum` does."""
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def _sum(text: bytes) -> bytes:
    return sum_of(text).encode()
