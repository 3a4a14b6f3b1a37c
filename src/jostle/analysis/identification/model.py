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
    """What one user of cores had of the time for which a job waited for them.

    Attributes:
        name: Of the job or the load; of other kinds, what it is.
        kind: Who it is. own: the job's other threads; limit: the CPU limit of its control group;
            steal: the hypervisor; unknown: nobody is known to have used them.
        seconds: Waiting, added up over the job's threads.
    """

    name: str
    kind: UserKind
    seconds: Interval


@dataclass(frozen=True)
class CoreAccount:
    """Who had the cores of a node while a job waited for them.

    Attributes:
        host: The node.
        waited_s: Seconds for which threads of the job waited, as the kernel measured them.
        parts: The same by user of the cores, the largest first; they add up to `waited_s`.
        totals_known: The use of all cores of the node was counted, so that load without a profile
            is known; else it is inferred from the waiting.
        steps_ns: Start of each slice.
        slice_ns: Their length.
        series: Name of a part -> its seconds in each slice.
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
    """Why it is not known whether a job cost another one time, and what would decide it.

    Attributes:
        why: One sentence.
        decided_by: A command, and what it is for.
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
        job: Its name, or "other users' jobs".
        program: Its program; "" where it is not shown.
        user: Its owner's uid; None where it is not shown.
        resource: The resource.
        share: Its part of the loss on the resource, 0 to 1 (non-negative regression).
        seconds: Seconds that it cost.
        slices: Slices in which both were active there.
        correlation: Rank correlation of its load with the job's service time.
        p: Of the circular-shift permutation test.
        q: The same after control of the false-discovery rate over all suspects and resources.
        lag_s: Lag of the load at which the correlation is greatest; 0: at once.
        pattern: How it used the resource, for users ("aggregate-write, chunk 1 MiB").
        kind: "job"; "unprofiled": load without a profile, known from counters of machines;
            "server": no neighbour, the server itself was slow.
        how: How it was found.
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
        length_ns: Its length.
        resource: Where.
        seconds: Lost in it.
        suspect: The job that put most load there, or "other users' jobs".
    """

    start_ns: int
    length_ns: int
    resource: str
    seconds: float
    suspect: str


@dataclass(frozen=True)
class ResourceLoss:
    """What the job lost on one shared resource.

    Attributes:
        resource: Mount identity, node, "network", or, where the fabric is known, "link A > B".
        kind: What it is.
        seconds: Run time lost there to others; without evidence 0, up to smallest_s.
        slices: Slices that could be assessed.
        own_s: Time that the job spent in calls there, per process (mean).
        slowdown: Service time under the suspects' load / without it; None: no suspects.
        evident: The others' load explains it, after false-discovery control.
        smallest_s: Smallest loss that could have been seen with these slices.
        why_not: Where not evident, why, one sentence.
        steps_ns: Start of each assessed slice.
        slice_ns: Their length.
        service: Service time relative to the undisturbed one, per slice; nan: job inactive.
        own_load: The job's load on the resource per slice, in `unit`.
        others_load: That of all others.
        unit: bytes, ops or ns, per slice.
        blind: Why its slices cannot decide, and what would, one sentence; "" where they can.
        calls_of: Which of the job's calls were slow: "messages", else the mount or the node.
        lost: Seconds lost to the suspects per slice, below 0 by chance; empty without suspects.
        how: How the loss was divided among suspects.
        mount: Identity of the mount that the resource is, or serves; "": none.
        load_source: Of the memory of a node, what the neighbours' load is known by.
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
    """Which resources and whose load cost a job how many seconds.

    Attributes:
        job: The job.
        start_ns: Its start.
        run_s: Its length.
        seconds: Run time lost in total (an instant counts once, whatever the number of resources);
            without evidence 0, up to smallest_s.
        percent: The same in percent of run_s.
        resources: The shared resources that it used, the greatest loss first.
        suspects: The suspects with evidence, ranked by seconds.
        ruled_out: Concurrent jobs that were tested and did no visible harm, with the reason.
        untested: Concurrent jobs of which it is not known whether they did harm, with the reason.
        accounts: Who had the cores that the job waited for, node by node.
        disturbed: The slices with interference, in order of time.
        neighbours: Number of other jobs that were active on any of its resources; those that the
            viewer may not see count as one.
        smallest_s: Smallest loss that could have been detected.
        limits: What a reader should know before trusting the result, one sentence each.
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
        """Return everything as plain values."""
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
        job: Its name, or OTHERS.
        program: Its program.
        user: Its owner's uid; None where it is not shown.
        start_ns, end_ns: When it ran; end_ns 0: still running.
        nodes: Its nodes.
        shared: Resources that both used at the same time.
        overlap_s: Time for which both were running.
        load: resource -> its load while the job ran, as text such as "1.2 GiB written".
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
        victim: Its program.
        aggressor: The other's program.
        resource_kind: Where they met.
        with_runs: Runs of the victim with the aggressor.
        without_runs: Runs without it.
        with_mean: Mean service time relative to the victim's own undisturbed one, runs with the
            aggressor.
        without_mean: The same, runs without it.
        slowdown: with_mean / without_mean - 1, with its interval; None: too few runs for a test.
        normal: Shapiro-Wilk p of both groups; None: too few.
        equal_variance: Bartlett p; None: too few.
        test: "ANOVA", or "Kruskal-Wallis" where its assumptions fail; "permutation" where runs are
            known as a whole only; "" too few runs.
        p: Of that test.
        q: After control of the false-discovery rate over the matrix.
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
    """What a viewer may know of jobs and programs.

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
    """How much a program hurts (active) and is hurt (passive), over all encounters.

    Attributes:
        program: The program.
        runs: Its runs.
        active: Mean slowdown that it caused, weighted by runs; None: no encounter.
        passive: Mean slowdown that it suffered.
        hurts: Programs that it slows, with evidence.
        hurt_by: Programs that slow it, with evidence.
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
        encounters: Pairs that met, the greatest evident slowdown first.
        jobs: Number of jobs that were evaluated.
        limits: Limits of the result, one sentence each.
    """

    programs: list[Potential]
    encounters: list[Encounter]
    jobs: int
    limits: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain values."""
        found: dict[str, Any] = plain(self)
        return found
