"""Scores estimates by comparing a run's windows with and without delays. Pure functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jostle.analysis import t_quantile
from jostle_lab.analysis.validation import soft_accuracy
from jostle_lab.validation.oracle import Flags, Floats, Ints
from jostle_lab.validation.within.differences import Difference, difference
from jostle_lab.validation.within.rows import RunRow, WindowRow

#: Goals for each program with a core for each thread: soft accuracy in the median and in the tenth
#: percentile.
SOFT, TENTH = 0.95, 0.8
#: Fewest periods of a run that is scored.
FEWEST_PERIODS = 3
#: A run during which others took a larger share of the machine's cores lost most of its time to
#: them, in all windows: there delays fall into time that is lost anyway.
MOST_TAKEN = 0.25
_FEWEST_RUNS = 3  # for an interval over runs


@dataclass(frozen=True)
class RunScore:
    """How much more a run lost in windows with delays than in others, in percentage points.

    Attributes:
        run: The run.
        low, true, high: This difference by the log of the delays: lower bound, value, upper bound.
        estimated: This difference by jostle's estimate.
        error: `estimated` minus `true`, with its interval.
        elsewhere: Estimated loss in the windows without delays, in which nothing was injected,
            percent.
        slower: Slowdown of the work, with its interval; None if not known.
        covered: Share of the windows that is in segments inside them.
        soft: Soft accuracy of the estimate.
    """

    run: RunRow
    low: float
    true: float
    high: float
    estimated: float
    error: Difference
    elsewhere: float
    slower: Difference | None
    covered: float
    soft: float


@dataclass(frozen=True)
class CodeScore:
    """The scores of a program.

    Attributes:
        code: Name of the program; "all" for all together.
        runs: Number of runs that were scored.
        left_out: Number of runs that were not scored.
        own_cores: Whether each thread has a core.
        soft: Median of the soft accuracy over the runs; None if no run was scored.
        tenth: Tenth percentile of the soft accuracy over the runs; None if no run was scored.
        off: Median of the absolute errors, percentage points.
        error: Mean error of the estimate over the runs, percentage points, with its interval.
        found: Share of the sum of all delays that the estimate finds.
        elsewhere: Median estimated loss in windows in which nothing was injected, percent.
        band: Median difference of upper and lower bound of the truth, percentage points.
        hidden: Number of decidable runs whose work was slowed by significantly less than the lower
            bound of the delays' cost, so that other waiting of the program hid delays.
        decidable: Number of runs in which `hidden` can be decided, as the interval of the slowdown
            is narrower than the delays' cost.
    """

    code: str
    runs: int
    left_out: int
    own_cores: bool
    soft: float | None = None
    tenth: float | None = None
    off: float | None = None
    error: Difference | None = None
    found: float | None = None
    elsewhere: float | None = None
    band: float | None = None
    hidden: int = 0
    decidable: int = 0

    @property
    def reached(self) -> bool | None:
        """Whether the goal is reached; None if it does not apply, or nothing was scored."""
        if self.soft is None or self.tenth is None or not self.own_cores:
            return None
        return self.soft >= SOFT and self.tenth >= TENTH


def score_run(run: RunRow, windows: Sequence[WindowRow]) -> RunScore | None:
    """Score a run.

    Args:
        run: The run.
        windows: Its windows.

    Returns:
        The score; None with too few periods.
    """
    on, period = _flags(windows)
    if len(np.unique(period)) < FEWEST_PERIODS:
        return None

    def more(name: str) -> float:
        return difference(_column(windows, name), on, period).value

    true, estimated = more("true"), more("estimated")
    error = difference(_column(windows, "estimated") - _column(windows, "true"), on, period)
    slower = _column(windows, "slower")
    return RunScore(
        run,
        more("low"),
        true,
        more("high"),
        estimated,
        error,
        float(_column(windows, "estimated")[~on].mean()),
        None if np.isnan(slower).any() else difference(slower, on, period),
        float(_column(windows, "covered").mean()),
        soft_accuracy(true, estimated),
    )


def score_runs(
    runs: Sequence[RunRow], windows: Sequence[WindowRow]
) -> tuple[list[RunScore], list[tuple[RunRow, str]]]:
    """Score all runs.

    Args:
        runs: The runs of a measurement, or of several.
        windows: Their windows.

    Returns:
        The scores, and the runs without one with the reason.
    """
    by_run: dict[tuple[int, str], list[WindowRow]] = {}
    for window in windows:
        by_run.setdefault((window.seed, window.job), []).append(window)
    scores, left_out = [], []
    for run in runs:
        own = by_run.get((run.seed, run.job), [])
        reason = run.error or _taken(run)
        found = None if reason else score_run(run, own)
        if found is not None:
            scores.append(found)
        else:
            many = len({window.period for window in own})
            left_out.append((run, reason or f"only {many} periods that segments cover"))
    return scores, left_out


def _taken(run: RunRow) -> str:
    """Return the reason why other programs used too much of the machine during a run; "" if not."""
    taken = run.foreign + run.steal
    return f"others took {taken:.0%} of the machine's cores" if taken > MOST_TAKEN else ""


def score_code(code: str, scores: Sequence[RunScore], left_out: int, own_cores: bool) -> CodeScore:
    """Score a program.

    Args:
        code: Name of the program in tables.
        scores: Scores of the program's runs.
        left_out: Number of the program's runs that were not scored.
        own_cores: Whether each thread of the program has a core.
    """
    if not scores:
        return CodeScore(code, 0, left_out, own_cores)
    soft = [each.soft for each in scores]
    decidable = [each for each in scores if _decidable(each)]
    return CodeScore(
        code,
        len(scores),
        left_out,
        own_cores,
        float(np.median(soft)),
        float(np.percentile(soft, 10)),
        float(np.median([abs(each.error.value) for each in scores])),
        _mean_error(scores),
        sum(each.estimated for each in scores) / max(sum(each.true for each in scores), 1e-9),
        float(np.median([each.elsewhere for each in scores])),
        float(np.median([each.high - each.low for each in scores])),
        sum(_hidden(each) for each in decidable),
        len(decidable),
    )


def _mean_error(scores: Sequence[RunScore]) -> Difference:
    """Return the mean error over the runs, with an interval by Student's t distribution."""
    errors = [each.error.value for each in scores]
    periods = sum(each.error.periods for each in scores)
    mean, count = float(np.mean(errors)), len(errors)
    if count < _FEWEST_RUNS:
        return Difference(mean, None, None, periods)
    half = t_quantile(count - 1) * float(np.std(errors, ddof=1)) / math.sqrt(count)
    return Difference(mean, mean - half, mean + half, periods)


def _decidable(score: RunScore) -> bool:
    """Return whether the slowdown of the work is known accurately enough to show the delays' cost.

    It is not if the amount of work varies too much between windows.
    """
    slower = score.slower
    if slower is None or slower.low is None or slower.high is None:
        return False
    return slower.high - slower.low < score.true


def _hidden(score: RunScore) -> bool:
    """Return whether the work was slowed by less than the lower bound of the delays' cost."""
    slower = score.slower
    return slower is not None and slower.high is not None and slower.high < score.low


def _flags(windows: Sequence[WindowRow]) -> tuple[Flags, Ints]:
    on = np.array([window.on for window in windows], dtype=bool)
    return on, np.array([window.period for window in windows], dtype=np.int64)


def _column(windows: Sequence[WindowRow], name: str) -> Floats:
    """Return a column; NaN where a value is not known."""
    values = [getattr(window, name) for window in windows]
    return np.array([math.nan if value is None else value for value in values])
