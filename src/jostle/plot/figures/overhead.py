"""Figure of the overhead of profilers, as grouped bars (Shah, 2020, figures 2.5, 2.6 and 5.16)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from jostle.analysis.overhead import ProgramOverhead
from jostle.plot.charts.overhead import drawn, profilers_of, set_finding
from jostle.plot.figures.bar_parts import bar, label_lines, legend, whisker
from jostle.plot.figures.figure import SOFT
from jostle.plot.figures.page import FULL, Canvas, DrawnFigures, Page, Saved, draw_pages, looks

_LEFT, _RIGHT, _TALL, _SMALL = 0.55, 0.14, 1.9, 6.5
_COLUMNS = (
    "program",
    "profiler",
    "runs",
    "least_percent",
    "median_percent",
    "most_percent",
    "mean_percent",
    "low_percent",
    "high_percent",
    "verdict",
)


def save_set(
    programs: Sequence[ProgramOverhead], folder: Path, endings: Sequence[str] = ("png",)
) -> list[Saved]:
    """Draw the overhead of a set of programs into `overhead.ENDING`.

    Args:
        programs: The measurements.
        folder: Folder of the figure.
        endings: Formats of the figure: png, svg, pdf.

    Returns:
        The files that were written; empty if no program has numbers.
    """
    if not drawn(programs):
        return []
    return draw_pages([(_page(programs), partial(_draw, programs=programs))], folder, endings)


def _page(programs: Sequence[ProgramOverhead]) -> Page:
    rows = tuple(
        (
            program,
            profiler,
            cost.profiled.kept,
            *(
                100 * value
                for value in (
                    cost.profiled.overhead_least,
                    cost.profiled.overhead_median,
                    cost.profiled.overhead_most,
                    cost.mean,
                    cost.low,
                    cost.high,
                )
            ),
            cost.verdict,
        )
        for program, profiler, cost in drawn(programs)
    )
    timed = " or ".join(dict.fromkeys(each.timed for each in programs if each.profilers))
    counts = sorted({each.rounds for each in programs if each.profilers})
    runs = " to ".join(dict.fromkeys(f"{count}" for count in (counts[0], counts[-1])))
    return Page(
        "overhead",
        set_finding(programs),
        "Time of a run against the median of the plain runs, less 1. Bar: median; marks: least and "
        "most; outliers (modified Z-score above 3.5) are left out.",
        f"{runs} runs of each kind, in turn; timed: {timed}",
        DrawnFigures(_COLUMNS, rows),
        width=FULL,
        body=_TALL + 0.6,
    )


def _draw(canvas: Canvas, programs: Sequence[ProgramOverhead]) -> None:
    rows = drawn(programs)
    names = list(dict.fromkeys(program for program, _, _ in rows))
    profilers = profilers_of(programs)
    look = looks(profilers)
    axes = canvas.axes(_LEFT, 0.3, canvas.width - _LEFT - _RIGHT, _TALL)
    wide = 0.76 / len(profilers)
    for program, profiler, cost in rows:
        where = names.index(program) + (profilers.index(profiler) + 0.5) * wide - 0.38
        arm = cost.profiled
        bar(axes, where, 100 * arm.overhead_median, 0.86 * wide, look[profiler])
        whisker(axes, where, 100 * arm.overhead_least, 100 * arm.overhead_most, 0.18 * wide)
    axes.axhline(0, color=SOFT, linewidth=0.8)
    axes.set_xlim(-0.55, len(names) - 0.45)
    axes.set_xticks(range(len(names)))
    slot = (canvas.width - _LEFT - _RIGHT) / len(names)
    axes.set_xticklabels(["\n".join(label_lines(name, slot)) for name in names], fontsize=_SMALL)
    axes.tick_params(axis="x", length=0)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:+g} %" if value else "0 %")
    axes.spines["bottom"].set_visible(False)
    axes.grid(axis="y")
    legend(canvas, list(look.items()))
