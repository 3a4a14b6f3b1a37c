"""Result types of an estimate of interference.

Times are in seconds; a name that ends in _ns is in ns (instants since the epoch, CLOCK_REALTIME).
Shares are from 0 to 1. Percentages are of the run time with interference (Shah, 2020, section
5.1.3). Unknown values are None, never 0.
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
        cause: Kind of the resource on which the time was lost.
        resource: The resource: identity of a mount, name of a node, or "MPI" (the network); "" when
            it is not known.
        seconds: Run time lost to the cause.
        how: How the loss is known: measured (added up from calls and waits), inferred (from
            clusters of segments), or neighbours (from slices with and without the load of other
            jobs).
        kind: Why cores were slower, where the core-speed probe or the node's agent shows it; else
            "". "core speed": cores ran slower, because of programs on their sibling threads or a
            lower frequency. "steal": steal time. "capped": a limit of the frequency. "heat":
            throttling because of heat. "power limit": a power limit lower than at other times.
            "quota": a CPU limit of the job's own control group.
        level: For the kind "capped" the limit in GHz, for "power limit" the limit in W, for "heat"
            the temperature in °C; 0: not known.
    """

    cause: CauseName
    resource: str
    seconds: Interval
    how: HowKnown
    kind: CauseKind = ""
    level: float = 0.0


@dataclass(frozen=True)
class HitPart:
    """The part of a hit's loss that is due to one cause.

    Attributes:
        cause: Kind of the resource, as in Cause.
        resource: The resource, as in Cause.
        seconds: Run time lost to the cause in the span of the hit.
        kind: Why cores were slower, as in Cause.
    """

    cause: CauseName
    resource: str
    seconds: float
    kind: CauseKind = ""


@dataclass(frozen=True)
class Hit:
    """A span of the run in which time was lost: a segment, or a slice of a job without segments.

    Attributes:
        start_ns: Start of the span.
        end_ns: End of the span.
        seconds: Run time lost in the span.
        cause: Kind of the resource on which most of this time was lost.
        resource: This resource, as in Cause.
        cluster: Number of the segment's hybrid cluster; -1 where clusters were not used.
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
        """The loss by cause, also where `parts` is empty; the sum is `seconds`."""
        return self.parts or [HitPart(self.cause, self.resource, self.seconds)]


@dataclass(frozen=True)
class Cluster:
    """A hybrid cluster: segments with similar computation, communication and I/O.

    Attributes:
        number: Number of the cluster, from 1 in order of work.
        name: Name of the function that ends its segments.
        members: Number of segments.
        reference_s: Duration of its segments without interference (method thesis: their median).
        mad_s: Median absolute deviation of the durations, unscaled.
        threshold_s: Duration above which a segment counts as disturbed (method thesis: median +
            4 MAD).
        hit: Number of its disturbed segments.
        excess_s: Time lost in these segments.
        total_s: Total duration of its segments.
        usable: Whether the cluster can be evaluated. It can if it has enough members (method
            thesis: five), or a reference from other segments of its kind.
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
    """A warning of interference in nearly all segments, which is not part of the loss.

    Attributes:
        percent: Time lost to this interference, in percent of the run time.
        reason: Evidence of this interference, one sentence.
    """

    percent: Interval
    reason: str


@dataclass(frozen=True)
class CoreSpeed:
    """Speed of the cores, by the core-speed probe: a fixed computation that is timed regularly.

    Attributes:
        core_probe: Duration of the probe divided by its minimum, mean over the run.
        jobs: Number of other jobs on the nodes from which the minimum is known; 0: it is known
            from this run alone.
        seconds: Run time lost to slow cores, without what segments show as loss already. It is
            part of lost_s.
        steal: Steal time as a share of the run, mean over the cores of the node with most of it.
        steal_s: Run time lost to steal time, without what segments show as loss already. It is
            part of lost_s.
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
        world: Number of the MPI world that was evaluated; -1: a job without ranks.
        ranks: Number of processes that were evaluated.
        start_ns: Start of the evaluated time: of the world, or of the job without ranks.
        end_ns: End of the evaluated time.
        run_s: Length of the evaluated time, in seconds.
        lost_s: Part of this time that was lost to interference, in seconds.
        percent: The loss in percent of run_s.
        coverage: Share of the run time that could be evaluated.
        inferred_coverage: Share of the run time after set-up that is inside usable clusters; None
            where clusters were not used.
        causes: The causes of the loss, the one with the largest loss first; their sum is lost_s.
        continuous: Warning of continuous interference; None where there is no sign of it.
        imbalance_s: Time for which ranks waited for slower ranks of their own job, s. It is not
            part of lost_s.
        clusters: The hybrid clusters, by number.
        hits: Segments or slices in which time was lost, in order of time; at most ten thousand,
            those with the largest losses.
        limits: Limits of the estimate, one sentence each.
        segments: One row per evaluated segment, in order of time: start_ns, end_ns, duration_ns,
            work (counter by which computation was clustered; null: none), cluster, threshold_ns,
            excess_ns, lost_ns (the segment's part of lost_s); method jostle adds slow_ns (lost to
            slow cores and steal time). Empty for a job without segments.
        seed: Seed of the random steps.
        core_speed: Speed of the cores by the core-speed probe; None if none was recorded.
        doubts: Main source of uncertainty at the lower end of the interval of the loss, and at its
            upper end.
        node_watts: Mean power of the nodes while the job ran, W, summed over nodes; None unless
            agents measured it on every node.
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
        """Run time less the lost time."""
        return self.run_s - self.lost_s.value

    @property
    def core_hours_lost(self) -> float:
        """Core hours that were lost, if each rank has one core."""
        return self.lost_s.value * self.ranks / 3600

    @property
    def energy_lost_kwh(self) -> Interval | None:
        """Energy that the nodes used during the lost time, kWh; None where it was not measured."""
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
        """The class of the loss as a traffic light, with the light's probability."""
        return lit(self.percent, self.coverage, self.doubts, self.run_s)

    @property
    def light(self) -> Light | None:
        """The colour of the traffic light; None where it is undecided."""
        return self.lit.light

    @property
    def probability(self) -> float:
        """The probability that the run is unfit for performance analysis (Shah, 2020, 5.2.3)."""
        return probability(self.percent.value)

    @property
    def advice(self) -> str:
        """For what the run's times may be used, as a text for users."""
        return ADVICE[self.light]

    def to_json(self) -> dict[str, Any]:
        """Return all fields except the table of segments as JSON-compatible values."""
        fields = [name for name in self.__dataclass_fields__ if name != "segments"]
        derived = ("intrinsic_s", "core_hours_lost", "energy_lost_kwh", "probability", "advice")
        found = {name: plain(getattr(self, name)) for name in (*fields, *derived)}
        found["klass"] = self.klass if self.light else None
        return found | dict(plain(self.lit))


@dataclass(frozen=True)
class ClusterDifference:
    """A cluster that several runs have in common (Shah, 2020, section 5.1.4, figure 5.15).

    Attributes:
        name: Name of the function that ends its segments.
        members: Number of its segments in each run; 0 where a run does not have the cluster.
        reference_s: Duration of its segments without interference, in each run.
        excess_s: Time lost in its segments, in each run.
        total_s: Total duration of its segments, in each run.
        numbers: Number of the cluster in the estimate of each run; 0 where a run does not have it.
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

    Lists have one value for each run.

    Attributes:
        estimates: The estimates of the runs, in the order given.
        baseline: Index of the run with which the others are compared.
        measured_s: Length of the run less that of the baseline.
        estimated_s: Time that the run lost by its own estimate, less that of the baseline. Losses
            to slow cores are in displaced_s instead.
        displaced_s: Time by which segments take longer since the references of their clusters are
            longer than in the baseline (continuous interference).
        work_s: Time of segments that the run has more than the baseline, less that of segments
            that it has fewer; and the same for time in clusters that cannot be compared.
        unexplained_s: Remaining difference: measured - estimated - displaced - work.
        by_cause: For each cause, the time that each run lost, less that of the baseline.
        clusters: Matched clusters, those that explain most of the difference first.
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
        """Return all fields except the tables of segments as JSON-compatible values."""
        fields = [name for name in self.__dataclass_fields__ if name != "estimates"]
        estimates = [estimate.to_json() for estimate in self.estimates]
        return {"estimates": estimates, **{name: plain(getattr(self, name)) for name in fields}}
