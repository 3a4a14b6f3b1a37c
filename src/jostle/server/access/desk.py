"""Threads that process log-ins apart from all other requests: few at a time, in a bounded queue."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

_T = TypeVar("_T")
#: Log-ins at once, served and waiting: in all, from one address, and how many more places there are
#: for who has logged in from where he is before.
_MOST, _MOST_OF_ONE, _KEPT_FREE = 16, 4, 4
#: Time after which a client that found the queue full may retry, s.
AGAIN_S = 5
#: Most addresses to remember from which users logged in.
_MOST_FAMILIAR = 10_000


class Desk:
    """Threads that only process log-ins.

    Pages are served by other threads, however many clients try to log in.
    """

    def __init__(self, threads: int) -> None:
        """Begin no thread yet.

        Args:
            threads: Log-ins that are done at the same time.
        """
        self._threads = threads
        self._pool: ThreadPoolExecutor | None = None
        self._here: Counter[str] = Counter()
        self._guard = threading.Lock()

    def has_room(self, near: str, *, familiar: bool = False) -> bool:
        """Return whether one more may wait.

        Args:
            near: The address that he counts for.
            familiar: He has logged in from there before.
        """
        with self._guard:
            most = _MOST + (_KEPT_FREE if familiar else 0)
            return self._here.total() < most and self._here[near] < _MOST_OF_ONE

    async def ask(self, near: str, do: Callable[[], _T]) -> _T:
        """Run a function in one of these threads, once earlier requests are done.

        Args:
            near: The address that it counts for.
            do: What.
        """
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._threads, "log-in")

        def done(_future: Future[_T]) -> None:
            with self._guard:
                self._here[near] -= 1
                if not self._here[near]:
                    del self._here[near]

        with self._guard:
            self._here[near] += 1
        future = self._pool.submit(do)
        future.add_done_callback(done)
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """End the threads and drop waiting requests; a new request starts new threads."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None


class Familiar:
    """Addresses from which users logged in; failed tries do not change them."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, str], None] = {}

    def __contains__(self, place: tuple[str, str]) -> bool:
        """Return whether a name has been logged in from an address."""
        return place in self._places

    def add(self, name: str, near: str) -> None:
        """Note that it has; of too many, the least recently used one is forgotten."""
        self._places.pop((name, near), None)
        self._places[name, near] = None
        if len(self._places) > _MOST_FAMILIAR:
            del self._places[next(iter(self._places))]
