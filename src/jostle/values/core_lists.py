"""Parses and writes lists of cores as the kernel does: "0-15,64-79"."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LIST = re.compile(r"\d{1,5}(-\d{1,5})?(,\d{1,5}(-\d{1,5})?)*")
_MOST = 1 << 14  # cores; more than the runtime counts


def read_list(text: str) -> frozenset[int] | None:
    """Return the numbers of a list such as "0-15,64-79".

    The text comes from a profile, and is not trusted.

    Returns:
        The numbers; None if the text is no list, is empty, or is truncated ("...").
    """
    if not _LIST.fullmatch(text):
        return None
    numbers: set[int] = set()
    end = 0
    for part in text.split(","):
        first, _, last = part.partition("-")
        begin, before, end = int(first), end, int(last or first) + 1
        if not before <= begin < end <= _MOST:
            return None
        numbers.update(range(begin, end))
    return frozenset(numbers)


def list_text(numbers: Iterable[int]) -> str:
    """Return numbers as the kernel lists them: "0-15,64-79"."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in runs)
