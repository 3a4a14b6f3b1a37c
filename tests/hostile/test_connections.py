"""Clients that open connections and stay idle do not block others."""

from __future__ import annotations

import contextlib
import errno
import logging
import resource
import socket
import ssl
import subprocess
from collections.abc import Iterator
from ipaddress import ip_network
from pathlib import Path

import httpx
import pytest
from running import is_closed, running, until

from jostle.server import Access
from jostle.server.access.limit import near
from jostle.server.transport import connections, serving
from jostle.server.transport import quiet_log as quiet

HALF = b"GET /api/v1/login HTTP/1.1\r\nHost: 127"
#: What comes too late after this comes too late on a busy machine as well.
SHORT_S, LONG_S = 0.3, 3600.0


@pytest.fixture
def access() -> Access:
    return Access()


@contextlib.contextmanager
def opened(
    address: tuple[str, int], many: int, sent: bytes = HALF
) -> Iterator[list[socket.socket]]:
    with contextlib.ExitStack() as stack:
        made = []
        for _ in range(many):
            made.append(stack.enter_context(socket.create_connection(address)))
            made[-1].sendall(sent)
        yield made


def ask(address: tuple[str, int], scheme: str = "http") -> int:
    """The answer to a client that sends its request at once."""
    url = f"{scheme}://{address[0]}:{address[1]}/api/v1/login"
    return httpx.get(url, timeout=60, trust_env=False, verify=False).status_code


def limits(monkeypatch, **named: float) -> None:
    """Changes the limits; those that are not named are out of reach."""
    usual = {"REQUEST_S": LONG_S, "SLOW_S": LONG_S, "MOST_OF_ONE": 10_000}
    for name, value in (usual | named).items():
        monkeypatch.setattr(connections, name, value)


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        HALF,
        b"POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{",
        # refused at once, and its body goes on for ever
        b"POST /api/v1/token HTTP/1.1\r\nHost: localhost\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n1\r\nx",
    ],
    ids=["nothing", "half a head", "half a body", "half a body that nobody wants"],
)
def test_what_is_not_asked_in_time_is_not_waited_for(tmp_path, access, monkeypatch, sent):
    limits(monkeypatch, REQUEST_S=SHORT_S)
    with running(tmp_path, access) as address, opened(address, 3, sent) as clients:
        assert all(is_closed(client) for client in clients)
        assert ask(address) == 200


def test_bytes_now_and_then_gain_no_time(tmp_path, access, monkeypatch):
    limits(monkeypatch, REQUEST_S=1.0)
    with running(tmp_path, access) as address, opened(address, 1) as (client,):
        for _ in range(600):
            if is_closed(client, 0.1):
                return
            with contextlib.suppress(OSError):
                client.sendall(b"x")
    raise AssertionError("it is still waited for")


def test_the_next_request_of_a_connection_has_a_time_too(tmp_path, access, monkeypatch):
    limits(monkeypatch, REQUEST_S=SHORT_S)
    whole = b"GET /api/v1/login HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with running(tmp_path, access) as address, opened(address, 1, whole) as (client,):
        assert client.recv(65_536).startswith(b"HTTP/1.1 200")
        client.sendall(HALF)
        assert is_closed(client)


@pytest.mark.in_turn
def test_who_listens_may_listen_for_hours(tmp_path, access, monkeypatch):
    limits(monkeypatch, REQUEST_S=SHORT_S, SLOW_S=SHORT_S)
    monkeypatch.setattr("jostle.server.live._BEAT_S", 0.0)
    token = {"Authorization": f"Bearer {access.token}"}
    with (
        running(tmp_path, access) as (host, port),
        httpx.Client(timeout=60, trust_env=False, headers=token) as client,
        client.stream("GET", f"http://{host}:{port}/api/v1/live") as live,
    ):
        heard = live.iter_lines()
        beats = 0
        while beats < 3:  # one a second
            beats += "still here" in next(heard)


def test_who_asks_nothing_gives_way(tmp_path, access, monkeypatch, caplog):
    limits(monkeypatch)
    monkeypatch.setattr(serving, "most_connections", lambda: 10)
    with running(tmp_path, access) as address, opened(address, 40) as clients:
        assert ask(address) == 200
        assert all(is_closed(client) for client in clients[:30])  # those that came first
        assert not is_closed(clients[-1], 0.1)
    reported = [one for one in caplog.records if "too many connections" in one.getMessage()]
    assert len(reported) == quiet.MOST


def test_one_address_has_not_all_connections(tmp_path, access, monkeypatch):
    limits(monkeypatch, MOST_OF_ONE=5)
    monkeypatch.setattr(serving, "most_connections", lambda: 20)
    with (
        running(tmp_path, access) as address,
        opened(address, 5) as mine,
        contextlib.ExitStack() as stack,
    ):
        for _ in range(15):  # of somebody else
            one = stack.enter_context(socket.socket())
            one.bind(("127.0.0.2", 0))
            one.connect(address)
            one.sendall(HALF)
        assert not any(is_closed(client, 0.02) for client in mine)
        assert ask(address) == 200


def test_a_proxy_carries_everybodys_connections(monkeypatch):
    limits(monkeypatch, MOST_OF_ONE=1)
    limiter = connections.ConnectionLimiter(9, [ip_network("10.0.0.1/32")])

    class Busy(connections.Connection):
        def __init__(self, limiter, near) -> None:
            self.near = near
            self._limiter, self._task, self._late = limiter, None, None

    monkeypatch.setattr(connections, "Connection", Busy)
    assert all(limiter.enter("10.0.0.1") for _ in range(5))
    first = limiter.enter("10.0.0.2")
    assert first and limiter.enter("10.0.0.2") is None
    limiter.leave(first)
    assert limiter.enter("10.0.0.2")
    assert [bool(limiter.enter(f"2001:db8::{n}")) for n in range(2)] == [True, False]
    assert len(limiter) == 7


def test_a_site_of_ipv6_is_one_address():
    assert near("2001:db8::1") == near("2001:db8::ffff:1") != near("2001:db8:0:1::1")
    assert near("::ffff:10.0.0.1") == near("10.0.0.1") == "10.0.0.1"
    assert near("fe80::1%eth0") == near("fe80::2") and near("no address") == "no address"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tls")
    cert, key = folder / "cert.pem", folder / "key.pem"
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-subj",
        "/CN=localhost",
        "-keyout",
        key,
        "-out",
        cert,
    ]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("no openssl here")
    return cert, key


@pytest.mark.parametrize("sent", [b"", b"\x16\x03\x01\x02\x00\x01"], ids=["nothing", "a beginning"])
def test_a_handshake_has_its_time(tmp_path, access, monkeypatch, certificate, sent):
    limits(monkeypatch)
    monkeypatch.setattr(serving, "HANDSHAKE_S", SHORT_S)
    with running(tmp_path, access, *certificate) as address, opened(address, 3, sent) as clients:
        assert all(is_closed(client) for client in clients)


def test_who_is_in_a_handshake_counts_and_gives_way(tmp_path, access, monkeypatch, certificate):
    limits(monkeypatch)
    monkeypatch.setattr(serving, "HANDSHAKE_S", LONG_S)
    monkeypatch.setattr(serving, "most_connections", lambda: 10)
    trust = ssl.create_default_context()
    trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
    with running(tmp_path, access, *certificate) as address, opened(address, 30, b"") as clients:
        assert ask(address, "https") == 200
        assert all(is_closed(client) for client in clients[:20])
        monkeypatch.setattr(connections, "REQUEST_S", SHORT_S)
        with (
            socket.create_connection(address) as plain,
            trust.wrap_socket(plain, server_hostname="localhost") as client,
        ):
            client.sendall(HALF)  # and now as without TLS
            assert is_closed(client)


@contextlib.contextmanager
def asked_for_much(
    address: tuple[str, int], access: Access, *, tls: bool
) -> Iterator[socket.socket]:
    """A client whose answers are longer than all buffers; he has not read any of them yet."""
    one = (
        b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n"
    )
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(address)
        if tls:
            trust = ssl.create_default_context()
            trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
            client = trust.wrap_socket(client, server_hostname="localhost")
        with client:
            client.sendall(one % access.token.encode() * MANY)
            yield client


MANY = 200
TLS = pytest.mark.parametrize("tls", [False, True], ids=["plain", "TLS"])


@pytest.mark.in_turn
@TLS
def test_who_does_not_take_his_answer_is_cut_off(tmp_path, access, monkeypatch, certificate, tls):
    limits(monkeypatch, SLOW_S=SHORT_S)
    closed = []
    real = connections.Connection.close
    monkeypatch.setattr(
        connections.Connection, "close", lambda one: (closed.append(one), real(one))
    )
    keys = certificate if tls else ()
    with running(tmp_path, access, *keys) as address, asked_for_much(address, access, tls=tls):
        until(lambda: closed)
        assert ask(address, "https" if tls else "http") == 200


@pytest.mark.in_turn
@TLS
def test_who_takes_his_answer_gets_it(tmp_path, access, monkeypatch, certificate, tls):
    limits(monkeypatch)
    keys = certificate if tls else ()
    with (
        running(tmp_path, access, *keys) as address,
        asked_for_much(address, access, tls=tls) as client,
    ):
        client.settimeout(60)
        answers, tail = 0, b""
        while answers < MANY:
            more = client.recv(65_536)
            assert more, answers
            part = tail + more
            answers += part.count(b"HTTP/1.1 200")
            tail = part[-11:]


class Ailing(socket.socket):
    """A socket that takes no connection for a while: there is no descriptor left."""

    left = 20

    def accept(self):
        self.left -= 1
        if self.left >= 0:
            raise OSError(errno.EMFILE, "Too many open files")
        return super().accept()


def test_without_descriptors_it_says_so_a_few_times_and_goes_on(
    tmp_path, access, monkeypatch, caplog
):
    monkeypatch.setattr(serving, "_PAUSE_S", 0.01)
    place = Ailing()
    place.bind(("127.0.0.1", 0))
    place.listen()
    with running(tmp_path, access, place=place) as address:
        assert ask(address) == 200
    assert sum("no connection can be accepted" in one for one in caplog.messages) == quiet.MOST


def test_files_have_their_own_share_of_descriptors(monkeypatch):
    given = []
    monkeypatch.setattr(resource, "setrlimit", lambda _which, what: given.append(what))
    for hard, most in ((64, 32), (10_000, connections.MOST), (resource.RLIM_INFINITY, 1000)):
        monkeypatch.setattr(resource, "getrlimit", lambda _which, hard=hard: (64, hard))
        assert connections.most_connections() == most
        assert given.pop() == (hard, hard)


def test_the_same_is_not_said_for_ever():
    now = [0.0]
    few = quiet.Few(lambda: now[0])

    def said(text: str, level: int = logging.WARNING) -> str | None:
        record = logging.LogRecord("jostle.serve", level, "", 0, text, ("who",), None)
        return record.getMessage() if few.filter(record) else None

    assert [said("%s is refused") for _ in range(100)] == ["who is refused"] * 5 + [None] * 95
    assert said("%s is another matter") == "who is another matter"
    now[0] = quiet.SPAN_S
    assert said("%s is refused") == "who is refused (95 more like this were left out)"
    assert said("%s is refused") == "who is refused"
    for n in range(5000):  # what it knows has an end
        said(f"%s {n}")
    assert len(few._said) <= 1001
