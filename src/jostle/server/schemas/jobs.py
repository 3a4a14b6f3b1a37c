"""Schemas of answers about jobs.

Fields that end in `_ns` are in nanoseconds; instants are counted from the epoch. Fields that end in
`_s` are in seconds.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from jostle.analysis.estimation.light import Light
from jostle.analysis.estimation.model import CauseName
from jostle.report.verdict.attribution import Attribution
from jostle.report.verdict.batch_loss import LossNumbers
from jostle.report.verdict.verdict import VerdictHead
from jostle.report.verdict.verdict_worker import VerdictProgress
from jostle.server.schemas.reports import EstimateReport, InterferenceReport, WaitsReport


class Problem(BaseModel):
    """An error (RFC 9457), and how to correct it."""

    title: str
    status: int
    detail: str | None = Field(None, description="the cause, as the failed part reports it")
    fix: str | None = None


class CauseShare(BaseModel):
    """The loss of a job to one cause."""

    what: str
    place: str
    lost_s: float


class Brief(BaseModel):
    """A verdict in a few values, for a row of the list of jobs."""

    light: Light | None = Field(description="null: undecided")
    undecided: str = Field(description="why the light is undecided; empty if it is decided")
    percent: float
    lost_s: float
    cause: CauseName | None
    what: str = Field(description="the causes in words, as `jostle estimate` has them")
    resource: str | None
    run_s: float
    core_hours: float = Field(description="lost by its processes")
    causes: list[CauseShare]


class JobRow(BaseModel):
    """A row of the list of jobs."""

    job: str
    batch: str | None = Field(description="the batch job that it is a part of; null: none")
    part: str = Field(description="what users call it: `12.0` of Slurm job 12; else as `job`")
    program: str
    uid: int | None
    user: str | None
    start_ns: int
    end_ns: int
    running: bool
    processes: int
    ranks: int = Field(description="those of its processes that are MPI ranks")
    nodes: int
    verdict: Brief | None = Field(description="null: none yet, or there can be none")
    why_not: str = Field(description="why there can be no verdict; empty: not so, or not known yet")
    spark: list[float] = Field(description="its activity, from its start to its end")
    spark_of: Literal["files", "collectives", "mpi", "cpu"] | None = Field(
        description="the quantity of `spark`: bytes read and written; with little traffic "
        "time in collective libraries, in MPI, or CPU time, ns; null: unknown"
    )


class LossGroup(BaseModel):
    """The loss of the jobs of one user, program, resource or week."""

    name: str
    jobs: int = Field(description="jobs with a verdict")
    run_s: float
    lost_s: float = Field(description="the most likely values, added up")
    core_hours: float = Field(description="spent by their processes in lost time")
    worst: str = Field(description="the job that lost most")
    worst_s: float


class Losses(BaseModel):
    """The loss of a system's jobs to interference."""

    jobs: int = Field(description="jobs that the viewer may see and that began in the span")
    waiting: int = Field(description="those of them without a verdict")
    total: LossGroup
    users: list[LossGroup]
    programs: list[LossGroup]
    resources: list[LossGroup] = Field(description="a job counts for each that cost it time")
    weeks: list[LossGroup] = Field(description="by their Mondays, UTC")


class SchedulerFacts(BaseModel):
    """Facts on a batch job from its batch system; an empty text or 0 is not known."""

    name: str
    partition: str
    account: str
    state: str
    exit: str = Field(description="exit code and signal, `3:0`")
    cores: int
    memory_bytes: int
    time_limit_s: int
    nodes: list[str]
    dependency: str
    array_job: int
    array_task: int = Field(description="-1: it is no task of an array")
    het_job: int
    het_component: int = Field(description="-1: it is no component")


class BatchJob(BaseModel):
    """A batch job, such as Slurm job 12, as a whole."""

    name: str
    title: str = Field(description="`Slurm job 12`")
    parts: int = Field(description="its script, steps and mpiruns")
    waiting: int = Field(description="parts without a verdict yet")
    run_s: float = Field(description="from its first process to its last")
    loss: LossNumbers | None = Field(description="null: some parts have no verdict yet")
    scheduler: SchedulerFacts | None = Field(description="null: none were recorded")


class Facets(BaseModel):
    """For each value of a field, the number of jobs that match the filters of all other fields."""

    light: dict[str, int]
    cause: dict[str, int]
    user: dict[str, int]
    program: dict[str, int]
    state: dict[str, int]


class Jobs(BaseModel):
    """A page of the list of jobs."""

    total: int = Field(description="jobs that match all filters")
    waiting: int = Field(description="those of them whose verdicts are still to be made")
    jobs: list[JobRow]
    facets: Facets


class Verdict(BaseModel):
    """The loss of a job to interference, estimated from its own run and from its neighbours.

    `estimate` is the output of `jostle estimate --json`. `interference` is the output of `jostle
    interference --json`; it is null if no other job ran at the same time.
    """

    job: JobRow
    head: VerdictHead
    attribution: Attribution
    estimate: EstimateReport
    interference: InterferenceReport | None
    mounts: dict[str, str] = Field(
        description="mount, or a resource of one -> the same with its path in the job"
    )
    waits: WaitsReport | None = Field(
        default=None, description="whom its ranks waited for; null: it has no ranks"
    )


class Line(BaseModel):
    """One line of a series: minimum, mean and maximum at each point; null: no value."""

    name: str
    low: list[float | None]
    mean: list[float | None]
    high: list[float | None]


class Series(BaseModel):
    """Some metrics of a job, or of other jobs on its resources, over time."""

    metric: str
    unit: str = Field(description="of the values: bytes/s, ops/s, s/s or a level's own")
    start_ns: int
    step_ns: int
    lines: list[Line]
    few: bool = Field(description="sums of too few other users are hidden (null)")


class GpuSeries(BaseModel):
    """Some metrics of a job on one GPU."""

    host: str
    gpu: str = Field(description="PCI bus id, or the UUID of an instance")
    name: str = Field(description="its make; empty: unknown")
    series: Series


class JobGpus(BaseModel):
    """The busiest GPUs of a job, at most twelve, sorted by host and name."""

    gpus: list[GpuSeries]


class Quartiles(BaseModel):
    """The distribution of a number over the other runs of a job's program."""

    runs: int
    min: float
    q1: float | None = Field(description="null: fewer than five runs have no quarters")
    median: float | None
    q3: float | None
    max: float
    values: list[float] = Field(description="the totals, if there are fewer than five runs")


class Figure(BaseModel):
    """One number of a job: in total, over its processes, and in other runs of its program."""

    name: str
    unit: Literal["bytes", "ops", "s"]
    total: float
    least: float | None = Field(description="least of its processes; null: not counted per process")
    mean: float | None
    most: float | None
    others: Quartiles | None = Field(description="null: its program has no other run")


class Figures(BaseModel):
    """The numbers of a job, compared with other runs of its program."""

    program: str
    runs: int = Field(description="number of other runs it is compared with")
    others: list[str] = Field(description="their names, if there are fewer than five")
    processes: int | None = Field(description="number of processes of each run; null: they differ")
    figures: list[Figure]


class MetricName(BaseModel):
    """A metric that a series or a grid may show."""

    id: str
    group: str
    unit: str
    scope: Literal["process", "mount"]
    text: str


class ViewName(BaseModel):
    """A name for several metrics that are shown together."""

    id: str
    title: str


class Metrics(BaseModel):
    """All values that parameter `metric` may have."""

    views: list[ViewName]
    metrics: list[MetricName]


class Assessment(BaseModel):
    """The verdict is being computed: retry in a moment."""

    state: Literal["assessing"] = "assessing"
    job: JobRow
    progress: VerdictProgress | None = Field(
        description="null: it waits for the verdict on another job"
    )
