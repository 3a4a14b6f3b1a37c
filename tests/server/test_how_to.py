"""The operator's how-to works as written, except for names, paths and ports."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import httpx
import pytest

from jostle.cli.main import cli
from jostle.server import Server, create_app
from jostle.server.access.accounts import add_account
from jostle.server.access.settings import read_settings

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/how-to/serve-a-cluster.md"
BLOCKS = dict(re.findall(r"^```\w+ save=(\S+)\n(.*?)^```$", PAGE.read_text(), re.M | re.S))
PASSWORD, SECRET = "correct horse", "s3cret of the proxy"
WHOLE = """
daemon off;
error_log {place}/error.log;
pid {place}/pid;
events {{}}
http {{
    access_log off;
    {paths}
    {server}
}}
"""
KINDS = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


@dataclass(frozen=True)
class Site:
    """A server behind nginx: how to reach each, and a client that believes its certificate."""

    client: httpx.Client
    inner: str


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A folder with the files that the page names.

    It is none of pytest's: nginx's workers are another user, and each pytest that begins closes the
    one above them all.
    """
    if not (shutil.which("nginx") and shutil.which("openssl")):
        pytest.skip("no nginx here: apt-get install nginx-light")
    with tempfile.TemporaryDirectory(prefix="jostle-test-") as folder:
        yield _filled(Path(folder))


def _filled(folder: Path) -> Path:
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=jostle.example.org",
            "-addext",
            "subjectAltName=DNS:jostle.example.org",
            "-keyout",
            folder / "key.pem",
            "-out",
            folder / "cert.pem",
        ],
        check=True,
        capture_output=True,
    )
    add_account(folder / "accounts", "anne", PASSWORD)
    for name, text in {
        "oidc.secret": SECRET,
        "proxy.secret": SECRET,
        "htpasswd": f"anne:{{PLAIN}}{PASSWORD}\n",
        "proxy-secret.nginx": f'proxy_set_header X-Jostle-Secret "{SECRET}";\n',
    }.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o644 if name == "htpasswd" else 0o600)
    folder.chmod(0o755)
    return folder


def block(place: Path, name: str, **change: str) -> str:
    text = (
        BLOCKS[name].replace("/etc/jostle/", f"{place}/").replace("/var/log/jostle/", f"{place}/")
    )
    for old, new in change.items():
        text = text.replace(old, new)
    return text


@contextlib.contextmanager
def site(place: Path, injected: Path, toml: str, more: str = "") -> Iterator[Site]:
    """Runs server and proxy as the page has it."""
    (place / toml).write_text(block(place, toml))
    access = read_settings(place / toml).access(behind_proxy=True)
    with socket.socket() as inner, socket.socket() as outer:
        for one in (inner, outer):
            one.bind(("127.0.0.1", 0))
            one.listen()
        ports = inner.getsockname()[1], outer.getsockname()[1]
        app = create_app(injected, access, place / "cache")
        server = Server(app, access)
        server.config.timeout_keep_alive = 600
        thread = threading.Thread(target=server.run, args=([inner],))
        thread.start()
        text = block(place, "jostle.nginx")
        text = text.replace("443", f"127.0.0.1:{ports[1]}").replace("8642", str(ports[0]))
        text = text.replace("location / {", "location / {\n" + more)
        paths = "\n".join(f"{kind}_temp_path {place}/tmp-{kind};" for kind in KINDS)
        conf = place / "nginx.conf"
        conf.write_text(WHOLE.format(place=place, paths=paths, server=text))
        nginx = subprocess.Popen(  # which inherits its socket: nobody takes the port before it
            ["nginx", "-c", conf, "-p", place],
            stderr=subprocess.PIPE,
            pass_fds=[outer.fileno()],
            env=os.environ | {"NGINX": f"{outer.fileno()};"},
        )
        try:
            _wait(place / "pid", nginx)
            trust = ssl.create_default_context(cafile=place / "cert.pem")
            with httpx.Client(
                base_url=f"https://jostle.example.org:{ports[1]}",
                timeout=60,
                verify=trust,
                trust_env=False,
                transport=_Here(trust),
            ) as client:
                yield Site(client, f"http://127.0.0.1:{ports[0]}")
        finally:
            nginx.terminate()
            nginx.communicate(timeout=60)
            server.should_exit = True
            thread.join()


class _Here(httpx.HTTPTransport):
    """Finds every host on this machine."""

    def __init__(self, trust: ssl.SSLContext) -> None:
        super().__init__(verify=trust)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        sent = httpx.Request(
            request.method,
            request.url.copy_with(host="127.0.0.1"),
            headers=request.headers,
            stream=request.stream,
            extensions=request.extensions | {"sni_hostname": request.url.host},
        )
        return super().handle_request(sent)


def _wait(pid: Path, nginx: subprocess.Popen[bytes]) -> None:
    for _ in range(1200):
        assert nginx.poll() is None, nginx.communicate()[1].decode()
        if pid.exists():
            return
        time.sleep(0.05)
    raise AssertionError("nginx does not come up")


def test_local_accounts_behind_the_proxy(place: Path, injected: Path, users: None):
    with site(place, injected, "serve-accounts.toml") as here:
        client = here.client
        assert client.get("/api/v1/login").json() == {"way": "accounts"}
        entry = {"name": "anne", "password": PASSWORD}
        answer = client.post("/api/v1/login", json=entry)
        assert answer.status_code == 200, answer.text
        assert "max-age" in answer.headers["strict-transport-security"]
        assert client.get("/api/v1/jobs").json()["total"] > 0
        with client.stream("GET", "/api/v1/live") as live:  # it is not held back
            assert "event: commit" in next(live.iter_text())
        host = {"Host": "jostle.example.org"}
        # He who does not come through the proxy may not even try a password.
        assert httpx.get(f"{here.inner}/api/v1/me", headers=host, timeout=60).status_code == 403
        assert httpx.get(f"{here.inner}/api/v1/me", timeout=60).status_code == 421


def test_a_proxy_that_logs_people_in(place: Path, injected: Path, users: None):
    more = block(place, "jostle-user.nginx")
    with site(place, injected, "serve-proxy.toml", more) as here:
        client = here.client
        assert client.get("/api/v1/me").status_code == 401  # nginx's own
        client.auth = ("anne", PASSWORD)
        forged = {"X-Remote-User": "adam", "X-Jostle-Secret": "x"}
        assert client.get("/api/v1/me", headers=forged).json()["name"] == "anne"
        forged["Host"] = "jostle.example.org"
        assert httpx.get(f"{here.inner}/api/v1/me", headers=forged, timeout=60).status_code == 403


def test_the_issuers_settings(place: Path, users: None):
    (place / "serve-oidc.toml").write_text(block(place, "serve-oidc.toml"))
    access = read_settings(place / "serve-oidc.toml").access(behind_proxy=True)
    assert access.way.kind == "oidc" and access.cookie == "__Host-jostle"
    assert [one.version for one in access.proxies or ()] == [4]


def test_the_unit_starts_a_command_that_there_is():
    unit = (ROOT / "integrations/systemd/jostle-serve.service").read_text()
    line = next(x for x in unit.splitlines() if x.startswith("ExecStart="))
    words = shlex.split(line.partition("=")[2])
    assert words[0].endswith("/bin/jostle") and words[1] == "serve"
    command = cli.get_command(click.Context(cli), "serve")
    assert command is not None
    with click.Context(command) as context:
        assert command.parse_args(context, words[2:]) == []
    for name in ("/var/log/jostle", "/var/cache/jostle"):  # what it writes is what it may
        assert name in unit.partition("ReadWritePaths=")[2]
