"""Draws the experiments on advice: jobs that slow each other, and the change that is to be tried.

Everything is drawn from a seed: times, amounts, sizes of writes. Each experiment is about one lever
(a change of a kind that jostle advises), or about none: then nothing slows the first job.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from jostle_lab.validation.cephfs.plan import Fault, Rhythm
from jostle_lab.validation.lab.messages import MessageJob

SHIFT, FEWER, LICENCE, EXCLUSIVE = "time shift", "fewer at once", "licence", "exclusive"
RATE, SERVER, LEAF, CHUNKS = "rate limit", "another object server", "another leaf", "larger chunks"
NOTHING = "nothing"
#: In place of a file system where jobs only send messages.
NO_FILES = "none"
#: Number of experiments with each lever, on each type of file system.
LEVERS = {
    "sshfs": {SHIFT: 2, FEWER: 2, LICENCE: 2, EXCLUSIVE: 2, RATE: 2, CHUNKS: 2, NOTHING: 2},
    "cephfs": {
        SHIFT: 2,
        FEWER: 2,
        LICENCE: 2,
        EXCLUSIVE: 2,
        RATE: 2,
        CHUNKS: 2,
        SERVER: 2,
        NOTHING: 2,
    },
    NO_FILES: {LEAF: 2},
}
KINDS = tuple(dict.fromkeys(lever for levers in LEVERS.values() for lever in levers))
#: Levers that the lab's Slurm applies.
BY_SLURM = (LICENCE, EXCLUSIVE)
#: Levers whose saving is predicted for the whole site, in core seconds.
OF_SITE = (LICENCE, RATE, SERVER, LEAF)

#: Programs: one file with two names, as jostle distinguishes jobs by their programs.
SOLVER, WRITER = "solver", "writer"
KIB, MB = 1 << 10, 10**6
#: Bytes per second that a job can write alone, about, by its number of processes: on CephFS one
#: process waits for one object server at a time.
_SPEED = {"sshfs": {1: 9.2e6}, "cephfs": {1: 4.3e6, 4: 9.0e6}}
#: Number of processes of jobs that use a whole file system.
_MANY = {"sshfs": 1, "cephfs": 4}
#: Size of a write that jostle calls large.
LARGE = 1024 * KIB
#: Time that a first job takes alone, about, in seconds.
_ALONE_S = 30.0
#: Network of the labs of LEAF; its jobs send messages of a size, so many times.
TOPOLOGY, _MESSAGE, _ITERATIONS = "tree:2x4", "128KiB", 560


@dataclass(frozen=True)
class Job:
    """A job that pauses, computes and writes in rounds (`rounds.c`).

    Attributes:
        name: Name of the job in the experiment.
        program: Program that the job runs.
        node: Node of the job.
        rounds: Number of rounds; 0: until the first job has ended.
        pause_s: Pause in each round, in seconds.
        work_s: CPU time in each round, in seconds.
        bytes: Bytes that each process writes in each round.
        chunk: Bytes per write.
        sync: Whether the job waits after each write until it is stored; else once in a round.
        processes: Number of processes.
        delay_s: By how much later than the first job the job starts, in seconds.
        pinned: Whether the job may use only one core, the same for all such jobs of a node.
    """

    name: str
    program: str
    node: str
    rounds: int
    pause_s: float
    work_s: float = 0.0
    bytes: int = 0
    chunk: int = 256 * KIB
    sync: bool = True
    processes: int = 1
    delay_s: float = 0.0
    pinned: bool = False

    def __str__(self) -> str:
        """Return a description of the job for users."""
        parts = [f"{self.pause_s:.1f} s pause"]
        if self.work_s:
            parts.append(f"{self.work_s:.1f} s computing")
        if self.bytes:
            size = f"{self.bytes * self.processes / MB:.1f} MB"
            chunk = f"{self.chunk / KIB:g} KiB"
            parts.append(f"{size} in writes of {chunk}")
        many = f", {self.processes} processes" if self.processes > 1 else ""
        return f"{', '.join(parts)}{many}"


@dataclass(frozen=True)
class Experiment:
    """An experiment: jobs, and the lever that is applied in a second run.

    Attributes:
        number: Number of the experiment, from 1.
        fs: Type of the file system, or NO_FILES.
        lever: The lever; NOTHING: no lever helps.
        jobs: The jobs; the saving is that of the first one, with LICENCE that of all.
        usual: Setting of the lever if jostle does not advise it.
        fault: Fault of a server; None if there is none.
        messages: With LEAF, jobs that send messages instead of `jobs`, the watched one first.
    """

    number: int
    fs: str
    lever: str
    jobs: tuple[Job, ...] = ()
    usual: Mapping[str, float] = field(default_factory=dict)
    fault: Fault | None = None
    messages: tuple[MessageJob, ...] = ()

    @property
    def lab(self) -> tuple[str, bool, bool]:
        """The lab that the experiment needs: file system, with Slurm, with a topology."""
        return (self.fs, self.lever in BY_SLURM, self.lever == LEAF)

    @property
    def first(self) -> str:
        """Name of the first job."""
        return self.messages[0].name if self.messages else self.jobs[0].name

    def to_json(self) -> dict[str, Any]:
        """Return the experiment as plain values."""
        return asdict(self)


def from_json(plain: Mapping[str, Any]) -> Experiment:
    """Read an experiment from the output of `Experiment.to_json`.

    Raises:
        KeyError, TypeError: The values are no experiment.
    """
    fault = plain["fault"]
    messages = (
        MessageJob(**{**one, "nodes": tuple(one["nodes"]), "bursts": _pairs(one["bursts"])})
        for one in plain["messages"]
    )
    return Experiment(
        **{
            **plain,
            "jobs": tuple(Job(**one) for one in plain["jobs"]),
            "fault": Fault(**{**fault, "rhythm": Rhythm(**fault["rhythm"])}) if fault else None,
            "messages": tuple(messages),
        }
    )


def _pairs(values: list[list[float]]) -> tuple[tuple[float, float], ...]:
    return tuple((begin, length) for begin, length in values)


def experiments(seed: int) -> list[Experiment]:
    """Draw all experiments in random order, so that the first ones are a sample of all."""
    kinds = [
        (fs, lever, turn)
        for fs, levers in LEVERS.items()
        for lever, count in levers.items()
        for turn in range(count)
    ]
    random.Random(f"{seed}/order").shuffle(kinds)
    found = []
    for number, (fs, lever, turn) in enumerate(kinds, 1):
        dice = random.Random(f"{seed}/{fs}/{lever}/{turn}")
        found.append(_MAKERS[lever](dice, number, fs))
    return found


# ---- what is drawn ------------------------------------------------------------------------------
def _writes(dice: random.Random, fs: str, seconds: float, processes: int) -> dict[str, Any]:
    """Draw writes that take about a time if no other job writes."""
    return {
        "bytes": round(seconds * _SPEED[fs][processes] / processes),
        "chunk": dice.choice((128, 256, 512)) * KIB,
        "processes": processes,
    }


def _rounds(each_s: float, seconds: float = _ALONE_S) -> int:
    return max(round(seconds / each_s), 3)


def _shift(dice: random.Random, number: int, fs: str) -> Experiment:
    """Draw two jobs that write in bursts with the same period, mostly at the same instants."""
    pause, burst = dice.uniform(3.5, 5.0), dice.uniform(1.4, 2.2)
    writes = _writes(dice, fs, burst, _MANY[fs])
    rounds = _rounds(pause + burst, 34.0)
    jobs = (
        Job("first", SOLVER, "node1", rounds, pause, **writes),
        Job("other", WRITER, "node2", 0, pause, delay_s=dice.uniform(0.2, 0.5) * burst, **writes),
    )
    return Experiment(number, fs, SHIFT, jobs, {"seconds": (pause + burst) / 2})


def _fewer(dice: random.Random, number: int, fs: str) -> Experiment:
    """Draw four jobs of one program, each with its own rhythm."""
    jobs = []
    for at in range(4):
        # The others pause long, so that there is time in which none of them writes.
        pause = dice.uniform(2.5, 4.5) if at else dice.uniform(0.5, 1.5)
        burst = dice.uniform(1.0, 1.8)
        jobs.append(
            Job(
                f"array{at + 1}" if at else "first",
                WRITER,
                f"node{at + 1}",
                _rounds(pause + burst, _ALONE_S if at == 0 else 1.5 * _ALONE_S),
                pause,
                delay_s=dice.uniform(0.0, 3.0) if at else 0.0,
                **_writes(dice, fs, burst, _MANY[fs]),
            )
        )
    return Experiment(number, fs, FEWER, tuple(jobs), {"at_once": 1.0})


def _licence(dice: random.Random, number: int, fs: str) -> Experiment:
    """Draw two programs that should not use the file system at the same time."""
    jobs = []
    for name, program, node in (("first", SOLVER, "node1"), ("other", WRITER, "node2")):
        pause, burst = dice.uniform(2.0, 4.0), dice.uniform(1.5, 3.5)
        writes = _writes(dice, fs, burst, _MANY[fs])
        rounds = _rounds(pause + burst)
        jobs.append(Job(name, program, node, rounds, pause, **writes))
    return Experiment(number, fs, LICENCE, tuple(jobs), {"total": 1.0, SOLVER: 1.0, WRITER: 1.0})


def _exclusive(dice: random.Random, number: int, fs: str) -> Experiment:
    """Draw two jobs on one core of a node, of which one also writes."""
    pause, work = dice.uniform(0.1, 0.4), dice.uniform(0.6, 1.0)
    writes: dict[str, Any] = {"bytes": round(dice.uniform(0.2, 0.5) * MB), "chunk": 64 * KIB}
    jobs = (
        Job("first", SOLVER, "node1", _rounds(pause + work), pause, work, pinned=True, **writes),
        Job("other", WRITER, "node1", 0, dice.uniform(3, 5), dice.uniform(1.5, 3), pinned=True),
    )
    return Experiment(number, fs, EXCLUSIVE, jobs)


def _rate(dice: random.Random, number: int, fs: str) -> Experiment:
    """Draw a job, and another one that writes much for most of the time."""
    pause, burst = dice.uniform(0.2, 0.8), dice.uniform(0.8, 1.5)
    much = _writes(dice, fs, dice.uniform(2.5, 4.5), _MANY[fs])
    jobs = (
        Job("first", SOLVER, "node1", _rounds(pause + burst), pause, **_writes(dice, fs, burst, 1)),
        Job("other", WRITER, "node2", 0, dice.uniform(2.5, 4.0), **much),
    )
    return Experiment(number, fs, RATE, jobs, {"bytes_s": 0.3 * _SPEED[fs][_MANY[fs]]})


def _server(dice: random.Random, number: int, fs: str) -> Experiment:
    """Draw a job on two object servers, of which one is slow in bursts."""
    pause, burst = dice.uniform(0.1, 0.3), dice.uniform(1.0, 2.0)
    period = dice.uniform(7.0, 10.0)
    rhythm = Rhythm(period, dice.uniform(0.4, 0.5) * period, dice.uniform(2.0, 4.0))
    fault = Fault("storage2", "stop", dice.uniform(0.6, 0.8), rhythm)
    if dice.random() < 0.5:
        fault = Fault("storage2", "link", dice.uniform(0.1, 0.2), rhythm)
    first = Job(
        "first", SOLVER, "node1", _rounds(pause + burst), pause, **_writes(dice, fs, burst, 1)
    )
    return Experiment(number, fs, SERVER, (first,), {"out": 0.0}, fault)


def _leaf(dice: random.Random, number: int, fs: str) -> Experiment:
    """Draw a job whose messages cross the link between two leaf switches, as those of another."""
    left, right = dice.sample(range(1, 5), 2), dice.sample(range(5, 9), 2)
    bursts, at = [], 4.0
    while at < 150.0:
        length = dice.uniform(2.0, 3.5)
        bursts.append((at, length))
        at += length + dice.uniform(3.0, 4.5)
    nodes = [(f"node{left[each]}", f"node{right[each]}") for each in (0, 1)]
    messages = (
        MessageJob("first", nodes[0], _MESSAGE, iterations=_ITERATIONS),
        MessageJob("other", nodes[1], _MESSAGE, bursts=tuple(bursts), harm=True),
    )
    return Experiment(number, fs, LEAF, messages=messages)


def _chunks(dice: random.Random, number: int, fs: str) -> Experiment:
    """Draw a job that writes in small pieces, and one that writes little, in large pieces."""
    small, requests = (1, 30_000) if fs == "sshfs" else (4, 12_000)
    rounds = 10
    first = Job(
        "first",
        SOLVER,
        "node1",
        rounds,
        dice.uniform(0.4, 0.8),
        bytes=round(dice.uniform(0.8, 1.2) * requests / rounds) * small * KIB,
        chunk=small * KIB,
    )
    other = Job("other", WRITER, "node2", 0, dice.uniform(2.0, 3.0), bytes=2 * LARGE, chunk=LARGE)
    return Experiment(number, fs, CHUNKS, (first, other), {"chunk": float(LARGE)})


def _nothing(dice: random.Random, number: int, fs: str) -> Experiment:
    """Draw a job, and another one that writes so little that it slows nobody."""
    pause, burst = dice.uniform(0.5, 1.5), dice.uniform(0.8, 1.5)
    jobs = (
        Job("first", SOLVER, "node1", _rounds(pause + burst), pause, **_writes(dice, fs, burst, 1)),
        Job("other", WRITER, "node2", 0, dice.uniform(0.5, 1.0), bytes=8 * KIB, chunk=4 * KIB),
    )
    return Experiment(number, fs, NOTHING, jobs)


_MAKERS: dict[str, Callable[[random.Random, int, str], Experiment]] = {
    SHIFT: _shift,
    FEWER: _fewer,
    LICENCE: _licence,
    EXCLUSIVE: _exclusive,
    RATE: _rate,
    SERVER: _server,
    LEAF: _leaf,
    CHUNKS: _chunks,
    NOTHING: _nothing,
}
