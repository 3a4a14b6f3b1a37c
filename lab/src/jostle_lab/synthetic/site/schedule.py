"""Schedules jobs on nodes: first come, first served, with backfill (EASY)."""

from __future__ import annotations

from bisect import insort

import numpy as np
from numpy.typing import NDArray

from jostle_lab.synthetic.site.mix import JobMix

Ints = NDArray[np.int64]
_DEPTH = 60  # jobs after the first that are tried


class Scheduler:
    """The nodes of a site and its queue.

    By the time limits of the running jobs, the first job of the queue is promised the earliest time
    at which enough nodes will be free. Jobs behind it start earlier only if they do not delay it.
    """

    def __init__(self, jobs: JobMix, nodes: int, reserved: int) -> None:
        self._jobs = jobs
        self._free = [np.ones(nodes - reserved, bool), np.ones(reserved, bool)]
        self._offset = [0, nodes - reserved]
        self._queue: list[int] = []
        self._next = 0
        self._ends: list[tuple[float, int]] = []  # by time limit: (when, job)
        self.nodes: dict[int, Ints] = {}

    @property
    def waiting(self) -> int:
        """Jobs in the queue."""
        return len(self._queue)

    def release(self, job: int) -> None:
        """Return the nodes of a job to the free ones."""
        injected = int(self._jobs.injected[job] >= 0)
        places = self.nodes.pop(job) - self._offset[injected]
        self._free[injected][places] = True
        self._ends = [entry for entry in self._ends if entry[1] != job]

    def withdraw(self, node: int) -> int | None:
        """Take a node that no injected job uses out of service; return the job that ran on it."""
        job = next((job for job, nodes in self.nodes.items() if node in nodes), None)
        if job is not None:
            self.release(job)
        self._free[0][node] = False
        return job

    def restore(self, node: int) -> None:
        """Return a node to service."""
        self._free[0][node] = True

    def start(self, now: float) -> list[int]:
        """Start all jobs that can start now, and return them; `nodes` then has their nodes."""
        jobs, started = self._jobs, []
        while self._next < len(jobs) and jobs.submit_s[self._next] <= now:
            job, self._next = self._next, self._next + 1
            if jobs.injected[job] >= 0:
                if self._take(job, 1):
                    started.append(job)
            else:
                self._queue.append(job)
        while self._queue and self._take(self._queue[0], 0):
            started.append(self._begin(0, now))
        if not self._queue:
            return started
        shadow, spare = self._promise(now)
        place = 1
        for _ in range(min(_DEPTH, len(self._queue) - 1)):
            job = self._queue[place]
            size = int(jobs.nodes[job])
            ends_before = now + jobs.limit_s[job] <= shadow
            if (ends_before or size <= spare) and self._take(job, 0):
                spare -= 0 if ends_before else size
                started.append(self._begin(place, now))
            else:
                place += 1
        return started

    def _begin(self, place: int, now: float) -> int:
        job = self._queue.pop(place)
        insort(self._ends, (now + float(self._jobs.limit_s[job]), job))
        return job

    def _take(self, job: int, where: int) -> bool:
        free = self._free[where]
        wanted = int(self._jobs.nodes[job])
        places = np.flatnonzero(free)[:wanted]
        if len(places) < wanted:
            return False
        free[places] = False
        self.nodes[job] = places + self._offset[where]
        return True

    def _promise(self, now: float) -> tuple[float, int]:
        """Return the latest start of the queue's first job, and the number of spare nodes then."""
        wanted, free = int(self._jobs.nodes[self._queue[0]]), int(self._free[0].sum())
        for when, job in self._ends:
            free += int(self._jobs.nodes[job])
            if free >= wanted:
                return max(when, now), free - wanted
        return float("inf"), 0
