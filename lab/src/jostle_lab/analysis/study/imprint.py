"""Finds the drops that a periodic signal's bursts leave in a probe (Shah et al., 2013, §III)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jostle_lab.analysis.study.model import Drop
from jostle_lab.analysis.study.pairs import JobProgress

Floats = NDArray[np.float64]
Burst = tuple[int, int]

#: False discovery rate over the bursts of a run at which a burst counts as detected.
LEVEL = 0.05
TEST = (
    "one-sided Mann-Whitney of the slices of a burst against the silent ones around it, "
    "false discovery rate 5 % over the bursts of a run (Benjamini-Hochberg)"
)
# A slice belongs to a burst, or to silence, if at most this share of it does not.
_EDGE = 0.05
# Least share of its nominal length that a whole burst has.
_WHOLE = 0.9
# With fewer arrangements than this the test cannot be significant on the slices around one burst;
# then it uses all silent slices of the run.
_ARRANGEMENTS = 100


def drops(probe: JobProgress, bursts: Sequence[Burst], whole_ns: int = 0) -> list[Drop]:
    """Return the drop that each burst left in the probe's rate (Shah et al., 2013, section III).

    Args:
        probe: Progress of the probe.
        bursts: Begin and end of each burst, ns since the epoch, ascending.
        whole_ns: Nominal length of a burst, ns. A burst shorter than nine tenths of it (a signal's
            first one may begin late) is left out, and does not count as silence.

    Returns:
        One drop per whole burst inside the probe's run. The probe's first and last slices, which
        the probe used only in part, are left out. Depth and p are None if a burst covers no whole
        slice.
    """
    if (active := probe.active) is None:
        return []
    first, last = active[0] + 1, active[1] - 1
    rate = probe.between(first, last).sum(axis=0) / (probe.slice_ns / 1e9)
    begin, end = active[0] * probe.slice_ns, (active[1] + 1) * probe.slice_ns
    edge = _EDGE * probe.slice_ns
    share = _covered(bursts, first, len(rate), probe.slice_ns)
    inside = [
        (b, e)
        for b, e in bursts
        if b >= begin - edge and e <= end + edge and e - b >= _WHOLE * whole_ns
    ]
    results = []
    for burst in inside:
        on = _slices_of(burst, first, len(rate), probe.slice_ns)
        silent = share <= _EDGE
        around = silent & _around(burst, bursts, first, len(rate), probe.slice_ns)
        results.append(_drop(burst, rate, on, around, silent))
    return _assessed(results)


def _covered(bursts: Sequence[Burst], first: int, count: int, slice_ns: int) -> Floats:
    """Return the share of each slice that lies in a burst."""
    starts = (first + np.arange(count)) * slice_ns
    share = np.zeros(count)
    for begin, end in bursts:
        share += np.clip(np.minimum(starts + slice_ns, end) - np.maximum(starts, begin), 0, None)
    return share / slice_ns


def _slices_of(burst: Burst, first: int, count: int, slice_ns: int) -> NDArray[np.bool_]:
    return _covered([burst], first, count, slice_ns) >= 1 - _EDGE


def _around(
    burst: Burst, bursts: Sequence[Burst], first: int, count: int, slice_ns: int
) -> NDArray[np.bool_]:
    """Return which slices lie between the previous burst and the next one."""
    before = max((end for begin, end in bursts if begin < burst[0]), default=-(2**62))
    after = min((begin for begin, _ in bursts if begin > burst[0]), default=2**62)
    starts = (first + np.arange(count)) * slice_ns
    edge = _EDGE * slice_ns
    return np.asarray((starts >= before - edge) & (starts + slice_ns <= after + edge))


def _drop(
    burst: Burst,
    rate: Floats,
    on: NDArray[np.bool_],
    around: NDArray[np.bool_],
    silent: NDArray[np.bool_],
) -> Drop:
    if not on.any() or not silent.any():
        return Drop(*burst, None, None, None, None, seen=False)
    off = rate[around] if around.any() else rate[silent]
    low, high = float(rate[on].mean()), float(off.mean())
    depth = 1 - low / high if high > 0 else None
    if math.comb(int(on.sum()) + len(off), int(on.sum())) < _ARRANGEMENTS:
        off = rate[silent]
    return Drop(*burst, low, high, depth, _below(rate[on], off), seen=False)


def _below(on: Floats, off: Floats) -> float | None:
    from scipy import stats

    if len(np.unique(np.concatenate([on, off]))) < 2:
        return 1.0
    test: Any = stats.mannwhitneyu(on, off, alternative="less")
    return float(test.pvalue) if math.isfinite(test.pvalue) else None


def _assessed(tested_drops: list[Drop]) -> list[Drop]:
    """Mark the drops that are significant, at a false discovery rate over all of them."""
    from scipy import stats

    tested = [drop.p for drop in tested_drops if drop.p is not None]
    if not tested:
        return tested_drops
    adjusted = iter(stats.false_discovery_control(tested).tolist())
    return [
        drop if drop.p is None else replace(drop, seen=bool(next(adjusted) <= LEVEL))
        for drop in tested_drops
    ]


def false_rate(alone: Sequence[JobProgress], period_ns: int, burst_ns: int) -> float | None:
    """Return the share of bursts that the same test wrongly detects in runs without bursts.

    Args:
        alone: Standalone runs of the probe.
        period_ns: Period of the signal, in ns.
        burst_ns: Length of the signal's bursts, in ns.

    Returns:
        Share of bursts placed over the standalone runs that the test detects; None without any.
    """
    seen = total = 0
    for progress in alone:
        if (active := progress.active) is None:
            continue
        # Start at the first whole slice, so that bursts are aligned with slices as in a pair.
        begin = (active[0] + 1) * progress.slice_ns
        end = active[1] * progress.slice_ns
        laid = [(at, at + burst_ns) for at in range(begin, end - burst_ns, period_ns)]
        tested = [drop for drop in drops(progress, laid) if drop.p is not None]
        seen += sum(drop.seen for drop in tested)
        total += len(tested)
    return seen / total if total else None


def probability(seen: int, total: int) -> tuple[float | None, float | None, float | None]:
    """Return the probability that a burst hits, with its exact 95 % interval."""
    from scipy import stats

    if not total:
        return None, None, None
    ends = stats.binomtest(seen, total).proportion_ci(0.95, method="exact")
    return seen / total, float(ends.low), float(ends.high)


def bursts_between(
    begin_ns: int, end_ns: int, period_ns: int, duty: float, phase_ns: int
) -> list[Burst]:
    """Return the bursts of a periodic signal, from its period.

    Args:
        begin_ns: Begin of the signal's run, ns since the epoch.
        end_ns: End of the signal's run.
        period_ns: Period of the signal: bursts begin where (time - phase) is a multiple of the
            period.
        duty: Share of the period that is a burst.
        phase_ns: Shift of the bursts, in ns.

    Returns:
        Begin and end of the bursts, cut to the run.
    """
    length = int(period_ns * duty)
    first = (begin_ns - phase_ns) // period_ns
    last = (end_ns - phase_ns) // period_ns
    laid = [
        (k * period_ns + phase_ns, k * period_ns + phase_ns + length)
        for k in range(first, last + 1)
    ]
    cut = [(max(begin, begin_ns), min(end, end_ns)) for begin, end in laid]
    return [(begin, end) for begin, end in cut if begin < end]


def bursts_seen_in(signal: JobProgress) -> list[Burst]:
    """Return the bursts of a signal from its slices: unbroken stretches with progress."""
    on = np.concatenate([[False], signal.per_slice > 0, [False]]).astype(np.int8)
    edges = np.flatnonzero(np.diff(on)) + signal.first_slice
    return [
        (int(begin) * signal.slice_ns, int(end) * signal.slice_ns)
        for begin, end in zip(edges[::2], edges[1::2], strict=True)
    ]
