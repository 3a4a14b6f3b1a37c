"""Decides whether a program became slower, after removing the interference in its runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from jostle.analysis.interval import Interval
from jostle.analysis.ratio_intervals import LEAST_RUNS, mean_ratio
from jostle.values.plain_values import plain

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import RunEstimate
    from jostle.report.verdict.run_ratios import RunRatios

Finding = Literal["no slower", "slower", "undecided"]


@dataclass(frozen=True)
class GroupFinding:
    """Whether the runs of a group are slower than those of the baseline's group.

    Attributes:
        group: Name of the group.
        finding: One of slower, no slower, or undecided.
        ratio: Mean run time without interference, divided by that of the baseline's group; None if
            one of the two groups has fewer than three runs.
        run_s: Mean run time of the group, interference included, in seconds.
        why: If undecided: the reason and the remedy, in sentences.
    """

    group: str
    finding: Finding
    ratio: Interval | None
    run_s: float
    why: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return all fields as JSON-compatible values."""
        found: dict[str, Any] = plain(self)
        return found


def regressions(
    estimates: Sequence[RunEstimate], ratios: RunRatios, most: float
) -> list[GroupFinding]:
    """Compare each group of runs with the baseline's, without their losses by interference.

    Each end of a ratio's interval is an end of the 95 % interval of the ratio of means, computed
    with the least favourable losses: each run's loss is taken at one end of its own interval. So a
    finding is certain to at least 95 %.

    Args:
        estimates: Estimates of the runs, in the order of `ratios.runs`.
        ratios: Run times and groups of these runs.
        most: Percent by which run times may be longer than the baseline's.

    Returns:
        A finding for each group except the baseline's, in order of the groups.
    """
    runs: dict[str, list[RunEstimate]] = {}
    for run, estimate in zip(ratios.runs, estimates, strict=True):
        runs.setdefault(run.group, []).append(estimate)
    base = runs[ratios.baseline_group]
    return [
        _finding(group.group, group.mean_s, base, runs[group.group], most)
        for group in ratios.groups
        if group.group != ratios.baseline_group
    ]


def _finding(
    group: str, run_s: float, base: Sequence[RunEstimate], data: Sequence[RunEstimate], most: float
) -> GroupFinding:
    if min(len(base), len(data)) < LEAST_RUNS:
        why = (
            f"There are {len(base)} and {len(data)} runs; fewer than {LEAST_RUNS} of each do not "
            "show how much run times vary by themselves. What would decide it: more runs."
        )
        return GroupFinding(group, "undecided", None, run_s, why)
    low, _ = mean_ratio(_without(base, "low"), _without(data, "high"))
    _, high = mean_ratio(_without(base, "high"), _without(data, "low"))
    own, other = _without(data, "value"), _without(base, "value")
    value = sum(own) / len(own) / (sum(other) / len(other))
    if low is None or high is None:
        return GroupFinding(group, "undecided", None, run_s, "Interference may explain all of it.")
    ratio = Interval(value, max(low, 0.0), high)
    limit = 1 + most / 100
    if ratio.low > limit:
        return GroupFinding(group, "slower", ratio, run_s)
    if ratio.high <= limit:
        return GroupFinding(group, "no slower", ratio, run_s)
    disturbed = [run.job for run in (*base, *data) if run.light != "green"]
    remedy = (
        f"undisturbed runs in place of {', '.join(disturbed[:3])}" if disturbed else "more runs"
    )
    why = f"The limit lies within the interval. What would decide it: {remedy}."
    return GroupFinding(group, "undecided", ratio, run_s, why)


def _without(runs: Sequence[RunEstimate], end: Literal["value", "low", "high"]) -> list[float]:
    """Return the run times minus the losses by interference, but at least 0.1 % of each, s."""
    return [max(run.run_s - getattr(run.lost_s, end), 1e-3 * run.run_s) for run in runs]
