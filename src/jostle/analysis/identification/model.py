"""Result types of identification: which resource and whose load slowed a job.

Times in seconds unless the name ends in _ns (since the epoch, CLOCK_REALTIME); shares from 0 to 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from jostle.analysis.interval import Interval, Slowdown
from jostle.values.plain_values import MaybeNan, plain

#: "object servers" and "metadata server": those of a mount whose file system has both; "file
#: system": any other mount.
ResourceKind = Literal[
    "file system", "object servers", "metadata server", "network", "node", "memory", "gpu", "bus"
]
#: How the load of neighbours on a node's memory was counted: by their cache misses, by the bytes of
#: its memory controllers, or only by who computed there (less certain); "": another resource.
LoadSource = Literal["", "misses", "controllers", "cores"]
SuspectKind = Literal["job", "unprofiled", "server"]
#: Who had the cores: a kind as in SuspectKind; the job itself; a CPU limit of its own control
#: group; the hypervisor; "unknown": it is not known who used them.
UserKind = Literal["job", "unprofiled", "own", "limit", "steal", "unknown"]
#: How a suspect was found: by an account of who used the resource, or by a statistical test of its
#: load.
HowFound = Literal["account", "test"]
#: Stands for all jobs that the viewer may not see.
OTHERS = "other users' jobs"


@dataclass(frozen=True)
class AccountPart:
    """The part of a job's waiting for cores that one user of these cores caused.

    Attributes:
        name: Name of the job or of the load; for other kinds, a description.
        kind: Kind of the user. own: the job's other threads; limit: the CPU limit of its control
            group; steal: the hypervisor; unknown: the user of the cores is not known.
        seconds: Waiting, added up over the job's threads.
    """

    name: str
    kind: UserKind
    seconds: Interval


@dataclass(frozen=True)
class CoreAccount:
    """The users of a node's cores while a job waited for these cores.

    Attributes:
        host: Name of the node.
        waited_s: Seconds for which threads of the job waited, as the kernel measured them.
        parts: The waiting by user of the cores, the largest first; the sum is `waited_s`.
        totals_known: Whether the use of all cores of the node was counted, so that load without a
            profile is known; else it is inferred from the waiting.
        steps_ns: Start of each slice.
        slice_ns: Length of the slices.
        series: Seconds of waiting in each slice, by name of the part.
    """

    host: str
    waited_s: float
    parts: list[AccountPart]
    totals_known: bool
    steps_ns: list[int]
    slice_ns: int
    series: dict[str, list[float]]


@dataclass(frozen=True)
class Untested:
    """The reason why it is not known whether one job slowed another, and how to find out.

    Attributes:
        why: The reason, one sentence.
        decided_by: A command that would decide it, with its purpose.
    """

    why: str
    decided_by: str


#: What decides about a neighbour that was active all the time.
RUN_WITHOUT_IT = (
    "a run of the same command without it (`jostle run -- CMD`), and `jostle compare` of both"
)


@dataclass(frozen=True)
class Suspect:
    """A job whose load explains a loss on one resource.

    Attributes:
        job: Name of the suspect, or "other users' jobs".
        program: Program of the suspect; "" where it is not shown.
        user: Uid of its owner; None where it is not shown.
        resource: The resource on which it slowed the job.
        share: Its part of the loss on the resource, 0 to 1 (non-negative regression).
        seconds: Run time that it cost the job.
        slices: Number of slices in which both were active on the resource.
        correlation: Rank correlation of its load with the job's service time.
        p: p value of the circular-shift permutation test.
        q: p after control of the false-discovery rate over all suspects and resources.
        lag_s: Lag of the load at which the correlation is greatest; 0: at once.
        pattern: Its access pattern on the resource, for users ("aggregate-write, chunk 1 MiB").
        kind: "job"; "unprofiled": load without a profile, known from counters of machines;
            "server": no neighbour, the server itself was slow.
        how: Method by which it was found: test or account.
        agreement: Of a suspect by account, what the statistical test says of the same load, part of
            a sentence; "" where none was possible.
    """

    job: str
    program: str
    user: int | None
    resource: str
    share: float
    seconds: Interval
    slices: int
    correlation: float
    p: float
    q: float
    lag_s: float
    pattern: str
    kind: SuspectKind = "job"
    how: HowFound = "test"
    agreement: str = ""

    @property
    def tested(self) -> bool:
        """Whether the statistical test of its load had a result."""
        return self.how == "test" or self.p < 1


@dataclass(frozen=True)
class DisturbedSlice:
    """A slice in which the job lost time to others.

    Attributes:
        start_ns: Start of the slice.
        length_ns: Length of the slice.
        resource: The resource.
        seconds: Time lost in the slice.
        suspect: The job with most load on the resource, or "other users' jobs".
    """

    start_ns: int
    length_ns: int
    resource: str
    seconds: float
    suspect: str


@dataclass(frozen=True)
class ResourceLoss:
    """The time that the job lost on one shared resource, with the evidence.

    Attributes:
        resource: Mount identity, node, "network", or, where the fabric is known, "link A > B".
        kind: Kind of the resource.
        seconds: Run time lost there to others; without evidence, 0 to smallest_s.
        slices: Number of slices that could be assessed.
        own_s: Time that the job spent in calls there, per process (mean).
        slowdown: Service time under the suspects' load / without it; None: no suspects.
        evident: Whether the others' load explains the loss, after false-discovery control.
        smallest_s: Smallest loss that these slices could have shown.
        why_not: Reason why there is no evidence, one sentence.
        steps_ns: Start of each assessed slice.
        slice_ns: Length of these slices.
        service: Service time relative to the undisturbed one, per slice; nan: job inactive.
        own_load: The job's load on the resource per slice, in `unit`.
        others_load: The load of all other jobs.
        unit: Unit of the loads per slice: bytes, ops or ns.
        blind: Reason why its slices cannot decide, and what would, one sentence; "" where they can.
        calls_of: Which of the job's calls were slow: "messages", else the mount or the node.
        lost: Seconds lost to the suspects per slice, below 0 by chance; empty without suspects.
        how: How the loss was divided among suspects.
        mount: Identity of the mount that the resource is, or serves; "": none.
        load_source: For the memory of a node, the counters that the neighbours' load is known from.
    """

    resource: str
    kind: ResourceKind
    seconds: Interval
    slices: int
    own_s: float
    slowdown: float | None
    evident: bool
    smallest_s: float
    why_not: str
    steps_ns: list[int]
    slice_ns: int
    service: list[MaybeNan]
    own_load: list[float]
    others_load: list[float]
    unit: str
    blind: str = ""
    calls_of: str = ""
    lost: list[float] = field(default_factory=list)
    how: HowFound = "test"
    mount: str = ""
    load_source: LoadSource = ""


@dataclass(frozen=True)
class JobInterference:
    """The result of `identify`: run time that a job lost, by resource and by job that caused it.

    Attributes:
        job: Name of the job.
        start_ns: Start of the job.
        run_s: Run time of the job.
        seconds: Run time lost in total (an instant counts once, whatever the number of resources);
            without evidence, 0 to smallest_s.
        percent: The loss in percent of run_s.
        resources: The shared resources that it used, the greatest loss first.
        suspects: The suspects with evidence, ranked by seconds.
        ruled_out: Concurrent jobs that were tested without finding an effect, with the reason.
        untested: Concurrent jobs of which it is not known whether they slowed the job, with the
            reason.
        accounts: Users of the cores that the job waited for, node by node.
        disturbed: The slices with interference, in order of time.
        neighbours: Number of other jobs that were active on any of its resources; those that the
            viewer may not see count as one.
        smallest_s: Smallest loss that could have been detected.
        limits: Limits of the result, one sentence each.
        seed: Seed of the random steps.
        unnamed: Whether some neighbours are jobs that the viewer may not see.
    """

    job: str
    start_ns: int
    run_s: float
    seconds: Interval
    percent: Interval
    resources: list[ResourceLoss]
    suspects: list[Suspect]
    ruled_out: dict[str, str]
    disturbed: list[DisturbedSlice]
    neighbours: int
    smallest_s: float
    limits: list[str]
    seed: int = 0
    unnamed: bool = False
    untested: dict[str, Untested] = field(default_factory=dict)
    accounts: list[CoreAccount] = field(default_factory=list)

    @property
    def evident(self) -> bool:
        """Whether there is evidence that others cost the job time."""
        return bool(self.suspects)

    @property
    def blind(self) -> ResourceLoss | None:
        """The resource that shows why no job can be tested; None: some job can."""
        if self.resources and all(resource_loss.blind for resource_loss in self.resources):
            return self.resources[0]
        return None

    def to_json(self) -> dict[str, Any]:
        """Return all fields as JSON-compatible values."""
        found: dict[str, Any] = plain(self)
        for account in found["accounts"]:  # for a day's slices it is too large for a page
            for name in ("series", "steps_ns", "slice_ns"):
                del account[name]
        why = f"{self.blind.resource}: {self.blind.blind}" if self.blind else ""
        return found | {"evident": self.evident, "blind": why}


@dataclass(frozen=True)
class Neighbour:
    """A job that ran concurrently with another on a shared resource.

    Attributes:
        job: Name of the neighbour, or OTHERS.
        program: Program of the neighbour.
        user: Uid of its owner; None where it is not shown.
        start_ns, end_ns: Start and end of its run; end_ns 0: still running.
        nodes: Nodes of the neighbour.
        shared: Resources that both used at the same time.
        overlap_s: Time for which both were running.
        load: By resource, its load while the job ran, as text such as "1.2 GiB written".
    """

    job: str
    program: str
    user: int | None
    start_ns: int
    end_ns: int
    nodes: list[str]
    shared: list[str]
    overlap_s: float
    load: dict[str, str]


@dataclass(frozen=True)
class Encounter:
    """Runs of one program (victim) with and without another (aggressor).

    Attributes:
        victim: Program of the runs that are compared.
        aggressor: The other program.
        resource_kind: Kind of the resource that both used.
        with_runs: Number of runs of the victim with the aggressor.
        without_runs: Number of runs without it.
        with_mean: Mean service time relative to the victim's own undisturbed one, runs with the
            aggressor.
        without_mean: The same for runs without the aggressor.
        slowdown: with_mean / without_mean - 1, with its interval; None: too few runs for a test.
        normal: Shapiro-Wilk p of both groups; None: too few.
        equal_variance: Bartlett p; None: too few.
        test: "ANOVA", or "Kruskal-Wallis" where its assumptions fail; "permutation" where runs are
            known as a whole only; "" too few runs.
        p: p value of that test.
        q: p after control of the false-discovery rate over the matrix.
    """

    victim: str
    aggressor: str
    resource_kind: ResourceKind
    with_runs: int
    without_runs: int
    with_mean: float
    without_mean: float
    slowdown: Slowdown | None
    normal: tuple[float | None, float | None]
    equal_variance: float | None
    test: str
    p: float | None
    q: float | None


@dataclass(frozen=True)
class EncounterRuns:
    """The runs behind an encounter, whose means are `with_mean` and `without_mean`.

    Attributes:
        alongside: Each job that ran concurrently with the other program, and its service time
            relative to the undisturbed one of its own program.
        without: The same for jobs without the other program.
    """

    alongside: list[tuple[str, float]]
    without: list[tuple[str, float]]


@dataclass(frozen=True)
class Visibility:
    """The jobs and programs that a viewer may see.

    Attributes:
        users: Uids whose jobs the viewer may know; None: everybody's.
        named: Programs that may be named whoever runs them.
    """

    users: frozenset[int] | None = None
    named: frozenset[str] = frozenset()

    def own(self, user: int | None) -> bool:
        """Return whether the jobs of a user may be evaluated as slowed."""
        return self.users is None or user in self.users

    def knows(self, program: str, user: int | None) -> bool:
        """Return whether the program of a job may be named."""
        return self.own(user) or program in self.named


@dataclass(frozen=True)
class Potential:
    """How much a program slows others (active) and is slowed (passive), over all encounters.

    Attributes:
        program: Name of the program.
        runs: Number of its runs.
        active: Mean slowdown that it caused, weighted by runs; None: no encounter.
        passive: Mean slowdown that it suffered; None: no encounter.
        hurts: Programs that it slows according to a test.
        hurt_by: Programs that slow it according to a test.
    """

    program: str
    runs: int
    active: float | None
    passive: float | None
    hurts: list[str]
    hurt_by: list[str]


@dataclass(frozen=True)
class Matrix:
    """Which program slowed which, over a whole repository (Bhatele et al., 2013, section 5.3).

    Attributes:
        programs: The programs, the most sensitive first.
        encounters: Pairs of programs that ran at the same time, the greatest significant slowdown
            first.
        jobs: Number of jobs that were evaluated.
        limits: Limits of the result, one sentence each.
    """

    programs: list[Potential]
    encounters: list[Encounter]
    jobs: int
    limits: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Return all fields as JSON-compatible values."""
        found: dict[str, Any] = plain(self)
        return found
