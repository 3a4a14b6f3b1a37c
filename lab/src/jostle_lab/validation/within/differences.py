"""Compares a run's windows with delays to those without, by a randomisation test and interval.

A run is divided into periods of several windows. Which window of a period has delays is drawn at
random, independently for each period. So the difference between windows with and without delays can
be compared with the differences that other draws would have given. Test and interval need no
assumption on the distribution of the values (Fisher, 1935, chapter 3; Edgington, 1980, on intervals
from the same test).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from jostle_lab.validation.oracle import Flags, Floats, Ints

#: Draws with which a difference is compared: all, if there are no more than this.
DRAWS = 4096
LEVEL = 0.05
_STEPS = 50  # of bisection, for an end of an interval
_WIDEST = 1e4  # points


@dataclass(frozen=True)
class Difference:
    """Difference between windows with delays and windows without, in the unit of the values.

    Attributes:
        value: Value of the window with delays minus the mean of the period's other windows, as mean
            over the periods.
        low, high: 95 % interval; None if there are too few periods.
        periods: Number of periods.
    """

    value: float
    low: float | None
    high: float | None
    periods: int

    @property
    def holds_zero(self) -> bool:
        """Whether the interval contains 0, so that no difference is shown."""
        return (self.low is None or self.low <= 0) and (self.high is None or self.high >= 0)


def difference(values: Floats, on: Flags, period: Ints, seed: int = 0) -> Difference:
    """Return the difference between windows with delays and windows without.

    Args:
        values: Value of each window, [windows].
        on: Whether each window had delays, which is one window of each period, [windows].
        period: Number of each window's period; all periods have the same number of windows,
            [windows].
        seed: Seed of the random draws, which are used if there are too many draws to compare all.

    Returns:
        The difference; NaN without periods.

    Raises:
        ValueError: Periods have different numbers of windows, or not one with delays.
    """
    table, chosen = _by_period(values, on, period)
    count, places = table.shape
    if not count:
        return Difference(float("nan"), None, None, 0)
    contrast = (table * places - table.sum(axis=1, keepdims=True)) / (places - 1)
    draws = _draws(count, places, chosen, seed)
    rows = np.arange(count)
    others = contrast[rows, draws].mean(axis=1)
    # A constant added to the windows with delays changes a draw as far as it chooses the same
    # windows.
    same = np.where(draws == chosen, 1.0, -1.0 / (places - 1)).mean(axis=1)
    value = float(contrast[rows, chosen].mean())
    ends = [_end(value, others, same, sign) for sign in (-1, 1)]
    return Difference(value, ends[0], ends[1], count)


def _by_period(values: Floats, on: Flags, period: Ints) -> tuple[Floats, Ints]:
    """Return a table of values [periods, windows], and each period's window with delays."""
    numbers, place = np.unique(period, return_inverse=True)
    if not len(numbers):
        return np.zeros((0, 2)), np.zeros(0, np.int64)
    order = np.argsort(place, kind="stable")
    sizes = np.bincount(place)
    if (sizes != sizes[0]).any() or sizes[0] < 2:
        raise ValueError("Periods must have the same number of windows, at least two.")
    table = values[order].reshape(len(numbers), -1)
    flags = on[order].reshape(len(numbers), -1)
    if (flags.sum(axis=1) != 1).any():
        raise ValueError("One window of each period must have delays.")
    return table, flags.argmax(axis=1)


def _draws(count: int, places: int, chosen: Ints, seed: int) -> Ints:
    """Return possible choices of a window in each period [draws, periods], the real one first."""
    if places**count <= DRAWS:
        every = np.array(list(itertools.product(range(places), repeat=count)), dtype=np.int64)
        real = (every == chosen).all(axis=1)
        return np.concatenate([every[real], every[~real]])
    dice = np.random.default_rng(seed)
    drawn = dice.integers(0, places, (DRAWS - 1, count))
    return np.concatenate([chosen[None, :], drawn])


def _end(value: float, others: Floats, same: Floats, sign: int) -> float | None:
    """Return an end of the interval: the farthest true difference that the test does not reject.

    Args:
        value: The measured difference.
        others: Difference that each draw would have given, [draws].
        same: Share of a constant difference that each draw would still have shown, [draws].
        sign: -1 for the lower end, 1 for the upper.
    """

    def refuted(constant: float) -> bool:
        far = np.abs(others - constant * same) >= abs(value - constant) * (1 - 1e-9)
        return bool(far.mean() <= LEVEL)

    step = max(float(np.abs(others).max()), 1e-6)
    while not refuted(value + sign * step):
        step *= 2
        if step > _WIDEST:
            return None
    near, far = 0.0, step
    for _ in range(_STEPS):
        middle = (near + far) / 2
        near, far = (near, middle) if refuted(value + sign * middle) else (middle, far)
    return value + sign * far
