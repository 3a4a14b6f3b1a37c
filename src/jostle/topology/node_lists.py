"""Expands node lists such as `n[1-8,10],login1`."""

from __future__ import annotations

import itertools
import re

#: Most names of a list: a list of a few letters could otherwise fill the memory.
MOST_NAMES = 1_000_000
_PART = re.compile(r"\[([^\[\]]*)\]")
_RANGE = re.compile(r"([0-9]{1,12})(?:-([0-9]{1,12}))?")


def expand(text: str) -> list[str]:
    """Return the names of a node list in its order.

    Args:
        text: Names separated by commas; brackets contain numbers and ranges; leading zeros are
            kept: `n[1-8,10]`, `rack[1-2]n[01-16]`.

    Raises:
        ValueError: The list is malformed, or longer than MOST_NAMES; says why.
    """
    names: list[str] = []
    for word in _words(text):
        *parts, end = _PART.split(word)
        if "[" in "".join(parts[::2]) + end or "]" in "".join(parts[::2]) + end:
            raise ValueError(f"`{word}` has a bracket too many or too few")
        choices = [_numbers(part, word) if k % 2 else [part] for k, part in enumerate(parts)]
        count = len(names) + 1
        for choice in choices:
            count *= len(choice)
        if count > MOST_NAMES:
            raise ValueError(f"`{word}` stands for more than {MOST_NAMES} names")
        names += ["".join((*letters, end)) for letters in itertools.product(*choices)]
    return names


def _words(text: str) -> list[str]:
    """Return the parts between commas that are outside of brackets."""
    words, begin, inside = [], 0, False
    for place, letter in enumerate(text):
        if letter in "[]":
            inside = letter == "["
        elif letter == "," and not inside:
            words.append(text[begin:place].strip())
            begin = place + 1
    words.append(text[begin:].strip())
    return [word for word in words if word]


def _numbers(part: str, word: str) -> list[str]:
    """Return the numbers of one pair of brackets."""
    numbers: list[str] = []
    for piece in part.split(","):
        match = _RANGE.fullmatch(piece.strip())
        if not match:
            raise ValueError(f"`{piece}` in `{word}` is neither a number nor a range of numbers")
        low, high = match[1], match[2] or match[1]
        if int(high) < int(low):
            raise ValueError(f"the range `{piece}` in `{word}` goes backwards")
        if int(high) - int(low) >= MOST_NAMES:
            raise ValueError(f"`{word}` stands for more than {MOST_NAMES} names")
        numbers += [str(number).zfill(len(low)) for number in range(int(low), int(high) + 1)]
    return numbers
