"""Attempts at many passwords neither stall other users nor lock anybody out."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_network

import httpx
import pytest
from running import running, until

from jostle.server import Access
from jostle.server.access import Viewer, login_service
from jostle.server.access.accounts import Accounts, add_account
from jostle.server.access.audit import Audit
from jostle.server.access.roles import Roles

PASSWORD = "correct horse battery"
HOME, ELSEWHERE = "192.0.2.1", "198.51.100.1"


@pytest.fixture
def access(tmp_path) -> Access:
    """The login behind a proxy, which passes on the client's address."""
    add_account(tmp_path / "accounts", "anne", PASSWORD)
    return Access(
        Accounts(tmp_path / "accounts", Roles()),
        url="https://jostle.example",
        audit=Audit(tmp_path / "audit"),
        proxies=[ip_network("127.0.0.1/32")],
    )


@pytest.fixture
def guest(tmp_path, access):
    """A client of the server, which says from which address it comes."""
    with (
        running(tmp_path, access) as (host, port),
        httpx.Client(
            base_url=f"http://{host}:{port}",
            headers={"Host": "jostle.example"},
            timeout=60,
            trust_env=False,
            limits=httpx.Limits(max_connections=200),
        ) as client,
    ):
        yield client


def enter(client, address: str, name: str = "anne", password: str = PASSWORD) -> httpx.Response:
    return client.post(
        "/api/v1/login",
        json={"name": name, "password": password},
        headers={"X-Forwarded-For": address},
    )


def cookie(answer: httpx.Response) -> dict[str, str]:
    return {"Cookie": answer.headers["set-cookie"].partition(";")[0]}


class Held:
    """A login service that takes as long as a test wants."""

    def __init__(self, monkeypatch) -> None:
        self.go, self.tried = threading.Event(), 0

        def enter(_way: Accounts, name: str, password: str) -> Viewer | None:
            self.tried += 1
            assert self.go.wait(60)
            return Viewer(name, None, "user") if password == PASSWORD else None

        monkeypatch.setattr(Accounts, "enter", enter)


def test_who_looks_is_answered_while_many_try(guest, access, monkeypatch):
    me = cookie(enter(guest, HOME))
    held = Held(monkeypatch)
    with ThreadPoolExecutor(120) as crowd:
        tries = [crowd.submit(enter, guest, f"10.0.{n}.1", f"user{n}", "no") for n in range(120)]
        until(lambda: sum(one.done() for one in tries) == 120 - login_service._MOST)
        assert guest.get("/api/v1/me", headers=me).status_code == 200
        assert held.tried == 1  # the others wait without a thread
        back = crowd.submit(enter, guest, HOME)  # for whom a place was kept free
        until(lambda: access.login_service._here[HOME])
        held.go.set()
        assert Counter(one.result().status_code for one in tries) == {
            401: login_service._MOST,
            503: 120 - login_service._MOST,
        }
        assert back.result().status_code == 200
    refused = next(one.result() for one in tries if one.result().status_code == 503)
    assert int(refused.headers["retry-after"]) > 0
    until(lambda: not access.login_service._here)


def test_one_address_has_not_the_whole_queue(guest, monkeypatch):
    held = Held(monkeypatch)
    with ThreadPoolExecutor(20) as crowd:
        tries = [crowd.submit(enter, guest, ELSEWHERE, f"user{n}", "no") for n in range(20)]
        until(lambda: sum(one.done() for one in tries) == 20 - login_service._MOST_OF_ONE)
        held.go.set()
        assert enter(guest, HOME).status_code == 200


def test_who_guesses_from_everywhere_gets_few_tries_and_shuts_nobody_out(guest, monkeypatch):
    held = Held(monkeypatch)
    held.go.set()
    assert enter(guest, HOME).status_code == 200
    found = [enter(guest, f"10.0.{n}.1", password="no").status_code for n in range(30)]
    assert found == [401] * 19 + [429] * 11
    assert enter(guest, HOME).status_code == 200
    assert enter(guest, ELSEWHERE).status_code == 429  # where she never was she waits a minute
    tried = [enter(guest, HOME, password="no").status_code for _ in range(5)]
    assert tried == [401] * 3 + [429] * 2  # and where she works guesses have an end as well


def test_a_network_of_ipv6_is_one_address(guest, monkeypatch):
    Held(monkeypatch).go.set()
    names = [f"user{n}" for n in range(31)]
    found = [
        enter(guest, f"2001:db8::{n:x}", name, "no").status_code for n, name in enumerate(names)
    ]
    assert found == [401] * 30 + [429]


def test_what_is_remembered_of_log_ins_has_an_end(monkeypatch):
    monkeypatch.setattr(login_service, "_MOST_KNOWN", 3)
    known_devices = login_service.KnownDevices()
    for name in ("anne", "bert", "carl", "anne", "dora"):
        known_devices.add(name, HOME)
    assert [(name, HOME) in known_devices for name in ("anne", "bert", "carl", "dora")] == [
        True,
        False,
        True,
        True,
    ]
    assert ("anne", ELSEWHERE) not in known_devices


def test_the_server_ends_though_many_wait(tmp_path, access, monkeypatch):
    held = Held(monkeypatch)
    with ThreadPoolExecutor(9) as crowd:
        with running(tmp_path, access) as (host, port):
            client = httpx.Client(
                base_url=f"http://{host}:{port}", headers={"Host": "jostle.example"}, timeout=60
            )
            for n in range(9):
                crowd.submit(enter, client, f"10.0.{n}.1")
            until(lambda: held.tried == 1 and access.login_service._here.total() == 9)
        held.go.set()
    assert held.tried == 1  # nobody waits for the others
