"""Result types of the evaluation of running jobs."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

ResourceKind = Literal["file system", "node", "messages"]
Because = Literal["other jobs", "own change of phase", "nobody known", "it is over", "it is faster"]


@dataclass(frozen=True)
class LiveSuspect:
    """A job, or load without a profile, that may have caused a change.

    Attributes:
        job: Name of the job or of the load.
        share: Part of this job in the rise of the load of all other jobs on the resource, 0 to 1.
        confidence: `share` times the probability that the job's load did not rise by chance.
    """

    job: str
    share: float
    confidence: float


@dataclass(frozen=True)
class LiveChange:
    """A change of how fast a running job proceeds.

    Attributes:
        at_ns: Start of the first slice after the change, ns since the epoch.
        found_ns: End of the slice that showed the change, ns since the epoch.
        kind: Kind of the change: slower, over (a slow-down has ended) or faster.
        what: Activity that changed: `read`, `write`, `sync`, `meta`, `waiting for cores` or
            `iteration`.
        resource_kind: Kind of the resource: file system, node or messages.
        resource: Identity of the resource; "" for messages.
        percent: Change of the time per unit of work, percent.
        because: Cause of the change, as far as it is known.
        suspects: Jobs whose load rose at that time, the likeliest first.
    """

    at_ns: int
    found_ns: int
    kind: str
    what: str
    resource_kind: ResourceKind
    resource: str
    percent: float
    because: Because
    suspects: tuple[LiveSuspect, ...] = ()


@dataclass(frozen=True)
class LiveAnswer:
    """The present results on a running job; provisional, since they rest on its past alone.

    Attributes:
        job: Name of the job.
        program: Program of the job.
        uid: Uid of the job's owner.
        nodes: Nodes of the job.
        start_ns: Start of the job, ns since the epoch.
        seen_ns: End of the newest slice that was evaluated, ns since the epoch; 0: none yet.
        running: Whether the job still runs.
        run_s: Length of the evaluated time, in seconds.
        lost_s: Time lost to other jobs so far, s, as far as it is known while the job runs.
        unexplained_s: Further time that calls took longer than usual without a known cause, s.
        now_percent: Present loss to other jobs: percent of the newest slices.
        resource_kind: Kind of the resource with most of the present loss; None without a loss.
        resource: Identity of this resource; "" without a loss.
        suspects: Jobs that may have caused the present loss.
        because: Cause of the present loss; None without a loss.
        trend: Percent lost to other jobs in each of the newest slices, the oldest first.
        changes: The newest changes, the oldest first.
        learning: Whether no usual level is known yet, so that no change can be found.
        smallest_percent: Smallest slow-down that is found within three slices, percent, for the
            activity whose times vary least; None while no usual level is known.
    """

    job: str
    program: str
    uid: int | None
    nodes: tuple[str, ...]
    start_ns: int
    seen_ns: int
    running: bool
    run_s: float
    lost_s: float
    unexplained_s: float
    now_percent: float
    resource_kind: ResourceKind | None
    resource: str
    suspects: tuple[LiveSuspect, ...]
    because: Because | None
    trend: tuple[float, ...] = ()
    changes: tuple[LiveChange, ...] = field(default_factory=tuple)
    learning: bool = False
    smallest_percent: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return all fields as JSON-compatible values."""
        return asdict(self)


def hidden(answer: LiveAnswer, visible: set[str], name: str) -> LiveAnswer:
    """Return the results on a job with one common name for all suspects that a viewer may not see.

    Args:
        answer: Results on a running job.
        visible: Names of jobs and other loads that the viewer may see.
        name: The common name for the others.
    """

    def merged(suspects: tuple[LiveSuspect, ...]) -> tuple[LiveSuspect, ...]:
        seen = [each for each in suspects if each.job in visible]
        rest = [each for each in suspects if each.job not in visible]
        if rest:
            share, confidence = sum(e.share for e in rest), sum(e.confidence for e in rest)
            seen.append(LiveSuspect(name, share, confidence))
        return tuple(sorted(seen, key=lambda each: (-each.confidence, each.job)))

    changes = tuple(replace(each, suspects=merged(each.suspects)) for each in answer.changes)
    return replace(answer, suspects=merged(answer.suspects), changes=changes)
