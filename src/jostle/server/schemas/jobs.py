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
    fix: str | None = Field(None, description="what to do about the error; null: not known")


class CauseShare(BaseModel):
    """The loss of a job to one cause."""

    what: str
    place: str
    lost_s: float


class Brief(BaseModel):
    """A verdict in a few values, for a row of the list of jobs."""

    light: Light | None = Field(description="the traffic light; null: it is undecided")
    undecided: str = Field(description="why the light is undecided; empty if it is decided")
    percent: float = Field(description="lost time in percent of `run_s`")
    lost_s: float = Field(description="run time lost to interference, the most likely value")
    cause: CauseName | None = Field(
        description="cause of the largest loss; null: less than 0.5 % of the run time was lost"
    )
    what: str = Field(description="the main causes in words, as `jostle estimate` prints them")
    resource: str | None = Field(
        description="resource with the largest loss; null: not known, or `cause` is null"
    )
    run_s: float = Field(description="run time that was evaluated")
    core_hours: float = Field(description="core hours that the job's processes lost")
    causes: list[CauseShare]


class JobRow(BaseModel):
    """A row of the list of jobs."""

    job: str
    batch: str | None = Field(
        description="batch job that this job is a part of; null: it is part of none"
    )
    part: str = Field(
        description="for a part of a Slurm job, Slurm's name of the part, such as `12.0`; else the "
        "same as `job`"
    )
    program: str
    uid: int | None
    user: str | None
    start_ns: int
    end_ns: int
    running: bool
    processes: int
    ranks: int = Field(description="number of the job's processes that are ranks; 0: none")
    nodes: int
    verdict: Brief | None = Field(description="null: there is no verdict (yet); see `why_not`")
    why_not: str = Field(
        description="why there can be no verdict; empty: there is one, or one may still come"
    )
    spark: list[float] = Field(
        description="activity of the job in equal parts of its run time, from its start to its end"
    )
    spark_of: Literal["files", "collectives", "mpi", "cpu"] | None = Field(
        description="quantity that `spark` shows. `files`: bytes read and written. For jobs with "
        "little file traffic, the first known time, ns: `collectives` in collective libraries, "
        "`mpi` in MPI, or `cpu` CPU time. null: nothing is known"
    )


class LossGroup(BaseModel):
    """The loss of the jobs of one user, program, resource or week."""

    name: str
    jobs: int = Field(description="number of jobs in the group, all of them with a verdict")
    run_s: float = Field(description="sum of the jobs' run times")
    lost_s: float = Field(description="sum of the jobs' most likely losses")
    core_hours: float = Field(description="core hours that the jobs' processes lost")
    worst: str = Field(description="the job that lost most time")
    worst_s: float = Field(description="loss of the job `worst`")


class Losses(BaseModel):
    """The loss of a system's jobs to interference."""

    jobs: int = Field(description="number of visible jobs that began in the span")
    waiting: int = Field(description="number of these jobs that have no verdict")
    total: LossGroup
    users: list[LossGroup]
    programs: list[LossGroup]
    resources: list[LossGroup] = Field(
        description="a job is in the groups of all resources on which it lost time"
    )
    weeks: list[LossGroup] = Field(
        description="weeks in which jobs began, each with the date of its Monday (UTC) as name"
    )


class SchedulerFacts(BaseModel):
    """Facts on a batch job from its batch system; an empty text or 0 is not known."""

    name: str
    partition: str
    account: str
    state: str
    exit: str = Field(description="exit code and signal, such as `3:0`")
    cores: int
    memory_bytes: int
    time_limit_s: int
    nodes: list[str]
    dependency: str = Field(description="jobs that this job had to wait for, such as `afterok:11`")
    array_job: int = Field(description="number of the job array that this job is a task of")
    array_task: int = Field(description="number of the task in the job array; -1: it is no task")
    het_job: int = Field(description="number of the heterogeneous job that this is a component of")
    het_component: int = Field(
        description="number of the component in the heterogeneous job; -1: it is no component"
    )


class BatchJob(BaseModel):
    """A batch job, such as Slurm job 12, as a whole."""

    name: str
    title: str = Field(description="name for users, such as `Slurm job 12`")
    parts: int = Field(description="number of its parts: the script, steps and mpiruns")
    waiting: int = Field(description="number of parts that have no verdict yet")
    run_s: float = Field(description="time from the start of its first part to the end of its last")
    loss: LossNumbers | None = Field(description="null: some parts have no verdict yet")
    scheduler: SchedulerFacts | None = Field(description="null: no facts are known")


class Facets(BaseModel):
    """For each value of a field, the number of jobs that match the filters of all other fields."""

    light: dict[str, int]
    cause: dict[str, int]
    user: dict[str, int]
    program: dict[str, int]
    state: dict[str, int]


class Jobs(BaseModel):
    """A page of the list of jobs."""

    total: int = Field(description="number of jobs that match all filters")
    waiting: int = Field(description="number of these jobs whose verdict is still to be computed")
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
        description="names for users: for the identity of each mount, its path in the job; for "
        "each resource that is a part of a mount, its name with this path"
    )
    waits: WaitsReport | None = Field(
        default=None, description="late ranks that others waited for; null: the job has no ranks"
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
    unit: str = Field(
        description="unit of the values: bytes/s, ops/s, s/s, or for gauges the unit of the metric"
    )
    start_ns: int
    step_ns: int
    lines: list[Line]
    few: bool = Field(
        description="true: some values are null because they would be sums over too few other users"
    )


class GpuSeries(BaseModel):
    """Some metrics of a job on one GPU."""

    host: str
    gpu: str = Field(description="PCI bus id of the GPU; for a MIG instance its UUID")
    name: str = Field(description="model of the GPU; empty: not known")
    series: Series


class JobGpus(BaseModel):
    """The busiest GPUs of a job, at most twelve, sorted by host and name."""

    gpus: list[GpuSeries]


class Quartiles(BaseModel):
    """The distribution of a number over the other runs of a job's program."""

    runs: int = Field(description="number of other runs")
    min: float
    q1: float | None = Field(description="first quartile; null: there are fewer than five runs")
    median: float | None = Field(description="null: there are fewer than five runs")
    q3: float | None = Field(description="third quartile; null: there are fewer than five runs")
    max: float
    values: list[float] = Field(
        description="the number in each run if there are fewer than five runs; else empty"
    )


class Figure(BaseModel):
    """One number of a job: in total, over its processes, and in other runs of its program."""

    name: str
    unit: Literal["bytes", "ops", "s"]
    total: float
    least: float | None = Field(
        description="smallest value of a process; null: the number is not counted per process"
    )
    mean: float | None = Field(description="mean over the processes; null as for `least`")
    most: float | None = Field(description="largest value of a process; null as for `least`")
    others: Quartiles | None = Field(description="null: the program has no other finished run")


class Figures(BaseModel):
    """The numbers of a job, compared with other runs of its program."""

    program: str
    runs: int = Field(description="number of other runs with which the job is compared")
    others: list[str] = Field(
        description="names of these runs if there are fewer than five; else empty"
    )
    processes: int | None = Field(
        description="the job's number of processes, if all these runs have the same number; null: "
        "no other run has as many processes as the job"
    )
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
        description="null: the verdict on another job is computed first"
    )
