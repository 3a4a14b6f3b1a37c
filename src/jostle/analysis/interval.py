"""Defines the types for a lost time and for a slowdown, each with its 95 % interval."""

from __future__ import annotations

from dataclasses import dataclass

from jostle.values.plain_values import MaybeNan


@dataclass(frozen=True)
class Interval:
    """An estimated value with its 95 % interval, all three numbers in the same unit."""

    value: float
    low: float
    high: float


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
