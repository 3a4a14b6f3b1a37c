"""Converts values into forms that JSON and spreadsheets accept."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Annotated, Any

#: A cell that begins so is a formula to a spreadsheet: a regular expression of every dialect here.
FORMULA = r"^[=+@\t\r-]"
_PLAIN = frozenset({str, int, bool, type(None)})


class _NullForNan:
    """Describes to pydantic that `plain` turns NaN and infinity into null."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: Callable[[Any], Any]
    ) -> dict[str, Any]:
        return {"type": "nullable", "schema": handler(source)}


#: A number that is NaN or infinite where it is unknown: its JSON is null.
MaybeNan = Annotated[float, _NullForNan()]


def plain(value: Any) -> Any:
    """Return a JSON-compatible value, in one pass since large verdicts have 100,000 numbers.

    Args:
        value: A number, a text, or a dataclass, dictionary, list or tuple of such.

    Returns:
        New dictionaries and lists; null instead of NaN and infinity, which JSON does not have.
        Values of other types are not changed.
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


def cell(value: Any) -> Any:
    """Return a value for a CSV file: texts that a spreadsheet would take for a formula are changed.

    Cells may hold names of other users' jobs and files. NaN and infinity become empty.
    """
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    return f"'{value}" if isinstance(value, str) and re.match(FORMULA, value) else value


def one_line(text: str) -> str:
    """Return a text whose line ends and control characters are escaped.

    A name from a spool may contain them, to forge lines of a log.
    """
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )
