"""Simulates the jobs of a site, slice by slice, and how they slow each other.

As in injected/contention.py, every job has a clock that runs slower while other jobs load what it
uses. Here the loads on a file system are summed, so that thousands of jobs can run at a time. So
the truth states how much the injected aggressors cost each job, but not how much other jobs did.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jostle_lab.synthetic.injected.contention import CROSS, response
from jostle_lab.synthetic.site.faults import Acting, draw_faults
from jostle_lab.synthetic.site.mix import JobMix
from jostle_lab.synthetic.site.programs import META, Phase, longest
from jostle_lab.synthetic.site.schedule import Scheduler
from jostle_lab.synthetic.site.spec import SiteSpec

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_HOUR_NS = 3_600_000_000_000
#: The columns of `Interval.facts`: a job's activity in a slice.
WORK, IO, NET, CPU, ALIVE, WAITED = range(6)
_NOISE, _WEATHER, _NET_STEEP = 0.10, 0.04, 0.25


@dataclass(frozen=True)
class Interval:
    """The activity of all jobs in some slices; one entry per job and slice, by slice.

    Attributes:
        first: Number of the interval's first slice since the site's start.
        count: Number of slices in the interval.
        job: Number of the job of each entry.
        slice: Number of the slice, from 0.
        phase: Number of the phase, over all programs.
        facts: Seconds of a process: of progress (WORK), in calls on files, in communication,
            computing, alive, and waiting for others longer than usual; (entries, 6).
        started: Jobs that began in the interval.
        ended: Jobs that ended in the interval.
    """

    first: int
    count: int
    job: Ints
    slice: Ints
    phase: Ints
    facts: Floats
    started: list[int]
    ended: list[int]


class Course:
    """The simulation of all jobs; iterate over `run`.

    Attributes:
        start_s: Start of each job, s after the site's start; inf: the job has not begun.
        end_s: End of each job, s after the site's start; inf: the job has not ended.
        killed: Whether each job ended because one of its nodes went down.
        nodes: Nodes of the jobs that have begun.
        faults: Injected faults.
        acting: Times at which the faults act.
        lost_s: Seconds that each job lost to all other jobs: on file systems (row 0) and on the
            network (row 1), (2, jobs).
        attributed_s: Seconds that each injected aggressor cost each job, (aggressors, jobs).
    """

    def __init__(self, spec: SiteSpec, jobs: JobMix) -> None:
        self._spec, self._jobs = spec, jobs
        self._draw = np.random.default_rng([spec.seed, 2])
        count = len(jobs)
        self.start_s, self.end_s = np.full(count, np.inf), np.full(count, np.inf)
        self.killed = np.zeros(count, bool)
        self.nodes: dict[int, Ints] = {}
        self.faults = draw_faults(spec)
        self.acting = Acting(spec, self.faults)
        self.lost_s = np.zeros((2, count))
        self.attributed_s = np.zeros((spec.aggressors, count))
        self._clock, self._left = jobs.turn_s.copy(), jobs.work_s.copy()
        self._pace = np.ones(count)
        self._noise = self._draw.standard_normal((2, count))
        self._weather = self._draw.standard_normal(spec.file_systems)
        self.shape = self._draw.integers(3, size=spec.file_systems)
        self.steep = self._draw.uniform(0.9, 1.8, size=spec.file_systems)
        self._scheduler = Scheduler(jobs, spec.nodes, spec.reserved)
        self.phases: list[Phase] = [each for program in jobs.programs for each in program.phases]
        self._tables(spec)

    def _tables(self, spec: SiteSpec) -> None:
        programs = self._jobs.programs
        self._ends = np.full((len(programs), longest(programs)), np.inf)
        for row, program in enumerate(programs):
            ends = np.cumsum([phase.seconds for phase in program.phases])
            self._ends[row, : len(ends)] = ends
        self._cycle = np.array([program.cycle_s for program in programs])
        self._first_phase = np.cumsum([0, *(len(program.phases) for program in programs[:-1])])
        self._shares = np.array([[phase.io, phase.net] for phase in self.phases]).T
        self._meta = np.array([phase.what == META for phase in self.phases])
        self._rate = np.array(
            [
                phase.rate / (spec.meta_capacity if phase.what == META else spec.capacity)
                for phase in self.phases
            ]
        )
        root = np.array([program.writers == "root" for program in programs])
        self._spread = np.where(root[self._jobs.program], 1, self._jobs.nodes)

    def run(self) -> Iterator[Interval]:
        """Simulate all slices; yield an interval for each commit of the site's ingester."""
        spec = self._spec
        per_commit = max(1, round(spec.commit_s / spec.slice_s))
        begin = 0
        while begin < spec.slices:
            at_ns = (spec.first_slice + begin) * spec.slice_ns
            to_hour = -(-(_HOUR_NS - at_ns % _HOUR_NS) // spec.slice_ns)
            # The next commit is at the time at which it would be if all intervals had the full
            # length.
            count = min(per_commit - begin % per_commit, spec.slices - begin, to_hour)
            yield self._interval(begin, count)
            begin += count

    def _interval(self, begin: int, count: int) -> Interval:
        parts, started, ended = [], [], []
        for number in range(begin, begin + count):
            ended += self._reboot(number * self._spec.slice_s)
            started += self._start(number * self._spec.slice_s)
            here = np.flatnonzero((self.start_s < np.inf) & (self.end_s == np.inf))
            if len(here):
                parts.append((number, *self._slice(here, number * self._spec.slice_s)))
            for job in here[self.end_s[here] < np.inf].tolist():
                self._scheduler.release(job)
                ended.append(job)
        sizes = [len(part[1]) for part in parts]
        nothing: list[Ints] = [np.zeros(0, np.int64)]
        return Interval(
            begin,
            count,
            np.concatenate([part[1] for part in parts] or nothing),
            np.repeat(np.array([part[0] for part in parts], np.int64), sizes),
            np.concatenate([part[2] for part in parts] or nothing),
            np.concatenate([part[3] for part in parts] or [np.zeros((0, 6))]),
            started,
            ended,
        )

    def _reboot(self, at: float) -> list[int]:
        """Take nodes down, which ends their jobs; bring other nodes back."""
        for node in self.acting.returning(at):
            self._scheduler.restore(node)
        killed = []
        for node in self.acting.reboots(at):
            job = self._scheduler.withdraw(node)
            if job is not None:
                self.end_s[job], self.killed[job] = at, True
                killed.append(job)
        return killed

    def _start(self, at: float) -> list[int]:
        started = self._scheduler.start(at)
        for job in started:
            self.start_s[job] = at + self._draw.uniform(0, 0.9) * self._spec.slice_s
            self.nodes[job] = self._scheduler.nodes[job]
        return started

    def _slice(self, here: Ints, at: float) -> tuple[Ints, Ints, Floats]:
        """Advance all jobs by a slice; return the jobs, their phases and their activity."""
        jobs, length = self._jobs, self._spec.slice_s
        program, mount = jobs.program[here], jobs.mount[here]
        place = (self._clock[here] % self._cycle[program])[:, None] >= self._ends[program]
        phase = self._first_phase[program] + place.sum(axis=1)
        io, net = self._shares[:, phase]
        meta = self._meta[phase]
        alive = np.minimum(length, at + length - self.start_s[here])
        load = self._rate[phase] * self._spread[here] * self._pace[here]
        hurt_io = self.steep[mount] * response(self.shape[mount], self._dose(mount, load, meta))
        hurt_net = _NET_STEEP * self._net_dose(here, net)
        calm_io, calm_net = self._calm(here, mount, at)
        slow_io, slow_net = calm_io * (1 + hurt_io), calm_net * (1 + hurt_net)
        slow_cpu = self._throttled(here, at)
        stretch = (1 - io - net) * slow_cpu + io * slow_io + net * slow_net
        limit = self.start_s[here] + jobs.limit_s[here]
        time = np.minimum(alive, np.minimum(self._left[here] * stretch, np.maximum(limit - at, 0)))
        moved = time / stretch
        self._clock[here] += moved
        self._left[here] -= moved
        self._pace[here] = 1 / stretch
        over = time < alive - 1e-9
        begin = np.maximum(self.start_s[here], at)
        self.end_s[here[over]] = (begin + time)[over]
        lost_io, lost_net = moved * io * calm_io * hurt_io, moved * net * calm_net * hurt_net
        self.lost_s[0, here] += lost_io
        self.lost_s[1, here] += lost_net
        self._attribution(here, mount, load, meta, lost_io)
        facts = np.stack(
            [
                moved,
                moved * io * slow_io,
                moved * net * slow_net,
                moved * (1 - io - net) * slow_cpu,
                time,
                lost_net,
            ],
            axis=1,
        )
        return here, phase, facts

    def _dose(self, mount: Ints, load: Floats, meta: NDArray[np.bool_]) -> Floats:
        """Return the load by other jobs on each job's file system."""
        fields = self._spec.file_systems
        data = np.bincount(mount, np.where(meta, 0, load), fields)[mount] - np.where(meta, 0, load)
        names = np.bincount(mount, np.where(meta, load, 0), fields)[mount] - np.where(meta, load, 0)
        dose: Floats = np.where(meta, names + CROSS * data, data + CROSS * names)
        return np.maximum(dose, 0)

    def _net_dose(self, here: Ints, net: Floats) -> Floats:
        """Return other jobs' load on the links between switches, as a share of the capacity."""
        size = self._jobs.nodes[here]
        sent = net * np.where(size > 1, size, 0) / self._spec.nodes
        dose: Floats = np.where(size > 1, sent.sum() - sent, 0.0)
        return dose

    def _calm(self, here: Ints, mount: Ints, at: float) -> tuple[Floats, Floats]:
        """Return the factor by which noise, weather and slow servers prolong calls."""
        fresh = self._draw.standard_normal((2, len(here)))
        self._noise[:, here] = 0.5 * self._noise[:, here] + 0.866 * fresh
        sky = self._draw.standard_normal(len(self._weather))
        self._weather = 0.933 * self._weather + 0.36 * sky
        own = np.exp(_NOISE * self._noise[:, here])
        served = self.acting.servers(at) * np.exp(_WEATHER * self._weather)
        return own[0] * served[mount], own[1]

    def _throttled(self, here: Ints, at: float) -> Floats:
        """Return how many times longer jobs compute, as they wait for their slowest node."""
        slow = np.ones(len(here))
        for node, left in self.acting.throttled(at):
            on_it = np.array([node in self.nodes[job] for job in here.tolist()], bool)
            slow = np.maximum(slow, np.where(on_it, 1 / left, 1.0))
        return slow

    def _attribution(
        self, here: Ints, mount: Ints, load: Floats, meta: NDArray[np.bool_], lost: Floats
    ) -> None:
        """Record the time that injected aggressors cost other jobs."""
        dose = self._dose(mount, load, meta)
        for place in np.flatnonzero(self._jobs.aggressor[here]).tolist():
            number = int(self._jobs.injected[here[place]])
            same = (mount == mount[place]) & (dose > 0)
            same[place] = False
            weight = np.where(meta == meta[place], 1.0, CROSS) * load[place]
            part = np.divide(weight, dose, out=np.zeros(len(here)), where=same)
            self.attributed_s[number, here] += lost * part
