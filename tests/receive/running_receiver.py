"""A receiver, as an operator starts it."""

from __future__ import annotations

import hashlib
import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from receive_node import Node

NODES = ("n1", "n2", "n3", "node-17.example.org")


@dataclass
class Running:
    """A running receiver.

    Attributes:
        folder: Has `mirror`, `repository` and `tokens`.
    """

    folder: Path
    process: subprocess.Popen[str]
    port: int

    @property
    def mirror(self) -> Path:
        return self.folder / "mirror"

    def node(self, name: str = "n1", **given: object) -> Node:
        return Node(self.port, f"secret-{name}", name, **given)  # type: ignore[arg-type]

    def kill(self, number: int = signal.SIGKILL) -> None:
        self.process.send_signal(number)
        self.process.wait(30)

    def restart(self) -> None:
        """Start it again on the same port, after a kill."""
        self.process = start(self.folder, port=self.port).process


def start(folder: Path, *words: str, config: str = "", port: int = 0) -> Running:
    """Start a receiver in a folder, on any free port or a certain one."""
    tokens, settings = folder / "tokens", folder / "receive.toml"
    if not tokens.exists():
        hashes = [f"{n} {hashlib.sha256(f'secret-{n}'.encode()).hexdigest()}\n" for n in NODES]
        tokens.write_text("".join(hashes))
        tokens.chmod(0o600)
    settings.write_text(config)
    command = [
        sys.executable,
        "-m",
        "jostle.cli",
        "receive",
        "--listen",
        f"127.0.0.1:{port}",
        "--mirror",
        folder / "mirror",
        "--tokens",
        tokens,
        "--config",
        settings,
        "--repository",
        folder / "repository",
        *words,
    ]
    log = (folder / "log").open("a")
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    first = process.stdout.readline()
    place = re.search(r"https?://127\.0\.0\.1:(\d+)", first)
    assert place, (first, (folder / "log").read_text()[-2000:])
    return Running(folder, process, int(place[1]))


def ingester_of(pid: int) -> int:
    """The process that ingests for a receiver."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    (child,) = [int(word) for task in tasks for word in task.read_text().split()]
    return child
