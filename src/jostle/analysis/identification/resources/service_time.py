"""Computes the service time of operations relative to undisturbed ones of their kind and size.

A drop in bytes per slice may be a phase of the program. The time of an operation, in contrast, does
not depend on how many operations the program issues. Operations are compared with others of the
same class: the same type, and about the same size (the log2 of the mean size in a slice).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.identification.resources.shared import (
    CallSeries,
    Floats,
    SharedResource,
    enough,
)

Flags = NDArray[np.bool_]

#: Fewest quiet slices for a reference; with fewer, the lower mode of all slices is taken.
QUIET = 5
#: Fewest slices of a class; rarer classes are left out.
_CLASS = 4
#: A load below this part of the usual one counts as quiet.
LITTLE = 0.05
DRAIN_NS = 2_000_000_000  # after this time a load has left queues and caches
_STEADY = 0.1  # sizes that differ by less are the same
_EVEN = 0.1  # of a slice's time: calls that cannot be evaluated may take so much of it


@dataclass(frozen=True)
class ServiceTimes:
    """Service times of the job's operations on a resource; arrays have shape (slices,).

    Attributes:
        expected: Seconds that the operations would have taken undisturbed, over all processes.
        spent: Seconds that the same operations took.
        slow: The slowdown log(spent / expected); nan where it is not known.
        kind: Number of the class with most of the expected time; -1 if there is none.
        scored: Whether the slice is evaluated: only then `slow` is known.
        referenced: Part of all expected time that comes from a comparison with quiet slices.
    """

    expected: Floats
    spent: Floats
    slow: Floats
    kind: NDArray[np.int64]
    scored: Flags
    referenced: float


def quiet_slices(load: Floats, lag: int) -> Flags:
    """Return the slices with little load, both in the slice and in the slices just before it.

    Args:
        load: Load of other jobs per slice.
        lag: Number of slices before it that must have little load, so that queues are empty.
    """
    if not load.any():
        return np.ones(len(load), dtype=bool)
    usual = float(np.quantile(load[load > 0], 0.9))
    return ~reaching(load > LITTLE * usual, lag)


def reaching(loaded: Flags, lag: int) -> Flags:
    """Return the slices with load, and the slices after them in which the load may still act.

    Args:
        loaded: Slices with load.
        lag: Number of slices after a slice with load that are included.
    """
    reach = loaded.copy()
    for shift in range(1, lag + 1):
        reach[shift:] |= loaded[:-shift]
    return reach


def service(resource: SharedResource, quiet: Flags) -> ServiceTimes:
    """Compare the time of the job's operations with their undisturbed time.

    Args:
        resource: The resource.
        quiet: Slices that count as undisturbed.
    """
    size = resource.axis[2]
    expected, spent = np.zeros(size), np.zeros(size)
    best, kind = np.zeros(size), np.full(size, -1, dtype=np.int64)
    known = lost = 0.0
    number = 0
    for calls in resource.calls:
        for members in _classes(calls):
            unit, from_quiet = _reference(calls, members, quiet & members)
            here = np.where(members, calls.ops * unit, 0.0)
            expected += here
            spent += np.where(members, calls.seconds, 0.0)
            kind = np.where(here > best, number, kind)
            best = np.maximum(best, here)
            known += float(here.sum()) if from_quiet else 0.0
            number += 1
    lost = np.sum([calls.seconds for calls in resource.calls], axis=0) - spent
    scored = (expected > 0) & (spent > 0) & (lost <= _EVEN * (spent + lost))
    slow = np.full(size, np.nan)
    slow[scored] = np.log(spent[scored] / expected[scored])
    whole = float(expected.sum())
    return ServiceTimes(
        expected, spent, slow, np.where(scored, kind, -1), scored, known / whole if whole else 0.0
    )


def _classes(calls: CallSeries) -> list[Flags]:
    """Group the slices into classes by the log2 of the size; a rare class joins the next one."""
    on = enough(calls)
    level = np.zeros(len(on), dtype=np.int64)
    sized = on & (calls.size > 0)
    level[sized] = np.rint(np.log2(np.maximum(calls.size[sized], 1))).astype(np.int64) + 1
    counts = {int(k): int((on & (level == k)).sum()) for k in np.unique(level[on])}
    for k in sorted(counts, key=lambda k: counts[k]):
        near = [other for other in (k - 1, k + 1) if counts.get(other, 0) >= max(counts[k], _CLASS)]
        if counts[k] < _CLASS and near and k:
            joined = max(near, key=lambda other: counts[other])
            level[on & (level == k)] = joined
            counts[joined] += counts.pop(k)
    return [on & (level == k) for k, many in counts.items() if many >= _CLASS]


def _reference(calls: CallSeries, members: Flags, quiet: Flags) -> tuple[Floats, bool]:
    """Return the undisturbed seconds per operation in each slice of a class.

    They come from quiet slices if there are enough of them, else from the fast half of all slices.
    The second result is whether they come from quiet slices.
    """
    rate = np.zeros(len(members))
    rate[members] = calls.seconds[members] / calls.ops[members]
    if int(quiet.sum()) >= QUIET:
        slope = _slope(calls.size[quiet], rate[quiet])
        base = float(np.median(rate[quiet] - slope * calls.size[quiet]))
        unit = base + slope * calls.size
        least = 0.2 * float(np.median(rate[quiet]))
        return np.maximum(unit, max(least, 1e-12)), True
    return np.full(len(members), max(lower_mode(rate[members]), 1e-12)), False


def _slope(size: Floats, rate: Floats) -> float:
    """Return the time that a byte adds to an operation, by the method of Theil and Sen.

    It is the median slope over all pairs of slices.
    """
    middle = float(np.median(size))
    if middle <= 0 or np.ptp(size) <= _STEADY * middle:
        return 0.0
    pick = np.linspace(0, len(size) - 1, min(len(size), 200)).astype(int)
    run = size[pick][:, None] - size[pick][None, :]
    rise = rate[pick][:, None] - rate[pick][None, :]
    apart = run > _STEADY * middle
    if not apart.any():
        return 0.0
    return float(np.clip(np.median(rise[apart] / run[apart]), 0, np.median(rate) / middle))


def lower_mode(values: Floats) -> float:
    """Return the half-sample mode of the lower half of the values."""
    crowd = np.sort(values)
    crowd = crowd[: max(len(crowd) // 2 + 1, min(len(crowd), _CLASS))]
    while len(crowd) > 3:
        half = len(crowd) // 2 + 1
        width = crowd[half - 1 :] - crowd[: len(crowd) - half + 1]
        start = int(np.argmin(width))
        crowd = crowd[start : start + half]
    return float(np.median(crowd)) if len(crowd) else 0.0
