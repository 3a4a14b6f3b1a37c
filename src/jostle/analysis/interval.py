"""Defines the types for a lost time and for a slowdown, each with its 95 % interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

from jostle.values.plain_values import MaybeNan


@dataclass(frozen=True)
class Interval:
    """An estimated value with its 95 % interval, all three numbers in the same unit."""

    value: float
    low: float
    high: float


#: Half of the 95 % interval of the error of estimated losses, relative to them. With it, intervals
#: contained the true loss in 34 of 36 experiments on CephFS, without it in 29
#: (docs/measurements/who-hurts-whom.md).
LOSS_ERROR = 0.3


def saving_of(loss: Interval) -> Interval:
    """Return the saving of a change that avoids a loss, with the interval of a new run's saving.

    The interval of a loss follows from the differences between slices of one run. That of a saving
    is wider: it also includes the error of such estimates. It does not extend below 0 if that of
    the loss does not.
    """
    error = LOSS_ERROR * abs(loss.value)
    low = loss.value - math.hypot(loss.value - loss.low, error)
    high = loss.value + math.hypot(loss.high - loss.value, error)
    return Interval(loss.value, max(low, 0.0) if loss.low >= 0 else low, high)


@dataclass(frozen=True)
class Slowdown:
    """By how much one program slows another, with its 95 % interval.

    Attributes:
        value: Mean of the runs with the other program divided by the mean of those without it,
            less 1.
        low: Lower end of the interval.
        high: Upper end of the interval; infinite where the runs do not bound it.
    """

    value: float
    low: MaybeNan
    high: MaybeNan
