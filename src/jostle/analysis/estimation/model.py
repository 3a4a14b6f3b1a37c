"""Result types of an estimate of interference.

Times in seconds unless the name ends in _ns (since the epoch, CLOCK_REALTIME); shares from 0 to 1;
percent of the interfered run time (Shah, 2020, section 5.1.3). Unknown values are None, never 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import pyarrow as pa

from jostle.analysis.estimation.classes import ClassName, class_of, probability
from jostle.analysis.estimation.light import DoubtName, Light, TrafficLight, lit
from jostle.analysis.interval import Interval
from jostle.values.plain_values import plain

Method = Literal["jostle", "thesis"]
#: "memory or cpu": messages between ranks of one node, which go through nothing else; "memory": the
#: memory of a node, which neighbours' load slowed.
CauseName = Literal[
    "file system", "network", "memory or cpu", "memory", "cpu", "gpu", "bus", "unknown"
]
CauseKind = Literal["", "core speed", "steal", "capped", "heat", "power limit", "quota"]
HowKnown = Literal["measured", "inferred", "neighbours"]
#: What a run may be used for, by its light; None: undecided.
ADVICE: dict[Light | None, str] = {
    "green": "fit for analysis",
    "yellow": "usable for a rough figure; repeat it before comparing",
    "red": "unfit for comparing; repeat it",
    None: "cannot be called fit",
}


@dataclass(frozen=True)
class Cause:
    """The run time lost to one cause.

    Attributes:
        cause: Kind of the resource.
        resource: The resource: a mount identity, a node, "MPI" (the network); "" when it is not
            known.
        seconds: Run time lost to it.
        how: measured (accounted for call by call), inferred (from clusters of segments), or
            neighbours (from slices with and without the load of neighbours).
        kind: The reason, where the core-speed probe or the node's agent shows it: "core speed",
            cores that ran slower (others on their sibling threads, or a lower frequency); "steal",
            steal time; "capped", a limit of the frequency; "heat", throttled; "power limit", a
            power limit lower than at other times; "quota", a CPU limit of the job's own control
            group; else "".
        level: The limit (GHz; W) or the temperature (°C) then; 0: not known.
    """

    cause: CauseName
    resource: str
    seconds: Interval
    how: HowKnown
    kind: CauseKind = ""
    level: float = 0.0


@dataclass(frozen=True)
class HitPart:
    """The part of a hit that was lost to one cause.

    Attributes:
        cause: Kind of the cause, as in Cause.
        resource: The resource, as in Cause.
        seconds: Run time lost to it in the span of the hit.
        kind: The reason, as in Cause.
    """

    cause: CauseName
    resource: str
    seconds: float
    kind: CauseKind = ""


@dataclass(frozen=True)
class Hit:
    """A span of the run in which time was lost.

    Attributes:
        start_ns: Start of the span.
        end_ns: End of the span.
        seconds: Run time lost in it.
        cause: The cause of most of the loss.
        resource: The resource of that cause, as in Cause.
        cluster: Number of its hybrid cluster; -1 where clusters were not used.
        parts: The loss by cause; empty: all of it is due to `cause`.
    """

    start_ns: int
    end_ns: int
    seconds: float
    cause: CauseName
    resource: str
    cluster: int
    parts: list[HitPart] = field(default_factory=list)

    @property
    def by_cause(self) -> list[HitPart]:
        """The loss by cause; the sum is `seconds`."""
        return self.parts or [HitPart(self.cause, self.resource, self.seconds)]


@dataclass(frozen=True)
class Cluster:
    """A hybrid cluster: segments alike in computation, communication and I/O.

    Attributes:
        number: Number of the cluster, from 1 in order of work.
        name: Function that ends its segments, for users.
        members: Number of segments.
        reference_s: Time that its segments take undisturbed (method thesis: their median).
        mad_s: Median absolute deviation, unscaled.
        threshold_s: Longer segments are interfered (method thesis: median + 4 MAD).
        hit: Number of its segments above the threshold.
        excess_s: Seconds lost in these segments.
        total_s: Total duration of its segments.
        usable: Whether the cluster can be evaluated: it has enough members (method thesis: five),
            or a reference from other segments of its kind.
    """

    number: int
    name: str
    members: int
    reference_s: float
    mad_s: float
    threshold_s: float
    hit: int
    excess_s: float
    total_s: float
    usable: bool


@dataclass(frozen=True)
class Continuous:
    """Interference that hits nearly all segments: a warning with its size, not part of the loss.

    Attributes:
        percent: Size of the interference in percent of the run time.
        reason: Evidence for it, one sentence.
    """

    percent: Interval
    reason: str


@dataclass(frozen=True)
class CoreSpeed:
    """Speed of the cores by the core-speed probe.

    Attributes:
        core_probe: Time of the probe's loop over its minimum, mean over the run.
        jobs: Number of other jobs on the nodes from which the minimum is known; 0: only this run.
        seconds: Run time lost to slow cores beyond the loss that segments show; part of lost_s.
        steal: Steal time of a core as a share of the run, mean of the worst node.
        steal_s: Run time lost to steal beyond the loss that segments show; part of lost_s.
    """

    core_probe: float
    jobs: int
    seconds: Interval
    steal: float = 0.0
    steal_s: float = 0.0


@dataclass(frozen=True)
class RunEstimate:
    """The estimated loss of one run to interference, with its causes.

    Attributes:
        job: Name of the job.
        method: Method of the estimate: jostle or thesis.
        world: Number of the world that was evaluated; -1: a job without ranks.
        ranks: Number of processes that were evaluated.
        start_ns: Start of the evaluated time: of the world, or of the job's first slice.
        end_ns: Its end: of the world, or of the job's last slice.
        run_s: Length of the evaluated time, s.
        lost_s: Part of this time that was lost to interference, s.
        percent: The loss in percent of run_s.
        coverage: Share of the run time that could be evaluated.
        inferred_coverage: Share of the run time after set-up inside usable clusters; None where
            clusters were not used.
        causes: The causes of the loss, the largest first; their sum is lost_s.
        continuous: Warning of continuous interference; None where there is no sign of it.
        imbalance_s: Seconds that ranks waited for others of their own job; no part of lost_s.
        clusters: The hybrid clusters, by number.
        hits: Segments or spans in which time was lost, in order of time; the largest ten thousand.
        limits: Limits of the estimate, one sentence each.
        segments: One row per evaluated segment, in order of time: start_ns, end_ns, duration_ns,
            work (counter by which computation was clustered; null: none), cluster, threshold_ns,
            excess_ns, lost_ns (its part of lost_s); empty where there are none.
        seed: Seed of the random steps.
        core_speed: Speed of the cores by the core-speed probe; None if none was recorded.
        doubts: Main source of the interval's lower and upper width.
        node_watts: Mean power of its nodes while it ran, all their parts; None where agents did
            not measure it on every node.
    """

    job: str
    method: Method
    world: int
    ranks: int
    start_ns: int
    end_ns: int
    run_s: float
    lost_s: Interval
    percent: Interval
    coverage: float
    inferred_coverage: float | None
    causes: list[Cause]
    continuous: Continuous | None
    imbalance_s: float | None
    clusters: list[Cluster]
    hits: list[Hit]
    limits: list[str]
    segments: pa.Table
    seed: int = 0
    core_speed: CoreSpeed | None = None
    doubts: tuple[DoubtName, DoubtName] = ("method", "method")
    node_watts: float | None = None

    @property
    def intrinsic_s(self) -> float:
        """Run time without the interference."""
        return self.run_s - self.lost_s.value

    @property
    def core_hours_lost(self) -> float:
        """Core hours of the lost time, with one core for each rank."""
        return self.lost_s.value * self.ranks / 3600

    @property
    def energy_lost_kwh(self) -> Interval | None:
        """Energy that its nodes took in lost time; None where it was not measured."""
        if self.node_watts is None:
            return None
        kwh = self.node_watts / 3.6e6
        return Interval(*(kwh * x for x in (self.lost_s.value, self.lost_s.low, self.lost_s.high)))

    @property
    def klass(self) -> ClassName:
        """The class of the loss (Shah, 2020, section 5.2.3): low below 7.5 %, high above 15 %."""
        return class_of(self.percent.value)

    @property
    def lit(self) -> TrafficLight:
        """The class as a traffic light with its probability (Shah, 2020, section 5.2.3)."""
        return lit(self.percent, self.coverage, self.doubts, self.run_s)

    @property
    def light(self) -> Light | None:
        """The colour of the traffic light; None where it is undecided."""
        return self.lit.light

    @property
    def probability(self) -> float:
        """The probability that the run is unfit for analysis (Shah, 2020, section 5.2.3)."""
        return probability(self.percent.value)

    @property
    def advice(self) -> str:
        """Advice what the run's times may be used for."""
        return ADVICE[self.light]

    def to_json(self) -> dict[str, Any]:
        """Return all fields but the table of segments as JSON-compatible values."""
        fields = [name for name in self.__dataclass_fields__ if name != "segments"]
        derived = ("intrinsic_s", "core_hours_lost", "energy_lost_kwh", "probability", "advice")
        found = {name: plain(getattr(self, name)) for name in (*fields, *derived)}
        found["klass"] = self.klass if self.light else None
        return found | dict(plain(self.lit))


@dataclass(frozen=True)
class ClusterDifference:
    """A cluster that several runs have in common (Shah, 2020, section 5.1.4, figure 5.15).

    Attributes:
        name: Function that ends its segments.
        members: Number of segments per run; 0 where a run has none.
        reference_s: Undisturbed length per run.
        excess_s: Seconds lost per run.
        total_s: Time per run.
        numbers: Number of the cluster in the estimate of each run; 0 where a run has none.
    """

    name: str
    members: list[int]
    reference_s: list[float]
    excess_s: list[float]
    total_s: list[float]
    numbers: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Comparison:
    """Several runs of one program compared with a baseline, which is the fastest or a named run.

    Attributes:
        estimates: The runs, in the order given.
        baseline: Index of the run that others are compared with.
        measured_s: Per run, seconds longer than the baseline.
        estimated_s: Per run, the lost seconds of its own estimate less the baseline's.
        displaced_s: Per run, seconds by which medians of clusters are displaced (continuous
            interference).
        work_s: Per run, seconds of segments that only this run or only the baseline has, and of
            clusters too small to compare.
        unexplained_s: Remaining difference: measured - estimated - displaced - work.
        by_cause: By cause, the additional seconds of each run over the baseline.
        clusters: Matched clusters, those that explain most first.
        limits: Limits of the comparison, one sentence each.
    """

    estimates: list[RunEstimate]
    baseline: int
    measured_s: list[float]
    estimated_s: list[float]
    displaced_s: list[float]
    work_s: list[float]
    unexplained_s: list[float]
    by_cause: dict[str, list[float]]
    clusters: list[ClusterDifference]
    limits: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Return all fields but the tables of segments as JSON-compatible values."""
        fields = [name for name in self.__dataclass_fields__ if name != "estimates"]
        estimates = [estimate.to_json() for estimate in self.estimates]
        return {"estimates": estimates, **{name: plain(getattr(self, name)) for name in fields}}
