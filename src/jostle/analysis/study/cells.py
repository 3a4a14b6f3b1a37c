"""Cells of a study and their curves, break-even sizes and serialised pairs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from jostle.analysis.study.intervals import known, loss, summary
from jostle.analysis.study.measure import MeasuredPair, Reference
from jostle.analysis.study.model import (
    BreakEven,
    Cell,
    Curve,
    Point,
    Repetition,
    Serialised,
    Setting,
    Side,
)
from jostle.analysis.study.runs import setting_of
from jostle.analysis.study.setting import size_label

Key = tuple[str, str, Setting]

#: A program that loses so much beside one that loses so little was shut out while the other ran.
SHUT_OUT, UNHURT = 0.9, 0.2
#: Above this share of turns a pair is serialised.
TURNS = 0.9
#: Losses nearer than this are even.
EVEN = 0.025


def cells(
    measured: Sequence[MeasuredPair], references: dict[str, Reference], axes: Sequence[str]
) -> list[Cell]:
    """Group runs into cells: each pair gives two, turned, unless that is the same cell.

    A periodic signal is no probe, and one that lasts until its probe ends neither.
    """
    found: dict[Key, list[tuple[MeasuredPair, int]]] = {}
    for pair in measured:
        first, turned = _keys(pair, axes)
        found.setdefault(first, []).append((pair, 0))
        signal = pair.run.programs[1]
        if signal.role != "signal" and not signal.period_ns and turned != first:
            found.setdefault(turned, []).append((pair, 1))
    return [_cell(key, seen, references) for key, seen in found.items()]


def _keys(pair: MeasuredPair, axes: Sequence[str]) -> tuple[Key, Key]:
    one, other = (program.name for program in pair.run.programs)
    return (
        (one, other, setting_of(pair.run, 0, axes)),
        (other, one, setting_of(pair.run, 1, axes)),
    )


def _cell(key: Key, seen: list[tuple[MeasuredPair, int]], references: dict[str, Reference]) -> Cell:
    seen = sorted(seen, key=lambda part: part[0].run.repetition)
    repetitions = [pair.seen_from(place) for pair, place in seen]
    kept = [repetition for repetition in repetitions if repetition.verdict == "kept"]
    pair, place = seen[0]
    own = references.get(pair.run.programs[place].baseline)
    other = references.get(pair.run.programs[1 - place].baseline)
    best = max(kept, key=undisturbed, default=None)
    best_alone = max(own.rates, default=None) if own else None
    return Cell(
        *key,
        pair.run.programs[place].metric,
        repetitions,
        loss(own.rates if own else [], _rates(one.probe for one in kept)),
        _best_loss(best, best_alone),
        best.run if best else "",
        summary([one.probe.dilation if one.probe else None for one in kept]),
        loss(other.rates if other else [], _rates(one.signal for one in kept)),
        summary([one.probe.overlap if one.probe else None for one in kept]),
        summary([one.signal.overlap if one.signal else None for one in kept]),
    )


def _rates(sides: Iterable[Side | None]) -> list[float]:
    return known([side.interfered if side else None for side in sides])


def _best_loss(best: Repetition | None, alone: float | None) -> float | None:
    if best is None or best.probe is None or best.probe.interfered is None or not alone:
        return None
    return 1 - best.probe.interfered / alone


def undisturbed(repetition: Repetition) -> float:
    """Return how well a run went: both programs' rates, each relative to its standalone rate.

    The papers keep the best-performing of five runs, as the one with the least interference from
    outside (thesis §3.3.2).
    """
    total = 0.0
    for side in (repetition.probe, repetition.signal):
        if side is not None and side.interfered is not None:
            total += side.interfered / side.isolated if side.isolated else 0.0
    return total


def curves(found: Sequence[Cell]) -> list[Curve]:
    """Lines up the cells along chunk sizes and along the process counts of either program."""
    result = []
    for axis in ("chunk", "processes", "signal processes"):
        groups: dict[Key, list[Cell]] = {}
        for cell in found:
            if _place(cell.setting, axis) is not None:
                key = (cell.probe, cell.signal, _without(cell.setting, axis))
                groups.setdefault(key, []).append(cell)
        result += [_curve(axis, group) for group in groups.values() if _varies(group, axis)]
    return result


def _varies(group: Sequence[Cell], axis: str) -> bool:
    return len({_place(cell.setting, axis) for cell in group}) > 1


def _curve(axis: str, group: Sequence[Cell]) -> Curve:
    group = sorted(group, key=lambda cell: _place(cell.setting, axis) or 0)
    points = [Point(_place(cell.setting, axis) or 0, cell.degradation, cell.degradation_best)
              for cell in group]  # fmt: skip
    return Curve(axis, group[0].probe, group[0].signal, group[0].setting, points)


def _place(setting: Setting, axis: str) -> float | None:
    if axis == "chunk":
        return setting.chunk
    return setting.processes[axis == "signal processes"]


def _without(setting: Setting, axis: str) -> Setting:
    if axis == "chunk":
        # A signal's chunk size that goes along with the probe's is not what stays the same.
        return replace(setting, chunk=None)
    own, other = setting.processes
    # More processes may need more nodes: these go along.
    more = tuple((name, value) for name, value in setting.more if name != "nodes")
    processes = (own, -1) if axis == "signal processes" else (-1, other)
    return replace(setting, processes=processes, more=more)


def break_even(lines: Sequence[Curve]) -> list[BreakEven]:
    """Find where both programs lose equally, per pair with curves along chunk sizes."""
    break_evens, done = [], set()
    chunks = [curve for curve in lines if curve.axis == "chunk"]
    for curve in chunks:
        key = (curve.probe, curve.signal, _without(curve.setting, "chunk"))
        turned = (curve.signal, curve.probe, key[2].turned())
        if key == turned or turned in done:
            continue
        other = next(
            (line for line in chunks
             if (line.probe, line.signal, _without(line.setting, "chunk")) == turned),
            None,
        )  # fmt: skip
        if other is not None:
            done.add(key)
            break_evens.append(_break_even(curve, other))
    return break_evens


def _break_even(curve: Curve, turned: Curve) -> BreakEven:
    theirs = {point.x: point.degradation.median for point in turned.points}
    points = [
        (point.x, mine - yours)
        for point in curve.points
        if (mine := point.degradation.median) is not None
        and (yours := theirs.get(point.x)) is not None
    ]
    at = equal_at(points)
    one, other = curve.probe, curve.signal
    if points and points[0][1] < 0:
        one, other = other, one
    return BreakEven(one, other, curve.setting, at, _even_text(one, other, points, at))


def _even_text(
    one: str, other: str, points: Sequence[tuple[float, float]], at: float | None
) -> str:
    if not points:
        return f"{one} and {other} were not measured at equal chunk sizes"
    if at is None:
        ends = " to ".join(size_label(int(points[end][0])) for end in (0, -1))
        return f"{one} suffers more from {other} than the other way round from {ends}"
    text = f"{one} and {other} break even at {size_label(round(at))}"
    if all(abs(gap) <= EVEN for _, gap in points):
        return f"{one} and {other} lose equally at all chunk sizes"
    below = points[0][0] < at
    return f"{text}; below, {one} suffers more" if below else text


def equal_at(points: Sequence[tuple[float, float]]) -> float | None:
    """Find where a difference of losses vanishes along chunk sizes.

    Args:
        points: Chunk size and difference, chunk sizes ascending.

    Returns:
        The first chunk size at which the difference is 0 or changes its sign, interpolated on the
        logarithm of the size; an end of the range where it is even there only within 2.5 points.
    """
    for (x, gap), (further, after) in itertools.pairwise(points):
        if gap == 0:
            return x
        if gap * after < 0:
            share = gap / (gap - after)
            return float(math.exp(math.log(x) + share * (math.log(further) - math.log(x))))
    ends = [x for x, gap in (*points[-1:], *points[:1]) if abs(gap) <= EVEN]
    return ends[0] if ends else None


def serialised(found: Sequence[Cell]) -> list[Serialised]:
    """Name the pairs that took turns in most of their runs (thesis §3.3.3)."""
    result: dict[tuple[frozenset[str], Setting], Serialised] = {}
    for cell in found:
        if cell.setting.periodic:
            continue  # its silence is no turn
        repetitions = [
            repetition for repetition in cell.repetitions if repetition.verdict == "kept"
        ]
        turns = [
            repetition.run for repetition in repetitions if (repetition.exclusive or 0) >= TURNS
        ]
        first = [
            (repetition.run, winner)
            for repetition in repetitions
            if (winner := _winner(repetition))
        ]
        key = (frozenset((cell.probe, cell.signal)), _ordered(cell))
        if len(first) * 2 > len(repetitions) and key not in result:
            result[key] = _first_one(cell, first)
        elif len(turns) * 2 > len(repetitions) and key not in result:
            text = (
                f"{cell.probe} and {cell.signal} wrote by turns in "
                f"{len(turns)} of {len(repetitions)} runs"
            )
            result[key] = Serialised(cell.probe, cell.signal, cell.setting, "by turns", turns, text)
    return list(result.values())


def _ordered(cell: Cell) -> Setting:
    return cell.setting if cell.probe <= cell.signal else cell.setting.turned()


def _winner(repetition: Repetition) -> str:
    """Name the program that shut the other out; "" if none did."""
    side, other = repetition.probe, repetition.signal
    if side is None or other is None or side.degradation is None or other.degradation is None:
        return ""
    if side.degradation >= SHUT_OUT and other.degradation <= UNHURT:
        return "signal"
    if other.degradation >= SHUT_OUT and side.degradation <= UNHURT:
        return "probe"
    return ""


def _first_one(cell: Cell, runs: Sequence[tuple[str, str]]) -> Serialised:
    winners = [winner for _, winner in runs]
    probe_first = winners.count("probe") * 2 >= len(winners)
    first, second = (
        (cell.probe, cell.signal) if probe_first else (cell.signal, cell.probe)
    )  # fmt: skip
    whom = "the other" if first == second else second
    text = f"{first} shut {whom} out until it was nearly done ({len(runs)} runs)"
    return Serialised(first, second, cell.setting, "one first", [run for run, _ in runs], text)
