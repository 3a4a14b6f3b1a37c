"""Compares several runs of one program, and explains their different run times."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from jostle.report.format.values import seconds
from jostle.report.models.job.evidence import require
from jostle.report.verdict.run_ratios import RunRatios, run_ratios
from jostle.report.verdict.verdict import estimate_json, evaluate_job

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import ClusterDifference, Comparison, RunEstimate
    from jostle.repository import Repository

#: Least difference of run times, as a share of the baseline's.
_EQUAL = 0.01
_LEAST_MEMBERS = 5


def compare_jobs(
    store: Repository,
    names: Sequence[str],
    how: Mapping[str, Any],
    *,
    baseline: str | None = None,
    groups: Mapping[str, str] | None = None,
    advance: Callable[[int, int, str], None] | None = None,
) -> tuple[Comparison, RunRatios]:
    """Estimate jobs one after another, and compare them.

    Args:
        store: The repository.
        names: Full names of at least two jobs.
        how: method, bytes_rule and seed of `jostle.analysis.estimate`.
        baseline: The job that others are compared with, one of `names`; None: the fastest.
        groups: Group of each job; a job without a group belongs to a group of its program.
        advance: Function that is called with the progress: steps done, number of steps, and the
            current step.
    """
    require(store, names, "compare")
    estimates, programs = [], []
    for number, name in enumerate(names):
        if advance is not None:
            advance(number, len(names), f"estimating {name}")
        estimates.append(evaluate_job(store, name, how).estimate)
        programs.append(store.program(name))
    place = None if baseline is None else list(names).index(baseline)
    grouped = dict(zip(names, programs, strict=True)) | dict(groups or {})
    seconds_of = {each.job: each.run_s for each in estimates}
    ratios = run_ratios(seconds_of, grouped, baseline)
    return comparison(estimates, programs, place), ratios


def comparison(
    estimates: Sequence[RunEstimate], programs: Sequence[str], baseline: int | None = None
) -> Comparison:
    """Compare the estimates of several runs.

    Args:
        estimates: Estimates of at least two jobs.
        programs: Program of each job, from `Repository.program`.
        baseline: Index of the run that others are compared with; None: the fastest.
    """
    from jostle.analysis import compare

    made = compare(estimates) if baseline is None else compare(estimates, baseline)
    if len(set(programs)) > 1:
        ran = ", ".join(
            f"{estimate.job} {ran}" for estimate, ran in zip(estimates, programs, strict=True)
        )
        made.limits.insert(0, f"These are not runs of one program: {ran}.")
    return made


def compare_json(made: Comparison, ratios: RunRatios | None = None) -> dict[str, Any]:
    """Return a comparison as JSON-compatible values, as `compare --json` prints it."""
    estimates = {"estimates": [estimate_json(estimate) for estimate in made.estimates]}
    more = {} if ratios is None else {"run_times": ratios.to_json()}
    return made.to_json() | estimates | more


def finding(made: Comparison) -> str:
    """Return how much longer the slowest run took, and what explains most of the difference."""
    base = made.estimates[made.baseline]
    slowest = max(range(len(made.estimates)), key=lambda run: made.measured_s[run])
    longer = made.measured_s[slowest]
    if max(map(abs, made.measured_s)) < _EQUAL * base.run_s:
        return f"All {len(made.estimates)} runs took about the same time: {seconds(base.run_s)}"
    if longer <= 0:  # the user chose the baseline, and it is the slowest
        quickest = min(range(len(made.estimates)), key=lambda run: made.measured_s[run])
        less = seconds(-made.measured_s[quickest])
        return f"{made.estimates[quickest].job} took {less} less than {base.job}"
    name = made.estimates[slowest].job
    text = f"{name} took {seconds(longer)} longer than {base.job}"
    if len({estimate.ranks for estimate in made.estimates}) > 1:
        what = "ranks" if base.world >= 0 else "processes"
        return f"{text}; but these are not runs of the same size: their numbers of {what} differ"
    estimated = made.estimated_s[slowest]
    if estimated >= 0.5 * longer:
        return f"{text}; interference explains {seconds(min(estimated, longer))} of it"
    pieces = {
        "work that the others did not do": made.work_s[slowest],
        "a slowdown of everything": made.displaced_s[slowest],
    }
    reason, most = max(pieces.items(), key=lambda item: item[1])
    if most >= 0.5 * longer:
        return f"{text}; {reason} explains {seconds(min(most, longer))} of it"
    explained = f"interference explains {seconds(max(estimated, 0.0))} of it"
    return f"{text}; {explained if estimated > 0 else 'interference does not explain it'}"


def large(made: Comparison) -> list[ClusterDifference]:
    """Return the clusters that have enough segments to compare; if none has, all clusters."""
    cluster_differences = [row for row in made.clusters if max(row.members) >= _LEAST_MEMBERS]
    return cluster_differences or made.clusters
