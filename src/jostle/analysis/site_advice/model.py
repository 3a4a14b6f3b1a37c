"""Input and result types of the advice for a whole site."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any, Literal

from jostle.analysis.identification.model import ResourceKind, SuspectKind
from jostle.analysis.interval import Interval
from jostle.values.plain_values import plain

#: What a site can change.
SiteRule = Literal["licence", "rate limit", "exclusive nodes", "one switch", "drain"]


@dataclass(frozen=True)
class MountUse:
    """What a job did on a mount.

    Attributes:
        moved: Bytes read and written.
        rate: Bytes per second in its busy slices (90 % quantile).
    """

    moved: float
    rate: float


@dataclass(frozen=True)
class SiteJob:
    """A job of the period; a batch job with all of its parts is one.

    Attributes:
        job: Its name.
        program: Its program.
        nodes: Its nodes.
        cores: Number of cores that it held.
        start_s, end_s: When it ran, s since the epoch.
        mounts: What it did on each mount.
        submit_s: When it was submitted, s since the epoch; None: not known.
        evaluated: Whether there is a verdict on it, so that its losses are known.
        watts: Power of its nodes; None: not measured.
        user: Its owner's uid; None: not known.
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
        """Its run time, s."""
        return self.end_s - self.start_s

    @property
    def core_hours(self) -> float:
        """Core hours that it held."""
        return self.cores * self.run_s / 3600


@dataclass(frozen=True)
class Cost:
    """What one job, or a server, cost another job on a resource.

    Attributes:
        job: The job that lost time.
        cause: The job that caused it, or the name of the server.
        resource: The resource.
        kind: Kind of the resource.
        seconds: Run time lost, s.
        source: What the cause is: a job, load without a profile, or a server.
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
        host: Its name.
        words: What is worse, and by how much.
        slower: Missing part of the speed of its cores, 0 to 1; None: another figure.
    """

    host: str
    words: str
    slower: Interval | None


@dataclass(frozen=True)
class SiteEvidence:
    """What is known of a site in a period.

    Attributes:
        from_s, to_s: The period, s since the epoch.
        jobs: The jobs that ran in it, by name.
        costs: What all jobs with a verdict lost to each other.
        peaks: Shared mount -> the most bytes per second that it served (99 % quantile of the slices
            of its busiest day).
        rpc_bytes: Lustre mount -> mean bytes of a request to its servers, where counted.
        servers: Lustre mount -> number of object servers that were counted.
        node_cores: Node -> its cores, where its agent counted them.
        leaf_nodes: Median number of nodes below a leaf switch; 0: the fabric is not known.
        slow_nodes: Nodes that are persistently worse than their peers.
        names: Path of each mount, for users.
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


@dataclass(frozen=True)
class Delay:
    """By how much the jobs of a program would have started or ended later.

    Attributes:
        program: The program.
        jobs: How many of its jobs.
        mean_s: Mean over these jobs, s.
        most_s: The largest, s.
    """

    program: str
    jobs: int
    mean_s: float
    most_s: float


@dataclass(frozen=True)
class Directive:
    """What a scheduler shall add to the jobs of a program.

    Attributes:
        program: The program.
        words: What: `licenses=NAME:COUNT`, `exclusive` or `switches=COUNT@MINUTES`.
    """

    program: str
    words: str


@dataclass(frozen=True)
class SiteRecommendation:
    """One thing that a site can change.

    Attributes:
        rule: What kind of change it is.
        where: The resource that it is about, for users.
        seen: What was seen, with its figures; a sentence without its full stop.
        lever: What is to be changed.
        texts: Exact lines to paste.
        saving: Core hours that it would have saved in the period; None: none can be predicted.
        kwh: The same as energy of nodes; None: their power is not known.
        saving_words: What the saving rests on, or why none is predicted.
        pays: Who pays for it, and how.
        delays: Whose jobs would have been delayed, those with the longest delays first.
        unless: When not to apply it.
        settings: Lines for slurm.conf.
        directives: What the scheduler shall add to jobs.
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
    """What a site can change.

    Attributes:
        from_s, to_s: The period that it rests on, s since the epoch.
        jobs: Jobs that ran in it.
        evaluated: How many of them have a verdict.
        core_hours: Core hours that all of them held.
        lost: Core hours that those with a verdict lost to others.
        found: The advice, the greatest saving first; those without a prediction last.
        nothing: Why nothing is advised, a sentence; "" where something is.
        limits: What to know before following it, one sentence each.
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
        """Return everything as plain values."""
        found: dict[str, Any] = plain(self)
        return found


def scaled(interval: Interval, factor: float) -> Interval:
    """Return an interval times a number; a negative number swaps the ends."""
    ends = sorted((factor * interval.low, factor * interval.high))
    return Interval(factor * interval.value, *ends)


def added(parts: Iterable[Interval]) -> Interval:
    """Return the sum of figures that were estimated independently of each other."""
    parts = list(parts)
    value = sum(part.value for part in parts)
    low = value - sqrt(sum((part.value - part.low) ** 2 for part in parts))
    high = value + sqrt(sum((part.high - part.value) ** 2 for part in parts))
    return Interval(value, low, high)
