"""The middleware of all requests: checks host, sender and session, and adds security headers."""

from __future__ import annotations

import hmac
import logging
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from jostle.server.access import Access
from jostle.server.access.access import Known
from jostle.server.access.files import AccessError
from jostle.server.access.token import Token

_log = logging.getLogger("jostle.serve")
#: Content security policy: only files of this server, no inline scripts or styles.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "font-src 'self'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_HSTS = "max-age=31536000"
_MOST_BODY = 16_384
_MOST_HEADERS = 32_768
_READING = ("GET", "HEAD")
#: Path of the API that needs no log-in: the methods of log-in, and the log-in itself.
_OPEN = "/api/v1/login"


class AccessMiddleware:
    """Rejects requests that are not permitted, and adds the headers that keep a page safe."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if self._access.secure:
                    headers.setdefault("Strict-Transport-Security", _HSTS)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        request = Request(scope)
        try:
            app = self._turned_away(request)
        except AccessError as error:
            app = login_unavailable(error)
        if app is None and request.method not in _READING:
            body = await _body(request, receive)
            if body is None:
                app = problem(413, "The request is too long.", "No request of ours needs so much.")
            else:
                receive = _again(body, receive)
        await (app or self._app)(scope, receive, dressed)

    def _turned_away(self, request: Request) -> ASGIApp | None:
        """Return the answer to a request that is rejected; None if it is permitted."""
        access = self._access
        words = (*request.headers.raw, (request.scope["path"], request.scope["query_string"]))
        if sum(len(name) + len(value) for name, value in words) > _MOST_HEADERS:
            return problem(431, "The request is too long.", "Clear this server's cookies.")
        if not access.addresses(request.headers.get("host", "")):
            return problem(421, "This server has another name.", "Use the URL it was given.")
        if not access.comes_from(request):
            where = request.client.host if request.client else "an unknown place"
            _log.warning("refused: a request from %s that does not come from the proxy", where)
            return problem(
                403,
                "Only the proxy in front may send requests to this server.",
                "Use the proxy's address.",
            )
        token = request.query_params.get("token")
        if token is not None and request.method == "GET" and isinstance(access.way, Token):
            return self._enter(request, access.way, token)
        known = access.who(request)
        if known:
            request.scope["state"] = {
                **request.scope.get("state", {}),
                "viewer": known.viewer,
                "csrf": known.csrf,
            }
        if request.method not in _READING and not self._meant(request, known):
            return problem(
                403, "This request was not made by a page of this server.", "Load the page again."
            )
        if known or request.url.path == _OPEN:
            return None
        if request.url.path.startswith("/api/") or request.method not in _READING:
            return problem(401, "You are not logged in.", self._fix())
        return None  # the page that shows the log-in, and its style

    def _meant(self, request: Request, known: Known | None) -> bool:
        """Return whether a request that changes data was sent by a page of this server or a script.

        The check is needed because browsers send cookies, and proxies their header, also with
        requests that pages of other sites make.
        """
        headers = request.headers
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return False
        origin = headers.get("origin")
        ours = self._access.url or f"http://{headers.get('host', '')}"
        if origin is not None and origin != ours:
            return False
        if known is None:  # the log-in: a form on another site cannot send JSON
            kind = headers.get("content-type", "").partition(";")[0].strip()
            return kind == "application/json"
        sent = headers.get("x-csrf-token", "")
        return known.csrf is None or hmac.compare_digest(sent.encode(), known.csrf.encode())

    def _fix(self) -> str:
        if isinstance(self._access.way, Token):
            return "Open the URL that `jostle serve` printed."
        return f"Log in at {self._access.url}/login."

    def _enter(self, request: Request, way: Token, token: str) -> ASGIApp:
        """Begin a session if the token is right, and redirect to the URL without the token."""
        rest = [(k, v) for k, v in parse_qsl(request.url.query) if k != "token"]
        answer = RedirectResponse(
            own_path(request.url.path + (f"?{urlencode(rest)}" if rest else "")), 303
        )
        viewer = way.opens(token)
        if viewer:
            self._access.begin(viewer, request, answer)
        return answer


def own_path(text: str) -> str:
    r"""Return a text as a path on this server: "//host" or "/\host" could lead to another one."""
    return "/" + text.replace("\\", "/").lstrip("/")


async def _body(request: Request, receive: Receive) -> bytes | None:
    """Return the body of a request; None if it is too long."""
    length = request.headers.get("content-length", "0")
    if not length.isdigit() or int(length) > _MOST_BODY:
        return None
    body: bytes = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if len(body) > _MOST_BODY:
            return None
        if not message.get("more_body"):
            return body


def _again(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that first returns a body that was read before, then new messages."""
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def hand_out() -> Message:
        return messages.pop() if messages else await receive()

    return hand_out


def login_unavailable(error: AccessError) -> JSONResponse:
    """Return an answer that log-in does not work; the reason is only in the server's log."""
    _log.error("nobody can log in: %s %s", error, error.hint)
    return problem(500, "Log-in does not work now.", "Tell the server's operator.")


def problem(status: int, message: str, fix: str, *, detail: str = "") -> JSONResponse:
    """Return an error in the form of RFC 9457, with the hint as `fix`."""
    content = {
        "type": "about:blank",
        "title": message,
        "status": status,
        "detail": detail or None,
        "fix": fix or None,
    }
    return JSONResponse(content, status, media_type="application/problem+json")
