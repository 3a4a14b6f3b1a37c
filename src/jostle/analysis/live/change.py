"""Finds changes of a running job's time per unit of work, with a two-sided CUSUM test.

By the method of Page, 1954, the distance of each value from the usual level, less half of the
smallest change that matters, is added to a sum. A change is reported when the sum exceeds a limit.
The limit follows from the permitted rate of false alarms, by Siegmund's formula for the mean time
between them (Siegmund, 1985, section 2.6). No single value can raise an alarm, since single slow
slices are common.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, field

#: Smallest change of interest, in logarithmic units: 10 % slower.
SMALLEST = math.log(1.1)
#: Mean number of values between false alarms of one series under Gaussian noise. It is a multiple
#: of the 90 000 slices of 4 s that 100 hours have: a job has several series, and noise has tails.
BETWEEN_FALSE = 1_000_000.0
#: Number of values from which the first level is estimated.
LEARNED = 20
#: Number of values over which level and noise are averaged, so that they follow a slow drift.
_MEMORY = 300
#: Least change that is searched, as a multiple of the noise, if it exceeds SMALLEST.
_OF_NOISE = 1.5
#: Least noise that is assumed: clocks and counters are no better.
_LEAST_NOISE = 0.005
#: Largest part of the limit that one value adds: an alarm needs two.
_OF_LIMIT = 0.6
#: Largest distance of a value that counts for the noise, as a multiple of the noise.
_FAR = 3.0
#: After n values level and noise are uncertain: the noise is multiplied by 1 + this / n.
_UNSURE = 4
_SIEGMUND = 1.166
#: Standard deviations by which the mean of three values is too low in 1 % of cases: 2.33 / sqrt(3).
_SURE = 1.35


@dataclass(frozen=True)
class Change:
    """A change of the usual level of a series.

    Attributes:
        kind: "slower", "over" (a slow-down has ended), or "faster" (than the usual level).
        slices: Number of values since the change began, including the newest.
        before: Level before the change, natural logarithm of seconds per unit of work.
        after: Level since the change, in the same unit.
    """

    kind: str
    slices: int
    before: float
    after: float

    @property
    def ratio(self) -> float:
        """Time per unit of work after the change, divided by that before it."""
        return math.exp(self.after - self.before)


@dataclass
class _Side:
    """One of the two sums of the CUSUM test, for changes in one direction.

    Attributes:
        sum: The sum of distances; at least 0.
        count: Number of values since the sum was last 0.
        total: Sum of these values.
    """

    sum: float = 0.0
    count: int = 0
    total: float = 0.0

    def add(self, value: float, beyond: float, limit: float) -> bool:
        """Add a value; return whether the sum has reached the limit.

        Args:
            value: The value.
            beyond: Distance of the value from the level, less half of the change that matters.
            limit: Limit of the sum.
        """
        self.sum += min(beyond, _OF_LIMIT * limit)
        if self.sum <= 0:
            self.clear()
            return False
        self.count += 1
        self.total += value
        return self.sum >= limit

    def clear(self) -> None:
        """Set the sum to zero."""
        self.sum, self.count, self.total = 0.0, 0, 0.0

    @property
    def mean(self) -> float:
        return self.total / self.count


@dataclass
class Detector:
    """A detector of changes in one series of values.

    It needs the same memory for series of any length.

    Attributes:
        level: Present level of the series, natural logarithm of seconds per unit of work.
        noise: Standard deviation of the values around the level.
        reference: Level before the present slow-down; None: there is no slow-down.
        count: Number of values from which the level was estimated, at most `_MEMORY`.
    """

    level: float = 0.0
    noise: float = 0.0
    reference: float | None = None
    count: int = 0
    _first: list[float] = field(default_factory=list)
    _up: _Side = field(default_factory=_Side)
    _down: _Side = field(default_factory=_Side)

    @property
    def learning(self) -> bool:
        """Whether there are too few values yet to know a level."""
        return self.count < LEARNED

    @property
    def quiet_level(self) -> float:
        """The level without a slow-down: the present one, or that before the slow-down began."""
        return self.level if self.reference is None else self.reference

    @property
    def doubtful(self) -> int:
        """Number of newest values that may belong to a slow-down that is not reported yet."""
        return self._up.count

    @property
    def smallest(self) -> float:
        """Smallest slow-down that is found after three values in 99 of 100 cases, as a fraction."""
        limit, half = _limit(self.noise)
        return math.expm1(max(half + limit / 3 + _SURE * self.noise, SMALLEST))

    def add(self, value: float) -> Change | None:
        """Take the next value of the series; return a change if one is found.

        Args:
            value: Natural logarithm of seconds per unit of work.
        """
        if self.learning:
            self._learn(value)
            return None
        limit, half = _limit(self.noise * (1 + _UNSURE / self.count))
        if self.reference is not None:
            return self._in_slowdown(value, limit, half)
        slower = self._up.add(value, value - self.level - half, limit)
        faster = self._down.add(value, self.level - value - half, limit)
        if slower:
            found = Change("slower", self._up.count, self.level, self._up.mean)
            self.reference, self.level = self.level, self._up.mean
            self.count = LEARNED
            self._clear()
            return found
        if faster:
            found = Change("faster", self._down.count, self.level, self._down.mean)
            self.level, self.count = self._down.mean, LEARNED
            self._clear()
            return found
        self._follow(value, calm=not self._up.count and not self._down.count)
        return None

    def accept(self) -> None:
        """Use the present level of the measure as the usual one: the job changed its own work."""
        self.reference = None
        self._clear()

    def _in_slowdown(self, value: float, limit: float, half: float) -> Change | None:
        """Return a change if a slow-down has ended or has become worse, else None."""
        assert self.reference is not None
        middle = (self.level + self.reference) / 2
        if self._down.add(value, min(middle - value, 2 * half), limit):
            found = Change("over", self._down.count, self.level, self.reference)
            self.level, self.reference = self.reference, None
            self._clear()
            return found
        if self._up.add(value, value - self.level - 2 * half, limit):
            found = Change("slower", self._up.count, self.level, self._up.mean)
            self.level = self._up.mean
            self._clear()
            return found
        if not self._up.count and not self._down.count:
            self.level += (value - self.level) / 10
        return None

    def _learn(self, value: float) -> None:
        self._first.append(value)
        self.count += 1
        if self.count < LEARNED:
            return
        self.level = statistics.median(self._first)
        away = statistics.median(abs(each - self.level) for each in self._first)
        steps = statistics.median(
            abs(b - a) for a, b in zip(self._first, self._first[1:], strict=False)
        )
        # From so few values the spread is known to about a third.
        self.noise = max(1.3 * 1.4826 * max(away, steps / math.sqrt(2)), _LEAST_NOISE)
        self._first = []

    def _follow(self, value: float, *, calm: bool) -> None:
        """Update the noise by a value, and the level as well if no change is suspected.

        All values count for the noise. Values without a suspected change alone would make it too
        small, since they are near the level by selection.
        """
        self.count = min(self.count + 1, _MEMORY)
        away = min(abs(value - self.level), _FAR * self.noise)
        if calm:
            self.level += max(min(value - self.level, away), -away) / self.count
        # The mean absolute deviation of Gaussian noise is 0.8 of its standard deviation.
        self.noise = max(self.noise + (1.2533 * away - self.noise) / self.count, _LEAST_NOISE)

    def _clear(self) -> None:
        self._up.clear()
        self._down.clear()


def _limit(noise: float) -> tuple[float, float]:
    """Return the limit of the sums, and half of the smallest change that is searched for.

    By Siegmund, the mean time between false alarms of a one-sided CUSUM is (e^a - 1 - a) / (2 k^2)
    with a = 2 k (h + 1.166). Here k is half of the change and h the limit, both in units of the
    noise. The test is two-sided, so false alarms are twice as frequent.

    Args:
        noise: Standard deviation of the values around the level.
    """
    half = max(SMALLEST, _OF_NOISE * noise) / 2
    k = half / noise
    goal = 2 * k * k * 2 * BETWEEN_FALSE
    a = math.log(goal)
    for _ in range(4):
        a = math.log(goal + 1 + a)
    return max((a / (2 * k) - _SIEGMUND) * noise, half / 2), half
