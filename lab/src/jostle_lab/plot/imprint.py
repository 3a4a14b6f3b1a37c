"""Draws the imprint of a signal in a probe's throughput, like Shah, 2020, figure 2.7."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from jostle.plot.charts import (
    FILL,
    PALETTE,
    ImprintChart,
    ceiling,
    level,
    level_in_bursts,
    relative,
    role,
    seconds_ticks,
    shown,
)
from jostle.plot.figures import FULL, INK, Canvas, DrawnFigures, Page, value_axis
from jostle.report.format.values import rate, significant
from jostle_lab.plot.study_charts import DEGRADATION, DILATION, metric_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BLUE, _ORANGE, _GREY = PALETTE[0], PALETTE[1], "#8A949E"
_LEFT, _RIGHT = 0.62, 1.28  # inches left and right of the axes
_TOP, _PROBE, _LOAD, _GAP = 0.5, 2.0, 0.6, 0.32


def imprint_page(imprint: ImprintChart, stem: str) -> Page:
    """Return the page of an imprint.

    Args:
        imprint: Imprint to draw.
        stem: Name of the files without the ending.
    """
    note = (
        f"{role(imprint.probe, 'the probe')} per slice, alone and alongside "
        f"{role(imprint.signal, 'the signal')}"
    )
    note += f"; {imprint.setting}." if imprint.setting else "."
    if imprint.known_from:
        note += f" When the signal was on is known {imprint.known_from}."
    if imprint.seen:
        note += f" The drop is seen in {imprint.seen[0]} of {imprint.seen[1]} periods."
    if imprint.degradation is not None and math.isfinite(imprint.degradation):
        note += f" Over the whole evaluated part the degradation is {shown(imprint.degradation)}."
    body = _TOP + _PROBE + 0.42 + (_LOAD + _GAP if imprint.load is not None else 0.0)
    small = f"{DEGRADATION}; {DILATION}. {imprint.source}"
    return Page(stem, imprint.title, note, small, _numbers(imprint), width=FULL, body=body)


def _numbers(imprint: ImprintChart) -> DrawnFigures:
    """Return the numbers behind the figure: all slices of all series, and the bursts."""
    rows: list[tuple[object, ...]] = []
    unit = f"{imprint.unit}/s"
    for name, series, begin in _drawn(imprint):
        edges = relative(series, begin)
        rows.extend(
            (name, float(edges[i]), float(edges[i + 1]), float(value))
            for i, value in enumerate(series.values)
        )
    rows.extend(("signal is on", begin, end, None) for begin, end in imprint.phases)
    return DrawnFigures(("series", "begin_s", "end_s", unit), tuple(rows))


def _drawn(imprint: ImprintChart) -> list[tuple[str, Any, int]]:
    drawn = [
        ("probe alone", imprint.alone, imprint.alone_ns[0]),
        ("probe with signal", imprint.together, imprint.together_ns[0]),
    ]
    if imprint.load is not None:
        drawn.append(("signal", imprint.load, imprint.together_ns[0]))
    return drawn


def draw_figure(canvas: Canvas, imprint: ImprintChart) -> None:
    """Draw the probe, alone and with the signal, above the signal."""
    width = canvas.width - _LEFT - _RIGHT
    probe = canvas.axes(_LEFT, _TOP, width, _PROBE)
    _probe(probe, imprint)
    last = probe
    if imprint.load is not None:
        last = canvas.axes(_LEFT, _TOP + _PROBE + _GAP, width, _LOAD, sharex=probe)
        _load(last, imprint)
        probe.tick_params(labelbottom=False)
    ticks = seconds_ticks(imprint.seconds, 9)
    last.set_xticks(ticks)
    last.set_xlim(0, imprint.seconds)
    last.set_xlabel("seconds since the probe's start", loc="left")


def _bands(axes: Axes, imprint: ImprintChart) -> None:
    """Shade the bursts, with a hatch that is visible in black-and-white copies."""
    for begin, end in imprint.phases:
        axes.axvspan(begin, end, facecolor=_ORANGE, alpha=0.13, linewidth=0, zorder=0)
        for edge in (begin, end):
            axes.axvline(edge, color=_ORANGE, linewidth=0.5, linestyle=(0, (2, 2)), zorder=0.5)


def _probe(axes: Axes, imprint: ImprintChart) -> None:
    """Draw the probe alone and with the signal, with both dilation and degradation marked."""
    top = ceiling(max(imprint.alone.peak, imprint.together.peak) * 1.12, imprint.unit)
    _bands(axes, imprint)
    together = relative(imprint.together, imprint.together_ns[0])
    axes.stairs(imprint.together.values, together, fill=True, color=_BLUE, alpha=FILL, linewidth=0)
    axes.stairs(imprint.together.values, together, color=_BLUE, linewidth=1.2)
    if len(imprint.alone.values):
        alone = relative(imprint.alone, imprint.alone_ns[0])
        axes.stairs(
            imprint.alone.values, alone, color=_GREY, linewidth=1.0, linestyle=(0, (4, 1.5))
        )
    value_axis(axes, top, imprint.unit, 4)
    if imprint.unit != "bytes":
        axes.set_ylabel(f"{metric_label(imprint.unit)} per second", color=INK)
    _legend(axes, alone=len(imprint.alone.values) > 0)
    _levels(axes, imprint, top)
    _ends(axes, imprint, top)


def _legend(axes: Axes, *, alone: bool) -> None:
    """Draw the legend above the axes, on the left, over the marks of the ends."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    dashed = Line2D([], [], color=_GREY, linewidth=1.2, linestyle=(0, (4, 1.5)), label="alone")
    handles = [
        Line2D([], [], color=_BLUE, linewidth=1.4, label="the probe with the signal"),
        *([dashed] if alone else []),
        Patch(facecolor=_ORANGE, alpha=0.25, label="the signal is on"),
    ]
    axes.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(-0.01, 1.12),
        ncols=3,
        fontsize=7.5,
        labelcolor=INK,
        borderaxespad=0,
        handlelength=1.8,
        columnspacing=1.6,
    )


def _levels(axes: Axes, imprint: ImprintChart, top: float) -> None:
    """Mark the mean levels at the right edge, and the degradation as the distance between them."""
    alone = level(imprint.alone, imprint.alone_ns)
    in_bursts = level_in_bursts(imprint)
    if not (math.isfinite(alone) and math.isfinite(in_bursts)):
        return
    right = imprint.seconds
    for value, colour in ((alone, _GREY), (in_bursts, _BLUE)):
        axes.plot([right, right * 1.02], [value] * 2, color=colour, linewidth=1.4, clip_on=False)
    _arrow(axes, (right * 1.01, alone), (right * 1.01, in_bursts))
    # Three texts of two lines each need space: levels that are close are moved apart.
    middle, away = (alone + in_bursts) / 2, max(abs(alone - in_bursts) / 2, 0.14 * top)
    side = 1 if alone >= in_bursts else -1
    notes = [
        (middle + side * away, f"mean alone\n{rate(alone, imprint.unit)}", 6.5, "normal"),
        (
            middle - side * away,
            f"mean in the bursts\n{rate(in_bursts, imprint.unit)}",
            6.5,
            "normal",
        ),
    ]
    if imprint.drop is not None and math.isfinite(imprint.drop):
        notes.append((middle, f"degradation\n{shown(imprint.drop)}", 7.5, "bold"))
    for height, text, size, weight in notes:
        axes.annotate(
            text,
            (right * 1.025, height),
            (3, 0),
            textcoords="offset points",
            va="center",
            fontsize=size,
            fontweight=weight,
            color=INK,
            annotation_clip=False,
            linespacing=1.25,
        )


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    axes.annotate(
        "",
        end,
        start,
        annotation_clip=False,
        arrowprops={
            "arrowstyle": "-|>",
            "color": INK,
            "linewidth": 0.9,
            "shrinkA": 0,
            "shrinkB": 0,
            "mutation_scale": 7,
        },
    )


def _ends(axes: Axes, imprint: ImprintChart, top: float) -> None:
    """Mark the ends of both runs above the axes, and the dilation as the distance between them."""
    if not len(imprint.alone.values):
        return
    lengths = [(end - begin) / 1e9 for begin, end in (imprint.alone_ns, imprint.together_ns)]
    notes = [f"alone: {significant(lengths[0])} s", f"with the signal: {significant(lengths[1])} s"]
    high = top * 1.05
    left = lengths.index(min(lengths))
    for place, (value, colour) in enumerate(zip(lengths, (_GREY, _BLUE), strict=True)):
        axes.plot([value, value], [0, high], color=colour, linewidth=0.8, clip_on=False)
        inner = place == left
        axes.annotate(
            notes[place],
            (value, high),
            (-4 if inner else 4, 0),
            textcoords="offset points",
            ha="right" if inner else "left",
            va="center",
            fontsize=6.5,
            color=INK,
            annotation_clip=False,
        )
    if imprint.dilation is None or not math.isfinite(imprint.dilation):
        return
    _arrow(axes, (lengths[0], high), (lengths[1], high))
    axes.annotate(
        f"dilation {shown(imprint.dilation)}",
        (sum(lengths) / 2, high),
        (0, 5),
        textcoords="offset points",
        ha="center",
        va="bottom",
        fontsize=7.5,
        fontweight="bold",
        color=INK,
        annotation_clip=False,
    )


def _load(axes: Axes, imprint: ImprintChart) -> None:
    """Draw the signal below the probe."""
    assert imprint.load is not None
    top = ceiling(imprint.load.peak, imprint.unit)
    _bands(axes, imprint)
    edges = relative(imprint.load, imprint.together_ns[0])
    axes.stairs(imprint.load.values, edges, fill=True, color=_ORANGE, alpha=FILL, linewidth=0)
    axes.stairs(imprint.load.values, edges, color=_ORANGE, linewidth=1.2)
    value_axis(axes, top, imprint.unit, 1)
    axes.annotate(
        role(imprint.signal, "the signal"),
        (0, 1),
        (0, 4),
        "axes fraction",
        "offset points",
        fontsize=7.5,
        color=INK,
    )
