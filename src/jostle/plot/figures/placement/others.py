"""Draws messaging rates of runs with and without a suspected program, and within long runs.

The figures are those of Bhatele et al., 2013, figures 14 and 20.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jostle.plot.charts.labels import slug
from jostle.plot.figures.figure import INK, SOFT
from jostle.plot.figures.page import FULL, RULE, Canvas, DrawnFigures, Page
from jostle.plot.figures.placement.axes import BELOW, BLUE, LEFT, ORANGE, PAPER, RATE, name_axes
from jostle.report.format.placement import chance, change_of, is_proven
from jostle.report.format.values import percent, significant

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from jostle.analysis.placement import Course, Event, ProgramPlacement, SuspectProgram

_HIGH = 1.9
_COURSE, _COURSE_GAP = 1.35, 0.62
_BINS = 14
_LONG_S = 300  # least length of runs whose axis is in minutes
_NAMED = 8  # events whose jobs are named


def suspect_page(content: ProgramPlacement, each: SuspectProgram) -> Page:
    """Return the page of the histogram of rates with and without a program."""
    change = each.change[0] if each.change else 0.0
    word = "lower" if change < 0 else "higher"
    title = (
        f"Alongside {each.program}, the messaging rate of {content.program} is "
        f"{percent(abs(change))} {word}"
    )
    if not is_proven(each):
        title = f"No evidence that {each.program} changes the messaging rate of {content.program}"
    parts = []
    for name, values in (
        (f"alongside {each.program}", each.with_rates),
        ("without it", each.without_rates),
    ):
        rates = np.array(values) / 1e6
        parts.append(
            f"{name} {significant(rates.mean())} ± {significant(rates.std(ddof=1))} MB/s "
            f"({len(rates)} runs)"
        )
    note = (
        f"Number of runs by rate; {parts[0]}, {parts[1]}. {each.test}: p = {chance(each.p)}, "
        f"q = {chance(each.q)}."
    )
    normal = ", ".join(chance(p) for p in each.normal)
    foot = (
        f"Shapiro-Wilk p of the groups: {normal}; Bartlett p: {chance(each.equal_variance)}. Where "
        "one is below 0.05, the rank test of Kruskal and Wallis takes the place of ANOVA."
    )
    rows = tuple(
        (group, rate / 1e6)
        for group, rates in (("with", each.with_rates), ("without", each.without_rates))
        for rate in rates
    )
    return Page(
        f"placement-{slug(content.program)}-alongside-{slug(each.program)}",
        title,
        note,
        foot,
        DrawnFigures(("group", "rate_MB_per_s"), rows),
        width=FULL,
        body=_HIGH + BELOW + 0.1,
    )


def draw_suspect(canvas: Canvas, each: SuspectProgram) -> None:
    """Draw both histograms over each other: one filled, one hatched."""
    from matplotlib.ticker import MaxNLocator

    alongside, without = np.array(each.with_rates) / 1e6, np.array(each.without_rates) / 1e6
    axes = canvas.axes(LEFT, 0.1, canvas.width - LEFT - 0.2, _HIGH)
    both = np.concatenate([alongside, without])
    edges = np.linspace(both.min(), both.max() + 1e-9, _BINS + 1)
    high = 0.0
    for values, colour, hatch in ((without, BLUE, ""), (alongside, ORANGE, "////")):
        number, _ = np.histogram(values, edges)
        high = max(high, float(number.max()))
        axes.stairs(number, edges, fill=True, facecolor=colour, alpha=0.25, linewidth=0)
        axes.stairs(
            number,
            edges,
            color=colour,
            linewidth=1.3,
            hatch=hatch or None,
            fill=bool(hatch),
            facecolor="none",
            edgecolor=colour,
        )
    for values, colour, name in (
        (alongside, ORANGE, f"alongside {each.program}"),
        (without, BLUE, "without it"),
    ):
        mean = values.mean()
        higher = mean >= both.mean()
        axes.plot(
            [mean, mean], [0, high * 1.12], color=colour, linewidth=1.2, linestyle=(0, (4, 2))
        )
        axes.annotate(
            f"{name}: mean {significant(mean)}",
            (mean, high * 1.12),
            (4 if higher else -4, 0),
            textcoords="offset points",
            ha="left" if higher else "right",
            va="top",
            fontsize=7,
            color=colour,
            fontweight="bold",
        )
    axes.set_ylim(0, high * 1.15)
    axes.yaxis.set_major_locator(MaxNLocator(6, integer=True))
    name_axes(axes, RATE, "runs")


def courses_page(content: ProgramPlacement) -> Page:
    """Return the page of the figure of rates inside long runs."""
    most = max(
        (
            abs(event.change)
            for course in content.courses
            for event in course.events
            if event.change is not None
        ),
        default=0.0,
    )
    title = f"Inside its long runs, the rate of {content.program} hardly changes with neighbours"
    if not any(course.events for course in content.courses):
        title = (
            f"Inside the long runs of {content.program} no job that may use the same links "
            "starts or ends"
        )
    elif most >= 0.05:
        title = (
            f"Inside its long runs, the rate of {content.program} changes by up to {percent(most)} "
            "when a neighbour starts or ends"
        )
    note = (
        "Steps: messaging rate slice by slice. Lines: a job that may use the same links starts "
        "(solid) or ends (dashed), with the change of the rate."
    )
    rows = tuple(
        (course.job, time, rate / 1e6)
        for course in content.courses
        for time, rate in zip(course.times_s, course.rates, strict=True)
    )
    return Page(
        f"placement-{slug(content.program)}-inside",
        title,
        note,
        "Change: mean rate of up to five slices after the neighbour started or ended, compared "
        "with the mean of as many slices before.",
        DrawnFigures(("job", "time_s", "rate_MB_per_s"), rows),
        width=FULL,
        body=len(content.courses) * (_COURSE + _COURSE_GAP) + 0.15,
    )


def draw_courses(canvas: Canvas, content: ProgramPlacement) -> None:
    """Draw the rate inside each long run, one below the other, on one scale."""
    top = max(max(course.rates) for course in content.courses) / 1e6
    for number, course in enumerate(content.courses):
        down = 0.32 + number * (_COURSE + _COURSE_GAP)
        axes = canvas.axes(LEFT, down, canvas.width - LEFT - 0.2, _COURSE)
        _draw_course(axes, course, top)


def _draw_course(axes: Axes, course: Course, top: float) -> None:
    edges = np.array([*course.times_s, course.times_s[-1] + course.slice_s])
    unit, name = (60, "minutes") if edges[-1] > _LONG_S else (1, "seconds")
    edges = edges / unit
    rates = np.array(course.rates) / 1e6
    axes.stairs(rates, edges, color=BLUE, linewidth=1.5, baseline=None)
    axes.set_ylim(0, top * 1.45)
    axes.set_xlim(max(edges[0], 0), edges[-1])
    largest = sorted(course.events, key=lambda event: -abs(event.change or 0.0))[:_NAMED]
    groups: dict[float, list[Event]] = {}
    for event in largest:
        groups.setdefault(round(event.at_s, 3), []).append(event)
    for at, events in sorted(groups.items()):
        starts = any(event.starts for event in events)
        axes.axvline(at / unit, color=INK, linewidth=0.8, linestyle="-" if starts else (0, (3, 2)))
        words = [
            f"{event.program or event.job} {'starts' if event.starts else 'ends'}"
            for event in events
        ]
        change = events[0].change
        text = "\n".join([*words, change_of(change) if change is not None else ""])
        right = at / unit < 0.75 * edges[-1]
        axes.annotate(
            text,
            (at / unit, top * 1.43),
            (3 if right else -3, 0),
            textcoords="offset points",
            ha="left" if right else "right",
            va="top",
            fontsize=6.2,
            color=INK,
            bbox=PAPER,
        )
    axes.set_title(f"{course.job}", fontsize=7.5, color=INK, loc="left", pad=3, fontweight="bold")
    axes.annotate(
        f"varies by {percent(course.variation)}",
        (1, 1),
        (0, 3),
        "axes fraction",
        "offset points",
        ha="right",
        va="bottom",
        fontsize=6.5,
        color=SOFT,
    )
    name_axes(axes, f"{name} since its start", RATE)
    axes.axhline(rates.mean(), color=RULE, linewidth=0.9, zorder=0.5)
