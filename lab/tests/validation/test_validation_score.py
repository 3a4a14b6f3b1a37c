"""Scores of synthetic runs: what counts where, and against which measure."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from jostle.analysis import estimate
from jostle_lab.synthetic import SPECS, trace
from jostle_lab.validation.evaluate import assessed
from jostle_lab.validation.oracle import Band, Truth
from jostle_lab.validation.score import Assessed, Row, ScoreSpread, score

_QUIET = {"steal": 0.0, "foreign": 0.01, "load": 1.0}


def row(
    total: float,
    said: float,
    *,
    kind: str = "inject",
    displaced: float = 0.0,
    continuous: float = 0.0,
    thesis: float = 0.0,
    width: float = 2.0,
    shift: float = 0.0,
) -> Row:
    """Makes a run of 100 s: percent of it are seconds of it."""
    truth = Truth(100.0, total, displaced, 50, total - 1, total + 1)
    assessed = Assessed(said, said - width, said + width, continuous, shift, 1.0, 0.9)
    other = Assessed(thesis, thesis, thesis, 0.0, 0.0, 1.0, None)
    return Row(
        "job", "code", kind, 0.1, truth, None, thesis, _QUIET, {"jostle": assessed, "thesis": other}
    )


def test_the_warning_counts_in_the_total_and_not_in_the_instantaneous_part() -> None:
    """A run that was slowed throughout is right when loss and warning add up."""
    one = row(20.0, 8.0, displaced=12.0, continuous=12.0)
    found = score("code", "jostle", [one])
    assert found.total.median == pytest.approx(0)
    assert found.steady.n == 0  # it was moved
    assert found.instantaneous.median == pytest.approx(0)
    assert one.held("jostle")


def test_a_displacement_that_was_accounted_for_is_no_instantaneous_loss() -> None:
    """A shift of all segments is subtracted on both sides, by the same definition."""
    found = score("code", "jostle", [row(20.0, 20.0, displaced=15.0, shift=14.0)])
    assert found.total.median == pytest.approx(0)
    assert found.instantaneous.median == pytest.approx(1.0)


def test_the_interval_is_of_the_loss() -> None:
    """The truth minus the warning must be in the interval, ends included."""
    assert row(10.0, 8.0, width=2.0).held("jostle")
    assert not row(10.5, 8.0, width=2.0).held("jostle")
    assert row(10.5, 8.0, continuous=0.5, width=2.0).held("jostle")


def test_figures_of_several_runs() -> None:
    """Medians and worst values are of the right runs."""
    rows = [row(10.0, 11.0), row(30.0, 27.0), row(2.0, 2.5, kind="clean"), row(1, 3, kind="clean")]
    found = score("code", "jostle", rows)
    assert (found.runs, found.disturbed) == (4, 2)
    assert (found.clean.median, found.clean.worst) == pytest.approx((1.25, 2.0))
    assert (found.total.median, found.total.worst) == pytest.approx((1.5, 3.0))
    assert found.instantaneous.n == 4
    assert found.held == 0.75
    assert found.inferred.median == 0.9


def test_the_thesis_is_scored_against_its_own_measure_and_against_the_oracle() -> None:
    """Exactly the thesis' measure: right by that, and far from the oracle."""
    found = score("code", "thesis", [row(30.0, 0.0, thesis=5.0)])
    assert found.soft.median == 1.0
    assert found.oracle.median == pytest.approx(0.1, abs=0.02)


def test_what_the_machine_took_itself() -> None:
    """All of the loss but the injected: in a clean run all of it."""
    from dataclasses import replace

    one = row(20.0, 20.0)
    assert one.own == pytest.approx(20)
    assert replace(one, band=Band(10.0, 12.0, 15.0, 3)).own == pytest.approx(8)


def test_nothing_to_score() -> None:
    """A method without runs has no figures, rather than zeros."""
    found = score("code", "jostle", [])
    assert found.soft == ScoreSpread(0, None, None)
    assert found.held is None


def test_continuous_interference_is_reported_in_the_windows_of_the_truth() -> None:
    """A loss in every second segment, two to a window, shifts all windows and few segments."""
    found = estimate(trace(SPECS["clean-core-probe"], 0)[0])
    start = np.arange(40) * 10**9
    lost = np.where(np.arange(40) % 2, 2 * 10**8, 0)
    table = pa.table(
        {
            "start_ns": start,
            "end_ns": start + 10**9,
            "duration_ns": [10**9] * 40,
            "excess_ns": lost,
            "slow_ns": np.full(40, -(10**7)),
        }
    )
    one = replace(found, segments=table, run_s=40.0)
    assert assessed(one).displaced == pytest.approx(-1, abs=0.1)
    assert assessed(one, [*start[::2].tolist(), 40 * 10**9]).displaced == pytest.approx(9, abs=0.3)
