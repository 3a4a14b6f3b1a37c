"""All figures of the runs of a program (Bhatele et al., 2013, figures 1, 3 to 6 and 8 to 20)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from jostle.plot.charts.labels import slug
from jostle.plot.charts.placement import NodeRoles, most_conflicting, roles
from jostle.plot.figures.figure import INK
from jostle.plot.figures.page import FULL, Canvas, DrawnFigures, Page, Plan
from jostle.plot.figures.placement import others, rates, times
from jostle.plot.figures.placement.boxes import TOGETHER, draw_boxes
from jostle.plot.figures.placement.places import (
    boxes_high,
    draw_all_strips,
    draw_legend,
    is_box,
    legend_high,
    numbers_of,
    strips_high,
)
from jostle.report.format.placement import is_proven, message_rate, pair_answer

if TYPE_CHECKING:
    from jostle.analysis.placement import PairOfRuns, ProgramPlacement, Run
    from jostle.report.models.job.placement import Stays
    from jostle.topology import Topology

_SUSPECTS = 4  # figures of programs
_HEAD = 0.2


def plans(content: ProgramPlacement, stays: Stays) -> Iterator[Plan]:
    """Yield the figures of a program's runs: rates, then causes ruled out, then causes found."""
    if content.best_to_worst is not None:
        yield rates.rates_page(content), partial(rates.draw_rates, content=content)
        yield rates.time_page(content), partial(rates.draw_time, content=content)
    yield times.noise_page(content), partial(times.draw_noise, content=content)
    if any(row.rate.spearman is not None for row in content.measures):
        yield rates.measures_page(content), partial(rates.draw_measures, content=content)
    if content.communicators is not None:
        yield times.hops_page(content), partial(times.draw_hops, content=content)
    proven = [each for each in content.suspects if is_proven(each)]
    for each in (proven or list(content.suspects))[:_SUSPECTS]:
        yield others.suspect_page(content, each), partial(others.draw_suspect, each=each)
    for pair in content.pairs:
        yield _pair(content, stays, pair)
    if content.courses:
        yield others.courses_page(content), partial(others.draw_courses, content=content)


def _pair(content: ProgramPlacement, stays: Stays, pair: PairOfRuns) -> Plan:
    """Return the picture of two runs next to each other, the slower one on the left."""
    by_job = {run.job: run for run in content.runs}
    runs = (by_job[pair.slow], by_job[pair.fast])
    programs = most_conflicting([run.company for run in runs])
    whole = tuple(roles(stays, stays.by_job[run.job], run.company, programs) for run in runs)
    topology = stays.fabric_map.topology
    casts = tuple(each.only(TOGETHER) if is_box(topology) else each for each in whole)
    width = (FULL - 0.3) / 2
    high = max(legend_high(each, 1) for each in casts) + _HEAD
    high += (
        boxes_high(topology, width)
        if is_box(topology)
        else max(strips_high(topology, each, 2) for each in casts)
    )
    note = (
        "Left the slower run, right the faster one, each with the jobs that may use its links. "
        + ("Each box is a router." if is_box(topology) else "Each strip is a switch.")
    )
    tables = [numbers_of(topology, each) for each in whole]
    numbers = DrawnFigures(
        ("run", *tables[0].columns),
        tuple(
            (run.job, *row) for run, table in zip(runs, tables, strict=True) for row in table.rows
        ),
    )
    stem = f"placement-{slug(content.program)}-pair-{slug(pair.why)}"
    page = Page(
        stem, pair_answer(pair), note, f"The pair: {pair.why}.", numbers, width=FULL, body=high
    )
    return page, partial(_draw_pair, topology=topology, runs=runs, casts=casts)


def _draw_pair(
    canvas: Canvas, topology: Topology, runs: tuple[Run, ...], casts: tuple[NodeRoles, ...]
) -> None:
    width = (canvas.width - 0.3) / 2
    legend = max(legend_high(each, 1) for each in casts)
    for place, (run, who) in enumerate(zip(runs, casts, strict=True)):
        left = 0.15 + place * width
        canvas.text(
            left,
            0.02,
            f"{run.job}: {message_rate(run.rate)}",
            fontsize=8,
            color=INK,
            fontweight="bold",
            va="top",
        )
        draw_legend(canvas, left, _HEAD, who, 1)
        top = _HEAD + legend
        if is_box(topology):
            axes = canvas.axes(left, top, width, boxes_high(topology, width))
            draw_boxes(axes, topology, who, TOGETHER)
        else:
            draw_all_strips(canvas, topology, who, 2, (left, top, width - 0.15))
