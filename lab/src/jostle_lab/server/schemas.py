"""Schemas of answers about studies."""

from __future__ import annotations

from pydantic import BaseModel, Field


class StudyRow(BaseModel):
    """A study of the list."""

    study: str
    description: str = ""
    place: str = Field("", description="local, lab or slurm")
    done: int = 0
    planned: int = 0
    failed: int = Field(0, description="runs in which a program failed")
    programs: list[str] = []
    end_ns: int = Field(0, description="end of its newest run; 0: no run yet")
    damaged: str | None = Field(None, description="why it cannot be read")
    fix: str | None = None


class Studies(BaseModel):
    """The studies of the repository."""

    studies: list[StudyRow]


class Setting(BaseModel):
    """What the runs of a cell had in common."""

    chunk: int | None
    processes: tuple[int, int] = Field(description="of the probe and of the signal")
    shared: bool
    periodic: bool
    more: list[tuple[str, str]]


class Summary(BaseModel):
    """A figure over repetitions, with the 95 % interval of its mean."""

    n: int
    median: float | None
    min: float | None
    max: float | None
    mean: float | None
    low: float | None = Field(description="null: fewer than three runs, too few for an interval")
    high: float | None


class Side(BaseModel):
    """One of the two programs of a run."""

    program: str
    job: str
    processes: int
    degradation: float | None
    dilation: float | None
    seconds: float | None


class Repetition(BaseModel):
    """A run of a cell."""

    run: str
    repetition: int
    verdict: str
    reason: str
    probe: Side | None
    signal: Side | None


class Cell(BaseModel):
    """A probe alongside a signal."""

    probe: str
    signal: str
    setting: Setting
    metric: str
    repetitions: list[Repetition]
    degradation: Summary
    degradation_best: float | None
    best: str
    dilation: Summary
    signal_degradation: Summary


class CurvePoint(BaseModel):
    """A point of a curve."""

    x: float
    degradation: Summary
    best: float | None


class Curve(BaseModel):
    """A probe alongside a signal as one setting varies."""

    axis: str
    probe: str
    signal: str
    setting: Setting
    points: list[CurvePoint]


class Trace(BaseModel):
    """Two programs side by side, slice by slice."""

    probe: str
    signal: str
    setting: Setting
    run: str
    metric: str
    slice_ns: int
    probe_rate: list[float | None]
    signal_rate: list[float | None]
    alone_rate: list[float | None]
    alone_first: int
    bursts: list[tuple[int, int]]


class Standalone(BaseModel):
    """A program by itself."""

    program: str
    setting: Setting
    metric: str
    rate: Summary
    seconds: Summary
    discarded: int
    failed: int


class Law(BaseModel):
    """A law of the papers, and whether it holds in this study."""

    name: str
    statement: str
    goal: str
    holds: bool | None
    n: int
    explanation: str


class Sentence(BaseModel):
    """A result as a sentence."""

    text: str


class Note(BaseModel):
    """A remark on a study."""

    kind: str
    text: str


class ImprintReport(BaseModel):
    """The signal's bursts that are visible in a probe."""

    probe: str
    signal: str
    run: str
    seen: int
    total: int
    depth: Summary


class StudyReport(BaseModel):
    """What `jostle study show --json` prints, with the study's description; and more."""

    study: str
    description: str
    place: str
    slice_ns: int
    runs: int
    planned: int
    programs: list[str]
    standalone: list[Standalone]
    cells: list[Cell]
    curves: list[Curve]
    break_even: list[Sentence]
    serialised: list[Sentence]
    imprints: list[ImprintReport]
    traces: list[Trace]
    notes: list[Note]
    laws: list[Law]


class StudyPage(BaseModel):
    """The results of a study, and of a second one to compare with.

    Each is what `jostle study show --json` prints, with the study's description.
    """

    study: StudyReport
    other: StudyReport | None
