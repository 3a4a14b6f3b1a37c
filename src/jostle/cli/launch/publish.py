"""Publishes the slices of `jostle run` while its command runs, so that pages show the job.

A child of `jostle run` follows the run's profiles, so that its imports, memory and errors are
separate from the run. It has the lowest priority for cores, and is the first choice of the memory
killer. It ends when its standard input is closed, also when `jostle run` is killed; the repository
is consistent at any time. Slices that it has not published are published at the end of the run, or
by the publisher itself if the run was killed.
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

#: Age of a run at which publishing starts, s.
BEGIN_S = 5.0
#: Least free memory with which the publisher starts; it takes about 0.1 GiB.
_LEAST_FREE = 512 << 20
#: Rest after a pass, in multiples of the time of the pass: it uses at most 1 % of a core.
_REST = 100
#: Shortest and longest rest, s; between them 1 % of the run's age, so that long runs make few
#: files.
_SHORTEST_S, _LONGEST_S = 4.0, 60.0
#: Longest wait for its end, s; then it is killed, without any harm.
_PATIENCE_S = 1.0
_MOST_WARNINGS = 100
#: Its nice value, and that if it handles each slice at once, since a user may wait for it.
_NICE, _NICE_LOOKING = 19, 10
#: Rest after showing slices, in multiples of the time of that: at most a fifth of a core.
_REST_SHOWING = 4
#: Time after its end when a slice is in the profile, s.
_LATE_S = 0.1
#: Span for which the load of others is shown, ns.
_AROUND_NS = 60_000_000_000
#: Message of a run that has ended; without it, the run was killed.
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
    """The child process of a run that publishes its slices."""

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
        """Create a publisher without starting it.

        Args:
            spool: Folder of the run's profiles.
            name: Name of the job.
            repository: The repository.
            shown_ns: Length of the slices, ns, to publish each of them at once; 0: publish at
                intervals.
            on_loss: Shell command to start when the run begins to lose time; "": none.
            lines: Whether the publisher shows each slice in the terminal.
        """
        self._lines = LiveLines() if shown_ns and lines else None
        shown = "lines" if self._lines else ""
        self._words = [str(spool.folder), name, str(repository.absolute()), str(shown_ns)]
        # The run's watcher knows who disturbs it; in a shared spool there are watchers of others.
        self._words += [shown, on_loss, "watched" if spool.private and shown_ns else ""]
        self._speaks, self._soon = bool(self._lines or on_loss), bool(shown_ns)
        self._child: subprocess.Popen[bytes] | None = None

    def prepare(self) -> tuple[float, Callable[[], None]]:
        """Reserve lines in the terminal; return the delay of the start, s, and a start function."""
        if self._lines:
            self._lines.open()
        return (0.0 if self._soon else BEGIN_S), self.start

    def start(self) -> None:
        """Start the publisher, unless memory is scarce or no further process can be created."""
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
        """End the publisher, and return its warnings."""
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
    """Lower the priority, and leave the terminal's signals to the command.

    Args:
        nice: The nice value.
    """
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    # `jostle run` blocks the signals that it forwards.
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, max(nice, os.getpriority(os.PRIO_PROCESS, 0)))
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def _is_last() -> bool:
    """Return whether the run was killed: then one last pass ingests the rest.

    Raises:
        _RunIsOverError: The run has ended, and ingests the rest itself.
    """
    if not select.select([0], [], [], 0)[0]:
        return False
    if os.read(0, 1):
        raise _RunIsOverError
    return True


def rest_after(took: float, age: float) -> float:
    """Return the time to wait after a pass (one reading of the run's new slices), in seconds.

    Args:
        took: Time of the pass, in seconds.
        age: Age of the run, in seconds.
    """
    return max(_REST * took, min(max(age / 100, _SHORTEST_S), _LONGEST_S))


def _rest(seconds: float) -> None:
    """Sleep, at most until the run ends."""
    select.select([0], [], [], seconds)


def _show_slices(
    store: Repository, job: str, slice_ns: int, on_loss: str, *, shows: bool
) -> Callable[[float, int], None]:
    """Return a function that shows the slices of a pass, and waits for the end of the next slice.

    Args:
        store: The repository.
        job: Name of the job.
        slice_ns: Length of its slices, in ns.
        on_loss: Shell command to start when the job begins to lose time; "": none.
        shows: Whether to show the slices in the terminal, not only to look for a loss.
    """
    from jostle.cli.launch.loss_watch import LossWatch
    from jostle.report.models.job.live import live_load

    lines, begin, watch = LiveLines(), time.monotonic(), LossWatch(store, job, on_loss)
    shown_ns = (time.time_ns() // slice_ns + 1) * slice_ns  # the first slice is not complete
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
        if shown:  # the run was killed, and its lines are left
            LiveLines().close()
    except _RunIsOverError:
        pass
    except Exception as error:  # the end of the run meets the same error, and reports it
        if shown:
            LiveLines().draw([f"jostle: {one_line(str(error))}"])
    with contextlib.suppress(OSError):  # a killed run does not read
        os.write(1, json.dumps(warnings[:_MOST_WARNINGS]).encode())
    os._exit(0)  # a thread may be merging files: it need not finish


if __name__ == "__main__":
    main(sys.argv[1:])
