"""Schedules the synthetic jobs: draws their programs, start times and nodes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from jostle_lab.synthetic.injected.model import Spec
from jostle_lab.synthetic.injected.programs import InjectedProgram, catalogue, run_of

#: Where synthetic time begins: a full hour, long ago.
EPOCH_S = 1_750_000_000 // 3600 * 3600


@dataclass(frozen=True)
class Participant:
    """One job of the schedule, before the simulation.

    Attributes:
        job: The job's name.
        program: Program that the job runs.
        uid: The job's owner.
        mount: Number of the file system that the job uses.
        start_s: The job's start, seconds after EPOCH_S.
        work_s: The job's undisturbed run time.
        processes: The job's processes.
        nodes: The job's nodes.
        room: Number of the job's set of nodes. Jobs on the same set disturb each other's
            processors.
    """

    job: str
    program: InjectedProgram
    uid: int
    mount: int
    start_s: float
    work_s: float
    processes: int
    nodes: tuple[str, ...]
    room: int


def participants_of(spec: Spec, rng: np.random.Generator) -> list[Participant]:
    """Draw the jobs of a repository.

    Some jobs coincide in time with another job without slowing it, as they use another file system
    or are of a program that does no harm.
    """
    programs = catalogue(rng)
    weights = np.array([program.weight for program in programs])
    participants: list[Participant] = []
    # The first three are always a victim, its aggressor, and a neighbour.
    first = [programs[i] for i in (2, 4, 0)]
    for number in range(spec.jobs):
        drawn = programs[int(rng.choice(len(programs), p=weights / weights.sum()))]
        program = first[number] if number < len(first) else drawn
        participants.append(_participant(spec, number, program, participants, rng))
    return participants


def _participant(
    spec: Spec,
    number: int,
    program: InjectedProgram,
    earlier: list[Participant],
    rng: np.random.Generator,
) -> Participant:
    length = spec.length * float(rng.uniform(0.5, 1.5)) * program.stay
    start = int(rng.integers(max(1, spec.slices - int(length)))) if number > 2 else number * 7
    least = 2 if program.mpi else 1  # ranks on nodes of their own: their messages cross the network
    processes = max(least, round(spec.processes * float(rng.choice([0.25, 0.5, 0.75, 1.0]))))
    count = max(least, processes // 16)
    first = number * max(8, spec.processes // 16)
    nodes = tuple(f"node{first + i:04d}" for i in range(count))
    room, mount = number, int(rng.integers(spec.mounts)) if number > 2 else 0
    run = run_of(program, rng)
    start_s = (start + float(rng.uniform())) * spec.slice_s
    if (earlier and program.pressure > 0.5) or (earlier and rng.random() < spec.roommates):
        host = earlier[int(rng.integers(len(earlier)))]
        nodes, room, start_s = host.nodes, host.room, host.start_s + 0.1 * length * spec.slice_s
    elif earlier and rng.random() < spec.coincidence:
        other = earlier[int(rng.integers(len(earlier)))]
        start_s = other.start_s
        run = _in_time_with(run, other.program)
        if program.harmful:
            mount = (other.mount + 1) % spec.mounts
    return Participant(
        f"{program.name}-{number:04d}",
        run,
        60_000 + int(rng.integers(spec.users)),
        mount,
        start_s,
        length * spec.slice_s,
        processes,
        nodes,
        room,
    )


def _in_time_with(run: InjectedProgram, other: InjectedProgram) -> InjectedProgram:
    """Return a program whose phases are as long as those of another program."""
    phases = [
        replace(phase, seconds=other.phases[place % len(other.phases)].seconds)
        for place, phase in enumerate(run.phases)
    ]
    return replace(run, phases=tuple(phases))
