"""Spools and shippers for the tests of jostle-ship: profiles written as the runtime does."""

from __future__ import annotations

import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from receiver import Receiver

sys.path.append(str(Path(__file__).resolve().parents[1]))  # when a test runs as a program
from conftest import native
from jostle.schema.profile import HEAD, Head

HEAD_BYTES = 16384
COMMIT_AT, COMMIT_BYTES = 4096, 1024


def boot_id() -> bytes:
    return uuid.UUID(Path("/proc/sys/kernel/random/boot_id").read_text().strip()).bytes


def process_start(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])


class Writer:
    """A profile: a header that changes in place, and appended records."""

    def __init__(self, path: Path, pid: int, head_bytes: int = HEAD_BYTES, seed: int = 0) -> None:
        self.path, self.random = path, random.Random(seed)
        self.end, self.generation, self.head_bytes = head_bytes, 0, head_bytes
        fields = Head._make(HEAD.unpack(bytes(HEAD.size)))._asdict() | {
            "magic": b"jostle01",
            "version": 1,
            "head_bytes": head_bytes,
            "commit_offset": COMMIT_AT,
            "commit_bytes": COMMIT_BYTES,
            "pid": pid,
            "proc_start": process_start(pid),
            "boot_id": boot_id(),
            "pid_namespace": os.stat("/proc/self/ns/pid").st_ino,
            "host": b"node",
            "slice_ns": 10**9,
        }
        self.file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        os.pwrite(self.file, bytes(head_bytes), 0)
        os.pwrite(self.file, HEAD.pack(*fields.values()), 0)
        self.commit()

    def commit(self) -> None:
        self.generation += 1
        at = COMMIT_AT + (self.generation & 1) * COMMIT_BYTES
        os.pwrite(self.file, struct.pack("<QQ", self.end, self.generation), at)
        os.pwrite(self.file, struct.pack("<Q", self.generation), 2048)

    def slice(self, n: int = 300) -> None:
        """Appends a record, changes some of the header, commits."""
        os.pwrite(self.file, self.random.randbytes(n), self.end)
        self.end += n
        for _ in range(8):
            at = self.random.randrange(COMMIT_AT + 2 * COMMIT_BYTES, self.head_bytes - 8, 8)
            os.pwrite(self.file, self.random.randbytes(8), at)
        self.commit()

    def torn(self, n: int = 100) -> None:
        """Append without a commit, as a killed process leaves it; the next record overwrites it."""
        os.pwrite(self.file, self.random.randbytes(n), self.end)

    def finish(self) -> None:
        os.pwrite(self.file, struct.pack("<Q", time.time_ns()), 2072)

    def close(self) -> None:
        os.close(self.file)


def shows(receiver: Receiver, writer: Writer) -> bool:
    """Return whether header, commits and records are there: what readers take of a live process."""
    sent = [bytes(f.data) for f in receiver.files.values() if f.name == writer.path.name]
    data = os.pread(writer.file, writer.end, 0)
    parts = (slice(0, COMMIT_AT + 2 * COMMIT_BYTES), slice(writer.head_bytes, None))
    return bool(sent) and all(sent[0][part] == data[part] for part in parts)


def dead(path: Path, slices: int = 20, seed: int = 0) -> bytes:
    """Write a profile whose process has ended; return its bytes."""
    with subprocess.Popen(["/bin/sleep", "100"]) as process:
        writer = Writer(path, process.pid, seed=seed)
        for _ in range(slices):
            writer.slice()
        writer.close()
        process.kill()
    return path.read_bytes()


class Site:
    """A spool, a configuration, and a receiver's place."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.spool, self.config = folder / "spool", folder / "agent.conf"
        self.socket = folder / "socket"
        self.spool.mkdir(mode=0o1777)
        self.receiver = Receiver()
        self.log = folder / "log"
        self.set(**settings)

    def set(self, **settings: str) -> None:
        lines = {
            "spool": str(self.spool),
            "receiver": f"unix://{self.socket}",
            "interval": "100ms",
            "node": "node-1",
            **settings,
        }
        self.config.write_text("# a test\n" + "".join(f"{k} = {v}\n" for k, v in lines.items()))

    def once(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(shipper()), "--config", str(self.config), *(words or ["--once"])],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def begin(self) -> subprocess.Popen[str]:
        with self.log.open("a") as log:
            return subprocess.Popen(
                [str(shipper()), "--config", str(self.config)], stderr=log, text=True
            )

    @contextmanager
    def running(self) -> Iterator[subprocess.Popen[str]]:
        process = self.begin()
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            # Also a SIGTERM that comes before it is ready.
            ended = (0, -signal.SIGKILL, -signal.SIGTERM)
            assert process.wait(10) in ended, self.log.read_text()

    def waiting(self) -> list[str]:
        return sorted(p.name for p in self.spool.iterdir() if not p.name.startswith("."))


@contextmanager
def munged(folder: Path) -> Iterator[Path]:
    """Start a munged with a key of its own; yield its socket."""
    program = shutil.which("munged", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None or os.geteuid() != 0:
        pytest.skip("needs munged, and root")
    place = folder / "munge"
    place.mkdir(mode=0o711)
    (place / "key").write_bytes(os.urandom(128))
    (place / "key").chmod(0o400)
    process = subprocess.Popen(
        [
            program,
            "--foreground",
            "--force",
            f"--socket={place}/socket",
            f"--key-file={place}/key",
            f"--pid-file={place}/pid",
            f"--log-file={place}/log",
            f"--seed-file={place}/seed",
        ],
        stderr=subprocess.DEVNULL,
    )
    for _ in range(500):
        if (place / "socket").exists():
            break
        time.sleep(0.01)
    yield place / "socket"
    process.terminate()
    process.wait()


def shipper() -> Path:
    built = native("jostle-ship")
    if built is None:
        pytest.skip("jostle-ship is not built: libcurl or libzstd is not here")
    return built


def until(holds: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.01)
