"""Starts the real programs of a simulated site: shippers, receivers, ingesters, `jostle serve`.

The programs are started by the same commands as at a real site. Each node's shipper has a mount
namespace of its own, in which it reads the simulated node's boot ID instead of the kernel's.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar
from urllib.request import urlopen

from jostle import native_path
from jostle_lab.validation.errors import ValidationError
from jostle_lab.validation.scale.spools import SimulatedNode

T = TypeVar("T")
_BOOT_ID = "/proc/sys/kernel/random/boot_id"
_BOUND = f'mount --bind "$0" {_BOOT_ID} && exec "$@"'
_START_S = 60.0


def jostle(*words: str | Path) -> list[str]:
    """Return the command line of a `jostle` subcommand."""
    return [sys.executable, "-m", "jostle.cli", *map(str, words)]


def pretend_boot(boot_file: Path, command: Sequence[str]) -> list[str]:
    """Return a command line that runs a command with a boot ID that is read from a file."""
    return [
        "unshare",
        "--mount",
        "--propagation",
        "private",
        "sh",
        "-c",
        _BOUND,
        str(boot_file),
        *command,
    ]


def can_pretend(folder: Path) -> bool:
    """Return whether this machine allows a process to have a boot ID of its own."""
    if shutil.which("unshare") is None:
        return False
    boot = folder / "boot-id"
    boot.write_text("11111111-2222-3333-4444-555555555555\n")
    done = subprocess.run(
        pretend_boot(boot, ["cat", _BOOT_ID]), capture_output=True, text=True, check=False
    )
    return done.stdout == boot.read_text()


def require_boot_ids(folder: Path) -> None:
    """Raise ValidationError if this machine does not allow a process to have its own boot ID."""
    if not can_pretend(folder):
        raise ValidationError(
            "A simulated node needs a boot ID of its own, which this machine does not allow.",
            hint="Run this command as root, with `unshare`, outside of a container that forbids "
            "mounts.",
        )


class Sleepers:
    """Processes that only sleep, whose process IDs the simulated processes use."""

    def __init__(self, number: int) -> None:
        """Start a number of sleeping processes."""
        self._processes = [subprocess.Popen(["sleep", "86400"]) for _ in range(number)]
        #: Process id and start (ticks since boot) of each.
        self.ids = [(process.pid, _started(process.pid)) for process in self._processes]

    def end(self) -> None:
        """End the sleeping processes."""
        for process in self._processes:
            process.kill()
            process.wait()


def _started(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])


class ReceiverService:
    """A receiver with its ingester, its log, and its mirror (copies of the nodes' profiles).

    Attributes:
        name: The receiver's name, such as receiver1.
        port: TCP port of the receiver on this machine.
        pid: Process ID of the receiver; 0 while the receiver does not run.
        starts: Number of times that the receiver was started.
    """

    def __init__(self, folder: Path, number: int, repository: Path, most_lag_s: float) -> None:
        """Start the receiver on a free port."""
        self.name, self._folder, self._repository = f"receiver{number}", folder, repository
        self.mirror, self.log = folder / f"mirror{number}", folder / f"receiver{number}.log"
        (folder / "receive.toml").write_text(f"most_lag_s = {most_lag_s}\n")
        self.port, self.starts = 0, 0
        self._process: subprocess.Popen[str] | None = None
        self.start()

    @property
    def url(self) -> str:
        """The URL to which nodes send HTTP POST requests."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """Process ID of the receiver; 0 while the receiver does not run."""
        return self._process.pid if self._process else 0

    def start(self) -> None:
        """Start the receiver, on the port that it had."""
        with self.log.open("a") as log:
            self._process = subprocess.Popen(
                jostle(
                    "receive",
                    "--listen",
                    f"127.0.0.1:{self.port}",
                    "--mirror",
                    self.mirror,
                    "--tokens",
                    self._folder / "tokens",
                    "--config",
                    self._folder / "receive.toml",
                    "--repository",
                    self._repository,
                ),
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )
        self.starts += 1
        assert self._process.stdout is not None
        place = re.search(r"http://127\.0\.0\.1:(\d+)", self._process.stdout.readline())
        if place is None:
            self.end()
            raise ValidationError(f"{self.name} did not start: {self.log.read_text()[-500:]}")
        self.port = int(place[1])

    def ingester(self) -> int:
        """Return the process ID of the receiver's ingester; 0 if there is none."""
        tasks = Path(f"/proc/{self.pid}/task").glob("*/children")
        with contextlib.suppress(OSError):
            return next((int(word) for task in tasks for word in task.read_text().split()), 0)
        return 0

    def kill(self) -> None:
        """Kill it, by SIGKILL."""
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None

    def end(self) -> None:
        """End the receiver gracefully."""
        if self._process:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(60)
            except subprocess.TimeoutExpired:
                self.kill()
            self._process = None

    def metrics(self) -> dict[str, float]:
        """Return the receiver's metrics; empty while the receiver does not answer."""
        if not self.pid:
            return {}
        with (
            contextlib.suppress(OSError, ValueError),
            urlopen(f"{self.url}/metrics", timeout=5) as answer,
        ):
            lines = answer.read().decode().splitlines()
            pairs = (line.rsplit(" ", 1) for line in lines if line[:1] not in ("#", ""))
            return {name: float(value) for name, value in pairs}
        return {}


def write_tokens(folder: Path, nodes: Sequence[SimulatedNode]) -> None:
    """Write a token for each node, and the receivers' file with hashes of all tokens."""
    lines = []
    for node in nodes:
        secret = f"secret-{node.name}"
        token = node.spool.with_suffix(".token")
        token.write_text(secret)
        token.chmod(0o600)
        lines.append(f"{node.name} {hashlib.sha256(secret.encode()).hexdigest()}\n")
    tokens = folder / "tokens"
    tokens.write_text("".join(lines))
    tokens.chmod(0o600)


class Shipper:
    """The shipper of one node."""

    def __init__(self, node: SimulatedNode, receiver: str, interval_s: float) -> None:
        """Start the shipper.

        Args:
            node: Node whose spool the shipper sends.
            receiver: URL of the receiver.
            interval_s: Time between two HTTP POST requests, s of this machine.
        """
        self.node = node
        self._config = node.spool.with_suffix(".conf")
        self._config.write_text(
            f"spool = {node.spool}\nnode = {node.name}\nreceiver = {receiver}\n"
            f"token_file = {node.spool.with_suffix('.token')}\n"
            f"interval = {round(interval_s * 1000)}ms\n"
        )
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def pid(self) -> int:
        """Process ID of the shipper; 0 while the shipper does not run."""
        return self._process.pid if self._process else 0

    def start(self) -> None:
        """Start the shipper, in the current boot of its node."""
        command = [str(native_path("jostle-ship")), "--config", str(self._config)]
        with self.node.spool.with_suffix(".log").open("a") as log:
            self._process = subprocess.Popen(pretend_boot(self.node.boot_file, command), stderr=log)

    def kill(self) -> None:
        """Kill it, by SIGKILL."""
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None


class Pages:
    """A process of `jostle serve` on the repository."""

    def __init__(self, folder: Path, repository: Path) -> None:
        """Start the server."""
        self.log = folder / "serve.log"
        with self.log.open("a") as log:
            self._process = subprocess.Popen(
                jostle(
                    "serve",
                    "--listen",
                    "127.0.0.1:0",
                    "--cache",
                    folder / "cache",
                    "--repository",
                    repository,
                ),
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env={**os.environ, "PYTHONUNBUFFERED": "1", "COLUMNS": "200"},
            )
        assert self._process.stdout is not None
        place, end = None, time.monotonic() + _START_S
        while place is None and time.monotonic() < end:
            line = self._process.stdout.readline()
            place = re.search(r"http://([0-9.:]+)/\S*token=(\S+)", line)
            if not line:
                break
        if place is None:
            self.end()
            raise ValidationError(f"serve did not start: {self.log.read_text()[-500:]}")
        self.address, self.token = place[1], place[2]

    @property
    def pid(self) -> int:
        """Process ID of the server."""
        return self._process.pid

    def end(self) -> None:
        """End the server."""
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def apart(function: Callable[..., T], *arguments: object) -> T:
    """Call a function in a new process, so that it finds no caches of earlier calls."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def memory_mib(pid: int) -> float:
    """Return the current memory of a process in MiB; 0 if the process has ended."""
    with contextlib.suppress(OSError, ValueError):
        pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE") / 2**20
    return 0.0


def cpu_s(pid: int) -> float:
    """Return the CPU time of a process in seconds; 0 if the process has ended."""
    with contextlib.suppress(OSError, ValueError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def size_of(folder: Path) -> tuple[int, int]:
    """Return the number of files below a folder, and their total size in bytes."""
    files = size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                size += os.stat(os.path.join(place, name)).st_size
                files += 1
    return files, size
