"""Credentials of jostle-ship: a token, a certificate, a MUNGE credential."""

from __future__ import annotations

import hashlib
import ssl
import subprocess
from pathlib import Path

import pytest
from receiver import serving
from shipping import Site, dead, munged


@pytest.fixture
def site(tmp_path: Path) -> Site:
    site = Site(tmp_path)
    dead(site.spool / "none.1.1.jst")
    return site


def test_a_token(site: Site, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("s3cret\n")
    token.chmod(0o644)
    site.set(token_file=str(token))
    with serving(site.receiver, site.socket):
        done = site.once()
        assert done.returncode == 1 and "chmod 600" in done.stderr and not site.receiver.headers
        token.chmod(0o600)
        assert site.once().returncode == 0
    assert site.receiver.headers[0]["Authorization"] == "Bearer s3cret"
    assert site.receiver.headers[0]["Jostle-Node"] == "node-1"
    site.set(token_file=str(token), receiver="http://far.example:8643")
    done = site.once()
    assert done.returncode == 2 and "https://" in done.stderr


def test_certificates(site: Site, tmp_path: Path) -> None:
    """The receiver's certificate is checked against the CA, and our own is sent."""

    def openssl(*words: str) -> None:
        subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=tmp_path)

    new = (
        "req",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
    )
    openssl(*new, "-x509", "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=test CA")
    (tmp_path / "names").write_text("subjectAltName=IP:127.0.0.1\n")
    for name in ("server", "node-1"):
        openssl(*new, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        openssl(
            "x509",
            "-req",
            "-in",
            f"{name}.csr",
            "-CA",
            "ca.pem",
            "-CAkey",
            "ca.key",
            "-out",
            f"{name}.pem",
            "-days",
            "2",
            "-extfile",
            "names",
        )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "server.pem", tmp_path / "server.key")
    context.load_verify_locations(tmp_path / "ca.pem")
    context.verify_mode = ssl.CERT_REQUIRED
    with serving(site.receiver, None, context) as port:
        url = f"https://127.0.0.1:{port}"
        site.set(receiver=url)
        assert "certificate" in site.once().stderr  # of an authority that nobody knows
        site.set(receiver=url, ca_file=str(tmp_path / "ca.pem"))
        assert site.once().returncode == 1  # without our own
        assert not site.receiver.headers
        site.set(
            receiver=url,
            ca_file=str(tmp_path / "ca.pem"),
            certificate_file=str(tmp_path / "node-1.pem"),
            key_file=str(tmp_path / "node-1.key"),
        )
        assert site.once().returncode == 0
    assert site.waiting() == []


def test_munge(site: Site, tmp_path: Path) -> None:
    with munged(tmp_path) as munge:
        check_munge(site, munge)


def check_munge(site: Site, munge: Path) -> None:
    site.set(munge="on", munge_socket=str(munge))
    with serving(site.receiver, site.socket):
        done = site.once()
        assert done.returncode == 0, done.stderr
    for headers, body in zip(site.receiver.headers, site.receiver.bodies, strict=True):
        scheme, _, credential = headers["Authorization"].partition(" ")
        opened = subprocess.run(
            ["unmunge", f"--socket={munge}"],
            input=credential,
            capture_output=True,
            text=True,
            check=True,
        )
        payload = opened.stdout.partition("\n\n")[2]
        digest = hashlib.sha256(body).hexdigest()
        assert scheme == "Munge"
        assert payload.rstrip("\n") == f"node-1\n{headers['Jostle-Time']}\n{digest}"
    site.set(munge="on", munge_socket="/nowhere")
    dead(site.spool / "none.2.1.jst")
    assert "munged running" in site.once().stderr
