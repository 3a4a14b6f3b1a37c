"""Assigns unique names to jobs and ids to processes, from their owners and names in profiles.

Users choose job names freely, so only name and owner together identify a job. Jobs of the
repository's owner keep their names; a job "lammps" of user u2 is called "lammps@u2". (The owner is
also appended to every name that contains an @, so that no two jobs get the same name.)

A name like "mpi-1a2b3c4d" or "train-1a2b3c4d" may be used again, since launchers reuse ids. If a
process with such a name begins 10 minutes or more after the end of all its owner's processes with
this name, it belongs to a new job, which the repository calls "mpi-1a2b3c4d@2". Profiles keep the
name that the runtime knew.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from jostle.names.users import login_of
from jostle.repository.store.layout import process_id

REST_NS = 600_000_000_000
_COMING_BACK = re.compile(r"(mpi|train)-[0-9a-f]+")
#: Names that cannot be part of a URL: "" and those that browsers handle as folders.
_NO_NAMES = frozenset({"", ".", ".."})
_LOGIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")

#: The owner of a job and its name in profiles.
Named = tuple[int, str]


@lru_cache(1 << 14)
def may_come_back(job: str) -> bool:
    """Return whether launchers may give this name to several unrelated jobs."""
    return _COMING_BACK.fullmatch(job) is not None


@cache
def login_name(uid: int) -> str:
    """Return the text for a user in the names of jobs: the login name, or such as "uid1000".

    A login name that begins with a digit is not used, since a number after an @ has a different
    meaning: "mpi-1a2b3c4d@2" is the second job of that name.
    """
    name = login_of(uid)
    return name if _LOGIN.fullmatch(name) else f"uid{uid}"


@dataclass
class JobLife:
    """One of several jobs with the same name: its number (1, 2, ...), start and end (ns)."""

    number: int
    begin_ns: int
    end_ns: int


def find_life(lives: list[JobLife], begin_ns: int, end_ns: int) -> JobLife:
    """Find the job of a process, or add a new job, and extend the job's time by the process.

    Args:
        lives: Known jobs with the name, which are changed in place.
        begin_ns: Start of the process.
        end_ns: End of the process, or the present time.
    """
    # A job that seemed to have ended may continue concurrently with a newer job of its name: a
    # process that began within the newer job belongs to the newer one.
    for life in sorted(lives, key=lambda life: life.begin_ns, reverse=True):
        if life.begin_ns <= begin_ns <= life.end_ns:
            return _extended(life, begin_ns, end_ns)
    for life in lives:
        if begin_ns < life.end_ns + REST_NS and life.begin_ns < end_ns + REST_NS:
            return _extended(life, begin_ns, end_ns)
    life = JobLife(max((life.number for life in lives), default=0) + 1, begin_ns, end_ns)
    lives.append(life)
    return life


def _extended(life: JobLife, begin_ns: int, end_ns: int) -> JobLife:
    life.begin_ns = min(life.begin_ns, begin_ns)
    life.end_ns = max(life.end_ns, end_ns)
    return life


class JobNames:
    """Assigns names to jobs and ids to processes of one repository; tracks reused names."""

    def __init__(
        self, home: int, known: Callable[[list[str]], Iterable[tuple[str, int | None, int, int]]]
    ) -> None:
        """Create the object with the jobs of a repository.

        Args:
            home: The uid that owns the repository.
            known: Function of some names in profiles: returns the jobs in the repository that had
                one of these names, each as (name in the repository, owner, start, end), in ns.
        """
        self._home = home
        self._known = known
        self._lives: dict[Named, list[JobLife]] = {}
        self._asked: set[str] = set()
        self._guard = threading.Lock()

    def process(self, owner: int, boot_id: str, pid: int, start_ns: int, part: int) -> int:
        """Return the id of a process; arguments as for `process_id`."""
        return process_id(None if owner == self._home else owner, boot_id, pid, start_ns, part)

    def learn(self, processes: Iterable[tuple[int, str, int, int]]) -> None:
        """Note all processes of a spool, so that names do not depend on the processes' order.

        Args:
            processes: For each process: owner, name of the job in its profile, start, and end (or
                the present time), in ns.
        """
        returning = sorted({p for p in processes if may_come_back(p[1])}, key=lambda p: p[2])
        with self._guard:
            fresh = sorted({job for _, job, _, _ in returning} - self._asked)
            if fresh:
                for name, owner, begin, end in self._known(fresh):
                    self._remember(name, owner, begin, end)
                self._asked.update(fresh)
            for owner, job, begin, end in returning:
                find_life(self._lives.setdefault((owner, job), []), begin, end)

    def _remember(self, name: str, owner: int | None, begin_ns: int, end_ns: int) -> None:
        """Register a job of the repository, if its name was assigned here."""
        job, _, rest = name.partition("@")
        digits = rest.partition("@")[0]
        number = int(digits) if digits.isdecimal() and len(digits) < 10 else 1
        if owner is not None and name == self._numbered(owner, job, number):
            life = JobLife(number, begin_ns, end_ns)
            self._lives.setdefault((owner, job), []).append(life)

    def name(self, owner: int, job: str, begin_ns: int, end_ns: int) -> str:
        """Return the name that the job of a process has in the repository.

        Args:
            owner: Owner of its profile (a uid).
            job: Name of the job in its profile.
            begin_ns: Start of the process.
            end_ns: End of the process, or the present time.
        """
        if not may_come_back(job):
            plain = owner == self._home and "@" not in job and job not in _NO_NAMES
            return job if plain else f"{job}@{login_name(owner)}"
        self.learn([(owner, job, begin_ns, end_ns)])
        with self._guard:
            life = find_life(self._lives[owner, job], begin_ns, end_ns)
        return self._numbered(owner, job, life.number)

    def _numbered(self, owner: int, job: str, number: int) -> str:
        name = job if number == 1 else f"{job}@{number}"
        return name if owner == self._home else f"{name}@{login_name(owner)}"
