"""Cuts a synthetic run into segments by the runtime's rules (runtime/src/mpi/segment.c).

The ranks of a synthetic program make the same calls and reach them within microseconds of each
other, so that the runtime decides the same on all of them: it is computed once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from jostle.repository.writing import COALESCED, EPOCH, EVERY, FINAL, RAW
from jostle.schema.profile import BIN_NS
from jostle_lab.synthetic.traces.program import Floats, Ints, Script

SHORTEST_NS, GROWTH, SPAN_NS = 50_000_000, 10_000, 1_000_000_000
_FIRST_DECISION, _DECIDE_NS, _HASTY, _EPOCH_CALLS = 16, 1_000_000_000, 16, 4


@dataclass(frozen=True)
class Cuts:
    """Boundaries of segments.

    Attributes:
        event: Number of the event whose end is the boundary.
        rule: Index into the repository's RULES.
        level: Logarithm of the number of delimiters per segment: 2^level.
        occurrence: Number of the call that ended the segment, if the rule counts calls; else 0.
    """

    event: Ints
    rule: Ints
    level: Ints
    occurrence: Ints


def cut(script: Script, end_s: Floats, *, raw: bool) -> Cuts:
    """Cut a run into segments.

    Args:
        script: Events of the run.
        end_s: Time at which a rank leaves each event, seconds since MPI_Init.
        raw: Whether each global collective ends a segment.
    """
    rules = _Rules(script, raw)
    sorts = script.sorts
    in_mpi, is_global = script.in_mpi.tolist(), (sorts == "global").tolist()
    times = np.rint(end_s * 1e9).astype(np.int64).tolist()
    last = len(times) - 1
    for event, (kind, now) in enumerate(zip(script.call.tolist(), times, strict=True)):
        if in_mpi[event]:
            rules.call(event, kind, now, is_global[event])
    if not rules.found or rules.found[-1][0] != last:
        rules.found.append((last, FINAL, 0, 0))
    else:
        rules.found[-1] = (last, FINAL, 0, 0)
    table = np.array(rules.found, dtype=np.int64)
    return Cuts(table[:, 0], table[:, 1], table[:, 2], table[:, 3])


@dataclass
class _Kind:
    """The runtime's state of a kind of call."""

    hash: int
    calls: int = 0
    ends: int = 0
    recent: int = 0
    recent_ends: int = 0


@dataclass
class _Rules:
    """The state of one rank; names as in segment.c."""

    script: Script
    raw: bool
    found: list[tuple[int, int, int, int]] = field(default_factory=list)
    start: int = 0
    globals: int = 0
    dense: bool = False
    chosen: int = -1
    level: int = 0
    overdue: int = 0
    hasty: int = 0
    hasty_ns: int = 0
    decided_at: int = 0
    decided_ns: int = 0
    looked_ns: int = 0
    looked_globals: int = 0
    look_for: int = SPAN_NS
    epoch: int = -1
    epoch_level: int = 0
    bin_end: int = BIN_NS

    def __post_init__(self) -> None:
        hashes = np.random.default_rng(1).permutation(1 << 16)[: len(self.script.calls)]
        self.kinds = [_Kind(int(value)) for value in hashes]

    def call(self, event: int, number: int, now: int, shared: bool) -> None:
        """Record that a call has ended."""
        kind = self.kinds[number]
        kind.calls += 1
        if now >= self.bin_end:
            self.bin_end = (now // BIN_NS + 1) * BIN_NS
            self._check_overdue(now)
            self._look_for_epochs(now)
        if shared:
            self._global(event, number, now)
        elif number == self.epoch and not kind.calls & ((1 << self.epoch_level) - 1):
            self._epoch(event, kind.calls, now)

    def _epoch(self, event: int, calls: int, now: int) -> None:
        if now - self.start >= self._shortest(now) / 4:  # a call site may occur twice in a step
            self._end(event, EPOCH, self.epoch_level, calls, now)

    @staticmethod
    def _shortest(now: int) -> int:
        return max(now // GROWTH, SHORTEST_NS)

    def _end(self, event: int, rule: int, level: int, occurrence: int, now: int) -> None:
        if now <= self.start:
            return
        self.found.append((event, rule, level, occurrence))
        if now - self.start >= self._shortest(now) / 2:
            self.hasty = 0
        else:
            if self.hasty == 0:
                self.hasty_ns = self.start
            self.hasty += 1
            if rule == COALESCED and self.level < 31:
                self.level += 1
            if rule == EPOCH and self.epoch_level < 31:
                self.epoch_level += 1
        self.start = now
        self.overdue = 0

    def _global(self, event: int, number: int, now: int) -> None:
        kind = self.kinds[number]
        self.globals += 1
        kind.ends += 1
        n = self.globals
        milestone = n >= _FIRST_DECISION and not n & (n - 1)
        ends = number == self.chosen and not kind.ends & ((1 << self.level) - 1)
        if self.dense and not (ends or self.overdue or milestone or self.raw) and n & 255:
            return
        rule, level = self._boundary(number, now, ends)
        if rule >= 0:
            self._end(event, rule, level, kind.ends if rule == COALESCED else 0, now)
        if self.hasty >= _HASTY and not self.dense and not n & (_HASTY - 1) and not self.raw:
            self.dense, self.chosen = True, number
            period = (now - self.hasty_ns) // self.hasty + 1
            self.level = _level_for(period, self._shortest(now))
        few = n - self.decided_at < _FIRST_DECISION // 2
        if (milestone and not few) or (not n & 255 and now - self.decided_ns > _DECIDE_NS):
            self._decide(milestone, now)

    def _boundary(self, number: int, now: int, ends: bool) -> tuple[int, int]:
        if self.raw:
            return RAW, 0
        if not self.dense:
            return EVERY, 0
        if number == self.chosen:
            return (COALESCED, self.level) if ends else (-1, 0)
        if not self.overdue or (self.globals & 63 and self.overdue < 2):
            return -1, 0
        self._decide(True, now)
        return EVERY, 0

    def _recent(self, number: int, ends: bool) -> int:
        kind = self.kinds[number]
        return kind.ends - kind.recent_ends if ends else kind.calls - kind.recent

    def _rarest(self, ends: bool, least: int) -> int:
        found = [(self._recent(i, ends), kind.hash, i) for i, kind in enumerate(self.kinds)]
        found = [row for row in found if row[0] >= least]
        fewest = min((row[0] for row in found), default=0)
        return min(((h, i) for n, h, i in found if n <= fewest + 1), default=(0, -1))[1]

    def _decide(self, milestone: bool, now: int) -> None:
        time = max(now - self.decided_ns, 1)
        least, shortest = max(time // SPAN_NS, 2), self._shortest(now)
        anew = milestone or not self.dense or self.chosen < 0
        anew = anew or self._recent(self.chosen, True) < least
        if anew:
            self.chosen = self._rarest(True, least)
        self.dense = time // max(self.globals - self.decided_at, 1) < shortest
        if self.dense and self.chosen >= 0:
            period = time // max(self._recent(self.chosen, True), 1)
            made = period << self.level
            if anew or made < shortest or made > 4 * shortest:
                self.level = _level_for(period, shortest)
        self.decided_at, self.decided_ns = self.globals, now
        for kind in self.kinds:
            kind.recent_ends = kind.ends

    def _check_overdue(self, now: int) -> None:
        least, most = 4 * self._shortest(now), 2 * SPAN_NS
        patience = now // 8
        patience = least if self.chosen < 0 or patience < least else min(patience, most)
        length = now - self.start
        self.overdue = 2 if length > 2 * patience else int(length > patience)

    def _look_for_epochs(self, now: int) -> None:
        window = now - self.looked_ns
        if window < self.look_for:
            return
        rare = (self.globals - self.looked_globals) * SPAN_NS < window
        best = self._rarest(False, _EPOCH_CALLS) if rare else -1
        old = self.epoch
        again = self._recent(old, False) if old >= 0 else 0
        if best >= 0 and again >= _EPOCH_CALLS and again // 2 <= self._recent(best, False):
            best = old
        if best >= 0:
            period = window // max(self._recent(best, False), 1)
            self.epoch_level = _level_for(period, self._shortest(now))
        self.epoch = best
        self.look_for = SPAN_NS if not rare else 2 * window if window < 32 * SPAN_NS else window
        self.looked_ns, self.looked_globals = now, self.globals
        for kind in self.kinds:
            kind.recent = kind.calls


def _level_for(period: int, least: int) -> int:
    level = 0
    while level < 31 and (period << level) < least + least // 2:
        level += 1
    return level
