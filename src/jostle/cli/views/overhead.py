"""Shows an overhead measurement as text, a table and a chart."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from jostle.cli.output import fit, heading, table, utf8
from jostle.plot import Bars, IntervalBar
from jostle.plot.charts.overhead import set_finding, signed
from jostle.report.format.values import duration, percent

if TYPE_CHECKING:
    from jostle.analysis.overhead import Arm, Overhead, ProgramOverhead


def interval_text(overhead: Overhead) -> str:
    """Return the mean overhead with its interval: `+0.35 % (-0.10 to +0.80 %)`."""
    if not math.isfinite(overhead.low):
        return signed(overhead.mean)
    return f"{signed(overhead.mean)} ({signed(overhead.low)[:-2]} to {signed(overhead.high)})"


#: Verdicts as cells of a table.
_SHORT = {
    "cost": "costs",
    "gain": "faster",
    "none": "none seen",
    "noise": "too noisy",
    "few": "too few runs",
}


def verdict(overhead: Overhead) -> str:
    """Return the result of the measurement in one sentence."""
    between = f"99 % interval {signed(overhead.low)} to {signed(overhead.high)}"
    if overhead.verdict == "few":
        return "Too few runs for a result."
    if overhead.verdict == "cost":
        return f"Profiling cost {signed(overhead.mean)[1:]} ({between})."
    if overhead.verdict == "gain":
        return (
            f"The profiled runs were {signed(-overhead.mean)[1:]} "
            f"faster ({between}): profiling saves "
            "no time, so something else differs (the layout of memory, the machine's own state)."
        )
    if overhead.verdict == "none":
        return f"No cost was detected: it is below {signed(max(overhead.high, 0))[1:]} ({between})."
    more = " Only a quieter machine would help."
    if overhead.runs_needed <= 1000:
        more = (
            f" About {overhead.runs_needed:,} runs of each would resolve 1 %, or a quieter machine."
        )
    return f"Too noisy to decide: {signed(overhead.mean)} ({between}).{more}"


def bars(
    name: str,
    timed: str,
    overhead: Overhead,
    order: Mapping[str, Sequence[int]] | None = None,
    others: Sequence[Overhead] = (),
) -> Bars:
    """Return the chart: all kinds of runs relative to the median of the plain ones.

    Args:
        name: The program.
        timed: The part of a run that was timed.
        overhead: The comparison.
        order: By kind, the number of each run in the order of all runs; None: no history is drawn.
        others: Comparisons of runs with other profilers.
    """
    return Bars(
        title=f"{name}: time against the median of the plain runs",
        note=f"bar: median; marks: least and most; outliers left out; {timed}",
        axis="overhead",
        bars=tuple(_bar(arm, overhead.plain.median, order) for arm in _arms(overhead, others)),
        history_axis="seconds, in the order of the runs",
    )


def _arms(overhead: Overhead, others: Sequence[Overhead]) -> list[Arm]:
    return [overhead.plain, overhead.profiled, *(other.profiled for other in others)]


def _bar(arm: Arm, base: float, order: Mapping[str, Sequence[int]] | None) -> IntervalBar:
    kept: list[tuple[int, float]] = []
    left_out: list[tuple[int, float]] = []
    for number, seconds, out in zip(
        order[arm.name] if order else range(len(arm.seconds)), arm.seconds, arm.outlier, strict=True
    ):
        (left_out if out else kept).append((number, seconds))
    return IntervalBar(
        arm.name,
        100 * arm.overhead_least,
        100 * arm.overhead_median,
        100 * arm.overhead_most,
        tuple(100 * (seconds / base - 1) for _, seconds in kept),
        tuple(kept) if order else (),
        tuple(left_out) if order else (),
    )


def view(
    shown: str,
    program: str,
    timed: str,
    overhead: Overhead,
    notes: Sequence[str],
    others: Sequence[Overhead] = (),
) -> Iterator[Any]:
    """Yield the measurement as lines, a table and a chart."""
    rounds = len(overhead.plain.seconds)
    yield heading(shown, f"  {rounds} runs of each kind in turn; timed: {timed}")
    yield ""
    yield _table(_arms(overhead, others))
    yield ""
    if math.isfinite(overhead.plain.median):
        yield bars(program, timed, overhead, others=others)
        yield ""
    yield heading(verdict(overhead))
    yield from (f"{other.profiled.name}: {verdict(other)}" for other in others)
    yield from (f"note: {note}" for note in notes)


def _table(arms: Sequence[Arm]) -> Any:
    plus = "±" if utf8() else "+-"
    frame = table(
        [
            "=",
            f">mean {plus} 99 %",
            ">fastest",
            ">median",
            ">slowest",
            ">overhead: least",
            ">its median",
            ">most",
            ">left out",
        ]
    )
    for arm in arms:
        half = (arm.mean_high - arm.mean_low) / 2
        spread = f" {plus} {percent(half / arm.mean)}" if math.isfinite(half) else ""
        frame.add_row(
            arm.name,
            duration(arm.mean * 1e9) + spread,
            *(duration(seconds * 1e9) for seconds in (arm.least, arm.median, arm.most)),
            *(signed(s) for s in (arm.overhead_least, arm.overhead_median, arm.overhead_most)),
            str(sum(arm.outlier)),
        )
    return fit(frame, "left out")


def set_view(programs: Sequence[ProgramOverhead], notes: Sequence[str]) -> Iterator[Any]:
    """Yield the measurement of a set of programs as a table and a sentence.

    Args:
        programs: Each program.
        notes: Remarks on all of them.
    """
    measured = [each for each in programs if each.profilers]
    if measured:
        timed = " or ".join(dict.fromkeys(each.timed for each in measured))
        yield heading("Overhead", f"  all kinds of runs in turn; timed: {timed}")
        yield ""
        yield _set_table(measured)
        yield ""
        yield heading(f"{set_finding(programs)}.")
    yield from (f"{each.program} failed: {each.error}" for each in programs if each.error)
    yield from (f"note: {each.program}: {note}" for each in programs for note in each.notes)
    yield from (f"note: {note}" for note in notes)


def _set_table(programs: Sequence[ProgramOverhead]) -> Any:
    frame = table(
        [
            "=program",
            "=profiler",
            ">runs",
            ">mean (99 % interval)",
            ">median",
            ">least",
            ">most",
            "=verdict",
        ]
    )
    for each in programs:
        for number, (profiler, cost) in enumerate(each.profilers.items()):
            arm = cost.profiled
            frame.add_row(
                "" if number else each.program,
                profiler,
                str(arm.kept),
                interval_text(cost),
                *(signed(s) for s in (arm.overhead_median, arm.overhead_least, arm.overhead_most)),
                _SHORT[cost.verdict],
            )
    return fit(frame, "runs", "least", "most")
