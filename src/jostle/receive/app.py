"""The receiver's ASGI application: accepts HTTP POST requests of nodes, and has them stored."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from jostle.receive.credentials import Credentials, Sender, check_clock
from jostle.receive.ingester import IngestProcess
from jostle.receive.keeper import Answer, Keeper, Post
from jostle.receive.metrics import Counts, openmetrics
from jostle.receive.names import is_node_name
from jostle.receive.ranges import MOST_BODY, MOST_SENT
from jostle.receive.refused import FIRST_LINE, RefusedError, malformed
from jostle.receive.settings import ReceiveSettings
from jostle.values.openmetrics import CONTENT_TYPE

PATH = "/ship/1"
TYPE = "application/x-jostle-ranges"
#: Longest time from a post's header to its last byte, s.
BODY_S = 60.0
#: Most bytes of bodies in memory, and most concurrent posts of one node.
_MOST_WAITING, _MOST_OF_NODE = 256 << 20, 4
_SILENT_S = 300.0
_LEAST_CREDIT = 64 << 10
_DISK_EVERY_S = 0.5
_REPORT_EVERY_S, _MOST_REPORTED = 3600.0, 10_000
_LAG_EVERY_S = 60.0
#: Rate of posts that all nodes together are allowed: half of what one core can handle.
_POSTS_PER_S, _ACTIVE_EVERY_S = 500, 5.0

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class App:
    """The ASGI application of the receiver."""

    def __init__(
        self,
        settings: ReceiveSettings,
        credentials: Credentials,
        keeper: Keeper,
        ingest: IngestProcess,
        warn: Callable[[str], None],
    ) -> None:
        """Create the application from its parts, which are started and ended elsewhere.

        Args:
            settings: Settings of the receiver.
            credentials: Object that identifies senders.
            keeper: Thread that stores the requests' data.
            ingest: Process that ingests the data into the repository.
            warn: Function that is called with messages for the operator, at a limited rate.
        """
        self._warn = warn
        self._reported: dict[tuple[str, str], float] = {}
        self.counts = Counts()
        self._settings = settings
        self._credentials = credentials
        self._keeper = keeper
        self._ingest = ingest
        self._waiting_bytes = 0
        self._of_node: Counter[str] = Counter()
        self._seen: dict[str, float] = {}
        self._free, self._free_at = 0, 0.0
        self._active, self._active_at = 0, 0.0

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
            return
        path, method = scope["path"], scope["method"]
        try:
            if path == PATH:
                _need(method, "POST")
                content = await self._ship(scope, receive)
                await _answer(send, 200, content)
            elif path == "/metrics":
                _need(method, "GET")
                await _answer(send, 200, openmetrics(self.counts, self._gauges()), CONTENT_TYPE)
            elif path == "/health":
                _need(method, "GET")
                await self._health(send)
            else:
                raise RefusedError(
                    404, "path", "there is nothing at this address", f"Nodes post to {PATH}."
                )
        except RefusedError as refusal:
            if path == PATH:
                self.counts.refused[refusal.code] += 1
                self._report(scope, refusal)
            text = refusal.text().encode()
            await _answer(send, refusal.status, text, retry_s=refusal.retry_s)

    def _report(self, scope: Message, refusal: RefusedError) -> None:
        """Warn the operator that a node is refused, at most once an hour for the same reason."""
        if refusal.retry_s and refusal.code != "clock":
            return  # a temporary refusal
        names = (value for name, value in scope["headers"] if name == b"jostle-node")
        node = next(names, b"").decode("latin-1")
        if not is_node_name(node):
            node = f"A node at {(scope.get('client') or ['the proxy'])[0]}"
        now = time.monotonic()
        if now < self._reported.get((node, refusal.code), 0):
            return
        if len(self._reported) >= _MOST_REPORTED:
            self._reported.clear()
        self._reported[node, refusal.code] = now + _REPORT_EVERY_S
        self._warn(
            f"{node} is refused ({refusal.status} {refusal.code}): {refusal.why}. {refusal.fix}"
        )

    async def watch_lag(self) -> None:
        """Warn the operator each minute while the repository lags behind the mirror."""
        while True:
            await asyncio.sleep(_LAG_EVERY_S)
            lag = self._ingest.lag_s()
            if lag > _LAG_EVERY_S:
                self._warn(f"The repository lags {lag:.0f} s behind the received data.")

    async def _ship(self, scope: Message, receive: Receive) -> bytes:
        headers = _headers(scope["headers"])
        size = _size(headers)
        self._check_room(size)
        is_proxied = bool(scope.get("state", {}).get("proxied"))
        self._waiting_bytes += size
        try:
            sender = await self._credentials.sender(headers, is_proxied=is_proxied)
            self._check_sender(sender)
            self._of_node[sender.node] += 1
            try:
                body = await _body(receive, size)
                return await self._store(sender, body)
            finally:
                self._of_node[sender.node] -= 1
        finally:
            self._waiting_bytes -= size

    async def _store(self, sender: Sender, body: bytes) -> bytes:
        begin = time.monotonic()
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

        def answer(content: Answer) -> None:
            if not future.done():  # the node may have disconnected
                future.set_result(content)

        post = Post(sender.node, body, sender.digest, answer)
        self._keeper.take(post)
        content = await future
        if isinstance(content, RefusedError):
            raise content
        self.counts.acknowledged(len(body), post.body_bytes, time.monotonic() - begin)
        lag = self._ingest.lag_s()
        head = f"{FIRST_LINE}\ntime {time.time_ns()}\ncredit {self._credit(lag)}\n"
        head += f"after {self._after_s():.1f}\n"
        return (head + content).encode()

    def _check_sender(self, sender: Sender) -> None:
        node = sender.node
        if not self._settings.takes(node):
            url = self._settings.right_one(node)
            raise RefusedError(
                421,
                "elsewhere",
                "this receiver does not accept this node",
                f"Send to {url}." if url else "Ask the operator which receiver does.",
                more={"receiver": url} if url else {},
            )
        check_clock(sender, time.time_ns())
        if self._of_node[node] >= _MOST_OF_NODE:
            raise RefusedError(
                429,
                "busy",
                f"{_MOST_OF_NODE} posts of this node are being stored",
                "Wait for their answers.",
                retry_s=1,
            )
        self._seen[node] = time.monotonic()

    def _check_room(self, size: int) -> None:
        """Refuse a post that would have to wait for the disk, the ingester or other posts."""
        if not self._keeper.is_alive():
            raise RefusedError(
                503,
                "disk",
                "the receiver stores nothing: see its log",
                "Fix what the log says, and start it again.",
                retry_s=60,
            )
        if self._waiting_bytes + size > _MOST_WAITING:
            raise RefusedError(
                503, "busy", "too many posts wait to be stored", "Try again soon.", retry_s=2
            )
        if self._disk_free() < self._settings.free_bytes:
            raise RefusedError(
                503,
                "disk-low",
                "the receiver's disk is nearly full",
                "The node keeps its data; free some space at the receiver.",
                retry_s=30,
            )
        lag = self._ingest.lag_s()
        if lag > self._settings.most_lag_s:
            raise RefusedError(
                503,
                "lag",
                f"the repository is {lag:.0f} s behind what was received",
                "The node keeps its data; let several receivers share the nodes.",
                retry_s=30,
            )

    def _disk_free(self) -> int:
        now = time.monotonic()
        if now > self._free_at:
            facts = os.fstatvfs(self._keeper.root)
            self._free, self._free_at = facts.f_bavail * facts.f_frsize, now + _DISK_EVERY_S
        return self._free

    def _credit(self, lag: float) -> int:
        """Return the largest decoded size, bytes, that the next post of a node may have.

        The size is smaller while posts wait to be stored, or while ingest lags behind.
        """
        free = 1 - self._waiting_bytes / _MOST_WAITING
        free *= max(1 - lag / self._settings.most_lag_s, 0)
        return max(int(MOST_BODY * free), _LEAST_CREDIT)

    def _after_s(self) -> float:
        """Return how long, s, a node must wait before its next post.

        With this pause, all nodes together keep to the permitted rate of posts.
        """
        now = time.monotonic()
        if now > self._active_at:
            self._active = sum(now - at < _SILENT_S for at in self._seen.values())
            self._active_at = now + _ACTIVE_EVERY_S
        return round(self._active / _POSTS_PER_S, 1)

    async def _health(self, send: Send) -> None:
        lag = self._ingest.lag_s()
        problems = []
        if not self._keeper.is_alive():
            problems.append("nothing is stored any more: look into the log")
        if not self._ingest.is_up:
            problems.append("the ingester does not run")
        if self._disk_free() < self._settings.free_bytes:
            problems.append("the disk is nearly full")
        if lag > self._settings.most_lag_s:
            problems.append("ingest lags too far behind")
        content = {
            "ok": not problems,
            "problems": problems,
            "lag_s": round(lag, 3),
            "time_ns": time.time_ns(),
        }
        status = 503 if problems else 200
        await _answer(send, status, json.dumps(content).encode(), "application/json")

    def _gauges(self) -> dict[str, float]:
        now = time.monotonic()
        usage = self._keeper.usage
        values = {
            "gaps": usage.gaps,
            "queue_bytes": self._waiting_bytes,
            "files_open": self._keeper.files_known(),
            "mirror_files": usage.files,
            "mirror_bytes": usage.bytes,
            "disk_free_bytes": self._disk_free(),
            "nodes_seen": len(self._seen),
            "nodes_silent": sum(now - at > _SILENT_S for at in self._seen.values()),
            "lag_seconds": self._ingest.lag_s(),
            "ingest_up": self._ingest.is_up,
            "ingested_slices": self._ingest.slices,
        }
        return {f"jostle_receive_{name}": value for name, value in values.items()}


def _need(method: str, wanted: str) -> None:
    if method != wanted:
        raise RefusedError(
            405, "method", f"{method[:20]} is not for this address", f"Use {wanted}."
        )


def _headers(raw: list[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return the headers by name; refuse duplicates, of which none could be preferred."""
    headers: dict[str, str] = {}
    for name, value in raw:
        key = name.decode("latin-1")
        if key in headers:
            raise RefusedError(
                400, "header", f"the header {key[:40]} is there twice", "Send it once."
            )
        headers[key] = value.decode("latin-1")
    return headers


def _size(headers: dict[str, str]) -> int:
    """Return the size of the body as it is sent, bytes."""
    if headers.get("content-type") != TYPE:
        raise RefusedError(415, "type", "the body's type is not known", f"Content-Type is {TYPE}.")
    if headers.get("content-encoding") != "zstd":
        raise RefusedError(
            415, "encoding", "the body is not compressed", "Content-Encoding is zstd."
        )
    if "content-length" not in headers:
        raise RefusedError(
            411,
            "length",
            "the post has no Content-Length",
            "Send its length in the header Content-Length.",
        )
    size = int(headers["content-length"])  # h11 has checked it
    if size > MOST_SENT:
        raise RefusedError(
            413,
            "size",
            f"a post of {size} bytes is too large",
            f"A post has at most {MOST_BODY >> 20} MiB, decoded.",
        )
    return size


async def _body(receive: Receive, size: int) -> bytes:
    parts: list[bytes] = []
    try:
        async with asyncio.timeout(BODY_S):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise malformed("the post was cut off")
                parts.append(message.get("body", b""))
                if not message.get("more_body"):
                    break
    except TimeoutError:
        raise RefusedError(
            408, "slow", f"the post took longer than {BODY_S:.0f} s", "Send smaller posts."
        ) from None
    body = b"".join(parts)
    if len(body) != size:
        raise malformed("the body is not as long as Content-Length says")
    return body


async def _answer(
    send: Send, status: int, body: bytes, kind: str = "text/plain; charset=utf-8", retry_s: int = 0
) -> None:
    headers = [
        (b"content-type", kind.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
    ]
    if retry_s:
        headers.append((b"retry-after", str(retry_s).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
