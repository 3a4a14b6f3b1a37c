"""A header of the API's answers that says which data are missing because files are damaged."""

from __future__ import annotations

from urllib.parse import quote

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from jostle.repository import Repository
from jostle.repository.errors import FIX
from jostle.server.transport.error_paths import without_folders

#: Its value is percent-encoded UTF-8: names of files may contain any letters.
HEADER = "X-Jostle-Damage"
#: Most files that are named.
_MOST = 3


class DamageNotice:
    """Adds the header to answers as long as damaged files are left out; pages show it."""

    def __init__(self, app: ASGIApp, repository: Repository) -> None:
        self._app = app
        self._repository = repository

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request, and add the header to its answer."""
        if scope["type"] != "http" or not scope["path"].startswith("/api/"):
            await self._app(scope, receive, send)
            return

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start" and (text := self._text()):
                MutableHeaders(scope=message)[HEADER] = quote(text)
            await send(message)

        await self._app(scope, receive, dressed)

    def _text(self) -> str:
        lost = [damaged.missing() for damaged in self._repository.left_out().values()]
        if not lost:
            return ""
        more = [f"{len(lost) - _MOST} more files are damaged."] if len(lost) > _MOST else []
        fix = f"The operator can restore what is damaged from a backup, or run {FIX}."
        return without_folders(" ".join([*lost[:_MOST], *more, fix]), self._repository.path)
