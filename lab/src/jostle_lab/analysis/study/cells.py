"""Groups the runs of a study into cells (probe, signal, setting), and compares cells.

Each cell has a probe (the program whose loss is measured) and a signal (the program that disturbs
it).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from jostle_lab.analysis.study.intervals import known, loss, summary
from jostle_lab.analysis.study.measure import MeasuredPair, Reference
from jostle_lab.analysis.study.model import (
    BreakEven,
    Cell,
    Curve,
    Point,
    Repetition,
    Serialised,
    Setting,
    Side,
)
from jostle_lab.analysis.study.runs import setting_of
from jostle_lab.analysis.study.setting import Summary, size_label

Key = tuple[str, str, Setting]

#: A program that loses at least SHUT_OUT with one that loses at most UNHURT was shut out.
SHUT_OUT, UNHURT = 0.9, 0.2
#: From this share of turns on a pair is serialised.
TURNS = 0.9
#: Losses that differ by at most this are even.
EVEN = 0.025


def cells(
    measured: Sequence[MeasuredPair], references: dict[str, Reference], axes: Sequence[str]
) -> list[Cell]:
    """Group runs into cells.

    A pair belongs to two cells, one with each program as the probe, unless both are the same. A
    periodic signal, or one that runs until its probe ends, is never the probe.
    """
    groups: dict[Key, list[tuple[MeasuredPair, int]]] = {}
    for pair in measured:
        first, turned = _keys(pair, axes)
        groups.setdefault(first, []).append((pair, 0))
        signal = pair.run.programs[1]
        if signal.role != "signal" and not signal.period_ns and turned != first:
            groups.setdefault(turned, []).append((pair, 1))
    return [_cell(key, seen, references) for key, seen in groups.items()]


def _keys(pair: MeasuredPair, axes: Sequence[str]) -> tuple[Key, Key]:
    name, other_name = (program.name for program in pair.run.programs)
    return (
        (name, other_name, setting_of(pair.run, 0, axes)),
        (other_name, name, setting_of(pair.run, 1, axes)),
    )


def _cell(key: Key, seen: list[tuple[MeasuredPair, int]], references: dict[str, Reference]) -> Cell:
    seen = sorted(seen, key=lambda part: part[0].run.repetition)
    repetitions = [pair.seen_from(slot) for pair, slot in seen]
    kept = [repetition for repetition in repetitions if repetition.verdict == "kept"]
    pair, slot = seen[0]
    own = references.get(pair.run.programs[slot].baseline)
    other = references.get(pair.run.programs[1 - slot].baseline)
    best = max(kept, key=undisturbed, default=None)
    best_alone = max(own.rates, default=None) if own else None
    return Cell(
        *key,
        pair.run.programs[slot].metric,
        repetitions,
        loss(own.rates if own else [], _rates(run.probe for run in kept)),
        _best_loss(best, best_alone),
        best.run if best else "",
        summary([run.probe.dilation if run.probe else None for run in kept]),
        loss(other.rates if other else [], _rates(run.signal for run in kept)),
        summary([run.probe.overlap if run.probe else None for run in kept]),
        summary([run.signal.overlap if run.signal else None for run in kept]),
    )


def _rates(sides: Iterable[Side | None]) -> list[float]:
    return known([side.interfered if side else None for side in sides])


def _best_loss(best: Repetition | None, alone: float | None) -> float | None:
    if best is None or best.probe is None or best.probe.interfered is None or not alone:
        return None
    return 1 - best.probe.interfered / alone


def undisturbed(repetition: Repetition) -> float:
    """Return the sum of both programs' rates in a run, each divided by its standalone rate.

    The run with the highest sum is the least disturbed one. The papers keep only this run of five,
    as the one with the least interference from outside (Shah, 2020, section 3.3.2).
    """
    total = 0.0
    for side in (repetition.probe, repetition.signal):
        if side is not None and side.interfered is not None:
            total += side.interfered / side.isolated if side.isolated else 0.0
    return total


def curves(all_cells: Sequence[Cell]) -> list[Curve]:
    """Return the curves of the cells along chunk sizes and along either program's process count."""
    result = []
    for axis in ("chunk", "processes", "signal processes"):
        groups: dict[Key, list[Cell]] = {}
        for cell in all_cells:
            if _axis_value(cell.setting, axis) is not None:
                key = (cell.probe, cell.signal, _without(cell.setting, axis))
                groups.setdefault(key, []).append(cell)
        result += [_curve(axis, group) for group in groups.values() if _varies(group, axis)]
    return result


def _varies(group: Sequence[Cell], axis: str) -> bool:
    return len({_axis_value(cell.setting, axis) for cell in group}) > 1


def _curve(axis: str, group: Sequence[Cell]) -> Curve:
    group = sorted(group, key=lambda cell: _axis_value(cell.setting, axis) or 0)
    points = [
        Point(_axis_value(cell.setting, axis) or 0, cell.degradation, cell.degradation_best)
        for cell in group
    ]
    return Curve(axis, group[0].probe, group[0].signal, group[0].setting, points)


def _axis_value(setting: Setting, axis: str) -> float | None:
    if axis == "chunk":
        return setting.chunk
    return setting.processes[axis == "signal processes"]


def _without(setting: Setting, axis: str) -> Setting:
    if axis == "chunk":
        # The signal's chunk size may vary with the probe's, so it is not part of the key.
        return replace(setting, chunk=None)
    own, other = setting.processes
    # More processes may need more nodes, so the nodes are not part of the key.
    more = tuple((name, value) for name, value in setting.more if name != "nodes")
    processes = (own, -1) if axis == "signal processes" else (-1, other)
    return replace(setting, processes=processes, more=more)


def break_even(lines: Sequence[Curve]) -> list[BreakEven]:
    """Find the chunk size at which two programs lose equally much (Shah, 2020, section 3.3.3)."""
    break_evens, done = [], set()
    chunks = [curve for curve in lines if curve.axis == "chunk"]
    for curve in chunks:
        key = (curve.probe, curve.signal, _without(curve.setting, "chunk"))
        turned = (curve.signal, curve.probe, key[2].turned())
        if key == turned or turned in done:
            continue
        other = next(
            (
                line
                for line in chunks
                if (line.probe, line.signal, _without(line.setting, "chunk")) == turned
            ),
            None,
        )
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
    loser, winner = curve.probe, curve.signal
    if points and points[0][1] < 0:
        loser, winner = winner, loser
    certain = at is None or _certain(curve, turned, at)
    text = _even_text(loser, winner, points, at, certain=certain)
    return BreakEven(loser, winner, curve.setting, at, text, certain)


def _certain(curve: Curve, turned: Curve, at: float) -> bool:
    """Return whether the losses of two programs differ on either side of a chunk size.

    Without this check, two curves that cross only because of noise would seem to break even there.
    """
    theirs = {point.x: point.degradation for point in turned.points}
    apart = [
        (point.x, _apart(point.degradation, theirs[point.x]))
        for point in curve.points
        if point.x in theirs
    ]
    sides = ([far for x, far in apart if x < at], [far for x, far in apart if x > at])
    return all(any(side) for side in sides if side)


def _apart(one: Summary, other: Summary) -> bool:
    """Return whether two intervals are disjoint; False where two runs give no intervals."""
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return False
    return one.low > other.high or other.low > one.high


def _even_text(
    loser: str,
    winner: str,
    points: Sequence[tuple[float, float]],
    at: float | None,
    *,
    certain: bool,
) -> str:
    if not points:
        return f"{loser} and {winner} were not measured at equal chunk sizes"
    if at is None:
        ends = " to ".join(size_label(int(points[end][0])) for end in (0, -1))
        return f"{loser} loses more by {winner} than the other way round at chunk sizes from {ends}"
    text = f"{loser} and {winner} break even at {size_label(round(at))}"
    if all(abs(gap) <= EVEN for _, gap in points):
        return f"{loser} and {winner} lose equally at all chunk sizes"
    if not certain:
        return (
            f"{loser} and {winner} may break even at {size_label(round(at))}: the intervals of "
            "their losses overlap at all sizes below or above it"
        )
    below = points[0][0] < at
    return f"{text}; with smaller chunks, {loser} loses more" if below else text


def equal_at(points: Sequence[tuple[float, float]]) -> float | None:
    """Find the chunk size at which a difference of losses is 0.

    Args:
        points: Chunk size and difference, chunk sizes ascending.

    Returns:
        The first chunk size at which the difference is 0 or changes its sign, interpolated on the
        logarithm of the size; else an end of the range if the difference there is at most 2.5
        points; else None.
    """
    for (x, gap), (further, after) in itertools.pairwise(points):
        if gap == 0:
            return x
        if gap * after < 0:
            share = gap / (gap - after)
            return float(math.exp(math.log(x) + share * (math.log(further) - math.log(x))))
    ends = [x for x, gap in (*points[-1:], *points[:1]) if abs(gap) <= EVEN]
    return ends[0] if ends else None


def serialised(all_cells: Sequence[Cell]) -> list[Serialised]:
    """Return the pairs that took turns in most of their runs (Shah, 2020, section 3.3.3)."""
    result: dict[tuple[frozenset[str], Setting], Serialised] = {}
    for cell in all_cells:
        if cell.setting.periodic:
            continue  # the silence of a periodic signal is not a turn
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
    """Return the program that kept the other from making progress; "" if neither did."""
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
    first, second = (cell.probe, cell.signal) if probe_first else (cell.signal, cell.probe)
    whom = "the other" if first == second else second
    text = f"{first} shut {whom} out until it was nearly done ({len(runs)} runs)"
    return Serialised(first, second, cell.setting, "one first", [run for run, _ in runs], text)
