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
from jostle.cli.views.live import LiveLines, live_lines, why_not
from jostle.report.format.values import byte_count
from jostle.values.plain_values import one_line

if TYPE_CHECKING:
    from jostle.repository import IngestReport, Repository

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
#: Its priority; somebody waits for what it shows.
_NICE, _NICE_LOOKING = 19, 10
#: After showing slices it rests so many times as long as that took: at most a fifth of a core.
_REST_SHOWING = 4
#: A slice is in the profile so long after its end, s.
_LATE_S = 0.1
#: What others did is shown for this time, ns.
_AROUND_NS = 60_000_000_000
#: What the run says when it has ended; without it, it was killed.
_OVER = b"."


def is_memory_scarce() -> bool:
    """Return whether there is too little memory left for a publisher."""
    return free_bytes() < _LEAST_FREE


def why_nothing_is_shown() -> str:
    """Return why the terminal cannot show the slices of a run; "" if it can."""
    if why := why_not():
        return why
    if is_memory_scarce():
        return f"less than {byte_count(_LEAST_FREE)} of memory are free"
    return ""


class Publisher:
    """The child of a run that publishes its slices."""

    def __init__(
        self,
        spool: RunSpool,
        name: str,
        repository: Path,
        shown_ns: int = 0,
        *,
        on_loss: str = "",
        lines: bool = True,
    ) -> None:
        """Make a publisher, which does not run yet.

        Args:
            spool: Where the run's profiles are.
            name: Name of the job.
            repository: Where to publish.
            shown_ns: Length of the slices, ns, if it looks at each of them; 0: it takes its time.
            on_loss: What a shell is to run when the job begins to lose time; "": nothing.
            lines: It shows each slice that it looks at in the terminal.
        """
        self._lines = LiveLines() if shown_ns and lines else None
        shown = "lines" if self._lines else ""
        self._words = [str(spool.folder), name, str(repository.absolute()), str(shown_ns)]
        # Who disturbs the run is known by its watcher; in a common spool others watch, too.
        self._words += [shown, on_loss, "watched" if spool.private and shown_ns else ""]
        self._speaks, self._soon = bool(self._lines or on_loss), bool(shown_ns)
        self._child: subprocess.Popen[bytes] | None = None

    def prepare(self) -> tuple[float, Callable[[], None]]:
        """Make room in the terminal; return when to start it, s after the command, and how."""
        if self._lines:
            self._lines.open()
        return (0.0 if self._soon else BEGIN_S), self.start

    def start(self) -> None:
        """Start it, unless memory is scarce or there can be no further process."""
        if is_memory_scarce():
            return
        environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
        with contextlib.suppress(OSError):
            self._child = subprocess.Popen(
                [sys.executable, "-P", "-m", "jostle.cli.launch.publish", *self._words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None if self._speaks else subprocess.DEVNULL,
                env=environment | {"JOSTLE": "off"},
            )

    def end(self) -> list[str]:
        """End it, and return the warnings about what it has published."""
        child, self._child = self._child, None
        try:
            return self._ended(child) if child else []
        finally:
            if self._lines:  # the child may have been killed
                self._lines.close()

    @staticmethod
    def _ended(child: subprocess.Popen[bytes]) -> list[str]:
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


def _step_back(nice: int) -> None:
    """Let everybody else go first, and leave the terminal's signals to the command.

    Args:
        nice: How far to step back.
    """
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    # `jostle run` holds back the signals that it passes on.
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, max(nice, os.getpriority(os.PRIO_PROCESS, 0)))
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


def rest_after(took: float, age: float) -> float:
    """Return how long to rest after a pass, s.

    Args:
        took: What the pass took, s.
        age: Age of the run, s.
    """
    return max(_REST * took, min(max(age / 100, _SHORTEST_S), _LONGEST_S))


def _rest(seconds: float) -> None:
    """Sleep, at most until the run ends."""
    select.select([0], [], [], seconds)


def _show_slices(
    store: Repository, job: str, slice_ns: int, on_loss: str, *, shows: bool
) -> Callable[[float, int], None]:
    """Return what looks at the slices that a pass took, and rests until the next one has ended.

    Args:
        store: The repository.
        job: Name of the job.
        slice_ns: Length of its slices, ns.
        on_loss: What a shell is to run when the job begins to lose time; "": nothing.
        shows: Whether to show them in the terminal.
    """
    from jostle.cli.launch.loss_watch import LossWatch
    from jostle.report.models.live import live_load

    lines, begin, watch = LiveLines(), time.monotonic(), LossWatch(store, job, on_loss)
    shown_ns = (time.time_ns() // slice_ns + 1) * slice_ns  # the first slice is not a whole one
    load, lost, spent = None, "", time.process_time()

    def show(took: float, _left: int) -> None:
        nonlocal shown_ns, load, lost, spent
        seen_ns = round((time.time() - took - _LATE_S) * 1e9) // slice_ns * slice_ns
        if seen_ns > shown_ns:
            if shows:
                load = live_load(store, job, (shown_ns, seen_ns), (seen_ns - _AROUND_NS, seen_ns))
            lost = watch.look()
            shown_ns = seen_ns
        if shows:
            lines.draw(live_lines(load, time.monotonic() - begin, lost))
        left = slice_ns - time.time_ns() % slice_ns
        _rest(max(_REST_SHOWING * (time.process_time() - spent), left / 1e9 + 2 * _LATE_S))
        spent = time.process_time()

    return show


def main(words: Sequence[str]) -> None:
    """Publish until standard input is closed; then write the warnings to standard output."""
    begin = time.monotonic() - BEGIN_S
    folder, name, repository, looked, shown, on_loss, watched = words
    _step_back(_NICE_LOOKING if int(looked) else _NICE)
    spool = RunSpool(Path(folder), private=False)
    warnings: list[str] = []

    def note(report: IngestReport) -> None:
        warnings.extend(report.warnings)

    def files() -> list[Path]:
        machines = spool.folder.glob("machine.*.jsm") if watched else ()
        return [*spool.profiles_of(name), *sorted(machines)]

    def yielding(took: float, _left: int) -> None:
        _rest(rest_after(took, time.monotonic() - begin))

    from jostle.repository import Repository

    try:
        store = Repository(Path(repository), create=True)
        store.follow(
            [spool.folder],
            stop=_is_last,
            on_change=note,
            files=files,
            pause=_show_slices(store, name, int(looked), on_loss, shows=bool(shown))
            if int(looked)
            else yielding,
        )
        if shown:  # the run was killed, and left them
            LiveLines().close()
    except _RunIsOverError:
        pass
    except Exception as error:  # the end of the run meets the same error, and reports it
        if shown:
            LiveLines().draw([f"jostle: {one_line(str(error))}"])
    with contextlib.suppress(OSError):  # a run that was killed reads nothing
        os.write(1, json.dumps(warnings[:_MOST_WARNINGS]).encode())
    os._exit(0)  # a thread may be merging files: it need not finish


if __name__ == "__main__":
    main(sys.argv[1:])
