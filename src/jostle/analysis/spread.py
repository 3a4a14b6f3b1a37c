"""Computes minimum, mean and maximum over the processes or ranks of a job."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jostle.values.plain_values import MaybeNan


@dataclass(frozen=True)
class Spread:
    """The spread of a metric over the processes of a job, in the metric's unit.

    Attributes:
        total: Sum over all processes, the short ones included.
        min: Least value of a process (short ones left out, unless there are no others).
        mean: Mean over the same processes.
        max: Greatest value of a process.
    """

    total: int
    min: int
    mean: float
    max: int


@dataclass(frozen=True)
class Range:
    """The spread of a rate or a ratio over ranks; NaN where it is known of none."""

    min: MaybeNan
    mean: MaybeNan
    max: MaybeNan

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> Range:
        """Describe one value per rank; NaN: that rank's is not known. NaN where none is known."""
        known = values[~np.isnan(values)]
        if not known.size:
            return cls(math.nan, math.nan, math.nan)
        return cls(float(known.min()), float(known.mean()), float(known.max()))
