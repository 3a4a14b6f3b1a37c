"""The receiver's child process that ingests the mirror: `python -m jostle.receive.ingesting`.

It reads lines of JSON from standard input, `{"batch": N, "paths": [...]}` with files that changed,
and writes its results to standard output, one line of JSON per pass over these files. It ends when
standard input ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from jostle.errors import JostleError
from jostle.repository import IngestReport, Repository

#: Interval of checks of all files, also of those without known changes, s.
_ALL_EVERY_S = 120.0
_MOST_WAIT_S = 2.0
_LEAST_WAIT_S = 0.05


class Changes:
    """The changed files that the receiver named and that no pass has ingested completely yet.

    Every _ALL_EVERY_S seconds, all files of the mirror count as changed.
    """

    def __init__(self, mirror: Path) -> None:
        """Begin with all files of a mirror as changed files."""
        self._mirror = mirror
        self._guard = threading.Lock()
        self._news = threading.Event()
        self._waiting: set[Path] = set()
        self._batch = self._taken_batch = 0
        self._taken: set[Path] = set()
        self._next_all = 0.0
        self.ended = False

    def listen(self) -> None:
        """Read standard input until it ends."""
        try:
            for line in sys.stdin:
                message = json.loads(line)
                with self._guard:
                    self._waiting.update(self._mirror / path for path in message["paths"])
                    self._batch = message["batch"]
                self._news.set()
        except ValueError:
            pass  # the receiver was killed while it wrote the line
        finally:
            self.ended = True
            self._news.set()

    def take(self) -> Sequence[Path]:
        """Return the files that a pass must read."""
        now = time.monotonic()
        with self._guard:
            self._news.clear()
            waiting, self._waiting = self._waiting, set()
            self._taken_batch = self._batch
        if self.ended or now >= self._next_all:
            self._next_all = now + _ALL_EVERY_S
            self._taken = {self._mirror}
        elif self._mirror not in self._taken:
            self._taken |= _with_neighbours(waiting)
        return sorted(path for path in self._taken if path.exists())

    def settle(self) -> int:
        """Note that a pass has ingested the files of `take`; return the newest complete batch."""
        self._taken = set()
        return self._taken_batch

    def wait(self, took_s: float) -> None:
        """Wait for the next pass: soon after changes, but not continuously."""
        time.sleep(min(max(took_s, _LEAST_WAIT_S), _MOST_WAIT_S))
        self._news.wait(_MOST_WAIT_S)


def _with_neighbours(paths: set[Path]) -> set[Path]:
    """Add all profiles (*.jst) in the folder of each profile that a parent saved (*.jsp).

    A saved profile is not needed if its process has left a profile of its own.
    """
    more = {path.parent for path in paths if path.suffix == ".jsp"}
    return paths | {path for folder in more for path in folder.glob("*.jst")}


def main() -> None:
    """Ingest the mirror (second argument) into the repository (first argument)."""
    repository, mirror = Path(sys.argv[1]), Path(sys.argv[2])
    os.nice(5)  # storing is more urgent: posts that are not stored are not acknowledged
    changes = Changes(mirror)
    threading.Thread(target=changes.listen, daemon=True).start()

    def on_change(report: IngestReport) -> None:
        _say(slices=report.slices, removed=report.removed, warnings=report.warnings)

    def pause(took_s: float, left: int) -> None:
        if not left:
            _say(batch=changes.settle())
        changes.wait(took_s)

    try:
        Repository(repository, create=True).follow(
            [mirror],
            stop=lambda: changes.ended,
            on_change=on_change,
            remove=True,
            files=changes.take,
            pause=pause,
        )
    except JostleError as error:  # the receiver starts this process again
        _say(warnings=[f"{error} {error.hint}"])
        sys.exit(1)


def _say(**members: object) -> None:
    # The receiver may have been killed: then standard input ends, too.
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.write(json.dumps(members) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
