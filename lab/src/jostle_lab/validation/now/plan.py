"""Draws the sessions: jobs that run concurrently, and disturbances of them at random times.

Everything is drawn from a seed. A session has three to six jobs, which run from its begin to its
end, and five disturbances of several kinds, one after the other. All cores of node1 are one core of
this machine; the other hosts share its other cores. So the load on another host takes no core time
from jobs on node1.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

SLICE_NS = 1_000_000_000
DATA, METADATA, CPU, MEMORY = "data", "metadata", "CPU", "memory"
LINK, SERVER, UNPROFILED, OWN = "link", "slow server", "no profile", "own phase"
#: Number of disturbances of each kind, on each file system.
KINDS = {DATA: 8, METADATA: 8, CPU: 7, MEMORY: 5, LINK: 5, SERVER: 6, UNPROFILED: 6, OWN: 5}
FILE_SYSTEMS = ("sshfs", "cephfs")
#: Disturbances of a session.
EACH = 5
#: Time until the usual times of a job are known (20 slices) and a little more, s.
LEARN_S = 26.0
#: Length of a disturbance and of the time before it, and the time after the last one, s.
_ON_S, _OFF_S, _TAIL_S = (9.0, 13.0), (9.0, 16.0), 6.0
#: Names of jobs, by what slows them. Jobs without influence come last.
WRITER, FILES, SOLVER, RING = "writer", "files", "solver", "ring"
CALM = ("calm-1", "calm-2", "calm-3")
METADATA_SERVER, OBJECT_SERVERS = "storage", ("storage2", "storage3")


@dataclass(frozen=True)
class Job:
    """A job that runs for the whole session.

    Attributes:
        name: Name of the job in the session.
        nodes: Host of each of the job's processes.
        words: Pattern and options of a signal; "": the MPI program of steps.
        steps: Times of the program of steps; None for a signal.
        elsewhere: Whether the job's files are on its node's own disk.
    """

    name: str
    nodes: tuple[str, ...]
    words: str = ""
    steps: Steps | None = None
    elsewhere: bool = False


@dataclass(frozen=True)
class Steps:
    """The work of an MPI program in a step.

    Attributes:
        work_us: Time of computation of rank 0, µs; the other ranks compute a twentieth of it.
        sleep_us: Time of sleep of each rank, µs.
        message: Bytes sent to each of both neighbours.
        memory: Bytes that the computation walks through; 0: it needs no memory.
    """

    work_us: float
    sleep_us: float
    message: int
    memory: int = 0


@dataclass(frozen=True)
class Disturbance:
    """Something that begins at an instant and slows a job, or looks as if it did.

    Attributes:
        kind: Kind of the disturbance, one of KINDS.
        target: Name of the job that it slows.
        begin_s: Time at which it begins, seconds from the start of the session.
        length_s: Length of the disturbance, in seconds.
        nodes: Host of each of the culprit's processes; of a slow server, its host.
        words: Pattern and options of the culprit's signal; of a slow server, `stop` or `link`.
        part: Of a slow server: share of the time in which its process is stopped, or share of its
            link's data rate that remains.
        resident: Whether the culprit already runs before, without load.
    """

    kind: str
    target: str
    begin_s: float
    length_s: float
    nodes: tuple[str, ...]
    words: str
    part: float = 0.0
    resident: bool = False

    def __str__(self) -> str:
        """Return a description of the cause for users."""
        where = ", ".join(dict.fromkeys(self.nodes))
        if self.kind == SERVER and self.words == "stop":
            return f"{where} stopped {self.part:.0%} of the time"
        if self.kind == SERVER:
            return f"link of {where} at {self.part:.0%}"
        return f"{self.words} on {where}"


@dataclass(frozen=True)
class Session:
    """Jobs that run concurrently, and disturbances of them.

    Attributes:
        number: Number of the session, from 1.
        fs: File system of the session's lab.
        jobs: The jobs.
        disturbances: The disturbances in order of time.
        seconds: Length of the session.
    """

    number: int
    fs: str
    jobs: tuple[Job, ...]
    disturbances: tuple[Disturbance, ...]
    seconds: float

    def job(self, name: str) -> Job:
        """Return a job."""
        return next(job for job in self.jobs if job.name == name)

    def to_json(self) -> dict[str, Any]:
        """Return the session as plain values."""
        return asdict(self)


def from_json(plain: Mapping[str, Any]) -> Session:
    """Read a session from the output of `Session.to_json`.

    Raises:
        KeyError, TypeError: The values are no session.
    """
    jobs = tuple(
        Job(
            **{
                **job,
                "nodes": tuple(job["nodes"]),
                "steps": Steps(**job["steps"]) if job["steps"] else None,
            }
        )
        for job in plain["jobs"]
    )
    disturbances = tuple(
        Disturbance(**{**one, "nodes": tuple(one["nodes"])}) for one in plain["disturbances"]
    )
    return Session(**{**plain, "jobs": jobs, "disturbances": disturbances})


# ---- what is drawn ------------------------------------------------------------------------------
#: Bytes that the solver walks through: more than the caches of a core.
_MEMORY = 128 << 20
_WRITERS = (
    "write-seek --chunk 64KiB --every 30ms",
    "write-seek --chunk 128KiB --every 40ms",
    "aggregate-write --chunk 128KiB --flush each --every 40ms --max-disk 60MiB",
)
_FILES = ("metadata --every 15ms", "open-write-close --chunk 4KiB --flush none --every 25ms")
_CALM = ("write-seek --chunk 4KiB --every 50ms", "cpu --every 20ms", "stat-files --every 10ms")
_DATA = (
    "aggregate-write --chunk 1MiB --flush each --processes 2 --max-disk 200MiB",
    "aggregate-write --chunk 4MiB --flush each --processes 2 --max-disk 200MiB",
    "write-seek --chunk 256KiB --processes 3",
)
#: create-files keeps its files: to remove them takes longer than to make them.
_METADATA = (
    "metadata --processes 4",
    "create-files --processes 3 --keep",
    "metadata --processes 6",
)
_CPU = ("cpu", "cpu --processes 2", "cpu --processes 3")
_HOGS = ("memory --chunk 192MiB", "memory --chunk 96MiB")
_MESSAGES = ("all-to-all --chunk 256KiB", "all-to-all --chunk 1MiB")
#: Own phases: of a writer other operations, or more of the same; of a solver more steps of work.
_OWN = (
    "write-seek --chunk 512KiB --every 60ms",
    "aggregate-write --chunk 1MiB --flush each --max-disk 100MiB",
    "write-seek --chunk 64KiB --processes 2",
)
_SERVERS = {"sshfs": (METADATA_SERVER,), "cephfs": OBJECT_SERVERS}


def sessions(seed: int) -> list[Session]:
    """Draw all sessions: those of one file system, then those of the other."""
    found: list[Session] = []
    for fs in FILE_SYSTEMS:
        dice = random.Random(f"{seed}/{fs}")
        kinds = [kind for kind, count in KINDS.items() for _ in range(count)]
        dice.shuffle(kinds)
        parts = [kinds[at : at + EACH] for at in range(0, len(kinds), EACH)]
        found += [_session(dice, fs, part) for part in parts]
    return [replace(one, number=number) for number, one in enumerate(found, 1)]


def _session(dice: random.Random, fs: str, kinds: list[str]) -> Session:
    """Draw a session with disturbances of some kinds, in this order."""
    at, disturbances = LEARN_S, []
    for kind in kinds:
        at += dice.uniform(*_OFF_S)
        length = dice.uniform(*_ON_S)
        one = _MAKERS[kind](dice, fs)
        disturbances.append(replace(one, begin_s=round(at, 3), length_s=round(length, 3)))
        at += length
    targets = list(dict.fromkeys(one.target for one in disturbances))
    jobs = [_JOBS[target](dice) for target in targets]
    count = max(dice.randint(3, 6), len(jobs))
    calm = dice.sample(_CALM, len(_CALM))
    for name, words, node in zip(CALM, calm, ("node2", "node3", "node4"), strict=True):
        if len(jobs) < count:
            jobs.append(Job(name, (node,), words, elsewhere=True))
    return Session(0, fs, tuple(jobs), tuple(disturbances), round(at + _TAIL_S, 3))


def _writer(dice: random.Random) -> Job:
    return Job(WRITER, ("node2",), dice.choice(_WRITERS))


def _files(dice: random.Random) -> Job:
    return Job(FILES, ("node3",), dice.choice(_FILES))


def _solver(dice: random.Random) -> Job:
    """Draw an MPI program on node1 that computes, in memory, nearly all the time."""
    return Job(
        SOLVER,
        ("node1", "node1"),
        steps=Steps(round(dice.uniform(6000, 12000)), 0.0, 1 << 10, _MEMORY),
    )


def _ring(dice: random.Random) -> Job:
    """Draw an MPI program whose ranks are on both leaf switches, and mostly sleep."""
    message = dice.choice((2 << 10, 4 << 10, 8 << 10))
    return Job(
        RING, ("node2", "node4"), steps=Steps(100.0, round(dice.uniform(9000, 14000)), message)
    )


_JOBS: dict[str, Callable[[random.Random], Job]] = {
    WRITER: _writer,
    FILES: _files,
    SOLVER: _solver,
    RING: _ring,
}


def _by_job(dice: random.Random, kind: str, target: str, nodes: str, words: str) -> Disturbance:
    resident = dice.random() < 0.5
    return Disturbance(kind, target, 0.0, 0.0, tuple(nodes.split()), words, resident=resident)


def _data(dice: random.Random, fs: str) -> Disturbance:
    return _by_job(dice, DATA, WRITER, "node4", dice.choice(_DATA))


def _metadata(dice: random.Random, fs: str) -> Disturbance:
    """Draw a job on another node or, on SSHFS, on the same: each node has a server of its own."""
    node = "node3" if fs == "sshfs" else "node4"
    return _by_job(dice, METADATA, FILES, node, dice.choice(_METADATA))


def _cpu(dice: random.Random, fs: str) -> Disturbance:
    return _by_job(dice, CPU, SOLVER, "node1", dice.choice(_CPU))


def _memory(dice: random.Random, fs: str) -> Disturbance:
    return _by_job(dice, MEMORY, SOLVER, "node1", dice.choice(_HOGS))


def _link(dice: random.Random, fs: str) -> Disturbance:
    # Ranks of an MPI job start too slowly to wait for their load from the start of the session on.
    found = _by_job(dice, LINK, RING, "node2 node4", dice.choice(_MESSAGES))
    return replace(found, resident=False)


def _server(dice: random.Random, fs: str) -> Disturbance:
    """Draw a file server that is slow: its link or, on CephFS, also its process."""
    target = dice.choice((WRITER, FILES)) if fs == "cephfs" else WRITER
    host = METADATA_SERVER if target == FILES else dice.choice(_SERVERS[fs])
    if fs == "cephfs" and (target == FILES or dice.random() < 0.5):
        part = dice.choice((0.6, 0.8))
        return Disturbance(SERVER, target, 0.0, 0.0, (host,), "stop", part)
    return Disturbance(SERVER, target, 0.0, 0.0, (host,), "link", dice.choice((0.1, 0.2)))


def _unprofiled(dice: random.Random, fs: str) -> Disturbance:
    """Draw a program without a profile: of CPU, of data or of metadata."""
    maker = dice.choice((_cpu, _cpu, _data, _metadata))
    return replace(maker(dice, fs), kind=UNPROFILED)


def _own(dice: random.Random, fs: str) -> Disturbance:
    """Draw more, or other, work of the target itself."""
    found = _by_job(dice, OWN, WRITER, "node2", dice.choice(_OWN))
    return replace(found, resident=False)


_MAKERS: dict[str, Callable[[random.Random, str], Disturbance]] = {
    DATA: _data,
    METADATA: _metadata,
    CPU: _cpu,
    MEMORY: _memory,
    LINK: _link,
    SERVER: _server,
    UNPROFILED: _unprofiled,
    OWN: _own,
}
