"""Overhead: its statistics against figures worked out by hand, and their wording."""

from __future__ import annotations

import json
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from jostle.analysis import overhead
from jostle.analysis.overhead import interval, modified_z, outliers


def test_modified_z_by_hand():
    # Median 12, deviations 2 0 1 0 28, MAD 1.
    assert modified_z([10, 12, 11, 12, 40]) == pytest.approx([-1.349, 0, -0.6745, 0, 28 * 0.6745])
    assert outliers([10, 12, 11, 12, 40]).tolist() == [False, False, False, False, True]


def test_the_cut_is_three_and_a_half():
    # Median 0, MAD 1: 5.19 scores 3.5006 and 5.18 scores 3.4939.
    base = [-1.0, -1.0, 0.0, 0.0, 0.0, 1.0, 1.0, -1.0, 1.0]
    assert not outliers([*base, -5.18, 5.18])[-2:].any()
    assert outliers([*base, -5.19, 5.19])[-2:].all()


def test_equal_values_have_no_outliers_but_a_lone_one_is_found():
    assert not outliers([3.0] * 5).any()
    assert outliers([3.0] * 20 + [9.0]).tolist() == [False] * 20 + [True]
    assert outliers([]).tolist() == []
    assert outliers([1.0, 1.0, 1.1, 90.0]).tolist() == [False] * 4  # too few to decide


def test_interval_is_students():
    values = [1.0, 2.0, 3.0, 4.0]
    mean, low, high = interval(values)
    expected = stats.t.interval(0.99, 3, loc=2.5, scale=stats.sem(values))
    assert (mean, low, high) == pytest.approx((2.5, *expected))
    assert math.isnan(interval([1.0])[1])


def test_overhead_as_the_thesis_defines_it():
    plain = [10.0, 10.2, 9.8, 10.1, 9.9]
    profiled = [10.1, 10.4, 10.0, 10.3, 10.2]
    found = overhead(plain, profiled)
    arm = found.profiled
    assert (arm.overhead_least, arm.overhead_median, arm.overhead_most) == pytest.approx(
        (0.0, 0.02, 0.04)
    )
    assert (found.plain.overhead_least, found.plain.overhead_most) == pytest.approx((-0.02, 0.02))
    assert found.mean == pytest.approx(0.02)
    assert arm.mean == pytest.approx(10.2)


def test_ratio_interval_is_welchs():
    generator = random.Random(1)
    plain = [generator.gauss(10, 0.1) for _ in range(30)]
    profiled = [generator.gauss(10.05, 0.1) for _ in range(30)]
    found = overhead(plain, profiled)
    scaled = [value / (1 + found.mean) for value in profiled]
    # With a ratio near 1 the delta method and Welch's test on the difference agree.
    test = stats.ttest_ind(profiled, plain, equal_var=False).confidence_interval(0.99)
    mean = sum(plain) / len(plain)
    assert found.low == pytest.approx(test.low / mean, abs=2e-4)
    assert found.high == pytest.approx(test.high / mean, abs=2e-4)
    assert sum(scaled) / len(scaled) == pytest.approx(mean)


def gauss(mean: float, sigma: float, seed: int, n: int = 30) -> list[float]:
    generator = random.Random(seed)
    return [generator.gauss(mean, sigma) for _ in range(n)]


@pytest.mark.parametrize(
    ("profiled", "sigma", "verdict"),
    [(10.5, 0.1, "cost"), (9.5, 0.1, "gain"), (10.0, 0.05, "none"), (10.0, 2.0, "noise")],
)
def test_verdicts(profiled, sigma, verdict):
    found = overhead(gauss(10, sigma, 1), gauss(profiled, sigma, 2))
    assert found.verdict == verdict
    assert (found.runs_needed > 30) == (verdict == "noise")
    assert found.low < found.mean < found.high


def test_few_runs():
    assert overhead([1.0, 1.1], [1.0, 1.2]).verdict == "few"
    assert overhead([], []).verdict == "few"
    assert overhead([1.0], []).verdict == "few"


def test_outliers_are_left_out_of_each_kind_and_kept_in_the_list():
    found = overhead([1.0, 1.01, 0.99, 1.0, 1.02, 5.0], [1.0, 1.01, 0.99, 1.0, 1.02])
    assert found.plain.outlier == [False] * 5 + [True]
    assert found.plain.kept == 5
    assert found.plain.most == 1.02
    assert found.plain.seconds[-1] == 5.0


@given(st.lists(st.floats(0.1, 100), max_size=12), st.lists(st.floats(0.1, 100), max_size=12))
def test_any_times_give_json(plain, profiled):
    content = overhead(plain, profiled).to_json()
    json.dumps(content, allow_nan=False)
    assert content["verdict"] in ("cost", "gain", "none", "noise", "few")
