"""Stores the load of every job on a resource: its newest values, and its usual rate."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

#: Number of newest values of a load that do not count for its usual rate yet.
_REMEMBERED = 12
#: Number of slices, about, over which the usual rate of a load is averaged.
_MEMORY = 60
#: A load rises if it is more than this many times its usual rate.
_RISE = 1.5
#: Number of its slices without values after which a load is over.
_SILENT = 3


@dataclass
class Load:
    """The load of one job on one resource.

    Attributes:
        usual: Usual rate, without the newest values, per second.
        seen: Number of values from which the usual rate was estimated, limited by `_MEMORY`.
        slices: Number of all values.
        rises: Number of times that the load rose far above its usual rate.
        cores: If the resource is a node: the cores that the job may use; None: all.
    """

    usual: float = 0.0
    seen: int = 0
    slices: int = 0
    rises: int = 0
    cores: frozenset[int] | None = None
    _newest: deque[tuple[int, int, float]] = field(default_factory=lambda: deque())

    def add(self, start_ns: int, length_ns: int, amount: float) -> None:
        """Add the amount of a slice; amounts of the same slice are added up."""
        rate = amount / length_ns * 1e9
        if self._newest and self._newest[-1][0] == start_ns:  # a process of another node
            first = self._newest.pop()
            rate += first[2]
        else:
            self.slices += 1
            before = self._newest[-1][2] if self._newest else 0.0
            if rate > _RISE * max(self.usual, before) and rate > 0:
                self.rises += 1
        self._newest.append((start_ns, start_ns + length_ns, rate))
        if len(self._newest) > _REMEMBERED:
            old = self._newest.popleft()[2]
            self.seen = min(self.seen + 1, _MEMORY)
            self.usual += (old - self.usual) / self.seen

    @property
    def end_ns(self) -> int:
        """End of the newest slice, ns since the epoch; 0 without slices."""
        return self._newest[-1][1] if self._newest else 0

    def rate(self, from_ns: int, to_ns: int) -> float:
        """Return the mean rate in a span of time, per second.

        After the newest slice, its rate is assumed to continue for a few slices.

        Args:
            from_ns: Start of the span, ns since the epoch.
            to_ns: End of the span.
        """
        done, covered = 0.0, from_ns
        for start, end, rate in self._newest:
            low, high = max(start, from_ns), min(end, to_ns)
            if high > low:
                done += rate * (high - low)
                covered = max(covered, high)
        if self._newest and covered < to_ns:
            start, end, rate = self._newest[-1]
            if end <= covered < end + _SILENT * (end - start):
                done += rate * (min(to_ns, end + _SILENT * (end - start)) - covered)
        return done / max(to_ns - from_ns, 1)

    def before(self, at_ns: int) -> float:
        """Return the mean rate before an instant, from the stored values; 0: there was no load."""
        older = [rate for _, end, rate in self._newest if end <= at_ns]
        total = self.usual * self.seen + sum(older)
        return total / max(self.seen + len(older), 1)

    @property
    def chance(self) -> float:
        """Probability that the load rises in a slice by chance: the share in which it rose."""
        return (1 + self.rises) / (10 + self.slices)


@dataclass
class LoadBook:
    """The loads of all jobs on one resource.

    Attributes:
        jobs: Load of each job, by name of the job.
    """

    jobs: dict[str, Load] = field(default_factory=dict)

    def add(
        self,
        job: str,
        start_ns: int,
        length_ns: int,
        amount: float,
        cores: frozenset[int] | None = None,
    ) -> None:
        """Add a job's load in a slice.

        Args:
            job: Name of the job.
            start_ns: Start of the slice, ns since the epoch.
            length_ns: Length of the slice, in ns.
            amount: Amount of the load in the slice.
            cores: If the resource is a node: the cores that the job may have used; None: all.
        """
        load = self.jobs.setdefault(job, Load())
        load.cores = cores
        load.add(start_ns, length_ns, amount)

    def others(self, job: str) -> Iterator[tuple[str, Load]]:
        """Yield the name and the load of each job except the given one."""
        return ((name, load) for name, load in self.jobs.items() if name != job)

    def on_cores(self, cores: frozenset[int] | None) -> LoadBook:
        """Return the loads of the jobs that may use any of some cores; None: all cores."""
        near = {job: load for job, load in self.jobs.items() if overlap(load.cores, cores) > 0}
        return LoadBook(near)

    def forget(self, before_ns: int) -> None:
        """Remove the loads of jobs whose newest slice ended before an instant."""
        self.jobs = {job: load for job, load in self.jobs.items() if load.end_ns >= before_ns}


def overlap(theirs: frozenset[int] | None, mine: frozenset[int] | None) -> float:
    """Return the part of another job's load that may be on this job's cores, 0 to 1.

    Args:
        theirs: Cores that the other job may use; None: all.
        mine: Cores that this job may use; None: all.
    """
    if not theirs or not mine:
        return 1.0
    return len(theirs & mine) / len(theirs)
