"""The programs that users of a simulated site run, as phases.

Rates of file traffic are those of a node, rates of messages those of a process. Where the figures
come from: lab/docs/explanation/simulated-site.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from jostle_lab.synthetic.injected.programs import KIB, META, MIB, READ, WRITE, Near

__all__ = ["META", "READ", "WRITE", "Phase", "Program", "aggressor", "catalogue", "victim"]

Writers = Literal["all", "leaders", "root"]


@dataclass(frozen=True)
class Phase:
    """A phase with constant behaviour.

    Attributes:
        seconds: The phase's length, undisturbed.
        io: Share of time in file operations, for a process that reads or writes.
        net: Share of time in communication; the rest of the time is computation.
        rate: Bytes/s of a node, or metadata operations/s if `what` is META.
        size: Bytes per call.
        what: Kind of the operations: WRITE, READ or META.
        pairs: Messages/s that a process sends to neighbours.
        message: Bytes of such a message.
        reductions: Collectives/s of small size.
        exchanges: All-to-all collectives/s.
        exchanged: Bytes of these per process and call.
    """

    seconds: float
    io: float = 0.0
    net: float = 0.0
    rate: float = 0.0
    size: int = MIB
    what: int = WRITE
    pairs: float = 0.0
    message: int = 0
    reductions: float = 0.0
    exchanges: float = 0.0
    exchanged: int = 0


@dataclass(frozen=True)
class Program:
    """A program.

    Attributes:
        name: The program's name.
        phases: Phases, repeated until the program's work is done.
        weight: Relative frequency with which users choose the program.
        mpi: Whether the program communicates by MPI; else it runs on one node.
        per_node: Number of processes on a node; 0: as many as the site's MPI programs have.
        threads: Number of threads of each process.
        writers: Processes that write and read.
        collective: Whether the program writes by collective MPI-IO.
        memory: Resident memory of a process, bytes.
        log: Lines/s that the first process writes to the program's log.
        faults: Page faults/s of a process.
        script: Script that the program's interpreter runs; "" if there is none.
    """

    name: str
    phases: tuple[Phase, ...]
    weight: float = 1.0
    mpi: bool = True
    per_node: int = 0
    threads: int = 1
    writers: Writers = "all"
    collective: bool = False
    memory: int = 900 * MIB
    log: float = 0.5
    faults: float = 0.4
    script: str = ""

    @property
    def cycle_s(self) -> float:
        """Total length of all phases, in seconds."""
        return sum(phase.seconds for phase in self.phases)


def catalogue(draw: np.random.Generator) -> list[Program]:
    """Return the programs of one site, each with traits of its own."""

    def near(value: float) -> float:
        return float(value * draw.uniform(0.8, 1.25))

    return [*_solvers(near), *_communicating(near), *_of_one_node(near)]


def _solvers(near: Near) -> list[Program]:
    """Return MPI programs that simulate in steps and write files in between."""
    md_step = Phase(
        near(300), net=near(0.22), pairs=near(900), message=24 * KIB, reductions=near(12)
    )
    cfd_step = Phase(
        near(240), net=near(0.35), pairs=near(500), message=40 * KIB, reductions=near(1500)
    )
    weather = Phase(
        near(180),
        net=near(0.28),
        pairs=near(350),
        message=96 * KIB,
        reductions=near(8),
        exchanges=near(1),
        exchanged=256 * KIB,
    )
    return [
        Program(
            "md",
            (md_step, Phase(near(6), io=near(0.5), net=0.1, rate=near(40e6), size=4 * MIB)),
            weight=2.2,
            writers="leaders",
            memory=300 * MIB,
        ),
        Program(
            "cfd",
            (cfd_step, Phase(near(20), io=near(0.6), net=0.05, rate=near(30e6), size=MIB)),
            weight=2.0,
            memory=1100 * MIB,
        ),
        Program(
            "dft",
            (
                Phase(
                    near(90),
                    net=near(0.45),
                    exchanges=near(25),
                    exchanged=2 * MIB,
                    reductions=near(60),
                ),
                Phase(near(30), net=near(0.2), reductions=near(20)),
                Phase(near(4), io=0.5, rate=near(25e6), size=512 * KIB),
            ),
            weight=2.0,
            memory=1800 * MIB,
            writers="root",
        ),
        Program(
            "weather",
            (weather, Phase(near(15), io=near(0.55), net=0.2, rate=near(50e6), size=8 * MIB)),
            weight=1.2,
            collective=True,
            memory=1300 * MIB,
        ),
    ]


def _communicating(near: Near) -> list[Program]:
    """Return MPI programs that mostly communicate, or write much at once."""
    return [
        Program(
            "lattice",
            (
                Phase(
                    near(600),
                    net=near(0.3),
                    pairs=near(1800),
                    message=64 * KIB,
                    reductions=near(250),
                ),
                Phase(near(12), io=near(0.7), net=0.1, rate=near(45e6), size=16 * MIB),
            ),
            weight=1.0,
            per_node=4,
            threads=12,
            memory=6 << 30,
        ),
        Program(
            "plasma",
            (
                Phase(
                    near(400),
                    net=near(0.18),
                    pairs=near(250),
                    message=512 * KIB,
                    reductions=near(2),
                ),
                Phase(near(35), io=near(0.8), rate=near(60e6), size=4 * MIB),
            ),
            weight=0.9,
            memory=1600 * MIB,
        ),
        Program(
            "graph",
            (
                Phase(
                    near(120),
                    net=near(0.55),
                    exchanges=near(80),
                    exchanged=64 * KIB,
                    reductions=near(30),
                ),
                Phase(near(25), io=near(0.5), rate=near(35e6), size=256 * KIB, what=READ),
            ),
            weight=0.5,
            per_node=8,
            threads=6,
            memory=9 << 30,
        ),
    ]


def _of_one_node(near: Near) -> list[Program]:
    """Return programs without MPI, and training jobs."""
    return [
        Program(
            "sweep",
            (Phase(near(200)), Phase(near(5), io=0.3, rate=near(5e6), size=64 * KIB)),
            weight=3.0,
            mpi=False,
            memory=500 * MIB,
            log=0.05,
            faults=6.0,
        ),
        Program(
            "align",
            (
                Phase(near(60), io=near(0.35), rate=near(60e6), size=128 * KIB, what=READ),
                Phase(near(90), io=0.05, rate=near(10e6), size=64 * KIB),
            ),
            weight=1.6,
            mpi=False,
            per_node=1,
            threads=32,
            memory=24 << 30,
            log=3.0,
            faults=200.0,
        ),
        Program(
            "python",
            (
                Phase(near(40), io=near(0.2), rate=near(12e6), size=8 * KIB, what=READ),
                Phase(near(80), io=0.02, rate=near(1e6), size=8 * KIB),
            ),
            weight=2.4,
            mpi=False,
            per_node=4,
            threads=8,
            memory=3 << 30,
            log=2.0,
            faults=400.0,
            script="analyse.py",
        ),
        Program(
            "training",
            (
                Phase(
                    near(50),
                    net=near(0.15),
                    io=near(0.1),
                    rate=near(80e6),
                    size=256 * KIB,
                    what=READ,
                    exchanges=near(4),
                    exchanged=16 * MIB,
                ),
                Phase(near(8), io=near(0.6), rate=near(70e6), size=4 * MIB),
            ),
            weight=1.0,
            per_node=4,
            threads=12,
            memory=12 << 30,
            log=4.0,
            faults=60.0,
            writers="all",
            script="train.py",
        ),
    ]


def aggressor(kind: int, capacity: float, meta: float, draw: np.random.Generator) -> Program:
    """Return a program on one node that loads a file system.

    Args:
        kind: Kind of load: 0: bursts of writes, 1: bursts of metadata operations, 2: sustained,
            with pauses.
        capacity: Capacity of the file system, bytes/s.
        meta: Metadata operations/s of the file system.
        draw: Source of random numbers.
    """
    share = float(draw.uniform(0.7, 0.95))
    on, off = (float(draw.uniform(low, high)) for low, high in ((28, 44), (32, 56)))
    if kind == 1:
        busy = Phase(on, io=0.9, rate=share * meta, size=16 * KIB, what=META)
        return Program(
            "unpack",
            (busy, Phase(off, io=0.02, rate=0.01 * meta, size=16 * KIB, what=META)),
            mpi=False,
            per_node=8,
        )
    if kind == 2:
        on, off = 2.5 * on, 1.5 * off
    busy = Phase(on, io=0.93, rate=share * capacity, size=4 * MIB)
    name = "burster" if kind == 0 else "dump"
    return Program(name, (busy, Phase(off, io=0.02, rate=2e6, size=MIB)), mpi=False, per_node=8)


def victim(draw: np.random.Generator, *, meta: bool) -> Program:
    """Return a program that spends much time in file operations."""
    if meta:
        return Program(
            "builder",
            (Phase(30, io=float(draw.uniform(0.5, 0.7)), rate=2500, size=16 * KIB, what=META),),
            mpi=False,
            per_node=8,
        )
    step = Phase(24, io=float(draw.uniform(0.5, 0.7)), rate=25e6, size=MIB)
    return Program("recorder", (step, replace(step, seconds=12.0, rate=20e6)), per_node=16)


def longest(programs: Sequence[Program]) -> int:
    """Return the largest number of phases of a program."""
    return max(len(program.phases) for program in programs)
