"""Intervals of a few repetitions: by simulation, they contain the truth in 95 % of cases."""

from __future__ import annotations

import numpy as np
import pytest

from jostle_lab.analysis.study.intervals import loss, median_interval, pooled_loss, summary
from jostle_lab.plot.study_charts import interval_label


def covered(found: tuple[float | None, float | None], truth: float) -> bool:
    low, high = found
    assert low is not None and high is not None
    return low <= truth <= high


@pytest.mark.parametrize("runs", [3, 5])
def test_an_interval_of_a_loss_holds_the_truth(runs: int):
    draw = np.random.default_rng(1)
    hits = 0
    for _ in range(400):
        base = 50 * (1 + 0.05 * draw.standard_normal(runs))
        data = 30 * (1 + 0.05 * draw.standard_normal(runs))
        reported = loss(base.tolist(), data.tolist())
        hits += covered((reported.low, reported.high), 0.4)
    assert hits / 400 > 0.92


@pytest.mark.parametrize(("cells", "runs"), [(4, 3), (2, 5), (6, 1)])
def test_standalone_runs_that_a_cell_shares_widen_the_pooled_interval(cells: int, runs: int):
    draw = np.random.default_rng(2)
    hits = 0
    for _ in range(300):
        parts = []
        for _ in range(cells):
            base = 50 * (1 + 0.05 * draw.standard_normal(runs))
            parts.append((base.tolist(), (25 * (1 + 0.02 * draw.standard_normal(runs))).tolist()))
        reported = pooled_loss(parts)
        hits += covered((reported.low, reported.high), 0.5)
    assert hits / 300 > 0.91


def test_one_run_has_no_interval_and_none_has_nothing():
    assert loss([50.0], [25.0]).mean == 0.5
    assert loss([50.0], [25.0]).low is None
    assert pooled_loss([([50.0], [25.0])]).low is None
    assert pooled_loss([]).mean is None
    assert loss([], [25.0]).n == 0 and loss([50.0], []).n == 0
    assert summary([None, float("nan")]).n == 0
    assert summary([1.0, 1.0, 1.0]).low == 1.0
    equal = loss([50.0, 50.0, 50.0], [25.0, 25.0, 25.0])
    assert (equal.low, equal.high) == (0.5, 0.5)
    assert pooled_loss([([50.0, 50.0], [25.0, 25.0])] * 2).high == 0.5


def test_median_interval_is_the_same_each_time():
    values = [1.0, 2.0, 4.0, 8.0, 16.0]
    assert median_interval(values) == median_interval(values) == (1.0, 16.0)
    assert median_interval([1.0, 2.0]) == (None, None)


def test_an_interval_of_two_runs_is_not_shown():
    """Of 330 and 360 MiB/s Student's interval reaches below nothing: it is in no view."""
    two = (summary([0.1, 0.6]), loss([50.0, 51.0], [25.0, 9.0, 12.0]))
    assert [(each.low, each.high) for each in two] == [(None, None)] * 2
    assert interval_label(two[0]) == "-"
    assert interval_label(summary([0.1, 0.2, 0.3])) != "-"
