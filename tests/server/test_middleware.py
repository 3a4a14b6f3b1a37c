"""Refused requests: cross-site ones, other host names, forged headers, endless bodies."""

from __future__ import annotations

import logging
from ipaddress import ip_network

import pytest
from server_fixtures import PROXY, URL, Hall, hall
from starlette.requests import Request
from starlette.testclient import TestClient

from jostle.server import Access, create_app
from jostle.server.access import Viewer
from jostle.server.access import limit as limit_module
from jostle.server.access.limit import Limit
from jostle.server.access.proxy import is_from
from jostle.server.access.sessions import IDLE_S, WHOLE_S, Sessions
from jostle.server.transport.middleware import own_path

ANNE = Viewer("anne", 60000, "user")


@pytest.fixture(scope="module")
def here(injected):
    """A server on loopback."""
    access = Access()
    return access, create_app(injected, access)


def guest(app, **headers):
    return TestClient(app, "http://127.0.0.1:8642", headers=headers, follow_redirects=False)


# ---- the token ----


def test_each_browser_has_a_session_of_its_own(here):
    access, app = here
    one, two = guest(app), guest(app)
    for client in (one, two):
        assert client.get(f"/?token={access.token}").status_code == 303
        assert client.get("/api/v1/me").json()["role"] == "administrator"
    assert one.cookies[access.cookie] != two.cookies[access.cookie]
    proof = one.get("/api/v1/me").json()["csrf"]
    assert one.post("/api/v1/logout", headers={"X-CSRF-Token": proof}).status_code == 204
    assert one.get("/api/v1/me").status_code == 401
    assert two.get("/api/v1/me").status_code == 200


def test_a_wrong_token_opens_nothing(here):
    access, app = here
    for token in ("", "x", access.token[:-1], access.token + "x", "ä", "\x00"):
        client = guest(app)
        client.get("/", params={"token": token})
        assert not client.cookies
        assert client.get("/api/v1/me").status_code == 401
    assert guest(app, Authorization=f"Basic {access.token}").get("/api/v1/me").status_code == 401


def test_a_script_bears_the_token_and_needs_no_proof(here):
    access, app = here
    client = guest(app, Authorization=f"Bearer {access.token}")
    reported = client.get("/api/v1/me").json()
    assert reported["csrf"] is None and reported["way"] == "token" and not reported["recorded"]
    assert client.post("/api/v1/token").status_code == 403  # on loopback the one token is all
    assert client.get("/api/v1/audit").json() == {"looks": [], "before": None}


# ---- names, senders, sizes ----


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "", "localhost.evil:8642", "[::2]:8642"]
)
def test_another_name_is_a_rebinding(here, host):
    access, app = here
    client = guest(app, Host=host, Authorization=f"Bearer {access.token}")
    assert client.get("/api/v1/jobs").status_code == 421


@pytest.mark.parametrize("host", ["localhost:1", "LOCALHOST", "127.0.0.1", "[::1]:8642"])
def test_the_names_of_this_machine(here, host):
    access, app = here
    client = guest(app, Host=host, Authorization=f"Bearer {access.token}")
    assert client.get("/api/v1/me").status_code == 200


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("//evil.example/x", "/evil.example/x"),
        (r"/\evil.example", "/evil.example"),
        (r"\\evil", "/evil"),
        ("https://evil", "/https://evil"),
        ("", "/"),
        ("/jobs?a=1", "/jobs?a=1"),
    ],
)
def test_one_is_sent_on_to_pages_of_ours_alone(text, path):
    assert own_path(text) == path


@pytest.mark.parametrize("size", [16_385, 10_000_000])
def test_long_bodies_are_refused(open_hall: Hall, size: int):
    client = open_hall.guest("carl")
    proof = client.get("/api/v1/me").json()["csrf"]
    headers = {"X-CSRF-Token": proof, "Content-Type": "application/json"}
    assert client.post("/api/v1/token", content=b"x" * size, headers=headers).status_code == 413
    parts = (b"x" * 1000 for _ in range(size // 1000 + 1))  # without a length
    assert client.post("/api/v1/token", content=parts, headers=headers).status_code == 413


@pytest.mark.parametrize("path", ["/", "/api/v1/me", "/assets/x.js"])
def test_long_headers_are_refused(open_hall: Hall, path: str):
    client = open_hall.guest("carl")
    assert client.get(path, headers={"Cookie": "x" * 40_000}).status_code == 431
    assert client.get(path, params={"x": "x" * 40_000}).status_code == 431


@pytest.mark.parametrize(
    "path",
    [
        "/assets/..%2f..%2fapp.py",
        "/assets/%2e%2e/%2e%2e/app.py",
        "/assets/....//app.py",
        "/assets/%00",
        "/assets//etc/passwd",
        "/..%2f..%2fetc/passwd",
        "/api/v1/../../etc/passwd",
        "/api/v1/jobs/..%2f..%2f..%2fetc%2fpasswd/series",
        "/api/v1/studies/..%2f..%2fetc",
    ],
)
def test_no_path_leads_out(open_hall: Hall, path: str):
    answer = open_hall.guest("adam").get(path)
    assert "create_app" not in answer.text and "root:" not in answer.text
    assert answer.status_code in (200, 404, 500) and "Traceback" not in answer.text


@pytest.mark.parametrize("route", ["series", "grid", "segments"])
@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("from_ns=0&to_ns=9223372036854775807", 200),
        ("from_ns=9223372036854775807", 200),
        ("from_ns=5&to_ns=3", 200),
        ("to_ns=9223372036854775808", 422),
        ("from_ns=-1", 422),
        ("from_ns=NaN", 422),
        ("to_ns=1e3", 422),
    ],
)
def test_oversized_spans(open_hall: Hall, route: str, query: str, status: int):
    client = open_hall.guest("adam")
    job = client.get("/api/v1/jobs").json()["jobs"][0]["job"]
    answer = client.get(f"/api/v1/jobs/{job}/{route}?{query}")
    assert answer.status_code == status, answer.text[:300]
    assert len(answer.content) < 2_000_000


# ---- requests that pages of others make a browser send ----


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-CSRF-Token": "0" * 64},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
    ],
    ids=str,
)
def test_forged_requests_change_nothing(open_hall: Hall, headers: dict[str, str]):
    client = open_hall.guest("carl")
    proof = client.get("/api/v1/me").json()["csrf"]
    sent = {"X-CSRF-Token": proof} | headers if headers else {}
    assert client.post("/api/v1/logout", headers=sent).status_code == 403
    good = {"X-CSRF-Token": proof, "Sec-Fetch-Site": "same-origin", "Origin": URL}
    assert client.post("/api/v1/logout", headers=good).status_code == 204


def test_proofs_of_others_do_not_count(open_hall: Hall):
    proof = open_hall.guest("anne").get("/api/v1/me").json()["csrf"]
    answer = open_hall.guest("carl").post("/api/v1/logout", headers={"X-CSRF-Token": proof})
    assert answer.status_code == 403


# ---- the proxy ----


def test_the_header_counts_from_the_proxy_alone(open_hall: Hall, caplog):
    with caplog.at_level(logging.WARNING):
        answer = open_hall.guest("adam", "10.0.0.2").get("/api/v1/jobs")
    assert answer.status_code == 403
    assert "10.0.0.2" in caplog.text
    assert open_hall.guest("adam", "10.0.0.2").get("/").status_code == 403


def test_two_names_are_no_name(open_hall: Hall):
    client = open_hall.guest(None)
    headers = [("X-Remote-User", "adam"), ("X-Remote-User", "carl")]
    assert client.get("/api/v1/me", headers=headers).status_code == 401
    for name in ("", "a b", "a\tb", "x" * 200, "a/b"):
        assert client.get("/api/v1/me", headers={"X-Remote-User": name}).status_code == 401


def test_the_proxy_proves_itself_where_its_address_is_everybodys(injected, users, tmp_path):
    one = hall(injected, tmp_path / "audit", secret="s3cret of the proxy")
    for wrong in ("", "s3cret", "s3cret of the proxy, s3cret of the proxy"):
        for path in ("/", "/api/v1/me", "/api/v1/login"):
            headers = {"X-Jostle-Secret": wrong} if wrong else {}
            assert one.guest("adam", **headers).get(path).status_code == 403
    right = {"X-Jostle-Secret": "s3cret of the proxy"}
    assert one.guest("adam", **right).get("/api/v1/me").json()["name"] == "adam"


@pytest.mark.parametrize(
    ("host", "inside"),
    [
        ("10.0.0.1", True),
        ("::ffff:10.0.0.1", True),
        ("10.0.0.2", False),
        (None, False),
        ("", False),
        ("10.0.0.1.evil", False),
        ("fd00::1", True),
        ("fe00::1", False),
    ],
)
def test_addresses(host, inside):
    assert is_from(host, [ip_network("10.0.0.1/32"), ip_network("fd00::/64")]) is inside


def test_the_guests_address_is_the_proxys_own_word(open_hall: Hall):
    def address(forwarded: bytes) -> str:
        headers = [(b"x-forwarded-for", forwarded)] if forwarded else []
        scope = {"type": "http", "headers": headers, "client": (PROXY, 1)}
        return open_hall.access.address(Request(scope))

    assert address(b"6.6.6.6, 192.0.2.7") == "192.0.2.7"  # the first is the guest's invention
    assert address(b"") == PROXY
    assert address(b"x" * 100) == PROXY


# ---- headers ----


def test_every_answer_is_dressed(open_hall: Hall):
    for name, path in (("adam", "/api/v1/me"), (None, "/api/v1/me"), ("adam", "/api/v1/none")):
        headers = open_hall.guest(name).get(path).headers
        assert "max-age" in headers["strict-transport-security"]
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"
        assert "unsafe" not in headers["content-security-policy"]


# ---- sessions and tries ----


def test_sessions_end():
    now = [0.0]
    sessions = Sessions(lambda: now[0])
    idle, used = sessions.begin(ANNE), sessions.begin(ANNE)
    assert idle not in repr(vars(sessions))  # only its hash is kept
    while now[0] < WHOLE_S:
        assert sessions.find(used) == ANNE
        now[0] += IDLE_S - 1
    assert sessions.find(idle) is None
    now[0] = WHOLE_S + 1
    assert sessions.find(used) is None
    assert sessions.find("") is None and sessions.find("\ud800") is None


def test_nobody_has_sessions_without_end():
    now = [0.0]
    sessions = Sessions(lambda: now[0])
    made = []
    for _ in range(25):
        now[0] += 1
        made.append(sessions.begin(ANNE))
    assert [sessions.find(secret) is not None for secret in made] == [False] * 5 + [True] * 20


def test_tries_are_counted():
    now = [0.0]
    limit = Limit(lambda: now[0])
    rules = ((("anne", "a"), 5), (("a",), 7))
    assert [limit.wait_s(*rules) for _ in range(5)] == [0] * 5
    now[0] = 20
    assert limit.wait_s(*rules) == 40
    assert [limit.wait_s((("bert", "a"), 5), (("a",), 7)) for _ in range(3)] == [0, 0, 40]
    now[0] = 61
    assert limit.wait_s(*rules) == 0


def test_what_is_counted_has_an_end(monkeypatch):
    monkeypatch.setattr(limit_module, "_MOST", 100)
    now = [0.0]
    limit = Limit(lambda: now[0])
    for n in range(1000):
        assert limit.wait_s((n, 5)) == 0
    assert len(limit._tries) <= 101
    assert [limit.wait_s((999, 5)) for _ in range(5)] == [0] * 4 + [60]  # the newest are counted
    now[0] = 61
    limit.wait_s(("later", 5))
    assert list(limit._tries) == ["later"]
