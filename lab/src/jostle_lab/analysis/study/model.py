"""Result types of a study evaluation (`jostle_lab.analysis.study.evaluate`).

Rates are progress per second: bytes/s, or closes/s, collectives/s ... where a program's progress is
counted in something else (`metric`). Shares (degradation, dilation, relative errors) are fractions,
not per cent. What could not be measured is None; `to_json` gives it as null. Times are ns since
the epoch where a name ends in `_ns`, else seconds.

Degradation and dilation are different numbers, and both are kept apart everywhere. Degradation
compares rates, measured from the start until one program has done 90 % of its work (Shah, 2020,
section 3.2.3): (isolated - interfered) / isolated rate. Dilation compares the times of whole runs:
interfered / isolated run time - 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jostle.values.plain_values import plain
from jostle_lab.analysis.study.setting import Setting, Summary, size_label
from jostle_lab.analysis.study.trace import Drop, Imprint, Trace

__all__ = [
    "Balance",
    "BreakEven",
    "Cell",
    "Curve",
    "Drop",
    "Imprint",
    "Kuo",
    "KuoRow",
    "Law",
    "Phases",
    "Point",
    "Prediction",
    "Repetition",
    "Serialised",
    "Setting",
    "Side",
    "Standalone",
    "StudyNote",
    "StudyResult",
    "Summary",
    "Trace",
    "size_label",
]


@dataclass(frozen=True)
class Standalone:
    """A program that runs alone: one row of tables 1 and 2 (Kuo et al., 2013).

    Attributes:
        program: Its name.
        setting: Its setting, without a signal program.
        pattern: Which of jostle's signal programs it is; "" for any other command.
        metric: What its progress is counted in: bytes, closes, collectives ...
        nodes: On how many nodes it ran.
        volume: All of its work, in units of the metric; None where that is not fixed.
        rate: Rate until 90 % of its work was done, over the runs that are used.
        best: Highest of these rates, which is that of the least disturbed run.
        overall: Rate over the whole run: all work over all its time.
        seconds: Run times, s.
        rates: Every run's rate, in order of repetition, including those left out.
        outlier: Which of them Kuo's rule (§2.4) leaves out.
        protocol: Bytes at the servers per byte that it moved; None without server counters.
        discarded: Repetitions left out for foreign traffic.
        failed: Repetitions in which it failed.
    """

    program: str
    setting: Setting
    pattern: str
    metric: str
    nodes: int
    volume: float | None
    rate: Summary
    best: float | None
    overall: Summary
    seconds: Summary
    rates: list[float]
    outlier: list[bool]
    protocol: float | None
    discarded: int
    failed: int


@dataclass(frozen=True)
class Balance:
    """How evenly several file servers served a standalone program (Shah, 2020, figs. 3.3, 3.4).

    Attributes:
        program: Its name.
        setting: Its setting.
        seconds: Time that each process took in each run that counts, s.
        middle: Index of the run whose rate is nearest to the median.
        spread: Standard deviation over mean of a run's times, over the runs.
        servers: Names of the servers.
        ends: Ends of the steps in which their counters were read, s from the program's begin.
        received: Bytes per second that each server received, shape (servers, steps).
    """

    program: str
    setting: Setting
    seconds: list[list[float]]
    middle: list[float]
    spread: Summary
    servers: list[str]
    ends: list[float]
    received: list[list[float]]


@dataclass(frozen=True)
class Side:
    """One of the two programs of a run.

    Attributes:
        program: Its name.
        job: Its job, as the repository knows it.
        processes: How many processes made progress (as asked for where none did).
        nodes: On how many nodes.
        metric: What its progress is counted in.
        isolated: Its standalone rate (median of the runs that count).
        interfered: Its rate in the evaluated part.
        overlap: Its rate in the active overlap (Kuo et al., 2013, section 4.2); None without such a
            region.
        overall: Its rate over its whole run.
        seconds: Its run time, s.
        degradation: Loss of rate in the evaluated part against the median standalone rate.
        dilation: Dilation of its run time; None unless its work was fixed.
        dilation_implied: d / (1 - d): what the dilation would be if the other ran to its end; for
            cross-checking only.
        service_ns: Mean time of one of its write, sync, open or close calls in the evaluated part.
        service_alone_ns: The same of its standalone runs.
    """

    program: str
    job: str
    processes: int
    nodes: int
    metric: str
    isolated: float | None
    interfered: float | None
    overlap: float | None
    overall: float | None
    seconds: float | None
    degradation: float | None
    dilation: float | None
    dilation_implied: float | None
    service_ns: float | None = None
    service_alone_ns: float | None = None


@dataclass(frozen=True)
class Repetition:
    """One run of a cell.

    Attributes:
        run: Its id in the study.
        repetition: Which repetition.
        verdict: "kept"; "discarded" (foreign traffic); "failed" (a program failed: a result);
            "unusable" (no progress was seen, or the two never ran at once).
        reason: Why, in words; "" when kept.
        probe: The side of the probe; None where nothing is known of it.
        signal: The signal.
        slices: Length of the evaluated part, slices.
        overlap_slices: Length of the active overlap, slices.
        spread: Standard deviation over mean of the bytes that each process of both moved in the
            active overlap (Kuo et al., 2013, section 4.2).
        foreign: Traffic at the servers relative to that of our programs, less 1; None if unknown.
        exclusive: 0 when both share every slice evenly, 1 when each slice belongs to one.
    """

    run: str
    repetition: int
    verdict: str
    reason: str
    probe: Side | None
    signal: Side | None
    slices: int
    overlap_slices: int
    spread: float | None
    foreign: float | None
    exclusive: float | None


@dataclass(frozen=True)
class Cell:
    """A probe against a signal in one setting.

    Attributes:
        probe: Name of the probe.
        signal: Name of the signal.
        setting: The setting, as the probe sees it.
        metric: What the probe's progress is counted in.
        repetitions: Every run.
        degradation: Over the runs kept; 0.43 = lost 43 %.
        degradation_best: Degradation of the least disturbed run against the best standalone run.
        best: Its run id; "" where none counts.
        dilation: Over the runs kept whose work was fixed.
        signal_degradation: The loss of the signal in the same runs.
        overlap_rate: The probe's rate in the active overlap.
        signal_overlap_rate: The signal's.
    """

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
    overlap_rate: Summary
    signal_overlap_rate: Summary


@dataclass(frozen=True)
class Point:
    """One point of a curve: x is a chunk size in bytes or a number of processes."""

    x: float
    degradation: Summary
    best: float | None


@dataclass(frozen=True)
class Curve:
    """Degradation of a probe along one axis (Shah, 2020, figures 3.6 and 3.8).

    Attributes:
        axis: "chunk", "processes" (the probe's) or "signal processes".
        probe: Name of the probe.
        signal: Name of the signal.
        setting: What is the same in all points; the axis itself holds its first value.
        points: At least two, x ascending.
    """

    axis: str
    probe: str
    signal: str
    setting: Setting
    points: list[Point]


@dataclass(frozen=True)
class BreakEven:
    """The chunk size at which two programs slow each other equally (Shah, 2020, section 3.3.3).

    Attributes:
        one: The program that loses more with smaller chunks.
        other: The other.
        setting: What is the same in all points.
        chunk: Chunk size, bytes, interpolated on a logarithmic axis; None: no such size here.
        text: In words, also why there is none.
        certain: On either side of it, as far as sizes were measured there, the intervals of the two
            losses are disjoint at some size.
    """

    one: str
    other: str
    setting: Setting
    chunk: float | None
    text: str
    certain: bool = True


@dataclass(frozen=True)
class Serialised:
    """A pair whose traffic took turns instead of sharing (Shah, 2020, section 3.3.3).

    Attributes:
        first: The program that went first, or the probe.
        second: The other.
        setting: The setting.
        kind: "one first" or "by turns".
        runs: In which runs.
        text: In words.
    """

    first: str
    second: str
    setting: Setting
    kind: str
    runs: list[str]
    text: str


@dataclass(frozen=True)
class Prediction:
    """Run times of one pair that equations 1 to 4 predict (Kuo et al., 2013).

    Attributes:
        by: "process" or "node": who gets a fair share.
        large_s: Predicted concurrent run time of the larger, s (equation 1).
        small_s: The same for the smaller (equation 2).
        large_error: Relative error of large_s: (predicted - observed) / observed.
        small_error: The same for small_s.
        large_alone_s: Predicted standalone run time of the larger, backwards (equation 3).
        small_alone_s: The same for the smaller (equation 4).
        large_alone_error: Relative error of large_alone_s.
        small_alone_error: The same for small_alone_s.
    """

    by: str
    large_s: float
    small_s: float
    large_error: float
    small_error: float
    large_alone_s: float
    small_alone_s: float
    large_alone_error: float
    small_alone_error: float


@dataclass(frozen=True)
class Phases:
    """Rates of the smaller program with the larger one, then alone (Kuo et al., 2013, fig. 5).

    Attributes:
        run: The run's id.
        together: Rate of the smaller while the larger ran.
        alone: Its rate afterwards.
        standalone: Its rate in standalone runs.
        change_s: When the larger ended, s after the start of the pair.
        end_s: When the smaller ended, likewise.
    """

    run: str
    together: float | None
    alone: float | None
    standalone: float | None
    change_s: float
    end_s: float


@dataclass(frozen=True)
class KuoRow:
    """Two programs that run at once, the smaller first: a row of table 3 (Kuo et al., 2013).

    Attributes:
        small: Name of P, the program with fewer processes.
        large: Name of Q.
        setting: The setting as P sees it: processes are (p, q).
        nodes: Nodes of P and of Q.
        overall: Rates of P and Q over their whole runs, medians over repetitions.
        overall_ratio: Q / P; None where P's operations are not comparable with Q's.
        overlap: Rates in the active overlap.
        overlap_ratio: Q / P.
        expected_ratio: q / p: the ratio under a fair share per process.
        small_s: Observed run times of P, s.
        large_s: Observed run times of Q.
        small_alone_s: Standalone run times of P.
        large_alone_s: Standalone run times of Q.
        predictions: By process, and by node where each has nodes of its own; empty where run
            times are missing.
        equal_volume: Both had the same to do (within 1 %); None: unknown.
        full_overlap: Both began within 5 % of the shorter run.
        saturated: Each alone, and both together, came near the same limit: the link's.
        same_pattern: Both do the same.
        holds: All four preconditions of the model.
        why_not: The preconditions that do not hold, in words.
        same_nodes: Both ran on the same nodes, and so on the same mounts.
        shares: Share of Q in the active overlap, run by run.
        spread: Standard deviation over mean of the bytes that each process moved in the active
            overlap, median over repetitions.
        phases: Phases of the median run; None where both end at once or one is missing.
        runs: Number of runs that are used.
    """

    small: str
    large: str
    setting: Setting
    nodes: tuple[int, int]
    overall: tuple[float | None, float | None]
    overall_ratio: float | None
    overlap: tuple[float | None, float | None]
    overlap_ratio: float | None
    expected_ratio: float
    small_s: Summary
    large_s: Summary
    small_alone_s: Summary
    large_alone_s: Summary
    predictions: list[Prediction]
    equal_volume: bool | None
    full_overlap: bool
    saturated: bool | None
    same_pattern: bool
    holds: bool
    why_not: list[str]
    same_nodes: bool
    shares: list[float]
    spread: float | None
    phases: Phases | None
    runs: int


@dataclass(frozen=True)
class Kuo:
    """A study evaluated by the method of Kuo et al. (2013).

    Attributes:
        rows: One per pair and setting that ran in race mode.
        error_process: Median of |relative error| of equations 1 and 2, shares by process, over
            the rows whose sizes differ and whose preconditions hold; None without such rows.
        error_node: The same, shares by node.
        better: "process", "node", "equal", or "" where unknown.
        n: How many predictions the medians are of.
    """

    rows: list[KuoRow]
    error_process: float | None
    error_node: float | None
    better: str
    n: int


@dataclass(frozen=True)
class StudyNote:
    """A warning, or what readers of the figures should know.

    Attributes:
        kind: "clock", "repetitions", "overlap", "foreign", "failed", "missing", "saturation" ...
        text: In words, with the remedy where there is one.
        runs: The runs that it is about; empty: all runs.
    """

    kind: str
    text: str
    runs: list[str]


@dataclass(frozen=True)
class StudyResult:
    """All that a study found.

    Attributes:
        study: Its name.
        place: Where it ran: local, lab, slurm.
        slice_ns: Slice length, ns.
        runs: Number of runs that were evaluated.
        planned: Runs planned; 0 if unknown.
        programs: Names of the programs, in the order of the study.
        settings: Settings of the cells, in the order of the study.
        standalone: Every standalone program.
        cells: Every probe against every signal.
        curves: Along chunk sizes and process counts, where the study has several.
        break_even: Per pair that has curves along chunk sizes.
        serialised: Pairs that took turns.
        kuo: None where no two programs ran in race mode.
        imprints: One per run with a periodic signal.
        traces: One per cell, and one per standalone program.
        notes: Warnings.
        balances: One per standalone program with several file servers.
    """

    study: str
    place: str
    slice_ns: int
    runs: int
    planned: int
    programs: list[str]
    settings: list[Setting]
    standalone: list[Standalone]
    cells: list[Cell]
    curves: list[Curve]
    break_even: list[BreakEven]
    serialised: list[Serialised]
    kuo: Kuo | None
    imprints: list[Imprint]
    traces: list[Trace]
    notes: list[StudyNote]
    balances: list[Balance]

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain values; what does not exist is null."""
        found: dict[str, Any] = plain(self)
        return found


@dataclass(frozen=True)
class Law:
    """A law of the papers, and whether it holds here.

    Attributes:
        name: Short name: "equal writers", "share by processes", "Kuo's model", "imprint",
            "burst hits", "small chunks".
        statement: What was found, in a sentence.
        value: The figure: a fraction.
        low: Lower end of its 95 % interval.
        high: Its upper end.
        n: How many observations it rests on.
        goal: What it should be, in words.
        holds: Whether it does, for certain: the whole interval is in the goal, or none of it; None:
            undecided, as the study's runs are too few or too unlike.
        explanation: Why it is so, or why not here.
    """

    name: str
    statement: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    goal: str
    holds: bool | None
    explanation: str

    def to_json(self) -> dict[str, Any]:
        """Return the law as plain values."""
        found: dict[str, Any] = plain(self)
        return found
