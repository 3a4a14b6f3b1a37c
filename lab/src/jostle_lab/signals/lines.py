"""Parses and checks the lines of a signal's log, which are untrusted JSON."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import NoReturn

import pyarrow as pa

from jostle_lab.signals.schema import FIELDS, OPTIONAL, VERSION

_INT64 = 1 << 63
_LONGEST_TEXT = 1 << 16


class LineError(ValueError):
    """A line is invalid; `hint` is the remedy, where it is not the usual one."""

    def __init__(self, reason: str, *, hint: str = "") -> None:
        super().__init__(reason)
        self.hint = hint


@dataclass(frozen=True)
class LogLine:
    """A line with its type.

    Attributes:
        kind: Type of the line: signal, burst, slice, end, or a type of a later version.
        fields: All fields of the line.
    """

    kind: str
    fields: dict[str, object]

    def checked(self) -> dict[str, object]:
        """Return the fields that belong to a line of this type, each of its own type.

        Raises:
            LineError: A field is missing, or of another type, or too large.
        """
        taken: dict[str, object] = {}
        for name, type_, whole in FIELDS[self.kind]:
            value = self.fields.get(name)
            # The fast path for almost all values: a long log has millions of them.
            if whole and type(value) is int and 0 <= value < _INT64:
                taken[name] = value
                continue
            if value is not None:
                _check(name, type_, value)
            elif name not in OPTIONAL:
                raise LineError(f"`{self.kind}` has no {name}")
            taken[name] = value
        return taken


def parse_line(raw: bytes) -> LogLine:
    """Parse a line.

    Raises:
        LineError: The line is not a JSON object with a type, or has an unknown version.
    """
    try:
        value = json.loads(raw.decode(), parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise LineError("the line is not text in UTF-8") from None
    except RecursionError:
        raise LineError("the line is nested too deeply") from None
    except ValueError as error:
        raise LineError(f"the line is not JSON ({error})") from None
    if not isinstance(value, dict):
        raise LineError("the line is JSON, but not an object")
    kind = value.get("type")
    if not isinstance(kind, str) or not kind.isidentifier() or len(kind) > 64:
        raise LineError("the line has no type")
    if kind == "signal" and value.get("version") != VERSION:
        raise LineError(
            f"the version of the log is {str(value.get('version'))[:20]}, and this jostle reads "
            f"{VERSION}",
            hint="Read the log with the version of jostle that wrote it, or a newer one.",
        )
    return LogLine(kind, value)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def _check(name: str, kind: pa.DataType, value: object) -> None:
    """Check a value against the type of its field. A bool is not accepted as an int."""
    if pa.types.is_boolean(kind):
        good = isinstance(value, bool)
    elif pa.types.is_integer(kind):
        good = isinstance(value, int) and not isinstance(value, bool)
        if good and not 0 <= value < _INT64:  # type: ignore[operator]
            raise LineError(f"{name} is out of range")
    elif pa.types.is_floating(kind):
        good = isinstance(value, (int, float)) and not isinstance(value, bool)
        if good and not (abs(value) < _INT64 and math.isfinite(value)):  # type: ignore[arg-type]
            raise LineError(f"{name} is out of range")
    elif pa.types.is_list(kind):
        good = isinstance(value, list) and all(_is_text(item) for item in value)
    else:
        good = _is_text(value)
    if not good:
        raise LineError(f"{name} is not {_kind_name(kind)}")


def _is_text(value: object) -> bool:
    """Return whether a value is text valid in UTF-8: JSON can contain half of a surrogate pair."""
    if not isinstance(value, str) or len(value) > _LONGEST_TEXT:
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _kind_name(kind: pa.DataType) -> str:
    if pa.types.is_boolean(kind):
        return "true or false"
    if pa.types.is_integer(kind):
        return "a whole number"
    if pa.types.is_floating(kind):
        return "a number"
    return "a list of texts" if pa.types.is_list(kind) else "a text"
