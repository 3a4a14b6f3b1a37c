"""Figures of a program's messaging rates by date, kind of message, run time and placement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jostle.plot.charts.labels import slug
from jostle.plot.figures.figure import INK, SOFT
from jostle.plot.figures.page import FULL, RULE, Canvas, DrawnFigures, Page
from jostle.plot.figures.placement.axes import (
    BELOW,
    BLUE,
    GREEN,
    LEFT,
    ORANGE,
    RATE,
    alongside,
    corner,
    date_axis,
    from_zero,
    megabytes,
    name_axes,
    points,
    points_note,
    trend,
)
from jostle.report.format.placement import (
    MEASURES,
    chance,
    correlated,
    measure_name,
    program_answer,
    signed,
)
from jostle.report.format.values import count, iso_time

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from jostle.analysis.placement import Measured, ProgramPlacement

_HIGH, _GAP, _COLUMNS = 1.75, 0.5, 3
_SMALL = 1.35


def _foot(content: ProgramPlacement) -> str:
    return (
        f"{count(len(content.runs))} runs of {content.program} in {content.fabric}. Messaging "
        "rate: bytes sent by MPI over the time in MPI, per rank."
    )


def rates_page(content: ProgramPlacement) -> Page:
    """Return the page of the figure of rates by date, and by kind of message."""
    ratio = content.best_to_worst
    title = (
        f"The best run of {content.program} sends {ratio:.2f} times as fast as the worst"
        if ratio
        else f"Messaging rate of {content.program}"
    )
    name, _ = alongside(content)
    note = (
        f"Above: each run by its start. {points_note(name)} Line and band: mean and standard "
        "deviation. Below: the runs from slow to fast, with the rate of each kind of message."
    )
    columns = ("job", "start", "rate_MB_per_s", "collective_MB_per_s", "p2p_MB_per_s")
    rows = tuple(
        (
            run.job,
            iso_time(run.start_ns),
            *(
                None if each is None else each / 1e6
                for each in (run.rate, run.collective_rate, run.p2p_rate)
            ),
        )
        for run in content.runs
    )
    return Page(
        f"placement-{slug(content.program)}-rates",
        title,
        note,
        _foot(content),
        DrawnFigures(columns, rows),
        width=FULL,
        body=2 * (_HIGH + BELOW) + _GAP - 0.2,
    )


def draw_rates(canvas: Canvas, content: ProgramPlacement) -> None:
    """Draw rates by date, and, below, sorted rates with their parts."""
    _, with_it = alongside(content)
    rates = megabytes(content.runs)
    wide = canvas.width - LEFT - 0.75
    axes = canvas.axes(LEFT, 0.1, wide, _HIGH)
    days = date_axis(axes, [run.start_ns for run in content.runs])
    mean, spread = float(np.nanmean(rates)), float(np.nanstd(rates, ddof=1))
    axes.axhspan(mean - spread, mean + spread, color=RULE, alpha=0.35, linewidth=0)
    axes.axhline(mean, color=SOFT, linewidth=0.9)
    points(axes, days, rates, with_it)
    from_zero(axes, rates)
    axes.set_ylabel(RATE)
    axes.grid(axis="y")
    for place, word in ((int(np.nanargmax(rates)), "best"), (int(np.nanargmin(rates)), "worst")):
        up = word == "best"
        axes.annotate(
            f"{word}: {rates[place]:.1f}",
            (days[place], rates[place]),
            (0, 6 if up else -6),
            textcoords="offset points",
            ha="center",
            va="bottom" if up else "top",
            fontsize=6.5,
            color=INK,
        )
    axes.set_ylim(0, np.nanmax(rates) * 1.16)
    axes.annotate(
        "mean",
        (1, mean),
        (4, 0),
        ("axes fraction", "data"),
        "offset points",
        fontsize=6.5,
        color=SOFT,
        va="center",
        annotation_clip=False,
    )
    axes = canvas.axes(LEFT, 0.1 + _HIGH + _GAP, wide, _HIGH)
    order = np.argsort(rates)
    runs = content.runs
    lines: tuple[tuple[str, list[float | None], str, Any, float], ...] = (
        ("all messages", [run.rate for run in runs], BLUE, "-", 1.8),
        ("collectives", [run.collective_rate for run in runs], ORANGE, (0, (5, 1.5)), 1.1),
        ("point-to-point", [run.p2p_rate for run in runs], GREEN, (0, (1.5, 1.2)), 1.1),
    )
    top, ends = 0.0, []
    for label, values, colour, dash, width in lines:
        known = np.array([np.nan if each is None else each / 1e6 for each in values])[order]
        if np.isfinite(known).any():
            axes.plot(
                np.arange(1, len(known) + 1), known, color=colour, linestyle=dash, linewidth=width
            )
            top = max(top, float(np.nanmax(known)))
            ends.append((float(known[np.isfinite(known)][-1]), label, colour))
    axes.set_ylim(0, top * 1.08 or 1.0)
    axes.set_xlim(0.5, len(rates) + 0.5)
    _labelled(axes, sorted(ends), top)
    name_axes(axes, "runs, from the slowest to the fastest", RATE)


def _labelled(axes: Axes, ends: list[tuple[float, str, str]], top: float) -> None:
    """Name lines at their right ends, without overlap."""
    low = -np.inf
    for value, label, colour in ends:
        low = max(value, low + 0.11 * top)
        axes.annotate(
            label,
            (1, low),
            (4, 0),
            ("axes fraction", "data"),
            "offset points",
            fontsize=6.5,
            color=colour,
            va="center",
            annotation_clip=False,
        )


def time_page(content: ProgramPlacement) -> Page:
    """Return the page of the figure of run times against rates."""
    both = content.rate_and_time
    title = f"The run time of {content.program} does not correlate with its messaging rate"
    if both.pearson is not None and both.pearson < 0 and (both.pearson_p or 0.0) < 0.05:
        title = f"The faster the messages of {content.program}, the shorter the run"
    note = f"{points_note(alongside(content)[0])} {correlated(both)} (Pearson)."
    rows = tuple(
        (run.job, None if run.rate is None else run.rate / 1e6, run.seconds) for run in content.runs
    )
    return Page(
        f"placement-{slug(content.program)}-rate-and-time",
        title,
        note,
        _foot(content),
        DrawnFigures(("job", "rate_MB_per_s", "run_s"), rows),
        width=FULL,
        body=2.3 + BELOW,
    )


def draw_time(canvas: Canvas, content: ProgramPlacement) -> None:
    """Draw run times against rates."""
    axes = canvas.axes(LEFT, 0.1, canvas.width - LEFT - 0.2, 2.2)
    times = np.array([run.seconds for run in content.runs])
    points(axes, megabytes(content.runs), times, alongside(content)[1])
    from_zero(axes, times)
    name_axes(axes, RATE, "run time, s")


def measures_page(content: ProgramPlacement) -> Page:
    """Return the page of the figure of every measure against the rate."""
    note = (
        f"Each panel is a measure of placement, the most correlated with the rate first (rho: "
        f"Spearman, r: Pearson). {points_note(alongside(content)[0])} Dashed: least squares."
    )
    same = [measure_name(row.key) for row in content.measures if row.rate.spearman is None]
    if same:
        note += f" The same in all runs, or not known: {', '.join(same)}."
    keys = [row.key for row in content.measures]
    rows = tuple(
        (
            run.job,
            None if run.rate is None else run.rate / 1e6,
            run.seconds,
            *(row.values[number] for row in content.measures),
        )
        for number, run in enumerate(content.runs)
    )
    deep = -(-len(_varying(content)) // _COLUMNS)
    return Page(
        f"placement-{slug(content.program)}-measures",
        program_answer(content),
        note,
        _foot(content),
        DrawnFigures(("job", "rate_MB_per_s", "run_s", *keys), rows),
        width=FULL,
        body=deep * (_SMALL + _GAP + 0.22),
    )


def _varying(content: ProgramPlacement) -> list[Measured]:
    return [row for row in content.measures if row.rate.spearman is not None]


def draw_measures(canvas: Canvas, content: ProgramPlacement) -> None:
    """Draw a scatter of the rate for each measure."""
    _, with_it = alongside(content)
    rates = megabytes(content.runs)
    wide = (canvas.width - LEFT - 0.15) / _COLUMNS
    for number, row in enumerate(_varying(content)):
        line, column = divmod(number, _COLUMNS)
        top = 0.24 + line * (_SMALL + _GAP + 0.22)
        axes = canvas.axes(LEFT + column * wide, top, wide - 0.22, _SMALL)
        values = np.array([np.nan if each is None else each for each in row.values])
        points(axes, values, rates, with_it, size=8)
        trend(axes, values, rates)
        from_zero(axes, rates, 1.22)
        axes.grid(axis="y")
        if column:
            axes.tick_params(labelleft=False)
        else:
            axes.set_ylabel(RATE)
        axes.set_xlabel(MEASURES[row.key][1], fontsize=6.0, loc="left")
        axes.set_title(
            f"{number + 1}. {measure_name(row.key)}",
            fontsize=7.5,
            color=INK,
            loc="left",
            pad=3,
            fontweight="bold",
        )
        corner(
            axes,
            f"rho {signed(row.rate.spearman)} (p {chance(row.rate.spearman_p)}), "
            f"r {signed(row.rate.pearson)}",
        )
