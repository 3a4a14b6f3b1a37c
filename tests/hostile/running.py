"""A running server, as `jostle serve` starts it, for clients that use its socket directly."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from jostle.repository import Repository
from jostle.server import Access, Server, create_app


@contextlib.contextmanager
def running(
    folder: Path,
    access: Access,
    cert: Path | None = None,
    key: Path | None = None,
    place: socket.socket | None = None,
) -> Iterator[tuple[str, int]]:
    """Serves an empty repository; gives the address.

    Args:
        folder: For the repository and the cache.
        access: Who may look.
        cert: Certificate, and the chain behind it (PEM); None: without TLS.
        key: Its key.
        place: Where it listens; None: on any free port.
    """
    repository = Repository(folder / "repository", create=True)
    app = create_app(repository.path, access, folder / "cache")
    place = place or socket.create_server(("127.0.0.1", 0), backlog=512)
    server = Server(app, access, cert, key)
    with place:
        thread = threading.Thread(target=server.run, args=([place],))
        thread.start()
        try:
            until(lambda: server.started)
            yield place.getsockname()
        finally:
            server.should_exit = True
            thread.join(60)
            assert not thread.is_alive()


def until(holds: Callable[[], object], seconds: float = 60) -> None:
    """Waits until something holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.01)


def is_closed(guest: socket.socket, seconds: float = 60) -> bool:
    """Whether the server closes a connection within so many seconds."""
    guest.settimeout(seconds)
    try:
        while guest.recv(65_536):
            pass
    except TimeoutError:
        return False
    except OSError:
        pass
    return True
