"""The data types of the results of a study (`jostle_lab.analysis.study.evaluate`).

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
        program: The program's name.
        setting: The program's setting, without a signal program.
        pattern: Name of the pattern of `jostle signal`; "" for any other command.
        metric: Unit in which the program's progress is counted: bytes, closes, collectives ...
        nodes: Number of nodes on which the program ran.
        volume: Total work of the program, in units of the metric; None if it is not fixed.
        rate: Rate until 90 % of the work was done, over the runs that are used.
        best: Highest of these rates, which is that of the least disturbed run.
        overall: Rate over the whole run: total work divided by run time.
        seconds: Run times of all runs that are used, in seconds.
        rates: Every run's rate, in order of repetition, including those left out.
        outlier: For each of these runs, whether the rule of Kuo et al. (2013, §2.4) leaves it out.
        protocol: Bytes that the servers received per byte that the program wrote; None without
            server counters.
        discarded: Repetitions left out for foreign traffic.
        failed: Repetitions in which the program failed.
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
        program: The program's name.
        setting: The program's setting.
        seconds: Time that each process took in each run that counts, in seconds.
        middle: Index of the run whose rate is nearest to the median.
        spread: Standard deviation divided by mean of the times in `seconds`, computed for each run;
            its median and interval over the runs.
        servers: Names of the servers.
        ends: Ends of the steps in which the servers' counters were read, s from the program's
            begin.
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
        program: The program's name.
        job: Name of the program's job in the repository.
        processes: Number of processes that made progress; the requested number if none did.
        nodes: Number of nodes on which the program ran.
        metric: Unit in which the program's progress is counted.
        isolated: The program's standalone rate (median of the runs that count).
        interfered: The program's rate in the evaluated part.
        overlap: The program's rate in the active overlap (Kuo et al., 2013, section 4.2); None
            without such a region.
        overall: The program's rate over its whole run.
        seconds: The program's run time, in seconds.
        degradation: Loss of rate in the evaluated part against the median standalone rate.
        dilation: Dilation of its run time; None unless its work was fixed.
        dilation_implied: d / (1 - d), the dilation if the other program ran until this one's end;
            only for cross-checks.
        service_ns: Mean duration of the program's write, sync, open and close calls in the
            evaluated part, in ns.
        service_alone_ns: Mean duration of the same calls in standalone runs, in ns.
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
        run: The run's id in the study.
        repetition: Number of the repetition, from 1.
        verdict: "kept"; "discarded" (foreign traffic); "failed" (a program failed: a result);
            "unusable" (no progress was seen, or the two never ran at once).
        reason: Reason for the verdict; "" when kept.
        probe: Results of the probe; None if nothing is known.
        signal: Results of the signal program.
        slices: Length of the evaluated part, slices.
        overlap_slices: Length of the active overlap, slices.
        spread: Standard deviation over mean of the bytes that each process of both moved in the
            active overlap (Kuo et al., 2013, section 4.2).
        foreign: Traffic at the servers divided by that of the study's programs, minus 1; None if
            unknown.
        exclusive: 0 when both programs share every slice evenly, 1 when only one of them progresses
            in each slice.
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
    """All runs of a probe alongside a signal in one setting.

    Attributes:
        probe: Name of the probe.
        signal: Name of the signal.
        setting: The setting, as the probe sees it.
        metric: Unit in which the probe's progress is counted.
        repetitions: All runs of the cell.
        degradation: Degradation of the probe over the runs kept; 0.43: lost 43 % of its rate.
        degradation_best: Degradation of the least disturbed run against the best standalone run.
        best: ID of the least disturbed run; "" if no run counts.
        dilation: Dilation of the probe over the kept runs whose work was fixed.
        signal_degradation: Degradation of the signal in the same runs.
        overlap_rate: The probe's rate in the active overlap.
        signal_overlap_rate: The signal's rate in the active overlap.
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
        setting: Setting that all points have in common; the axis itself has its first value.
        points: At least two points, x ascending.
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
        other: The other program.
        setting: Setting that all points have in common.
        chunk: Chunk size, bytes, interpolated on a logarithmic axis; None if there is no such size.
        text: Description of the result, also of why there is no such size.
        certain: Whether the losses really differ on both sides of `chunk`: the intervals of the two
            losses are disjoint at one measured size below it, and at one above it. A side without
            measured sizes is not checked.
    """

    one: str
    other: str
    setting: Setting
    chunk: float | None
    text: str
    certain: bool = True


@dataclass(frozen=True)
class Serialised:
    """A pair whose programs took turns instead of sharing (Shah, 2020, section 3.3.3).

    Attributes:
        first: The program that went first, or the probe.
        second: The other program.
        setting: The setting.
        kind: Kind of taking turns: "one first" or "by turns".
        runs: Runs in which the programs took turns.
        text: Sentence that says which program went first, or that they took turns.
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
        by: "process" or "node": the unit that gets an equal share.
        large_s: Predicted concurrent run time of the larger, s (equation 1).
        small_s: Predicted concurrent run time of the smaller, s (equation 2).
        large_error: Relative error of large_s: (predicted - observed) / observed.
        small_error: Relative error of small_s.
        large_alone_s: Standalone run time of the larger, predicted from concurrent ones, s
            (equation 3).
        small_alone_s: Standalone run time of the smaller, predicted likewise, s (equation 4).
        large_alone_error: Relative error of large_alone_s.
        small_alone_error: Relative error of small_alone_s.
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
        together: Rate of the smaller program while the larger ran.
        alone: Rate of the smaller program after the larger has ended.
        standalone: Rate of the smaller program in standalone runs.
        change_s: End of the larger program, s after the start of the pair.
        end_s: End of the smaller program, s after the start of the pair.
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
        large: Name of Q, the program with more processes.
        setting: Setting from P's side: processes are (p, q).
        nodes: Numbers of nodes of P and of Q.
        overall: Rates of P and Q over their whole runs, medians over repetitions.
        overall_ratio: Ratio Q / P of these rates; None if P's operations are not comparable with
            Q's.
        overlap: Rates of P and Q in the active overlap.
        overlap_ratio: Ratio Q / P of these rates.
        expected_ratio: q / p, the ratio if every process gets an equal share.
        small_s: Observed run times of P, in seconds.
        large_s: Observed run times of Q, in seconds.
        small_alone_s: Standalone run times of P, in seconds.
        large_alone_s: Standalone run times of Q, in seconds.
        predictions: Predictions by process, and by node if each program has nodes of its own; empty
            if run times are missing.
        equal_volume: Whether both programs had equal volumes (within 1 %); None if unknown.
        full_overlap: Whether both began at the same time, within 5 % of the shorter run.
        saturated: Whether the link was the limit: the rates of P alone, of Q alone, and of both
            together are nearly equal.
        same_pattern: Whether both programs have the same access pattern.
        holds: Whether all four preconditions of the model hold.
        why_not: Descriptions of the preconditions that do not hold.
        same_nodes: Whether both programs ran on the same nodes, and so on the same mounts.
        shares: Share of Q in the active overlap, run by run.
        spread: Standard deviation over mean of the bytes that each process moved in the active
            overlap, median over repetitions.
        phases: Phases of the median run; None if both end at the same time or one is missing.
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
        rows: One row per pair and setting that ran in race mode.
        error_process: Median of |relative error| of equations 1 and 2, shares by process, over
            the rows whose sizes differ and whose preconditions hold; None without such rows.
        error_node: The same median for shares by node.
        better: Unit with the smaller error: "process", "node" or "equal"; "" if unknown.
        n: Number of predictions in the medians.
    """

    rows: list[KuoRow]
    error_process: float | None
    error_node: float | None
    better: str
    n: int


@dataclass(frozen=True)
class StudyNote:
    """A warning or a remark for readers of the figures.

    Attributes:
        kind: Kind of the note: "clock", "repetitions", "overlap", "foreign", "failed", "missing"
            ...
        text: Text of the note, with a remedy if there is one.
        runs: Runs that the note is about; empty: all runs.
    """

    kind: str
    text: str
    runs: list[str]


@dataclass(frozen=True)
class StudyResult:
    """All results of a study.

    Attributes:
        study: Name of the study.
        place: Place where the study ran: local, lab or slurm.
        slice_ns: Slice length, in ns.
        runs: Number of runs that were evaluated.
        planned: Number of planned runs; 0 if unknown.
        programs: Names of the programs, in the order of the study.
        settings: Settings of the cells, in the order of the study.
        standalone: Results of every standalone program.
        cells: Results of every probe alongside every signal.
        curves: Degradation along chunk sizes and process counts, if the study has several.
        break_even: Break-even size of each pair that has curves along chunk sizes.
        serialised: Pairs whose programs took turns.
        kuo: Evaluation by the method of Kuo et al.; None if no programs ran in race mode.
        imprints: One imprint per run with a periodic signal.
        traces: One trace per cell, and one per standalone program.
        notes: Warnings.
        balances: One balance per standalone program with several file servers.
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
    """A law of the papers, and whether it holds in a study.

    Attributes:
        name: Short name: "equal writers", "share by processes", "Kuo's model", "imprint",
            "burst hits", "small chunks".
        statement: Sentence with the result.
        value: Measured value, a fraction.
        low: Lower end of the 95 % interval of `value`.
        high: Upper end of that interval.
        n: Number of observations.
        goal: Description of the values that the law expects.
        holds: True if the whole interval is within the goal, False if all of it is outside. None:
            undecided, since the study has too few runs, or its runs differ too much.
        explanation: Reason for the result.
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
