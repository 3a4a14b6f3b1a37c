"""Draws throughput per time slice: Shah, 2020, figs. 2.7, 3.11; Kuo et al., 2013, figs. 2, 5.

There are three kinds of pictures. A cell with a periodic signal has a picture of its own, in which
the bursts are shaded. Pairs with sustained load and the same chunk size share a grid, with a row
for each probe and a column for each signal. If the larger program of a pair ends first, another
picture shows the smaller one in two phases: with the larger program, then alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jostle.plot.charts import FILL, PALETTE, ceiling, seconds_ticks, share_label, slug
from jostle.plot.figures import FULL, INK, Canvas, DrawnFigures, Page, broken, value_axis
from jostle.report.format.values import significant
from jostle_lab.analysis.study.model import Setting, StudyResult, Trace
from jostle_lab.analysis.study.runs import AMOUNTS
from jostle_lab.plot.study_charts import metric_label, rate_label, source, verdicts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BLUE, _ORANGE, _GREY = PALETTE[0], PALETTE[1], "#8A949E"
_DASH: Any = (0, (4, 1.5))
_DOTS: Any = (0, (1.5, 1))
_LEFT, _RIGHT = 0.66, 0.16  # inches
_MOST = 12  # periodic cells that get a picture each
_CELL, _CELL_GAP = 0.72, 0.2


@dataclass(frozen=True)
class SliceSteps:
    """A series of slices on a trace's axis: rates and the borders between them, seconds."""

    rates: NDArray[np.float64]
    edges: NDArray[np.float64]

    @classmethod
    def of(cls, rates: Sequence[float], slice_ns: int, first: int = 0) -> SliceSteps:
        """Take rates from the slice `first` on."""
        places = np.arange(first, first + len(rates) + 1, dtype=np.float64)
        return cls(np.asarray(rates, dtype=np.float64), places * (slice_ns / 1e9))

    @property
    def peak(self) -> float:
        """The greatest rate, 0 for none."""
        return float(np.nanmax(self.rates, initial=0.0))


@dataclass(frozen=True)
class Lines:
    """The series of a trace that are drawn."""

    probe: SliceSteps
    signal: SliceSteps
    alone: SliceSteps

    @classmethod
    def of(cls, trace: Trace) -> Lines:
        """Take the three series of a trace."""
        return cls(
            SliceSteps.of(trace.probe_rate, trace.slice_ns),
            SliceSteps.of(trace.signal_rate, trace.slice_ns),
            SliceSteps.of(trace.alone_rate, trace.slice_ns, trace.alone_first),
        )

    @property
    def seconds(self) -> float:
        """Length of the axis, in seconds."""
        ends = [steps.edges[-1] for steps in (self.probe, self.signal, self.alone)]
        return max(float(max(ends)), 0.1)


def numbers(traces: Sequence[Trace]) -> DrawnFigures:
    """Return the numbers behind a figure of some traces: the rates in all slices."""
    rows: list[tuple[object, ...]] = []
    for trace in traces:
        lines = Lines.of(trace)
        for name, metric, steps in (
            ("probe", trace.metric, lines.probe),
            ("signal", trace.signal_metric, lines.signal),
            ("probe alone", trace.metric, lines.alone),
        ):
            head = (trace.probe, trace.signal, trace.setting.label, trace.run, name, metric)
            rows.extend(
                (*head, float(begin), float(end), float(rate))
                for begin, end, rate in zip(
                    steps.edges[:-1], steps.edges[1:], steps.rates, strict=True
                )
            )
        rows.extend(
            (
                trace.probe,
                trace.signal,
                trace.setting.label,
                trace.run,
                "signal is on",
                "",
                *burst,
                None,
            )
            for burst in trace.bursts
        )
    columns = (
        "probe",
        "signal",
        "setting",
        "run",
        "series",
        "metric",
        "begin_s",
        "end_s",
        "per_second",
    )
    return DrawnFigures(columns, tuple(rows))


def _filled(axes: Axes, steps: SliceSteps, colour: str, dash: Any = "-") -> None:
    if len(steps.rates):
        axes.stairs(steps.rates, steps.edges, fill=True, color=colour, alpha=FILL, linewidth=0)
        axes.stairs(steps.rates, steps.edges, color=colour, linewidth=1.1, linestyle=dash)


def axes_line(axes: Axes, steps: SliceSteps, colour: str, dash: Any = "-") -> None:
    """Draw steps as a line."""
    if len(steps.rates):
        axes.stairs(steps.rates, steps.edges, color=colour, linewidth=1.0, linestyle=dash)


def _scale(axes: Axes, top: float, metric: str, number: int) -> None:
    """Put labels at a few round values of an axis."""
    value_axis(axes, top, metric, number)
    if metric != "bytes" and number > 1:
        axes.set_ylabel(f"{metric_label(metric)}/s", color=INK)


def _time(axes: Axes, seconds: float, most: int) -> None:
    axes.set_xlim(0, seconds)
    axes.set_xticks(seconds_ticks(seconds, most))


def _legend(canvas: Canvas, entries: Sequence[tuple[str, str, Any, bool]]) -> None:
    from matplotlib.colors import to_rgba
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [
        Patch(facecolor=to_rgba(colour, FILL), edgecolor=colour, linestyle=dash, label=label)
        if area
        else Line2D([], [], color=colour, linestyle=dash, linewidth=1.3, label=label)
        for label, colour, dash, area in entries
    ]
    top = canvas.footer + canvas.body - 0.1
    canvas.figure.legend(
        handles=handles,
        loc="center left",
        ncols=len(handles),
        fontsize=7.5,
        borderaxespad=0,
        bbox_to_anchor=(_LEFT / canvas.width, top / canvas.height),
        labelcolor=INK,
        columnspacing=1.4,
        handlelength=2.2,
    )


@dataclass(frozen=True)
class Grid:
    """Sustained cells of one setting, probe by row and signal by column."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    traces: tuple[Trace, ...]

    def find(self, row: str, column: str) -> Trace | None:
        """Return a cell's trace."""
        for trace in self.traces:
            if (trace.probe, trace.signal) == (row, column):
                return trace
        return None


def grids(result: StudyResult) -> list[Grid]:
    """Put sustained cells of one chunk size and one process count together."""
    traces_by_key: dict[object, list[Trace]] = {}
    apart = {_sides(phases.trace) for phases in two_phases(result)}
    failed = _without_runs(result)
    for trace in result.traces:
        setting = trace.setting
        usable = trace.probe_rate and not trace.bursts and _sides(trace) not in apart
        usable = usable and (trace.probe, trace.signal, setting) not in failed
        if trace.signal and usable:
            processes = tuple(sorted(setting.processes))
            key = (setting.chunk, processes, setting.shared, setting.periodic, setting.more)
            traces_by_key.setdefault(key, []).append(trace)
    order = {name: place for place, name in enumerate(result.programs)}
    made = []
    for traces in traces_by_key.values():
        names = [
            sorted({getattr(trace, side) for trace in traces}, key=lambda n: order.get(n, 99))
            for side in ("probe", "signal")
        ]
        title = traces[0].setting.label
        made.append(Grid(title, tuple(names[0][:6]), tuple(names[1][:6]), tuple(traces)))
    return made[:_MOST]


def _sides(trace: Trace) -> tuple[object, ...]:
    """Return the settings that the two traces of a pair have in common."""
    setting = trace.setting
    both = sorted(zip((trace.probe, trace.signal), setting.processes, strict=True))
    return (*both, setting.chunk, setting.shared, setting.periodic, setting.more)


def _without_runs(result: StudyResult) -> set[tuple[str, str, Setting]]:
    """Return the cells without a single run that counts; their traces are not to be drawn."""
    return {
        (cell.probe, cell.signal, cell.setting)
        for cell in result.cells
        if not verdicts(cell)["kept"]
    }


def grid_page(result: StudyResult, grid: Grid) -> Page:
    """Return the page of a grid."""
    several = len(grid.traces) > 1
    whose = "probe (row) and signal (column)"
    each = "of each pair the least disturbed run"
    if not several:
        whose, each = f"{grid.rows[0]}, alongside {grid.columns[0]}", "the least disturbed run"
    note = (
        f"Throughput per slice of {whose}; {grid.title}; {each}. Between the "
        "marks on the time axis: the part that is evaluated, until one of the two has done 90 % of "
        "its work."
    )
    if any(_otherwise(trace) for trace in grid.traces):
        note += " A signal that is counted in another unit than the probe has its own scale."
    title = _sharing(grid)
    high = _CELL if several else 1.6
    body = 0.5 + len(grid.rows) * (high + _CELL_GAP) + 0.3
    stem = f"time-slices-{slug(grid.title.replace(' processes', ''))}"
    if not several:
        stem = f"time-slices-{slug(grid.rows[0])}-alongside-{slug(grid.columns[0])}-" + slug(
            grid.title.replace(" processes", "")
        )
    return Page(stem, title, note, source(result), numbers(grid.traces), width=FULL, body=body)


def _sharing(grid: Grid) -> str:
    """Return a sentence on the program with the smallest share of a pair's throughput."""
    shares = []
    for trace in grid.traces:
        same = trace.probe == trace.signal or trace.metric in AMOUNTS
        if trace.metric != trace.signal_metric or not same or not trace.evaluated:
            continue
        part = slice(trace.evaluated[0], trace.evaluated[1] + 1)
        own, other = sum(trace.probe_rate[part]), sum(trace.signal_rate[part])
        if own + other > 0:
            shares.append((own / (own + other), trace))
    if not shares:
        return f"Slice by slice: {grid.title}"
    share, trace = min(shares, key=lambda one: min(one[0], 1 - one[0]))
    if min(share, 1 - share) > 0.45:
        who = "All share" if len(shares) == len(grid.traces) else "Those of one kind share"
        return f"{who} about evenly: {grid.title}"
    mine, theirs = _sized_names(trace)
    if share > 0.5:
        share, mine, theirs = 1 - share, theirs, mine
    if mine == theirs:
        return f"One {mine} gets {share_label(share)} of what two of them share: {grid.title}"
    return f"{mine} gets {share_label(share)} of what it shares with {theirs}: {grid.title}"


def _sized_names(trace: Trace) -> tuple[str, str]:
    if trace.setting.processes[0] == trace.setting.processes[1]:
        return trace.probe, trace.signal
    mine, theirs = trace.setting.processes
    return f"{trace.probe} ×{mine}", f"{trace.signal} ×{theirs}"


def draw_grid(canvas: Canvas, grid: Grid) -> None:
    """Draw the small pictures of a grid on common axes."""
    lines = {id(trace): Lines.of(trace) for trace in grid.traces}
    seconds = max(line.seconds for line in lines.values())
    high = _CELL if len(grid.traces) > 1 else 1.6
    side = 0.8 if len(grid.rows) > 1 else 0.1
    left = _LEFT + side
    width = (canvas.width - left - _RIGHT - _CELL_GAP * (len(grid.columns) - 1)) / len(grid.columns)
    for row, probe in enumerate(grid.rows):
        own = [t for t in grid.traces if t.probe == probe]
        top = _top(own, lines)
        for column, signal in enumerate(grid.columns):
            trace = grid.find(probe, signal)
            axes = canvas.axes(
                left + column * (width + _CELL_GAP), 0.5 + row * (high + _CELL_GAP), width, high
            )
            if trace:
                _small(axes, trace, lines[id(trace)], top)
            _scale(axes, top, own[0].metric, 2)
            axes.set_ylabel(axes.get_ylabel() if column == 0 else "")
            _time(axes, seconds, max(int(width / 0.42), 2))
            axes.tick_params(labelleft=not column, labelbottom=row == len(grid.rows) - 1)
            if row == 0:
                axes.set_title(
                    f"signal {signal}",
                    loc="left",
                    fontsize=7.5,
                    color=INK,
                    pad=4,
                    fontweight="bold",
                )
        if len(grid.rows) > 1:
            words = ["probe", *broken(probe, side, 7.5, bold=True)]
            canvas.text(
                0.12,
                0.5 + row * (high + _CELL_GAP) + high / 2,
                "\n".join(words),
                va="center",
                color=INK,
                fontweight="bold",
                linespacing=1.15,
            )
    canvas.text(
        left, canvas.body - 0.02, "seconds since the start of the pair", color=INK, va="bottom"
    )
    _legend(
        canvas,
        [
            ("probe", _BLUE, "-", True),
            ("signal", _ORANGE, _DOTS, True),
            ("probe alone", _GREY, _DASH, False),
        ],
    )


def _top(traces: Sequence[Trace], lines: dict[int, Lines]) -> float:
    peaks = [
        steps.peak for trace in traces for steps in (lines[id(trace)].probe, lines[id(trace)].alone)
    ]
    peaks += [lines[id(trace)].signal.peak for trace in traces if not _otherwise(trace)]
    return ceiling(max(peaks, default=1.0), traces[0].metric if traces else "bytes")


def _otherwise(trace: Trace) -> bool:
    """Return whether signal and probe have different units, which cannot share an axis."""
    return bool(trace.signal_metric) and trace.signal_metric != trace.metric


def _small(axes: Axes, trace: Trace, line: Lines, top: float) -> None:
    signal = line.signal
    if _otherwise(trace) and signal.peak > 0:
        signal = replace(signal, rates=signal.rates * (top / signal.peak))
    axes_line(axes, line.alone, _GREY, _DASH)
    _filled(axes, signal, _ORANGE, _DOTS)
    _filled(axes, line.probe, _BLUE)
    if trace.evaluated:
        length = trace.slice_ns / 1e9
        for place in (trace.evaluated[0], trace.evaluated[1] + 1):
            axes.plot([place * length], [0], marker=2, markersize=5, color=INK, clip_on=False)


@dataclass(frozen=True)
class TwoPhases:
    """Phases of the smaller program: with the larger one, then alone (Kuo et al., 2013, figure 5).

    Attributes:
        trace: Trace of the run; its probe is the smaller program.
        change: Slice in which the larger program ends.
        together: Mean rate of the smaller before the change.
        after: Mean rate of the smaller after it.
    """

    trace: Trace
    change: int
    together: float
    after: float


def two_phases(result: StudyResult) -> list[TwoPhases]:
    """Find the traces in which the larger program ends well before the smaller one."""
    rows = result.kuo.rows if result.kuo else []
    wanted = {
        (row.small, row.large, row.setting)
        for row in rows
        if row.phases and len(set(row.setting.processes)) > 1
    }
    phase_pairs = []
    for trace in result.traces:
        if (trace.probe, trace.signal, trace.setting) not in wanted or trace.bursts:
            continue
        load, own = np.asarray(trace.signal_rate), np.asarray(trace.probe_rate)
        busy, mine = np.flatnonzero(load > 0), np.flatnonzero(own > 0)
        if not len(busy) or not len(mine) or mine[-1] - busy[-1] < 3:
            continue
        change = int(busy[-1]) + 1
        first = int(mine[0])
        together, after = own[first : change - 1], own[change + 1 : mine[-1]]
        if len(together) and len(after):
            phase_pairs.append(
                TwoPhases(trace, change, float(together.mean()), float(after.mean()))
            )
    return phase_pairs[:_MOST]


def two_phases_page(result: StudyResult, phases: TwoPhases) -> Page:
    """Return the page of one pair."""
    trace = phases.trace
    small, large = trace.setting.processes
    own, other = _sized_names(trace)
    title = (
        f"{own} makes {rate_label(phases.together, trace.metric)} alongside {other}, "
        f"{rate_label(phases.after, trace.metric)} once that has ended"
    )
    note = (
        f"Throughput per slice of {trace.probe} with {small} and {trace.signal} with {large} "
        f"processes started together ({trace.run}); dashed: the smaller alone."
    )
    stem = f"two-phases-{slug(trace.probe)}-{small}-alongside-{slug(trace.signal)}-{large}"
    stem += "-shared-file" if trace.setting.shared else ""
    if trace.setting.chunk is not None:
        stem += f"-{slug(trace.setting.label.split(',')[0])}"
    return Page(stem, title, note, source(result), numbers([trace]), width=FULL, body=2.5)


def draw_two_phases(canvas: Canvas, phases: TwoPhases) -> None:
    """Draw both jobs, the instant of the change and the smaller job's mean levels."""
    trace = phases.trace
    lines = Lines.of(trace)
    axes = canvas.axes(_LEFT, 0.42, canvas.width - _LEFT - _RIGHT - 0.9, 1.62)
    axes_line(axes, lines.alone, _GREY, _DASH)
    _filled(axes, lines.signal, _ORANGE, _DOTS)
    _filled(axes, lines.probe, _BLUE)
    top = ceiling(max(lines.probe.peak, lines.signal.peak, lines.alone.peak), trace.metric)
    _scale(axes, top, trace.metric, 4)
    _time(axes, lines.seconds, 9)
    axes.set_xlabel("seconds since the start of the pair", loc="left", color=INK)
    length = trace.slice_ns / 1e9
    change, end = phases.change * length, float(lines.probe.edges[-1])
    axes.axvline(change, color=INK, linewidth=0.8, linestyle=(0, (1, 1.5)))
    axes.annotate(
        f"the larger ends after {significant(change)} s",
        (change, 1.02 * top),
        (0, 3),
        textcoords="offset points",
        fontsize=6.5,
        color=INK,
        va="bottom",
        ha="center",
        annotation_clip=False,
    )
    for begin, until, mean in ((0.0, change, phases.together), (change, end, phases.after)):
        axes.plot([begin, until], [mean, mean], color=INK, linewidth=1.2)
    said = [("alongside the larger", phases.together), ("afterwards", phases.after)]
    apart = abs(phases.after - phases.together) > 0.2 * top
    for number, (words, level) in enumerate(said):
        height = level if apart else level + (number - 0.5) * 0.22 * top
        axes.annotate(
            f"{words}\n{rate_label(level, trace.metric)}",
            (1, height),
            (5, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            fontsize=6.5,
            color=INK,
            va="center",
            linespacing=1.2,
            annotation_clip=False,
        )
    small, large = trace.setting.processes
    _legend(
        canvas,
        [
            (f"{trace.probe}, {small}: the smaller", _BLUE, "-", True),
            (f"{trace.signal}, {large}: the larger", _ORANGE, _DOTS, True),
            ("the smaller alone", _GREY, _DASH, False),
        ],
    )
