"""The programs of a synthetic repository and their undisturbed phases.

A repository draws the traits of each program once, so that all runs of a program are alike; each
run then gets its own size, file system and begin.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

KIB, MIB = 1024, 1024 * 1024
#: What a phase does on its file system, by number.
WRITE, READ, META = 0, 1, 2
#: Varies a number by up to a quarter.
Near = Callable[[float], float]
Habit = Literal["aggregate-write", "open-write-close", "write-seek"]


@dataclass(frozen=True)
class ProgramPhase:
    """A phase of a program with constant behaviour.

    Attributes:
        seconds: The phase's length, undisturbed.
        io: Share of the time in calls to the file system.
        net: Share of the time in communication; the rest computes.
        load: The phase's load on the file system, share of the capacity (bytes, or metadata
            operations where `what` is META).
        traffic: The phase's load on the network, likewise.
        size: Bytes per operation.
        what: Kind of the operations: WRITE, READ or META.
    """

    seconds: float
    io: float
    net: float = 0.0
    load: float = 0.0
    traffic: float = 0.0
    size: int = MIB
    what: int = WRITE


@dataclass(frozen=True)
class InjectedProgram:
    """A program.

    Attributes:
        name: The program's name.
        phases: Phases, repeated until the program's work is done.
        mpi: Whether the program communicates by MPI.
        weight: Relative frequency with which the program is drawn.
        harmful: Slowdown of other jobs by the program's load, relative to the load's size (0:
            served from caches).
        pressure: The program's load on the processors of nodes that it shares with another job.
        habit: Access pattern of the program's writes.
        stay: Length of the program's runs, relative to those of other programs.
    """

    name: str
    phases: tuple[ProgramPhase, ...]
    mpi: bool = False
    weight: float = 1.0
    harmful: float = 1.0
    pressure: float = 0.0
    habit: Habit = "aggregate-write"
    stay: float = 1.0


def catalogue(rng: np.random.Generator) -> list[InjectedProgram]:
    """Draw the traits of the programs of one repository."""

    def near(value: float) -> float:
        return float(value * rng.uniform(0.8, 1.25))

    burst, rest = near(14), near(16)
    return [*_of_files(near, burst, rest), *_of_other_resources(near, burst, rest)]


def _of_files(near: Near, burst: float, rest: float) -> list[InjectedProgram]:
    """Return the programs that use file systems; `burst` and `rest` are lengths of phases, s."""
    return [
        InjectedProgram(
            "solver",
            (
                ProgramPhase(near(20), io=0.02, net=0.15, load=0.002, traffic=0.02, size=4 * KIB),
                ProgramPhase(near(12), io=near(0.75), net=0.02, load=0.12, traffic=0.01, size=MIB),
            ),
            mpi=True,
            weight=2.0,
        ),
        InjectedProgram(
            "analysis",
            (
                ProgramPhase(near(25), io=near(0.5), load=0.08, size=256 * KIB, what=READ),
                ProgramPhase(near(10), io=0.08, load=0.01, size=256 * KIB, what=READ),
            ),
            weight=1.5,
        ),
        InjectedProgram(
            "logger",
            (
                ProgramPhase(near(9), io=near(0.35), load=0.02, size=8 * KIB),
                ProgramPhase(near(6), io=near(0.8), load=0.10, size=MIB),
                ProgramPhase(near(9), io=near(0.35), load=0.05, size=64 * KIB),
            ),
            weight=1.5,
            habit="write-seek",
        ),
        InjectedProgram(
            "dump", (ProgramPhase(60, io=0.95, load=near(0.5), size=4 * MIB),), stay=0.35
        ),
        InjectedProgram(
            "burster",
            (
                ProgramPhase(burst, io=0.9, load=near(0.6), size=MIB),
                ProgramPhase(rest, io=0.01, load=0.002, size=64 * KIB),
            ),
            weight=1.5,
        ),
        InjectedProgram(
            "untar",
            (
                ProgramPhase(30, io=0.85, load=near(0.55), size=16 * KIB, what=META),
                ProgramPhase(near(20), io=0.1, load=0.03, size=16 * KIB, what=META),
            ),
            weight=0.7,
            habit="open-write-close",
            stay=0.5,
        ),
    ]


def _of_other_resources(near: Near, burst: float, rest: float) -> list[InjectedProgram]:
    """Return the programs that use networks, cores and memory, and one that repeats a load."""
    return [
        InjectedProgram(
            "fft",
            (
                ProgramPhase(near(8), io=0.0, net=near(0.6), traffic=near(0.55)),
                ProgramPhase(near(12), io=0.0, net=0.1, traffic=0.05),
            ),
            mpi=True,
        ),
        InjectedProgram(
            "cfd",
            (
                ProgramPhase(30, io=0.01, net=near(0.35), load=0.001, traffic=0.03, size=64 * KIB),
                ProgramPhase(near(5), io=0.5, net=0.05, load=0.05, traffic=0.01, size=MIB),
            ),
            mpi=True,
            weight=1.5,
        ),
        InjectedProgram(
            "replay",
            (
                ProgramPhase(burst, io=0.6, load=near(0.5), size=MIB, what=READ),
                ProgramPhase(rest, io=0.02, load=0.01, size=MIB, what=READ),
            ),
            harmful=0.0,
        ),
        InjectedProgram(
            "montecarlo", (ProgramPhase(45, io=0.005, load=0.0005, size=4 * KIB),), pressure=0.2
        ),
        InjectedProgram(
            "hog",
            (ProgramPhase(near(18), io=0.0), ProgramPhase(near(15), io=0.003, load=0.0003)),
            weight=0.6,
            pressure=0.9,
        ),
    ]


def run_of(program: InjectedProgram, rng: np.random.Generator) -> InjectedProgram:
    """Return a program for one run: its phases a little longer or shorter, the first one random."""
    pace = float(rng.uniform(0.9, 1.1))
    phases = [replace(phase, seconds=phase.seconds * pace) for phase in program.phases]
    turn = int(rng.integers(len(phases)))
    return replace(program, phases=(*phases[turn:], *phases[:turn]))
