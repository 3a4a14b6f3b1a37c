"""Reads tables of an unchecked TOML file: every error names file and line."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

from jostle_lab.study.errors import ConfigError
from jostle_lab.study.units import size, span

T = TypeVar("T")
_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?")
_KEY = re.compile(r"\s*([A-Za-z0-9_\"'.-]+)\s*=")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,23}")
Path = tuple[str | int, ...]


def near(word: str, known: Collection[str]) -> str:
    """Return "Did you mean `x`?" where a known word is close, else which words are known."""
    found = difflib.get_close_matches(word, known, n=2, cutoff=0.6)
    if found:
        return f"Did you mean `{'` or `'.join(found)}`?"
    return f"Known are: {', '.join(known)}."


class Source:
    """The text of a study and where its keys stand."""

    def __init__(self, file: str, text: str) -> None:
        """Find the lines of all tables and keys.

        Args:
            file: What to call it in messages.
            text: Its content.
        """
        self.file = file
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
                elif parts[0] in counts:  # a table within the last of an array
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

    def error(self, path: Path, reason: str, mend: str) -> ConfigError:
        """Return the error about a key.

        Args:
            path: Where it is, e.g. ("program", 1, "chunk").
            reason: What is wrong with it.
            mend: What to write instead.
        """
        line = self.line(path)
        place = f"{self.file}:{line}" if line else self.file
        names = [str(part) for part in path if not isinstance(part, int)]
        at = f"`{names[-1]}` of [{'.'.join(names[:-1])}]: " if len(names) > 1 else ""
        return ConfigError(f"{place}: {at}{reason}", hint=mend)


def _open_quote(line: str, quote: str) -> str:
    """Return which multi-line quote is open at the end of a line."""
    for found in re.findall(r"\"\"\"|'''", line):
        if not quote:
            quote = found
        elif quote == found:
            quote = ""
    return quote


class Table:
    """One table: keys are taken one by one; a key that is left over is an error."""

    def __init__(self, source: Source, path: Path, data: object) -> None:
        """Begin reading a table.

        Raises:
            ConfigError: It is no table.
        """
        self.source = source
        self.path = path
        if not isinstance(data, Mapping):
            raise source.error(path, "this must be a table.", f"Write [{path[-1]}] and its keys.")
        self._data = dict(data)
        self._known: list[str] = []

    def error(self, key: str, reason: str, mend: str) -> ConfigError:
        """Return the error about one of its keys."""
        return self.source.error((*self.path, key), reason, mend)

    def has(self, key: str) -> bool:
        """Return whether the key is there and not yet taken."""
        return key in self._data

    def take(
        self, key: str, read: Callable[[object], T | None], kind: str, example: str
    ) -> T | None:
        """Take a key.

        Args:
            key: Its name.
            read: Gives the value, or None when it is not one.
            kind: What it should be, for the message: "a size".
            example: A right value.

        Returns:
            The value; None when the key is not there.
        """
        self._known.append(key)
        if key not in self._data:
            return None
        raw = self._data.pop(key)
        value = read(raw)
        if value is None:
            raise self.error(
                key, f"{_shown(raw)} is not {kind}.", f"For example: {key} = {example}"
            )
        return value

    def text(self, key: str, default: str = "") -> str:
        """Take a text."""
        found = self.take(key, lambda v: v if isinstance(v, str) else None, "a text", '"..."')
        return default if found is None else found

    def size(self, key: str) -> int | None:
        """Take a size in bytes."""
        return self.take(key, size, "a size", '"1MiB"')

    def span(self, key: str, default: float | None = None) -> float | None:
        """Take a span in seconds."""
        found = self.take(key, span, "a span", '"10s"')
        return default if found is None else found

    def flag(self, key: str) -> bool | None:
        """Take true or false."""
        return self.take(key, lambda v: v if isinstance(v, bool) else None, "true or false", "true")

    def whole(self, key: str, low: int, high: int) -> int | None:
        """Take a whole number between two bounds."""
        return self.take(
            key,
            lambda v: whole(v, low, high),
            f"a whole number between {low} and {high}",
            str(max(low, min(4, high))),
        )

    def share(self, key: str) -> float | None:
        """Take a share between 0 and 1."""
        return self.take(
            key,
            lambda v: (
                float(v)
                if isinstance(v, int | float) and not isinstance(v, bool) and 0 <= v <= 1
                else None
            ),
            "a share between 0 and 1",
            "0.5",
        )

    def word(self, key: str, known: Collection[str]) -> str | None:
        """Take one of some words."""
        raw = self.take(
            key, lambda v: v if isinstance(v, str) else None, "a word", f'"{next(iter(known))}"'
        )
        if raw is not None and raw not in known:
            raise self.error(key, f"there is no `{raw}`.", near(raw, known))
        return raw

    def words(self, key: str) -> tuple[str, ...] | None:
        """Take a list of texts."""
        return self.take(key, _words, "a list of texts", '["lmp", "-in", "in.melt"]')

    def texts(self, key: str) -> dict[str, str]:
        """Take a table of texts."""
        return self.take(key, _texts, "a table of texts", '{ NAME = "value" }') or {}

    def items(self, key: str) -> list[Any] | None:
        """Take a list that is not empty."""
        return self.take(
            key,
            lambda v: v if isinstance(v, list) and v else None,
            "a list with something in it",
            "[...]",
        )

    def table(self, key: str) -> Table:
        """Take a table within; an empty one when it is not there."""
        self._known.append(key)
        return Table(self.source, (*self.path, key), self._data.pop(key, {}))

    def raw(self, key: str) -> object:
        """Return a key's value unchecked; None when it is absent."""
        self._known.append(key)
        return self._data.pop(key, None)

    def name(self, key: str, example: str) -> str | None:
        """Take a name that can be part of a job's name and of a path."""
        return self.take(
            key,
            lambda v: v if isinstance(v, str) and NAME.fullmatch(v) else None,
            "a name of at most 24 letters, digits, `_`, `.` and `-`",
            f'"{example}"',
        )

    def finish(self) -> None:
        """Raise an error for the first unknown key."""
        for key in self._data:
            raise self.error(key, "there is no such key.", near(key, self._known))


def whole(value: object, low: int, high: int) -> int | None:
    """Return a whole number within bounds, else None."""
    right = isinstance(value, int) and not isinstance(value, bool)
    return value if right and low <= value <= high else None  # type: ignore[operator,return-value]


def _words(value: object) -> tuple[str, ...] | None:
    if not isinstance(value, list) or not value:
        return None
    return tuple(value) if all(isinstance(v, str) and "\0" not in v for v in value) else None


def _texts(value: object) -> dict[str, str] | None:
    if not isinstance(value, dict):
        return None
    return (
        dict(value) if all(isinstance(v, str) and "\0" not in v for v in value.values()) else None
    )


def _shown(value: object) -> str:
    text = f'"{value}"' if isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
