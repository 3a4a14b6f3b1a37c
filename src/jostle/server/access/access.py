"""Decides which requests are admitted, and identifies their users."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from jostle.server.access.accounts import Accounts
from jostle.server.access.audit import Audit
from jostle.server.access.files import AccessError
from jostle.server.access.limit import Limit
from jostle.server.access.login_service import KnownDevices, LoginService
from jostle.server.access.oidc import OpenId
from jostle.server.access.proxy import SECRET_HEADER, Net, ProxyHeader, is_from
from jostle.server.access.sessions import Sessions, csrf
from jostle.server.access.token import Token, bearer
from jostle.server.access.viewer import Viewer

#: Names under which a browser reaches a loopback address; a request with any other name is an
#: attack by DNS rebinding.
LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
LoginMethod = Token | OpenId | ProxyHeader | Accounts
#: Path of the metrics for monitoring systems. They send a token of their own, because they cannot
#: log in as a user does, again every week.
METRICS = "/api/v1/openmetrics"
_MONITOR = Viewer("monitoring", None, "support")


@dataclass(frozen=True)
class Known:
    """The user behind a request.

    Attributes:
        viewer: The user.
        csrf: CSRF token, which a request that changes data must contain. None for a script, which
            needs none: no other site can make a browser send the token of a script.
    """

    viewer: Viewer
    csrf: str | None


class Access:
    """Access control of a server's pages.

    Attributes:
        way: The method of log-in.
        sessions: The sessions of logged-in users.
        tries: Limit of the rate of log-in attempts.
        login_service: Threads in which log-ins are processed.
        known_devices: Addresses from which users logged in before.
        audit: The record of accesses to other users' jobs. None: no record is written. This is so
            on loopback, where the only viewer can read the repository directly.
        url: URL of the server for browsers, without a final slash; "" on loopback.
        proxies: The only addresses from which requests are accepted; None: all.
    """

    def __init__(
        self,
        way: LoginMethod | None = None,
        *,
        url: str = "",
        audit: Audit | None = None,
        proxies: Sequence[Net] | None = None,
        proxy_secret: str | None = None,
        metrics_token: str | None = None,
    ) -> None:
        """Set up access control.

        Args:
            way: Method of log-in; None: by a token, on loopback.
            url: URL of the server for browsers.
            audit: The record of accesses to other users' jobs.
            proxies: The only addresses from which requests are accepted; None: all.
            proxy_secret: Secret that the proxy sends in SECRET_HEADER; None: its address suffices
                as proof.
            metrics_token: Bearer token that gives access only to the metrics of all jobs; None:
                there is none.
        """
        self.way = way or Token()
        self.sessions = Sessions()
        self.tries = Limit()
        # A password hash takes 64 MB: one at a time. Log-ins at an issuer mostly wait for it.
        self.login_service = LoginService(1 if isinstance(self.way, Accounts) else 4)
        self.known_devices = KnownDevices()
        self.audit = audit
        self.url = url
        self.proxies = proxies
        self._proxy_secret = proxy_secret
        self._metrics_token = metrics_token
        self._key = secrets.token_bytes(32)
        named = urlsplit(url).hostname
        self._hosts = (
            LOOPBACK if not named else frozenset({f"[{named}]" if ":" in named else named})
        )

    @property
    def token(self) -> str:
        """On loopback, the token in the URL that the server prints."""
        if not isinstance(self.way, Token):
            raise TypeError("There is a token on loopback only.")
        return self.way.token

    @property
    def secure(self) -> bool:
        """Whether browsers reach the server through TLS."""
        return self.url.startswith("https:")

    @property
    def cookie(self) -> str:
        """Name of the session's cookie; each server on loopback has its own."""
        mark = hashlib.sha256(self._key).hexdigest()[:8]
        return "__Host-jostle" if self.secure else f"jostle-{mark}"

    def addresses(self, host: str) -> bool:
        """Return whether a `Host` header names this server."""
        name = host if host.endswith("]") else host.rpartition(":")[0] or host
        return name.lower() in self._hosts

    def comes_from(self, request: Request) -> bool:
        """Return whether a request comes from an accepted address, and has the proxy's secret.

        The secret is only required if one is configured, because other processes share the proxy's
        address.
        """
        host = request.client.host if request.client else None
        sent = request.headers.get(SECRET_HEADER, "")
        return (self.proxies is None or is_from(host, self.proxies)) and (
            self._proxy_secret is None
            or hmac.compare_digest(sent.encode(), self._proxy_secret.encode())
        )

    def address(self, request: Request) -> str:
        """Return the client's address; behind a proxy, the one that the proxy reports."""
        if self.proxies is not None:
            # The proxy appended the last address; the client may have sent those before it.
            chain = ",".join(request.headers.getlist("x-forwarded-for"))
            client = chain.rpartition(",")[2].strip()
            if client and len(client) <= 64:
                return client
        return request.client.host if request.client else ""

    def who(self, request: Request) -> Known | None:
        """Return the user of a request; None if it is not admitted."""
        known = self._who(request)
        if known is None:
            return None
        return replace(known, viewer=replace(known.viewer, address=self.address(request)))

    def is_still(self, viewer: Viewer, request: Request) -> bool:
        """Return whether an earlier request of a viewer would still be admitted as that viewer's.

        The call does not prolong the session, so that an open event stream alone does not keep a
        session alive.
        """
        try:
            known = self._who(request, is_use=False)
        except AccessError:  # the file of accounts cannot be read: no user is admitted
            return False
        return known is not None and known.viewer == viewer

    def _who(self, request: Request, *, is_use: bool = True) -> Known | None:
        if self._monitors(request):
            return Known(_MONITOR, None)
        if isinstance(self.way, ProxyHeader):
            viewer = self.way.viewer(request)
            return Known(viewer, self._csrf(viewer.name)) if viewer else None
        token = bearer(request)
        if token:
            viewer = self._bearer(token, is_use)
            return Known(viewer, None) if viewer else None
        secret = request.cookies.get(self.cookie, "")
        viewer = self._session(secret, is_use) if secret else None
        return Known(viewer, csrf(secret)) if viewer else None

    def _monitors(self, request: Request) -> bool:
        """Return whether a request is for the metrics, and has the token for them."""
        sent, token = bearer(request), self._metrics_token
        if token is None or request.url.path != METRICS or request.method not in ("GET", "HEAD"):
            return False
        return hmac.compare_digest(sent.encode(errors="replace"), token.encode())

    def _bearer(self, token: str, is_use: bool) -> Viewer | None:
        return (
            self.way.opens(token) if isinstance(self.way, Token) else self._session(token, is_use)
        )

    def _session(self, secret: str, is_use: bool) -> Viewer | None:
        return self.sessions.find(secret, self._proof, is_use=is_use)

    def _csrf(self, name: str) -> str:
        """Return the CSRF token of a user whom the proxy has logged in."""
        return hmac.new(self._key, name.encode(), hashlib.sha256).hexdigest()

    def begin(self, viewer: Viewer, request: Request, answer: Response) -> str:
        """Begin a session, end the browser's previous one, and return the new secret."""
        self.sessions.end(request.cookies.get(self.cookie, ""))
        secret = self.sessions.begin(viewer, proof=self.proof(viewer))
        answer.set_cookie(
            self.cookie, secret, httponly=True, samesite="strict", path="/", secure=self.secure
        )
        return secret

    def proof(self, viewer: Viewer) -> str:
        """Return a text on which the viewer's sessions depend: they end when it changes."""
        return self._proof(viewer.name)

    def _proof(self, name: str) -> str:
        """Return this text for a login name: its password's hash, and its entry in the roles."""
        if isinstance(self.way, Token):
            return ""
        password = self.way.proof(name) if isinstance(self.way, Accounts) else ""
        return f"{password} {self.way.roles.now().mark(name)}"

    def end(self, request: Request, answer: Response) -> None:
        """End the session of a request."""
        # A script ends its own token only, whatever cookie it sends as well.
        self.sessions.end(bearer(request) or request.cookies.get(self.cookie, ""))
        self._forget(answer)

    def end_all(self, viewer: Viewer, answer: Response) -> None:
        """End all sessions of a viewer, and the viewer's tokens for scripts."""
        self.sessions.end_all(viewer.name)
        self._forget(answer)

    def _forget(self, answer: Response) -> None:
        answer.delete_cookie(
            self.cookie, httponly=True, samesite="strict", path="/", secure=self.secure
        )
