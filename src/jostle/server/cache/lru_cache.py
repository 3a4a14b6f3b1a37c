"""A cache in memory that holds the most recently used values, up to a number of bytes."""

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
_ENTRY = 300  # bytes of an entry in addition to its content


@dataclasses.dataclass(frozen=True)
class _Entry:
    state: Hashable
    value: Any
    size: int


class LruCache:
    """A least-recently-used cache, limited in bytes, whose concurrent callers share one result.

    Attributes:
        bytes: Estimated size of all entries.
        salt: Random text of this cache: it makes ETags unique to this server process.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        """Create an empty cache.

        Args:
            most_bytes: Largest size of all entries together, as estimated by `weight`.
        """
        self.bytes = 0
        self.salt = secrets.token_hex(8)
        self._most = most_bytes
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        self._guard = threading.Lock()
        self._busy: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, state: Hashable = None) -> Any:
        """Return the value of a key if it was stored with this state of the data, else None."""
        with self._guard:
            entry = self._entries.get(key)
            if entry is None or entry.state != state:
                return None
            self._entries.move_to_end(key)
            return entry.value

    def put(self, key: Hashable, value: Any, state: Hashable = None) -> None:
        """Store a value and evict the least recently used ones.

        Args:
            key: Key of the value.
            value: Value to store.
            state: State of the data from which the value was computed; a value that was stored with
                a different state is replaced.
        """
        size = _ENTRY + weight(key) + weight(state) + weight(value)
        with self._guard:
            self._drop(self._entries.pop(key, None))
            if size > self._most:
                return
            self._entries[key] = _Entry(state, value, size)
            self.bytes += size
            while self.bytes > self._most:
                self._drop(self._entries.popitem(last=False)[1])

    def _drop(self, entry: _Entry | None) -> None:
        if entry is not None:
            self.bytes -= entry.size

    def get_or_make(self, key: Hashable, make: Callable[[], T], state: Hashable = None) -> T:
        """Return the value of a key for this state; if there is none, compute and store it."""
        value: T | None = self.get(key, state)
        if value is not None:
            return value
        with self._guard:
            turn = self._busy.setdefault((key, state), threading.Lock())
        with turn:
            try:
                value = self.get(key, state)
                if value is None:
                    value = make()
                    self.put(key, value, state)
                return value
            finally:
                with self._guard:
                    self._busy.pop((key, state), None)


def weight(value: Any) -> int:
    """Estimate how many bytes a value takes in memory."""
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
