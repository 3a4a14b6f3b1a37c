"""Names of jobs that come back: "mpi-1a2b3c4d" is made of 32 bits, and launchers use ids again.

Such a name belongs to another job when it appears 10 minutes or more after all processes that had
it were over; the repository then calls the newer one "mpi-1a2b3c4d@2". Profiles keep the name that
the runtime knew.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

REST_NS = 600_000_000_000
_COMING_BACK = re.compile(r"mpi-[0-9a-f]+")


def may_come_back(job: str) -> bool:
    """Tells whether a name is one that unrelated jobs may bear."""
    return _COMING_BACK.fullmatch(job) is not None


@dataclass
class Life:
    """One job among those of a name: its number (1, 2, ...), from when until when (ns)."""

    number: int
    begin_ns: int
    end_ns: int


def find_life(lives: list[Life], begin_ns: int, end_ns: int) -> Life:
    """Finds the job of a process, or begins a new one, and extends it by the process.

    Args:
        lives: The jobs known under the name, changed.
        begin_ns: Start of the process.
        end_ns: Its end, or the time now.
    """
    # A job that seemed over may go on beside a newer one: who began within the newer belongs there.
    for life in sorted(lives, key=lambda life: life.begin_ns, reverse=True):
        if life.begin_ns <= begin_ns <= life.end_ns:
            return _extended(life, begin_ns, end_ns)
    for life in lives:
        if begin_ns < life.end_ns + REST_NS and life.begin_ns < end_ns + REST_NS:
            return _extended(life, begin_ns, end_ns)
    life = Life(max((life.number for life in lives), default=0) + 1, begin_ns, end_ns)
    lives.append(life)
    return life


def _extended(life: Life, begin_ns: int, end_ns: int) -> Life:
    life.begin_ns = min(life.begin_ns, begin_ns)
    life.end_ns = max(life.end_ns, end_ns)
    return life


def numbered(job: str, number: int) -> str:
    """Gives the name in the repository of the n-th job of a name."""
    return job if number == 1 else f"{job}@{number}"


class JobNames:
    """Remembers which jobs had a name that comes back."""

    def __init__(self, known: Callable[[list[str]], Iterable[tuple[str, int, int]]]) -> None:
        """Starts with what a repository knows.

        Args:
            known: Gives (job, start, end) in ns of the jobs in the repository that were ever
                called one of some names, with "@2" where they have it.
        """
        self._known = known
        self._lives: dict[str, list[Life]] = {}
        self._guard = threading.Lock()

    def learn(self, processes: Iterable[tuple[str, int, int]]) -> None:
        """Takes note of the processes of a spool, so that their order does not matter.

        Args:
            processes: Name of the job, start and end (or the time now) of each, ns.
        """
        found = sorted({p for p in processes if may_come_back(p[0])}, key=lambda p: p[1])
        with self._guard:
            fresh = sorted({job for job, _, _ in found} - self._lives.keys())
            if fresh:
                self._lives |= {job: [] for job in fresh}
                for name, begin, end in self._known(fresh):
                    job, _, number = name.partition("@")
                    self._lives[job].append(Life(int(number or 1), begin, end))
            for job, begin, end in found:
                find_life(self._lives[job], begin, end)

    def name(self, job: str, begin_ns: int, end_ns: int) -> str:
        """Gives the name in the repository of a process's job.

        Args:
            job: As its profile says.
            begin_ns: Start of the process.
            end_ns: Its end, or the time now.
        """
        if not may_come_back(job):
            return job
        self.learn([(job, begin_ns, end_ns)])
        with self._guard:
            return numbered(job, find_life(self._lives[job], begin_ns, end_ns).number)
