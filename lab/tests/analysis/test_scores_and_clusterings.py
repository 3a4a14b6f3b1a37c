"""The scores of methods are correct: against counts by hand, and figure 5.4's measures."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from jostle.errors import JostleError
from jostle_lab.analysis.validation import (
    BoxStatistics,
    clustering,
    compare_methods,
    slice_scores,
    summary,
)
from jostle_lab.analysis.validation.clustering import calinski_harabasz, clustering_score


def test_slices_found_and_known():
    found = slice_scores({("a", 1), ("a", 2), ("b", 1)}, {("a", 2), ("b", 1), ("b", 2), ("b", 3)})
    assert (found.tp, found.fp, found.fn) == (2, 1, 2)
    assert (found.precision, found.recall) == (pytest.approx(2 / 3), 0.5)
    assert found.f1 == pytest.approx(4 / 7)
    nothing = slice_scores([], [])
    assert (nothing.precision, nothing.recall, nothing.f1) == (1, 1, 1)
    assert slice_scores([1], [2]).f1 == 0


def test_a_box_of_values():
    assert BoxStatistics.of([1, 2, 3, 4, 5]) == BoxStatistics(1, 2, 3, 4, 5)
    assert summary([20.0, 1.0], [10.0, 1.0]).accuracy_p10 < 1


def test_spread_and_small_clusters():
    values = np.array([10.0] * 5 + [90.0, 110.0, 100.0])
    found = clustering_score("by hand", values, np.array([0] * 5 + [1] * 3))
    assert found.clusters == 2
    assert found.spread == pytest.approx((0 + np.std([90, 110, 100]) / 100) / 2)
    assert found.unclustered == pytest.approx(3 / 8)


def test_the_index_prefers_the_clusters_that_are_there():
    values = np.concatenate([np.random.default_rng(1).normal(m, 1, 50) for m in (10, 50, 90)])
    three = np.repeat([0, 1, 2], 50)
    assert calinski_harabasz(values, three) > calinski_harabasz(values, three % 2)
    assert calinski_harabasz(values, np.zeros(150, dtype=np.int64)) == float("-inf")


def test_figure_5_4_on_work_of_several_scales(monkeypatch):
    """Kinds of work from 10^4 to 10^8: relative distance leaves nothing out; K-means merges the
    small scales into one cluster of a great spread."""
    pytest.importorskip("sklearn")
    monkeypatch.setattr(clustering, "CLUSTERS", range(2, 7))  # 2 to 40 take half a minute
    random = np.random.default_rng(2)
    kinds = [10_000, 30_000, 1_000_000, 100_000_000]
    work = np.concatenate([k * (1 + 0.01 * random.standard_normal(20)) for k in kinds])
    found = {one.method: one for one in compare_methods(np.rint(work), seed=3)}
    assert list(found) == [
        "relative 0.05",
        "relative 0.1",
        "relative 0.2",
        "k-means",
        "Gaussian mixture",
    ]
    assert found["relative 0.1"].clusters == 4 and found["relative 0.1"].unclustered == 0
    assert found["relative 0.1"].spread == pytest.approx(0.01, abs=0.003)
    assert found["k-means"].spread > found["relative 0.1"].spread


def test_without_scikit_learn_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.cluster", None)
    with pytest.raises(JostleError, match="scikit-learn") as caught:
        compare_methods(np.array([1.0, 2.0, 30.0]))
    assert "jostle-lab[validate]" in caught.value.hint
    with pytest.raises(JostleError, match="no segments"):
        compare_methods(np.array([]))
