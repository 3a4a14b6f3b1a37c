"""Parses and formats sizes and spans of time in a study's file, such as `64KiB` and `250ms`."""

from __future__ import annotations

import re

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:iB|B)?", re.IGNORECASE)
_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|min|h|)")
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
_SECONDS = {"ms": 1e-3, "s": 1.0, "": 1.0, "min": 60.0, "h": 3600.0}


def size(value: object) -> int | None:
    """Read a size in bytes: a whole number, or `64KiB`, `1M` (powers of 1024).

    Returns:
        The number of bytes, at least 1; None if the value is not a size.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if 0 < value < 1 << 62 else None
    match = _SIZE.fullmatch(value.strip()) if isinstance(value, str) and len(value) < 40 else None
    if match is None:
        return None
    amount = float(match[1]) * 1024 ** _POWERS[match[2].upper()]
    return int(amount) if amount == int(amount) and 0 < amount < 1 << 62 else None


def span(value: object) -> float | None:
    """Read a span in seconds: a number, or `250ms`, `4s`, `2min`, `1h`.

    Returns:
        The number of seconds, not negative; None if the value is not a span.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if 0 <= value < 1e9 else None
    match = _SPAN.fullmatch(value.strip()) if isinstance(value, str) and len(value) < 40 else None
    return float(match[1]) * _SECONDS[match[2]] if match else None


def size_text(amount: int) -> str:
    """Write bytes as the shortest exact text: `64KiB`, `40000`."""
    for power, letter in ((3, "G"), (2, "M"), (1, "K")):
        if amount and amount % 1024**power == 0:
            return f"{amount // 1024**power}{letter}iB"
    return str(amount)


def rate(text: str) -> float | None:
    """Read a data rate in the notation of tc, `400mbit`, in bytes/s; None if it is not a rate."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(k|m|g)bit", text.strip().lower())
    if match is None:
        return None
    return float(match[1]) * {"k": 1e3, "m": 1e6, "g": 1e9}[match[2]] / 8
