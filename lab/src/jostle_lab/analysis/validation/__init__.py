"""Scores estimates of lost time and detected slices against the ground truth. Pure functions.

The package's interface:
    soft_accuracy, class_scores, scored_runs, summary: estimated against measured interference
        (Shah, 2020, section 5.2.3, tables 5.5 to 5.7).
    slice_scores: slices found to have interference against those that have it.
    compare_methods: relative distance against K-means and Gaussian mixtures (figure 5.4).
"""

from __future__ import annotations

from jostle_lab.analysis.validation.clustering import ClusteringScore, compare_methods
from jostle_lab.analysis.validation.scores import (
    F1,
    BoxStatistics,
    ProgramScores,
    RunScore,
    class_scores,
    f1_of,
    rank_correlation,
    scored_runs,
    slice_scores,
    soft_accuracy,
    summary,
)

__all__ = [
    "F1",
    "BoxStatistics",
    "ClusteringScore",
    "ProgramScores",
    "RunScore",
    "class_scores",
    "compare_methods",
    "f1_of",
    "rank_correlation",
    "scored_runs",
    "slice_scores",
    "soft_accuracy",
    "summary",
]
