"""Computes minimum, mean and maximum over the processes or ranks of a job."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jostle.values.plain_values import MaybeNan


@dataclass(frozen=True)
class Spread:
    """A metric over the processes of a job, in the metric's unit.

    Attributes:
        total: Over all processes, the short ones included.
        min: Least of one process (short ones left out, unless there are no others).
        mean: Mean of them.
        max: Greatest.
    """

    total: int
    min: int
    mean: float
    max: int


@dataclass(frozen=True)
class Range:
    """A rate or a ratio over ranks; NaN where it is known of none."""

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
