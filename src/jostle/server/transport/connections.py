"""Limits on connections: their number, and the time that each may keep the server waiting."""

from __future__ import annotations

import asyncio
import logging
import resource
from collections.abc import Sequence
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from jostle.server.access.limit import near
from jostle.server.access.proxy import Net, is_from

_log = logging.getLogger("jostle.serve")
#: Time limits of a TLS handshake, and of each request from its first byte to its last, s.
HANDSHAKE_S, REQUEST_S = 10.0, 20.0
#: Least bytes that a client must receive in a time, s; else the connection is closed.
LEAST_TAKEN, SLOW_S = 65_536, 60.0
#: Most concurrent connections, in total and from one address.
MOST, MOST_OF_ONE = 1000, 100


class Connection:
    """A connection, from the moment it is accepted.

    Attributes:
        near: Address whose limit the connection counts towards. None: it counts towards none, since
            it comes from a proxy, which serves all clients.
    """

    def __init__(self, limiter: ConnectionLimiter, near: str | None) -> None:
        """Create the connection; closing it cancels the task that calls this."""
        self.near = near
        self._limiter = limiter
        self._task = asyncio.current_task()
        self._late: asyncio.TimerHandle | None = None

    def wait(self, seconds: float) -> None:
        """Close the connection after a time, unless `arrived` is called before."""
        if self._late is None:
            self._late = asyncio.get_running_loop().call_later(seconds, self.close)
            self._limiter.waiting(self)

    def arrived(self) -> None:
        """End the wait: the request has arrived."""
        if self._late is not None:
            self._late.cancel()
            self._late = None
            self._limiter.arrived(self)

    def close(self) -> None:
        """Close the connection in any state."""
        self.arrived()
        if self._task is not None:
            self._task.cancel()


class ConnectionLimiter:
    """The connections of a server, limited in number.

    If there are too many, the connection that has waited longest for a request is closed. So
    clients with requests are served, also if others only hold connections.
    """

    def __init__(self, most: int, proxies: Sequence[Net] = ()) -> None:
        """Start without connections.

        Args:
            most: Largest number of concurrent connections.
            proxies: Addresses for which the limit of connections per address does not apply.
        """
        self._most = most
        self._proxies = proxies
        self._entries: dict[str | None, set[Connection]] = {}
        #: Connections without a request, those that have waited longest first, by address.
        self._waiting: dict[str | None, dict[Connection, None]] = {}
        self._all_waiting: dict[Connection, None] = {}

    def __len__(self) -> int:
        """Return the number of connections."""
        return sum(map(len, self._entries.values()))

    def enter(self, host: str) -> Connection | None:
        """Register a connection; None: there are too many.

        Args:
            host: Address of the connection.
        """
        where = None if is_from(host, self._proxies) else near(host)
        from_one = where is not None and len(self._entries.get(where, ())) >= MOST_OF_ONE
        if from_one or len(self) >= self._most:
            _log.warning(
                "too many connections%s: idle ones are closed first",
                f" from {host}" if from_one else "",
            )
            waiting = self._waiting.get(where, {}) if from_one else self._all_waiting
            if not waiting:
                return None
            oldest = next(iter(waiting))
            oldest.close()
            self.leave(oldest)
        entry = Connection(self, where)
        self._entries.setdefault(where, set()).add(entry)
        return entry

    def leave(self, entry: Connection) -> None:
        """Release a connection's slot; a second release does nothing."""
        entry.arrived()
        there = self._entries.get(entry.near, set())
        there.discard(entry)
        if not there:
            self._entries.pop(entry.near, None)

    def waiting(self, entry: Connection) -> None:
        """Note that the connection waits for a request."""
        self._waiting.setdefault(entry.near, {})[entry] = None
        self._all_waiting[entry] = None

    def arrived(self, entry: Connection) -> None:
        """Note that the request has arrived, or will not arrive."""
        there = self._waiting[entry.near]
        del there[entry], self._all_waiting[entry]
        if not there:
            del self._waiting[entry.near]


class Client(H11Protocol):
    """The requests and answers of a connection, each with a time limit.

    Attributes:
        gone: Whether the connection has ended.
    """

    def __init__(self, entry: Connection, **given: Any) -> None:
        super().__init__(**given)
        self.gone = asyncio.Event()
        self._entry = entry
        self._slow: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request, after the TLS handshake."""
        super().connection_made(transport)
        # Report all unsent bytes: 0 would mean always with TLS.
        transport.set_write_buffer_limits(high=1, low=0)
        self._entry.arrived()
        self._entry.wait(REQUEST_S)

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that the connection has ended."""
        super().connection_lost(exc)
        self._heed(None)
        self.gone.set()

    def data_received(self, data: bytes) -> None:
        """Handle a part of a request."""
        super().data_received(data)
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self._entry.wait(REQUEST_S)
        else:
            self._entry.arrived()

    def pause_writing(self) -> None:
        """Note that a part of the answer waits for the client."""
        super().pause_writing()
        self._heed(self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        """Note that the client has taken the whole answer."""
        super().resume_writing()
        self._heed(None)

    def _heed(self, left: int | None) -> None:
        """Check later whether the client has taken enough of `left` unsent bytes; None: stop."""
        if self._slow is not None:
            self._slow.cancel()
            self._slow = None
        if left is not None:
            self._slow = self.loop.call_later(SLOW_S, self._look, left)

    def _look(self, before: int) -> None:
        left = self.transport.get_write_buffer_size()
        if before - left < LEAST_TAKEN:
            self._entry.close()
        else:
            self._heed(left)


def most_connections() -> int:
    """Raise the limit of open files, and return the largest number of connections.

    Half of the file descriptors are left for files. Without free descriptors, the server could
    neither read nor log, and could accept no connection to report that.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return MOST if hard == resource.RLIM_INFINITY else min(MOST, hard // 2)
