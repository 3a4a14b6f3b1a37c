"""A small and strict receiver of posts of jostle-ship, made from the protocol, with faults."""

from __future__ import annotations

import io
import re
import socketserver
import ssl
import struct
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pyarrow as pa

MAGIC = b"jstship1"
NAME = re.compile(rb"[A-Za-z0-9_.-]{1,196}\.js[tspmb]")
RANGE = struct.Struct("<IIQQIIHH")
OVER, GAP = 1, 2


@dataclass
class Mirrored:
    """A file on the receiver."""

    name: str
    data: bytearray = field(default_factory=bytearray)
    over: bool = False
    gap: bool = False

    @property
    def have(self) -> int:
        return len(self.data)


@dataclass(frozen=True)
class Range:
    owner: int
    file: int
    name: str
    flags: int
    offset: int
    data: bytes


def ranges(body: bytes) -> Iterator[Range]:
    assert body.startswith(MAGIC), body[:16]
    assert len(body) <= 8 << 20
    at = len(MAGIC)
    while at < len(body):
        crc, size, offset, file, owner, flags, length, zero = RANGE.unpack_from(body, at)
        end = at + RANGE.size + length + size
        assert end <= len(body) and zero == 0 and size <= 1 << 20
        assert zlib.crc32(body[at + 4 : end]) == crc
        name = body[at + RANGE.size : at + RANGE.size + length]
        assert NAME.fullmatch(name) and not name.startswith(b"."), name
        assert flags in (0, OVER, GAP | OVER)
        assert flags == 0 or size == 0
        yield Range(owner, file, name.decode(), flags, offset, body[end - size : end])
        at = end


Fault = Callable[[int], str | None]


class Receiver:
    """The mirror, the errors, and the posts so far.

    Attributes:
        fault: What to do wrong with the n-th post: "reset" (nothing stored, no answer), "lost"
            (stored, no answer), "torn" (stored, half an answer), "proxy" (the answer of something
            else), or a status with an error, such as "503 busy".
        said: What each complete answer acknowledged: (owner, file) -> bytes and whether it is done.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.files: dict[tuple[int, int], Mirrored] = {}
        self.said: dict[tuple[int, int], tuple[int, bool]] = {}
        self.wrong: list[str] = []
        self.posts: list[tuple[float, int, int]] = []  # when, bytes sent, bytes decoded
        self.headers: list[dict[str, str]] = []
        self.bodies: list[bytes] = []
        self.fault: Fault = lambda n: None
        self.credit = 8 << 20
        self.after = 0.0
        self.retry_after = "1"

    def take(self, body: bytes) -> str:
        decoded = pa.input_stream(io.BytesIO(body), compression="zstd").read()
        lines = ["jostle-ship 1", f"time {time.time_ns()}", f"credit {self.credit}"]
        lines.append(f"after {self.after}")
        named: dict[tuple[int, int], None] = {}
        with self.lock:
            self.posts.append((time.monotonic(), len(body), len(decoded)))
            order: dict[tuple[int, int], int] = {}
            lowest: dict[tuple[int, int], int] = {}
            for r in ranges(decoded):
                key = (r.owner, r.file)
                named[key] = None
                f = self.files.setdefault(key, Mirrored(r.name))
                known = self.said.get(key, (0, False))[0]
                step = 2 * bool(r.flags) or int(r.offset < known)
                assert order.get(key, 0) <= step, "appended bytes, changes of the head, the end"
                assert step != 1 or r.offset < lowest.get(key, 1 << 62), "the header is last"
                order[key] = step
                if step == 1:
                    lowest[key] = r.offset
                self._apply(f, r)
            for key in named:
                f = self.files[key]
                lines.append(f"file {key[0]} {key[1]} {f.have} {int(f.over)}")
        return "\n".join(lines) + "\n"

    def _apply(self, f: Mirrored, r: Range) -> None:
        if r.name != f.name:
            self.wrong.append(f"{f.name} is now called {r.name}")
        if r.flags & GAP:
            f.data.extend(bytes(max(0, r.offset - f.have)))
            f.gap = f.over = True
        elif r.offset <= f.have and r.data:
            f.data[r.offset : r.offset + len(r.data)] = r.data
        if r.flags == OVER and r.offset <= f.have:
            f.over = True
            if f.have != r.offset:
                self.wrong.append(f"{f.name} ends at {r.offset}, and {f.have} bytes are here")

    def answered(self, text: str) -> None:
        with self.lock:
            for line in text.splitlines():
                if line.startswith("file "):
                    owner, file, have, done = map(int, line.split()[1:])
                    self.said[owner, file] = (have, bool(done))

    def named(self, name: str) -> Mirrored:
        with self.lock:
            (mirrored,) = [f for f in self.files.values() if f.name == name]
            return mirrored


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    receiver: Receiver

    def log_message(self, *_: Any) -> None:
        pass

    def address_string(self) -> str:
        return ""

    def do_POST(self) -> None:
        receiver = self.receiver
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if len(body) < int(self.headers["Content-Length"]):  # its sender was killed
            self.close_connection = True
            return
        receiver.headers.append(dict(self.headers.items()))
        receiver.bodies.append(body)
        fault = receiver.fault(len(receiver.headers))
        if fault == "reset":
            self.close_connection = True
            return
        if fault and fault[:3].isdigit():
            ahead = time.time_ns() + 900 * 10**9
            text = f"jostle-ship 1\nerror {fault[4:]}\nwhy because\nfix wait\ntime {ahead}\n"
            self._answer(int(fault[:3]), text)
            return
        if fault == "proxy":
            self._answer(502, "<html>bad gateway</html>")
            return
        try:
            assert self.path == "/ship/1"
            assert self.headers["Content-Type"] == "application/x-jostle-ranges"
            assert self.headers["Content-Encoding"] == "zstd"
            text = receiver.take(body)
        except Exception as error:
            receiver.wrong.append(repr(error))
            self._answer(400, "jostle-ship 1\nerror malformed\nwhy it is wrong\n")
            return
        if fault == "lost":
            self.close_connection = True
            return
        if fault == "torn":
            text = text[: len(text) // 2]
        else:
            receiver.answered(text)
        self._answer(200, text)

    def _answer(self, status: int, text: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        if status in (429, 503):
            self.send_header("Retry-After", self.receiver.retry_after)
        self.end_headers()
        self.wfile.write(text.encode())


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_: Any) -> None:
        pass


class _TlsServer(socketserver.ThreadingTCPServer):
    daemon_threads = True
    context: ssl.SSLContext

    def get_request(self) -> tuple[Any, Any]:
        connection, address = self.socket.accept()
        return self.context.wrap_socket(
            connection, server_side=True, do_handshake_on_connect=False
        ), address

    def handle_error(self, *_: Any) -> None:
        pass


@contextmanager
def serving(
    receiver: Receiver, path: Path | None, context: ssl.SSLContext | None = None
) -> Iterator[int]:
    """Serve on a unix socket, or by TLS on a port, which it yields."""
    handler = type("Handler", (_Handler,), {"receiver": receiver})
    server: socketserver.BaseServer
    port = 0
    if path is not None:
        path.unlink(missing_ok=True)
        server = _Server(str(path), handler)
    else:
        server = _TlsServer(("127.0.0.1", 0), handler)
        server.context = context  # type: ignore[assignment]
        port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield port
    finally:
        server.shutdown()
        server.server_close()
        if path is not None:
            path.unlink(missing_ok=True)
