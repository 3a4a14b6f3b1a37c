"""Schemas of what commands print with `--json` and the API answers as it is.

They describe the fields that the pages read; answers have all fields of the commands. The server
does not validate answers against them; tests do.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

Light = Literal["green", "yellow", "red"]
Cause = Literal["file system", "network", "memory or cpu", "cpu", "gpu", "bus", "unknown"]
CauseKind = Literal["", "core speed", "steal", "capped", "heat", "power limit", "quota"]
ResourceKind = Literal["file system", "network", "node", "gpu", "bus"]
SuspectKind = Literal["job", "unprofiled", "server"]
HowFound = Literal["account", "test"]
UserKind = Literal["job", "unprofiled", "own", "limit", "steal", "unknown"]


class Interval(BaseModel):
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float


class Head(BaseModel):
    """The numbers behind the light."""

    light: Light | None = Field(description="null: undecided")
    percent: Interval
    lost_s: Interval
    run_s: float
    intrinsic_s: float
    cause: Cause | None
    what: str = Field(description="the main causes in words, as `jostle estimate` has them")
    resource: str
    advice: str
    likely: Light = Field(description="the most probable light")
    sure: float = Field(description="its probability, 0 to 1")
    undecided: str = Field(description="why the light is undecided; empty if it is decided")
    decided_by: str = Field(description="what would decide it; empty if it is decided")


class CauseLoss(BaseModel):
    """Seconds that a run lost to one cause."""

    cause: Cause
    resource: str
    seconds: Interval
    how: Literal["measured", "inferred", "neighbours"]
    kind: CauseKind
    level: float = Field(description="limit (GHz, W) or temperature (°C) of the kind; 0: unknown")


class HitPart(BaseModel):
    """What one cause took of a hit."""

    cause: Cause
    resource: str
    seconds: float
    kind: CauseKind = ""


class Hit(BaseModel):
    """A span of a run in which time was lost."""

    start_ns: int
    end_ns: int
    seconds: float
    cause: Cause = Field(description="that took most of it")
    resource: str
    parts: list[HitPart] = Field(default=[], description="what each cause took of it")


class CauseRow(BaseModel):
    """A row of the table of causes."""

    what: str = Field(description="the cause in words")
    place: str = Field(description="the resource; a mount by its path")
    seconds: Interval
    share: float = Field(description="of the run time")
    how: Literal["measured", "inferred", "neighbours"]


class EstimateReport(BaseModel):
    """What `jostle estimate --json` prints."""

    run_s: float
    intrinsic_s: float
    start_ns: int
    end_ns: int
    ranks: int
    lost_s: Interval
    percent: Interval
    coverage: float
    causes: list[CauseLoss]
    cause_rows: list[CauseRow] = Field(
        default=[], description="the table of causes, as `jostle estimate` prints it"
    )
    hits: list[Hit]
    light: Light | None
    sure: float
    undecided: str
    decided_by: str
    advice: str
    judged: bool = Field(description="whether there is a light")
    limits: list[str]
    core_hours_lost: float
    energy_lost_kwh: Interval | None = Field(
        default=None, description="energy of its nodes in lost time; null: not measured"
    )


class Blamed(BaseModel):
    """A suspect's part of a run's loss."""

    job: str
    program: str
    resources: list[str]
    seconds: Interval
    share: float = Field(description="of the whole loss")
    slices: int
    pattern: str
    kind: SuspectKind = Field(
        default="job", description="server: no neighbour, the server itself was slow"
    )
    how: str = Field(
        default="by statistical test", description="how it was found, in words: also by account"
    )
    agreement: str = Field(
        default="", description="of one found by account: what the test says of the same load"
    )


class BlameReport(BaseModel):
    """A run's loss, divided between suspects: all shares add up to 1."""

    lost_s: Interval
    suspects: list[Blamed]
    explained_s: Interval
    unexplained_s: Interval = Field(description="not explained by any profiled job")
    unexplained_share: float
    lost_slices: int = Field(description="slices in which time was lost, for any reason")
    suspect_slices: int = Field(description="those of them that a suspect slowed")


class Suspect(BaseModel):
    """A job that cost another one time."""

    job: str
    program: str
    resource: str
    share: float = Field(description="of the loss on the resource")
    seconds: Interval
    slices: int
    pattern: str
    kind: SuspectKind = "job"
    how: HowFound = Field(
        default="test",
        description="account: by who used the resource when; test: by a statistical test",
    )
    agreement: str = ""


class GuiltySlice(BaseModel):
    """A slice in which others cost a job time."""

    start_ns: int
    length_ns: int
    resource: str
    seconds: float
    suspect: str


class ResourceLoss(BaseModel):
    """What a job lost on one shared resource."""

    resource: str
    kind: ResourceKind
    seconds: Interval
    slowdown: float | None
    evident: bool
    why_not: str
    steps_ns: list[int]
    slice_ns: int
    service: list[float | None]
    how: HowFound = "test"


class AccountPart(BaseModel):
    """What one user of cores had of the time for which a job waited for them."""

    name: str
    kind: UserKind = Field(
        description="own: the job's other threads; limit: the CPU limit of its control group; "
        "steal: the hypervisor; unknown: nobody is known to have used them"
    )
    seconds: Interval


class CoreAccount(BaseModel):
    """Who had the cores of a node while a job waited for them."""

    host: str
    waited_s: float = Field(description="added up over its threads, as the kernel measured it")
    parts: list[AccountPart] = Field(description="they add up to waited_s")
    totals_known: bool = Field(
        description="the use of all cores was counted; else unprofiled load follows from waiting"
    )


class Untested(BaseModel):
    """Why it is not known whether a job cost another one time."""

    why: str
    decided_by: str = Field(description="a command, and what it is for")


class InterferenceReport(BaseModel):
    """What `jostle interference --json` prints."""

    seconds: Interval
    percent: Interval
    suspects: list[Suspect]
    guilty: list[GuiltySlice]
    resources: list[ResourceLoss]
    neighbours: int = Field(
        description="other jobs beside it; those that the viewer may not see count as one"
    )
    unnamed: bool = Field(False, description="among them are jobs that the viewer may not see")
    evident: bool
    blind: str = Field(
        description='why no suspect can be identified, and what would help; "": not so'
    )
    limits: list[str]
    acquitted: dict[str, str] = Field(description="jobs that were tested and did no visible harm")
    untested: dict[str, Untested] = Field(
        default={}, description="jobs of which it is not known, and what would decide it"
    )
    accounts: list[CoreAccount] = Field(
        default=[], description="who had the cores that the job waited for"
    )


class Spread(BaseModel):
    """A metric over processes."""

    total: float
    min: float
    mean: float
    max: float


class Rate(BaseModel):
    """A quantity divided by a time."""

    value: float
    unit: str


class Share(BaseModel):
    """A part of the time of the processes."""

    name: str
    seconds: float
    share: float | None = Field(description="null where more time was counted than there was")


class DigestMount(BaseModel):
    """A mount that a job used."""

    mount: str
    paths: list[str]
    type: str
    shared: bool
    processes: int
    metrics: dict[str, Spread]
    rates: dict[str, Rate]


class DigestFile(BaseModel):
    """A file that a job used; the last of a list may be all others together, without a hash."""

    path: str
    mount: str
    hash: str
    format: str
    files: int
    processes: int
    opens: int
    reads: int
    writes: int
    syncs: int
    read_bytes: int
    write_bytes: int
    seconds: float
    meta_s: float


class DigestFormat(BaseModel):
    """What a job did with the files of one format."""

    format: str
    files: int
    read_bytes: int
    write_bytes: int
    seconds: float


class DigestGpu(BaseModel):
    """What a job did on one GPU."""

    host: str
    gpu: str
    name: str
    memory_bytes: int
    to_bytes: int
    back_bytes: int
    within_bytes: int
    peer_bytes: int
    to_served: float | None
    back_served: float | None
    launches: int
    busy_share: float | None
    lost_records: int


class BindingConcern(BaseModel):
    """Processes of one node whom advice on bindings is about."""

    host: str
    who: str
    cpus: str
    nodes: str
    gpu: str
    gpu_node: int
    bytes: int
    seconds: float


class BindingReport(BaseModel):
    """What another binding of cores and GPUs would mend."""

    rule: str
    seen: str
    lever: str
    texts: list[str]
    pays: str
    unless: str
    saving: str
    saving_s: list[float] | None
    bytes: int
    seconds: float
    cases: list[BindingConcern]
    more_cases: int


class AccessReport(BaseModel):
    """How a job read, or wrote."""

    direction: str
    ops: int
    bytes: int
    mean_bytes: float
    histogram: list[int]
    common_low: int
    common_high: int
    small_share: float
    pattern: str


class Phase(BaseModel):
    """A time in which a job wrote, or read, in one pattern."""

    pattern: str
    start_ns: int
    end_ns: int
    bytes: float
    evidence: str


class AccessPattern(BaseModel):
    """How a job wrote to a mount, or read from it."""

    mount: str
    pattern: str
    phases: list[Phase]


class Unaccounted(BaseModel):
    """Bytes that the system counted, but no wrapped call."""

    direction: str
    bytes: int
    share: float


class Threads(BaseModel):
    """Cores that a process kept busy."""

    min: float
    mean: float
    max: float


class Cost(BaseModel):
    """What the profiler itself took."""

    calls: int
    heartbeat_s: float
    total_s: float
    share_of_cpu: float | None


class ClockReport(BaseModel):
    """How well the clocks agreed."""

    text: str


class DigestReport(BaseModel):
    """What `jostle digest --json` prints."""

    programs: dict[str, int]
    slice_ns: list[int]
    start_ns: int
    end_ns: int
    process_seconds: float
    metrics: dict[str, Spread]
    shares: list[Share]
    mounts: list[DigestMount]
    files: list[DigestFile]
    formats: list[DigestFormat]
    gpus: list[DigestGpu]
    binding: list[BindingReport]
    access: list[AccessReport]
    writing: list[AccessPattern]
    reading: list[AccessPattern]
    unaccounted: list[Unaccounted]
    errors: dict[str, int]
    effective_threads: Threads | None
    cores: float | None
    cost: Cost
    notes: list[str]
    warnings: list[str]
    clock: ClockReport


class Slowdown(BaseModel):
    """By how much one program slows another, with its 95 % interval if it is known."""

    value: float
    low: float | None
    high: float | None


class Encounter(BaseModel):
    """One program with and without another beside it."""

    victim: str
    aggressor: str
    resource_kind: ResourceKind
    with_runs: int
    without_runs: int
    with_mean: float
    without_mean: float
    slowdown: Slowdown | None
    normal: list[float | None]
    equal_variance: float | None
    test: str
    p: float | None
    q: float | None


class Potential(BaseModel):
    """How much a program slows others, and is slowed."""

    program: str
    runs: int
    active: float | None
    passive: float | None
    hurts: list[str]
    hurt_by: list[str]


class MatrixReport(BaseModel):
    """What `jostle matrix --json` prints."""

    programs: list[Potential]
    encounters: list[Encounter]
    jobs: int
    limits: list[str]
    commit: int = Field(description="commit of the repository that it was made from")
    seconds: float = Field(description="time that it took")


class EvidenceRun(BaseModel):
    """A run behind an encounter."""

    job: str | None = Field(description="null: the viewer may not open it")
    value: float


class EvidenceReport(BaseModel):
    """The runs of a program with another one beside it, and those without."""

    encounter: Encounter
    beside: list[EvidenceRun]
    without: list[EvidenceRun]


class DayOfPeers(BaseModel):
    """One day of a component and its peers."""

    day: str
    value: float = Field(description="difference from the peers' median, %; of a rate, the rate")
    low: float = Field(description="the least of nine in ten peers")
    high: float = Field(description="their largest")
    worse: bool


class NodeDifference(BaseModel):
    """A component that is persistently worse than its peers."""

    host: str
    role: str
    kind: str
    component: str
    figure: str
    what: str = Field(description="what is worse, in words")
    how_much: str = Field(description="by how much, in words")
    unit: str = Field(description="of a rate, what it is per; empty: percent")
    percent: Interval
    since: str
    worse_days: int
    days: int
    peers: int
    course: list[DayOfPeers]


class NotJudged(BaseModel):
    """Components that could not be judged."""

    words: str


class NodesReport(BaseModel):
    """What `jostle nodes --json` prints."""

    answer: str
    watched: str
    days: int = Field(description="days with slices of machines")
    comparisons: int
    differences: list[NodeDifference] = Field(description="the surest first")
    unjudged: list[NotJudged]
    commit: int = Field(description="commit of the repository that it was made from")
    seconds: float = Field(description="time that it took")
