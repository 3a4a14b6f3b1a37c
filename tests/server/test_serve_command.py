"""`jostle serve` on a network address: what it refuses, and how to fix it."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest
from click.testing import CliRunner

from jostle.cli.main import cli
from jostle.cli.output import console
from jostle.errors import JostleError
from jostle.repository import Repository
from jostle.server.access.accounts import add_account
from jostle_lab.synthetic.injected.model import Spec
from jostle_lab.synthetic.repository import plant


@pytest.fixture(autouse=True)
def no_server(monkeypatch):
    """A server that does not start: its arguments are recorded."""
    given = []
    monkeypatch.setattr("uvicorn.Server.run", lambda self, sockets: given.append(self.config))
    taken = socket.create_server
    monkeypatch.setattr(
        "socket.create_server",
        # The usual port may be taken by somebody else's.
        lambda place, **how: taken(("127.0.0.1", 0) if place[1] == 8642 else place, **how),
    )
    # A certificate of these tests is an empty file.
    monkeypatch.setattr("uvicorn.Config.load", lambda self: None)
    return given


@pytest.fixture
def place(tmp_path):
    """A repository, a certificate, and a file of access that is right."""
    Repository(tmp_path / "r", create=True)
    add_account(tmp_path / "accounts", "anne", "correct horse")
    (tmp_path / "secret").write_text("s3cret\n")
    (tmp_path / "secret").chmod(0o600)
    for name in ("cert.pem", "key.pem"):
        (tmp_path / name).touch(0o600)
    write(tmp_path, accounts=f'file = "{tmp_path}/accounts"')
    return tmp_path


def write(place: Path, top: str = "", audit: str = "", **tables: str) -> None:
    text = f'audit = "{audit or place / "audit"}"\n{top or LINES}\n'
    text += "".join(f"[{name}]\n{body}\n" for name, body in tables.items())
    (place / "serve.toml").write_text(text)


LOCAL = 'url = "https://x.org"\nproxies = ["127.0.0.1/32"]'
LINES = 'url = "https://jostle.example.org"\nproxies = ["10.1.2.3/32"]'
TLS = ("--tls-cert", "cert.pem", "--tls-key", "key.pem")
PROXY = ("--behind-proxy",)
NET = ("--listen", "192.0.2.1:8642")


def serve(place: Path, *words: str) -> tuple[int, str]:
    words = tuple(str(place / word) if word.endswith(".pem") else word for word in words)
    command = ["serve", "--repository", str(place / "r"), *words]
    console.cache_clear()  # it holds the stream of whoever wrote before, perhaps a closed one
    done = CliRunner().invoke(cli, command)
    error = done.exception
    if isinstance(error, JostleError):
        return error.exit_code, f"{error} {error.hint}"
    return done.exit_code, " ".join(done.output.split())


def test_loopback_needs_nothing(place, no_server):
    status, said = serve(place)
    assert status == 0 and "token=" in said
    assert no_server[0].access_log is False and no_server[0].proxy_headers is False


def test_any_free_port_and_the_page_of_a_job(tmp_path):
    plant(tmp_path / "r", Spec(jobs=2, slices=20, length=12, processes=2, mounts=1), seed=1)
    job = Repository(tmp_path / "r").jobs()["job"][0].as_py()
    status, said = serve(tmp_path, "last", "--listen", "127.0.0.1:0")
    assert status == 0
    assert re.search(rf"http://127.0.0.1:[1-9]\d+/jobs/{job}\?token=", said)


def test_a_port_that_is_taken(place):
    with socket.create_server(("127.0.0.1", 0)) as other:
        status, said = serve(place, "--listen", f"127.0.0.1:{other.getsockname()[1]}")
    assert status == 1
    assert "in use" in said and "127.0.0.1:0" in said


@pytest.mark.parametrize("words", [(*NET, *TLS), (*NET, *PROXY), PROXY, TLS], ids=str)
def test_people_log_in_on_network_addresses(place, words):
    status, said = serve(place, *words, "--config", str(place / "serve.toml"))
    assert status == 0, said
    assert "https://jostle.example.org" in said and "token" not in said


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--listen", "0.0.0.0:8642"), "--behind-proxy"),
        (("--listen", "[::]:8642"), "--behind-proxy"),
        (("--listen", "cluster.example.org:8642"), "--behind-proxy"),
        (("--listen", "8642"), "is not an address"),
        (("--listen", "127.0.0.1:65536"), "is not an address"),
        ((*NET, "--tls-cert", "cert.pem"), "belong together"),
        ((*NET, *TLS, *PROXY), "Leave out one"),
        ((*NET, "--tls-cert", "none.pem", "--tls-key", "key.pem"), "cannot be read"),
        ((*NET, *TLS, "--config", "/none.toml"), "there is no /none.toml"),
        (("--config", "/none.toml"), "no log-in is needed"),
    ],
    ids=str,
)
def test_refusals(place, words, why):
    status, said = serve(place, *words)
    assert status == 2 and why in said, said


def test_a_key_that_everybody_reads(place):
    (place / "key.pem").chmod(0o644)
    status, said = serve(place, *NET, *TLS)
    assert status == 2 and "chmod 0640" in said


@pytest.mark.parametrize(
    ("top", "tables", "why"),
    [
        ("", {}, "no method of log-in"),
        ("", {"accounts": 'file = "F"', "proxy": 'user_header = "X"'}, "[proxy] and [accounts]"),
        ("", {"accounts": ""}, "lacks [accounts] `file`"),
        ("", {"accounts": 'fle = "F"'}, "Did you mean `file`?"),
        ("", {"accounts": 'file = "F"', "role": ""}, "Did you mean `roles`?"),
        ("", {"accounts": 'file = "F"', "roles": 'suport = ["x"]'}, "Did you mean `support`?"),
        ("", {"accounts": 'file = "F"', "roles": 'support = "x"'}, "is not a list of strings"),
        ("", {"accounts": 'file = "F"', "roles": 'manager = ["x"]'}, "is not a table"),
        ("", {"accounts": 'file = "/none"'}, "/none cannot be read"),
        ('url = "http://jostle.example.org"', {"accounts": 'file = "F"'}, "https://"),
        ('url = "https://x.example.org/sub"', {"accounts": 'file = "F"'}, "`url` is"),
        (
            'url = "https://x.org"',
            {"proxy": 'user_header = "X"'},
            "does not name the address of the proxy",
        ),
        ('url = "https://x.org"\nproxies = ["x"]', {"proxy": 'user_header = "X"'}, "not a network"),
        (LOCAL, {"proxy": 'user_header = "X"'}, "every user of this machine"),
        (LOCAL, {"accounts": 'file = "F"'}, "every user of this machine"),
        (LOCAL, {"oidc": 'issuer = "https://sso.example.org"\nclient_id = "x"'}, "X-Jostle-Secret"),
        (
            'url = "https://x.org"\nproxies = ["0.0.0.0/0"]',
            {"accounts": 'file = "F"'},
            "every user of this machine",
        ),
        ("", {"proxy": 'user_header = "X"\nsecret_file = "F"'}, "now `proxy_secret_file`"),
        ("", {"oidc": 'issuer = "http://sso.example.org"\nclient_id = "x"'}, "not an https URL"),
        ("", {"oidc": 'issuer = "https://sso.example.org"'}, "lacks [oidc] `client_id`"),
    ],
    ids=str,
)
def test_files_that_leave_a_door_open(place, top, tables, why):
    tables = {name: body.replace('"F"', f'"{place}/accounts"') for name, body in tables.items()}
    write(place, top, **tables)
    status, said = serve(place, *NET, *PROXY, "--config", str(place / "serve.toml"))
    assert status == 2 and why in said, said


def test_a_header_without_a_proxy(place):
    write(place, proxy='user_header = "X-Remote-User"')
    status, said = serve(place, *NET, *TLS, "--config", str(place / "serve.toml"))
    assert status == 2 and "there is no proxy in front" in said


def test_secrets_that_others_may_read(place):
    (place / "secret").chmod(0o644)
    write(place, f'{LOCAL}\nproxy_secret_file = "{place}/secret"', proxy='user_header = "X"')
    status, said = serve(place, *NET, *PROXY, "--config", str(place / "serve.toml"))
    assert status == 2 and "chmod 0640" in said and "s3cret" not in said


def test_a_secret_lets_the_proxy_be_on_this_machine(place):
    top = f'{LOCAL}\nproxy_secret_file = "{place}/secret"'
    for way in ({"accounts": f'file = "{place}/accounts"'}, {"proxy": 'user_header = "X"'}):
        write(place, top, **way)
        status, said = serve(place, *PROXY, "--config", str(place / "serve.toml"))
        assert status == 0, said


def test_no_record_no_server(place):
    write(place, audit="/none/audit", accounts=f'file = "{place}/accounts"')
    status, said = serve(place, *NET, *PROXY, "--config", str(place / "serve.toml"))
    assert status == 2 and "cannot be written" in said


def test_the_token_is_in_no_command_line(place, monkeypatch):
    opened = []

    def look(url: str) -> None:
        page = Path(url.removeprefix("file://"))
        opened.append((url, page.read_text(), page.parent.stat().st_mode & 0o777))

    monkeypatch.setattr("webbrowser.open", look)
    _, said = serve(place, "--open")
    (url, text, mode), token = opened[0], said.split("token=")[1].split()[0]
    assert token not in url and token in text and mode == 0o700
    assert not Path(url.removeprefix("file://")).exists()


def test_what_log_in_needs_is_said(place, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "argon2", None)
    status, said = serve(place, *NET, *TLS, "--config", str(place / "serve.toml"))
    assert status == 2 and "pip install 'jostle[site]'" in said
