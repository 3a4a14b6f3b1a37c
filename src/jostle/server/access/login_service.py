"""Threads that process log-ins separately from other requests, with a bounded queue."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

_T = TypeVar("_T")
#: Most log-ins at once, served and waiting: in total, from one address, and additional ones for
#: users who logged in from their address before.
_MOST, _MOST_OF_ONE, _RESERVED = 16, 4, 4
#: Time after which a client that found the queue full may retry, s.
AGAIN_S = 5
#: Most addresses to remember from which users logged in.
_MOST_KNOWN = 10_000


class LoginService:
    """Threads that only process log-ins.

    Pages are served by other threads, however many clients try to log in.
    """

    def __init__(self, threads: int) -> None:
        """Prepare the threads; the first request starts them.

        Args:
            threads: Number of concurrent log-ins.
        """
        self._threads = threads
        self._pool: ThreadPoolExecutor | None = None
        self._here: Counter[str] = Counter()
        self._guard = threading.Lock()

    def has_room(self, near: str, *, known: bool = False) -> bool:
        """Return whether the queue has space for a further log-in from an address.

        Args:
            near: The client's address, as from `limit.near`.
            known: Whether the user has logged in from this address before.
        """
        with self._guard:
            most = _MOST + (_RESERVED if known else 0)
            return self._here.total() < most and self._here[near] < _MOST_OF_ONE

    async def ask(self, near: str, do: Callable[[], _T]) -> _T:
        """Run a function in one of these threads, once earlier requests are done.

        Args:
            near: The client's address, as from `limit.near`.
            do: Function to run.
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


class KnownDevices:
    """Addresses from which users logged in; failed attempts do not change them."""

    def __init__(self) -> None:
        self._addresses: dict[tuple[str, str], None] = {}

    def __contains__(self, entry: tuple[str, str]) -> bool:
        """Return whether a user (name, address) has logged in from the address."""
        return entry in self._addresses

    def add(self, name: str, near: str) -> None:
        """Add an address of a user; beyond the limit, the least recently used is dropped."""
        self._addresses.pop((name, near), None)
        self._addresses[name, near] = None
        if len(self._addresses) > _MOST_KNOWN:
            del self._addresses[next(iter(self._addresses))]
