"""How often somebody may try to log in."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

_SPAN_S = 60.0


class Limit:
    """Counts tries of the last minute, by whatever they have in common."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tries: dict[Any, list[float]] = {}
        self._guard = threading.Lock()

    def wait_s(self, *rules: tuple[Any, int]) -> float:
        """Counts a try.

        Args:
            rules: (what, how many tries of it a minute), each.

        Returns:
            0: go on; else the try does not count, and may be made after so many seconds.
        """
        now = self._clock()
        with self._guard:
            if len(self._tries) > 10_000:
                self._tries = {k: v for k, v in self._tries.items() if now - v[-1] < _SPAN_S}
            wait = 0.0
            for key, most in rules:
                recent = [t for t in self._tries.get(key, []) if now - t < _SPAN_S]
                if len(recent) >= most:
                    wait = max(wait, _SPAN_S - (now - recent[0]))
            if not wait:
                for key, _ in rules:
                    recent = [t for t in self._tries.get(key, []) if now - t < _SPAN_S]
                    self._tries[key] = [*recent, now]
            return wait
