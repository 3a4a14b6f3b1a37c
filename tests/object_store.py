"""An object store for tests: moto's server, and a proxy before it that spoils what a test asks for.

with ObjectStore() as store:          # its address and credentials are in the environment
    store.proxy.spoil("PUT", "commits/", "lost answer", times=1)
    Repository(store.place("a"), create=True)
"""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

BUCKET = "jostle-test"
_SLOW_DOWN = (
    b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"
)
_ERROR = (
    b"<Error><Code>InternalError</Code><Message>We encountered an internal error.</Message></Error>"
)


@dataclass
class Fault:
    """A fault of some requests.

    kind: "500", "503", "hang" (no answer), "cut upload" (the connection breaks in the middle of the
    body, nothing arrives), "lost answer" (it arrives, and nobody says so), "short read" (half of
    the answer comes), "short upload" (half of the body is stored, and the store says it is well),
    "no condition" (If-None-Match is ignored).
    """

    method: str
    part: str
    kind: str
    times: int


class Proxy(ThreadingHTTPServer):
    """Passes requests on, except those of `spoil`."""

    daemon_threads = True

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.port = port
        self.faults: list[Fault] = []
        self.asked: Counter[str] = Counter()
        self.guard = threading.Lock()

    def spoil(self, method: str, part: str, kind: str, times: int = 1) -> None:
        """Spoil the next requests of a method whose path contains a part."""
        with self.guard:
            self.faults.append(Fault(method, part, kind, times))

    def fault(self, method: str, path: str) -> str:
        with self.guard:
            self.asked[method] += 1
            for fault in self.faults:
                if fault.times > 0 and fault.method == method and fault.part in path:
                    fault.times -= 1
                    return fault.kind
        return ""

    def handle_error(self, request: object, client_address: object) -> None:
        """Logs nothing: connections break on purpose."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else the second write of an answer waits 40 ms
    server: Proxy

    def _pass(self) -> None:
        kind = self.server.fault(self.command, self.path)
        length = int(self.headers.get("Content-Length", 0))
        if kind == "cut upload":
            self.rfile.read(length // 2)
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        body = self.rfile.read(length)
        if kind == "hang":
            time.sleep(3)
            self.close_connection = True
            return
        if kind in ("500", "503"):
            self._answer(int(kind), {}, _ERROR if kind == "500" else _SLOW_DOWN)
            return
        headers = {
            name: value
            for name, value in self.headers.items()
            if not (kind == "no condition" and name.lower() == "if-none-match")
        }
        if kind == "short upload":
            body = body[: length // 2]
            headers = {
                name: value
                for name, value in headers.items()
                if name.lower() not in ("content-length", "content-md5")
            }
        there = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
        there.request(self.command, self.path, body, headers)
        answer = there.getresponse()
        content = answer.read()
        if kind == "lost answer":
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        ours = ("transfer-encoding", "connection", "content-length")
        kept = {name: value for name, value in answer.getheaders() if name.lower() not in ours}
        size = int(answer.getheader("Content-Length") or len(content))
        self._answer(answer.status, kept, content, size, cut=kind == "short read")

    def _answer(
        self,
        status: int,
        headers: dict[str, str],
        content: bytes,
        size: int | None = None,
        *,
        cut: bool = False,
    ) -> None:
        self.send_response_only(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content) if size is None else size))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if cut else content)
        if cut:
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = _pass  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Logs nothing."""


class ObjectStore:
    """A store with one bucket; its settings are in the environment while it lives."""

    def __enter__(self) -> Self:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self._server = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.proxy = Proxy(port)
        threading.Thread(target=self.proxy.serve_forever, daemon=True).start()
        self.environment = {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.proxy.server_address[1]}",
            "AWS_ACCESS_KEY_ID": "tests",
            "AWS_SECRET_ACCESS_KEY": "tests-secret-key",
            "AWS_REGION": "us-east-1",
        }
        self._before = dict(os.environ)
        os.environ.update(self.environment)
        self._make_bucket(port)
        return self

    def _make_bucket(self, port: int) -> None:
        for _ in range(300):
            try:
                there = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
                there.request("PUT", f"/{BUCKET}")
                if there.getresponse().status == 200:
                    return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError("moto's server does not answer")

    def __exit__(self, *_: object) -> None:
        self._server.kill()
        self._server.wait()
        self.proxy.shutdown()
        os.environ.clear()
        os.environ.update(self._before)

    def place(self, name: str) -> str:
        """Return the address of a repository."""
        return f"s3://{BUCKET}/{name}"
