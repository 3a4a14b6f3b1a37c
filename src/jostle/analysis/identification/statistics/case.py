"""Holds the slowdowns, loads and undisturbed slices from which a loss is computed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from jostle.analysis.identification.regression import nonnegative
from jostle.analysis.identification.resources.service_time import QUIET, Flags, ServiceTimes
from jostle.analysis.identification.resources.shared import Floats

Rows = NDArray[np.int64]

#: Deviations (of a normal spread) above the median beyond which a slice is a single stall.
_STALL = 2.5
#: Part of the slices: with fewer undisturbed ones the undisturbed level is that of the regression.
_FEW_CALM = 0.02
#: Quantile of the slowdowns, taken as the least that the undisturbed one can be.
_FASTER = 0.05
_HIGHEST = 0.995  # quantile of slowdowns at which single stalls are cut for the regression


@dataclass(frozen=True)
class Case:
    """The input from which the loss on one resource is computed.

    Attributes:
        busy: Time in calls on the resource, of the process that the job waits for, s per slice.
        whole: Time of the operations in each slice, divided by their undisturbed time; 1 in slices
            that cannot be evaluated.
        ratio: The same with single stalls cut, since a few stalls would dominate a mean.
        heights: Loads as parts of their usual height, shape (slices, suspects). If `unclean` is
            above 0, one more column is the load of all jobs that are no suspects.
        served: Service times of the job's operations on the resource.
        calm: Slices without load of suspects, in them or just before.
        hit: The other slices: those with load of suspects, or just after it.
        unclean: Share of the calm slices in which jobs that are no suspects were active.
    """

    busy: Floats
    whole: Floats
    ratio: Floats
    heights: Floats
    served: ServiceTimes
    calm: Flags
    hit: Flags
    unclean: float

    @property
    def calm_known(self) -> bool:
        """Whether there are enough calm slices to know the undisturbed ratio from them."""
        many = int(self.calm.sum())
        return many >= max(QUIET, _FEW_CALM * int(self.served.scored.sum()))

    def fit(self, rows: Rows) -> tuple[float, Floats]:
        """Fit ratio = level + sum of strength * height over some slices, without negative values.

        Returns:
            The level, which is the undisturbed ratio, and the strength of each column of `heights`.
        """
        weight = np.sqrt(np.maximum(self.busy[rows], 1e-9))
        target = np.minimum(self.ratio, np.quantile(self.ratio[rows], _HIGHEST))[rows] * weight
        columns = np.column_stack([np.ones(len(rows)), self.heights[rows]]) * weight[:, None]
        found = nonnegative(columns, target)
        return max(float(found[0]), 0.05), np.asarray(found[1:])

    def level(self, calm: Rows, fitted: float) -> float:
        """Return the undisturbed ratio: the mean over calm slices, else the fitted level.

        It is not simply 1, since the undisturbed times are medians, but a loss is a sum.
        """
        return self._mean(self.ratio, calm) if self.calm_known else fitted

    def stalled(self, calm: Rows) -> float:
        """Return how much single stalls in calm slices add to the undisturbed ratio."""
        return self._mean(self.whole - self.ratio, calm)

    def _mean(self, values: Floats, rows: Rows) -> float:
        return float(np.average(values[rows], weights=self.served.expected[rows]))

    def without_others(self, level: float, fitted: float) -> float:
        """Return the undisturbed ratio, corrected for other jobs that were active in calm slices.

        The correction comes from the regression. The corrected ratio is not below the ratio of the
        fastest slices.
        """
        least = max(fitted, self.fastest(_FASTER))
        return level + self.unclean * min(least - level, 0.0)

    def fastest(self, part: float) -> float:
        """Return the quantile `part` of the ratio over the evaluated slices."""
        return float(np.quantile(self.ratio[self.served.scored], part))

    @cached_property
    def theirs(self) -> float:
        """The suspects' part of the single stalls in loaded slices, 0 to 1.

        It is the part by which stalls are more frequent in these slices than in calm ones.
        """
        here, gone = (
            float((self.whole > self.ratio)[some].mean()) if some.any() else 0.0
            for some in (self.hit, self.calm)
        )
        return max(1 - gone / here, 0.0) if here else 1.0

    def lost(self, rows: Rows, level: float | Floats, theirs: float | None = None) -> Floats:
        """Return for each slice by how many seconds the operations took longer than undisturbed.

        The seconds are negative if the operations were faster: clipping them at 0 would turn noise
        into loss.

        Args:
            rows: The slices.
            level: The undisturbed ratio, one for each slice or one for all.
            theirs: Part of the time of single stalls that counts as loss; None: the attribute
                `theirs`.
        """
        theirs = self.theirs if theirs is None else theirs
        usual = level / np.maximum(np.stack([self.ratio[rows], self.whole[rows]]), 1e-12)
        cut, whole = np.clip(1 - usual, -1, 1)
        return np.asarray(self.busy[rows] * ((1 - theirs) * cut + theirs * whole))

    def early(self, level: float) -> float:
        """Return the seconds lost in the slices just before slices with load.

        A load is recorded when its first calls end, so the slice before may already be disturbed.
        """
        before = np.flatnonzero(self.calm & np.append(self.hit[1:], False))
        return max(float(self.lost(before, level).sum()), 0.0)


def cut(ratio: Floats, members: Flags) -> Floats:
    """Limit the ratio of slices with single stalls, among the member slices only."""
    if not members.any():
        return ratio
    level = np.log(np.maximum(ratio[members], 1e-12))
    middle = float(np.median(level))
    spread = 1.48 * float(np.median(np.abs(level - middle)))
    most = float(np.exp(min(middle + max(_STALL * spread, 0.1), 50.0)))
    return np.where(members, np.minimum(ratio, most), ratio)
