"""Log-in on loopback: by the token in the URL that the server printed."""

from __future__ import annotations

import getpass
import hmac
import os
import secrets
from typing import Final

from starlette.requests import Request

from jostle.server.access.viewer import Viewer


class Token:
    """The method of log-in on loopback, for the user who started the server.

    Attributes:
        token: Secret that opens a session; part of the URL that `jostle serve` prints.
    """

    kind: Final = "token"

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(24)
        # This user can read the whole repository anyway.
        self._viewer = Viewer(getpass.getuser(), os.getuid(), "administrator")

    def opens(self, token: str) -> Viewer | None:
        """Return the viewer of a token; None: the token is wrong."""
        good = hmac.compare_digest(token.encode(errors="replace"), self.token.encode())
        return self._viewer if good else None

    def viewer(self, request: Request) -> Viewer | None:
        """Return the viewer of a script's `Authorization` header."""
        return self.opens(bearer(request))


def bearer(request: Request) -> str:
    """Return the bearer token of a request's `Authorization` header; "": none."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""
