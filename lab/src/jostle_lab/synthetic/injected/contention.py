"""Simulates the contention between the jobs of a synthetic repository.

Every job has a clock that shows its progress, and that runs slower while other jobs load a resource
that the job uses. The simulation proceeds in short steps. The job's current phase gives the share
h_r of its time in calls on each resource r. These calls take
F_r = noise · weather · (1 + response(load by others)) times as long as usual, so the clock advances
by step / (1 + sum h_r (F_r - 1)). The true loss is the time that the response alone cost.
Estimators must not use this module.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jostle_lab.synthetic.injected.model import Kind, Spec
from jostle_lab.synthetic.injected.programs import META
from jostle_lab.synthetic.injected.schedule import Participant

Floats = NDArray[np.float64]
STEPS = 4  # per slice
KINDS: tuple[Kind, ...] = ("file system", "network", "node")
CAPACITY = 2.0e9  # bytes/s of a file system
META_CAPACITY = 40_000.0  # metadata operations/s of a file system
NET_CAPACITY = 2.0e10  # bytes/s
MESSAGE = 65_536  # bytes per process and collective
_AT_ONCE = 4  # jobs that a file system of this capacity serves
CROSS = 0.35  # how much metadata load slows data, and the reverse


@dataclass
class SliceOf:
    """The activity of the jobs that ran in one slice; all arrays have a row per such job.

    Attributes:
        number: Number of the slice, from 0.
        jobs: Numbers of the jobs.
        alive_s: Seconds of the slice in which each job ran.
        io_s: Seconds that a process spent in file system calls, by kind of call (jobs, 3).
        ops: File system operations of all processes, by kind of call (jobs, 3).
        moved: Bytes of all processes, by kind of call (jobs, 3).
        net_s: Seconds that a process spent in communication.
        waited_s: The part of net_s beyond the undisturbed time.
        collectives: Number of collectives.
        cpu_s: Seconds that a process computed.
        queued_s: Seconds that a process waited for a core.
        lost: Seconds lost to other jobs, by kind of resource (jobs, 3).
        suspects: Job that caused most of the lost time; -1: none (jobs, 3).
    """

    number: int
    jobs: NDArray[np.int64]
    alive_s: Floats
    io_s: Floats
    ops: Floats
    moved: Floats
    net_s: Floats
    waited_s: Floats
    collectives: Floats
    cpu_s: Floats
    queued_s: Floats
    lost: Floats
    suspects: NDArray[np.int64]


def _nothing(number: int, jobs: NDArray[np.int64]) -> SliceOf:
    size = len(jobs)
    alive, net, waited, calls, cpu, queued = np.zeros((6, size))
    io, ops, moved, lost = np.zeros((4, size, 3))
    return SliceOf(
        number,
        jobs,
        alive,
        io,
        ops,
        moved,
        net,
        waited,
        calls,
        cpu,
        queued,
        lost,
        np.full((size, 3), -1),
    )


class Play:
    """The simulation of all jobs; iterate over `run`, then read the totals.

    Attributes:
        end_s: End of each job.
        cost: Time that job j lost to job i, by kind of resource: arrays (3, jobs, jobs).
    """

    def __init__(
        self, spec: Spec, participants: Sequence[Participant], rng: np.random.Generator
    ) -> None:
        self._spec, self._participants, self._rng = spec, participants, rng
        count = len(participants)
        self.end_s = np.zeros(count)
        self.cost = np.zeros((3, count, count), dtype=np.float32)
        self._start = np.array([participant.start_s for participant in participants])
        self._left = np.array([participant.work_s for participant in participants])
        self._clock = np.zeros(count)
        self._pace = np.ones(count)
        self._noise = rng.standard_normal((3, count))
        self._weather = rng.standard_normal(spec.mounts + 1)
        self._mount = np.array([participant.mount for participant in participants])
        self._room = np.array([participant.room for participant in participants])
        self._processes = np.array(
            [participant.processes for participant in participants], dtype=float
        )
        self._harmful = np.array([participant.program.harmful for participant in participants])
        self._pressure = np.array([participant.program.pressure for participant in participants])
        # A job on one node sends nothing over the network, even if it shares the node.
        self._sends = np.array([len(participant.nodes) > 1 for participant in participants])
        self._phases = _phase_tables(participants)
        # Every file system has its own dose-response: linear, from a threshold on, or saturating.
        self._shape = rng.integers(3, size=spec.mounts)
        self._steep = rng.uniform(0.9, 1.8, size=spec.mounts)
        self._net_steep = float(rng.uniform(0.8, 1.5))
        # A site with more jobs at a time has faster file systems.
        at_once = spec.jobs * spec.length / spec.slices
        self._ease = 1 / max(1.0, at_once / (_AT_ONCE * spec.mounts))

    def run(self) -> Iterator[SliceOf]:
        """Simulate slice after slice until all jobs are done."""
        length = self._spec.slice_s
        number = 0
        while (self._left > 0).any():
            begin = number * length
            here = np.flatnonzero((self._start < begin + length) & (self._left > 0))
            if len(here):
                yield self._slice(number, here, begin)
            number += 1

    def _slice(self, number: int, here: NDArray[np.int64], begin: float) -> SliceOf:
        size = len(here)
        done = _nothing(number, here)
        attribution = np.zeros((3, size, size))
        step = self._spec.slice_s / STEPS
        for part in range(STEPS):
            self._step(done, attribution, begin + part * step, step)
        for kind in range(3):
            self.cost[kind][np.ix_(here, here)] += attribution[kind]
            worst = attribution[kind].argmax(axis=1)
            found = attribution[kind][np.arange(size), worst] > 0
            done.suspects[found, kind] = here[worst[found]]
        return done

    def _step(self, done: SliceOf, attribution: Floats, at: float, step: float) -> None:
        here = done.jobs
        time = np.clip(at + step - np.maximum(self._start[here], at), 0, step)
        time[self._left[here] <= 0] = 0.0
        active = time > 0
        io, net, load, traffic, size, what = self._phases.at(here, self._clock[here])
        shares = np.array([io, net, 1 - io - net]) * active
        dose = self._doses(here, load * active, traffic * active, what, active)
        calm, hurt = self._calm(here, at, step), self._hurt(here, dose)
        stretch = np.where(active, (shares * calm * (1 + hurt)).sum(axis=0), 1.0)
        time = np.minimum(time, self._left[here] * stretch)
        moved = time / stretch
        lost = moved * shares * calm * hurt
        self._advance(here, at, time, moved, active)
        self._pace[here] = 1 / stretch
        for kind in range(3):
            whole = dose[kind].sum(axis=1)
            share = np.divide(lost[kind], whole, out=np.zeros_like(time), where=whole > 0)
            attribution[kind] += dose[kind] * share[:, None]
        done.alive_s += time
        done.lost += lost.T
        spent = moved * shares * calm * (1 + hurt)
        self._book(done, (load, traffic, size, what), spent, lost, moved)

    def _calm(self, here: NDArray[np.int64], at: float, step: float) -> Floats:
        """Return, for each resource, how many times longer noise, weather and faults make calls."""
        # The autocorrelation of noise halves after a slice, that of weather after ten.
        self._noise[:, here] = self._drifted(self._noise[:, here], 0.5 ** (1 / STEPS))
        self._weather = self._drifted(self._weather, 0.5 ** (0.1 / STEPS))
        own = np.exp(self._spec.noise * self._noise[:, here])
        sky = np.exp(self._spec.weather * self._weather)
        cores = np.ones(len(here))
        for fault in self._spec.faults:
            if fault.kind == "slow server" and fault.acts(at, at + step):
                sky[fault.mount] *= fault.size
            if fault.kind == "throttled node" and fault.acts(at, at + step):
                # The other processes of a job wait for its slowest.
                slow = [fault.where in self._participants[job].nodes for job in here]
                cores = np.maximum(cores, np.where(slow, 1 / fault.size, 1.0))
        return np.array([own[0] * sky[self._mount[here]], own[1] * sky[-1], cores])

    def _drifted(self, values: Floats, memory: float) -> Floats:
        fresh = self._rng.standard_normal(values.shape)
        drifted: Floats = memory * values + np.sqrt(1 - memory**2) * fresh
        return drifted

    def _hurt(self, here: NDArray[np.int64], dose: list[Floats]) -> Floats:
        """Return, for each resource, the relative slowdown of jobs by the load of other jobs."""
        on_mount = self._slowed(dose[0].sum(axis=1), self._mount[here])
        on_net = self._spec.harm * self._net_steep * dose[1].sum(axis=1)
        return np.array([on_mount, on_net, self._spec.harm * dose[2].sum(axis=1)])

    def _advance(
        self,
        here: NDArray[np.int64],
        at: float,
        time: Floats,
        moved: Floats,
        active: NDArray[np.bool_],
    ) -> None:
        """Advance the clocks of jobs, and note which have ended."""
        self._clock[here] += moved
        self._left[here] -= moved
        self._left[here[self._left[here] < 1e-9]] = 0.0
        ended = active & (self._left[here] <= 0)
        self.end_s[here[ended]] = (np.maximum(self._start[here], at) + time)[ended]

    def _book(
        self, done: SliceOf, asked: tuple[Floats, ...], spent: Floats, lost: Floats, moved: Floats
    ) -> None:
        """Add a step to the counters that the profiler would have recorded."""
        load, traffic, size, what = asked
        rows = np.arange(len(done.jobs))
        kind = what.astype(np.int64)
        ops = np.where(what == META, load * META_CAPACITY, load * CAPACITY / size) * moved
        done.io_s[rows, kind] += spent[0]
        done.ops[rows, kind] += ops
        done.moved[rows, kind] += np.where(what == META, 0.4 * ops, ops) * size
        done.net_s += spent[1]
        done.waited_s += lost[1]
        done.collectives += traffic * NET_CAPACITY / MESSAGE / self._processes[done.jobs] * moved
        done.cpu_s += spent[2] - lost[2]
        done.queued_s += lost[2]

    def _doses(
        self,
        here: NDArray[np.int64],
        load: Floats,
        traffic: Floats,
        what: Floats,
        active: NDArray[np.bool_],
    ) -> list[Floats]:
        """Return the load on each job (row) by each other job (column), by kind of resource."""
        served = load * self._pace[here] * self._harmful[here] * self._ease
        same = (self._mount[here][:, None] == self._mount[here]) & active[:, None]
        np.fill_diagonal(same, val=False)
        alike = (what[:, None] == META) == (what == META)
        on_mount = same * served * np.where(alike, 1.0, CROSS)
        others = active[:, None] & ~np.eye(len(here), dtype=bool)
        sent = traffic * self._pace[here] * self._ease * self._sends[here]
        on_net = others * self._sends[here][:, None] * sent
        room = (self._room[here][:, None] == self._room[here]) & others
        return [on_mount, on_net, room * (self._pressure[here] * active)]

    def _slowed(self, dose: Floats, mount: NDArray[np.int64]) -> Floats:
        """Return the relative slowdown of calls on file systems under a load."""
        steep, shape = self._steep[mount], self._shape[mount]
        slowed: Floats = self._spec.harm * steep * response(shape, dose)
        return slowed


def response(shape: NDArray[np.int64], dose: Floats) -> Floats:
    """Return the relative increase of request times under a load (the dose-response).

    Args:
        shape: Kind of increase: 0: linear, 1: linear above a threshold, 2: saturating.
        dose: Load on the file system by other jobs, as a share of its capacity.
    """
    answer: Floats = np.choose(
        shape, [dose, np.maximum(dose - 0.15, 0) * 1.4, 1.3 * dose / (0.6 + dose)]
    )
    return answer


@dataclass(frozen=True)
class _Phases:
    """The phases of all jobs as arrays, in which jobs with fewer phases are padded.

    Attributes:
        ends: Time on the job's clock at which a phase ends, (jobs, phases); inf: padding.
        cycle: Total length of all phases of a job.
        values: io, net, load, traffic, size and what of each phase, (6, jobs, phases).
    """

    ends: Floats
    cycle: Floats
    values: Floats

    def at(self, jobs: NDArray[np.int64], clock: Floats) -> Floats:
        """Return the six values of the phase in which each job currently is, (6, jobs)."""
        phase = (clock % self.cycle[jobs])[:, None] >= self.ends[jobs]
        found: Floats = self.values[:, jobs, np.minimum(phase.sum(axis=1), self.ends.shape[1] - 1)]
        return found


def _phase_tables(participants: Sequence[Participant]) -> _Phases:
    most = max(len(participant.program.phases) for participant in participants)
    ends = np.full((len(participants), most), np.inf)
    values = np.zeros((6, len(participants), most))
    for row, participant in enumerate(participants):
        phases = participant.program.phases
        ends[row, : len(phases)] = np.cumsum([phase.seconds for phase in phases])
        for place, phase in enumerate(phases):
            values[:, row, place] = (
                phase.io,
                phase.net,
                phase.load,
                phase.traffic,
                phase.size,
                phase.what,
            )
    cycle = np.array(
        [sum(phase.seconds for phase in participant.program.phases) for participant in participants]
    )
    return _Phases(ends, cycle, values)
