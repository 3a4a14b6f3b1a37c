"""Simulates the end of an outage: all nodes of a site send the data of the outage at once.

Each node is a connection that uses the shippers' protocol (docs/reference/receive.md), as one
machine cannot run a thousand shippers and the receiver. Unlike shippers, these nodes all begin at
the same moment, which is the worst case.
"""

from __future__ import annotations

import asyncio
import os
import random
import struct
import threading
import time
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from jostle.repository import Repository
from jostle_lab.validation.scale.services import ReceiverService, cpu_s, memory_mib, write_tokens
from jostle_lab.validation.scale.spools import SLICE_NS, SimulatedNode, SimulatedSite
from jostle_lab.validation.scale.truth import Comparison, compare

_RANGE_BYTES = 1 << 20
_FIRST_CREDIT = 8 << 20
_FILE_ROOM = 300
_GIVE_UP_S = 300.0


@dataclass(frozen=True)
class StormSpec:
    """The parameters of the return of all nodes.

    Attributes:
        nodes: Number of nodes.
        processes: Number of processes on each node.
        minutes: Length of the outage, whose data each node has kept, in simulated minutes.
        seed: Seed of jobs and programs.
    """

    nodes: int = 300
    processes: int = 8
    minutes: int = 30
    seed: int = 1


@dataclass
class StormResult:
    """The results of the return of all nodes.

    Attributes:
        truth: Comparison of the repository with what was written.
        posts: Number of HTTP POST requests that were accepted.
        statuses: Number of requests by the HTTP status of their response; "none": the connection
            failed.
        stored_s: Seconds until the receiver had acknowledged the last byte.
        queryable_s: Seconds until all data could be queried.
        sent_bytes: Number of bytes sent, after compression.
        decoded_bytes: Number of bytes sent, before compression.
        receiver_cpu_s: CPU time of the receiver.
        ingester_cpu_s: CPU time of its ingester.
        receiver_mib: Largest memory of the receiver, MiB.
        ingester_mib: Largest memory of the ingester, MiB.
        retry_after_s: Longest time that a node was asked to wait, in seconds.
    """

    spec: StormSpec
    truth: Comparison
    posts: int
    statuses: dict[str, int]
    stored_s: float
    queryable_s: float
    sent_bytes: int
    decoded_bytes: int
    receiver_cpu_s: float
    ingester_cpu_s: float
    receiver_mib: float
    ingester_mib: float
    retry_after_s: float


@dataclass
class _Counts:
    statuses: Counter[str] = field(default_factory=Counter)
    sent: int = 0
    decoded: int = 0
    retry_after_s: float = 0.0


class _File:
    def __init__(self, path: Path, number: int) -> None:
        self.name, self.number, self.data = path.name, number, path.read_bytes()
        self.have, self.is_done = 0, False

    def ranges(self, room: int) -> tuple[list[bytes], int]:
        """Return the next byte ranges that the receiver lacks, and their total size.

        An empty range at the end of the file marks the file as finished.
        """
        parts, at, used = [], self.have, 0
        while at < len(self.data) and used + _FILE_ROOM < room:
            size = min(len(self.data) - at, _RANGE_BYTES, room - used - _FILE_ROOM)
            parts.append(self._range(at, self.data[at : at + size], 0))
            at, used = at + size, used + size + _FILE_ROOM
        if at == len(self.data) and used + _FILE_ROOM < room:
            parts.append(self._range(at, b"", 1))
            used += _FILE_ROOM
        return parts, used

    def _range(self, offset: int, data: bytes, flags: int) -> bytes:
        name = self.name.encode()
        rest = struct.pack(
            "<IQQIIHH", len(data), offset, self.number, os.getuid(), flags, len(name), 0
        )
        rest += name + data
        return struct.pack("<I", zlib.crc32(rest)) + rest


class _Returning:
    """One returning node."""

    def __init__(self, node: SimulatedNode, counts: _Counts) -> None:
        self._node, self._counts = node, counts
        paths = sorted(node.spool.glob("*.jst"))
        self._files = [_File(path, number + 1) for number, path in enumerate(paths)]
        self._credit, self._chance = _FIRST_CREDIT, random.Random(node.name)
        self._tries = 0

    async def run(self, port: int, until: float) -> None:
        """Send HTTP POST requests until the receiver has all data."""
        streams = None
        while any(not file.is_done for file in self._files) and time.monotonic() < until:
            try:
                streams = streams or await asyncio.open_connection("127.0.0.1", port)
                wait = await self._post(*streams)
            except (OSError, asyncio.IncompleteReadError):
                self._counts.statuses["none"] += 1
                streams, wait = None, self._chance.uniform(0.2, 2.0)
            await asyncio.sleep(wait)
        if streams:
            streams[1].close()

    async def _post(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> float:
        """Send one HTTP POST request; return the time to wait before the next."""
        plain, room = b"jstship1", self._credit
        for file in self._files:
            if not file.is_done:
                parts, used = file.ranges(room)
                plain += b"".join(parts)
                room -= used
        content = pa.Codec("zstd").compress(plain, asbytes=True)
        writer.write(self._head(len(content)) + content)
        await writer.drain()
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
        text = (await reader.readexactly(int(headers["content-length"]))).decode()
        status = head[0].split(" ")[1]
        self._counts.statuses[status] += 1
        if headers.get("connection") == "close":
            raise ConnectionResetError
        if status != "200":
            retry = float(headers.get("retry-after", 1))
            self._counts.retry_after_s = max(self._counts.retry_after_s, retry)
            return retry * self._chance.uniform(1.0, 1.25)
        self._counts.sent += len(content)
        self._counts.decoded += len(plain)
        return self._heed(text)

    def _head(self, length: int) -> bytes:
        return (
            "POST /ship/1 HTTP/1.1\r\nHost: receiver\r\n"
            "Content-Type: application/x-jostle-ranges\r\nContent-Encoding: zstd\r\n"
            f"Content-Length: {length}\r\nJostle-Node: {self._node.name}\r\n"
            f"Jostle-Boot: {self._node.boot_id}\r\nJostle-Time: {time.time_ns()}\r\n"
            f"Authorization: Bearer secret-{self._node.name}\r\n\r\n"
        ).encode()

    def _heed(self, text: str) -> float:
        after, by_number = 0.0, {file.number: file for file in self._files}
        for line in text.splitlines():
            word, *rest = line.split(" ")
            if word == "file":
                file = by_number[int(rest[1])]
                file.have, file.is_done = int(rest[2]), rest[3] == "1"
            elif word == "credit":
                self._credit = int(rest[0])
            elif word == "after":
                after = float(rest[0])
        return after


class _Most:
    """The largest memory of a receiver and its ingester, sampled by a thread."""

    def __init__(self, receiver: ReceiverService) -> None:
        self._receiver, self._over = receiver, threading.Event()
        self.receiver = self.ingester = 0.0
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._over.wait(0.1):
            self.receiver = max(self.receiver, memory_mib(self._receiver.pid))
            self.ingester = max(self.ingester, memory_mib(self._receiver.ingester()))

    def end(self) -> None:
        self._over.set()
        self._thread.join()


def simulate_storm(spec: StormSpec, folder: Path) -> StormResult:
    """Let all nodes return to one receiver at once.

    Args:
        spec: Number of nodes and amount of data.
        folder: Path of an empty folder.
    """
    start = (time.time_ns() - (spec.minutes + 60) * 60 * 10**9) // SLICE_NS
    sleepers = [(number + 1, 0) for number in range(spec.processes)]
    site = SimulatedSite(folder / "spools", spec.nodes, start, sleepers, spec.seed)
    for _ in range(spec.minutes):
        site.advance(60 * 10**9 // SLICE_NS)
    site.end()
    write_tokens(folder, site.nodes)
    counts = _Counts()
    nodes = [_Returning(node, counts) for node in site.nodes]
    Repository(folder / "repository", create=True)
    receiver = ReceiverService(folder, 1, folder / "repository", 900.0)
    most, used = _Most(receiver), cpu_s(receiver.pid)
    begin = time.monotonic()
    asyncio.run(_all(nodes, receiver.port, begin + _GIVE_UP_S))
    stored_s = time.monotonic() - begin
    while time.monotonic() < begin + _GIVE_UP_S and (
        receiver.metrics().get("jostle_receive_lag_seconds")
        or any(receiver.mirror.glob("*/*/*.jst"))
    ):
        time.sleep(0.1)
    queryable_s = time.monotonic() - begin
    used, ingester_used = cpu_s(receiver.pid) - used, cpu_s(receiver.ingester())
    most.end()
    receiver.end()
    store = Repository(folder / "repository")
    truth = compare(store, site.truths)
    store.close()
    return StormResult(
        spec,
        truth,
        counts.statuses["200"],
        dict(counts.statuses),
        stored_s,
        queryable_s,
        counts.sent,
        counts.decoded,
        used,
        ingester_used,
        most.receiver,
        most.ingester,
        counts.retry_after_s,
    )


async def _all(nodes: Sequence[_Returning], port: int, until: float) -> None:
    await asyncio.gather(*(node.run(port, until) for node in nodes))


def storm_table(results: Sequence[StormResult]) -> list[str]:
    """Return a table of the results, with a line for each."""
    lines = [
        "nodes     MB  posts  refused  stored s  queryable s  posts/s/core  MB/s/core  receiver MiB"
        "  ingester MiB  lost  doubled"
    ]
    for each in results:
        refused = sum(n for status, n in each.statuses.items() if status != "200")
        lines.append(
            f"{each.spec.nodes:5} {each.decoded_bytes / 1e6:6.0f} {each.posts:6} {refused:8} "
            f"{each.stored_s:9.1f} {each.queryable_s:12.1f} "
            f"{each.posts / each.receiver_cpu_s:13.0f} "
            f"{each.decoded_bytes / 1e6 / each.receiver_cpu_s:10.1f} {each.receiver_mib:13.0f} "
            f"{each.ingester_mib:13.0f} {each.truth.lost:5} {each.truth.doubled:8}"
        )
    return lines
