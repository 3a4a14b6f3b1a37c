"""The types of values in a study's file: the valid values, and the error for an invalid one.

The types are metadata of fields of pydantic's models and of dataclasses. This module does not
import pydantic, so that pydantic is loaded only when a file is read.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection
from typing import Annotated, Any

from jostle_lab.study.units import size, span

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,23}")


def key_of(field: str) -> str:
    """Return the key in a study's file for a field of the model: `time` for `time_s`."""
    return field.removesuffix("_s")


#: How tables of a study's file are read: unknown keys are errors; keys have no units.
TABLE: Any = {"extra": "forbid", "frozen": True, "alias_generator": key_of}


class WrongValueError(ValueError):
    """An invalid value of a key.

    Attributes:
        fix: Hint on what to write instead, in which `{key}` is replaced by the key.
    """

    def __init__(self, reason: str, fix: str) -> None:
        """Keep the reason, and the hint on what to write instead."""
        super().__init__(reason)
        self.fix = fix


def near(word: str, known: Collection[str]) -> str:
    """Return "Did you mean `x`?" if a known word is similar, else the list of known words."""
    found = difflib.get_close_matches(word, known, n=2, cutoff=0.6)
    if found:
        return f"Did you mean `{'` or `'.join(found)}`?"
    return f"Known words: {', '.join(known)}."


class Kind:
    """A type of values; pydantic reads a field by the type that is in the field's metadata."""

    def __init__(self, read: Callable[[Any], Any], what: str, example: str) -> None:
        """Describe the type.

        Args:
            read: Function that returns the value, or None if the input is invalid; may raise
                WrongValueError.
            what: Name of the expected value in messages, such as "a size".
            example: A valid value, for messages.
        """
        self._read, self._what, self._example = read, what, example

    def __get_pydantic_core_schema__(self, source: object, handler: object) -> dict[str, Any]:
        """Return the schema by which pydantic reads a value of this type."""
        return {
            "type": "function-plain",
            "function": {"type": "no-info", "function": self.read_or_refuse},
        }

    def read_or_refuse(self, value: Any) -> Any:
        """Return the value; raise WrongValueError if it is not of this type."""
        found = self._read(value)
        if found is None:
            text = f'"{value}"' if isinstance(value, str) else repr(value)
            shown = text if len(text) <= 60 else text[:57] + "..."
            raise WrongValueError(
                f"{shown} is not {self._what}.", f"For example: {{key}} = {self._example}"
            )
        return found


def whole(value: object, low: int, high: int) -> int | None:
    """Return a value if it is a whole number within bounds, else None."""
    right = isinstance(value, int) and not isinstance(value, bool)
    return value if right and low <= value <= high else None  # type: ignore[operator,return-value]


def between(low: int, high: int) -> Kind:
    """Return the type of whole numbers between two bounds."""
    what, example = f"a whole number between {low} and {high}", str(max(low, min(4, high)))
    return Kind(lambda value: whole(value, low, high), what, example)


def one_of(known: Collection[str]) -> Kind:
    """Return the type of values that are one of some words."""

    def read(value: object) -> str | None:
        if isinstance(value, str) and value not in known:
            raise WrongValueError(f"there is no `{value}`.", near(value, known))
        return value if isinstance(value, str) else None

    return Kind(read, "a word", f'"{next(iter(known))}"')


def named(example: str) -> Kind:
    """Return the type of names that can be part of a job's name and of a path."""
    what = "a name of at most 24 letters, digits, `_`, `.` and `-`"
    return Kind(name_or_none, what, f'"{example}"')


def name_or_none(value: object) -> str | None:
    """Return a value if it is a valid name, else None."""
    return value if isinstance(value, str) and NAME.fullmatch(value) else None


def _share(value: object) -> float | None:
    right = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    return float(value) if right else None  # type: ignore[arg-type]


def _words(value: object) -> tuple[str, ...] | None:
    if not isinstance(value, list) or not value:
        return None
    return tuple(value) if all(isinstance(v, str) and "\0" not in v for v in value) else None


def texts(value: object) -> dict[str, str] | None:
    """Return a value if it is a table of texts, else None."""
    right = isinstance(value, dict) and all(
        isinstance(v, str) and "\0" not in v for v in value.values()
    )
    return dict(value) if right else None  # type: ignore[call-overload]


Text = Annotated[
    str, Kind(lambda value: value if isinstance(value, str) else None, "a text", '"..."')
]
Flag = Annotated[
    bool, Kind(lambda value: value if isinstance(value, bool) else None, "true or false", "true")
]
Size = Annotated[int, Kind(size, "a size", '"1MiB"')]
Span = Annotated[float, Kind(span, "a span", '"10s"')]
Share = Annotated[float, Kind(_share, "a share between 0 and 1", "0.5")]
Words = Annotated[tuple[str, ...], Kind(_words, "a list of texts", '["lmp", "-in", "in.melt"]')]
Items = Annotated[
    list[Any],
    Kind(
        lambda value: value if isinstance(value, list) and value else None,
        "a list with something in it",
        "[...]",
    ),
]
