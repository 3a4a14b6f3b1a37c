"""Plans runs with delays in windows that are drawn at random from a seed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jostle_lab.validation.codes import Code
from jostle_lab.validation.plan import LEAST, MOST, SHAPES, ValidationStep

#: Windows of a period, in turn: delays are on for half of the time or a quarter of it.
PLACES = (2, 4)
#: Length of a run's slices; windows begin and end where slices do.
SLICE_MS = 250


@dataclass(frozen=True)
class WithinCode:
    """A program, and its delays.

    Attributes:
        code: Program to run.
        calls: Sets of calls; each run delays the calls of one set, in turn.
        window_ms: Length of a window, ms: many segments of the program, a multiple of SLICE_MS.
        threads: Number of threads of a rank.
    """

    code: Code
    calls: tuple[str, ...] = ("collective,send,receive",)
    window_ms: int = 1000
    threads: int = 1

    def __post_init__(self) -> None:
        """Check the length of a window.

        Raises:
            ValueError: The length is not a multiple of a slice.
        """
        if self.window_ms <= 0 or self.window_ms % SLICE_MS:
            raise ValueError(f"{self.code.name}: windows of {self.window_ms} ms")


def within_steps(
    codes: Sequence[WithinCode], *, injected: int, clean: int, seed: int
) -> list[ValidationStep]:
    """Plan the runs: one of each program in turn, with strengths of delays in random order.

    The first runs of each program are undisturbed. There is one for each set of calls that can be
    delayed, and it counts these calls.

    Args:
        codes: Programs of the measurement.
        injected: Number of runs with delays of each program; each strength is the one before it
            times the same factor (see plan.LEAST).
        clean: Number of undisturbed runs of each program, at least one for each set of calls.
        seed: Seed of all random choices.

    Returns:
        The runs in the order in which they are made.
    """
    lists = [_of(each, injected, clean, seed) for each in codes]
    longest = max(map(len, lists), default=0)
    return [each[row] for row in range(longest) for each in lists if row < len(each)]


def _of(within: WithinCode, injected: int, clean: int, seed: int) -> list[ValidationStep]:
    dice = random.Random(f"{seed} {within.code.name}")
    calls, name = within.calls, within.code.name
    first: list[dict[str, Any]] = [{"kind": "clean", "calls": each} for each in calls]
    ratio = (MOST / LEAST) ** (1 / max(injected - 1, 1))
    others: list[dict[str, Any]] = [
        {
            "kind": "inject",
            "strength": round(LEAST * ratio**number, 4),
            "shape": SHAPES[number % len(SHAPES)],
            # With delays on one rank it is certain that it delayed the others; every third run has
            # them on all.
            "ranks": "" if number % 3 == 2 else str(dice.randrange(within.code.ranks)),
            "calls": calls[(number + number // len(SHAPES)) % len(calls)],
            "window_ms": within.window_ms,
            "period_ms": within.window_ms * dice.choice(PLACES),
        }
        for number in range(injected)
    ]
    others += [{"kind": "clean"} for _ in range(clean - len(first))]
    dice.shuffle(others)
    return [
        ValidationStep(name, number, seed=dice.getrandbits(31), **one)
        for number, one in enumerate([*first, *others], 1)
    ]
