"""Divides a job's time on a mount into phases with one access pattern each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.access.bursts import Floats, Period, find_period, usual_amount
from jostle.analysis.access.model import MIXED, NONE, UNKNOWN, AccessPattern, AccessPhase
from jostle.analysis.access.series import Series

MOST = 0.8  # of a phase's bytes: a pattern with so many names the phase
_NS = 1e9
_ALL = 0.9  # of a mount's bytes: equal phases with so many name the whole job
_RUN = 3  # active slices that make a phase, and
_PART = 0.05  # of all active slices, but no more than
_RUN_MOST = 30  # slices
_TRICKLE = 0.01  # of the usual amount of a slice: a slice with no more is not active
_LONG_SILENCE = 8  # slices, and
_LARGE_SILENCE = 0.2  # of the length of a phase: it separates two phases

_Run = tuple[int, int]  # first active slice, and the one after the last


@dataclass(frozen=True)
class Ways:
    """The access patterns of one direction (reads or writes), and the functions that find them.

    Attributes:
        done: What was done with the bytes, for messages: "written" or "read".
        names: Names of the patterns.
        bytes: Bytes of each slice by pattern, shape (patterns, slices).
        name: Function that returns the pattern of a range of slices, taken as one phase. Its
            arguments are the first slice and the one after the last.
        phase: Function that returns such a range, with the same arguments, as an AccessPhase.
        folded: Function that merges the shares of patterns that count as one for the whole mount.
            It takes and returns shares of the bytes by pattern.
    """

    done: str
    names: tuple[str, ...]
    bytes: Floats
    name: Callable[[int, int], str]
    phase: Callable[[int, int], AccessPhase]
    folded: Callable[[Mapping[str, float]], dict[str, float]]


def pattern_of(series: Series, ways: Ways) -> AccessPattern:
    """Determine the access pattern of a job on a mount, for each phase and as a whole."""
    phases: list[AccessPhase] = []
    at = 0
    spans, pause = _covered(series, _cut(series, ways))
    for lo, hi in [*spans, (len(series.bytes), -1)]:
        if lo - at >= max(_RUN, pause + 1):
            phases.append(_silence(series, at, lo, ways.done))
        if hi >= 0:
            phases.append(ways.phase(lo, hi))
        at = hi
    name, share = _of_all(phases, ways)
    alike = [phase for phase in phases if phase.pattern == name]
    most = max(alike, key=lambda phase: phase.bytes) if alike and share >= MOST else None
    return AccessPattern(
        series.mount,
        name,
        most.chunk_bytes if most else None,
        most.period if most else None,
        int(series.bytes.sum()),
        series.known,
        phases,
    )


def untouched(series: Series, done: str) -> AccessPattern:
    """Return the result for a mount on which no bytes were written (read): the pattern `none`."""
    silent = _silence(series, 0, len(series.bytes), done)
    return AccessPattern(series.mount, NONE, None, None, 0, series.known, [silent])


def period_of(series: Series, lo: int, hi: int) -> Period | None:
    """Return the period of the bursts in a range of slices."""
    return find_period(series.bytes[lo:hi], series.slice_ns / _NS, busy=series.busy[lo:hi])


def _of_all(phases: list[AccessPhase], ways: Ways) -> tuple[str, float]:
    """Return the pattern of a whole mount; mixed only if the known patterns of its phases differ.

    Returns:
        The pattern, and the share of the bytes that are in phases with this pattern.
    """
    shares: dict[str, float] = {}
    for phase in phases:
        shares[phase.pattern] = shares.get(phase.pattern, 0.0) + phase.share
    dark = shares.pop(UNKNOWN, 0.0)
    name, share = max(ways.folded(shares).items(), key=lambda item: item[1], default=(UNKNOWN, 0.0))
    if share >= _ALL * (1 - dark):
        return (name, share) if share >= MOST else (UNKNOWN, dark)
    return (MIXED, shares.get(MIXED, 0.0)) if dark < MOST else (UNKNOWN, dark)


def _covered(series: Series, spans: list[_Run]) -> tuple[list[_Run], int]:
    """Extend spans of slices until every byte is inside one.

    A long time with few bytes outside all spans becomes a span of its own.

    Returns:
        The spans, and the longest pause inside one of them, in slices. A silence between spans is
        a phase of its own only if it is longer than this pause.
    """
    pause = max(int(np.diff(_active(series, *span)).max(initial=1)) - 1 for span in spans)
    out: list[_Run] = []
    at = 0
    for lo, hi in [*spans, (len(series.bytes), -1)]:
        if series.bytes[at:lo].any():
            if lo - at >= max(_RUN, pause + 1):
                out.append((at, lo))
            elif out:
                out[-1] = (out[-1][0], lo)
            else:
                lo = at
        if hi >= 0:
            out.append((lo, hi))
        at = hi
    return out, pause


def _active(series: Series, lo: int, hi: int) -> NDArray[np.intp]:
    """Return the slices of a range with more than a hundredth of the usual bytes of a slice."""
    found: NDArray[np.intp] = np.flatnonzero(
        series.bytes[lo:hi] > _TRICKLE * usual_amount(series.bytes)
    )
    return found + lo


def _cut(series: Series, ways: Ways) -> list[tuple[int, int]]:
    """Cut a job's time into spans of slices with one pattern, without silence at their ends."""
    active = _active(series, 0, len(series.bytes))
    sums = np.cumsum(ways.bytes[:, active], axis=1)
    sums = np.concatenate((np.zeros((len(ways.names), 1)), sums), axis=1)
    total = np.concatenate(([0.0], np.cumsum(series.bytes[active])))

    def label(run: _Run) -> str:
        parts = sums[:, run[1]] - sums[:, run[0]]
        best = int(parts.argmax())
        return ways.names[best] if parts[best] >= MOST * (total[run[1]] - total[run[0]]) else MIXED

    runs = _fused([(place, place + 1) for place in range(len(active))], label)
    least = int(np.clip(_PART * len(active), _RUN, _RUN_MOST))
    for short in range(1, least):
        while len(runs) > 1 and min(hi - lo for lo, hi in runs) <= short:
            runs = _fused(_without_short(runs, short), label)
    spans = [(int(active[lo]), int(active[hi - 1]) + 1) for lo, hi in runs]
    # Runs with different shares of bytes may still have the same name.
    spans = _fused(spans, lambda span: ways.name(*span))
    return [part for span in spans for part in _at_silences(series, *span)]


def _fused(runs: list[_Run], label: Callable[[_Run], str]) -> list[_Run]:
    """Join neighbouring runs with the same label."""
    out: list[_Run] = []
    last = ""
    for run in runs:
        name = label(run)
        if out and name == last:
            out[-1] = (out[-1][0], run[1])
        else:
            out.append(run)
        last = name
    return out


def _without_short(runs: list[_Run], short: int) -> list[_Run]:
    """Join each run of at most `short` slices with the longer of its neighbours."""
    out: list[_Run] = []
    begin: int | None = None  # of a run that joins the next one
    for place, (lo, hi) in enumerate(runs):
        lo, begin = (lo if begin is None else begin), None
        after = runs[place + 1][1] - runs[place + 1][0] if place + 1 < len(runs) else 0
        before = out[-1][1] - out[-1][0] if out else 0
        if hi - lo > short or not (before or after):
            out.append((lo, hi))
        elif after > before:
            begin = lo
        else:
            out[-1] = (out[-1][0], hi)
    return out


def _at_silences(series: Series, lo: int, hi: int) -> list[tuple[int, int]]:
    """Split a phase at long silences, unless its bursts are regular."""
    least = max(_LONG_SILENCE, _LARGE_SILENCE * (hi - lo))
    active = _active(series, lo, hi)
    wide = np.flatnonzero(np.diff(active) > least)
    if not len(wide) or period_of(series, lo, hi):
        return [(lo, hi)]
    edges = [lo, *(int(active[place + 1]) for place in wide), hi]
    ends = [*(int(active[place]) + 1 for place in wide), hi]
    return list(zip(edges[:-1], ends, strict=True))


def _silence(series: Series, lo: int, hi: int, done: str) -> AccessPhase:
    return AccessPhase(
        NONE,
        (series.first + lo) * series.slice_ns,
        (series.first + hi) * series.slice_ns,
        0,
        0,
        0.0,
        0,
        None,
        None,
        0.0,
        False,
        [],
        None,
        f"Nothing was {done}.",
    )
