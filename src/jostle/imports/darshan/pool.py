"""A pool of processes that read Darshan logs; a log that crashes one of them is skipped."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from types import TracebackType

from jostle.imports.darshan.message import MessageError, unpack
from jostle.imports.darshan.model import DarshanLog, UnusableLogError, log_of
from jostle.imports.errors import ImportFailedError, MissingPackageError

_MODULE = "jostle.imports.darshan.log_reader"
#: Time limit of a start: a busy machine may need minutes to load the package.
_START_S = 600.0
#: Time limit of one log; the largest known ones take seconds.
_PATIENCE_S = 120.0
#: How many logs are read ahead of the importer.
_AHEAD = 8


class LogReaders:
    """Reads logs by several processes at the same time."""

    def __init__(self, number: int) -> None:
        """Create the pool without starting a process.

        Args:
            number: Number of processes.
        """
        self._number = number
        self._readers: list[_Reader] = []
        self._own = threading.local()
        self._guard = threading.Lock()

    def __enter__(self) -> LogReaders:
        """Return the pool."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End all processes."""
        for reader in self._readers:
            reader.end()

    def read(self, paths: Sequence[Path]) -> Iterator[tuple[Path, DarshanLog | str]]:
        """Read logs, and yield each as soon as it is ready.

        Args:
            paths: Paths of the logs.

        Yields:
            Each path with its log, or with the reason why the log cannot be used.

        Raises:
            MissingPackageError: The package `darshan` is not installed.
        """
        pool = ThreadPoolExecutor(self._number)
        try:
            left = iter(paths)
            waiting: dict[Future[DarshanLog | str], Path] = {}
            while True:
                while len(waiting) < self._number + _AHEAD:
                    path = next(left, None)
                    if path is None:
                        break
                    waiting[pool.submit(self._one, path)] = path
                if not waiting:
                    return
                done, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    yield waiting.pop(future), future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for reader in self._readers:
                reader.end()

    def _one(self, path: Path) -> DarshanLog | str:
        reader: _Reader | None = getattr(self._own, "reader", None)
        if reader is None or not reader.lives:
            reader = _Reader()
            self._own.reader = reader
            with self._guard:
                self._readers.append(reader)
        return reader.read(path)


class _Reader:
    """One process that reads logs."""

    def __init__(self) -> None:
        """Start the process.

        Raises:
            MissingPackageError: The package `darshan` is not installed, or is broken.
            ImportFailedError: The process did not start in time.
        """
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        # No font cache and no display: the package loads a plotting library.
        environment |= {"MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", _MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        )
        self._until = time.monotonic() + _START_S
        self.lives = True
        try:
            ready = self._read(6) == b"ready\n"
        except EOFError:
            ready = False
        except TimeoutError:
            self.end()
            raise ImportFailedError(
                f"The reader of logs of Darshan did not start within {_START_S:.0f} s.",
                hint="The machine may be overloaded; try again later.",
            ) from None
        if not ready:
            self.end()
            raise MissingPackageError(
                "The package `darshan`, which reads logs of Darshan, is not installed or broken.",
                hint="pip install 'jostle[darshan]'",
            )

    def read(self, path: Path) -> DarshanLog | str:
        """Return a log, or why it cannot be used."""
        assert self._process.stdin is not None
        name = os.fsencode(path)
        if b"\n" in name:
            return "its name has a line break"
        self._until = time.monotonic() + _PATIENCE_S
        try:
            self._process.stdin.write(name + b"\n")
            self._process.stdin.flush()
            header, arrays = unpack(self._read)
        except TimeoutError:
            self.end()
            return f"reading it took more than {_PATIENCE_S:.0f} s"
        except (EOFError, OSError):
            self.end()
            code = self._process.returncode
            return f"the library that reads it broke off ({_ended(code)})"
        except MessageError as error:
            self.end()
            return str(error)
        if "error" in header:
            return str(header["error"])
        try:
            return log_of(header, arrays)
        except UnusableLogError as error:
            return str(error)
        # RATIONALE: a log that causes an error must not stop the import of others.
        except (ValueError, MemoryError) as error:
            return f"its content cannot be used ({type(error).__name__}: {error})"

    def _read(self, number: int) -> bytes:
        assert self._process.stdout is not None
        pipe, parts, left = self._process.stdout.fileno(), [], number
        while left:
            patience = self._until - time.monotonic()
            if patience <= 0 or not select.select([pipe], [], [], patience)[0]:
                raise TimeoutError
            part = os.read(pipe, min(left, 1 << 20))
            if not part:
                raise EOFError
            parts.append(part)
            left -= len(part)
        return b"".join(parts)

    def end(self) -> None:
        """End the process, also while it reads."""
        if not self.lives:
            return
        self.lives = False
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


def _ended(code: int | None) -> str:
    return f"signal {-code}" if code is not None and code < 0 else f"status {code}"
