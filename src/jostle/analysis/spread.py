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
        total: Sum over all processes, including those too short for a profile.
        min: Least value of a process. Short processes are left out unless all are short.
        mean: Mean over the same processes as `min`.
        max: Greatest value among the same processes.
    """

    total: int
    min: int
    mean: float
    max: int


@dataclass(frozen=True)
class Range:
    """The spread of a rate or a ratio over ranks; all NaN where no rank's value is known."""

    min: MaybeNan
    mean: MaybeNan
    max: MaybeNan

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> Range:
        """Return the range of one value per rank; values that are NaN (not known) do not count."""
        known = values[~np.isnan(values)]
        if not known.size:
            return cls(math.nan, math.nan, math.nan)
        return cls(float(known.min()), float(known.mean()), float(known.max()))
