"""Analyses runs of two programs with different numbers of processes that share a link.

The analysis is that of Kuo et al. (2013, sections 4.2 and 4.3).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from jostle.analysis import number
from jostle_lab.analysis.study import pairs
from jostle_lab.analysis.study.fair_share import EQUAL, SATURATED, TOGETHER, Times, predict
from jostle_lab.analysis.study.intervals import known, median, summary
from jostle_lab.analysis.study.measure import MeasuredPair, Reference
from jostle_lab.analysis.study.model import Kuo, KuoRow, Phases, Prediction, Setting
from jostle_lab.analysis.study.runs import RunProgram, comparable, setting_of


def kuo(
    measured: Sequence[MeasuredPair], references: dict[str, Reference], axes: Sequence[str]
) -> Kuo | None:
    """Evaluate all pairs in race mode: both with a fixed amount of work, neither periodic.

    Returns:
        One row per pair and setting, and the errors of the model; None if no pairs raced.
    """
    groups: dict[tuple[str, str, Setting], list[tuple[MeasuredPair, int]]] = {}
    for pair in measured:
        if pair.verdict != "kept" or not _raced(pair):
            continue
        small = _smaller(pair)
        run_program, other = pair.run.programs[small], pair.run.programs[1 - small]
        key = (run_program.name, other.name, setting_of(pair.run, small, axes))
        groups.setdefault(key, []).append((pair, small))
    if not groups:
        return None
    rows = [_row(key, group, references) for key, group in groups.items()]
    errors = {by: _errors(rows, by) for by in ("process", "node")}
    process, node = median(errors["process"]), median(errors["node"])
    return Kuo(rows, process, node, _better(process, node), len(errors["process"]))


def _raced(pair: MeasuredPair) -> bool:
    return not any(
        program.until_stopped or program.period_ns or program.role == "signal"
        for program in pair.run.programs
    )


def _smaller(pair: MeasuredPair) -> int:
    """Return the index of the program with fewer processes; of equal ones, the first by name."""
    run_program, other = pair.run.programs
    return int((other.processes, other.name) < (run_program.processes, run_program.name))


def _errors(rows: Sequence[KuoRow], by: str) -> list[float]:
    """Return the absolute relative errors of equations 1 and 2 for rows where the model holds."""
    return [
        abs(error)
        for row in rows
        if row.holds and row.setting.processes[0] != row.setting.processes[1]
        for prediction in row.predictions
        if prediction.by == by
        for error in (prediction.large_error, prediction.small_error)
    ]


def _better(process: float | None, node: float | None) -> str:
    if process is None or node is None:
        return ""
    if abs(process - node) < 1e-9:
        return "equal"
    return "process" if process < node else "node"


def _row(
    key: tuple[str, str, Setting],
    group: Sequence[tuple[MeasuredPair, int]],
    references: dict[str, Reference],
) -> KuoRow:
    pair, slot = group[0]
    small, large = pair.run.programs[slot], pair.run.programs[1 - slot]
    sides = [(pair.sides[slot], pair.sides[1 - slot]) for pair, slot in group]
    overall = _medians([(p.overall, q.overall) for p, q in sides])
    overlap = _medians([(p.overlap, q.overlap) for p, q in sides])
    seconds = [summary([side[part].seconds for side in sides]) for part in (0, 1)]
    own = [references.get(small.baseline), references.get(large.baseline)]
    alone = [
        summary([run.program.seconds for run in reference.kept] if reference else [])
        for reference in own
    ]
    # Only programs that did the same work alone have a dilation; other run times do not compare.
    fixed = all(median([side[part].dilation for side in sides]) is not None for part in (0, 1))
    reasons = [] if fixed else ["they do not have a fixed volume each"]
    reasons += _doubts(small, large, group, own, overlap)
    alike = comparable(small, large)
    times = _times(seconds[1].median, seconds[0].median, alone[1].median, alone[0].median)
    return KuoRow(
        *key,
        (len(small.nodes), len(large.nodes)),
        overall,
        _ratio(overall) if alike else None,
        overlap,
        _ratio(overlap) if alike else None,
        large.processes / small.processes,
        seconds[0],
        seconds[1],
        alone[0],
        alone[1],
        _predictions(small, large, times if fixed else None),
        _equal_volume(small, large, own),
        "began" not in "".join(reasons),
        _saturated(own, overlap),
        _same_pattern(small, large),
        not reasons,
        reasons,
        set(small.nodes) == set(large.nodes),
        known([_share(p.overlap, q.overlap) for p, q in sides]) if alike else [],
        median([pair.spread for pair, _ in group]),
        _phases(group, own[0]),
        len(group),
    )


def _medians(
    values: Sequence[tuple[float | None, float | None]],
) -> tuple[float | None, float | None]:
    return median([small for small, _ in values]), median([large for _, large in values])


def _ratio(values: tuple[float | None, float | None]) -> float | None:
    small, large = values
    return large / small if small and large is not None else None


def _share(small: float | None, large: float | None) -> float | None:
    return None if small is None or large is None or not small + large else large / (small + large)


def _times(
    large: float | None, small: float | None, large_alone: float | None, small_alone: float | None
) -> Times | None:
    if large and small and large_alone and small_alone:
        return Times(large_alone, small_alone, large, small)
    return None


def _predictions(small: RunProgram, large: RunProgram, times: Times | None) -> list[Prediction]:
    if times is None:
        return []
    predictions = [predict(large.processes, small.processes, times)]
    if small.nodes and large.nodes and not set(small.nodes) & set(large.nodes):
        predictions.append(predict(len(large.nodes), len(small.nodes), times, "node"))
    return predictions


def _work(reference: Reference | None) -> float | None:
    if reference is None:
        return None
    return median([run.progress.total for run in reference.kept if run.progress is not None])


def _equal_volume(
    small: RunProgram, large: RunProgram, own: Sequence[Reference | None]
) -> bool | None:
    if small.metric != large.metric:
        return False
    if small.volume and large.volume:
        small_volume, large_volume = small.volume, large.volume
    else:
        works = known([_work(reference) for reference in own])
        if len(works) < 2:
            return None
        small_volume, large_volume = works
    return abs(small_volume - large_volume) <= EQUAL * max(small_volume, large_volume)


def _same_pattern(small: RunProgram, large: RunProgram) -> bool:
    if small.pattern or large.pattern:
        same = small.pattern == large.pattern
        return same and small.chunk == large.chunk and small.shared == large.shared
    return small.name == large.name


def _saturated(
    own: Sequence[Reference | None], overlap: tuple[float | None, float | None]
) -> bool | None:
    alone = known([median(reference.rates) if reference else None for reference in own])
    together = known(list(overlap))
    if len(alone) < 2 or len(together) < 2:
        return None
    limit = max(*alone, sum(together))
    return min(*alone, sum(together)) >= SATURATED * limit


def _doubts(
    small: RunProgram,
    large: RunProgram,
    group: Sequence[tuple[MeasuredPair, int]],
    own: Sequence[Reference | None],
    overlap: tuple[float | None, float | None],
) -> list[str]:
    """Return descriptions of the model's preconditions that do not hold."""
    doubts = []
    if not _equal_volume(small, large, own):
        doubts.append("their volumes are not known to be equal")
    if not _same_pattern(small, large):
        doubts.append("they write in different ways")
    late = median([_apart(pair) for pair, _ in group])
    if late is None or late > TOGETHER:
        doubts.append("they began at different times")
    if _saturated(own, overlap) is not True:
        doubts.append("the link is not the limit of both, alone and together")
    return doubts


def _apart(pair: MeasuredPair) -> float | None:
    run_program, other = pair.run.programs
    shorter = min(run_program.seconds, other.seconds)
    return abs(run_program.begin_ns - other.begin_ns) / 1e9 / shorter if shorter > 0 else None


def _phases(group: Sequence[tuple[MeasuredPair, int]], alone: Reference | None) -> Phases | None:
    """Split the smaller program's run at the end of the larger, in the run of median length."""
    ordered = sorted(group, key=lambda part: part[0].sides[part[1]].seconds or 0)
    pair, slot = ordered[(len(ordered) - 1) // 2]
    small, large = pair.progress[slot], pair.progress[1 - slot]
    if small is None or large is None:
        return None
    ours, theirs = small.active, large.active
    if ours is None or theirs is None or ours[1] <= theirs[1] + 1:
        return None
    begin = min(program.begin_ns for program in pair.run.programs)
    first = max(ours[0], theirs[0])
    # The slice in which the larger ended is in neither phase; the last slice is incomplete.
    together = pairs.throughput(small, first, theirs[1] - 1)
    after = pairs.throughput(small, theirs[1] + 1, ours[1] - 1)
    return Phases(
        pair.run.run,
        number(together),
        number(after) if not math.isnan(after) else None,
        median(alone.rates) if alone else None,
        (pair.run.programs[1 - slot].end_ns - begin) / 1e9,
        (pair.run.programs[slot].end_ns - begin) / 1e9,
    )
