"""Runs the process that ingests the mirror, sends it the changed files, and measures its lag."""

from __future__ import annotations

import contextlib
import json
import logging
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

_log = logging.getLogger("jostle.receive")
_AGAIN_S = 2.0
_END_S = 60.0


class IngestProcess:
    """The process that ingests the mirror, and its results.

    Attributes:
        slices: Number of slices that it ingested, each process counted separately.
        is_up: Whether the process runs.
    """

    def __init__(self, repository: Path, mirror: Path, warn: Callable[[str], None]) -> None:
        """Start the process.

        Args:
            repository: Folder of the repository.
            mirror: Folder of the mirror.
            warn: Function that is called with each warning of the ingester.
        """
        self._words = [
            sys.executable,
            "-m",
            "jostle.receive.ingesting",
            str(repository),
            str(mirror),
        ]
        self._warn = warn
        self._guard = threading.Condition()
        self._changed: set[str] = set()
        self._since = 0.0
        #: Batches that are not queryable yet: number, and arrival time of the oldest change.
        self._batches: deque[tuple[int, float]] = deque()
        self._last_batch = 0
        self._ending = False
        self._process: subprocess.Popen[str] | None = None
        self.slices = 0
        self.is_up = False
        self._threads = [
            threading.Thread(target=target, daemon=True) for target in (self._run, self._feed)
        ]
        for thread in self._threads:
            thread.start()

    def changed(self, paths: Sequence[str]) -> None:
        """Note files that changed, by their paths relative to the mirror."""
        if not paths:
            return
        with self._guard:
            self._since = self._since or time.monotonic()
            self._changed.update(paths)
            self._guard.notify_all()

    def lag_s(self) -> float:
        """Return the age, s, of the oldest change that is not in the repository yet; 0: none."""
        with self._guard:
            oldest = self._batches[0][1] if self._batches else self._since
        return time.monotonic() - oldest if oldest else 0.0

    def end(self) -> None:
        """Let the process ingest the files that have changed, then end it."""
        with self._guard:
            self._ending = True
            process = self._process
            self._guard.notify_all()
        self._threads[1].join()
        if process is not None:
            try:
                process.wait(_END_S)
            except subprocess.TimeoutExpired:
                process.kill()  # commits are atomic, so nothing is lost
        self._threads[0].join()

    def _run(self) -> None:
        """Start the process, and restart it when it has ended."""
        while True:
            with self._guard:
                if self._ending:
                    return
                process = subprocess.Popen(
                    self._words,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                    start_new_session=True,
                )
                self._process = process
                # A new process checks all files first.
                oldest = self._batches[0][1] if self._batches else time.monotonic()
                self._last_batch += 1
                self._batches = deque([(self._last_batch, oldest)])
                self._send(process, [])
                self.is_up = True
            assert process.stdout is not None
            for line in process.stdout:
                with contextlib.suppress(ValueError):  # it was killed while it wrote the line
                    self._heed(json.loads(line))
            self.is_up = False
            status = process.wait()
            with self._guard:
                if self._ending:
                    return
                _log.error("the ingester ended with status %d; it is started again", status)
                self._guard.wait_for(lambda: self._ending, _AGAIN_S)

    def _heed(self, message: dict[str, object]) -> None:
        for text in message.get("warnings", []):  # type: ignore[attr-defined]
            self._warn(str(text))
        slices, batch = message.get("slices", 0), message.get("batch", 0)
        assert isinstance(slices, int)
        assert isinstance(batch, int)
        with self._guard:
            self.slices += slices
            while self._batches and self._batches[0][0] <= batch:
                self._batches.popleft()

    def _feed(self) -> None:
        """Send the changed files; in a thread of its own, since the pipe may be full."""
        while True:
            with self._guard:
                while not self._ending and not (self._changed and self.is_up):
                    self._guard.wait(1.0)
                process = self._process
                if self._ending or process is None:
                    if process is not None and process.stdin is not None:
                        with contextlib.suppress(OSError):
                            process.stdin.close()
                    return
                paths, self._changed = sorted(self._changed), set()
                self._last_batch += 1
                self._batches.append((self._last_batch, self._since))
                self._since = 0.0
                number = self._last_batch
            self._send(process, paths, number)

    def _send(
        self, process: subprocess.Popen[str], paths: Sequence[str], number: int | None = None
    ) -> None:
        assert process.stdin is not None
        line = json.dumps({"batch": number or self._last_batch, "paths": paths})
        with contextlib.suppress(OSError):  # it has ended, and the next one checks all files
            process.stdin.write(line + "\n")
            process.stdin.flush()
