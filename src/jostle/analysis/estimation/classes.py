"""Classifies runs by the share of time lost to interference (Shah, 2020, section 5.2.3)."""

from __future__ import annotations

import math
from typing import Literal

ClassName = Literal["low", "medium", "high"]
LOW, HIGH = 7.5, 15.0
_STEEPNESS, _MIDDLE = 0.35, 11.25


def class_of(percent: float) -> ClassName:
    """Return the class of a loss in percent of the run: low < 7.5 <= medium <= 15 < high."""
    if percent < LOW:
        return "low"
    return "high" if percent > HIGH else "medium"


def probability(percent: float) -> float:
    """Return the probability that a run is unfit for performance analysis, 0 to 1.

    Args:
        percent: Time lost to interference, in percent of the run.
    """
    exponent = -_STEEPNESS * (percent - _MIDDLE)
    return 0.0 if exponent > 700 else 1 / (1 + math.exp(exponent))
