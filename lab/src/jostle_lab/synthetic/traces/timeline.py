"""Replays a synthetic run: computes when each rank enters and leaves each call."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jostle_lab.synthetic.traces.disturb import Effect
from jostle_lab.synthetic.traces.program import Floats, Ints, Script


@dataclass(frozen=True)
class ReplayTimeline:
    """The result of a replay.

    Attributes:
        begin_s: Time at which each rank enters each call, seconds since MPI_Init [K, R].
        end_s: Time at which each rank leaves each call, seconds since MPI_Init [K, R].
    """

    begin_s: Floats
    end_s: Floats

    @property
    def seconds(self) -> float:
        """Run time of the run, in seconds."""
        return float(self.end_s[-1].max())


def replay(script: Script, effect: Effect) -> ReplayTimeline:
    """Replay a script, the list of events of one run.

    A collective ends when the last rank has entered it, an exchange when both neighbours have
    entered it, and a receive when the sender has sent. A send waits for no rank. What happens
    between two collectives of all ranks does not depend on what was before. So all stretches
    between such collectives are replayed at the same time, and their lengths are summed.

    Args:
        script: The program's events, the last of which must be a collective of all ranks.
        effect: Time that disturbances add.
    """
    steps = _Steps(script, effect)
    ends = np.flatnonzero(steps.shared)
    starts = np.concatenate([[0], ends[:-1] + 1])
    lengths = ends - starts + 1
    # The time of each rank within its stretch: it left the previous collective with its own skew.
    at = np.concatenate([np.zeros((1, steps.gap.shape[1])), script.skew_s[ends[:-1]]])
    order = np.argsort(-lengths, kind="stable")
    running = np.searchsorted(-lengths[order], -np.arange(int(lengths.max())), side="left")
    for step, count in enumerate(running.tolist()):
        blocks = order[:count]
        at[blocks] = steps.take(starts[blocks] + step, at[blocks])
    total = (steps.end[ends] - script.skew_s[ends])[:, 0]
    before = np.concatenate([[0.0], np.cumsum(total)[:-1]])
    offset = np.repeat(before, lengths)[:, None]
    return ReplayTimeline(steps.begin + offset, steps.end + offset)


class _Steps:
    """The events of a script, with the time that is added to them."""

    def __init__(self, script: Script, effect: Effect) -> None:
        self.gap = script.gap_s + effect.stolen_s + effect.slowed_s
        self.shared = script.sorts == "global"
        self.begin, self.end = np.empty(self.gap.shape), np.empty(self.gap.shape)
        self._around = script.sorts == "neighbours"
        self._along = {1: script.sorts == "forth", -1: script.sorts == "back"}
        self._cost = script.cost_s[:, None] + effect.all_s + effect.file_s
        self._inside = np.broadcast_to(effect.call_s, self.gap.shape)
        self._skew = script.skew_s

    def take(self, event: Ints, at: Floats) -> Floats:
        """Replay the next event of several stretches; return when their ranks leave it.

        Args:
            event: The event of each stretch.
            at: Times at which the ranks of each stretch left its previous event.
        """
        enters = at + self.gap[event]
        there = enters + self._inside[event]
        own = self._cost[event]
        left = there + own
        shared, around = self.shared[event], self._around[event]
        if shared.any():
            last = there[shared].max(axis=1, keepdims=True) + own[shared]
            left[shared] = last + self._skew[event[shared]]
        if around.any():
            here = there[around]
            sides = np.maximum(np.roll(here, 1, axis=1), np.roll(here, -1, axis=1))
            left[around] = np.maximum(here, sides) + own[around] + self._skew[event[around]]
        for turn, along in self._along.items():
            if (here := along[event]).any():
                left[here] = self._passed_on(event[here], there[here], turn)
        self.begin[event], self.end[event] = enters, left
        return left

    def _passed_on(self, event: Ints, there: Floats, turn: int) -> Floats:
        """Return when ranks leave a receive, if each then sends to the next rank (a pipeline).

        Args:
            event: The receives.
            there: Time at which each rank enters the receives.
            turn: Direction: 1 from the first rank to the last, -1 back.
        """
        own = self._cost[event] + self._skew[event]
        after = event + 1
        until = self.gap[after] + self._inside[after] + self._cost[after]
        left, sent = np.empty(there.shape), np.full(len(event), -np.inf)
        for rank in range(there.shape[1])[::turn]:
            left[:, rank] = np.maximum(there[:, rank], sent) + own[:, rank]
            sent = left[:, rank] + until[:, rank]
        return left
