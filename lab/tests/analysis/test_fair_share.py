"""Kuo's equations against the tables of the paper (vectors.md §7)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jostle_lab.analysis.study.fair_share import (
    Times,
    concurrent,
    predict,
    relative_error,
    standalone,
)

VOLUME = 16_000  # MiB per application
#: Standalone rates on disk, MiB/s, by processes (tables 1 and 2).
PRIVATE = {1: 82.6, 12: 95.5, 36: 95.0, 60: 93.5}
SHARED = {1: 83.8, 12: 78.5, 36: 73.8, 60: 55.4}
#: Table 3: p, q, overall P, Q, overlap P, Q, and the model: large predicted, error in per cent,
#: small predicted, error.
TABLE = [
    (PRIVATE, 1, 12, 47.3, 51.8, 45.0, 52.5, 181.5, -41.2, 361.2, 6.8),
    (PRIVATE, 1, 36, 46.8, 74.8, 23.6, 77.0, 173.1, -19.1, 362.1, 5.9),
    (PRIVATE, 1, 60, 46.8, 82.0, 16.6, 87.1, 174.0, -10.8, 364.8, 6.7),
    (PRIVATE, 12, 36, 48.3, 69.2, 24.7, 71.6, 224.6, -2.9, 336.0, 1.4),
    (PRIVATE, 12, 60, 50.4, 78.8, 19.0, 83.1, 205.3, 1.1, 338.7, 6.7),
    (PRIVATE, 36, 60, 51.5, 59.9, 41.4, 64.9, 273.8, 2.5, 339.5, 9.3),
    (SHARED, 1, 12, 49.1, 45.1, 49.6, 43.1, 220.8, -37.8, 394.8, 21.1),
    (SHARED, 1, 36, 43.3, 51.5, 33.8, 54.7, 222.8, -28.3, 407.7, 10.3),
    (SHARED, 1, 60, 37.9, 45.6, 25.5, 50.6, 293.6, -16.3, 479.7, 13.6),
    (SHARED, 12, 36, 38.3, 50.8, 24.0, 54.4, 289.1, -8.2, 420.6, 0.7),
    (SHARED, 12, 60, 35.3, 47.8, 16.1, 53.7, 346.6, 3.5, 492.6, 8.7),
    (SHARED, 36, 60, 23.9, 23.7, 24.4, 33.3, 462.1, -31.6, 505.6, -24.5),
]


def times_of(row: tuple) -> Times:
    alone, p, q, small, large = row[:5]
    return Times(VOLUME / alone[q], VOLUME / alone[p], VOLUME / large, VOLUME / small)


@pytest.mark.parametrize("row", TABLE)
def test_table_3(row: tuple):
    _, p, q, *_, large, large_error, small, small_error = row
    found = predict(q, p, times_of(row))
    assert found.large_s == pytest.approx(large, abs=0.06)
    assert found.small_s == pytest.approx(small, abs=0.06)
    assert 100 * found.large_error == pytest.approx(large_error, abs=0.1)
    assert 100 * found.small_error == pytest.approx(small_error, abs=0.1)


def test_the_claim_of_twelve_per_cent():
    """Private mode without 1-process runs: 1.1 to 9.3 % forwards, up to 14.7 % backwards."""
    rows = [row for row in TABLE if row[0] is PRIVATE and row[1] > 1]
    found = [predict(row[2], row[1], times_of(row)) for row in rows]
    forwards = [abs(error) for one in found for error in (one.large_error, one.small_error)]
    assert 100 * min(forwards) == pytest.approx(1.1, abs=0.06)
    assert 100 * max(forwards) == pytest.approx(9.3, abs=0.06)
    backwards = [abs(one.small_alone_error) for one in found]
    assert 100 * max(backwards) == pytest.approx(14.7, abs=0.1)


@pytest.mark.parametrize(
    ("q", "predicted", "error"), [(12, 335.1, 8.5), (36, 224.6, 5.0), (60, 205.3, 5.2)]
)
def test_counting_nodes_fixes_the_runs_of_one_process(q: int, predicted: float, error: float):
    row = next(row for row in TABLE if row[0] is PRIVATE and row[1:3] == (1, q))
    found = predict(q // 12, 1, times_of(row), "node")
    assert found.by == "node"
    assert found.large_s == pytest.approx(predicted, abs=0.06)
    assert 100 * found.large_error == pytest.approx(error, abs=0.1)


def test_counting_nodes_changes_nothing_where_all_are_full():
    for row in TABLE:
        if row[0] is PRIVATE and row[1] >= 12:
            by_node = predict(row[2] // 12, row[1] // 12, times_of(row))
            assert by_node.large_s == pytest.approx(predict(row[2], row[1], times_of(row)).large_s)


def test_ratios_of_the_overlap():
    printed = [1.2, 3.3, 5.3, 2.9, 4.4, 1.6, 0.9, 1.6, 2.0, 2.3, 3.3, 1.4]
    for row, ratio in zip(TABLE, printed, strict=True):
        assert row[6] / row[5] == pytest.approx(ratio, abs=0.1)


def test_algebra():
    assert concurrent(60, 12, 100, 90) == pytest.approx((120, 190))
    assert standalone(60, 12, 120, 190) == pytest.approx((100, 90))
    assert relative_error(110, 100) == pytest.approx(0.1)


sizes = st.integers(1, 10_000)
seconds = st.floats(1e-3, 1e6)


@given(sizes, sizes, seconds, seconds)
def test_equations_3_and_4_undo_1_and_2(one: int, other: int, large: float, small: float):
    np_l, np_s = max(one, other), min(one, other)
    assert standalone(np_l, np_s, *concurrent(np_l, np_s, large, small)) == pytest.approx(
        (large, small), rel=1e-6, abs=1e-9 * (large + small)
    )
    together = concurrent(np_l, np_s, large, small)
    assert concurrent(np_l, np_s, *standalone(np_l, np_s, *together)) == pytest.approx(
        together, rel=1e-6
    )
    # The link is never idle: the last byte of both leaves when both volumes are through.
    assert together[1] == pytest.approx(large + small)
    assert together[0] <= 2 * large * (1 + 1e-12)
