"""Input and result types of the advice for a whole site."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any, Literal

from jostle.analysis.identification.model import ResourceKind, SuspectKind
from jostle.analysis.interval import Interval
from jostle.values.plain_values import plain

#: Type of the file system whose servers can limit the rate of a program's requests.
LUSTRE = "lustre"
#: What a site can change.
SiteRule = Literal["licence", "rate limit", "exclusive nodes", "one switch", "drain"]


@dataclass(frozen=True)
class MountUse:
    """The load of a job on a mount.

    Attributes:
        moved: Number of bytes read and written.
        rate: Bytes per second in the job's busy slices (90 % quantile).
    """

    moved: float
    rate: float


@dataclass(frozen=True)
class SiteJob:
    """A job that ran in the period; a batch job with all its parts counts as one job.

    Attributes:
        job: Name of the job.
        program: Program of the job.
        nodes: Nodes of the job.
        cores: Number of cores that the job held.
        start_s: Start of the job, s since the epoch.
        end_s: End of the job, s since the epoch.
        mounts: Load of the job on each mount.
        submit_s: When the job was submitted, s since the epoch; None: not known.
        evaluated: Whether the job has a verdict, so that its losses are known.
        watts: Power of the job's nodes, W; None: not measured.
        user: Uid of the job's owner; None: not known.
    """

    job: str
    program: str
    nodes: tuple[str, ...]
    cores: float
    start_s: float
    end_s: float
    mounts: Mapping[str, MountUse] = field(default_factory=dict)
    submit_s: float | None = None
    evaluated: bool = True
    watts: float | None = None
    user: int | None = None

    @property
    def run_s(self) -> float:
        """Run time of the job, in seconds."""
        return self.end_s - self.start_s

    @property
    def core_hours(self) -> float:
        """Core hours that the job held."""
        return self.cores * self.run_s / 3600


@dataclass(frozen=True)
class Cost:
    """The run time that one job, or a server, cost another job on a resource.

    Attributes:
        job: Name of the job that lost time.
        cause: Name of the job or server that caused the loss.
        resource: Name of the resource.
        kind: Kind of the resource.
        seconds: Run time lost, in seconds.
        source: Kind of the cause: a job, load without a profile, or a server.
    """

    job: str
    cause: str
    resource: str
    kind: ResourceKind
    seconds: Interval
    source: SuspectKind = "job"


@dataclass(frozen=True)
class SlowNode:
    """A node that is persistently worse than its peers.

    Attributes:
        host: Name of the node.
        words: Text that says what is worse, and by how much.
        slower: By which part the node's cores are slower, 0 to 1; None: something else is worse.
    """

    host: str
    words: str
    slower: Interval | None


@dataclass(frozen=True)
class SiteEvidence:
    """The recorded data of a site in a period: jobs, losses, mounts and nodes.

    Attributes:
        from_s: Start of the period, s since the epoch.
        to_s: End of the period, s since the epoch.
        jobs: The jobs that ran in the period, by name.
        costs: Losses of all jobs with a verdict to other jobs and to servers.
        peaks: Highest data rate of each shared mount, bytes per second (99 % quantile of the slices
            of its busiest day).
        rpc_bytes: Mean bytes of a request to the servers of each Lustre mount, where counted.
        servers: Number of object servers of each Lustre mount, where counted.
        node_cores: Number of cores of each node whose agent counted them.
        leaf_nodes: Median number of nodes at a leaf switch; 0: the fabric is not known.
        slow_nodes: Nodes that are persistently worse than their peers.
        names: Path of each mount, as shown to users.
        rate_limits: Types of file systems on which a program's rate can be limited.
    """

    from_s: float
    to_s: float
    jobs: Mapping[str, SiteJob]
    costs: Sequence[Cost]
    peaks: Mapping[str, float] = field(default_factory=dict)
    rpc_bytes: Mapping[str, float] = field(default_factory=dict)
    servers: Mapping[str, int] = field(default_factory=dict)
    node_cores: Mapping[str, int] = field(default_factory=dict)
    leaf_nodes: int = 0
    slow_nodes: Sequence[SlowNode] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    rate_limits: Collection[str] = (LUSTRE,)


@dataclass(frozen=True)
class Delay:
    """By how much a change would delay the start or end of a program's jobs.

    Attributes:
        program: Name of the program.
        jobs: Number of delayed jobs of the program.
        mean_s: Mean delay of these jobs, in seconds.
        most_s: Largest delay of these jobs, in seconds.
    """

    program: str
    jobs: int
    mean_s: float
    most_s: float


@dataclass(frozen=True)
class Directive:
    """An option that a scheduler shall add to the jobs of a program.

    Attributes:
        program: Name of the program.
        words: The option: `licenses=NAME:COUNT`, `exclusive` or `switches=COUNT@MINUTES`.
    """

    program: str
    words: str


@dataclass(frozen=True)
class SiteRecommendation:
    """One change that a site can make, with its saving and its cost.

    Attributes:
        rule: Kind of the change.
        where: Name of the resource concerned, as shown to users.
        seen: Observation from which the advice follows, with numbers; a sentence without its full
            stop.
        lever: Setting that is to be changed.
        texts: Lines to paste into configurations or scripts.
        saving: Core hours that the change would have saved in the period; None where the saving
            cannot be predicted.
        kwh: Energy of nodes that the change would have saved, kWh; None where their power is not
            known.
        saving_words: How the saving was predicted, or why none is predicted.
        pays: Who bears the cost of the change, and what that cost is.
        delays: Delays of jobs by program, the program with the longest delay first.
        unless: Conditions under which the advice should not be followed.
        settings: Lines for slurm.conf.
        directives: Options that the scheduler shall add to jobs.
    """

    rule: SiteRule
    where: str
    seen: str
    lever: str
    texts: tuple[str, ...]
    saving: Interval | None
    kwh: Interval | None
    saving_words: str
    pays: str
    delays: tuple[Delay, ...]
    unless: str
    settings: tuple[str, ...] = ()
    directives: tuple[Directive, ...] = ()


@dataclass(frozen=True)
class SiteAdvice:
    """The advice for a site: what to change, and what that would have saved.

    Attributes:
        from_s: Start of the evaluated period, s since the epoch.
        to_s: End of the evaluated period, s since the epoch.
        jobs: Number of jobs that ran in the period.
        evaluated: Number of these jobs with a verdict.
        core_hours: Core hours that all these jobs held.
        lost: Core hours that the jobs with a verdict lost to others.
        found: The advice, the greatest saving first; changes without a predicted saving are last.
        nothing: Why no change is advised, a sentence; "" where a change is advised.
        limits: Limits of the advice, one sentence each.
    """

    from_s: float
    to_s: float
    jobs: int
    evaluated: int
    core_hours: float
    lost: Interval
    found: tuple[SiteRecommendation, ...]
    nothing: str
    limits: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return all fields as JSON-compatible values."""
        found: dict[str, Any] = plain(self)
        return found


def scaled(interval: Interval, factor: float) -> Interval:
    """Return an interval multiplied by a number; a negative number swaps the ends."""
    ends = sorted((factor * interval.low, factor * interval.high))
    return Interval(factor * interval.value, *ends)


def added(parts: Iterable[Interval]) -> Interval:
    """Return the sum of values that were estimated independently, with its interval."""
    parts = list(parts)
    value = sum(part.value for part in parts)
    low = value - sqrt(sum((part.value - part.low) ** 2 for part in parts))
    high = value + sqrt(sum((part.high - part.value) ** 2 for part in parts))
    return Interval(value, low, high)
