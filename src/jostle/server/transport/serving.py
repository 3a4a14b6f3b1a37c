"""The HTTP server, which limits the number of connections and ends without error messages."""

from __future__ import annotations

import asyncio
import logging
import socket
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from jostle.server.access import Access
from jostle.server.transport.connections import (
    HANDSHAKE_S,
    Client,
    ConnectionLimiter,
    most_connections,
)
from jostle.server.transport.quiet_log import few_words

_log = logging.getLogger("jostle.serve")
#: Pause after a connection that could not be accepted, s.
_PAUSE_S = 1.0


class Server(uvicorn.Server):
    """A uvicorn server that accepts connections itself, one by one.

    asyncio would not count connections that are in their TLS handshake. Without a free file
    descriptor it would log an error two thousand times a second.
    """

    def __init__(
        self, app: FastAPI, access: Access, cert: Path | None = None, key: Path | None = None
    ) -> None:
        """Serve an application of `create_app`.

        Args:
            app: The application.
            access: The access control of the application.
            cert: Certificate with its chain (PEM); None: without TLS.
            key: Private key of the certificate.
        """
        super().__init__(
            uvicorn.Config(
                app,
                http="h11",  # the protocol of `Client`
                ws="none",
                ssl_certfile=cert,
                ssl_keyfile=key,
                log_level="warning",
                access_log=False,  # it would contain the token
                proxy_headers=False,  # the client is known by the connection and Access.address
                server_header=False,
                timeout_graceful_shutdown=1,  # no wait for long requests
            )
        )
        self._app = app
        self._access = access
        self._accepting: list[asyncio.Task[None]] = []
        self._served: set[asyncio.Task[None]] = set()

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until a signal to end."""
        with few_words():
            await super().serve(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept connections."""
        await super().startup(sockets=[])
        limiter = ConnectionLimiter(most_connections(), self._access.proxies or ())
        for place in sockets or []:
            place.setblocking(False)
            self._accepting.append(asyncio.create_task(self._accept(place, limiter)))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End open requests, then the server; interrupted requests would be errors in the log."""
        for task in self._accepting:
            task.cancel()
        await self._app.state.context.live.end()
        self._access.login_service.close()
        await asyncio.to_thread(self._app.state.verdict_queue.end)
        await super().shutdown(sockets)

    async def _accept(self, place: socket.socket, limiter: ConnectionLimiter) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, (host, *_) = await loop.sock_accept(place)
            except ConnectionAbortedError:
                continue
            except OSError as error:
                _log.error("no connection can be accepted: %s", error.strerror)
                await asyncio.sleep(_PAUSE_S)
                continue
            task = asyncio.create_task(self._welcome(connection, host, limiter))
            self._served.add(task)
            task.add_done_callback(self._served.discard)
            await asyncio.sleep(0)  # else all waiting ones would be accepted before one is served

    async def _welcome(
        self, connection: socket.socket, host: str, limiter: ConnectionLimiter
    ) -> None:
        """Serve a connection; cancelling the task closes it."""
        entry = limiter.enter(host)
        if entry is None:
            connection.close()
            return
        entry.wait(HANDSHAKE_S)
        transport: asyncio.BaseTransport | None = None
        try:
            transport, client = await asyncio.get_running_loop().connect_accepted_socket(
                lambda: Client(
                    entry,
                    config=self.config,
                    server_state=self.server_state,
                    app_state=self.lifespan.state,
                ),
                connection,
                ssl=self.config.ssl,
            )
            await client.gone.wait()
        except OSError:
            pass  # the handshake failed
        finally:
            if isinstance(transport, asyncio.Transport):
                transport.abort()
            limiter.leave(entry)
