"""The state of a site under simulation: its jobs, their progress and their processes' metrics."""

from __future__ import annotations

from jostle_lab.synthetic.site.block import Block, Chance, blocks
from jostle_lab.synthetic.site.course import Course, Interval
from jostle_lab.synthetic.site.metrics import Rates
from jostle_lab.synthetic.site.mix import draw_jobs
from jostle_lab.synthetic.site.processes import Ranks, ranks_of
from jostle_lab.synthetic.site.spec import SiteSpec

_MOST_ROWS = 400_000  # of a file of slices


class SiteRun:
    """A site under simulation: its jobs, their progress and their processes.

    Attributes:
        spec: Specification of the site.
        jobs: The site's jobs.
        course: The simulation of the jobs.
        rates: Rates of all metrics.
        ranks: Processes of the jobs that run, by number of the job.
        process_slices: Number of process-slices so far.
    """

    def __init__(self, spec: SiteSpec) -> None:
        self.spec, self.jobs = spec, draw_jobs(spec)
        self.course = Course(spec, self.jobs)
        self.rates = Rates(self.jobs.programs, spec.processes_per_node, pmu=spec.pmu)
        self.ranks: dict[int, Ranks] = {}
        self.process_slices = 0
        self._chance = Chance(spec.seed)

    def begin(self, interval: Interval) -> list[Block]:
        """Return the blocks of an interval."""
        for job in interval.started:
            start_s, nodes = float(self.course.start_s[job]), self.course.nodes[job]
            boots = self.course.acting.boots(nodes, start_s)
            self.ranks[job] = ranks_of(self.spec, self.jobs, job, nodes, boots, self.ns(start_s))
        self._chance.begin(self.spec.seed, interval.first)
        made = blocks(interval, self.ranks, self.rates, self._chance, _MOST_ROWS)
        self.process_slices += sum(len(block) for block in made)
        return made

    def end_of(self, job: int) -> tuple[int, str]:
        """Return a job's end (ns since the epoch; 0: it runs) and its reason, as in profiles."""
        end_s = float(self.course.end_s[job])
        if end_s == float("inf"):
            return 0, ""
        reason = "abort" if self.jobs.fails[job] else "exit"
        return self.ns(end_s), "killed" if self.course.killed[job] else reason

    def ns(self, seconds: float) -> int:
        """Convert simulated seconds to ns since the epoch."""
        return self.spec.first_slice * self.spec.slice_ns + round(seconds * 1e9)

    def close(self) -> None:
        """Finish when the simulated time is over."""
