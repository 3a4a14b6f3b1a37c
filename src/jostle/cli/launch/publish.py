"""Publish the slices of `jostle run` while its command runs: the pages show the job at once.

A child of `jostle run` follows the run's profiles, so that its imports, its memory and whatever may
happen to it stay apart from the run. It is the one that yields: last in line for a core, and for
the memory killer the first. It ends when its standard input is closed, hence also when `jostle
run` is killed; the repository is whole at any moment. What it has not published, the end of the
run does; if the run was killed, the publisher does it.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from jostle.cli.launch.environment import RunSpool
from jostle.cli.launch.free_memory import free_bytes

if TYPE_CHECKING:
    from jostle.repository import IngestReport

#: A run that ends before, s, has nothing published on the way.
BEGIN_S = 5.0
#: Least free memory with which the publisher starts; it takes about 0.1 GiB.
_LEAST_FREE = 512 << 20
#: After a pass it rests so many times as long as that took: it takes at most 1 % of a core.
_REST = 100
#: Shortest and longest rest, s; between them 1 % of the run's age: long runs make few files.
_SHORTEST_S, _LONGEST_S = 4.0, 60.0
#: Longest wait for its end, s; then it is killed, which harms nothing.
_PATIENCE_S = 1.0
_MOST_WARNINGS = 100
#: What the run says when it has ended; without it, it was killed.
_OVER = b"."


class Publisher:
    """The child of a run that publishes its slices."""

    def __init__(self, spool: RunSpool, name: str, repository: Path) -> None:
        """Make a publisher, which does not run yet.

        Args:
            spool: Where the run's profiles are.
            name: Name of the job.
            repository: Where to publish.
        """
        self._words = [str(spool.folder), name, str(repository.absolute())]
        self._child: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, unless memory is scarce or there can be no further process."""
        if free_bytes() < _LEAST_FREE:
            return
        environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
        with contextlib.suppress(OSError):
            self._child = subprocess.Popen(
                [sys.executable, "-P", "-m", "jostle.cli.launch.publish", *self._words],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                env=environment | {"JOSTLE": "off"},
            )  # fmt: skip

    def end(self) -> list[str]:
        """End it, and return the warnings about what it has published."""
        child, self._child = self._child, None
        if child is None:
            return []
        try:
            said, _ = child.communicate(_OVER, timeout=_PATIENCE_S)
            warnings = json.loads(said)
        except (subprocess.TimeoutExpired, ValueError, OSError):
            warnings = []
        finally:
            child.kill()
            child.wait()
        return [str(text) for text in warnings]


class _RunIsOverError(Exception):
    """The run has ended."""


def _step_back() -> None:
    """Let everybody else go first, and leave the keys of the terminal to the command."""
    for number in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    # `jostle run` holds back the signals that it passes on.
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    with contextlib.suppress(OSError):
        os.nice(19)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def _is_last() -> bool:
    """Return whether the run was killed: then one last pass takes what there is.

    Raises:
        _RunIsOverError: It has ended, and takes the rest itself.
    """
    if not select.select([0], [], [], 0)[0]:
        return False
    if os.read(0, 1):
        raise _RunIsOverError
    return True


def pace(begin: float) -> Callable[[float], float]:
    """Return how long to rest after a pass, given how long it took, s.

    Args:
        begin: When the run began, on the monotonic clock, s.
    """

    def rest(took: float) -> float:
        age = time.monotonic() - begin
        return max(_REST * took, min(max(age / 100, _SHORTEST_S), _LONGEST_S))

    return rest


def main(words: Sequence[str]) -> None:
    """Publish until standard input is closed; then write the warnings to standard output."""
    begin = time.monotonic() - BEGIN_S
    _step_back()
    folder, name, repository = words
    spool = RunSpool(Path(folder), private=False)
    warnings: list[str] = []

    def note(report: IngestReport) -> None:
        warnings.extend(report.warnings)

    from jostle.repository import Repository

    with contextlib.suppress(_RunIsOverError):
        Repository(Path(repository), create=True).follow(
            [spool.folder],
            stop=_is_last,
            on_change=note,
            files=lambda: spool.profiles_of(name),
            pause=pace(begin),
        )
    os.write(1, json.dumps(warnings[:_MOST_WARNINGS]).encode())
    os._exit(0)  # a thread may be merging files: it need not finish


if __name__ == "__main__":
    main(sys.argv[1:])
