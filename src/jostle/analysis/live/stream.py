"""Evaluates the slices of all running jobs as they arrive, with one state per job."""

from __future__ import annotations

from collections import defaultdict

from jostle.analysis.live.job import MESSAGES, JobState, ResourceKey
from jostle.analysis.live.loads import LoadBook
from jostle.analysis.live.model import LiveAnswer, LiveChange
from jostle.repository.query.live import LiveJob, LiveRows, MountRow, NodeRow

#: Bytes that a file operation counts for in addition to those it moves, as in `identify`.
_OPERATION = 4096
#: Time for which a job is shown after its end or its last rows, ns.
_SHOWN_NS = 60_000_000_000
#: Time without rows after which a load is removed, ns.
_FORGOTTEN_NS = 600_000_000_000

_Row = MountRow | NodeRow


class LiveStream:
    """The evaluation of all running jobs, with one state per job.

    A slice is evaluated one slice length after its end. By then all nodes of the job, and the other
    jobs that ran at the same time, have sent their rows. Rows that arrive later are left out here;
    the evaluation after the end of the job includes them. The results do not depend on how rows are
    divided among calls of `take`.
    """

    def __init__(self) -> None:
        """Create an evaluation without rows."""
        self.jobs: dict[str, JobState] = {}
        self.newest_ns = 0
        self._books: dict[ResourceKey, LoadBook] = {}
        self._waiting: dict[tuple[str, str, int, type], _Row] = {}
        self._done: dict[str, int] = {}

    def since_ns(self) -> int:
        """Return from which instant on rows are needed, ns since the epoch; 0: from the start."""
        longest = max((state.facts.slice_ns for state in self.jobs.values()), default=0)
        return max(self.newest_ns - 3 * longest, 0)

    def take(self, rows: LiveRows) -> list[tuple[str, LiveChange]]:
        """Add rows and evaluate the slices that are complete now.

        Args:
            rows: New rows; some of them may have been added already.

        Returns:
            The name of the job and the change, for each change that was found.
        """
        self.newest_ns = max(self.newest_ns, rows.newest_ns)
        facts = {job.job: job for job in rows.jobs}
        every: list[_Row] = [*rows.mounts, *rows.nodes]
        for row in every:
            if row.start_ns > self._done.get(row.job, -1):
                place = row.mount if isinstance(row, MountRow) else row.host
                self._waiting[row.job, place, row.start_ns, type(row)] = row
        for name, job in facts.items():
            if name in self.jobs:
                self.jobs[name].facts = job
        due: dict[int, list[_Row]] = defaultdict(list)
        for key, row in list(self._waiting.items()):
            over = row.job in facts and facts[row.job].end_ns
            if row.start_ns + 2 * row.length_ns <= self.newest_ns or over:
                due[row.start_ns + row.length_ns].append(row)
                del self._waiting[key]
        found = []
        for end in sorted(due):
            for row in due[end]:
                self._load(row)
            found += self._step(due[end], facts)
        self._forget()
        return found

    def answers(self) -> list[LiveAnswer]:
        """Return the present results on each job, the job that loses most first."""
        found = [state.answer() for state in self.jobs.values()]
        return sorted(found, key=lambda each: (-each.now_percent, -each.lost_s, each.job))

    def load_on(self, key: ResourceKey, span: tuple[int, int]) -> dict[str, float]:
        """Return the mean load of each job on a resource in a span of time.

        Args:
            key: Kind and name of the resource.
            span: Start and end of the span, ns since the epoch.

        Returns:
            The load by name of the job: bytes per second for file systems and messages, cores in
            use for nodes.
        """
        book = self._books.get(key, LoadBook())
        rates = {name: load.rate(*span) for name, load in book.jobs.items()}
        return {name: rate for name, rate in rates.items() if rate > 0}

    def resources(self) -> list[ResourceKey]:
        """Return kind and name of the resources on which there is any load."""
        return sorted(self._books)

    def _load(self, row: _Row) -> None:
        """Add what a job did in a slice to the loads on its resources."""
        where = (row.job, row.start_ns, row.length_ns)
        if isinstance(row, MountRow):
            amount = float(sum(row.bytes) + _OPERATION * sum(row.ops))
            self._book(("file system", row.mount)).add(*where, amount)
            return
        self._book(("node", row.host)).add(*where, row.cpu_s, row.cores)
        if row.mpi_bytes:
            self._book(MESSAGES).add(*where, float(row.mpi_bytes))

    def _book(self, key: ResourceKey) -> LoadBook:
        return self._books.setdefault(key, LoadBook())

    def _step(self, rows: list[_Row], facts: dict[str, LiveJob]) -> list[tuple[str, LiveChange]]:
        """Evaluate the slices of all jobs that end at one instant."""
        of_job: dict[tuple[str, int, int], list[_Row]] = defaultdict(list)
        for row in rows:
            if row.count:  # else load without a profile
                of_job[row.job, row.start_ns, row.start_ns + row.length_ns].append(row)
            else:
                self._done[row.job] = row.start_ns
        found = []
        for (job, start, end), mine in sorted(of_job.items()):
            state = self.jobs.get(job)
            if state is None:
                state = self.jobs[job] = JobState(facts.get(job, LiveJob(job)))
            mounts = [row for row in mine if isinstance(row, MountRow)]
            nodes = [row for row in mine if isinstance(row, NodeRow)]
            self._done[job] = start
            found += [(job, each) for each in state.step((start, end), mounts, nodes, self._books)]
        return found

    def _forget(self) -> None:
        """Remove jobs that have ended, and loads without recent rows."""
        for name, state in list(self.jobs.items()):
            silent = self.newest_ns - state.seen_ns
            if silent > _SHOWN_NS + 20 * state.facts.slice_ns or (
                state.facts.end_ns and silent > _SHOWN_NS
            ):
                del self.jobs[name]
        for book in self._books.values():
            book.forget(self.newest_ns - _FORGOTTEN_NS)
        self._books = {key: book for key, book in self._books.items() if book.jobs}
        if len(self._done) > 2 * len(self.jobs) + 1000:
            oldest = self.newest_ns - _FORGOTTEN_NS
            self._done = {job: start for job, start in self._done.items() if start > oldest}
