"""Computes a run's true loss by comparing runs that do the same work (the oracle). Pure functions.

The estimator is not used. Runs are cut into windows, each of which is the same piece of work in
every run. Of the runs in which nothing was injected, the fastest tenth gives the undisturbed time
of the whole work; all runs together give its division among the windows. Rules:
lab/docs/explanation/validation.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
#: (begin, end) in ns of what was injected, by the name of the run.
Spans = Mapping[str, Sequence[tuple[int, int]]]

#: With fewer runs there is no oracle.
FEWEST_RUNS = 8
#: A boundary of windows is one that all runs have; with fewer windows there is no oracle.
FEWEST_WINDOWS = 8
_HALVINGS = 100
_BEST = 0.1  # of the runs: the slowest of these is the reference, at least the second of all
_FREE = 3  # runs with nothing injected in a window: with fewer, all count there
_CALM = 0.25  # quantile: of a run's windows, and of runs in a window; most disturbance is above
_ROUNDS = 6  # after which shares no longer change


@dataclass(frozen=True)
class Marks:
    """The progress of a run at several times.

    Attributes:
        done: Work done, a cumulative count of calls, starting at 0.
        at_ns: Time of each mark; the first is MPI_Init, the last MPI_Finalize.
        files_s: Seconds spent in file calls until each mark; None without file calls.
    """

    done: Ints
    at_ns: Ints
    files_s: Floats | None = None


@dataclass(frozen=True)
class Band:
    """Bounds of the time that injected delays or a disturber cost a run, in seconds.

    The bounds follow from the log of the injector, or from the spans in which the disturber was
    active.

    Attributes:
        low: Lower bound. Delays: in each window the delays of the rank that was delayed most, as if
            those of other ranks cost nothing more. Disturber: loss in windows that lie wholly in a
            span.
        flight: Best value. Delays: time in which any rank was in a delay; simultaneous delays count
            once. Disturber: loss of each window, times the share of the window within spans.
        high: Upper bound. Delays: sum of all delays of all ranks, as if none overlapped. Disturber:
            loss in all windows that overlap a span.
        count: Number of delays, or of spans.
    """

    low: float
    flight: float
    high: float
    count: int


@dataclass(frozen=True)
class Truth:
    """The true loss of a run.

    Attributes:
        run_s: Time from MPI_Init to MPI_Finalize, in seconds.
        total_s: Time by which all windows together are longer than the reference (their undisturbed
            duration).
        displaced_s: Part of `total_s` that lengthens even the median window: continuous
            interference.
        windows: Number of windows.
        low_s: `total_s` if the next larger durations were the reference.
        high_s: `total_s` if the smallest durations were the reference.
        alongside: Part of `total_s` in spans in which a disturber was active; None if no spans are
            given.
        edges_ns: Edges of the windows in this run.
    """

    run_s: float
    total_s: float
    displaced_s: float
    windows: int
    low_s: float
    high_s: float
    alongside: Band | None = None
    edges_ns: tuple[int, ...] = ()

    @property
    def total(self) -> float:
        """Total loss, in percent of the run time."""
        return 100 * self.total_s / self.run_s

    @property
    def displaced(self) -> float:
        """Continuous loss, in percent of the run time."""
        return 100 * self.displaced_s / self.run_s

    @property
    def instantaneous(self) -> float:
        """Total loss without the continuous loss, in percent of the run time."""
        return self.total - self.displaced


@dataclass(frozen=True)
class Resolution:
    """Uncertainty of the true losses: how much they differ between two halves of the runs.

    The true losses from all runs are at best twice as accurate as this.

    Attributes:
        total: Median difference of the runs' total losses, percentage points.
        instantaneous: Median difference of the losses without their continuous parts, percentage
            points.
    """

    total: float
    instantaneous: float


def windows(runs: Mapping[str, Marks]) -> tuple[list[str], Ints, Floats]:
    """Cut all runs into windows at the counts of calls for which every run has a mark.

    Runs whose final count differs from that of most runs did other work, and are left out first.

    Args:
        runs: Marks of each run.

    Returns:
        Names of the runs that are included, the counts at the windows' edges, and durations of the
        windows in seconds (runs x windows).
    """
    names = [name for name, marks in runs.items() if len(marks.done) > 1]
    if not names:
        return [], np.zeros(0, np.int64), np.zeros((0, 0))
    ends, counts = np.unique([runs[name].done[-1] for name in names], return_counts=True)
    end = ends[np.argmax(counts)]
    names = [name for name in names if runs[name].done[-1] == end]
    common = runs[names[0]].done
    for name in names[1:]:
        common = np.intersect1d(common, runs[name].done)
    rows = [np.diff(runs[name].at_ns[_places(runs[name], common)]) / 1e9 for name in names]
    return names, common, np.array(rows)


def file_times(
    runs: Mapping[str, Marks], names: Sequence[str], common: Ints, durations: Floats
) -> Floats:
    """Return the seconds of each window that were spent in file calls.

    Args:
        runs: Marks of each run.
        names: Names of the runs, from `windows`.
        common: Counts at the windows' edges, from `windows`.
        durations: Durations of the windows in seconds, from `windows`.

    Returns:
        Seconds in file calls, at most the duration of the window, [runs, windows].
    """
    found = np.zeros(durations.shape)
    for row, name in zip(found, names, strict=True):
        files = runs[name].files_s
        if files is not None:
            row[:] = np.diff(files[_places(runs[name], common)])
    clipped: Floats = np.minimum(found, durations).clip(0)
    return clipped


def _places(marks: Marks, common: Ints) -> Ints:
    """Return the indices of the marks at which windows begin and end."""
    # The last of equal counts: time after it without a counted call belongs to the next window.
    at = np.searchsorted(marks.done, common, "right") - 1
    at[0], at[-1] = 0, len(marks.at_ns) - 1
    return at


def truths(
    runs: Mapping[str, Marks], injected: Spans | None = None, spans: Spans | None = None
) -> dict[str, Truth]:
    """Return the true loss of each run.

    Args:
        runs: Marks of each run of one program. All runs did the same work, in turn with runs of
            other programs.
        injected: Spans in which a run was disturbed on purpose, for runs that have any.
        spans: Spans in which a disturber was active; the loss in them is also given separately.

    Returns:
        The truth about each run, without runs that did other work than most. Empty if there are
        fewer than FEWEST_RUNS runs or FEWEST_WINDOWS windows.
    """
    names, common, durations = windows(runs)
    if len(names) < FEWEST_RUNS or durations.shape[1] < FEWEST_WINDOWS:
        return {}
    free = _free(runs, names, durations, injected or {})
    files = file_times(runs, names, common, durations)
    reference, low, high = _references(durations, free, files)
    found = {}
    for row, name in zip(durations, names, strict=True):
        run_s, total = float(row.sum()), float((row - reference).sum())
        found[name] = Truth(
            run_s,
            total,
            displacement(row, reference),
            len(reference),
            total + float(reference.sum()) - low,
            total + float(reference.sum()) - high,
            alongside(runs[name], row, reference, (spans or {}).get(name, ())),
            tuple(_edges(runs[name], row).astype(np.int64).tolist()),
        )
    return found


def resolution(
    runs: Mapping[str, Marks], injected: Spans | None = None, seed: int = 0
) -> Resolution | None:
    """Return the uncertainty of the true losses, from random halves of the runs.

    Args:
        runs: Marks of each run, as for `truths`.
        injected: Injected spans, as for `truths`.
        seed: Seed by which the halves are drawn.

    Returns:
        The uncertainty; None if a half has fewer than FEWEST_RUNS runs, or if there are fewer than
        FEWEST_WINDOWS windows.
    """
    names, common, durations = windows(runs)
    half = len(durations) // 2
    if half < FEWEST_RUNS or durations.shape[1] < FEWEST_WINDOWS:
        return None
    free = _free(runs, names, durations, injected or {})
    files = file_times(runs, names, common, durations)
    dice = np.random.default_rng(seed)
    apart = []
    for _ in range(_HALVINGS):
        order = dice.permutation(len(durations))
        one, other = (
            _percents(durations, _references(durations[part], free[part], files[part])[0])
            for part in (order[:half], order[half : 2 * half])
        )
        apart.append(np.median(np.abs(one - other), axis=0))
    total, instantaneous = np.median(apart, axis=0)
    return Resolution(float(total), float(instantaneous))


def _free(
    runs: Mapping[str, Marks], names: Sequence[str], durations: Floats, injected: Spans
) -> Flags:
    """Return, for each window of each run, whether it is free of injections (runs x windows)."""
    free = np.ones(durations.shape, dtype=bool)
    for flags, row, name in zip(free, durations, names, strict=True):
        edges = _edges(runs[name], row)
        for begin, end in injected.get(name, ()):
            first, last = np.searchsorted(edges, (begin, end), "right")
            flags[max(first - 1, 0) : last] = False
    return free


def _references(durations: Floats, free: Flags, files: Floats) -> tuple[Floats, float, float]:
    """Return the undisturbed durations of windows.

    RATIONALE: except for file calls, disturbances make work longer and hardly ever shorter: so the
    shortest durations are undisturbed. File calls, above all those that wait for a disk, also
    become shorter by chance. A sum of their shortest times, each from another run, would be less
    than any run can reach. So the usual (median) time of file calls is taken.

    Args:
        durations: Durations of the windows in seconds (runs x windows), of at least three runs.
        files: Part of the durations that was spent in file calls.
        free: Whether each window is free of injections. Only such windows are candidates. Otherwise
            the third shortest of thirty durations would be the third shortest of the ten or fifteen
            undisturbed ones, and so too long.

    Returns:
        The undisturbed time of each window; the total time of all windows by the next larger
        durations; and their total time by the smallest durations.
    """
    candidate = free | (free.sum(axis=0) < _FREE)
    rest = durations - files
    ordered = np.sort(np.where(candidate, rest, np.inf), axis=0)
    best = np.maximum(np.rint(_BEST * (candidate.sum(axis=0) + 1)).astype(np.int64), 2)
    window = np.arange(durations.shape[1])
    whole, low, high = (float(ordered[rank, window].sum()) for rank in (best - 1, best, 0 * best))
    usual: Floats = np.nanmedian(np.where(candidate, files, np.nan), axis=0)
    stored = float(usual.sum())
    return _shares(rest) * whole + usual, low + stored, high + stored


def _shares(durations: Floats) -> Floats:
    """Return the share of a program's undisturbed time in each window, equal in all runs.

    The fastest runs of a window are fast partly by chance. So a window's share comes from all runs.
    Each run is first divided by the level of its own calm windows, which removes the effect of
    hours in which the whole machine was slow.
    """
    measured = durations.clip(1e-9)
    share: Floats = np.median(measured, axis=0)
    for _ in range(_ROUNDS):
        level = np.quantile(measured / share, _CALM, axis=1, keepdims=True)
        share = np.quantile(measured / level, _CALM, axis=0)
    result: Floats = share / share.sum()
    return result


def _percents(durations: Floats, reference: Floats) -> Floats:
    """Return total and non-continuous loss of each run, in percent of its time (runs x 2)."""
    moved = np.array([displacement(row, reference) for row in durations])
    lost = (durations - reference).sum(axis=1)
    found: Floats = 100 * np.stack([lost, lost - moved], axis=1) / durations.sum(axis=1)[:, None]
    return found


def displacement(row: Floats, reference: Floats) -> float:
    """Return the continuous loss of a run in seconds: what it lost even in its median window.

    The relative slowdown of the median window is applied to the reference time of all windows.

    Args:
        row: Durations of a run's windows (s).
        reference: Undisturbed durations of the same windows (s).
    """
    good = reference > 0
    if not good.any():
        return 0.0
    ratio, weight = row[good] / reference[good], reference[good]
    order = np.argsort(ratio)
    half = np.searchsorted(np.cumsum(weight[order]), weight.sum() / 2)
    return float((ratio[order][min(half, len(order) - 1)] - 1) * reference.sum())


def alongside(
    marks: Marks, row: Floats, reference: Floats, spans: Sequence[tuple[int, int]]
) -> Band | None:
    """Return the loss of a run while a disturber was active.

    Args:
        marks: The run's marks.
        row: Durations of its windows (s).
        reference: Undisturbed durations of the same windows (s).
        spans: Begin and end in ns of each span in which the disturber was active.

    Returns:
        The band; None without spans.
    """
    if not spans:
        return None
    edges = _edges(marks, row)
    covered = np.zeros(len(row))
    for begin, end in spans:
        covered += (np.minimum(edges[1:], end) - np.maximum(edges[:-1], begin)).clip(0)
    share = np.divide(covered / 1e9, row, out=np.zeros_like(covered), where=row > 0).clip(0, 1)
    lost = (row - reference).clip(0)
    low, flight, high = (
        float(lost[share >= 0.99].sum()),
        float((lost * share).sum()),
        float(lost[share > 0].sum()),
    )
    return Band(low, flight, high, len(spans))


def _edges(marks: Marks, row: Floats) -> Floats:
    """Return the edges of a run's windows, in ns."""
    edges: Floats = marks.at_ns[0] + np.concatenate([[0.0], np.cumsum(row)]) * 1e9
    return edges


def band(start_ns: Ints, delay_ns: Ints, rank: Ints, edges_ns: Ints) -> Band:
    """Return the bounds of the time that injected delays cost a run.

    Args:
        start_ns: Begin of each delay.
        delay_ns: Length of each delay.
        rank: Rank that each delay affected.
        edges_ns: Edges of the windows of the run; delays outside of them do not count.
    """
    inside = (start_ns >= edges_ns[0]) & (start_ns < edges_ns[-1])
    start, delay, rank = start_ns[inside], delay_ns[inside], rank[inside]
    if not len(start):
        return Band(0.0, 0.0, 0.0, 0)
    window = np.searchsorted(edges_ns, start, "right") - 1
    ranks, place = np.unique(rank, return_inverse=True)
    sums = np.zeros((len(edges_ns) - 1, len(ranks)))
    np.add.at(sums, (window, place), delay / 1e9)
    return Band(
        float(sums.max(axis=1).sum()), union_s(start, start + delay), float(sums.sum()), len(start)
    )


def union_s(begin_ns: Ints, end_ns: Ints) -> float:
    """Return the seconds that the union of some spans covers; overlaps count once."""
    if not len(begin_ns):
        return 0.0
    order = np.argsort(begin_ns, kind="stable")
    begin, end = begin_ns[order], end_ns[order]
    until = np.concatenate([begin[:1], np.maximum.accumulate(end)[:-1]])
    return float((end - np.maximum(begin, until)).clip(0).sum() / 1e9)
