"""Ratios of run times: of runs, of groups, and no interval of fewer than three runs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from jostle.report.verdict.run_ratios import run_ratios

OLD = {"old-1": 10.0, "old-2": 11.0, "old-3": 12.0}
NEW = {"new-1": 8.0, "new-2": 8.5, "new-3": 9.0}


def grouped(seconds: dict[str, float]) -> dict[str, str]:
    return {job: job.split("-")[0] for job in seconds}


def test_runs_are_compared_with_the_fastest_and_groups_with_the_least_mean() -> None:
    seconds = OLD | NEW
    made = run_ratios(seconds, grouped(seconds))
    assert (made.baseline, made.baseline_group) == ("new-1", "new")
    assert [run.ratio for run in made.runs] == pytest.approx([v / 8 for v in seconds.values()])
    old, new = made.groups
    assert (old.runs, old.median_s, old.mean_s, old.min_s, old.max_s) == (3, 11, 11, 10, 12)
    assert old.std_s == pytest.approx(1.0)
    assert old.ratio == pytest.approx(11 / 8.5)
    assert (new.ratio, new.low, new.high) == (1.0, None, None)


def test_the_interval_of_a_ratio_is_welchs() -> None:
    seconds = OLD | NEW
    old, _ = run_ratios(seconds, grouped(seconds)).groups
    ratio = 11 / 8.5
    one, two = 1.0 / 3, ratio**2 * np.var([8, 8.5, 9], ddof=1) / 3
    error = math.sqrt(one + two) / 8.5
    freedom = (one + two) ** 2 / (one**2 / 2 + two**2 / 2)
    half = stats.t.ppf(0.975, freedom) * error
    assert old.low == pytest.approx(ratio - half, rel=1e-6)
    assert old.high == pytest.approx(ratio + half, rel=1e-6)


def test_a_named_baseline() -> None:
    seconds = OLD | NEW
    made = run_ratios(seconds, grouped(seconds), "old-2")
    assert (made.baseline, made.baseline_group) == ("old-2", "old")
    assert made.runs[1].ratio == 1
    assert made.groups[1].ratio == pytest.approx(8.5 / 11)


def test_two_runs_have_no_interval() -> None:
    seconds = {"old-1": 10.0, "old-2": 11.0, **NEW}
    old, _ = run_ratios(seconds, grouped(seconds)).groups
    assert old.std_s is None and old.low is None and old.high is None
    assert old.ratio == pytest.approx(10.5 / 8.5)
    assert not run_ratios({"old-1": 1.0, "new-1": 2.0}, {"old-1": "a", "new-1": "a"}).repeated
