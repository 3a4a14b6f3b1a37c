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
    assessed: bool = Field(description="whether the run has a traffic light")
    limits: list[str]
    core_hours_lost: float
    energy_lost_kwh: Interval | None = Field(
        default=None,
        description="energy that the job's nodes used in the lost time; null: not measured",
    )


class StragglerReport(BaseModel):
    """Late ranks of one node, for which the other ranks of their world waited."""

    ranks: list[int]
    host: str
    start_ns: int
    end_ns: int
    seconds: float = Field(description="time for which the other ranks waited for these ranks")
    cause: WaitCause
    interference: bool = Field(description="true: the cause is outside the program")
    confidence: float = Field(
        description="1 minus the probability that equal ranks differ as much by chance"
    )
    who: str = Field(description="the late ranks and their node, in words")
    when: str = Field(description="start and end of the time in which they were late, in words")
    reason: str = Field(
        description="the cause in words; if it is not known, why not, and which data would show it"
    )
    text: str = Field(description="who, when and reason as one sentence")


class WorldWaitsReport(BaseModel):
    """The late ranks of one MPI world, or of one training launch."""

    number: int
    ranks: int
    answer: WaitAnswer = Field(
        description="named: the others waited for the stragglers; cleared: they waited for no rank "
        "in particular; undecided: this is not known"
    )
    stragglers: list[StragglerReport]
    text: str = Field(description="the answer, with its stragglers, in words")


class WaitsReport(BaseModel):
    """The late ranks of a job, as `waits` in the output of `jostle estimate --json`."""

    worlds: list[WorldWaitsReport]
    false_alarm: float = Field(
        description="probability that a straggler is named in a world whose ranks are equal"
    )


class CoreAccount(BaseModel):
    """The users of a node's cores while a job waited for these cores."""

    host: str
    waited_s: float = Field(
        description="time that the job's threads waited, as the kernel measured it, added up over "
        "threads"
    )
    parts: list[AccountPart] = Field(
        description="this waiting by user of the cores, the largest part first; the sum is waited_s"
    )
    totals_known: bool = Field(
        description="true: the use of all cores was counted; false: load without a profile was "
        "inferred from the waiting"
    )


class InterferenceReport(BaseModel):
    """The output of `jostle interference --json`."""

    seconds: Interval
    percent: Interval
    suspects: list[Suspect]
    disturbed: list[DisturbedSlice]
    resources: list[ResourceLoss]
    neighbours: int = Field(
        description="number of other jobs that were active on its resources; all that the viewer "
        "may not see are counted as one"
    )
    unnamed: bool = Field(
        False, description="true: some of these neighbours are jobs that the viewer may not see"
    )
    evident: bool = Field(description="true: there is evidence that others cost the job time")
    blind: str = Field(
        description="why no suspect can be identified, and what would help; empty: one can be"
    )
    limits: list[str]
    ruled_out: dict[str, str] = Field(
        description="for each job that was tested without finding an effect, the reason"
    )
    untested: dict[str, Untested] = Field(
        default={},
        description="for each job that could not be tested, the reason, and what would decide it",
    )
    accounts: list[CoreAccount] = Field(
        default=[], description="for each node, who used the cores that the job waited for"
    )


class SiteAdviceReport(BaseModel):
    """The advice on a site; for viewers who may not see all jobs, the losses of visible jobs."""

    waiting: int = Field(
        description="number of jobs of the period that have no verdict yet; they are in no sum"
    )
    advice: SiteAdvice | None = Field(description="null: the viewer may not see all jobs")
    sums: SiteSums | None = Field(description="null: the viewer may see all jobs, see `advice`")


@dataclass(frozen=True, kw_only=True)
class MatrixReport(Matrix):
    """The output of `jostle matrix --json`.

    Attributes:
        commit: Number of the repository's newest commit when the computation began.
        seconds: Duration of the computation, in seconds.
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

    job: str | None = Field(description="name of the job; null: the viewer may not see the job")
    value: float = Field(
        description="time per operation, relative to undisturbed operations of the same program"
    )


class EvidenceReport(BaseModel):
    """The runs of a program that ran alongside another program, and its other runs."""

    encounter: Encounter
    alongside: list[EvidenceRun]
    without: list[EvidenceRun]


class DayOfPeers(BaseModel):
    """One day of a component and its peers."""

    day: str
    value: float = Field(
        description="difference of the component from the median of its peers, percent; for a "
        "rate, the component's rate itself"
    )
    low: float = Field(description="lower end of the range that contains nine of ten peers")
    high: float = Field(description="upper end of that range")
    worse: bool = Field(description="true: the component was significantly worse (p < 0.05)")


class NodeDifference(BaseModel):
    """A component that is persistently worse than its peers."""

    host: str
    role: str
    kind: str
    component: str
    figure: str = Field(description="name of the measure by which the component is worse")
    what: str = Field(description="component and measure in words")
    how_much: str = Field(description="difference from the peers in words")
    unit: str = Field(description="if `figure` is a rate, the unit of its divisor; else empty")
    percent: Interval
    since: str = Field(description="first day of the difference")
    worse_days: int = Field(
        description="number of days since then on which the component was significantly worse"
    )
    days: int = Field(description="number of days since then on which it was compared")
    peers: int = Field(description="number of components with which it was compared")
    course: list[DayOfPeers]


class NotAssessed(BaseModel):
    """Components that could not be assessed."""

    words: str = Field(description="which components, and why, as one sentence")


class NodesReport(BaseModel):
    """The output of `jostle nodes --json`."""

    answer: str = Field(description="the machines that are worse than their peers, as a sentence")
    watched: str = Field(description="how many components and days were compared, in words")
    days: int = Field(description="number of days on which agents recorded slices")
    comparisons: int = Field(description="number of evaluated pairs of component and measure")
    differences: list[NodeDifference] = Field(description="the one with most evidence first")
    unassessed: list[NotAssessed]
    commit: int = Field(description="number of the repository's newest commit at the computation")
    seconds: float = Field(description="duration of the computation")
