"""Runs a program under the preload, and reads its profile."""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import peek
import pytest

#: Name of a test program -> its source, in whichever folder of programs/ it is.
PROGRAMS = {path.name: path for path in (Path(__file__).parent / "programs").rglob("*.*")}
Compile = Callable[..., Path]
Truth = dict[int, dict[str, int]]
# What must stand before us in LD_PRELOAD: the run-time library of a sanitizer build.


@dataclass
class Result:
    """One run: the result of the program, its own account, and the profiles."""

    code: int
    stdout: str
    stderr: str
    truth: Truth
    notes: dict[str, list[str]]
    processes: list[peek.Process] = field(default_factory=list)

    def of(self, pid: int) -> list[peek.Process]:
        """All process images with this pid (exec leaves one after the other)."""
        return [p for p in self.processes if p.pid == pid]

    def named(self, program: str) -> list[peek.Process]:
        """All process images of a program, by base name."""
        return [p for p in self.processes if Path(p.program).name == program]

    def total(self, metric: str, pid: int | None = None) -> int:
        """Sum of a metric over all process images, or over those of one pid."""
        chosen = self.processes if pid is None else self.of(pid)
        return sum(p.total(metric) for p in chosen)

    def only(self) -> peek.Process:
        """The one process image of a run that has but one."""
        assert len(self.processes) == 1, [(p.pid, p.program, p.short) for p in self.processes]
        return self.processes[0]

    def check(self, *metrics: str, merged: bool = False) -> None:
        """Compares the profiles with the programs' own accounts.

        Args:
            metrics: ids, or prefixes of ids, to compare; all when none is given.
            merged: compare sums over all processes instead of each process.
        """
        assert self.truth, f"no account was written\n{self.stderr}"
        names = [
            m
            for m in next(iter(self.truth.values()))
            if not metrics or any(m.startswith(wanted) for wanted in metrics)
        ]
        assert names
        if merged:
            said = {m: sum(t[m] for t in self.truth.values()) for m in names}
            self._same({m: self.total(m) for m in names}, said, "all processes")
            return
        for pid, account in self.truth.items():
            assert self.of(pid), f"process {pid} left no trace; {self.stderr}"
            self._same({m: self.total(m, pid) for m in names}, account, f"process {pid}")

    @staticmethod
    def _same(seen: dict[str, int], said: dict[str, int], whose: str) -> None:
        wrong = [f"{m}: {n} counted, {said[m]} done" for m, n in seen.items() if n != said[m]]
        assert not wrong, f"{whose}: " + "; ".join(wrong)


def read_truth(directory: Path) -> tuple[Truth, dict[str, list[str]]]:
    """The accounts (by pid, images of one pid added up) and notes that programs left."""
    truth: Truth = {}
    notes: dict[str, list[str]] = {}
    for path in sorted(directory.iterdir()):
        if path.name.startswith("note."):
            notes[path.name[5:]] = path.read_text().splitlines()
            continue
        account = truth.setdefault(int(path.name.split(".")[0]), {})
        for raw, value in struct.iter_unpack("<40sq", path.read_bytes()):
            name = raw.split(b"\0")[0].decode()
            account[name] = account.get(name, 0) + value
    return truth, notes


class Runner:
    """Runs commands under the preload, each test with a spool of its own."""

    def __init__(self, library: Path, directory: Path) -> None:
        self.library = library
        self.spool = directory / "spool"
        self.truth = directory / "truth"
        self.data = directory / "data"
        for folder in (self.spool, self.truth, self.data):
            folder.mkdir()
        self.truth.chmod(0o777)

    def open_to_all(self) -> None:
        """Let other users write profiles and data."""
        for folder in (self.spool, self.data):
            folder.chmod(0o1777)
        for parent in list(self.spool.parents)[:3]:
            parent.chmod(0o755)

    def preload(self) -> list[Path | str]:
        """LD_PRELOAD: the library, after a sanitizer's runtime where the tests run on one."""
        return [p for p in (os.environ.get("JOSTLE_TEST_PRELOAD"), self.library) if p]

    def environment(
        self, length: str = "100ms", preload: Sequence[Path | str] | None = None, **more: str | None
    ) -> dict[str, str]:
        """The environment of a profiled program; None as a value removes a variable."""
        libraries = self.preload() if preload is None else preload
        env: dict[str, str | None] = {
            **{k: v for k, v in os.environ.items() if not k.startswith("JOSTLE")},
            "LD_PRELOAD": ":".join(map(str, libraries)),
            "JOSTLE_SPOOL": str(self.spool),
            "JOSTLE_SLICE": length,
            "JOSTLE_JOB": "test",
            "TRUTH": str(self.truth),
            "DATA": str(self.data),
            **more,
        }
        return {k: v for k, v in env.items() if v is not None}

    def start(
        self,
        *command: str | Path | int,
        length: str = "100ms",
        preload: Sequence[Path | str] | None = None,
        cwd: Path | None = None,
        env: dict[str, str | None] | None = None,
        **popen: object,
    ) -> subprocess.Popen[str]:
        """Start a command under the preload; the loader of the tests stays outside."""
        variables = self.environment(length, preload, **(env or {}))
        options: dict[str, object] = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "cwd": cwd or self.data,
            "text": True,
            **popen,
        }
        return subprocess.Popen(list(map(str, command)), env=variables, **options)  # type: ignore

    def run(
        self, *command: str | Path, code: int | None = 0, timeout: float = 60, **more: object
    ) -> Result:
        """Run a command to its end and read what is left in the spool.

        Args:
            command: the program and its arguments.
            code: the exit status to expect (negative: a signal), None for any.
            timeout: seconds after which the program counts as hung.
            more: see `start`.
        """
        process = self.start(*command, **more)  # type: ignore[arg-type]
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            pytest.fail(f"hung: {command}\n{err}")
        assert code is None or process.returncode == code, f"status {process.returncode}\n{err}"
        return self.collect(process.returncode, out, err)

    def run_bare(self, *command: str | Path, timeout: float = 60) -> None:
        """Run a command that must end with status 0, and leave the spool unread."""
        process = self.start(*command)
        try:
            _out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            pytest.fail(f"hung: {command}")
        assert process.returncode == 0, err

    def shorts_path(self) -> Path:
        """Return where the job's short processes are recorded; nothing is there yet."""
        self.run_bare("/bin/true")
        (path,) = self.spool.glob(f"test.{os.getuid()}.*.jss")
        path.unlink()
        return path

    def await_ticks(self, pid: int, wanted: int) -> None:
        """Wait until the heartbeat of a running process has been through so many boundaries."""
        seen: set[int] = set()
        end = time.monotonic() + 60
        while len(seen) <= wanted and time.monotonic() < end:
            for path in self.spool.glob(f"*.{pid}.*.jst"):
                if head := peek.begun(path):
                    seen.add(int(str(head["heartbeat_ns"])))
            time.sleep(0.01)
        assert len(seen) > wanted, f"{len(seen)} boundaries in a minute"

    def await_profile(self, pid: int | str = "*") -> None:
        """Wait until a running process (or any) has a profile."""
        end = time.monotonic() + 60
        while not any(map(peek.begun, self.spool.glob(f"*.{pid}.*.jst"))):
            assert time.monotonic() < end, "no profile was begun"
            time.sleep(0.01)

    def collect(
        self, code: int = 0, out: str = "", err: str = "", spool: Path | None = None
    ) -> Result:
        """Read the accounts and the spool as they are now."""
        truth, notes = read_truth(self.truth)
        where = spool or self.spool
        processes = peek.read_spool(where) if where.is_dir() else []
        return Result(code, out, err, truth, notes, processes)


@contextmanager
def heartbeat_held(pid: int, *, at_its_end: bool = False) -> Iterator[None]:
    """Keep the heartbeat of a process of one thread from running, as an oversubscribed node does.

    Args:
        pid: The process.
        at_its_end: Let it run; keep it from leaving when it ends.
    """
    seize, detach, interrupt, trace_exit = 0x4206, 17, 0x4207, 0x40
    tid, *more = {int(t.name) for t in Path(f"/proc/{pid}/task").iterdir()} - {pid}
    if more:
        pytest.skip("a sanitizer has a thread of its own in addition to the heartbeat")
    ptrace = ctypes.CDLL(None, use_errno=True).ptrace
    options = trace_exit if at_its_end else 0
    if ptrace(seize, tid, None, options) or (not at_its_end and ptrace(interrupt, tid, None, None)):
        pytest.skip(f"no thread can be held here: {os.strerror(ctypes.get_errno())}")
    any_thread = 0x40000000  # __WALL
    if not at_its_end:
        os.waitpid(tid, any_thread)
    try:
        yield
    finally:
        if at_its_end:
            os.waitpid(tid, any_thread)
        if ptrace(detach, tid, None, None):  # it has ended with its process
            os.waitpid(tid, any_thread)


def needs_root() -> None:
    """Skip a test that must mount, chroot or change the user."""
    if os.geteuid() != 0:
        pytest.skip("needs root: it mounts file systems or changes the user")


def needs_decoder(library: Path) -> None:
    """Skip where Python cannot load the decoder: such a sanitizer must be in the process first."""
    listing = subprocess.run(["nm", "-D", library], capture_output=True, text=True, check=True)
    if "__asan_" in listing.stdout or "__tsan_" in listing.stdout:
        pytest.skip("built with a sanitizer that Python cannot load")


def for_loaders(library: Path) -> Path:
    """The name of the library that launchers preload: each loader puts in its own platform."""
    folder = library.parent / "jostle-preload"
    if not (folder / "x86_64").is_dir():
        pytest.skip("no 32-bit library was built: launchers name the library itself")
    return folder / "$PLATFORM" / library.name


def needs_plain_build(library: Path, *but: str) -> None:
    """Skips tests that are meaningless under a sanitizer: its heartbeat is an ordinary thread.

    Args:
        library: the library under test.
        but: sanitizers that do not matter here ("asan", "tsan", "ubsan").
    """
    listing = subprocess.run(["nm", "-D", library], capture_output=True, text=True, check=True)
    for name in ("asan", "tsan", "ubsan"):
        if f"__{name}_" in listing.stdout and name not in but:
            pytest.skip(
                f"built with {name}: it keeps a descriptor, a thread and a stack of its own"
            )
