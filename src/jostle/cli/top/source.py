"""Sources of running jobs for `jostle top`: a repository, or a remote server."""

from __future__ import annotations

import http.client
import json
import os
import stat
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from jostle.errors import JostleError, UsageError

#: Function that returns a report as JSON-compatible values: `jostle.report.models.now.NowReport`.
Source = Callable[[], Mapping[str, Any]]
_PATIENCE_S = 10.0
_PATH = "/api/v1/now"


class ServerError(JostleError):
    """An error in a server's response."""


def of_repository(path: Path) -> Source:
    """Return the source for a repository.

    Raises:
        RepositoryError: There is no repository at this path.
    """
    from jostle.cli.options.common import open_repository
    from jostle.report.models.now import Now

    now = Now(open_repository(path))

    def ask() -> Mapping[str, Any]:
        now.refresh()
        return now.report().to_json()

    return ask


def of_server(url: str, token: str) -> Source:
    """Return the source for a server.

    Args:
        url: URL of `jostle serve`, such as https://jostle.example.
        token: Token for a session, from the server's page.

    Raises:
        UsageError: The text is not the URL of a server, or the token would be sent over a network
            without encryption.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(
            f"`{url}` is not the URL of a server.", hint="For example https://jostle.site"
        )
    if parts.scheme == "http" and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
        raise UsageError(
            "The token would be readable on the network, because the URL begins with http.",
            hint=f"Use https://{parts.netloc}, or an SSH tunnel to localhost.",
        )
    asked = urllib.request.Request(
        f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}{_PATH}",
        headers={"Authorization": f"Bearer {token}", "Accept": "application/json"},
    )
    opener = urllib.request.build_opener(_NoRedirect)

    def ask() -> Mapping[str, Any]:
        try:
            with opener.open(asked, timeout=_PATIENCE_S) as answer:
                found: Mapping[str, Any] = json.load(answer)
        except urllib.error.HTTPError as error:
            error.close()
            hint = "Make a new token on the server's page." if error.code in (401, 403) else ""
            raise ServerError(
                f"{parts.hostname} answered with HTTP status {error.code}.", hint=hint
            ) from error
        # URLError is an OSError; an answer that breaks off is an HTTPException.
        except (OSError, ValueError, http.client.HTTPException) as error:
            why = getattr(error, "reason", error)
            raise ServerError(
                f"{parts.hostname} cannot be reached: {why}.",
                hint="Check that `jostle serve` runs there.",
            ) from error
        return found

    return ask


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Handler that treats a redirect as an error, since it could send the token elsewhere."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Follow no redirect."""


def token_of(file: Path | None) -> str:
    """Return the token in a file, or in JOSTLE_TOKEN: never an argument, which others can read.

    Raises:
        UsageError: There is no token, or other users may read the file.
    """
    if file is None:
        if token := os.environ.get("JOSTLE_TOKEN", "").strip():
            return token
        raise UsageError(
            "A server wants a token.",
            hint="Create a token on the server's page, and store it in a file (--token-file) or in "
            "JOSTLE_TOKEN.",
        )
    try:
        if file.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH):
            raise UsageError(
                f"Others may read the token in {file}.", hint=f"Run `chmod 600 {file}`."
            )
        return file.read_text().strip()
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.") from error
