"""Names as parts of an address: a job may be called `a/b`."""

from __future__ import annotations

from urllib.parse import unquote

from starlette.convertors import Convertor, register_url_convertor
from starlette.types import ASGIApp, Receive, Scope, Send

#: Stands for a slash within a part of a path; no name in a repository has it.
_SLASH = "\x1f"


class _Name(Convertor[str]):
    regex = "[^/]+"

    def convert(self, value: str) -> str:
        return value.replace(_SLASH, "/")

    def to_string(self, value: str) -> str:
        return value.replace("/", _SLASH)


register_url_convertor("name", _Name())


class WholeNames:
    """Keeps the parts of a path apart where one of them holds an encoded slash (%2F)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        raw = scope.get("raw_path") or b""
        if scope["type"] == "http" and b"%" in raw:
            parts = raw.decode("ascii", "replace").split("/")
            path = "/".join(unquote(part).replace("/", _SLASH) for part in parts)
            scope = {**scope, "path": path}
        await self._app(scope, receive, send)
