"""Evaluates one running job slice by slice: its losses, changes and suspects.

The state that it stores for a job has a bounded size.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from jostle.analysis.live.change import Change
from jostle.analysis.live.iteration import Iterations, IterationStep
from jostle.analysis.live.loads import LoadBook, overlap
from jostle.analysis.live.model import Because, LiveAnswer, LiveChange, LiveSuspect, ResourceKind
from jostle.analysis.live.reasons import reason
from jostle.analysis.live.series import Series
from jostle.repository.query.live import CALLS, LiveJob, MountRow, NodeRow

#: Where jobs meet: kind and name.
ResourceKey = tuple[ResourceKind, str]
MESSAGES: ResourceKey = ("messages", "")

_TREND, _MOST_CHANGES = 40, 20
#: Part of the newest slices: a smaller loss counts as none now.
_NOTHING = 0.005
#: Number of slices over which the present loss is averaged.
_NOW = 3
#: Part of a process's time: calls that take less cannot cost a visible part of a run.
_LEAST_BUSY = 0.02
#: Fewest operations in a slice for a mean.
_LEAST_OPS = 3
#: Part of the time of its cores: if less is used, no other job made it wait for them.
_FULL = 0.7
#: Slices within which changes of two series have one cause.
_TOGETHER = 5


@dataclass(frozen=True)
class _Slow:
    """Run time that slower calls cost in a slice.

    Attributes:
        lost_s: Time that was lost to other jobs, in seconds.
        unexplained_s: Time that was lost for another or an unknown reason, in seconds.
    """

    lost_s: float = 0.0
    unexplained_s: float = 0.0

    @classmethod
    def of(cls, seconds: float, because: Because | None) -> _Slow:
        """Return seconds as a loss to other jobs if that is the reason, else as unexplained."""
        return cls(seconds) if because == "other jobs" else cls(0.0, seconds)


@dataclass
class _Place:
    """One resource that a job uses.

    Attributes:
        series: Time per unit of work on the resource over time, by activity.
        because: Why the resource is slow at present; None: it is not.
        suspects: Jobs that may have slowed it.
        idle: Whether no suspect has any load on the resource now. Then none of them is the present
            cause.
        lost: Loss in each of the newest slices, in seconds.
    """

    series: dict[str, Series] = field(default_factory=dict)
    because: Because | None = None
    suspects: tuple[LiveSuspect, ...] = ()
    idle: bool = False
    lost: deque[float] = field(default_factory=lambda: deque(maxlen=_NOW))

    def look(self, book: LoadBook | None, span: tuple[int, int]) -> None:
        """Set `idle` from the loads in a slice."""
        jobs = book.jobs if book else {}
        self.idle = self.because == "other jobs" and not any(
            each.job in jobs and jobs[each.job].rate(*span) > 0 for each in self.suspects
        )

    def cause(self) -> tuple[Because | None, tuple[LiveSuspect, ...]]:
        """Return why the resource is slow now, and the jobs that may slow it now."""
        return ("nobody known", ()) if self.idle else (self.because, self.suspects)


@dataclass
class JobState:
    """The state of one running job, updated slice by slice.

    Attributes:
        facts: Facts on the job.
        seen_ns: End of the newest slice that was evaluated.
        run_s: Length of the evaluated time, in seconds.
        lost_s: Time lost to other jobs so far, in seconds.
        unexplained_s: Further time that calls took longer than usual without a known cause, s.
    """

    facts: LiveJob
    seen_ns: int = 0
    run_s: float = 0.0
    lost_s: float = 0.0
    unexplained_s: float = 0.0
    _places: dict[ResourceKey, _Place] = field(default_factory=dict)
    _trend: deque[float] = field(default_factory=lambda: deque(maxlen=_TREND))
    _changes: deque[LiveChange] = field(default_factory=lambda: deque(maxlen=_MOST_CHANGES))
    _iterations: Iterations = field(default_factory=Iterations)

    def step(
        self,
        span: tuple[int, int],
        mounts: Sequence[MountRow],
        nodes: Sequence[NodeRow],
        books: Mapping[ResourceKey, LoadBook],
    ) -> list[LiveChange]:
        """Evaluate one slice; return the changes that it shows.

        Args:
            span: Start and end of the slice, ns since the epoch.
            mounts: Rows of the job in the slice, one per mount.
            nodes: Rows of the job in the slice, one per node.
            books: The loads of all jobs by resource, including this slice.
        """
        slice_s = (span[1] - span[0]) / 1e9
        found: list[LiveChange] = []
        files = [self._mount(row, span, books, found) for row in mounts]
        cores = max((self._node(row, span, books, found) for row in nodes), default=0.0)
        files_s = sum(sum(row.longest) for row in mounts)
        self._rest({row.mount for row in mounts}, {row.host for row in nodes})
        iteration = self._iteration(nodes, span, files_s, books, found)
        known = sum(slow.lost_s for slow in files) + cores
        lost = min(max(known, iteration.lost_s), slice_s)
        unknown = sum(slow.unexplained_s for slow in files)
        unexplained = min(max(unknown, iteration.unexplained_s - lost), slice_s - lost)
        self.run_s += slice_s
        self.lost_s = min(self.lost_s + lost, self.run_s)
        self.unexplained_s = min(self.unexplained_s + unexplained, self.run_s - self.lost_s)
        self._trend.append(100 * lost / slice_s)
        self._changes.extend(found)
        self.seen_ns = span[1]
        return found

    def answer(self) -> LiveAnswer:
        """Return the present results on the job."""
        facts = self.facts
        slice_s = facts.slice_ns / 1e9
        # A job that has ended loses nothing now.
        now = [] if facts.end_ns else list(self._trend)[-_NOW:]
        places = sorted(self._places.items(), key=lambda item: -sum(item[1].lost))
        key, place = places[0] if places else (MESSAGES, _Place())
        loses = bool(now) and sum(place.lost) > _NOTHING * slice_s * _NOW
        because, suspects = place.cause()
        series = [each for place in self._places.values() for each in place.series.values()]
        every = [each.present for each in (*series, self._iterations.series) if each.present]
        known = [detector.smallest for detector in every if not detector.learning]
        return LiveAnswer(
            job=facts.job,
            program=facts.program,
            uid=facts.uid,
            nodes=facts.nodes,
            start_ns=facts.start_ns,
            seen_ns=self.seen_ns,
            running=not facts.end_ns,
            run_s=self.run_s,
            lost_s=self.lost_s,
            unexplained_s=self.unexplained_s,
            now_percent=sum(now) / len(now) if now else 0.0,
            resource_kind=key[0] if loses else None,
            resource=key[1] if loses else "",
            suspects=suspects if loses else (),
            because=(because or "nobody known") if loses else None,
            trend=tuple(self._trend),
            changes=tuple(self._changes),
            learning=not known,
            smallest_percent=100 * min(known) if known else None,
        )

    def _place(self, key: ResourceKey) -> _Place:
        return self._places.setdefault(key, _Place())

    def _rest(self, mounts: set[str], hosts: set[str]) -> None:
        """Record a loss of 0 on mounts and nodes that the job did not use in the slice.

        Args:
            mounts: Mounts that the job used in the slice.
            hosts: Nodes that the job used in the slice.
        """
        for (kind, name), place in self._places.items():
            if kind != "messages" and name not in (mounts if kind == "file system" else hosts):
                place.lost.append(0.0)

    def _mount(
        self,
        row: MountRow,
        span: tuple[int, int],
        books: Mapping[ResourceKey, LoadBook],
        found: list[LiveChange],
    ) -> _Slow:
        """Evaluate the job's calls on a mount in a slice; return its loss on the mount.

        Args:
            row: What the job did on the mount.
            span: Start and end of the slice, ns since the epoch.
            books: The loads of all jobs by resource.
            found: List of changes; those that the slice shows are appended.
        """
        key: ResourceKey = ("file system", row.mount)
        place, count, lost = self._place(key), max(row.count, 1), 0.0
        slice_s = (span[1] - span[0]) / 1e9
        for at, call in enumerate(CALLS):
            ops, seconds = row.ops[at], row.seconds[at]
            # The ranks of an MPI job wait for the slowest of them.
            busy = row.longest[at] if self.facts.ranks > 1 else seconds / count
            if ops < _LEAST_OPS or busy < _LEAST_BUSY * slice_s:
                continue
            series = place.series.setdefault(call, Series())
            phase = round(math.log2(row.bytes[at] / ops + 1))
            step = series.add(phase, seconds / ops, busy)
            if step.change is not None:
                why = reason(books.get(key), self.facts.job, *_since(step.change, span))
                if not self._note(step.change, call, key, span, why, found):
                    series.accept()
                    continue
            lost += step.lost_s
        lost = min(lost, slice_s)
        place.lost.append(lost)
        place.look(books.get(key), span)
        return _Slow.of(lost, place.cause()[0])

    def _node(
        self,
        row: NodeRow,
        span: tuple[int, int],
        books: Mapping[ResourceKey, LoadBook],
        found: list[LiveChange],
    ) -> float:
        """Evaluate the job's waiting for cores on a node; return its loss to other jobs, s.

        The waiting is measured and divided among the jobs that used the cores at that time, so no
        usual time is needed for comparison.

        Args:
            row: What the job did on the node.
            span: Start and end of the slice, ns since the epoch.
            books: The loads of all jobs by resource.
            found: List of changes; those that the slice shows are appended.
        """
        key: ResourceKey = ("node", row.host)
        place, slice_s = self._place(key), (span[1] - span[0]) / 1e9
        book = books.get(key) or LoadBook()
        used = {
            name: load.rate(*span) * slice_s * overlap(load.cores, row.cores)
            for name, load in book.others(self.facts.job)
        }
        others = sum(used.values())
        if row.cores and row.cpu_s + others < _FULL * len(row.cores) * slice_s:
            others = 0.0  # its cores were not full: the waiting has another reason
        threads = max(row.awake, (row.cpu_s + row.queue_s) / slice_s, 1.0)
        share = others / (others + row.cpu_s) if others > 0 else 0.0
        lost = min(row.queue_s / threads * share, slice_s)
        place.lost.append(lost)
        if others > 0:
            place.because = "other jobs"
            place.suspects = tuple(
                LiveSuspect(name, cpu / others, cpu / others)
                for name, cpu in sorted(used.items(), key=lambda item: (-item[1], item[0]))[:5]
                if cpu > 0
            )
        else:
            place.because, place.suspects = "nobody known", ()
        if row.cpu_s >= _LEAST_BUSY * slice_s * max(row.count, 1):
            series = place.series.setdefault("waiting for cores", Series())
            dilation = (row.cpu_s + row.queue_s) / row.cpu_s
            change = series.add(0, dilation, row.queue_s / threads).change
            if change is not None:
                why = reason(book.on_cores(row.cores), self.facts.job, *_since(change, span))
                if not self._note(change, "waiting for cores", key, span, why, found):
                    series.accept()
        return lost

    def _iteration(
        self,
        nodes: Sequence[NodeRow],
        span: tuple[int, int],
        files_s: float,
        books: Mapping[ResourceKey, LoadBook],
        found: list[LiveChange],
    ) -> _Slow:
        """Evaluate the MPI calls of a slice; return the time that longer iterations cost.

        Args:
            nodes: Rows of the job in the slice, one per node.
            span: Start and end of the slice, ns since the epoch.
            files_s: Time of the slowest rank in file calls, in seconds.
            books: The loads of all jobs by resource.
            found: List of changes; those that the slice shows are appended.
        """
        if span[0] < self.facts.start_ns:  # incomplete slices are left out
            return _Slow()
        place, slice_s = self._place(MESSAGES), (span[1] - span[0]) / 1e9
        step = self._iterations.take(nodes, self.facts.ranks, slice_s, files_s)
        if step.change is not None:
            key, why = self._why_iteration(step, span, nodes, books, found)
            noted = self._note(step.change, "iteration", key, span, why, found)
            place.because, place.suspects = why if noted else (None, ())
            if not noted:
                self._iterations.accept()
                place.lost.append(0.0)
                return _Slow()
        # The loss to files and cores is not counted again for messages.
        place.lost.append(step.lost_s if self._is_of_messages() else 0.0)
        return _Slow.of(step.lost_s, place.because)

    def _is_of_messages(self) -> bool:
        return not any(
            sum(place.lost) > 0 for key, place in self._places.items() if key != MESSAGES
        )

    def _why_iteration(
        self,
        step: IterationStep,
        span: tuple[int, int],
        nodes: Sequence[NodeRow],
        books: Mapping[ResourceKey, LoadBook],
        found: Sequence[LiveChange],
    ) -> tuple[ResourceKey, tuple[Because, tuple[LiveSuspect, ...]]]:
        """Return on which resource iterations became longer, the reason, and the suspects."""
        assert step.change is not None
        if step.change.kind != "slower":
            return MESSAGES, ("it is over", ())
        near = span[1] - (_TOGETHER + step.change.slices) * (span[1] - span[0])
        for earlier in (*reversed(found), *reversed(self._changes)):
            is_slower = earlier.kind == "slower" and earlier.what != "iteration"
            if is_slower and earlier.found_ns >= near and earlier.because == "other jobs":
                key: ResourceKey = (earlier.resource_kind, earlier.resource)
                return key, (earlier.because, earlier.suspects)
        since = _since(step.change, span)
        if step.grown == "messages":
            return MESSAGES, reason(books.get(MESSAGES), self.facts.job, *since)
        if step.grown == "work":
            for row in nodes:  # others' computing there may slow the job's own
                why = reason(books.get(("node", row.host)), self.facts.job, *since)
                if why[0] == "other jobs":
                    return ("node", row.host), why
        return MESSAGES, ("own change of phase", ())

    def _note(
        self,
        change: Change,
        what: str,
        key: ResourceKey,
        span: tuple[int, int],
        why: tuple[Because, tuple[LiveSuspect, ...]],
        found: list[LiveChange],
    ) -> bool:
        """Append a change to `found`; return False if its reason is different work of the job."""
        because, suspects = why
        if change.kind != "slower":
            because, suspects = ("it is over" if change.kind == "over" else "it is faster"), ()
        place = self._place(key)
        if key[0] == "file system":
            place.because, place.suspects = (None, ()) if change.kind != "slower" else why
        percent = 100 * (change.ratio - 1)
        since = _since(change, span)[0]
        found.append(
            LiveChange(since, span[1], change.kind, what, *key, percent, because, suspects)
        )
        return because != "own change of phase"


def _since(change: Change, span: tuple[int, int]) -> tuple[int, int]:
    """Return when a change began, and the end of the slice that showed it, in ns."""
    return span[1] - change.slices * (span[1] - span[0]), span[1]
