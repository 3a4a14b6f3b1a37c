"""Compares clustering methods on the segments of real programs, as in Shah, 2020, figure 5.4."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from jostle.analysis import estimate
from jostle_lab.analysis.validation import ClusteringScore, compare_methods
from jostle_lab.validation.runner import Store, ValidationRun


@dataclass(frozen=True)
class Clustered:
    """The segments of one clean run of a program, clustered by several methods.

    Attributes:
        code: Name of the program.
        job: Name of the run's job.
        segments: Number of segments.
        rows: Scores, one row per method.
    """

    code: str
    job: str
    segments: int
    rows: list[ClusteringScore]

    def to_json(self) -> dict[str, Any]:
        """Return the run as plain values."""
        return asdict(self)


def _choice(run: ValidationRun) -> tuple[bool, int]:
    """Return a sort key: of each program the run with the greatest key is clustered."""
    return run.step.raw, -run.step.number


def clusterings(store: Store, *, seed: int) -> list[Clustered]:
    """Cluster the segments of an undisturbed run of each program by their work.

    If the program has an undisturbed run whose segments are not coalesced, that run is used.

    Args:
        store: Runs of the validation.
        seed: Seed of the random steps.
    """
    clean = [run for run in store.runs() if run.step.kind == "clean"]
    first = {run.step.code: run for run in sorted(clean, key=_choice)}
    found = []
    for code, run in sorted(first.items()):
        tables = store.repository(code).run_tables(run.job)
        work = estimate(tables, method="thesis", seed=seed).segments["work"]
        values = work.drop_null().to_numpy().astype(np.float64)
        if len(values):
            scores = compare_methods(values, seed=seed)
            found.append(Clustered(code, run.job, len(values), scores))
    return found
