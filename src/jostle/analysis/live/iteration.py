"""Watches how long the iterations of a running MPI job take, and which part became longer."""

from __future__ import annotations

import math
from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from jostle.analysis.live.change import Change
from jostle.analysis.live.series import Series
from jostle.repository.query.live import NodeRow

#: Which part of an iteration has grown: computing, time in MPI, or neither.
Grown = Literal["work", "messages", "neither"]

#: Fewest calls in a slice for a mean.
_LEAST_CALLS = 20
#: Least part of a slice outside file calls for an estimate of the length of iterations.
_LEAST_LEFT = 0.3
#: Newest slices that do not yet count for the usual parts of an iteration.
_NEWEST = 6
#: Number of slices, about, over which the usual parts are averaged.
_MEMORY = 60
#: Least part of a change that explains it.
_MOST_OF_IT = 0.5
#: Least part of a change that is its cause, if it is computing: the rest is waiting for it.
_CAUSES_WAITING = 0.3
_MOST_PHASES = 8


@dataclass(frozen=True)
class IterationStep:
    """What one slice shows about the iterations of a job.

    Attributes:
        change: A change of the length of iterations, if the slice shows one.
        lost_s: Time that longer iterations cost in the slice, s; when a change is found, the time
            since the change began.
        grown: The part of an iteration that became longer with the change: computing ("work"),
            MPI ("messages"), or neither.
    """

    change: Change | None = None
    lost_s: float = 0.0
    grown: Grown = "neither"


@dataclass
class _Parts:
    """The two parts of an iteration: computing and MPI, in seconds per MPI call and rank.

    Attributes:
        usual: Usual time of computing, and of MPI; None: not known yet.
        newest: The same times in each of the newest slices.
    """

    usual: tuple[float, float] | None = None
    newest: deque[tuple[float, float]] = field(default_factory=lambda: deque(maxlen=_NEWEST))

    def add(self, parts: tuple[float, float], *, calm: bool) -> None:
        """Add the times of a slice.

        Args:
            parts: Time of computing, and of MPI, in the slice.
            calm: Whether no change is suspected. Then the oldest of the newest slices is averaged
                into the usual times.
        """
        if calm and len(self.newest) == _NEWEST:
            old, new = self.usual or self.newest[0], self.newest[0]
            self.usual = (
                old[0] + (new[0] - old[0]) / _MEMORY,
                old[1] + (new[1] - old[1]) / _MEMORY,
            )
        self.newest.append(parts)

    def grown(self, slices: int) -> tuple[float, float]:
        """Return by how much computing, and MPI, took longer than usual in the newest slices, s.

        Args:
            slices: Number of the newest slices to average.
        """
        recent = list(self.newest)[-slices:]
        usual = self.usual or self.newest[0]
        return (
            sum(each[0] for each in recent) / len(recent) - usual[0],
            sum(each[1] for each in recent) / len(recent) - usual[1],
        )


@dataclass
class Iterations:
    """The iterations of one job, updated slice by slice.

    The length of iterations is measured as time per MPI call and rank.
    """

    series: Series = field(default_factory=Series)
    _parts: OrderedDict[int, _Parts] = field(default_factory=OrderedDict)

    def take(
        self, nodes: Sequence[NodeRow], ranks: int, slice_s: float, files_s: float
    ) -> IterationStep:
        """Evaluate a slice.

        Args:
            nodes: Rows of the job in the slice, one per node.
            ranks: Number of ranks of the job.
            slice_s: Length of the slice, in seconds.
            files_s: Time of the slowest rank in file calls, s; it is subtracted from the slice.
        """
        calls = sum(row.mpi_ops for row in nodes)
        left_s = slice_s - files_s
        if ranks < 2 or calls < _LEAST_CALLS or left_s < _LEAST_LEFT * slice_s:
            return IterationStep()
        phase = round(math.log2(sum(row.mpi_bytes for row in nodes) / calls + 1))
        step = self.series.add(phase, left_s * ranks / calls, left_s)
        parts = self._parts.setdefault(phase, _Parts())
        self._parts.move_to_end(phase)
        if len(self._parts) > _MOST_PHASES:
            self._parts.popitem(last=False)
        mpi = sum(row.mpi_s for row in nodes)
        # A rank that waits in MPI may spin or sleep. So its computing is no longer than its CPU
        # time, and no longer than its time outside MPI and file calls.
        work = max(min(sum(row.cpu_s for row in nodes), left_s * ranks - mpi), 0.0)
        present = self.series.present
        calm = present is not None and not present.doubtful and not self.series.slowed
        parts.add((work / calls, mpi / calls), calm=calm and step.change is None)
        if step.change is None or step.change.kind != "slower":
            return IterationStep(step.change, min(step.lost_s, slice_s))
        more = math.exp(step.change.after) - math.exp(step.change.before)
        by_work, by_messages = parts.grown(step.change.slices)
        grown: Grown = "neither"
        if by_work + by_messages > _MOST_OF_IT * more:
            # Ranks wait in MPI for a rank that computes longer, but messages prolong no computing.
            grown = "work" if by_work > _CAUSES_WAITING * more else "messages"
        return IterationStep(step.change, min(step.lost_s, slice_s), grown)

    def accept(self) -> None:
        """Use the present length of an iteration as the usual one: the job changed its own work."""
        self.series.accept()
        if self._parts:
            next(reversed(self._parts.values())).usual = None
