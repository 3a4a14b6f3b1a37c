"""Schemas of the commands' `--json` output, where no dataclass has exactly these fields.

If a dataclass has exactly the fields of an answer, it is the schema of the answer. This module has
the schemas of all other answers. They name the fields that the pages read; the answers have all
fields of the commands' output. Tests, not the server, validate answers against these schemas.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, Field

from jostle.analysis.estimation.light import Light
from jostle.analysis.estimation.model import Cause, Hit
from jostle.analysis.identification.model import (
    AccountPart,
    DisturbedSlice,
    Encounter,
    Matrix,
    ResourceLoss,
    Suspect,
    Untested,
)
from jostle.analysis.identification.runs.met_runs import RunAmongItsLike
from jostle.analysis.interval import Interval
from jostle.analysis.site_advice import SiteAdvice, SiteSums
from jostle.analysis.waits.model import WaitAnswer, WaitCause
from jostle.report.verdict.verdict import CauseRow


class EstimateReport(BaseModel):
    """The output of `jostle estimate --json`."""

    run_s: float
    intrinsic_s: float
    start_ns: int
    end_ns: int
    ranks: int
    lost_s: Interval
    percent: Interval
    coverage: float
    causes: list[Cause]
    cause_rows: list[CauseRow] = Field(
        default=[], description="the table of causes, as `jostle estimate` prints it"
    )
    hits: list[Hit]
    light: Light | None
    sure: float
    undecided: str
    decided_by: str
    advice: str
    assessed: bool = Field(description="whether there is a light")
    limits: list[str]
    core_hours_lost: float
    energy_lost_kwh: Interval | None = Field(
        default=None, description="energy of its nodes in lost time; null: not measured"
    )


class StragglerReport(BaseModel):
    """Late ranks of one node, for which the other ranks of their world waited."""

    ranks: list[int]
    host: str
    start_ns: int
    end_ns: int
    seconds: float = Field(description="that the others waited for them")
    cause: WaitCause
    interference: bool = Field(description="the cause is outside the program")
    confidence: float = Field(
        description="1 less the probability that ranks that are alike show as much"
    )
    who: str = Field(description="ranks and node in words")
    when: str = Field(description="since when and until when, in words")
    reason: str = Field(
        description="the cause in words; if unknown, why, and which data would show it"
    )
    text: str = Field(description="all of it as one sentence")


class WorldWaitsReport(BaseModel):
    """The late ranks of one MPI world, or of one training launch."""

    number: int
    ranks: int
    answer: WaitAnswer
    stragglers: list[StragglerReport]
    text: str = Field(description="the answer in words")


class WaitsReport(BaseModel):
    """The late ranks of a job, as `waits` in the output of `jostle estimate --json`."""

    worlds: list[WorldWaitsReport]
    false_alarm: float = Field(
        description="probability that a world whose ranks are alike has a straggler named"
    )


class CoreAccount(BaseModel):
    """The users of a node's cores while a job waited for these cores."""

    host: str
    waited_s: float = Field(description="added up over its threads, as the kernel measured it")
    parts: list[AccountPart] = Field(description="they add up to waited_s")
    totals_known: bool = Field(
        description="the use of all cores was counted; else unprofiled load follows from waiting"
    )


class InterferenceReport(BaseModel):
    """The output of `jostle interference --json`."""

    seconds: Interval
    percent: Interval
    suspects: list[Suspect]
    disturbed: list[DisturbedSlice]
    resources: list[ResourceLoss]
    neighbours: int = Field(
        description="jobs that ran alongside it; those that the viewer may not see count as one"
    )
    unnamed: bool = Field(False, description="among them are jobs that the viewer may not see")
    evident: bool
    blind: str = Field(
        description='why no suspect can be identified, and what would help; "": not so'
    )
    limits: list[str]
    ruled_out: dict[str, str] = Field(
        description="jobs that were tested and are ruled out, and why"
    )
    untested: dict[str, Untested] = Field(
        default={}, description="jobs that could not be tested, and what would decide it"
    )
    accounts: list[CoreAccount] = Field(
        default=[], description="who had the cores that the job waited for"
    )


class SiteAdviceReport(BaseModel):
    """The advice on a site; for viewers who may not see all jobs, the losses of visible jobs."""

    waiting: int = Field(description="jobs of the period without a verdict yet: they count nothing")
    advice: SiteAdvice | None = Field(description="null: the viewer may not see all jobs")
    sums: SiteSums | None = Field(description="null: the viewer may see all jobs")


@dataclass(frozen=True, kw_only=True)
class MatrixReport(Matrix):
    """The output of `jostle matrix --json`.

    Attributes:
        commit: Number of the repository's newest commit when the computation began.
        seconds: Duration of the computation, s.
    """

    commit: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class LikeRunsReport(RunAmongItsLike):
    """The output of `jostle interference --json` for an imported job without slices.

    Attributes:
        rests_on: Recorded data on which the answer is based, one sentence each. For a job with
            slices this and all other fields are empty: see its verdict.
    """

    rests_on: list[str]


class EvidenceRun(BaseModel):
    """A run from which an encounter (a comparison of two programs) was computed."""

    job: str | None = Field(description="null: the viewer may not open it")
    value: float


class EvidenceReport(BaseModel):
    """The runs of a program that ran alongside another program, and its other runs."""

    encounter: Encounter
    alongside: list[EvidenceRun]
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


class NotAssessed(BaseModel):
    """Components that could not be assessed."""

    words: str


class NodesReport(BaseModel):
    """The output of `jostle nodes --json`."""

    answer: str
    watched: str
    days: int = Field(description="days with slices of machines")
    comparisons: int
    differences: list[NodeDifference] = Field(description="the surest first")
    unassessed: list[NotAssessed]
    commit: int = Field(description="commit of the repository that it was made from")
    seconds: float = Field(description="time that it took")
