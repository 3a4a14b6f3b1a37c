"""Content of charts of the interference matrix (which program slowed which), as grids."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from jostle.analysis.identification.model import Encounter, Matrix, ResourceKind

#: Largest q value (false discovery rate) that counts as evidence.
_SURE = 0.05


@dataclass(frozen=True)
class MatrixGrid:
    """The encounters (runs of one program with and without another) on one kind of resource.

    Attributes:
        place: The kind of resource.
        victims: Programs that used the resource concurrently with others, the most slowed first.
        aggressors: Programs that ran concurrently, the most harmful first.
        cells: Encounter of each (victim, aggressor).
    """

    place: str
    victims: list[str]
    aggressors: list[str]
    cells: dict[tuple[str, str], Encounter]


def grids(matrix: Matrix) -> list[MatrixGrid]:
    """Lay out the encounters, one grid per kind of resource, the one with most evidence first."""
    matrix_grids = []
    for place in dict.fromkeys(each.resource_kind for each in matrix.encounters):
        encounters = [each for each in matrix.encounters if each.resource_kind == place]
        cells = {(each.victim, each.aggressor): each for each in encounters}
        victims = _most([(each.victim, each) for each in encounters])
        matrix_grids.append(
            MatrixGrid(
                place, victims, _most([(each.aggressor, each) for each in encounters]), cells
            )
        )
    return sorted(matrix_grids, key=lambda grid: -sum(map(sure, grid.cells.values())))


def place_name(kind: ResourceKind | str) -> str:
    """Return the name of a kind of resource, for use after "on the"."""
    return {"gpu": "GPU", "bus": "bus of a GPU", "memory": "memory of a node"}.get(kind, kind)


def _most(named: list[tuple[str, Encounter]]) -> list[str]:
    """Sort programs: those with most evidence first, then by their mean slowdown."""
    evident: dict[str, float] = defaultdict(float)
    all_of: dict[str, list[float]] = defaultdict(list)
    for name, each in named:
        size = each.slowdown.value if each.slowdown else 0.0
        evident[name] += size * sure(each)
        all_of[name].append(size)
    return sorted(all_of, key=lambda name: (-evident[name], -sum(all_of[name]) / len(all_of[name])))


def sure(each: Encounter) -> bool:
    """Return whether there is evidence that one program slows the other."""
    slower = each.slowdown is not None and each.slowdown.value > 0
    return slower and each.q is not None and each.q < _SURE


def signed(share: float | None) -> str:
    """Format a slowdown: `+18 %`; "-" where it is not known."""
    if share is None:
        return "-"
    text = f"{100 * share:+.0f}" if abs(share) >= 0.0995 else f"{100 * share:+.1f}"
    return "0 %" if text in ("+0.0", "-0.0") else f"{text} %"


def met(each: Encounter) -> str:
    """Format a measured slowdown: `+18 %`, or "few" if runs are too few for a test."""
    return signed(each.slowdown.value) if each.slowdown else "few"


def potential(value: float | None, *, proven: bool) -> str:
    """Format a mean slowdown of a program: `+18 %`, in brackets unless a pair is significant.

    A mean of 0 or less is "none": some runs were faster by chance.
    """
    if value is None:
        return "-"
    if value <= 0:
        return "none"
    return signed(value) if proven else f"({signed(value)})"
