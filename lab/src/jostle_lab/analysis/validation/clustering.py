"""Scores how well clustering methods separate work (Shah, 2020, figure 5.4).

Shah, 2020, compares three methods: clustering by relative distance, K-means, and mixtures of
Gaussians. The number of clusters of the latter two is that from 2 to 40 with the best index of
Calinski and Harabasz. Two scores are compared: the mean of std/mean over the clusters, and the
share of segments in clusters of fewer than five. K-means and mixtures need scikit-learn.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jostle.analysis import MEMBERS, relative_clusters
from jostle.errors import JostleError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

THRESHOLDS = (0.05, 0.1, 0.2)
CLUSTERS = range(2, 41)
_MOST = 5000  # most values for K-means and mixtures; of more, evenly spaced ones are taken


@dataclass(frozen=True)
class ClusteringScore:
    """The scores of one method that clustered some values.

    Attributes:
        method: Name of the method: "relative 0.1", "k-means" or "Gaussian mixture".
        clusters: Number of clusters with at least one member.
        spread: Mean of std/mean over the clusters, 0 to 1 (figure 5.4a).
        unclustered: Share of values in clusters of fewer than five (figure 5.4b).
    """

    method: str
    clusters: int
    spread: float
    unclustered: float


def compare_methods(values: NDArray[Any], *, seed: int = 0) -> list[ClusteringScore]:
    """Cluster the work of segments by all methods of figure 5.4.

    Args:
        values: Work of each segment, such as instructions; not negative, [n].
        seed: Seed of the random start of K-means and of the mixtures.

    Raises:
        JostleError: scikit-learn is missing, or there are no values.
    """
    values = np.asarray(values)
    if not len(values):
        raise JostleError("There are no segments to cluster.", hint="Give jobs that have segments.")
    clustering_scores = [
        clustering_score(f"relative {threshold:g}", values, relative_clusters(values, threshold))
        for threshold in THRESHOLDS
    ]
    few = _sampled(np.asarray(values, dtype=np.float64))
    clustering_scores.append(clustering_score("k-means", few, _best(few, _k_means(few, seed))))
    clustering_scores.append(
        clustering_score("Gaussian mixture", few, _best(few, _mixtures(few, seed)))
    )
    return clustering_scores


def clustering_score(method: str, values: NDArray[Any], labels: Ints) -> ClusteringScore:
    """Score one clustering.

    Args:
        method: Name of the method.
        values: Values that were clustered, [n].
        labels: Cluster of each value, [n].
    """
    _, place, counts = np.unique(labels, return_inverse=True, return_counts=True)
    sums = np.bincount(place, weights=values)
    mean = sums / counts
    square = np.bincount(place, weights=(values - mean[place]) ** 2)
    spread = np.divide(np.sqrt(square / counts), mean, out=np.zeros(len(mean)), where=mean > 0)
    alone = float(counts[counts < MEMBERS].sum()) / len(values)
    return ClusteringScore(method, len(counts), float(spread.mean()), alone)


def _sampled(values: Floats) -> Floats:
    if len(values) <= _MOST:
        return values
    return values[np.linspace(0, len(values) - 1, _MOST).astype(np.int64)]


def _best(values: Floats, labellings: Iterable[Ints]) -> Ints:
    """Return the labels with the highest index of Calinski and Harabasz."""
    best, best_index = np.zeros(len(values), dtype=np.int64), -np.inf
    for labels in labellings:
        index = calinski_harabasz(values, labels)
        if index > best_index:
            best, best_index = labels, index
    return best


def calinski_harabasz(values: Floats, labels: Ints) -> float:
    """Return spread between clusters over spread within them; -inf where it is not defined."""
    _, place, counts = np.unique(labels, return_inverse=True, return_counts=True)
    k, n = len(counts), len(values)
    if k < 2 or n <= k:
        return float("-inf")
    mean = np.bincount(place, weights=values) / counts
    within = float(((values - mean[place]) ** 2).sum())
    between = float((counts * (mean - values.mean()) ** 2).sum())
    if within == 0:
        return float("inf")
    return between / (k - 1) / (within / (n - k))


def _numbers(values: Floats) -> range:
    """Return the numbers of clusters to try, at most the number of distinct values."""
    return range(CLUSTERS.start, min(CLUSTERS.stop, len(np.unique(values)) + 1))


def _k_means(values: Floats, seed: int) -> Iterable[Ints]:
    cluster = _learn("cluster")
    for k in _numbers(values):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # fewer distinct clusters than k: scored all the same
            yield cluster.KMeans(k, n_init=1, random_state=seed).fit_predict(values[:, None])


def _mixtures(values: Floats, seed: int) -> Iterable[Ints]:
    mixture = _learn("mixture")
    scale = float(values.std()) or 1.0
    scaled = (values - values.mean()) / scale
    for k in _numbers(values):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some k do not converge; they are skipped
            yield mixture.GaussianMixture(k, random_state=seed).fit_predict(scaled[:, None])


def _learn(name: str) -> Any:
    import importlib

    try:
        return importlib.import_module(f"sklearn.{name}")
    except ImportError as error:
        raise JostleError(
            "K-means and Gaussian mixtures need scikit-learn, which is not installed.",
            hint="pip install 'jostle-lab[validate]'",
        ) from error
