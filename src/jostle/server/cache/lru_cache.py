"""Answers kept in memory: the newest used ones, up to a number of bytes."""

from __future__ import annotations

import dataclasses
import secrets
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")
MOST_BYTES = 256 << 20
_ENTRY = 300  # bytes of an entry beside what it holds


@dataclasses.dataclass(frozen=True)
class _Entry:
    state: Hashable
    value: Any
    size: int


class Kept:
    """A store of answers; several who ask for one at once wait for the first."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        """Keep nothing yet.

        Args:
            most_bytes: What all answers together may take, as `weight` guesses.
        """
        self.bytes = 0
        #: Makes names of answers its own: another server, or a newer one, has others.
        self.salt = secrets.token_hex(8)
        self._most = most_bytes
        self._kept: OrderedDict[Hashable, _Entry] = OrderedDict()
        self._guard = threading.Lock()
        self._busy: dict[Hashable, threading.Lock] = {}

    def look(self, key: Hashable, state: Hashable = None) -> Any:
        """Return what is kept under a key, of this state; None: nothing."""
        with self._guard:
            found = self._kept.get(key)
            if found is None or found.state != state:
                return None
            self._kept.move_to_end(key)
            return found.value

    def put(self, key: Hashable, value: Any, state: Hashable = None) -> None:
        """Keep a value, and lets go of those that were not used for longest.

        Args:
            key: What it answers.
            value: The answer.
            state: What it is of: in place of that of another state, which nobody asks for again.
        """
        size = _ENTRY + weight(key) + weight(state) + weight(value)
        with self._guard:
            self._drop(self._kept.pop(key, None))
            if size > self._most:
                return
            self._kept[key] = _Entry(state, value, size)
            self.bytes += size
            while self.bytes > self._most:
                self._drop(self._kept.popitem(last=False)[1])

    def _drop(self, entry: _Entry | None) -> None:
        if entry is not None:
            self.bytes -= entry.size

    def once(self, key: Hashable, make: Callable[[], T], state: Hashable = None) -> T:
        """Return what is kept under a key, of this state, or makes it."""
        found: T | None = self.look(key, state)
        if found is not None:
            return found
        with self._guard:
            turn = self._busy.setdefault((key, state), threading.Lock())
        with turn:
            try:
                found = self.look(key, state)
                if found is None:
                    found = make()
                    self.put(key, found, state)
                return found
            finally:
                with self._guard:
                    self._busy.pop((key, state), None)


def weight(value: Any) -> int:
    """Guess how many bytes a value takes in memory."""
    size = getattr(value, "nbytes", None)
    if isinstance(size, int):  # arrays and tables
        return size + 64
    if isinstance(value, dict):
        return 64 + sum(weight(key) + weight(each) for key, each in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return 64 + sum(8 + weight(each) for each in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        return 64 + sum(weight(getattr(value, field.name)) for field in fields)
    return sys.getsizeof(value)
