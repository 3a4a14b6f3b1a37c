"""A node as docs/reference/receive.md describes it; shares no code with the receiver."""

from __future__ import annotations

import http.client
import socket
import struct
import time
import zlib
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

BOOT = "11111111-2222-3333-4444-555555555555"


def ranged(
    file: int,
    data: bytes = b"",
    offset: int = 0,
    *,
    name: str | bytes = "a.b.jst",
    owner: int = 1000,
    over: bool = False,
    gap: bool = False,
    flags: int = 0,
) -> bytes:
    """A range, as a body has it."""
    raw = name.encode() if isinstance(name, str) else name
    flags |= over | gap << 1
    rest = struct.pack("<IQQIIHH", len(data), offset, file, owner, flags, len(raw), 0) + raw + data
    return struct.pack("<I", zlib.crc32(rest)) + rest


def body(*ranges: bytes) -> bytes:
    """A body, as it is sent."""
    return pa.Codec("zstd").compress(b"jstship1" + b"".join(ranges), asbytes=True)


@dataclass
class Answer:
    """An answer.

    Attributes:
        words: Lines by their first word.
        files: Of each file (owner, file): have, done, and why not all was taken.
    """

    status: int
    headers: dict[str, str]
    words: dict[str, str]
    files: dict[tuple[int, int], tuple[int, bool, str]]

    @property
    def code(self) -> str:
        return self.words.get("error", "")

    @property
    def time_ns(self) -> int:
        return int(self.words["time"])

    def of(self, file: int) -> tuple[int, bool, str]:
        return next(state for (_, each), state in self.files.items() if each == file)

    def have(self, file: int) -> int:
        return self.of(file)[0]

    def done(self, file: int) -> bool:
        return self.of(file)[1]


def file_line(line: str) -> tuple[tuple[int, int], tuple[int, bool, str]]:
    word, owner, file, have, done, *why = line.split(" ")
    assert word == "file"
    assert done in ("0", "1")
    return (int(owner), int(file)), (int(have), done == "1", why[0] if why else "")


def answer_of(status: int, headers: dict[str, str], text: str) -> Answer:
    first, *lines = text.split("\n")
    assert first == "jostle-ship 1", text
    assert lines.pop() == "", text  # it ends with a line's end
    files = dict(file_line(line) for line in lines if line.startswith("file "))
    others = (line.partition(" ") for line in lines if not line.startswith("file "))
    return Answer(status, headers, {word: rest for word, _, rest in others}, files)


@dataclass
class Node:
    """One node.

    Attributes:
        port: The receiver's, or the path of its socket.
    """

    port: int | Path
    token: str = ""
    name: str = "n1"
    headers: dict[str, str] = field(default_factory=dict)
    timeout: float = 20.0

    def __post_init__(self) -> None:
        self.connection = http.client.HTTPConnection(
            "127.0.0.1", self.port if isinstance(self.port, int) else 1, timeout=self.timeout
        )
        if isinstance(self.port, Path):
            self.connection.sock = socket.socket(socket.AF_UNIX)
            self.connection.sock.connect(str(self.port))

    def head(self, **changed: str | None) -> dict[str, str]:
        head: dict[str, str | None] = {
            "Content-Type": "application/x-jostle-ranges",
            "Content-Encoding": "zstd",
            "Jostle-Node": self.name,
            "Jostle-Boot": BOOT,
            "Jostle-Time": str(time.time_ns()),
            "Authorization": f"Bearer {self.token}" if self.token else None,
        }
        head |= self.headers
        head |= {key.replace("_", "-"): value for key, value in changed.items()}
        return {key: value for key, value in head.items() if value is not None}

    def send(self, sent: bytes, **changed: str | None) -> Answer:
        self.connection.request("POST", "/ship/1", sent, self.head(**changed))
        answer = self.connection.getresponse()
        content = answer.read()
        headers = {key.lower(): value for key, value in answer.headers.items()}
        return answer_of(answer.status, headers, content.decode())

    def post(self, *ranges: bytes, **changed: str | None) -> Answer:
        return self.send(body(*ranges), **changed)

    def get(self, path: str) -> tuple[int, bytes, str]:
        self.connection.request("GET", path)
        answer = self.connection.getresponse()
        return answer.status, answer.read(), answer.headers.get("content-type", "")
