"""Shows which program slowed which, as text and tables."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from jostle.analysis.identification.runs.with_without import FEWEST
from jostle.cli.output import fit, heading, table
from jostle.cli.views.interference import probability
from jostle.plot.charts.matrix import MatrixGrid, grids, met, place_name, potential, signed, sure
from jostle.report.format.values import alike, count

if TYPE_CHECKING:
    from rich.table import Table

    from jostle.analysis.identification.model import Encounter, Matrix, Potential

_PAIRS = 20  # most that are listed


def view(matrix: Matrix) -> Iterator[Any]:
    """Yield the answer, the programs, the matrix, and the pairs with their tests."""
    evident = [each for each in matrix.encounters if sure(each)]
    yield heading(_answer(matrix, evident))
    yield f"  {_many(matrix.jobs, 'job')} of {_many(len(matrix.programs), 'program')}."
    if matrix.programs:
        yield from ("", heading("Programs", "  the most sensitive first"))
        yield _programs(matrix.programs)
    reading = f"  rows suffer from columns; in brackets: not proven; few: under {FEWEST} runs"
    for grid in grids(matrix):
        yield from ("", heading(f"Slowed on the {place_name(grid.place)}", reading), _grid(grid))
    if matrix.encounters:
        tested = [each for each in matrix.encounters if each.p is not None]
        encounters = (evident or tested or matrix.encounters)[:_PAIRS]
        yield from ("", heading("Pairs", "  runs with the other program against runs without it"))
        yield _pairs(encounters)
        left = len(matrix.encounters) - len(encounters)
        if left:
            kind = "" if len(evident) > _PAIRS else " without evidence"
            yield f"{count(left)} more pairs{kind} (--json)."
    if matrix.limits and matrix.encounters:
        yield ""
        yield from (f"note: {limit}" for limit in alike(matrix.limits))


def _many(number: int, noun: str) -> str:
    return f"{count(number)} {noun}{'' if number == 1 else 's'}"


def _answer(matrix: Matrix, evident: list[Encounter]) -> str:
    if not matrix.encounters:
        return "No two programs were active on the same resource at the same time."
    if not evident:
        tested = [each for each in matrix.encounters if each.test]
        if not tested:
            most = max(matrix.encounters, key=lambda each: (min(_runs(each)), sum(_runs(each))))
            with_it, without = _runs(most)
            return (
                f"Too few runs to compare: {FEWEST} alongside the other program and {FEWEST} "
                f"without it are needed; {most.victim} has {with_it} alongside {most.aggressor} "
                f"and {without} without."
            )
        pairs = _many(len(tested), "pair")
        return f"No evidence that any program slows another ({pairs} with enough runs)."
    worst = max(evident, key=lambda each: each.slowdown.value if each.slowdown else 0.0)
    size = f" by {100 * worst.slowdown.value:.0f} %" if worst.slowdown else ""
    more = f"; {len(evident)} pairs with evidence in all" if len(evident) > 1 else ""
    place = place_name(worst.resource_kind)
    return f"{worst.aggressor} slows {worst.victim}{size} on the {place}{more}."


def _runs(each: Encounter) -> tuple[int, int]:
    return each.with_runs, each.without_runs


def _programs(programs: list[Potential]) -> Table:
    frame = table(
        [
            "=program",
            ">runs",
            ">passive (is slowed)",
            ">active (slows others)",
            "slowed by",
            "slows",
        ]
    )
    for each in programs:
        frame.add_row(
            each.program,
            count(each.runs),
            potential(each.passive, proven=bool(each.hurt_by)),
            potential(each.active, proven=bool(each.hurts)),
            ", ".join(each.hurt_by) or "-",
            ", ".join(each.hurts) or "-",
        )
    return fit(frame, "slows")


def _grid(grid: MatrixGrid) -> Table:
    """Return the matrix as a table."""
    names = list(grid.aggressors)
    frame = table(["=", *(f">{name}" for name in names)])
    for victim in grid.victims:
        cells = []
        for aggressor in grid.aggressors:
            each = grid.cells.get((victim, aggressor))
            text = "" if each is None else met(each)
            is_bare = each is None or not each.slowdown or sure(each)
            cells.append(text if is_bare else f"({text})")
        frame.add_row(victim, *cells)
    return frame


def _pairs(encounters: list[Encounter]) -> Table:
    frame = table(
        [
            "=slowed",
            "=by",
            "=on",
            ">runs with",
            ">without",
            ">slower",
            ">interval",
            "=test",
            ">p",
            ">q",
        ]
    )
    for each in encounters:
        size = each.slowdown
        known = size and math.isfinite(size.low) and math.isfinite(size.high)
        ends = f"{signed(size.low)} to {signed(size.high)}" if size and known else "-"
        frame.add_row(
            each.victim,
            each.aggressor,
            place_name(each.resource_kind),
            count(each.with_runs),
            count(each.without_runs),
            met(each),
            ends,
            each.test or "-",
            "-" if each.p is None else probability(each.p),
            "-" if each.q is None else probability(each.q),
        )
    return fit(frame, "p", "test", "interval")
