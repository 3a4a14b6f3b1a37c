"""Routes of log-in and log-out, the current user, and the record of accesses to others' jobs."""

from __future__ import annotations

import logging
import math
from typing import Annotated
from urllib.parse import quote, unquote, urlencode

from fastapi import HTTPException, Query, Request
from fastapi.responses import RedirectResponse, Response

from jostle.names.users import owner_name
from jostle.server.access import Access, Looking, Viewer
from jostle.server.access.accounts import Accounts
from jostle.server.access.limit import near
from jostle.server.access.login_service import AGAIN_S
from jostle.server.access.oidc import OpenId, OpenIdError
from jostle.server.access.sessions import WHOLE_S, csrf
from jostle.server.access.settings import RETURN
from jostle.server.context import Context, ServerContext
from jostle.server.schemas.login import AccessRecords, Me, Name, Password, ScriptToken, WayIn
from jostle.server.transport.middleware import own_path
from jostle.server.transport.routers import api_router

router = api_router()
_log = logging.getLogger("jostle.serve")
#: Most tries per minute: of one name from one address, from one address, and of one name from all
#: addresses from which that user never logged in.
_TRIES, _TRIES_OF_ADDRESS, _TRIES_OF_NAME = 5, 30, 20
#: Log-ins at an issuer that one address may begin per minute, so that it cannot displace those of
#: others.
_BEGUN = 60
#: How long a browser keeps the cookie of a log-in at the issuer, s, and the longest path in it:
#: browsers drop longer cookies.
_MARKED_S, _MOST_MARKED = 3600, 3000


@router.get("/api/v1/me", operation_id="me", tags=["access"])
def me(context: Context, viewer: Looking, request: Request) -> Me:
    """Return the current user, and what the user may see."""
    return _me(context, viewer, request.state.csrf)


@router.post("/api/v1/logout", operation_id="logout", tags=["access"], status_code=204)
def logout(
    context: Context,
    viewer: Looking,
    request: Request,
    everywhere: Annotated[
        bool,
        Query(
            description="end all sessions and tokens of the user; not allowed with a token for "
            "scripts"
        ),
    ] = False,
) -> Response:
    """End the session to which the request's cookie belongs, or the token of a script."""
    answer = Response(status_code=204)
    if everywhere:
        _no_script(request)
        context.access.end_all(viewer, answer)
    else:
        context.access.end(request, answer)
    return answer


@router.post("/api/v1/token", operation_id="token", tags=["access"])
def script_token(context: Context, viewer: Looking, request: Request) -> ScriptToken:
    """Create a token for scripts; it ends after seven days, at log-out, or with the server.

    A script may not create a token, since a stolen token could otherwise be renewed for ever.
    """
    _no_script(request)
    if context.access.way.kind == "proxy":
        raise HTTPException(409, "Scripts must use the proxy, as users do.")
    token = context.access.sessions.begin(
        viewer, proof=context.access.proof(viewer), idle_s=WHOLE_S
    )
    return ScriptToken(token=token, seconds=int(WHOLE_S))


def _no_script(request: Request) -> None:
    """Refuse a request that a script sent with its token."""
    if request.state.csrf is None:
        raise HTTPException(
            403, "A token for scripts is not allowed to do this. Log in, and use the page `/login`."
        )


@router.get("/api/v1/login", operation_id="way_in", tags=["access"])
def way_in(context: Context) -> WayIn:
    """Return the method of log-in; this request needs no log-in."""
    return WayIn(way=context.access.way.kind)


@router.post("/api/v1/login", operation_id="login", tags=["access"])
async def login(context: Context, entry: Password, request: Request, answer: Response) -> Me:
    """Log in with a local account."""
    way = context.access.way
    if not isinstance(way, Accounts):
        raise HTTPException(409, "This server has no local accounts.")
    address = context.access.address(request)
    client = near(address)
    known = (entry.name, client) in context.access.known_devices
    if not context.access.login_service.has_room(client, known=known):
        _log.warning("log-in held back: too many at once; this one from %s", address)
        headers = {"Retry-After": str(AGAIN_S)}
        raise HTTPException(
            503, "Too many users are logging in at present. Try again soon.", headers
        )
    rules = [(("name", entry.name, client), _TRIES), (("address", client), _TRIES_OF_ADDRESS)]
    if not known:  # guesses from elsewhere must not lock users out of their usual addresses
        rules.append((("name", entry.name), _TRIES_OF_NAME))
    wait_s = context.access.tries.wait_s(*rules)
    if wait_s:
        seconds = math.ceil(wait_s)
        _log.warning("log-in held back: too many tries; this one from %s", address)
        raise HTTPException(
            429, f"Too many tries. Wait {seconds} s.", {"Retry-After": str(seconds)}
        )

    def enter() -> Me | None:
        viewer = way.enter(entry.name, entry.password)
        if viewer is None:
            return None
        return _me(context, viewer, csrf(context.access.begin(viewer, request, answer)))

    me = await context.access.login_service.ask(client, enter)
    if me is None:
        # NOTE: the name is not logged: users type passwords there.
        _log.warning("log-in refused: wrong name or password, from %s", address)
        raise HTTPException(401, "Name or password is wrong.")
    context.access.known_devices.add(entry.name, client)
    return me


@router.get("/login/oidc", include_in_schema=False)
async def start(
    context: Context, request: Request, then: Annotated[str, Query(max_length=2000)] = "/"
) -> Response:
    """Redirect a browser to the issuer, where its user logs in."""
    way = context.access.way
    if not isinstance(way, OpenId):
        return RedirectResponse("/login", 303)
    then = own_path(then)
    address = context.access.address(request)
    client = near(address)
    if not context.access.login_service.has_room(client):
        _log.warning("log-in held back: too many at once; this one from %s", address)
        return _failed("busy", then)
    if context.access.tries.wait_s((("begun", client), _BEGUN)):
        _log.warning("log-in held back: too many begun from %s", address)
        return _failed("many", then)
    try:
        url, browser = await context.access.login_service.ask(client, lambda: way.start(then))
    except OpenIdError as error:
        return _failed(error.word, then)
    answer = RedirectResponse(url, 303)
    # Lax: the request back starts on the issuer's page. The cookie holds the wanted path, too:
    # if the server restarts or this log-in expires, the next log-in still leads there.
    answer.set_cookie(
        _mark(context.access),
        _marked(browser, then),
        max_age=_MARKED_S,
        httponly=True,
        samesite="lax",
        secure=context.access.secure,
    )
    return answer


@router.get(RETURN, include_in_schema=False)
async def finish(context: Context, request: Request) -> Response:
    """Accept a browser that the issuer redirects back, and begin its session."""
    way = context.access.way
    if not isinstance(way, OpenId):
        return RedirectResponse("/login", 303)
    browser, _, wanted = request.cookies.get(_mark(context.access), "").partition(".")
    client = near(context.access.address(request))
    if not context.access.login_service.has_room(client):
        _log.warning("log-in held back: too many at once; this one from %s", client)
        return _failed("busy", unquote(wanted) or "/")
    try:
        viewer, then = await context.access.login_service.ask(
            client, lambda: way.finish(request.query_params, browser)
        )
    except OpenIdError as error:
        return _failed(error.word, unquote(wanted) or "/")
    answer = RedirectResponse(then, 303)
    answer.delete_cookie(
        _mark(context.access), httponly=True, samesite="lax", secure=context.access.secure
    )
    context.access.begin(viewer, request, answer)
    return answer


@router.get("/api/v1/audit", operation_id="audit", tags=["access"])
def audit(
    context: Context,
    viewer: Looking,
    before: Annotated[
        int | None,
        Query(ge=0, le=2**53, description="`before` in the answer with the previous page"),
    ] = None,
    limit: Annotated[int, Query(ge=1, le=500, description="largest number of accesses")] = 100,
) -> AccessRecords:
    """List accesses to other users' jobs, the newest first; for administrators only."""
    if viewer.role != "administrator":
        raise HTTPException(403, "Only an administrator may read the record of accesses.")
    if context.access.audit is None:
        return AccessRecords(looks=[], before=None)
    accesses, next_before = context.access.audit.page(before, limit)
    return AccessRecords.model_validate({"looks": accesses, "before": next_before})


def _mark(access: Access) -> str:
    """Return the name of the cookie that a browser holds during a log-in at the issuer."""
    return f"{access.cookie}-login"


def _marked(browser: str, then: str) -> str:
    """Return the value of this cookie: the browser's secret, and the path to show afterwards."""
    wanted = quote(then, safe="")
    return browser if len(wanted) > _MOST_MARKED else f"{browser}.{wanted}"


def _failed(word: str, then: str = "/") -> Response:
    """Redirect to the log-in page, with the reason and the requested path."""
    path = own_path(then)
    more = {} if path == "/" else {"next": path}
    return RedirectResponse(f"/login?{urlencode({'failed': word, **more})}", 303)


def _me(context: ServerContext, viewer: Viewer, proof: str | None) -> Me:
    return Me(
        name=viewer.name,
        uid=viewer.uid,
        role=viewer.role,
        way=context.access.way.kind,
        accounts=[Name(uid=uid, name=owner_name(uid)) for uid in sorted(viewer.accounts)],
        csrf=proof,
        recorded=context.access.audit is not None,
        flag=context.flag if context.access.way.kind == "token" else "",
    )
