"""The time that a run took longer than another is split into loss, displacement, work and rest."""

from __future__ import annotations

import dataclasses

import pytest
from few_segments import run_of

from jostle.analysis import compare
from jostle.analysis.estimation.errors import EstimateError
from jostle.analysis.estimation.model import Cause, CoreSpeed
from jostle.analysis.estimation.thesis import estimate_thesis
from jostle.analysis.interval import Interval


def of(durations, work):
    return estimate_thesis(run_of(durations, {"flops": work}))


A, B = [1.0] * 20, [3.0] * 10
WORK = [100] * 20 + [900] * 10


def test_a_struck_run_against_an_undisturbed_one():
    clean = of(A + B, WORK)
    struck = of([*A[:-1], 6.0, *B], WORK)
    found = compare([struck, clean])
    assert found.baseline == 1
    assert found.measured_s == [pytest.approx(5.0), 0]
    assert found.estimated_s == [pytest.approx(5.0), 0]
    assert found.displaced_s == [pytest.approx(0.0), 0]
    assert found.unexplained_s == [pytest.approx(0.0, abs=1e-6), pytest.approx(0.0)]
    assert found.by_cause == {"unknown": [pytest.approx(5.0), 0.0]}
    first = found.clusters[0]
    assert (first.members, first.numbers) == ([20, 20], [1, 1])
    assert first.excess_s == [pytest.approx(5.0), 0.0]


def test_continuous_interference_displaces_references():
    clean = of(A + B, WORK)
    slow = of([1.1] * 20 + B, WORK)
    found = compare([clean, slow])
    assert found.displaced_s[1] == pytest.approx(2.0)
    assert found.estimated_s[1] == pytest.approx(0.0)
    assert found.unexplained_s[1] == pytest.approx(0.0, abs=1e-6)


def test_other_work_is_distinguished():
    short = of(A + B, WORK)
    more = of([1.0] * 23 + B + [7.0] * 6, [100] * 23 + [900] * 10 + [5000] * 6)
    found = compare([short, more])
    assert found.work_s[1] == pytest.approx(3.0 + 42.0)
    assert found.unexplained_s[1] == pytest.approx(0.0, abs=1e-6)
    only = next(row for row in found.clusters if row.members == [0, 6])
    assert only.numbers == [0, 3] and only.reference_s == [0.0, pytest.approx(7.0)]


def test_segments_of_no_cluster_are_work():
    found = compare([of(A, WORK[:20]), of([*A, 9.0], [*WORK[:20], 5000])])
    assert found.work_s[1] == pytest.approx(9.0)


def test_what_cannot_be_compared():
    one = of(A, WORK[:20])
    with pytest.raises(EstimateError, match="itself"):
        compare([one])
    with pytest.raises(EstimateError, match="different methods"):
        compare([one, dataclasses.replace(one, method="jostle")])
    other = dataclasses.replace(one, ranks=4)
    assert any("4 ranks" in limit for limit in compare([one, other]).limits)


def test_steal_time_of_runs_without_segments_is_a_cause_of_their_loss():
    """Without segments there are no references that slow cores could displace."""
    clean = dataclasses.replace(of(A, WORK[:20]), clusters=[], causes=[])
    loss = Interval(2.0, 1.0, 3.0)
    steal = Cause("cpu", "n1", loss, "measured", "steal")
    slow = dataclasses.replace(clean, run_s=clean.run_s + 2, lost_s=loss, causes=[steal])
    found = compare([clean, slow])
    assert found.estimated_s == [0, pytest.approx(2.0)]
    assert found.by_cause == {"cpu": [0, pytest.approx(2.0)]}
    # With segments it displaces the references, which is a part of its own.
    cores = CoreSpeed(1.0, 1.0, Interval(0.0, 0.0, 0.0), 0.1, 2.0)
    found = compare([clean, dataclasses.replace(slow, core_speed=cores)])
    assert found.estimated_s == [0, pytest.approx(0.0)]
    assert found.by_cause == {}


def test_runs_without_segments_are_said_once():
    one = of(A, WORK[:20])
    bare = [dataclasses.replace(one, job=job, clusters=[]) for job in ("first", "second")]
    said = [limit for limit in compare(bare).limits if "no segments" in limit]
    assert said == ["These runs have no segments to compare, so only their causes are compared."]
    said = compare([one, bare[0]]).limits
    assert "first has no segments to compare with those of the others." in said
