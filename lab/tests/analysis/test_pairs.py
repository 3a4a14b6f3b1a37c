"""Rates, overlap, degradation, dilation, filters: the papers' numbers (vectors.md §6 to §8)."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jostle_lab.analysis.study import pairs
from jostle_lab.analysis.study.pairs import JobProgress


def progress(*rows: list[float], first: int = 0, name: str = "job") -> JobProgress:
    return JobProgress(name, 4_000_000_000, first, np.array(rows, dtype=float))


P = progress([5, 5, 5, 5, 0, 5, 5, 5, 0, 0], [0, 5, 5, 5, 5, 5, 5, 5, 5, 0])
Q = progress([0, 0, 3, 3, 3, 3, 3, 3, 3, 3], [0, 3, 3, 3, 3, 3, 3, 3, 0, 3])


def test_active_overlap_is_the_longest_of_two_stretches():
    region = pairs.active_overlap(P, Q)
    assert region == (5, 7)
    assert P.between(*region).sum() == 30
    assert Q.between(*region).sum() == 18
    assert pairs.throughput(P, *region) == pytest.approx(30 / 12)


def test_active_overlap_does_not_depend_on_where_a_job_begins_to_be_recorded():
    late = JobProgress("q", Q.slice_ns, 1, Q.values[:, 1:])
    assert pairs.active_overlap(P, late) == pairs.active_overlap(late, P) == (5, 7)
    assert pairs.active_overlap(P, JobProgress("q", Q.slice_ns, 1000, Q.values)) is None


def test_no_overlap_where_a_process_never_gets_on():
    assert pairs.active_overlap(P, progress([1] * 10, [0] * 10)) is None
    assert pairs.active_overlap(P, JobProgress("none", P.slice_ns, 0, np.zeros((0, 0)))) is None
    assert pairs.active_overlap(P, progress([0.0] * 10)) is None


def test_slices_of_unequal_length_are_not_compared():
    other = JobProgress("other", 250_000_000, 0, Q.values)
    with pytest.raises(ValueError, match="other"):
        pairs.active_overlap(P, other)
    with pytest.raises(ValueError, match="250000000"):
        pairs.active_overlap(P, other)


def matrices(processes: int) -> st.SearchStrategy[np.ndarray]:
    return st.integers(1, 12).flatmap(
        lambda width: st.lists(
            st.lists(st.sampled_from([0, 1, 2]), min_size=width, max_size=width),
            min_size=1,
            max_size=processes,
        ).map(lambda rows: np.array(rows, dtype=float))
    )


@given(matrices(3), matrices(3), st.integers(-5, 5))
def test_active_overlap_by_brute_force(one: np.ndarray, other: np.ndarray, shift: int):
    p, q = JobProgress("p", 10, 0, one), JobProgress("q", 10, shift, other)
    best: tuple[int, int] | None = None
    slices = range(-6, 20)
    for first, last in itertools.combinations_with_replacement(slices, 2):
        rows = [progress.between(first, last) for progress in (p, q)]
        longer = best is None or last - first > best[1] - best[0]
        if longer and all((part > 0).all() for part in rows):
            best = (first, last)
    assert pairs.active_overlap(p, q) == best


def test_the_part_until_one_has_written_nine_tenths():
    a = progress([20, 25, 25, 18, 8, 4])
    b = progress([30, 30, 30, 30, 30, 30])
    assert pairs.done_at(a) == 4
    assert pairs.done_at(b, 200) == 5
    assert a.between(0, 4).sum() == 96
    assert b.between(0, 4).sum() == 150
    assert pairs.throughput(b, 0, 4) == pytest.approx(150 / 20)


def test_nine_tenths_to_the_byte():
    assert pairs.done_at(progress([89, 1, 10])) == 1
    assert pairs.done_at(progress([89, 0.9, 10.1])) == 2
    assert pairs.done_at(progress([0.0, 0.0])) is None
    assert pairs.done_at(progress([10, 10]), volume=100) is None
    assert pairs.done_at(progress([0.0])) is None


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=30))
def test_nine_tenths_agree_with_integers(values: list[int]):
    total, expected = sum(values), None
    for place, done in enumerate(itertools.accumulate(values)):
        if total and 10 * done >= 9 * total:
            expected = place
            break
    assert pairs.done_at(progress([float(value) for value in values])) == expected


@pytest.mark.parametrize(
    ("alone", "together", "lost"),
    [
        (28.4, 16.1, 43.31),  # the row of open-write-close, thesis table 3.2
        (28.4, 16.3, 42.61),  # the probe, by signal
        (28.4, 16.8, 40.85),
        (28.4, 9.6, 66.20),
        (42.2, 38.0, 9.95),  # what was meant by 3.8
        (31.6, 19.8, 37.34),  # 35.76 is printed, and belongs to 20.3
        (42.2, 3.8, 91.00),
    ],
)
def test_degradation_of_the_thesis(alone: float, together: float, lost: float):
    assert 100 * pairs.degradation(alone, together) == pytest.approx(lost, abs=0.005)


@pytest.mark.parametrize(
    ("lost", "longer"), [(0.43, 0.754), (0.5, 1), (0.8, 4), (0.95, 19), (0, 0), (0.45, 0.81818)]
)
def test_degradation_of_a_fixed_volume_means_this_dilation(lost: float, longer: float):
    assert pairs.dilation_implied(lost) == pytest.approx(longer, abs=5e-4)


@given(st.floats(0.1, 1e6), st.floats(0.1, 1e6))
def test_degradation_and_dilation_are_two_numbers(alone: float, together: float):
    lost = pairs.degradation(1 / alone, 1 / together)  # of one unit of work
    assert pairs.dilation(alone, together) == pytest.approx(together / alone - 1)
    assert pairs.dilation_implied(lost) == pytest.approx(
        pairs.dilation(alone, together), rel=1e-6, abs=1e-9
    )


def test_all_lost_takes_for_ever_and_nothing_is_no_baseline():
    assert pairs.dilation_implied(1) == float("inf")
    assert np.isnan(pairs.degradation(0, 1))
    assert np.isnan(pairs.dilation(0, 1))


def test_a_tenth_of_foreign_traffic_is_kept_and_a_byte_more_is_not():
    assert not pairs.foreign(1000, 1100)
    assert pairs.foreign(1000, 1101)
    # Headers are no foreign traffic: 4 % in quiet runs.
    assert not pairs.foreign(1000, 1144, 1.04)
    assert pairs.foreign(1000, 1145, 1.04)
    assert pairs.foreign(0, 1)


@given(st.integers(1, 2**40), st.integers(0, 2**41))
def test_foreign_traffic_agrees_with_integers(own: int, server: int):
    assert pairs.foreign(own, server) == (10 * server > 11 * own)


def test_outliers_of_kuo():
    assert pairs.outliers([100, 101, 99, 100, 60]).tolist() == [False] * 4 + [True]
    assert not pairs.outliers([100, 101, 99, 60]).any()  # none of four can be far enough
    assert not pairs.outliers([7.0] * 5).any()
    assert not pairs.outliers([0.1 + 0.2, 0.3, 0.3, 0.3, 0.3]).any()
    assert pairs.outliers([]).tolist() == []


@given(st.lists(st.integers(0, 1000), min_size=5, max_size=20))
def test_outliers_by_definition(values: list[int]):
    mean = sum(values) / len(values)
    deviation = (sum((value - mean) ** 2 for value in values) / (len(values) - 1)) ** 0.5
    for value, out in zip(values, pairs.outliers(values), strict=True):
        off = abs(value - mean)
        if abs(off - 1.5 * deviation) > 1e-6:
            assert out == (off > 1.5 * deviation)


def test_spread_of_bytes_per_process():
    even = progress([4, 4], [4, 4])
    assert pairs.bytes_spread(even, even, (0, 1)) == 0
    p, q = progress([4.0]), progress([6.0])
    assert pairs.bytes_spread(p, q, (0, 0)) == pytest.approx(0.2)
    assert np.isnan(pairs.bytes_spread(p, q, (5, 6)))


def test_turns_are_distinguished_from_sharing():
    half = np.full(16, 0.5)
    assert pairs.exclusive(half, half) == 0
    one = np.repeat([1.0, 0, 1, 0], 4)
    assert pairs.exclusive(one, 1 - one) == 1
    # Every other slice is sharing, as programs that book at the end of an operation do.
    quick = np.tile([1.0, 0.0], 8)
    assert pairs.exclusive(quick, 1 - quick) == 0
    sparse = np.tile([1.0, 0, 0, 0], 4)
    assert np.isnan(pairs.exclusive(sparse, np.roll(sparse, 2)))
    assert np.isnan(pairs.exclusive(half[:3], half[:3]))


def busy(*rows: list[float], first: int = 0, ids: tuple[int, ...] = (7,)) -> JobProgress:
    full = 4_000_000_000
    return JobProgress("job", full, first, np.array(rows, dtype=float) * full, ids)


def writer(*values: float, first: int = 0, ids: tuple[int, ...] = (7,)) -> JobProgress:
    return JobProgress("job", 4_000_000_000, first, np.array([values], dtype=float), ids)


def test_a_long_operation_counts_in_all_its_slices():
    found = pairs.under_way(writer(6, 0, 0, 6, 0, 0, 6), busy([1] * 7))
    assert found.values.tolist() == [[6, 2, 2, 2, 2, 2, 2]]
    # It began before the first bytes are booked, but not before its process was in calls.
    found = pairs.under_way(writer(8, 0, 4, first=3), busy([1] * 6))
    assert (found.first_slice, found.values.tolist()) == (0, [[2, 2, 2, 2, 2, 2]])
    found = pairs.under_way(writer(8, 0, 4, first=3), busy([0, 0, 1, 1, 1, 1]))
    assert (found.first_slice, found.values.tolist()) == (2, [[4, 4, 2, 2]])
    # A pattern that reads is busy with writing its files before its work begins.
    found = pairs.under_way(writer(8, 0, 4, first=3), busy([1] * 6), since=2)
    assert (found.first_slice, found.values.tolist()) == (2, [[4, 4, 2, 2]])
    found = pairs.under_way(writer(8, 0, 4, first=3), busy([1] * 6), since=3)
    assert (found.first_slice, found.values.tolist()) == (3, [[8, 2, 2]])


def test_idle_slices_stay_idle_and_one_operation_is_shared_out_at_most():
    assert pairs.under_way(writer(6, 0, 6), busy([1, 0.05, 1])).values.tolist() == [[6, 0, 6]]
    assert pairs.under_way(writer(6, 0, 6), busy([1, 1, 1]), 2).values.tolist() == [[6, 1, 5]]


def test_without_times_of_the_same_processes_nothing_is_shared_out():
    sparse = writer(6, 0, 6)
    assert pairs.under_way(sparse, busy([1, 1, 1], ids=(8,))) is sparse
    assert pairs.under_way(replace(sparse, processes=()), busy([1, 1, 1])).values is sparse.values
    assert pairs.under_way(sparse, JobProgress("job", 10, 0, sparse.values, (7,))) is sparse


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=15),
    st.lists(st.sampled_from([0, 0.05, 0.5, 1]), min_size=15, max_size=15),
    st.sampled_from([None, 1.0]),
)
def test_sharing_out_keeps_totals_and_moves_nothing_forward(
    done: list[int], times: list[float], most: float | None
):
    before = writer(*map(float, done))
    after = pairs.under_way(before, busy(times), most)
    assert after.total == pytest.approx(before.total)
    ahead = np.cumsum(after.between(0, 14)) - np.cumsum(before.between(0, 14))
    assert (ahead > -1e-9).all()
    assert (after.values >= 0).all()


def test_progress_beyond_its_ends_is_nothing():
    assert P.between(-2, 0).tolist() == [[0, 0, 5], [0, 0, 0]]
    assert P.between(9, 11).tolist() == [[0, 0, 0], [0, 0, 0]]
    assert P.between(3, 2).shape == (2, 0)
    assert P.active == (0, 8)
    assert progress([0.0]).active is None
    assert np.isnan(pairs.throughput(P, 3, 2))
