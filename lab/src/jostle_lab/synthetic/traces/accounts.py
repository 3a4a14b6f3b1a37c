"""Computes the waiting time and off-CPU time that the runtime would record of a synthetic run.

The rules are those of runtime/src/mpi/mpi_account.c, applied to whole arrays of calls.
Shapes of arrays: K events, R ranks, n calls of one kind.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jostle_lab.synthetic.traces.disturb import Effect
from jostle_lab.synthetic.traces.program import Floats, Ints, Script
from jostle_lab.synthetic.traces.timeline import ReplayTimeline

_MATURE = 16  # calls before a usual time is used
_EXACT = 1024  # calls that are processed one by one; then in blocks of
_BLOCK = 512  # one in so many of those before
CPU_PERIOD_S = 1e-3


@dataclass(frozen=True)
class Spans:
    """Spans of one rank in which a kind of time passed, wholly or in part, in order.

    Attributes:
        begin_s: Start of each span.
        end_s: End of each span.
        amount_s: Time of this kind in each span, spread evenly over it.
    """

    begin_s: Floats
    end_s: Floats
    amount_s: Floats


def waits(script: Script, timeline: ReplayTimeline) -> Floats:
    """Return each MPI call's time beyond the usual time of its kind [K, R]; 0 for other calls."""
    took = timeline.end_s - timeline.begin_s
    beyond = np.zeros(took.shape)
    for number, call in enumerate(script.calls):
        events = np.flatnonzero(script.call == number)
        if call.in_mpi and len(events):
            beyond[events] = _beyond_usual(took[events])
    return beyond


def _beyond_usual(took: Floats) -> Floats:
    """Return how much longer each call took than the lower quartile of calls before it [n, R]."""
    number = len(took)
    beyond = np.zeros(took.shape)
    usual = took[0].copy()
    for i in range(1, min(number, _EXACT)):
        n = i + 1
        step = usual / (1 << max(n.bit_length() - 3, 0))
        above = took[i] >= usual
        if n > _MATURE:
            beyond[i] = np.where(above, took[i] - usual, 0.0)
        lower = np.maximum(usual - 0.75 * step, took[i])
        usual = np.where(above, usual + 0.25 * step, lower)
    at = _EXACT
    while at < number:  # by now a call changes the usual time by less than 1/500: a few at once
        block = took[at : at + max(at // _BLOCK, 1)]
        step = usual / (1 << max((at + 1).bit_length() - 3, 0))
        share = (block >= usual).mean(axis=0)
        beyond[at : at + len(block)] = np.maximum(block - usual, 0.0)
        moved = len(block) * step * (0.25 * share - 0.75 * (1 - share))
        usual = np.maximum(usual + moved, np.minimum(usual, block.min(axis=0)))
        at += len(block)
    return beyond


def off_cpu(script: Script, timeline: ReplayTimeline, effect: Effect, rank: int) -> Spans:
    """Return the spans in which the runtime would observe that a rank was off its CPU.

    The thread's CPU clock is read when a call begins or ends, but at most once a millisecond. Time
    in calls is subtracted. Off-CPU time of less than a 64th of the time between two readings is
    left out.
    """
    is_call = script.in_mpi
    events = np.flatnonzero(is_call)
    begin, end = timeline.begin_s[:, rank], timeline.end_s[:, rank]
    away = _column(effect.stolen_s, rank) + np.where(is_call, 0.0, _waits_for_disk(begin, end))
    lost = np.cumsum(away)[events]
    called = np.concatenate([[0.0], np.cumsum(np.where(is_call, end - begin, 0.0)[events])])
    # Instants at which the clock may be read: begin and end of each call, in turn.
    times = np.empty(2 * len(events))
    times[0::2], times[1::2] = begin[events], end[events]
    read = _readings(times)
    wall = np.diff(times[read], prepend=times[read[0]])
    gone = np.diff(lost[read // 2], prepend=lost[read[0] // 2])
    inside = called[(read + 1) // 2]
    off = gone - np.diff(inside, prepend=inside[0])
    seen = (read % 2 == 0) & (off > wall / 64)
    return Spans(times[read][seen] - wall[seen], times[read][seen], off[seen])


def _waits_for_disk(begin: Floats, end: Floats) -> Floats:
    """Return the off-CPU time of file calls: all of a call but its first 20 microseconds."""
    return np.maximum(end - begin - 20e-6, 0.0)


def _column(values: Floats, rank: int) -> Floats:
    return values[:, rank if values.shape[1] > 1 else 0]


def _readings(times: Floats) -> Ints:
    """Return the indices of the times at which the clock is read, at least a period apart."""
    after = np.diff(times, prepend=-np.inf) >= CPU_PERIOD_S  # whenever the one before was
    sure = np.flatnonzero(after)
    lately = times - times[sure[np.cumsum(after) - 1]] < CPU_PERIOD_S
    if lately.all() or not (~lately & ~after).any():
        return sure
    following = np.searchsorted(times, times + CPU_PERIOD_S).tolist()
    found, at = [], 0
    while at < len(following):
        found.append(at)
        at = following[at]
    return np.array(found, dtype=np.int64)


def stolen(script: Script, timeline: ReplayTimeline, effect: Effect, rank: int) -> Spans:
    """Return the spans in which a rank had lost its CPU to a disturbance.

    Each span is placed at the end of the computation that it interrupts.
    """
    amount = _column(effect.stolen_s, rank)
    hit = np.flatnonzero(amount > 0)
    end = timeline.begin_s[hit, rank]
    return Spans(end - amount[hit], end, amount[hit])
