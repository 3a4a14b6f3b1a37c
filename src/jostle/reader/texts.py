"""Decodes texts of profiles so that they are safe to print, and converts codes to names."""

from __future__ import annotations

import functools
import uuid
from collections.abc import Sequence


def clean_text(raw: bytes) -> str:
    r"""Decode a string of a profile.

    The bytes are not trusted: invalid UTF-8 and control characters are escaped as \xNN, so that the
    text can be printed and stored.
    """
    return _clean(raw.partition(b"\0")[0]) if raw[:1] not in (b"", b"\0") else ""


# Most processes share their strings with others, and are read repeatedly.
@functools.lru_cache(1 << 14)
def _clean(raw: bytes) -> str:
    text = raw.decode("utf-8", "backslashreplace")
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


@functools.lru_cache(1 << 12)
def boot_text(raw: bytes) -> str:
    """Return a boot id (16 bytes) in the kernel's notation."""
    return str(uuid.UUID(bytes=raw))


def name_of(names: Sequence[str], number: int) -> str:
    """Return the name of a coded number; codes of newer formats stay numbers."""
    return names[number] if number < len(names) else str(number)
