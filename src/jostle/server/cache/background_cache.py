"""A cache of results that take seconds; a background thread computes them one at a time."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")

_MOST_RESULTS = 32
#: Shortest age of a result before it is made again, s: an ingester commits often.
_PERIOD_S = 60.0


@dataclass(frozen=True)
class CachedResult(Generic[T]):
    """A result, and the state of the repository from which it was computed.

    Attributes:
        value: The result.
        commit: Number of the repository's newest commit when the computation began.
        seconds: Duration of the computation, in seconds.
        at: Time at which the computation ended, s of the monotonic clock.
    """

    value: T
    commit: int
    seconds: float
    at: float


class BackgroundCache:
    """Computes results in a thread; until a new one is ready, the previous one is returned."""

    def __init__(self) -> None:
        self._results: OrderedDict[Hashable, CachedResult[Any]] = OrderedDict()
        self._making: dict[Hashable, Future[None]] = {}
        self._guard = threading.Lock()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="background-cache")

    def ask(
        self, key: Hashable, commit: int, make: Callable[[], T], wait_s: float
    ) -> CachedResult[T] | None:
        """Return the newest result of a key; None while the first result is computed.

        Args:
            key: Key of the result, including the viewer's rights if the result depends on them.
            commit: Number of the repository's newest commit; an older result is computed again.
            make: Function that computes the result.
            wait_s: Time to wait for the result, in seconds.

        Raises:
            Exception: Any error of `make`.
        """
        with self._guard:
            cached = self._results.get(key)
            fresh = cached is not None and (
                cached.commit == commit or time.monotonic() - cached.at < _PERIOD_S
            )
            making = self._making.get(key)
            if not fresh and making is None:
                making = self._making[key] = self._pool.submit(self._make, key, commit, make)
        if making is None or (cached is not None and not making.done()):
            return cast("CachedResult[T] | None", cached)
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
            return cast("CachedResult[T] | None", self._results.get(key))

    def _make(self, key: Hashable, commit: int, make: Callable[[], Any]) -> None:
        begin = time.monotonic()
        value = make()
        end = time.monotonic()
        with self._guard:
            self._results[key] = CachedResult(value, commit, end - begin, end)
            self._results.move_to_end(key)
            while len(self._results) > _MOST_RESULTS:
                self._results.popitem(last=False)
