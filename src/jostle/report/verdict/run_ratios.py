"""Computes the run times of runs, and of groups of runs, as ratios to the baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from jostle.analysis.ratio_intervals import LEAST_RUNS, mean_ratio


@dataclass(frozen=True)
class RunRatio:
    """The run time of one run.

    Attributes:
        job: Name of the job.
        group: The group it belongs to.
        run_s: Run time, seconds.
        ratio: Run time divided by that of the baseline run.
    """

    job: str
    group: str
    run_s: float
    ratio: float


@dataclass(frozen=True)
class GroupRatio:
    """The run times of one group: a program, or a pattern of names.

    Attributes:
        group: Name of the group.
        runs: Number of runs.
        median_s: Median run time, seconds.
        mean_s: Mean run time, seconds.
        std_s: Standard deviation of the run times, seconds; None for fewer than three runs.
        min_s: Run time of the fastest run, seconds.
        max_s: Run time of the slowest run, seconds.
        ratio: Mean run time divided by that of the baseline's group.
        low: Lower end of the ratio's 95 % interval; None if one of the two groups has fewer than
            three runs, and for the baseline's group itself.
        high: Upper end of the ratio's 95 % interval; None as for `low`.
    """

    group: str
    runs: int
    median_s: float
    mean_s: float
    std_s: float | None
    min_s: float
    max_s: float
    ratio: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class RunRatios:
    """Run times of runs and groups as ratios.

    Attributes:
        runs: The runs, in the given order.
        groups: The groups, in the order of their first run.
        baseline: Name of the run that ratios of runs refer to.
        baseline_group: Name of the group that ratios of groups refer to.
    """

    runs: list[RunRatio]
    groups: list[GroupRatio]
    baseline: str
    baseline_group: str

    @property
    def repeated(self) -> bool:
        """Whether at least one group has several runs."""
        return len(self.runs) > 2 and len(self.groups) < len(self.runs)

    def to_json(self) -> dict[str, Any]:
        """Return all fields as JSON-compatible values."""
        return asdict(self)


def run_ratios(
    seconds: Mapping[str, float], groups: Mapping[str, str], baseline: str | None = None
) -> RunRatios:
    """Compute the ratios of run times to the baseline.

    Args:
        seconds: Run time by job, seconds, in the order to show.
        groups: Group by job.
        baseline: The job that other runs are compared with; groups are compared with its group.
            None: runs are compared with the fastest run, and groups with the group that has the
            least mean run time.
    """
    times: dict[str, list[float]] = {}
    for job, run_s in seconds.items():
        times.setdefault(groups[job], []).append(run_s)
    base = baseline or min(seconds, key=lambda job: seconds[job])
    base_group = groups[base] if baseline else min(times, key=lambda name: np.mean(times[name]))
    return RunRatios(
        [
            RunRatio(job, groups[job], run_s, _ratio(run_s, seconds[base]))
            for job, run_s in seconds.items()
        ],
        [
            _group(name, values, times[base_group], own=name == base_group)
            for name, values in times.items()
        ],
        base,
        base_group,
    )


def _group(name: str, values: Sequence[float], base: Sequence[float], *, own: bool) -> GroupRatio:
    mean = float(np.mean(values))
    low, high = (None, None) if own else mean_ratio(base, values)
    return GroupRatio(
        name,
        len(values),
        float(np.median(values)),
        mean,
        float(np.std(values, ddof=1)) if len(values) >= LEAST_RUNS else None,
        min(values),
        max(values),
        _ratio(mean, float(np.mean(base))),
        low,
        high,
    )


def _ratio(one: float, other: float) -> float:
    return one / other if other > 0 else float("nan")
