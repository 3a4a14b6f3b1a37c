"""The HTTP server, which ends without a word to the terminal though pages listen to it for ever."""

from __future__ import annotations

import socket

import uvicorn
from fastapi import FastAPI


class Server(uvicorn.Server):
    """Ends the streams of changes first: cut off, each is an error of its own in the log."""

    def __init__(self, app: FastAPI, config: uvicorn.Config) -> None:
        """Serves an application of `create_app` as `config`, made with it, says."""
        super().__init__(config)
        self._app = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Ends the streams, then the server."""
        await self._app.state.live.end()
        await super().shutdown(sockets)
