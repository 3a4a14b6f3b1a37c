"""Draws ranks' time in computation and in kinds of MPI calls, and communicators' hops and time.

The figures are those of Bhatele et al., 2013, figures 3, 8, 11 and 13.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jostle.plot.charts.labels import slug
from jostle.plot.figures.figure import INK, SOFT
from jostle.plot.figures.page import FULL, Canvas, DrawnFigures, Page, text_width
from jostle.plot.figures.placement.axes import (
    BELOW,
    BLUE,
    GREEN,
    LEFT,
    ORANGE,
    date_axis,
    from_zero,
    name_axes,
    trend,
)
from jostle.report.format.placement import correlated, noise_answer
from jostle.report.format.values import count, iso_time

if TYPE_CHECKING:
    from jostle.analysis.placement import ProgramPlacement, Run

_HIGH = 2.2


def noise_page(content: ProgramPlacement) -> Page:
    """Return the page of the figure of computation and MPI, and of kinds of calls."""
    answer = noise_answer(content.noise) if content.noise else "Time of a rank, run by run."
    title, _, rest = answer.partition(". ")
    note = (
        "Left: mean over the ranks of a run, with its least and its greatest rank. Right: mean "
        "time of a rank in each kind of MPI calls, with the least and the greatest run."
    )
    columns = (
        "job",
        "start",
        *(f"{what}_{stat}_s" for what in ("compute", "mpi") for stat in ("min", "mean", "max")),
    )
    rows = tuple(
        (
            run.job,
            iso_time(run.start_ns),
            *(
                getattr(each, stat)
                for each in (run.compute_s, run.mpi_s)
                for stat in ("min", "mean", "max")
            ),
        )
        for run in content.runs
    )
    return Page(
        f"placement-{slug(content.program)}-time",
        title.rstrip(".") + ".",
        note,
        rest,
        DrawnFigures(columns, rows),
        width=FULL,
        body=_HIGH + BELOW + 0.25,
    )


def draw_noise(canvas: Canvas, content: ProgramPlacement) -> None:
    """Draw computation and MPI per run and, next to it, the kinds of calls."""
    wide = 0.5 * canvas.width - LEFT
    axes = canvas.axes(LEFT, 0.15, wide, _HIGH)
    days = date_axis(axes, [run.start_ns for run in content.runs])
    tops = []
    for name, spreads, colour, mark in (
        ("computation", [run.compute_s for run in content.runs], BLUE, "o"),
        ("MPI", [run.mpi_s for run in content.runs], ORANGE, "s"),
    ):
        mean, low, high = (
            np.array([getattr(each, stat) for each in spreads]) for stat in ("mean", "min", "max")
        )
        axes.errorbar(
            days,
            mean,
            [mean - low, high - mean],
            fmt=mark,
            markersize=2.4,
            color=colour,
            elinewidth=0.5,
            ecolor=colour,
            alpha=0.85,
        )
        axes.annotate(
            name,
            (1, float(mean.mean())),
            (4, 0),
            ("axes fraction", "data"),
            "offset points",
            fontsize=6.5,
            color=colour,
            va="center",
            annotation_clip=False,
        )
        tops.append(float(high.max()))
    from_zero(axes, tops)
    axes.set_ylabel("time of a rank, s")
    axes.grid(axis="y")
    _calls(canvas, content, LEFT + wide + 0.85)


def _calls(canvas: Canvas, content: ProgramPlacement, left: float) -> None:
    names = list(content.calls)
    if not names:
        return
    label = max(text_width(name, 7) for name in names) + 0.1
    wide = canvas.width - left - label - 0.25
    axes = canvas.axes(left + label, 0.15, wide, min(_HIGH, 0.42 * len(names) + 0.2))
    for y, name in enumerate(names):
        each = content.calls[name]
        axes.barh(y, each.mean, height=0.55, color="#8FB8D8", edgecolor=BLUE, linewidth=0.8)
        axes.plot([each.min, each.max], [y, y], color=INK, linewidth=0.9)
        axes.plot([each.min, each.max], [y, y], color=INK, marker="|", markersize=5, linestyle="")
    axes.set_yticks(range(len(names)))
    axes.set_yticklabels(names, fontsize=7, color=INK)
    axes.set_ylim(len(names) - 0.4, -0.6)  # the smallest first
    axes.set_xlim(0, max(each.max for each in content.calls.values()) * 1.05)
    axes.set_xlabel("time of a rank, s", loc="left")
    axes.grid(axis="x")


def hops_page(content: ProgramPlacement) -> Page:
    """Return the page of the figure of hops and time of communicators."""
    assert content.communicators is not None
    every = content.communicators.all
    strong = every.pearson is not None and abs(every.pearson) >= 0.5
    title = "Communicators that reach farther " + (
        "are slower" if strong and (every.pearson or 0) > 0 else "are hardly slower"
    )
    note = (
        f"Each point is a communicator of a run: mean hops between two of its ranks, and mean time "
        f"of its ranks in collectives. All runs: {correlated(every)}. Dashed: least squares."
    )
    rows = tuple(
        (run.job, each.name, each.size, each.hops, each.seconds)
        for run in content.runs
        for each in run.communicators
    )
    numbers = DrawnFigures(("job", "communicator", "ranks", "hops", "collective_s"), rows)
    foot = (
        f"{count(every.n)} communicators of {count(len(content.runs))} runs. The time of a rank is "
        "divided among its communicators by the bytes that it gave to the collectives of each."
    )
    return Page(
        f"placement-{slug(content.program)}-communicators",
        title,
        note,
        foot,
        numbers,
        width=FULL,
        body=2.5 + BELOW,
    )


def draw_hops(canvas: Canvas, content: ProgramPlacement) -> None:
    """Draw all communicators, and separately three runs."""
    assert content.communicators is not None
    wide = 0.56 * canvas.width - LEFT
    axes = canvas.axes(LEFT, 0.2, wide, 2.25)
    hops, times = _columns(content.runs)
    axes.scatter(hops, times, s=3, color=SOFT, alpha=0.35, linewidth=0)
    trend(axes, hops, times)
    from_zero(axes, times)
    name_axes(axes, "hops, mean of a communicator", "time in collectives, s")
    axes.set_title("all runs", fontsize=7.5, color=INK, loc="left", pad=3, fontweight="bold")
    other = canvas.axes(LEFT + wide + 0.45, 0.2, canvas.width - LEFT - wide - 0.6, 2.25)
    by_job = {run.job: run for run in content.runs}
    looks = (("slowest", ORANGE, "s"), ("fastest", BLUE, "o"), ("most contiguous", GREEN, "^"))
    for (job, each), (name, colour, mark) in zip(
        content.communicators.runs.items(), looks, strict=False
    ):
        own_hops, own_times = _columns([by_job[job]])
        r = "" if each.pearson is None else f", r = {each.pearson:+.2f}"
        other.scatter(
            own_hops, own_times, s=14, color=colour, marker=mark, label=f"{name}: {job}{r}"
        )
        trend(other, own_hops, own_times)
    other.set_ylim(axes.get_ylim())
    other.grid(axis="y")
    other.set_xlabel("hops, mean of a communicator", loc="left")
    other.set_title("three runs", fontsize=7.5, color=INK, loc="left", pad=3, fontweight="bold")
    other.legend(loc="lower left", fontsize=6.0, handlelength=1.0, borderaxespad=0.1)


def _columns(runs: tuple[Run, ...] | list[Run]) -> tuple[np.ndarray, np.ndarray]:
    rows = [
        (each.hops, each.seconds)
        for run in runs
        for each in run.communicators
        if each.seconds is not None and each.hops > 0
    ]
    table = np.array(rows, np.float64).reshape(-1, 2)
    return table[:, 0], table[:, 1]
