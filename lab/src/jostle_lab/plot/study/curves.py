"""Draws degradation over chunk sizes and process counts: Shah, 2020, figures 3.6 and 3.8.

Each pair has a panel, in which each program has a line: the loss of that program. Lines differ in
hue, dash and marker.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jostle.plot.charts import share_label, slug
from jostle.plot.figures import (
    FULL,
    INK,
    NARROW,
    SOFT,
    WIDEST,
    Canvas,
    DrawnFigures,
    Look,
    Page,
    looks,
    wrapped,
)
from jostle.report.format.values import count
from jostle_lab.analysis.study.model import BreakEven, Curve, Setting, StudyResult, size_label
from jostle_lab.plot.study_charts import (
    DEGRADATION,
    about_size,
    kept_label,
    single_runs,
    source,
    whiskers,
    without_chunk,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEFT, _PANEL, _HEAD, _FOOT, _BETWEEN = 0.52, 1.55, 0.36, 0.46, 0.2  # inches
_ACROSS = 3


@dataclass(frozen=True)
class CurvePair:
    """The curves of one panel.

    Attributes:
        title: Names of the pair.
        words: Settings that all points have in common.
        axis: "chunk", or the program whose processes are counted.
        curves: One curve per program that loses throughput.
        break_even: Chunk size at which the curves meet; None if it was not computed.
    """

    title: str
    words: str
    axis: str
    curves: tuple[Curve, ...]
    break_even: BreakEven | None


def pairs(result: StudyResult, *, chunk: bool) -> list[CurvePair]:
    """Put the curves of both programs of a pair together.

    Args:
        result: The study.
        chunk: Whether curves are along chunk sizes; else they are along numbers of processes.
    """
    curves_by_key: dict[tuple[object, ...], list[Curve]] = {}
    for curve in result.curves:
        if (curve.axis == "chunk") == chunk and len(curve.points) > 1:
            curves_by_key.setdefault(_key(curve), []).append(curve)
    return [_pair(result, curves, chunk=chunk) for curves in curves_by_key.values()]


def _varied(curve: Curve) -> str:
    """Return the name of the program whose processes a curve counts."""
    return curve.probe if curve.axis == "processes" else curve.signal


def _fixed(curve: Curve) -> int:
    """Return the constant number of the other program's processes."""
    own, other = curve.setting.processes
    return other if curve.axis == "processes" else own


def _name(curve: Curve) -> str:
    """Return the name of a line: the program that loses, or its role in a pair with itself."""
    if curve.probe != curve.signal or curve.axis == "chunk":
        return curve.probe
    return f"{curve.probe} that grows" if curve.axis == "processes" else f"the other {curve.probe}"


def _key(curve: Curve) -> tuple[object, ...]:
    """Return the key that the two curves of a pair have in common."""
    both, setting = tuple(sorted((curve.probe, curve.signal))), curve.setting
    if curve.axis == "chunk":
        bare = without_chunk(setting)
        turned = bare if (curve.probe, curve.signal) == both else bare.turned()
        return (both, turned)
    return (both, _varied(curve), _fixed(curve), setting.chunk, _words(setting))


def _words(setting: Setting) -> str:
    said = ["shared file"] if setting.shared else []
    said += ["periodic signal"] if setting.periodic else []
    return ", ".join(said + [f"{name} {value}" for name, value in setting.more])


def _pair(result: StudyResult, curves: list[Curve], *, chunk: bool) -> CurvePair:
    first = curves[0]
    title = first.probe if first.probe == first.signal else f"{first.probe} and {first.signal}"
    if first.axis != "chunk" and first.probe == first.signal:
        title = f"{first.probe} alongside {first.signal} ×{_fixed(first)}"
    words = _words(first.setting)
    if not chunk and first.setting.chunk is not None:
        words = ", ".join(filter(None, (f"chunk {size_label(first.setting.chunk)}", words)))
    met = next((point for point in result.break_even if chunk and _meets(point, first)), None)
    axis = "chunk" if chunk else _varied(first)
    return CurvePair(title, words, axis, tuple(curves), met)


def _meets(point: BreakEven, curve: Curve) -> bool:
    same = {point.one, point.other} == {curve.probe, curve.signal}
    ours = without_chunk(curve.setting)
    return same and without_chunk(point.setting) in (ours, ours.turned())


def _what(*, chunk: bool) -> str:
    return "chunk size" if chunk else "number of processes"


def page(result: StudyResult, found: list[CurvePair], *, chunk: bool) -> Page:
    """Return the page of some pairs."""
    what = _what(chunk=chunk)
    counts = [point.degradation.n for pair in found for c in pair.curves for point in c.points]
    note = (
        f"Degradation (throughput drop) over the {what}, one panel per pair: each line is the "
        f"loss of the program it is named for. Points: median of the runs, {kept_label(counts)}"
    )
    words = {pair.words for pair in found}
    note += f"; everywhere {words.pop()}" if len(words) == 1 and "" not in words else ""
    note += f"{whiskers(counts)}."
    note += single_runs(counts)
    across = min(len(found), _ACROSS)
    rows = math.ceil(len(found) / _ACROSS)
    height = _HEAD + _PANEL + _FOOT
    legend = 0.24 if len(found) > 1 else 0.3
    both_ways = any(pair.break_even for pair in found)  # else there is no break-even size
    title = _finding(found) if chunk and both_ways else _trend(found)
    return Page(
        f"degradation-over-{slug(what)}",
        title,
        note,
        f"{DEGRADATION}. {source(result)}",
        _numbers(found),
        width=NARROW if across == 1 else FULL,
        body=legend + rows * height,
    )


def _finding(found: list[CurvePair]) -> str:
    """Return a sentence on the break-even sizes of pairs, as far as they are certain."""
    said = [
        f"{pair.break_even.one} and {pair.break_even.other} break even at "
        f"{about_size(pair.break_even.chunk)}"
        for pair in found
        if pair.break_even and pair.break_even.chunk and pair.break_even.certain
    ]
    doubtful = any(pair.break_even and not pair.break_even.certain for pair in found)
    if doubtful and not said:
        return "Where pairs break even cannot be determined: the intervals of their losses overlap"
    if len(said) > 2:
        return f"{said[0]}; {len(said) - 1} more pairs break even too"
    return "; ".join(said) or "No pair breaks even between the smallest and the largest chunks"


def _trend(found: list[CurvePair]) -> str:
    """Return a sentence on the change of a loss from the first to the last point of its curve.

    Of curves over chunk sizes, the one that changes most is taken. Of curves over numbers of
    processes, the first one that counts the signal's processes is taken.
    """
    every = [curve for pair in found for curve in pair.curves]
    if every[0].axis == "chunk":
        curve = max(every, key=lambda one: abs(_change(one)))
    else:
        curve = next((one for one in every if one.axis == "signal processes"), every[0])
    known = _known(curve)
    if len(known) < 2:
        return f"Degradation over the {_what(chunk=curve.axis == 'chunk')}"
    (first, before), (last, after) = known[0], known[-1]
    change = _change(curve)
    verb = "rises" if change > 0.01 else "falls" if change < -0.01 else "stays"
    change_text = f"{verb} from {share_label(before)} to {share_label(after)}"
    if verb == "stays":
        change_text = f"stays at {share_label(after)}"
    own = curve.probe
    if curve.axis == "chunk":
        grows = f"chunks grow from {size_label(int(first))} to {size_label(int(last))}"
        return f"As {grows}, the loss of {own} alongside {curve.signal} {change_text}"
    if curve.probe == curve.signal:
        own = f"{curve.probe} ×{_fixed(curve)}"
    grows = f"{_varied(curve)} grows from {count(first)} to {count(last)} processes"
    return f"As {grows}, the loss of {own} {change_text}"


def _known(curve: Curve) -> list[tuple[float, float]]:
    """Return the points of a curve whose loss is known: position and median."""
    found = [(point.x, point.degradation.median) for point in curve.points]
    return [(x, median) for x, median in found if median is not None]


def _change(curve: Curve) -> float:
    """Return the increase of the loss from the first to the last point."""
    known = _known(curve)
    return known[-1][1] - known[0][1] if known else 0.0


def _numbers(found: list[CurvePair]) -> DrawnFigures:
    rows = [
        (
            curve.probe,
            curve.signal,
            pair.axis,
            point.x,
            _words(curve.setting),
            point.degradation.median,
            point.degradation.mean,
            point.degradation.low,
            point.degradation.high,
            point.degradation.min,
            point.degradation.max,
            point.best,
            point.degradation.n,
            pair.break_even.chunk if pair.break_even else None,
        )
        for pair in found
        for curve in pair.curves
        for point in curve.points
    ]
    columns = (
        "probe",
        "signal",
        "axis",
        "x",
        "setting",
        "degradation_median",
        "degradation_mean",
        "degradation_low95",
        "degradation_high95",
        "degradation_min",
        "degradation_max",
        "degradation_least_disturbed",
        "kept",
        "break_even_chunk_bytes",
    )
    return DrawnFigures(columns, tuple(rows))


def draw(canvas: Canvas, found: list[CurvePair], *, chunk: bool) -> None:
    """Draw the panels."""
    style = looks(_name(curve) for pair in found for curve in pair.curves)
    _legend(canvas, style)
    across = min(len(found), _ACROSS)
    width = (canvas.width - _LEFT - 0.14 - (across - 1) * _BETWEEN) / across
    points = [
        point.degradation for pair in found for curve in pair.curves for point in curve.points
    ]
    medians = [100 * summary.median for summary in points if summary.median is not None]
    lows = [max(100 * summary.low, WIDEST) for summary in points if summary.low is not None]
    lowest = min([*medians, *lows], default=0.0)
    for number, pair in enumerate(found):
        row, column = divmod(number, _ACROSS)
        top = 0.24 + row * (_HEAD + _PANEL + _FOOT) + _HEAD
        axes = canvas.axes(_LEFT + column * (width + _BETWEEN), top, width, _PANEL)
        low = max(min(lowest * 1.2, 0.0), -100.0)
        setting = pair.words if len({one.words for one in found}) > 1 else ""
        title = f"{pair.title} ({setting})" if setting else pair.title
        _panel(axes, pair, title, style, (low, width), chunk=chunk)
        if column:
            axes.tick_params(labelleft=False)
        else:
            axes.set_ylabel("degradation, %", color=INK)


def _legend(canvas: Canvas, style: dict[str, Look]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [],
            [],
            color=look.colour,
            marker=look.marker,
            linestyle=look.dash,
            markersize=4,
            linewidth=1.2,
            label=f"{name} loses",
        )
        for name, look in style.items()
    ]
    top = canvas.footer + canvas.body - 0.1
    canvas.figure.legend(
        handles=handles,
        loc="center left",
        ncols=4 if canvas.width > NARROW else 2,
        bbox_to_anchor=(0.12 / canvas.width, top / canvas.height),
        fontsize=7.5,
        borderaxespad=0,
        handlelength=2.6,
        columnspacing=1.2,
        labelcolor=INK,
    )


def _panel(
    axes: Axes,
    pair: CurvePair,
    title: str,
    style: dict[str, Look],
    extent: tuple[float, float],
    *,
    chunk: bool,
) -> None:
    """Draw the lines of a pair and where they meet.

    Args:
        axes: Axes to draw on.
        pair: The pair.
        title: Title of the panel.
        style: Style of each line, by name.
        extent: Least value of the axis, and its width in inches.
        chunk: Whether the axis has chunk sizes; else it has numbers of processes.
    """
    low, width = extent
    ticks = sorted({point.x for curve in pair.curves for point in curve.points})
    for curve in pair.curves:
        _line(axes, curve, style[_name(curve)])
    axes.set_xscale("log", base=2)
    axes.set_xticks(_thinned(ticks, width))
    axes.minorticks_off()
    labels = [size_label(round(x)) if chunk else count(x) for x in axes.get_xticks()]
    axes.set_xticklabels(labels)
    axes.set_xlim(ticks[0] / 1.35, ticks[-1] * 1.35)
    axes.set_ylim(low, 105)
    axes.set_yticks([tick for tick in range(-100, 101, 25) if tick >= low])
    axes.grid(axis="y")
    axes.axhline(0, color=SOFT, linewidth=0.8)
    axes.spines["bottom"].set_visible(False)
    axes.set_xlabel("chunk size" if chunk else f"processes of {_grown(pair)}", color=INK)
    title = "\n".join(wrapped(title, width, 7.5, bold=True)[:2])
    axes.set_title(title, loc="left", fontsize=7.5, fontweight="bold", color=INK, pad=5)
    if pair.break_even and pair.break_even.chunk:
        where = pair.break_even.chunk
        axes.axvline(where, color=INK, linewidth=0.8, linestyle=(0, (1, 1.5)))
        right = where > math.sqrt(ticks[0] * ticks[-1])
        axes.annotate(
            f"{'break-even' if pair.break_even.certain else 'perhaps even'}\n{about_size(where)}",
            (where, 104),
            (-3 if right else 3, 0),
            textcoords="offset points",
            ha="right" if right else "left",
            va="top",
            fontsize=6.5,
            color=INK,
            linespacing=1.2,
        )


def _grown(pair: CurvePair) -> str:
    """Name the program whose processes are counted."""
    curve = pair.curves[0]
    return f"the {pair.axis} that grows" if curve.probe == curve.signal else pair.axis


def _thinned(ticks: list[float], width: float) -> list[float]:
    """Leave out ticks whose labels would touch in `width` inches."""
    step = max(1, math.ceil(len(ticks) / max(width / 0.5, 1)))
    return ticks[::step]


def _line(axes: Axes, curve: Curve, look: Look) -> None:
    known = [point for point in curve.points if point.degradation.median is not None]
    middle = [100 * (point.degradation.median or 0.0) for point in known]
    axes.plot(
        [point.x for point in known],
        middle,
        color=look.colour,
        linestyle=look.dash,
        marker=look.marker,
        markersize=3.6,
        linewidth=1.2,
    )
    for point in known:
        low, high = point.degradation.low, point.degradation.high
        if low is not None and high is not None:
            axes.errorbar(
                point.x,
                100 * (low + high) / 2,
                50 * (high - low),
                fmt="none",
                capsize=2,
                ecolor=look.colour,
                elinewidth=0.8,
                capthick=0.8,
            )
