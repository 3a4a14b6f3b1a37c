"""The permutation test keeps its level for any series, and has power."""

from __future__ import annotations

import numpy as np
import pytest
from alongside_maker import MIB, bursts, noise
from hypothesis import given
from hypothesis import strategies as st

from jostle.analysis.identification.regression import nonnegative
from jostle.analysis.identification.resources.syncs import ranks
from jostle.analysis.identification.statistics.evidence import FEWEST, Moved, own_phases
from jostle.analysis.identification.statistics.resource_tests import adjusted, delayed, grained

SIZE = 160


def _moved(slow, lags=(0, 2)):
    assessed = np.ones(len(slow), dtype=bool)
    kind = np.zeros(len(slow), dtype=np.int64)
    return Moved(slow, assessed, own_phases(kind, assessed, slow, []), lags)


def _rhythm(size, period, shift):
    return ((np.arange(size) + shift) % period < period // 2) * 50.0


@pytest.mark.parametrize("memory", [0.0, 0.9, 0.99])
@pytest.mark.parametrize("kind", ["bursts", "rhythm", "once"])
def test_chance_alone_is_found_as_often_as_stated(memory, kind):
    below = 0
    runs = 50
    for seed in range(runs):
        slow = np.log(noise(SIZE, seed, 0.3, memory))
        rng = np.random.default_rng(1000 + seed)
        if kind == "bursts":
            load = bursts(SIZE, 1000 + seed)
        elif kind == "rhythm":
            load = _rhythm(SIZE, 14, int(rng.integers(14)))
        else:
            load = np.zeros(SIZE)
            begin = int(rng.integers(10, 80))
            load[begin : begin + int(rng.integers(25, 60))] = 50.0
        below += _moved(slow).test(grained(load)).p <= 0.05
    # 1 in 20, and three standard deviations of as many trials.
    assert below <= runs * 0.05 + 3 * np.sqrt(runs * 0.05 * 0.95)


@pytest.mark.parametrize("lag", [0, 1, 2])
def test_a_harmful_load_is_seen_at_its_lag(lag):
    load = bursts(SIZE, 5)
    slow = 0.4 * (delayed(load, lag) > 0) + np.log(noise(SIZE, 3, 0.1))
    found = _moved(slow).test(grained(load))
    assert found.p < 0.01
    assert found.lag == lag
    assert found.correlation > 0.6


def test_a_strict_rhythm_is_seen_although_it_fits_itself_again():
    load = _rhythm(SIZE, 16, 3)
    found = _moved(0.3 * (load > 0) + np.log(noise(SIZE, 8, 0.1))).test(grained(load))
    assert found.p < 0.02


def test_p_is_never_less_than_its_stated_smallest():
    load = bursts(SIZE, 5)
    found = _moved(1.0 * (load > 0)).test(grained(load))
    assert found.p == pytest.approx(found.smallest, rel=3)
    assert found.smallest < 0.01


def test_too_few_slices_prove_nothing():
    slow = np.arange(FEWEST - 1.0)
    assert _moved(slow).test(np.arange(FEWEST - 1.0)).p == 1


def test_a_load_in_step_with_the_jobs_own_phases_cannot_be_distinguished():
    assessed = np.ones(SIZE, dtype=bool)
    kind = (np.arange(SIZE) // 10 % 2).astype(np.int64)  # writes of 1 MiB, then of 4 KiB
    slow = np.log(noise(SIZE, 2, 0.1)) + 0.5 * kind
    moved = Moved(slow, assessed, own_phases(kind, assessed, slow, []), (0, 0))
    assert moved.test(grained(50.0 * kind)).alike


def test_what_the_job_does_to_itself_speaks_against_nobody():
    own = bursts(SIZE, 7)
    slow = 0.5 * (own > 0) + np.log(noise(SIZE, 2, 0.1))
    assessed, kind = np.ones(SIZE, dtype=bool), np.zeros(SIZE, dtype=np.int64)
    load = own.copy()
    load[40:60] = 30.0  # a neighbour whose bursts come with the job's own, and once alone
    free = Moved(slow, assessed, own_phases(kind, assessed, slow, []), (0, 0)).test(grained(load))
    held = Moved(slow, assessed, own_phases(kind, assessed, slow, [own]), (0, 0)).test(
        grained(load)
    )
    assert free.p < 0.05 < held.p


def test_own_load_that_falls_when_operations_take_longer_is_no_phase():
    load = bursts(SIZE, 9)
    slow = 0.5 * (load > 0) + np.log(noise(SIZE, 2, 0.1))
    assessed, kind = np.ones(SIZE, dtype=bool), np.zeros(SIZE, dtype=np.int64)
    base = own_phases(kind, assessed, slow, [np.exp(-slow)])
    assert base.shape[1] == 1
    assert Moved(slow, assessed, base, (0, 0)).test(grained(load)).p < 0.01


def test_what_one_load_explains_another_is_not_asked_again():
    first = bursts(SIZE, 11)
    again = 0
    for seed in range(6):
        with_it = np.where(first > 0, 20.0, 0.0) + 0.1 * bursts(SIZE, 100 + seed) / MIB
        moved = _moved(0.5 * (first > 0) + np.log(noise(SIZE, seed, 0.1)), (0, 0))
        assert moved.test(grained(with_it)).p < 0.05
        again += moved.alongside(grained(first)).test(grained(with_it)).p <= 0.05
    assert again <= 2


def test_ranks_and_false_discoveries():
    assert ranks(np.array([3.0, 1.0, 3.0, 9.0])).tolist() == [0.5, 0.0, 0.5, 1.0]
    assert adjusted([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.02, 0.04, 0.04, 0.02])
    assert adjusted([]) == []


def test_a_steady_load_has_no_ups_and_downs():
    steady = 50 + np.random.default_rng(1).normal(0, 0.4, SIZE)
    assert np.ptp(grained(steady)) <= 1
    assert np.ptp(grained(bursts(SIZE, 1))) >= 10


@given(st.integers(0, 10_000), st.integers(1, 7))
def test_the_regression_is_that_of_lawson_and_hanson(seed, many):
    from scipy.optimize import nnls

    rng = np.random.default_rng(seed)
    columns = rng.random((40, many)) * (rng.random((40, many)) > 0.5)
    target = columns @ rng.normal(0.3, 1, many) + rng.normal(0, 0.2, 40)
    found, best = nonnegative(columns, target), nnls(columns, target)[1]
    assert (found >= 0).all()
    assert np.linalg.norm(columns @ found - target) <= best * (1 + 1e-6) + 1e-9
