"""Allows slashes in names that are parts of a URL's path, such as a job named `a/b`."""

from __future__ import annotations

from urllib.parse import unquote

from starlette.convertors import Convertor, register_url_convertor
from starlette.types import ASGIApp, Receive, Scope, Send

#: Replacement of a slash within a part of a path; no name in a repository contains it.
_SLASH = "\x1f"


class _Name(Convertor[str]):
    regex = "[^/]+"

    def convert(self, value: str) -> str:
        return value.replace(_SLASH, "/")

    def to_string(self, value: str) -> str:
        return value.replace("/", _SLASH)


register_url_convertor("name", _Name())


class WholeNames:
    """Keeps parts of a path separate if one of them contains an encoded slash (%2F)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request with another character in place of each encoded slash."""
        raw = scope.get("raw_path") or b""
        if scope["type"] == "http" and b"%" in raw:
            parts = raw.decode("ascii", "replace").split("/")
            path = "/".join(unquote(part).replace("/", _SLASH) for part in parts)
            scope = {**scope, "path": path}
        await self._app(scope, receive, send)
