"""Computes a profiler's overhead from alternating runs (Shah, 2020, sections 2.2.1, 5.2.2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jostle.values.plain_values import plain

Floats = NDArray[np.float64]

#: Usual limit of the modified Z-score (Iglewicz and Hoaglin, 1993).
CUT = 3.5
CONFIDENCE = 0.99
#: Negligible difference: the runtime's own goal.
GOAL = 0.01
_FEWEST = 3
_FEWEST_FOR_OUTLIERS = 5


@dataclass(frozen=True)
class Arm:
    """The runs of one kind: without a profiler, or under one profiler.

    Attributes:
        name: Name of the kind: plain, profiled, or the name of a different profiler.
        seconds: Run time of every run, in the order in which they ran, in seconds.
        outlier: Whether each run is an outlier, which is left out.
        mean: Mean run time of the runs that are not outliers, in seconds.
        mean_low: Lower end of the 99 % interval of `mean`, in seconds.
        mean_high: Upper end of that interval, in seconds.
        least: Run time of the fastest run that is not an outlier, in seconds.
        median: Median run time of the runs that are not outliers, in seconds.
        most: Run time of the slowest run that is not an outlier, in seconds.
        overhead_least: `least` divided by the median of the plain runs, less 1.
        overhead_median: `median` divided by the median of the plain runs, less 1.
        overhead_most: `most` divided by the median of the plain runs, less 1.
    """

    name: str
    seconds: list[float]
    outlier: list[bool]
    mean: float
    mean_low: float
    mean_high: float
    least: float
    median: float
    most: float
    overhead_least: float
    overhead_median: float
    overhead_most: float

    @property
    def kept(self) -> int:
        """Number of runs that are not outliers."""
        return len(self.seconds) - sum(self.outlier)


@dataclass(frozen=True)
class Overhead:
    """Overhead of a profiler, from plain and profiled runs.

    Attributes:
        plain: The runs without a profiler.
        profiled: The runs under jostle, or under a different profiler.
        mean: Mean time of the profiled runs divided by that of the plain runs, less 1.
        low: Lower end of the 99 % interval of `mean`.
        high: Upper end of that interval.
        verdict: "cost" if the interval is above 0. "gain" if it is below 0, which chance does not
            explain. "none" if it contains 0 and extends at most 1 % to each side of `mean`.
            "noise" if it contains 0 and is wider. "few" if there are too few runs.
        runs_needed: Number of runs of each kind after which the interval would extend 1 % to each
            side, if times vary as they do now; 0 unless the verdict is "noise".
    """

    plain: Arm
    profiled: Arm
    mean: float
    low: float
    high: float
    verdict: str
    runs_needed: int

    def to_json(self) -> dict[str, Any]:
        """Return all fields as JSON-compatible values; null where a value is NaN."""
        found: dict[str, Any] = plain(self)
        return found


@dataclass(frozen=True)
class ProgramOverhead:
    """The overhead of several profilers on one program.

    Attributes:
        program: Name of the program.
        about: Description of how the program uses MPI.
        command: The program's command line, as a list of arguments.
        timed: The part of a run that was timed.
        rounds: Number of runs of each kind.
        profilers: The comparison of each profiler with the plain runs; jostle's is the first.
        notes: Notes on the results.
        error: Reason why there are no results; "" where there are.
    """

    program: str
    about: str
    command: list[str]
    timed: str
    rounds: int
    profilers: dict[str, Overhead]
    notes: list[str]
    error: str

    def to_json(self) -> dict[str, Any]:
        """Return all fields as JSON-compatible values; null where a value is NaN."""
        return {**plain(self)}


def modified_z(values: Sequence[float]) -> Floats:
    """Score the distances of values from their median (Iglewicz and Hoaglin, 1993).

    Args:
        values: At least one value, [n].

    Returns:
        0.6745 (x - median) / MAD for each value, with the median absolute deviation MAD. If more
        than half of the values are equal, the MAD is 0; then (x - median) / (1.2533 x mean absolute
        deviation). If all values are equal, 0.
    """
    data = np.asarray(values, dtype=np.float64)
    off = data - np.median(data)
    mad, mean = np.median(np.abs(off)), np.mean(np.abs(off))
    if mad > 0:
        return np.asarray(0.6745 * off / mad)
    return np.asarray(off / (math.sqrt(math.pi / 2) * mean)) if mean > 0 else np.zeros_like(data)


def outliers(values: Sequence[float]) -> NDArray[np.bool_]:
    """Return which values are outliers: those with a modified Z-score beyond CUT.

    Among fewer than five values none is an outlier: two values that are close by chance would make
    all others outliers.
    """
    if len(values) < _FEWEST_FOR_OUTLIERS:
        return np.zeros(len(values), dtype=bool)
    return np.asarray(np.abs(modified_z(values)) > CUT)


def interval(values: Sequence[float] | Floats, confidence: float = CONFIDENCE) -> tuple[float, ...]:
    """Return the mean of some values and its confidence interval by Student's t.

    Returns:
        Mean, lower and upper end; the ends are nan for fewer than two values.
    """
    from scipy import stats

    data = np.asarray(values, dtype=np.float64)
    if not len(data):
        return math.nan, math.nan, math.nan
    mean = float(data.mean())
    if len(data) < 2:
        return mean, math.nan, math.nan
    half = float(stats.sem(data) * stats.t.ppf((1 + confidence) / 2, len(data) - 1))
    return mean, mean - half, mean + half


def overhead(plain: Sequence[float], profiled: Sequence[float], name: str = "profiled") -> Overhead:
    """Compare runs with and without profiling.

    Args:
        plain: Run times without a profiler, in seconds.
        profiled: Run times with the profiler, in seconds.
        name: Name of the profiled kind of runs.

    Returns:
        The comparison; outliers of either kind are left out.
    """
    base = _kept(plain)
    middle = float(np.median(base)) if len(base) else math.nan
    arms = [_arm("plain", plain, middle), _arm(name, profiled, middle)]
    mean, low, high = _ratio(base, _kept(profiled))
    few = min(arm.kept for arm in arms) < _FEWEST
    half = (high - low) / 2
    verdict = "few" if few or not math.isfinite(half) else _verdict(low, high, half)
    needed = 0
    if verdict == "noise":
        needed = math.ceil(max(arm.kept for arm in arms) * (half / GOAL) ** 2)
    return Overhead(arms[0], arms[1], mean, low, high, verdict, needed)


def _kept(values: Sequence[float]) -> Floats:
    data = np.asarray(values, dtype=np.float64)
    return np.asarray(data[~outliers(values)])


def _arm(name: str, values: Sequence[float], base: float) -> Arm:
    data = _kept(values)
    if not len(data):
        return Arm(name, list(values), [False] * len(values), *[math.nan] * 9)
    mean, low, high = interval(data)
    least, median, most = float(data.min()), float(np.median(data)), float(data.max())
    return Arm(
        name,
        [float(value) for value in values],
        outliers(values).tolist(),
        mean,
        low,
        high,
        least,
        median,
        most,
        least / base - 1,
        median / base - 1,
        most / base - 1,
    )


def _ratio(plain: Floats, profiled: Floats) -> tuple[float, float, float]:
    """Return mean(profiled) / mean(plain) - 1 and its interval (Welch's, by the delta method)."""
    from scipy import stats

    if not len(plain) or not len(profiled):
        return math.nan, math.nan, math.nan
    ratio = float(profiled.mean() / plain.mean())
    if min(len(plain), len(profiled)) < 2:
        return ratio - 1, math.nan, math.nan
    parts = [profiled.var(ddof=1) / len(profiled), ratio**2 * plain.var(ddof=1) / len(plain)]
    total = sum(parts)
    if total <= 0:
        return ratio - 1, ratio - 1, ratio - 1
    freedom = total**2 / (parts[0] ** 2 / (len(profiled) - 1) + parts[1] ** 2 / (len(plain) - 1))
    quantile = float(stats.t.ppf((1 + CONFIDENCE) / 2, freedom))
    half = quantile * math.sqrt(total) / float(plain.mean())
    return ratio - 1, ratio - 1 - half, ratio - 1 + half


def _verdict(low: float, high: float, half: float) -> str:
    if low > 0:
        return "cost"
    if high < 0:
        return "gain"
    return "none" if half <= GOAL else "noise"
