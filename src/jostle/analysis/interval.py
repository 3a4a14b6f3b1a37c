"""A figure with its 95 % interval: what estimation and identification give their losses as."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Interval:
    """A figure with its 95 % interval, in the unit of the figure."""

    value: float
    low: float
    high: float
