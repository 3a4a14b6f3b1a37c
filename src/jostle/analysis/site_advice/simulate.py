"""Simulates a scheduler: jobs wait for cores and licences, and slow each other while they run.

Jobs start in the order of their arrival. Later jobs may overtake a job that waits for cores if they
do not delay it, as with EASY backfill (Mu'alem and Feitelson, 2001). A job that waits for a licence
holds back only later jobs that need the same licence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.site_advice.replay_model import Load

Floats = NDArray[np.float64]

#: Least part of its speed that a job has, whatever the number of concurrent jobs.
_LEAST_SPEED = 0.05
_SOON_S = 1e-6


@dataclass(frozen=True)
class Rates:
    """How much time jobs of each program lose while a job of each other program runs.

    Attributes:
        place: Index of each program in `lost`.
        lost: Part of its time that a job loses while one job of another program runs, shape
            (programs, programs). The row is the other program, the column the losing program.
    """

    place: Mapping[str, int]
    lost: Floats


def simulate(
    loads: Sequence[Load], rates: Rates, cores: float, totals: Mapping[str, float]
) -> tuple[Floats, Floats]:
    """Return when each job starts, and when each job ends, s since the epoch.

    Args:
        loads: The jobs, in the order of their arrival.
        rates: How much time the jobs' programs lose to each other.
        cores: Number of cores of the site. A job that requests more than this gets all cores.
        totals: How many of each licence exist. A job that requests more than this gets all.
    """
    site = _Site(loads, rates, cores, dict(totals))
    arrived, now_s = 0, loads[0].at_s if loads else 0.0
    while arrived < len(loads) or site.running:
        until_s = site.next_end(now_s)
        if arrived < len(loads):
            until_s = min(until_s, loads[arrived].at_s)
        site.work(until_s - now_s)
        now_s = max(now_s, until_s)
        while arrived < len(loads) and loads[arrived].at_s <= now_s:
            site.waiting.append(arrived)
            arrived += 1
        site.end_finished(now_s)
        site.start_waiting(now_s)
    return site.starts, site.ends


@dataclass
class _Site:
    """The state of the simulation at one instant.

    Attributes:
        loads: All jobs.
        rates: How much time the jobs' programs lose to each other.
        free: Number of free cores.
        licences: Number of free licences, by name.
        running: Indices in `loads` of the running jobs.
        waiting: Indices in `loads` of the waiting jobs.
    """

    loads: Sequence[Load]
    rates: Rates
    free: float
    licences: dict[str, float]
    running: list[int] = field(default_factory=list)
    waiting: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.left = np.array([load.work_s for load in self.loads], dtype=float)
        self.cores = np.array([min(load.cores, self.free) for load in self.loads], dtype=float)
        self.programs = [self.rates.place[load.program] for load in self.loads]
        self.needs = [
            {
                name: min(much, self.licences[name])
                for name, much in load.needs.items()
                if name in self.licences
            }
            for load in self.loads
        ]
        self.counts = np.zeros(len(self.rates.place))
        self.starts = np.full(len(self.loads), np.nan)
        self.ends = np.full(len(self.loads), np.nan)

    def _speeds(self) -> Floats:
        """Return the speed of each running job; 1 is the speed of a job that runs alone."""
        lost = self.counts @ self.rates.lost - np.diag(self.rates.lost)
        speeds: Floats = np.clip(1 - lost, _LEAST_SPEED, 1.0)[
            [self.programs[each] for each in self.running]
        ]
        return speeds

    def next_end(self, now_s: float) -> float:
        """Return when the next job ends at the present speeds; infinity if no job runs."""
        if not self.running:
            return float("inf")
        return now_s + float((self.left[self.running] / self._speeds()).min())

    def work(self, seconds: float) -> None:
        """Let the running jobs work for a number of seconds, each at its present speed."""
        if self.running and seconds > 0:
            self.left[self.running] -= seconds * self._speeds()

    def end_finished(self, now_s: float) -> None:
        """End the jobs that have completed their work."""
        for each in [each for each in self.running if self.left[each] <= _SOON_S]:
            self.running.remove(each)
            self.ends[each] = now_s
            self.free += self.cores[each]
            self.counts[self.programs[each]] -= 1
            for name, much in self.needs[each].items():
                self.licences[name] += much

    def start_waiting(self, now_s: float) -> None:
        """Start the waiting jobs for which cores and licences are free, by the module's rules."""
        scarce: set[str] = set()
        shadow_s, spare, left = float("inf"), float("inf"), []
        for each in self.waiting:
            needs, cores = self.needs[each], self.cores[each]
            has = not needs.keys() & scarce
            has = has and all(self.licences[name] >= much for name, much in needs.items())
            if not has:
                scarce |= needs.keys()
            passes = cores <= spare or now_s + self.left[each] <= shadow_s
            if has and cores <= self.free and passes:
                self._start(each, now_s)
                if now_s + self.left[each] > shadow_s:
                    spare -= cores
                continue
            if has and shadow_s == float("inf"):
                shadow_s, spare = self._reserve(cores, now_s)
            left.append(each)
        self.waiting = left

    def _start(self, each: int, now_s: float) -> None:
        self.running.append(each)
        self.starts[each] = now_s
        self.free -= self.cores[each]
        self.counts[self.programs[each]] += 1
        for name, much in self.needs[each].items():
            self.licences[name] -= much

    def _reserve(self, cores: float, now_s: float) -> tuple[float, float]:
        """Return when a number of cores will be free, and how many further cores will be then."""
        free = self.free
        ends = now_s + self.left[self.running] / self._speeds()
        for place in np.argsort(ends, kind="stable").tolist():
            free += self.cores[self.running[place]]
            if free >= cores:
                return float(ends[place]), free - cores
        return now_s, free - cores
