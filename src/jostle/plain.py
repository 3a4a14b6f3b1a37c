"""Plain values, as JSON takes them."""

from __future__ import annotations

import math
from typing import Any

_PLAIN = frozenset({str, int, bool, type(None)})


def plain(value: Any) -> Any:
    """Gives what JSON takes, in one pass: large verdicts have a hundred thousand numbers.

    Args:
        value: A number, a text, or a dataclass, dictionary, list or tuple of such.

    Returns:
        Dictionaries and lists of its own; null where a number is none or has no end, since JSON
        knows no NaN and no infinity. What is none of the above stays as it is.
    """
    kind = type(value)
    if kind in _PLAIN:
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if kind is list or kind is tuple:
        return list(value) if _PLAIN.issuperset(map(type, value)) else [plain(x) for x in value]
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    names = () if kind is type else getattr(value, "__dataclass_fields__", ())
    return {name: plain(getattr(value, name)) for name in names} if names else value
