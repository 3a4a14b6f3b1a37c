"""Identity of a node: MUNGE with a real munged, and certificates with a real nginx."""

from __future__ import annotations

import hashlib
import http.client
import os
import re
import secrets
import shutil
import socket
import ssl
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from receive_node import Node, body, ranged
from running_receiver import Running

from jostle import NativeMissingError, native_path

ROOT = Path(__file__).parents[2]
_ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="starts daemons as root")


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that daemons with users of their own can reach."""
    with tempfile.TemporaryDirectory(prefix="jostle-test-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def wait_for(path: Path, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 20
    while not path.exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, path
        time.sleep(0.02)


@dataclass
class Munged:
    socket: Path

    def credential(self, payload: str, *words: str, uid: int = 0) -> str:
        command = ["setpriv", f"--reuid={uid}", "--clear-groups"] if uid else []
        command += ["munge", f"--socket={self.socket}", f"--string={payload}", *words]
        made = subprocess.run(command, check=True, capture_output=True, text=True)
        return f"Munge {made.stdout.strip()}"


@pytest.fixture
def munged(folder: Path) -> Iterator[Munged]:
    if not (shutil.which("munged") and shutil.which("munge")):
        pytest.skip("no munge here: apt-get install munge")
    key = folder / "key"
    key.touch(mode=0o600)
    key.write_bytes(secrets.token_bytes(128))
    process = subprocess.Popen(
        [
            "munged",
            "--foreground",
            "--force",
            f"--key-file={key}",
            f"--socket={folder}/socket",
            f"--pid-file={folder}/pid",
            f"--seed-file={folder}/seed",
            f"--log-file={folder}/log",
        ],
        stderr=subprocess.PIPE,
    )
    wait_for(folder / "socket", process)
    yield Munged(folder / "socket")
    process.terminate()
    process.communicate(timeout=20)


def ship(folder: Path, **settings: object) -> None:
    """Let the real shipper send the profile of a real process, if the agent was built."""
    try:
        shipper, run = native_path("jostle-ship"), native_path("jostle-run")
    except NativeMissingError:
        return
    spool = folder / "spool"
    spool.mkdir(mode=0o1777)
    subprocess.run([run, "--slice", "100ms", "--spool", spool, "--", "sleep", "0.3"], check=True)
    assert list(spool.glob("*.js*"))
    lines = {"spool": spool, "node": "n1", "interval": "100ms", **settings}
    config = folder / "agent.conf"
    config.write_text("".join(f"{key} = {value}\n" for key, value in lines.items()))
    sent = subprocess.run(
        [shipper, "--config", config, "--once"], capture_output=True, text=True, timeout=60
    )
    assert (sent.returncode, sent.stderr) == (0, "")
    assert not list(spool.glob("*.js*"))


@_ROOT_ONLY
def test_munge_binds_node_time_and_body(munged: Munged, starting: Callable[..., Running]) -> None:
    receiver = starting("--munge", config=f'munge_socket = "{munged.socket}"\n')
    node = Node(receiver.port)
    now = str(time.time_ns())
    sent = body(ranged(1, b"hello"))
    payload = f"n1\n{now}\n{hashlib.sha256(sent).hexdigest()}"

    def post(credential: str, what: bytes = sent, **changed: str) -> tuple[int, str]:
        answer = node.send(what, **{"Authorization": credential, "Jostle_Time": now} | changed)
        return answer.status, answer.code

    credential = munged.credential(payload)
    assert post(credential) == (200, "")
    assert (receiver.mirror / "n1/1000/a.b.jst").read_bytes() == b"hello"
    assert post(credential) == (401, "replay")
    assert post(munged.credential(payload)) == (200, "")  # sent again, with a new one
    assert post(munged.credential(payload), body(ranged(1, b"other"))) == (401, "credential")
    assert post(munged.credential(payload), Jostle_Node="n2") == (403, "node")
    later = str(int(now) + 1)
    assert post(munged.credential(payload), Jostle_Time=later) == (401, "credential")
    assert post(munged.credential("n1")) == (401, "credential")
    assert post("Munge MUNGE:rubbish:") == (401, "credential")
    assert post(munged.credential(payload, uid=65534)) == (403, "credential")
    short_lived = munged.credential(payload, "--ttl=1")
    time.sleep(2.1)
    answer = node.send(sent, Authorization=short_lived, Jostle_Time=now)
    assert (answer.status, answer.code) == (409, "clock")
    assert abs(answer.time_ns - time.time_ns()) < 60e9
    assert (receiver.mirror / "n1/1000/a.b.jst").read_bytes() == b"hello"
    ship(
        munged.socket.parent,
        receiver=f"http://127.0.0.1:{receiver.port}",
        munge="on",
        munge_socket=munged.socket,
    )
    # Tokens count in addition.
    assert receiver.node("n2").post(ranged(1, b"x")).status == 200


def openssl(*words: str | Path) -> None:
    subprocess.run(["openssl", *words], check=True, capture_output=True)


def sign(folder: Path, name: str, subject: str, more: str = "", ca: str = "ca") -> None:
    """Make a certificate NAME.pem with NAME.key."""
    openssl(
        "req",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-subj",
        subject,
        "-keyout",
        folder / f"{name}.key",
        "-out",
        folder / f"{name}.csr",
    )
    (folder / "ext").write_text(more)
    openssl(
        "x509",
        "-req",
        "-in",
        folder / f"{name}.csr",
        "-CA",
        folder / f"{ca}.pem",
        "-CAkey",
        folder / f"{ca}.key",
        "-days",
        "2",
        "-extfile",
        folder / "ext",
        "-out",
        folder / f"{name}.pem",
    )


@pytest.fixture
def certificates(folder: Path) -> Path:
    if not (shutil.which("nginx") and shutil.which("openssl")):
        pytest.skip("no nginx here: apt-get install nginx-light")
    for ca in ("ca", "other"):
        openssl(
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
            "-subj",
            f"/CN={ca}",
            "-keyout",
            folder / f"{ca}.key",
            "-out",
            folder / f"{ca}.pem",
        )
    sign(folder, "server", "/CN=localhost", "subjectAltName=DNS:localhost")
    sign(folder, "n1", "/O=site/CN=n1")
    sign(folder, "n2", "/CN=n2")
    sign(folder, "odd", "/CN=n1 n2")
    sign(folder, "stranger", "/CN=n1", ca="other")
    return folder


@pytest.fixture
def nginx(certificates: Path, starting: Callable[..., Running]) -> Iterator[tuple[Running, int]]:
    """The shipped configuration, with the places of the test."""
    folder = certificates
    receiver = starting(
        "--proxy-socket", f"{folder}/receive.sock", config='proxy_group = "www-data"\n'
    )
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        port = place.getsockname()[1]
    text = (ROOT / "integrations/nginx/jostle-receive.conf").read_text()
    text = text.replace("/run/jostle/receive.sock", f"{folder}/receive.sock")
    text = re.sub(r"listen 8643", f"listen 127.0.0.1:{port}", text)
    text = text.replace("/etc/jostle/tls/nodes-ca.pem", f"{folder}/ca.pem")
    text = text.replace("/etc/jostle/tls/", f"{folder}/")
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    paths = "\n".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    (folder / "nginx.conf").write_text(
        f"user www-data; daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log;\n"
        f"events {{}}\nhttp {{ {paths}\n{text}\n}}\n"
    )
    process = subprocess.Popen(
        ["nginx", "-p", folder, "-c", folder / "nginx.conf"], stderr=subprocess.PIPE
    )
    try:
        wait_for(folder / "nginx.pid", process)
        yield receiver, port
    finally:
        process.terminate()
        process.communicate(timeout=20)


def through(folder: Path, port: int, certificate: str, name: str) -> Node:
    trust = ssl.create_default_context(cafile=folder / "ca.pem")
    if certificate:
        trust.load_cert_chain(folder / f"{certificate}.pem", folder / f"{certificate}.key")
    node = Node(port, name=name)
    node.connection = http.client.HTTPSConnection("localhost", port, context=trust, timeout=20)
    return node


@_ROOT_ONLY
def test_nginx_says_whose_certificate_it_is(nginx: tuple[Running, int], certificates: Path) -> None:
    receiver, port = nginx
    first = through(certificates, port, "n1", "n1")
    assert first.post(ranged(1, b"hello")).have(1) == 5
    assert first.post(ranged(1, bytes(1 << 20), 5)).have(1) == 5 + (1 << 20)
    assert (receiver.mirror / "n1/1000/a.b.jst").read_bytes()[:5] == b"hello"
    assert through(certificates, port, "n2", "n2").post(ranged(1, b"x")).status == 200
    # What the client says of itself does not count.
    forged = through(certificates, port, "n2", "n1").post(
        ranged(1, b"evil!"), Jostle_Verified_Node="n1"
    )
    assert (forged.status, forged.code) == (403, "node")
    odd = through(certificates, port, "odd", "n1").post(ranged(1, b"evil!"))
    assert (odd.status, odd.code) == (401, "credential")
    assert (receiver.mirror / "n1/1000/a.b.jst").read_bytes()[:5] == b"hello"
    for certificate in ("", "stranger"):
        node = through(certificates, port, certificate, "n1")
        node.connection.request("POST", "/ship/1", body(ranged(1)), node.head())
        assert node.connection.getresponse().status == 400
    assert first.get("/metrics")[0] == 404  # only the nodes' address is passed on
    ship(
        certificates,
        receiver=f"https://localhost:{port}",
        ca_file=certificates / "ca.pem",
        certificate_file=certificates / "n1.pem",
        key_file=certificates / "n1.key",
    )


def test_tokens_travel_over_tls(certificates: Path, starting: Callable[..., Running]) -> None:
    receiver = starting(
        config=f'tls_cert = "{certificates}/server.pem"\ntls_key = "{certificates}/server.key"\n'
    )
    node = through(certificates, receiver.port, "", "n1")
    node.token = "secret-n1"
    assert node.post(ranged(1, b"hello")).have(1) == 5
    with pytest.raises(http.client.HTTPException):
        receiver.node().post(ranged(1))


@_ROOT_ONLY
def test_the_proxys_socket_is_closed_to_others(
    folder: Path, starting: Callable[..., Running]
) -> None:
    path = folder / "receive.sock"
    receiver = starting("--proxy-socket", str(path))
    assert path.stat().st_mode & 0o777 == 0o600
    node = Node(path)
    assert node.post(ranged(1, b"x"), Jostle_Verified_Node="n3").status == 403
    assert Node(path, name="n3").post(ranged(1, b"x"), Jostle_Verified_Node="n3").status == 200
    assert Node(path).post(ranged(1, b"x")).status == 401
    assert Node(path, "secret-n1").post(ranged(1, b"x")).status == 200
    assert receiver.node("n3").post(ranged(1, b"x"), Jostle_Verified_Node="n3").status == 400
