"""Result types of identification: which resource and whose load slowed a job.

Times are in seconds. Names that end in _ns are nanoseconds; those that name an instant count from
the epoch (CLOCK_REALTIME). Shares are from 0 to 1.
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
        name: Name of the other job or of the load without a profile; for other kinds, a description
            of the user.
        kind: Kind of the user. job: another job; unprofiled: load without a profile; own: other
            threads of the same job; limit: the CPU limit of its control group; steal: the
            hypervisor; unknown: the user of the cores is not known.
        seconds: Time of waiting, added up over the job's threads.
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
        parts: The waiting that each user of the cores caused, the largest part first. The sum of
            all parts is `waited_s`.
        totals_known: Whether the use of all cores of the node was counted. If so, load without a
            profile is known; else it is inferred from the waiting.
        steps_ns: Start of each slice.
        slice_ns: Length of the slices.
        series: For each part, by its name: seconds of waiting in each slice.
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
        decided_by: What to run so that it becomes known, such as a run with shorter slices.
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
        share: Its part of the loss on the resource, 0 to 1. If it was found by a test, the part
            comes from a non-negative regression.
        seconds: Run time that it cost the job.
        slices: Number of slices in which both were active on the resource.
        correlation: Rank correlation of its load with the job's service time.
        p: p value of the test, which shifts the load circularly in time.
        q: p after control of the false-discovery rate over all suspects and resources.
        lag_s: Time from its load to the slowdown for which the correlation is greatest; 0: the load
            acts at once.
        pattern: Its access pattern on the resource, for users ("aggregate-write, chunk 1 MiB").
        kind: "job"; "unprofiled": load without a profile, known from counters of machines;
            "server": no neighbour, the server itself was slow.
        how: Method by which it was found: test or account.
        agreement: For a suspect that was found by an account: what the statistical test found
            about the same load, as part of a sentence; "" where no test was possible.
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
        resource: The resource on which it lost most.
        seconds: Time lost in the slice.
        suspect: The suspect that cost most in the slice, or "other users' jobs".
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
        resource: Name of the resource, such as the identity of a mount, the name of a node, or
            "network". Where the fabric is known, links replace the network: "link A > B".
        kind: Kind of the resource.
        seconds: Run time lost there to others. Without evidence, the interval is 0 to smallest_s.
        slices: Number of slices that could be evaluated.
        own_s: Time that the job spent in calls there, per process (mean).
        slowdown: Service time under the suspects' load, divided by that without their load; None:
            no suspects.
        evident: Whether there is evidence that the load of others caused the loss, after control of
            the false-discovery rate.
        smallest_s: Smallest loss that these slices could have shown.
        why_not: Reason why there is no evidence, one sentence.
        steps_ns: Start of each slice of the job.
        slice_ns: Length of these slices.
        service: Service time in each slice, divided by the undisturbed one; NaN: not evaluated, for
            example since the job was inactive.
        own_load: The job's load on the resource in each slice, in `unit`.
        others_load: The load of all other jobs in each slice, in `unit`.
        unit: Unit of the loads per slice: bytes, ops or ns.
        blind: Reason why the slices of this run can show no effect, and what would show it, one
            sentence; "" where they can.
        calls_of: Which of the job's calls were slow: "messages", else the mount or the node.
        lost: Seconds lost to the suspects in each slice, which may be below 0 by chance; empty
            without suspects.
        how: Method by which the loss was divided among suspects: test or account.
        mount: Identity of the mount that the resource is, or that it serves; "": none.
        load_source: For the memory of a node: how the load of neighbours was counted.
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
        seconds: Run time lost in total. An instant counts once, also if the job lost time on
            several resources. Without evidence, the interval is 0 to smallest_s.
        percent: The loss in percent of run_s.
        resources: The shared resources that the job used, the greatest loss first.
        suspects: The suspects with evidence, ranked by seconds.
        ruled_out: For each concurrent job that was tested without finding an effect, the reason.
        untested: For each concurrent job of which it is not known whether it slowed the job, the
            reason.
        accounts: For each node, the users of the cores that the job waited for.
        disturbed: The slices with interference, in order of time.
        neighbours: Number of other jobs that were active on any of the job's resources. The jobs
            that the viewer may not see count as one.
        smallest_s: Smallest loss that would have been detected, whichever resource it was on.
        limits: Limits of the result, one sentence each.
        seed: Seed of the random numbers for the intervals.
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
        """The resource whose `blind` states why no job could be tested; None: some job could be."""
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
        job: Name of the neighbour, or "other users' jobs".
        program: Program of the neighbour; "" where it is not shown.
        user: Uid of its owner; None where it is not shown.
        start_ns: Start of its run.
        end_ns: End of its run; 0: still running.
        nodes: Nodes of the neighbour.
        shared: Resources that both used at the same time.
        overlap_s: Time for which both were running.
        load: For each resource, its load while the job ran, as text such as "1.2 GiB written".
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
    """Comparison of runs of one program (victim) with and without another program (aggressor).

    Attributes:
        victim: Program of the runs that are compared.
        aggressor: The other program.
        resource_kind: Kind of the resource that both used.
        with_runs: Number of runs of the victim that ran concurrently with the aggressor.
        without_runs: Number of runs of the victim that ran without the aggressor.
        with_mean: Mean service time of the runs with the aggressor, divided by the service time
            that is usual for undisturbed runs of the victim.
        without_mean: The same for the runs without the aggressor.
        slowdown: with_mean divided by without_mean, less 1, with its interval; None: too few runs
            for a test.
        normal: p values of the Shapiro-Wilk test, first of the runs with the aggressor, then of the
            runs without it; None: not tested, such as where the group has too few runs.
        equal_variance: p value of the Bartlett test of both groups; None: not tested.
        test: The test that compares the two groups: "ANOVA"; "Kruskal-Wallis" where the assumptions
            of ANOVA fail; "permutation" where times are known only for whole runs; "": too few
            runs.
        p: p value of that test; None: too few runs.
        q: p after control of the false-discovery rate over the matrix; None: too few runs.
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
        alongside: Pairs of a job that ran concurrently with the other program, and its service time
            divided by the undisturbed one of its own program.
        without: The same pairs for the jobs that ran without the other program.
    """

    alongside: list[tuple[str, float]]
    without: list[tuple[str, float]]


@dataclass(frozen=True)
class Visibility:
    """The jobs and programs that a viewer may see.

    Attributes:
        users: Uids of the users whose jobs the viewer may see; None: the jobs of all users.
        named: Programs whose names the viewer may see, whoever runs them.
    """

    users: frozenset[int] | None = None
    named: frozenset[str] = frozenset()

    def own(self, user: int | None) -> bool:
        """Return whether the viewer may see by how much a user's jobs were slowed."""
        return self.users is None or user in self.users

    def knows(self, program: str, user: int | None) -> bool:
        """Return whether the program of a job may be named."""
        return self.own(user) or program in self.named


@dataclass(frozen=True)
class Potential:
    """How much a program slows other programs, and how much other programs slow it.

    Attributes:
        program: Name of the program.
        runs: Number of its runs.
        active: Mean slowdown that the program caused, weighted by the number of runs; None: not
            known, since no comparison has enough runs.
        passive: Mean slowdown of the program by other programs, weighted the same way; None: not
            known.
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
        programs: The programs; the one that others slow most comes first.
        encounters: Pairs of programs that ran at the same time; the greatest significant slowdown
            comes first.
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
