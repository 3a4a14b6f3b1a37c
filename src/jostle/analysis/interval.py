"""Defines a figure with its 95 % interval, as estimation and identification return losses."""

from __future__ import annotations

from dataclasses import dataclass

from jostle.values.plain_values import MaybeNan


@dataclass(frozen=True)
class Interval:
    """A figure with its 95 % interval, in the unit of the figure."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Slowdown:
    """By how much one program slows another, with its 95 % interval; infinite: without an end."""

    value: float
    low: MaybeNan
    high: MaybeNan
