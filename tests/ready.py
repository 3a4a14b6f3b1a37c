"""The command `jostle` without its start-up: a Python with all imports forks for each call.

A start costs a second of imports, and the command itself often a tenth of that. What a start is
like is tested where it matters (tests/cli/test_manners.py); all else may be had sooner.
"""

from __future__ import annotations

import atexit
import functools
import gc
import importlib
import json
import os
import pkgutil
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parents[1]
# What Python or a library reads when it starts: with another value there is another start.
_AT_START = ("PYTHON", "LC_", "LANG", "LD_", "MPL", "OMP_", "OPENBLAS")
_OTHERS = "duckdb pytz pyarrow.dataset rich.table scipy.stats matplotlib.figure"


@dataclass(frozen=True)
class Done:
    """The result of a command."""

    code: int
    out: str
    err: str


def started(
    words: Sequence[str],
    environment: Mapping[str, str],
    *,
    stdin: str | None = None,
    cwd: Path | None = None,
    timeout: float = 300,
) -> Done:
    """Run the command as a user would."""
    done = subprocess.run(
        [sys.executable, "-m", "jostle.cli", *words],
        env=dict(environment),
        input=stdin,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def run(
    words: Sequence[str],
    environment: Mapping[str, str],
    *,
    cwd: Path | None = None,
    timeout: float = 300,
    program: Path | None = None,
    stdin: Path | None = None,
) -> Done:
    """Run the command in a fork of a Python that has imported it.

    Args:
        words: What follows `jostle`.
        environment: All variables.
        cwd: Where it runs; None: here.
        timeout: Of the run, in seconds.
        program: A Python program in place of the command.
        stdin: A file that it reads; None: nothing.

    Raises:
        subprocess.TimeoutExpired: It took longer than `timeout` seconds, and was killed.
    """
    python = _python()
    if _at_start(environment) != _at_start(python.environment):
        assert program is None and stdin is None, "what Python reads at its start is different"
        return started(words, environment, stdin="", cwd=cwd, timeout=timeout)
    asked = {
        "words": list(words),
        "environment": dict(environment),
        "cwd": str(cwd or Path.cwd()),
        "program": str(program or ""),
    }
    return python.run(asked, stdin or Path(os.devnull), timeout)


def _at_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in environment.items() if key.startswith(_AT_START)}


@functools.cache
def _python() -> _Python:
    made = _Python({**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONUTF8": "1"})
    atexit.register(made.end)
    return made


class _Python:
    """A Python that has imported all, and how to ask it for a fork of its own."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.environment = environment
        self.socket, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())],
                env=environment,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
            )

    def run(self, asked: Mapping[str, Any], stdin: Path, timeout: float) -> Done:
        (out, theirs_out), (err, theirs_err) = os.pipe(), os.pipe()
        with stdin.open() as read:
            message = json.dumps(asked).encode() + b"\n"
            socket.send_fds(self.socket, [message], [read.fileno(), theirs_out, theirs_err])
        os.close(theirs_out)
        os.close(theirs_err)
        pid = self._number()
        texts = _read({out: bytearray(), err: bytearray()}, time.monotonic() + timeout)
        if texts is None:
            os.kill(pid, signal.SIGKILL)
        code = self._number()
        if texts is None:
            raise subprocess.TimeoutExpired(asked["words"], timeout)
        return Done(code, *texts)

    def end(self) -> None:
        """End it, so that its CPU time and that of its forks count as that of the tests."""
        self.process.terminate()
        self.process.wait()

    def _number(self) -> int:
        answer = self.socket.recv(8, socket.MSG_WAITALL)
        assert len(answer) == 8, "the Python that forks has ended"
        return int.from_bytes(answer, "little", signed=True)


def _read(found: dict[int, bytearray], end: float) -> list[str] | None:
    """The output of some pipes, which are closed; None: the time limit passed."""
    with selectors.DefaultSelector() as ready:
        for pipe in found:
            ready.register(pipe, selectors.EVENT_READ)
        while ready.get_map() and (left := end - time.monotonic()) > 0:
            for key, _ in ready.select(left):
                if piece := os.read(key.fd, 1 << 16):
                    found[key.fd] += piece
                else:
                    ready.unregister(key.fd)
        over = not ready.get_map()
    for pipe in found:
        os.close(pipe)
    return [text.decode().replace("\r\n", "\n") for text in found.values()] if over else None


# ---- the other side ----


def _import_all() -> None:
    import jostle

    names = [module.name for module in pkgutil.walk_packages(jostle.__path__, "jostle.")]
    for name in (*_OTHERS.split(), *names):
        if not name.endswith("__main__"):
            with suppress(Exception):  # a command that needs it will say so
                importlib.import_module(name)


def _become(asked: dict[str, Any], pipes: list[int]) -> None:
    """Resets this process to the state of a new one."""
    for number, pipe in enumerate(pipes):
        os.dup2(pipe, number)
        os.close(pipe)
    os.environ.clear()
    os.environ.update(asked["environment"])
    time.tzset()
    os.chdir(asked["cwd"])
    program = asked.get("program") or str(ROOT / "src/jostle/cli/__main__.py")
    sys.argv = [program, *asked["words"]]


def _end(program: str) -> NoReturn:
    """Runs the command and its exit handlers, but skips tearing down 1400 modules.

    Args:
        program: A Python program in place of the command; "": the command.
    """
    from jostle.cli.main import main

    try:
        code = main() if not program else 0
        if program:
            runpy.run_path(program, run_name="__main__")
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _asked_for(asker: socket.socket) -> tuple[bytes, list[int]]:
    """The command to run, as a line of JSON ("": no more), and its pipes."""
    message, pipes, _, _ = socket.recv_fds(asker, 1 << 16, 3)
    while message and not message.endswith(b"\n"):
        message += asker.recv(1 << 16)
    return message, pipes


def _prepare() -> None:
    _import_all()
    gc.collect()
    gc.freeze()


def _serve(asker: socket.socket) -> NoReturn:
    _prepare()
    while True:
        message, pipes = _asked_for(asker)
        if not message:
            os._exit(0)
        pid = os.fork()
        if pid == 0:
            asker.close()
            asked = json.loads(message)
            _become(asked, pipes)
            _end(asked["program"])
        for pipe in pipes:
            os.close(pipe)
        asker.sendall(pid.to_bytes(8, "little", signed=True))
        _, status = os.waitpid(pid, 0)
        asker.sendall(os.waitstatus_to_exitcode(status).to_bytes(8, "little", signed=True))


# ---- the same for scripts: a command of that name in front of the true one ----

# What it sends to the Python that forks: arguments, environment, folder, streams, then the signals
# that it gets. In another namespace, or with a preload, it becomes the true command.
_STUB = """#!{python} -IS
import json, os, signal, socket, sys
spaces = [os.readlink(f"/proc/self/ns/{{name}}") for name in {names}]
asked = {{"words": sys.argv[1:], "environment": dict(os.environ), "cwd": os.getcwd()}}
if spaces != {spaces} or os.getuid() != {uid} or "LD_PRELOAD" in os.environ:
    os.execv({true!r}, [{true!r}, *sys.argv[1:]])
line = socket.socket(socket.AF_UNIX)
line.connect({listening!r})
for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    if signal.getsignal(one) != signal.SIG_IGN:
        signal.signal(one, lambda number, _frame: line.send(bytes([number])))
socket.send_fds(line, [json.dumps(asked).encode() + b"\\n"], [0, 1, 2])
code = int.from_bytes(line.recv(8, socket.MSG_WAITALL), "little", signed=True)
os._exit(code if code >= 0 else 128 - code)
"""
_SPACES = ("mnt", "net", "pid", "user", "uts")


@contextmanager
def in_front(folder: Path, true: Path, environment: Mapping[str, str]) -> Iterator[Path]:
    """Gives a folder whose `jostle` is forked from a Python that has imported all.

    Args:
        folder: An empty folder; its path must be short enough for a socket.
        true: The command, for where a fork of this process would be another thing.
        environment: Of the scripts that will call it; what Python reads at its start is of this.
    """
    listening, stub = folder / "listening", folder / "bin" / "jostle"
    stub.parent.mkdir()
    stub.write_text(
        _STUB.format(
            python=os.path.realpath(sys.executable),
            true=str(true),
            listening=str(listening),
            uid=os.getuid(),
            names=_SPACES,
            spaces=[os.readlink(f"/proc/self/ns/{name}") for name in _SPACES],
        )
    )
    stub.chmod(0o755)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(listening))
        listener.listen(64)
        process = subprocess.Popen(
            [sys.executable, __file__, "listening", str(listener.fileno())],
            env=dict(environment),
            pass_fds=[listener.fileno()],
            stdin=subprocess.DEVNULL,
        )
    try:
        yield stub.parent
    finally:
        process.terminate()
        process.wait()


def _stand_at(listening: socket.socket) -> NoReturn:
    """Forks a process for each request, which runs the requested command."""
    _prepare()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # they answer for themselves
    while True:
        line, _ = listening.accept()
        if os.fork() == 0:
            listening.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _answer(line)
        line.close()


def _answer(line: socket.socket) -> NoReturn:
    message, pipes = _asked_for(line)
    if not message:
        os._exit(0)
    pid = os.fork()
    if pid == 0:
        line.close()
        _become(json.loads(message), pipes)
        _end("")
    for pipe in pipes:
        os.close(pipe)
    threading.Thread(target=_hand_on, args=(line, pid), daemon=True).start()
    _, status = os.waitpid(pid, 0)
    with suppress(OSError):
        line.sendall(os.waitstatus_to_exitcode(status).to_bytes(8, "little", signed=True))
    os._exit(0)


def _hand_on(line: socket.socket, pid: int) -> None:
    """Send a command the signals that its caller gets; when the caller is gone, end it."""
    while True:
        numbers = line.recv(1)
        with suppress(ProcessLookupError):
            os.kill(pid, numbers[0] if numbers else signal.SIGTERM)
        if not numbers:
            return


if __name__ == "__main__":
    if sys.argv[1] == "listening":
        _stand_at(socket.socket(fileno=int(sys.argv[2])))
    _serve(socket.socket(fileno=int(sys.argv[1])))
