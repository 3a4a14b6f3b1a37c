"""Log-in at an issuer: the whole path, and every refusal."""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from urllib.parse import parse_qsl, unquote, urlsplit

import httpx
import pytest
import uvicorn
from joserfc.jwk import RSAKey
from oidc_issuer import CLIENT, SECRET, Issuer
from server_fixtures import ROLES, URL
from starlette.testclient import TestClient

from jostle.server import Access, create_app
from jostle.server.access import login_service, oidc
from jostle.server.access.audit import Audit
from jostle.server.access.oidc import OpenId, OpenIdSettings, is_safe
from jostle.server.routes import login


@pytest.fixture(scope="module")
def running() -> Iterator[Issuer]:
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        place.listen()
        issuer = Issuer(f"http://127.0.0.1:{place.getsockname()[1]}")
        server = uvicorn.Server(uvicorn.Config(issuer.app, log_level="error"))
        thread = threading.Thread(target=server.run, args=([place],))
        thread.start()
        while not server.started:
            time.sleep(0.02)
        yield issuer
        server.should_exit = True
        thread.join()


@pytest.fixture
def issuer(running: Issuer) -> Issuer:
    running.claims, running.lies = {"preferred_username": "anne"}, {}
    running.shown = running.key = running.usual
    running.shows = 0
    running.asked.clear()
    return running


@pytest.fixture
def app(injected, users, issuer, tmp_path):
    settings = OpenIdSettings(
        issuer.url, CLIENT, SECRET, role_claim="roles", accounts_claim="accounts"
    )
    way = OpenId(settings, f"{URL}/login/return", ROLES)
    return create_app(
        injected, Access(way, url=URL, audit=Audit(tmp_path / "audit")), flag=" --repository secret"
    )


@pytest.fixture
def client(app):
    return TestClient(app, URL, follow_redirects=False)


def go(client: TestClient, issuer: Issuer, then: str = "/jobs", **change: str) -> str:
    """Follows the redirects to the issuer and back; gives the final response."""
    begun = client.get("/login/oidc", params={"then": then})
    assert begun.status_code == 303
    query = dict(parse_qsl(urlsplit(begun.headers["location"]).query))
    back = {"code": issuer.grant(query), "state": query["state"]} | change
    back = {name: value for name, value in back.items() if value}
    answer = client.get("/login/return", params=back)
    assert answer.status_code == 303
    return answer.headers["location"]


def test_log_in(client, issuer):
    assert client.get("/api/v1/login").json() == {"way": "oidc"}
    assert client.get("/api/v1/me").status_code == 401
    assert go(client, issuer, "/jobs/x?from=1") == "/jobs/x?from=1"
    assert SECRET not in str(issuer.asked)  # in the header, not in the form
    me = client.get("/api/v1/me").json()
    assert (me["name"], me["uid"], me["role"], me["way"]) == ("anne", 60000, "manager", "oidc")
    assert me["flag"] == ""  # where the repository lies is its owner's business
    assert client.post("/api/v1/logout", headers={"X-CSRF-Token": me["csrf"]}).status_code == 204
    assert client.get("/api/v1/me").status_code == 401


def test_cookies(client, issuer):
    begun = client.get("/login/oidc").headers["set-cookie"]
    assert "SameSite=lax" in begun and "HttpOnly" in begun and "Secure" in begun
    go(client, issuer)
    assert [cookie.name for cookie in client.cookies.jar] == ["__Host-jostle"]


def test_nobody_is_led_away(client, issuer):
    assert go(client, issuer, "//evil.example/") == "/evil.example/"
    assert go(client, issuer, "https://evil.example/") == "/https://evil.example/"


@pytest.mark.parametrize(
    ("claims", "role", "accounts"),
    [
        ({"preferred_username": "carl"}, "user", []),
        ({"preferred_username": "carl", "roles": ["x", "support", "user"]}, "support", []),
        ({"preferred_username": "carl", "roles": "administrator"}, "administrator", []),
        (
            {
                "preferred_username": "carl",
                "roles": ["manager"],
                "accounts": ["bert", "dora", "who"],
            },
            "manager",
            [60001, 60003],
        ),
        ({"preferred_username": "carl", "accounts": ["bert"]}, "user", []),
        ({"preferred_username": "sue", "roles": 7}, "support", []),  # from our own table
    ],
)
def test_roles(client, issuer, claims, role, accounts):
    issuer.claims = claims
    go(client, issuer)
    me = client.get("/api/v1/me").json()
    assert (me["role"], [one["uid"] for one in me["accounts"]]) == (role, accounts)


@pytest.mark.parametrize(
    "lies",
    [
        {"iss": "https://evil.example"},
        {"aud": "another"},
        {"aud": ["jostle", "another"]},
        {"azp": "another"},
        {"exp": 1},
        {"exp": None},
        {"nonce": "replayed"},
        {"nonce": None},
        {"iat": None},
        {"preferred_username": None},
        {"preferred_username": ["anne"]},
    ],
    ids=str,
)
def test_tokens_that_do_not_hold(client, issuer, lies, caplog):
    issuer.lies = lies
    with caplog.at_level(logging.WARNING):
        assert go(client, issuer) == "/login?failed=refused&next=%2Fjobs"
    assert "log-in refused" in caplog.text
    assert client.get("/api/v1/me").status_code == 401


def test_a_token_that_another_has_signed(client, issuer):
    issuer.shown = RSAKey.generate_key(2048, {"kid": "1"})
    assert go(client, issuer) == "/login?failed=refused&next=%2Fjobs"


def test_new_keys_are_fetched(client, issuer):
    go(client, issuer)
    issuer.key = issuer.shown = RSAKey.generate_key(2048, {"kid": "2"}, private=True)
    assert go(client, issuer) == "/jobs"


@pytest.fixture
def clock(monkeypatch) -> Iterator[list[float]]:
    """The time of log-ins; a test sets it."""
    now = [time.monotonic()]
    monkeypatch.setattr(oidc, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def test_a_key_that_the_issuer_takes_back_is_good_for_minutes_only(client, issuer, clock):
    assert go(client, issuer) == "/jobs"
    issuer.shown = RSAKey.generate_key(2048, {"kid": "2"})  # of tokens it is still the old one
    clock[0] += 60
    assert go(client, issuer) == "/jobs"
    clock[0] += 241
    assert go(client, issuer) == "/login?failed=refused&next=%2Fjobs"


def test_unknown_keys_make_it_ask_now_and_then(client, issuer, clock):
    assert go(client, issuer) == "/jobs" and issuer.shows == 1
    other = RSAKey.generate_key(2048, {"kid": "2"}, private=True)
    for n in range(5):
        issuer.key = other
        assert go(client, issuer) == "/login?failed=refused&next=%2Fjobs", n
    assert issuer.shows == 2
    issuer.shown = other
    clock[0] += 31
    assert go(client, issuer) == "/jobs" and issuer.shows == 3


def test_an_issuer_that_is_away_is_not_asked_by_everybody(client, issuer, clock, monkeypatch):
    asked = []
    monkeypatch.setattr(httpx, "get", lambda url, timeout: asked.append(url) or fail())

    def fail():
        raise httpx.ConnectTimeout("it does not answer")

    for _ in range(5):
        assert client.get("/login/oidc").headers["location"] == "/login?failed=issuer"
    assert len(asked) == 1
    monkeypatch.undo()
    monkeypatch.setattr(oidc, "time", SimpleNamespace(monotonic=lambda: clock[0] + 11))
    assert go(client, issuer) == "/jobs"


def test_who_waits_for_the_issuer_keeps_nobody_waiting(app, client, issuer, monkeypatch):
    """Those who log in wait in a queue of their own, which is bounded."""
    go_on = threading.Event()
    monkeypatch.setattr(OpenId, "start", lambda _way, _then: go_on.wait(60) and (issuer.url, "x"))
    with ThreadPoolExecutor(60) as crowd:
        guests = [
            TestClient(app, URL, client=(f"10.0.{n}.1", 1), follow_redirects=False)
            for n in range(60)
        ]
        begun = [crowd.submit(one.get, "/login/oidc") for one in guests]
        end = time.monotonic() + 60
        while (
            sum(one.done() for one in begun) < 60 - login_service._MOST and time.monotonic() < end
        ):
            time.sleep(0.01)
        assert client.get("/api/v1/login").status_code == 200
        go_on.set()
    where = Counter(one.result().headers["location"] for one in begun)
    assert where == {
        issuer.url: login_service._MOST,
        "/login?failed=busy": 60 - login_service._MOST,
    }


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"state": "forged"}, "late"),
        ({"state": ""}, "late"),
        ({"code": "forged"}, "refused"),
        ({"code": "", "error": "access_denied"}, "refused"),
    ],
    ids=str,
)
def test_what_comes_back_must_be_what_was_sent(client, issuer, change, why):
    where = go(client, issuer, "/jobs/x?from=1", **change)
    assert where == f"/login?failed={why}&next=%2Fjobs%2Fx%3Ffrom%3D1"  # the next try leads there
    assert client.get("/api/v1/me").status_code == 401


def test_a_path_that_no_cookie_holds_is_no_hindrance(client, issuer):
    long = "/jobs?search=" + "ä" * 1900
    assert unquote(go(client, issuer, long)) == long
    assert len(client.get("/login/oidc", params={"then": long}).headers["set-cookie"]) < 4096
    assert go(client, issuer, long, code="forged") == "/login?failed=refused"


def test_it_comes_back_once_and_to_the_same_browser(client, app, issuer):
    begun = client.get("/login/oidc")
    query = dict(parse_qsl(urlsplit(begun.headers["location"]).query))
    back = {"code": issuer.grant(query), "state": query["state"]}
    other = TestClient(app, URL, follow_redirects=False)
    answer = other.get("/login/return", params=back)
    assert answer.headers["location"] == "/login?failed=late"
    answer = client.get("/login/return", params=back)  # the state is used up
    assert answer.headers["location"] == "/login?failed=late"


def test_an_issuer_that_is_another_or_away(client, issuer, injected, tmp_path):
    issuer.lies = {"issuer": "https://evil.example"}
    assert client.get("/login/oidc").headers["location"] == "/login?failed=issuer"
    way = OpenId(OpenIdSettings("http://127.0.0.1:9", CLIENT, SECRET), f"{URL}/login/return", ROLES)
    access = Access(way, url=URL, audit=Audit(tmp_path / "other"))
    away = TestClient(create_app(injected, access), URL, follow_redirects=False)
    assert away.get("/login/oidc").headers["location"] == "/login?failed=issuer"
    begun = away.get("/login/oidc", params={"then": "/jobs/x"}).headers["location"]
    assert begun == "/login?failed=issuer&next=%2Fjobs%2Fx"  # the next try leads there


def test_nobody_begins_so_many_that_those_of_others_are_forgotten(client, issuer, monkeypatch):
    monkeypatch.setattr(login, "_BEGUN", 3)
    where = [client.get("/login/oidc").headers["location"] for _ in range(4)]
    assert all(one.startswith(issuer.url) for one in where[:3])
    assert where[3] == "/login?failed=many"


def test_no_secret_is_logged(client, issuer, caplog, capfd):
    with caplog.at_level(logging.INFO):
        go(client, issuer)
        cookie = client.cookies["__Host-jostle"]
        issuer.lies = {"aud": "another"}
        go(client, issuer)
    written = capfd.readouterr()
    ours = [one.getMessage() for one in caplog.records if one.name != "httpx"]
    reported = "\n".join(ours) + written.out + written.err
    assert "log-in refused" in reported
    for word in (SECRET, cookie, issuer.asked[0]["code_verifier"], issuer.asked[0]["code"]):
        assert word not in reported


def test_only_https_issuers_but_for_this_machine():
    assert is_safe("https://sso.example.org/realms/hpc")
    assert is_safe("http://127.0.0.1:9/")
    assert not is_safe("http://sso.example.org/")
    assert not is_safe("http://127.0.0.1.evil.example/")
    assert not is_safe("")
