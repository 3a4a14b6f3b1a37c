"""The receiver: its sockets, the HTTP server, the keeper and the ingester, from start to end."""

from __future__ import annotations

import asyncio
import contextlib
import grp
import os
import resource
import signal
import socket
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from jostle.errors import UsageError
from jostle.receive.app import App
from jostle.receive.credentials import Credentials
from jostle.receive.ingester import IngestProcess
from jostle.receive.keeper import Keeper
from jostle.receive.munge import Munge
from jostle.receive.settings import ReceiveSettings
from jostle.receive.tokens import Tokens
from jostle.receive.usage import Usage

#: Time within which the header of a request must arrive, and time for which a connection without
#: requests is kept, s.
HEAD_S, IDLE_S = 20.0, 75
_MOST_HEAD = 16 << 10
_BACKLOG = 4096


class Visitor(H11Protocol):
    """An HTTP connection of a node or of the proxy, with time limits while it waits."""

    #: Connections without a request, those that have waited longest first.
    waiting: dict[Visitor, None] = {}  # noqa: RUF012
    most = 1000

    def __init__(self, *args: Any, **given: Any) -> None:
        super().__init__(*args, **given)
        self._late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin a connection; if there are too many, close the one that has been idle longest."""
        super().connection_made(transport)
        place = transport.get_extra_info("socket")
        is_proxied = place is not None and place.family == socket.AF_UNIX
        self.app_state = {**self.app_state, "proxied": is_proxied}
        if len(self.connections) > self.most:
            next(iter(self.waiting), self).transport.abort()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Note the end of the connection."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Handle a part of a request."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self._late is None:
            self._wait()

    def on_response_complete(self) -> None:
        """Note that the connection is idle again."""
        super().on_response_complete()
        if self.conn.their_state is h11.IDLE:
            self.waiting[self] = None

    def _wait(self) -> None:
        self._late = self.loop.call_later(HEAD_S, self.transport.abort)
        self.waiting[self] = None

    def _stop_waiting(self) -> None:
        self.waiting.pop(self, None)
        if self._late is not None:
            self._late.cancel()
            self._late = None


class Receiver:
    """The receiver: everything that `jostle receive` runs."""

    def __init__(
        self, settings: ReceiveSettings, repository: Path, warn: Callable[[str], None]
    ) -> None:
        """Open the mirror.

        Args:
            settings: Settings of the receiver.
            repository: Folder of the repository into which the mirror is ingested.
            warn: Function that is called with each warning of the ingester, and with messages for
                the operator.

        Raises:
            UsageError: The settings do not fit this machine.
        """
        self._settings = settings
        self._repository = repository
        self._warn = warn
        self._loop: asyncio.AbstractEventLoop | None = None
        tokens = Tokens(settings.tokens) if settings.tokens else None
        munge = Munge(settings.munge_socket) if settings.munge else None
        self._credentials = Credentials(tokens, munge, settings.munge_uids())
        self._keeper = Keeper(
            settings.mirror,
            Usage(settings.node_bytes, settings.user_bytes),
            self._changed,
            self._hand_out,
        )
        self._ingest: IngestProcess | None = None

    def run(self, ready: Callable[[str], None]) -> None:
        """Serve until SIGINT or SIGTERM, then ingest the received data that are left.

        Args:
            ready: Function that is called with the address once nodes can send requests.

        Raises:
            UsageError: An address cannot be used.
        """
        settings = self._settings
        with contextlib.ExitStack() as places:
            sockets = []
            address = ""
            if settings.listen:
                place = places.enter_context(_tcp(settings.listen))
                sockets.append(place)
                scheme = "https" if settings.tls_cert else "http"
                address = f"{scheme}://{settings.listen.rpartition(':')[0]}"
                address += f":{place.getsockname()[1]}"
            if settings.proxy_socket:
                sockets.append(
                    places.enter_context(_unix(settings.proxy_socket, settings.proxy_group))
                )
            self._ingest = IngestProcess(self._repository, settings.mirror, self._warn)
            self._keeper.start()
            # uvicorn raises the signal that ended it once more, which must not end us at once.
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            try:
                with contextlib.suppress(KeyboardInterrupt):
                    asyncio.run(self._serve(sockets, lambda: ready(address)))
            finally:
                self._keeper.end()
                self._ingest.end()

    async def _serve(self, sockets: list[socket.socket], ready: Callable[[], None]) -> None:
        assert self._ingest is not None
        self._loop = asyncio.get_running_loop()
        Visitor.most = _most_connections()
        app = App(self._settings, self._credentials, self._keeper, self._ingest, self._warn)
        watching = asyncio.create_task(app.watch_lag())
        server = _Server(
            uvicorn.Config(
                app,
                http=Visitor,
                ws="none",
                log_level="warning",
                access_log=False,
                proxy_headers=False,
                server_header=False,
                date_header=False,
                timeout_keep_alive=IDLE_S,
                timeout_graceful_shutdown=10,
                h11_max_incomplete_event_size=_MOST_HEAD,
                ssl_certfile=self._settings.tls_cert,
                ssl_keyfile=self._settings.tls_key,
                backlog=_BACKLOG,
            ),
            ready,
        )
        await server.serve(sockets=sockets)
        watching.cancel()

    def _changed(self, paths: Sequence[str]) -> None:
        if self._ingest is not None:
            self._ingest.changed(paths)

    def _hand_out(self, answers: Callable[[], None]) -> None:
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # closed: no client waits for the answers
                self._loop.call_soon_threadsafe(answers)


class _Server(uvicorn.Server):
    """uvicorn server that reports when it has started."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept connections."""
        await super().startup(sockets=sockets)
        self._ready()


@contextlib.contextmanager
def _tcp(listen: str) -> Iterator[socket.socket]:
    host, _, port = listen.rpartition(":")
    try:
        found = socket.getaddrinfo(
            host.strip("[]") or None, int(port), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        place = socket.create_server(found[0][4][:2], family=found[0][0], backlog=_BACKLOG)
    except (OSError, ValueError, OverflowError) as error:
        raise UsageError(
            f"{listen} cannot be used: {getattr(error, 'strerror', None) or error}.",
            hint="Use `--listen HOST:PORT`, such as `--listen 0.0.0.0:8643`; port 0 selects any "
            "free port.",
        ) from None
    with place:
        place.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield place


@contextlib.contextmanager
def _unix(path: Path, group: str) -> Iterator[socket.socket]:
    """Listen on a socket that its owner and one group may write to."""
    place = socket.socket(socket.AF_UNIX)
    try:
        with contextlib.suppress(FileNotFoundError):
            if stat.S_ISSOCK(path.lstat().st_mode):
                path.unlink()
        before = os.umask(0o177)
        try:
            place.bind(str(path))
        finally:
            os.umask(before)
        if group:
            os.chown(path, -1, grp.getgrnam(group).gr_gid)
            path.chmod(0o660)
        place.listen(_BACKLOG)
    except (OSError, KeyError) as error:
        place.close()
        raise UsageError(
            f"The socket {path} cannot be used: {getattr(error, 'strerror', None) or error}.",
            hint="Name a folder of the user who runs `jostle receive`, and a group that exists.",
        ) from None
    try:
        with place:
            yield place
    finally:
        with contextlib.suppress(OSError):
            path.unlink()


def _most_connections() -> int:
    """Return the largest number of connections; half of the descriptors are left for files."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY:
        hard = 1 << 16
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return min(hard // 2, 20_000)
