"""Limits repeated messages in the server's log."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator

#: Most records of a kind within a number of seconds.
MOST, SPAN_S = 5, 60.0
#: Most kinds of messages whose times are remembered.
_KNOWN = 1000
_LOGGERS = ("jostle.serve", "uvicorn.error", "asyncio")


class Few(logging.Filter):
    """Lets only the first few records of a kind through in each span of time.

    The first record in a later span reports how many were left out. Records with the same level,
    the same message without its arguments, and the same type of exception are of one kind, so all
    clients share a limit.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._said: dict[object, tuple[float, int]] = {}
        self._guard = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a record is written."""
        # asyncio puts details into the lines after the first.
        kind = record.exc_info[0] if record.exc_info else None
        if kind is not None and issubclass(kind, asyncio.CancelledError):
            return False  # a request was interrupted by the end of the server
        key, now = (record.levelno, str(record.msg).partition("\n")[0], kind), self._clock()
        with self._guard:
            if len(self._said) > _KNOWN:
                self._said.clear()
            since, said = self._said.get(key, (now, 0))
            left_out = 0
            if now - since >= SPAN_S:
                left_out, since, said = max(said - MOST, 0), now, 0
            self._said[key] = since, said + 1
        if left_out:
            record.msg = f"{record.msg} ({left_out} more like this were left out)"
        return said < MOST


@contextlib.contextmanager
def few_words() -> Iterator[None]:
    """Limit repeated messages in the log of a server, as long as the context lasts."""
    few = Few()
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    for logger in loggers:
        logger.addFilter(few)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(few)
