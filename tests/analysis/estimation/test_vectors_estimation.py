"""The papers' worked numbers (vectors 1, 2, 4, 5): expected results of an estimate, to the digit.

What is printed wrong there is not asserted: table 5.5's and 5.7's rounding within a digit, tables
5.3's and 5.15's captions, and that the impact is counted from the median. Vector 3 (index trees) is
in tests/repository/test_index_tree.py.
"""

from __future__ import annotations

import numpy as np
import pytest
from few_segments import run_of

from jostle.analysis.estimation.classes import class_of, probability
from jostle.analysis.estimation.groups import equal_rows, features, hybrid
from jostle.analysis.estimation.relative import chained, relative_clusters
from jostle.analysis.estimation.runs import measured_percent
from jostle.analysis.estimation.thesis import cluster_losses, estimate_thesis
from jostle_lab.analysis.validation import class_scores, scored_runs, soft_accuracy, summary

FLOP = np.array([400, 420, 3000, 526, 1500, 3191])


def as_sets(labels):
    return {frozenset(np.flatnonzero(labels == label) + 1) for label in set(labels.tolist())}


def sets(*members):
    return {frozenset(one) for one in members}


# 1. Relative distance


def test_relative_distance_clusters_as_a_person_would():
    assert as_sets(relative_clusters(FLOP)) == sets({1, 2}, {4}, {5}, {3, 6})


@pytest.mark.parametrize(
    ("distance", "clusters"),
    [(100, sets({1, 2}, {4}, {5}, {3}, {6})), (200, sets({1, 2, 4}, {5}, {3, 6}))],
)
def test_absolute_distance_does_not(distance, clusters):
    assert as_sets(chained(FLOP, lambda low, high: high - low < distance)) == clusters


@pytest.mark.parametrize("kind", [np.int64, np.float64])
@pytest.mark.parametrize(
    ("values", "clusters"),
    [
        ([1000, 1099], sets({1, 2})),
        ([1000, 1100], sets({1}, {2})),
        ([1000, 1090, 1188, 1294], sets({1, 2, 3, 4})),
        ([0, 0, 5], sets({1, 2}, {3})),
        ([10, 11], sets({1}, {2})),
        ([10**15, 11 * 10**14], sets({1}, {2})),
        ([10**15, 11 * 10**14 - 1], sets({1, 2})),
    ],
)
def test_at_the_threshold_a_cluster_ends(kind, values, clusters):
    assert as_sets(relative_clusters(np.array(values, dtype=kind))) == clusters


def test_whole_numbers_beyond_the_range_of_products_are_exact_too():
    values = np.array([2**62, 2**62 + 2**62 // 10, 2**62 + 2**62 // 10 + 1])
    assert as_sets(relative_clusters(values)) == sets({1, 2, 3})


# 2. Groups and hybrid clusters

GROUPS = {
    "read_bytes": [25, 10, 10, 25, 1],
    "write_bytes": [120, 90, 90, 120, 0],
    "sends": [35, 30, 30, 35, 0],
    "p2p_bytes": [250, 280, 280, 250, 0],
}


def groups_of(values, rule="exact", **more):
    segments = run_of([1.0] * 5, values, **more).worlds[0].segments
    return equal_rows(features(segments, rule), 5)


def test_groups_are_equal_in_all_features():
    groups = groups_of(GROUPS)
    assert as_sets(groups) == sets({1, 4}, {2, 3}, {5})
    work = relative_clusters(np.array([100, 104, 200, 105, 103]))
    assert as_sets(work) == sets({1, 2, 4, 5}, {3})
    assert as_sets(hybrid(work, groups)) == sets({1, 4}, {2}, {3}, {5})


def test_bytes_count_by_themselves_by_their_median_or_not():
    """Ranks differ in bytes, as a particle code's do; the middle one's are the same."""
    own = {"p2p_bytes": [[10, 10, 10, 11, 10], [50] * 5, [90, 91, 90, 90, 90]]}
    assert as_sets(groups_of({}, "exact", ranks=3, per_rank=own)) == sets({1, 3, 5}, {2}, {4})
    assert as_sets(groups_of({}, "median", ranks=3, per_rank=own)) == sets({1, 2, 3, 4, 5})
    other = {"p2p_bytes": [[10] * 5, [50, 50, 50, 51, 50], [90] * 5]}
    assert as_sets(groups_of({}, "median", ranks=3, per_rank=other)) == sets({1, 2, 3, 5}, {4})
    assert as_sets(groups_of({}, "ignore", ranks=3, per_rank=other)) == sets({1, 2, 3, 4, 5})


# 4. Interference of one run


@pytest.mark.parametrize(
    ("durations", "median", "mad", "threshold", "hit", "excess", "percent"),
    [
        ([10, 10, 11, 9, 10, 30], 10, 0.5, 12, 1, 18, 22.5),
        ([20, 21, 19, 20, 22, 20, 24, 50], 20.5, 1, 24.5, 1, 25.5, 13.0102),
        ([10, 10, 10, 10, 12], 10, 0, 10, 1, 2, 3.84615),
        ([10, 10, 10, 30], None, None, None, 0, 0, 0),
        ([8, 9, 10, 11, 12, 14], 10.5, 1.5, 16.5, 0, 0, 0),
        ([10, 10, 30, 30, 30], 30, 0, 30, 0, 0, 0),
        ([10, 10, 10, 12, 12, 40], 11, 1, 15, 1, 25, 26.5957),
        ([10, 10, 12, 12, 12, 40], 12, 1, 16, 1, 24, 25.0),
    ],
)
def test_one_cluster_is_priced(durations, median, mad, threshold, hit, excess, percent):
    found = cluster_losses(
        np.array(durations, dtype=float), np.zeros(len(durations), dtype=np.int64)
    )
    assert (found.hit[0], found.excess[0]) == (hit, excess)
    if median is not None:
        assert (found.median[0], found.mad[0], found.threshold[0]) == (median, mad, threshold)
    run = run_of(durations, {"flops": [1000] * len(durations)})
    estimate = estimate_thesis(run)
    assert estimate.percent.value == pytest.approx(percent, abs=1e-4)
    assert estimate.lost_s.value == pytest.approx(excess)
    (cluster,) = estimate.clusters
    assert cluster.usable == (len(durations) >= 5) and cluster.hit == hit


@pytest.mark.parametrize(
    ("median", "mad", "threshold", "within"),
    [(26950.92, 294.14, 28127.48, 0.5), (1.16, 0.012, 1.208, 1e-9), (1.15, 0.005, 1.17, 1e-9)],
)
def test_the_printed_thresholds_are_median_and_four_mad(median, mad, threshold, within):
    """Tables 5.1 and 5.3: of a cluster with that median and MAD."""
    durations = np.array([median - mad, median - mad, median, median + mad, median + mad])
    found = cluster_losses(durations, np.zeros(5, dtype=np.int64))
    assert found.threshold[0] == pytest.approx(threshold, abs=within)


# 5. Classes, soft probability, F1

TERA_TF = np.array(
    [
        (56.4, 47.4),
        (48.7, 41.6),
        (33.5, 29.7),
        (27.2, 22.4),
        (21, 17.4),
        (18.5, 16.7),
        (14.8, 14.4),
        (14.4, 12.8),
        (12.4, 11.9),
        (11.3, 10.2),
        (8.5, 7.7),
        (8.4, 7.3),
        (7.6, 7),
        (5.5, 4.8),
        (4.6, 4.2),
    ]
)
PRINTED_DELTA = (9.1, 7.1, 3.9, 4.8, 3.6, 1.8, 0.5, 1.6, 0.5, 1.1, 0.8, 1.1, 0.6, 0.7, 0.5)
PRINTED_P = (
    (1, 1),
    (1, 1),
    (1, 1),
    (1, 0.98),
    (0.97, 0.9),
    (0.93, 0.87),
    (0.78, 0.75),
    (0.75, 0.63),
    (0.6, 0.56),
    (0.5, 0.41),
    (0.28, 0.22),
    (0.27, 0.2),
    (0.22, 0.18),
    (0.12, 0.09),
    (0.09, 0.08),
)


def test_soft_probability():
    for percent, p in ((0, 0.019124), (7.5, 0.212069), (11.25, 0.5), (15, 0.787931), (100, 1)):
        assert probability(percent) == pytest.approx(p, abs=1e-6)
    assert probability(-1e9) == 0.0


def test_classes_at_their_edges():
    assert [class_of(x) for x in (7.4, 7.5, 15, 15.1)] == ["low", "medium", "medium", "high"]


def test_tables_5_5_and_5_7():
    runs = scored_runs(*TERA_TF.T.tolist())
    assert "".join(run.measured_class[0] for run in runs) == "hhhhhhmmmmmmmll"
    assert "".join(run.estimated_class[0] for run in runs) == "hhhhhhmmmmmllll"
    for run, delta, (p_m, p_e) in zip(runs, PRINTED_DELTA, PRINTED_P, strict=True):
        assert run.difference == pytest.approx(delta, abs=0.11)
        assert run.measured_probability == pytest.approx(p_m, abs=0.006)
        assert run.estimated_probability == pytest.approx(p_e, abs=0.006)
    found = summary(*TERA_TF.T.tolist())
    assert found.difference.median == pytest.approx(1.1)
    assert found.difference.high == pytest.approx(9.0)
    assert found.accuracy.median == pytest.approx(0.966, abs=5e-4)
    assert found.accuracy.low == pytest.approx(0.882, abs=5e-4)
    assert soft_accuracy(14.4, 12.8) == pytest.approx(0.8817, abs=5e-5)


def test_table_5_6():
    """Its counts are of 19 runs; the four that are not printed must be low in both."""
    measured, estimated = np.concatenate([TERA_TF, np.full((4, 2), 3.0)]).T.tolist()
    found = class_scores(measured, estimated)
    counts = {name: (one.tp, one.fp, one.fn) for name, one in found.items()}
    assert counts == {"high": (6, 0, 0), "medium": (5, 0, 2), "low": (6, 2, 0)}
    assert found["high"].f1 == 1
    assert (found["medium"].recall, found["medium"].f1) == pytest.approx((0.7143, 0.8333), abs=5e-5)
    assert (found["low"].precision, found["low"].f1) == pytest.approx((0.75, 0.8571), abs=5e-5)
    assert class_scores(*TERA_TF.T.tolist())["low"].f1 == pytest.approx(0.667, abs=5e-4)


def test_measured_interference_leaves_the_continuous_part_out():
    """Table 5.2: 33 of 326 seconds; 5 of these by a displaced median."""
    assert measured_percent(326, 293, 0) == pytest.approx(10.12, abs=0.005)
    assert measured_percent(326, 293, 5) == pytest.approx(100 * 28 / 326)
