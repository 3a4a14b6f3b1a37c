"""Checks a study's file against its model, with errors that name file and line."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from jostle_lab.study.errors import ConfigError
from jostle_lab.study.kinds import WrongValueError, key_of, near

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

M = TypeVar("M")
_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?")
_KEY = re.compile(r"\s*([A-Za-z0-9_\"'.-]+)\s*=")
Path = tuple[str | int, ...]
#: Reason and remedy for the error that one of these keys is missing.
_MISSING = {
    "name": ("the study has no name.", 'Write [study], name = "..."'),
    "study": ("the study has no name.", 'Write [study], name = "..."'),
    "program": (
        "the study names no program.",
        'Write [[program]] with name = "..." and pattern = "..." or command = [...].',
    ),
}


class Source:
    """The text of a study and the lines of its keys."""

    def __init__(self, file: str, text: str) -> None:
        """Find the lines of all tables and keys.

        Args:
            file: Name of the file in messages.
            text: Content of the file.
        """
        self.file = file
        self.text = text
        self._lines: dict[Path, int] = {}
        self._index(text)

    def _index(self, text: str) -> None:
        table: Path = ()
        counts: dict[str, int] = {}
        quote = ""
        for number, line in enumerate(text.splitlines(), 1):
            inside, quote = quote, _open_quote(line, quote)
            if inside:
                continue
            if header := _HEADER.fullmatch(line):
                parts = [part.strip().strip("\"'") for part in header[2].split(".")]
                table = tuple(parts)
                if header[1] == "[[":
                    counts[header[2]] = counts.get(header[2], -1) + 1
                    table = (*parts, counts[header[2]])
                elif parts[0] in counts:  # a table within the last one of an array
                    table = (parts[0], counts[parts[0]], *parts[1:])
                self._lines.setdefault(table, number)
            elif key := _KEY.match(line):
                words = tuple(part.strip("\"'") for part in key[1].split("."))
                self._lines.setdefault((*table, *words), number)

    def line(self, path: Path) -> int | None:
        """Return the line of a key, or of the nearest table around it."""
        for length in range(len(path), 0, -1):
            if path[:length] in self._lines:
                return self._lines[path[:length]]
        return None

    def error(self, path: Path, reason: str, fix: str) -> ConfigError:
        """Return the error about a key.

        Args:
            path: Position of the key, e.g. ("program", 1, "chunk").
            reason: What is wrong with the value.
            fix: Hint on what to write instead.
        """
        line = self.line(path)
        place = f"{self.file}:{line}" if line else self.file
        names = [str(part) for part in path if not isinstance(part, int)]
        at = f"`{names[-1]}` of [{'.'.join(names[:-1])}]: " if len(names) > 1 else ""
        return ConfigError(f"{place}: {at}{reason}", hint=fix)


def _open_quote(line: str, quote: str) -> str:
    """Return which multi-line quote is open at the end of a line."""
    for found in re.findall(r"\"\"\"|'''", line):
        if not quote:
            quote = found
        elif quote == found:
            quote = ""
    return quote


def checked(source: Source, data: Mapping[str, Any], model: type[M]) -> M:
    """Return the content of a study's file as a model.

    Raises:
        ConfigError: A key is unknown or missing, or cannot have its value.
    """
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(model).validate_python(data)
    except ValidationError as problems:
        # A misspelt key is reported first: it is why another one is missing.
        first = min(problems.errors(), key=lambda each: each["type"] != "extra_forbidden")
    raise _error(source, first, model)


def _error(source: Source, first: ErrorDetails, model: Any) -> ConfigError:
    """Return the jostle error for a validation error of pydantic."""
    path = first["loc"]
    key = str([part for part in path if isinstance(part, str)][-1])
    wrong = first.get("ctx", {}).get("error")
    if isinstance(wrong, WrongValueError):
        return source.error(path, str(wrong), wrong.fix.replace("{key}", key))
    if first["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        return source.error(path, "there is no such key.", near(key, _keys(model, path[:-1])))
    if first["type"] in ("missing", "too_short", "list_type"):
        return source.error(path[:-1] or path, *_MISSING[key])
    return source.error(path, "this must be a table.", f"Write [{key}] and its keys.")


def _keys(model: Any, path: Path) -> list[str]:
    """Return the keys of a table of a model."""
    for part in path:
        if isinstance(part, str):
            hint = model.model_fields[part].annotation
            model = get_args(hint)[0] if get_args(hint) else hint
    if dataclasses.is_dataclass(model):
        return [key_of(field.name) for field in dataclasses.fields(model)]
    return [field.alias for field in model.model_fields.values()]
