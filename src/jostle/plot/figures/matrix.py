"""Figures of the interference matrix: a heat map for each kind of resource."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from jostle.analysis.identification.model import Matrix
from jostle.analysis.identification.runs.with_without import FEWEST
from jostle.plot.charts.labels import tied
from jostle.plot.charts.matrix import MatrixGrid, grids, met, place_name, potential, signed, sure
from jostle.plot.figures.figure import INK, SOFT
from jostle.plot.figures.page import (
    FULL,
    NARROW,
    RULE,
    Canvas,
    DrawnFigures,
    Page,
    Plan,
    text_width,
)
from jostle.report.format.values import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST = 14  # programs per side of a picture
_HIGH, _WIDE = 0.36, 1.7  # inches of a cell: its height, its greatest width
_LABEL, _CELL = 7.0, 6.5  # points
_BARS = 0.95  # inches of the bars to the right of the map


def plans(matrix: Matrix) -> Iterator[Plan]:
    """Yield a figure per kind of resource on which programs met."""
    for grid in grids(matrix):
        yield _page(matrix, grid), partial(_draw, grid=grid, matrix=matrix)


def _sides(grid: MatrixGrid) -> tuple[list[str], list[str]]:
    return grid.victims[:_MOST], grid.aggressors[:_MOST]


def _page(matrix: Matrix, grid: MatrixGrid) -> Page:
    evident = [each for each in grid.cells.values() if sure(each)]
    if evident:
        worst = max(evident, key=lambda each: each.slowdown.value if each.slowdown else 0.0)
        size = signed(worst.slowdown.value if worst.slowdown else None).lstrip("+")
        title = f"{worst.aggressor} slows {worst.victim} by {size} on the "
        title += place_name(grid.place)
        if len(evident) > 1:
            title += f", the most of {len(evident)} pairs with evidence"
        value = worst.slowdown.value if worst.slowdown else 0.0
        title += tied([each.slowdown.value for each in evident if each.slowdown], value, signed)
    else:
        is_tested = any(each.test for each in grid.cells.values())
        title = "No evidence that" if is_tested else "Too few runs to test whether"
        title += f" any program slows another on the {place_name(grid.place)}"
    note = (
        "Slowdown of the row's program in its runs alongside the column's program, over its runs "
        "without it; below: number of runs with / without. Coloured and bold: evidence (q < 0.05 "
        "after control of the false-discovery rate); grey: none; few: under "
        f"{FEWEST} runs with or without; empty: they never ran together. "
        "Right: how much the row's program is slowed over all encounters (passive); hollow and in "
        "brackets: no pair proves it."
    )
    rows, columns = _sides(grid)
    body = 0.15 + _HIGH * len(rows) + _below(columns)
    foot = f"{count(matrix.jobs)} jobs of {len(matrix.programs)} programs."
    if len(rows) < len(grid.victims) or len(columns) < len(grid.aggressors):
        foot += f" Drawn are the {_MOST} programs with most evidence; the table has all."
    width = NARROW if len(columns) <= 5 else FULL
    stem = f"matrix-{grid.place.replace(' ', '-')}"
    return Page(stem, title, note, foot, _numbers(grid), width=width, body=body)


def _below(columns: list[str]) -> float:
    """Return the inches of the slanted names below the map."""
    longest = max(text_width(name, _LABEL) for name in columns)
    return 0.3 + 0.62 * longest + 0.2


def _numbers(grid: MatrixGrid) -> DrawnFigures:
    columns = (
        "victim",
        "aggressor",
        "resource_kind",
        "with_runs",
        "without_runs",
        "with_mean",
        "without_mean",
        "slowdown",
        "low95",
        "high95",
        "test",
        "p",
        "q",
    )
    rows = []
    for each in grid.cells.values():
        size = each.slowdown
        bounds = (size.value, size.low, size.high) if size else (None, None, None)
        rows.append(
            (
                each.victim,
                each.aggressor,
                each.resource_kind,
                each.with_runs,
                each.without_runs,
                each.with_mean,
                each.without_mean,
                *bounds,
                each.test,
                each.p,
                each.q,
            )
        )
    return DrawnFigures(columns, tuple(rows))


def _draw(canvas: Canvas, grid: MatrixGrid, matrix: Matrix) -> None:
    """Draw the cells and, to the right of them, how sensitive each program is."""
    rows, columns = _sides(grid)
    left = 0.2 + max(text_width(name, _LABEL) for name in rows) + 0.1
    wide = min((canvas.width - left - _BARS - 0.45) / len(columns), _WIDE)
    axes = canvas.axes(left, 0.15, wide * len(columns), _HIGH * len(rows))
    _cells(axes, grid, rows, columns)
    bars = canvas.axes(
        left + wide * len(columns) + 0.2, 0.15, _BARS, _HIGH * len(rows), sharey=axes
    )
    _passive(bars, matrix, rows)


def _cells(axes: Axes, grid: MatrixGrid, rows: list[str], columns: list[str]) -> None:
    from matplotlib.patches import Rectangle

    top = max(
        (each.slowdown.value for each in grid.cells.values() if each.slowdown and sure(each)),
        default=1.0,
    )
    for y, victim in enumerate(rows):
        for x, aggressor in enumerate(columns):
            each = grid.cells.get((victim, aggressor))
            known = each is not None and each.slowdown is not None
            share = each.slowdown.value / top if each and each.slowdown and sure(each) else 0.0
            face = _colour(share) if share else "#F1F3F5" if known else "white"
            axes.add_patch(Rectangle((x, y), 1, 1, facecolor=face, edgecolor="white", linewidth=1))
            if each is None:
                continue
            ink = "white" if share > 0.6 else INK if share else SOFT
            axes.text(
                x + 0.5,
                y + 0.4,
                met(each),
                ha="center",
                va="center",
                color=ink,
                fontsize=_CELL + 0.5,
                fontweight="bold" if share else "normal",
            )
            axes.text(
                x + 0.5,
                y + 0.76,
                f"{each.with_runs} / {each.without_runs}",
                ha="center",
                va="center",
                fontsize=5,
                color=ink,
            )
    axes.set_xlim(0, len(columns))
    axes.set_ylim(len(rows), 0)
    axes.set_xticks([x + 0.5 for x in range(len(columns))])
    axes.set_xticklabels(
        list(columns), rotation=35, ha="right", rotation_mode="anchor", fontsize=_LABEL, color=INK
    )
    axes.set_yticks([y + 0.5 for y in range(len(rows))])
    axes.set_yticklabels(list(rows), fontsize=_LABEL, color=INK)
    axes.tick_params(length=0)
    axes.spines["bottom"].set_visible(False)
    axes.set_xlabel("alongside this program", loc="left", fontsize=_LABEL, color=SOFT)


def _colour(share: float) -> Any:
    """Return the colour of a slowdown: from light to dark orange, readable in grey."""
    from matplotlib.colors import LinearSegmentedColormap

    tones = LinearSegmentedColormap.from_list("harm", ["#FCE3D0", "#F0954F", "#A53F00"])
    return tones(0.05 + 0.95 * share)


def _passive(axes: Axes, matrix: Matrix, rows: list[str]) -> None:
    """Draw how much each program of the rows is slowed over all its encounters."""
    passive = {each.program: each.passive for each in matrix.programs}
    proven = {each.program for each in matrix.programs if each.hurt_by}
    values = [max(passive.get(name) or 0.0, 0.0) for name in rows]
    fills = ["#8FA3B5" if name in proven else "white" for name in rows]
    axes.barh(
        [y + 0.5 for y in range(len(rows))],
        values,
        height=0.5,
        color=fills,
        edgecolor="#8FA3B5",
        linewidth=0.8,
    )
    wide = max(*values, 0.01)
    for y, name in enumerate(rows):
        axes.text(
            values[y] + 0.05 * wide,
            y + 0.5,
            potential(passive.get(name), proven=name in proven),
            va="center",
            fontsize=_CELL,
            color=INK,
        )
    axes.set_xlim(0, wide * 1.7)
    axes.axvline(0, color=RULE, linewidth=0.8)
    axes.tick_params(labelleft=False, labelbottom=False, length=0)
    axes.spines["bottom"].set_visible(False)
    axes.set_xlabel("passive", fontsize=_LABEL, color=SOFT)
