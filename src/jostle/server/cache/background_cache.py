"""What takes seconds is made beside the pages, one thing at a time, and kept."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")

_KEPT = 32
_PERIOD_S = 60.0  # beside an ingester: no more often than this


@dataclass(frozen=True)
class Piece(Generic[T]):
    """Something that was made.

    Attributes:
        made: The thing.
        commit: Number of the repository's newest commit then.
        seconds: How long it took.
        at: When it was ready, seconds of a clock that only goes forward.
    """

    made: T
    commit: int
    seconds: float
    at: float


class Workshop:
    """Makes things in a thread; while a newer one is made, the last one is shown."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, Piece[Any]] = OrderedDict()
        self._making: dict[Hashable, Future[None]] = {}
        self._guard = threading.Lock()
        self._hand = ThreadPoolExecutor(1, thread_name_prefix="workshop")

    def ask(
        self, key: Hashable, commit: int, make: Callable[[], T], wait_s: float
    ) -> Piece[T] | None:
        """Return what is kept under a key; None while it is made.

        Args:
            key: Also says who asks, where not everybody may see the same.
            commit: Number of the repository's newest commit: what is older is made anew.
            make: Makes it.
            wait_s: How long to wait for it.

        Raises:
            Exception: What `make` raises.
        """
        with self._guard:
            kept = self._kept.get(key)
            fresh = kept is not None and (
                kept.commit == commit or time.monotonic() - kept.at < _PERIOD_S
            )
            making = self._making.get(key)
            if not fresh and making is None:
                making = self._making[key] = self._hand.submit(self._make, key, commit, make)
        if making is None or (kept is not None and not making.done()):
            return cast("Piece[T] | None", kept)
        try:
            making.result(wait_s)
        except TimeoutError:
            return None
        finally:
            if making.done():
                with self._guard:
                    if self._making.get(key) is making:
                        del self._making[key]
        with self._guard:
            return cast("Piece[T] | None", self._kept.get(key))

    def _make(self, key: Hashable, commit: int, make: Callable[[], Any]) -> None:
        begin = time.monotonic()
        made = make()
        end = time.monotonic()
        with self._guard:
            self._kept[key] = Piece(made, commit, end - begin, end)
            self._kept.move_to_end(key)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
