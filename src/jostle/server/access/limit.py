"""Limits the rate of log-in attempts."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any

_SPAN_S = 60.0
#: Most keys whose tries are counted; the least recently tried ones are dropped.
_MOST = 10_000


class Limit:
    """Counts the attempts of the last minute by key, such as a name or an address."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tries: dict[Any, list[float]] = {}
        self._guard = threading.Lock()

    def wait_s(self, *rules: tuple[Any, int]) -> float:
        """Count an attempt, unless it exceeds a limit.

        Args:
            rules: Pairs of a key and its largest number of attempts per minute.

        Returns:
            0 if the attempt is allowed; else the time until the next attempt is allowed, s. An
            attempt that is not allowed does not count.
        """
        now = self._clock()
        with self._guard:
            self._forget(now)
            wait = 0.0
            for key, most in rules:
                recent = self._recent(key, now)
                if len(recent) >= most:
                    wait = max(wait, _SPAN_S - (now - recent[0]))
            if not wait:
                for key, _ in rules:
                    recent = self._recent(key, now)
                    self._tries.pop(key, None)  # so that it moves behind all others
                    self._tries[key] = [*recent, now]
            return wait

    def _recent(self, key: Any, now: float) -> list[float]:
        return [t for t in self._tries.get(key, []) if now - t < _SPAN_S]

    def _forget(self, now: float) -> None:
        """Remove entries that are too old, and the oldest ones if there are too many."""
        while self._tries:
            first = next(iter(self._tries))
            if len(self._tries) <= _MOST and now - self._tries[first][-1] < _SPAN_S:
                return
            del self._tries[first]


def near(host: str) -> str:
    """Return the address to which limits apply; for IPv6, the /64 network."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if not isinstance(address, IPv6Address):
        return host
    return str(address.ipv4_mapped or ip_network((address, 64), strict=False))
