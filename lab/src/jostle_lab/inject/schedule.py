"""Finds the windows of a run with and without delays, from the rules in the injector's log."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jostle_lab.inject.log import InjectLog, InjectLogError
from jostle_lab.inject.rules import length_ns

_MASK = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15
#: A delay begins after its window was checked; a process without a core may be late by so much.
_LATE_NS = 50_000_000
_MOST_WINDOWS = 10_000_000


@dataclass(frozen=True)
class Windows:
    """The windows of a run that lie wholly between two instants, in order of time.

    Attributes:
        start_ns: Start of each window, ns of Unix time, [windows].
        end_ns: End of each window, ns of Unix time, [windows].
        period: Number of the period of each window, [windows].
        on: Whether calls were delayed in each window, [windows].
        random: Whether the window with delays was drawn from the seed in each period.
    """

    start_ns: NDArray[np.int64]
    end_ns: NDArray[np.int64]
    period: NDArray[np.int64]
    on: NDArray[np.bool_]
    random: bool


def windows(log: InjectLog, begin_ns: int, end_ns: int) -> Windows:
    """Return the windows of a run's periods.

    Only whole periods are returned: each has the same number of windows, one of which has delays.

    Args:
        log: The log of the run.
        begin_ns: Instant before which periods are left out, ns of Unix time.
        end_ns: Instant after which periods are left out, ns of Unix time.

    Raises:
        InjectLogError: The processes had no schedule or different schedules, or a delay began in a
            window without delays.
    """
    rows = log.processes.select(["rules", "seed"]).to_pylist()
    schedules = {(*_schedule(str(row["rules"])), int(row["seed"])) for row in rows}
    if len(schedules) != 1:
        raise InjectLogError(
            "The processes of the run had different windows, or left no log.",
            hint="Use one folder for each run, and the same rules for all its ranks.",
        )
    period, on, phase, random, seed = schedules.pop()
    if not period or not 0 < 2 * on <= period:
        raise InjectLogError(
            "The delays had no windows: windows need a period, and a duty of at most one half.",
            hint="Inject with a period, for example --period 4s --duty 0.25 --place random",
        )
    shift, places = phase % period, period // on
    first = -((shift - begin_ns) // period)
    last = (end_ns - shift) // period
    if (last - first) * places > _MOST_WINDOWS:
        raise InjectLogError(
            "The run has too many windows.",
            hint="Choose longer periods, or evaluate a part of the run.",
        )
    numbers = np.arange(first, max(last, first), dtype=np.int64)
    drawn = [place(seed, number, places) if random else 0 for number in numbers.tolist()]
    start = (numbers * period + shift)[:, None] + on * np.arange(places, dtype=np.int64)
    chosen = np.arange(places) == np.array(drawn, dtype=np.int64).reshape(-1, 1)
    found = Windows(
        start.reshape(-1),
        start.reshape(-1) + on,
        np.repeat(numbers, places),
        chosen.reshape(-1),
        random,
    )
    _check(log, found)
    return found


def place(seed: int, period: int, places: int) -> int:
    """Return the number, from 0, of a period's window with delays (lab/inject/random_delays.c).

    Args:
        seed: Seed of the rules.
        period: Number of the period since the epoch.
        places: Number of windows in a period.
    """
    key = _mix((seed + 2 * _STEP) & _MASK)
    bits = _mix((key + (64 * period + 1) * _STEP) & _MASK) >> 11
    return int((bits + 0.5) * 2.0**-53 * places)


def _mix(x: int) -> int:
    x ^= x >> 30
    x = x * 0xBF58476D1CE4E5B9 & _MASK
    x ^= x >> 27
    x = x * 0x94D049BB133111EB & _MASK
    return x ^ x >> 31


def _schedule(rules: str) -> tuple[int, int, int, bool]:
    """Return period, length of the part with delays, phase (ns), and whether that part is drawn."""
    before = rules.partition(" log=")[0]
    words = dict(word.partition("=")[::2] for word in before.split())

    def length(name: str) -> int:
        return length_ns(words.get(name, "0ns"), name, "4s")

    return length("period"), length("on"), length("phase"), words.get("place") == "random"


def _check(log: InjectLog, found: Windows) -> None:
    """Check that no delay began in a window without delays.

    Raises:
        InjectLogError: A delay began in such a window.
    """
    start = log.delays["start_ns"].to_numpy()
    at = np.searchsorted(found.start_ns, start, "right") - 1
    inside = (at >= 0) & (start < found.end_ns[at.clip(0)]) if len(found.on) else at > 0
    at, start = at[inside], start[inside]
    late = start - found.start_ns[at] < _LATE_NS
    wrong = ~found.on[at] & ~(late & found.on[(at - 1).clip(0)])
    if wrong.any():
        raise InjectLogError(
            f"{int(wrong.sum())} delays began in windows that should have no delays.",
            hint="Check whether the clocks of the nodes differed, or were set during the run.",
        )
