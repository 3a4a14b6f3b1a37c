"""Shows a replay of a site's jobs as text: the results with and without a policy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from jostle.cli.output import heading, table
from jostle.cli.views.advice.site_advice import core_hours_within
from jostle.report.format.values import core_time, count, duration, percent, seconds, significant
from jostle.values.plain_values import one_line

if TYPE_CHECKING:
    from jostle.analysis.interval import Interval
    from jostle.analysis.site_advice import Policy
    from jostle.analysis.site_advice.replay_model import Figures, Replay


def replay_view(result: Replay, policy: Policy) -> Iterator[Any]:
    """Yield the saving of the policy, the numbers of both replays and of the record, and delays."""
    if not result.jobs:
        yield "No job started in this period."
        return
    if not policy.programs:
        yield "The policy adds nothing to any job: both replays are the same."
    yield heading(
        f"The policy saves {core_hours_within(result.saved)}",
        f" of {core_time(result.without.core_hours)}; jobs start {_later(result.waited_more_s)}.",
    )
    rows = table(["", "recorded", "replayed", "with the policy"])
    every = (result.recorded, result.without, result.with_policy)
    for name, cell in _CELLS.items():
        rows.add_row(name, *(cell(each) for each in every))
    yield from ("", rows)
    yield f"{count(result.jobs)} jobs on {count(result.cores)} cores."
    for row in result.delays:
        yield (
            f"{one_line(row.program)}: {count(row.jobs)} job{'s' * (row.jobs != 1)} end later, by "
            f"{duration(1e9 * row.mean_s)} on average, {duration(1e9 * row.most_s)} at most"
        )
    yield from result.limits


def _later(waited: Interval) -> str:
    word = "earlier" if waited.value < 0 else "later"
    ends = sorted((abs(waited.low), abs(waited.high)))
    if waited.low < 0 < waited.high:
        return (
            f"{seconds(abs(waited.value))} {word} on average ({seconds(waited.low)} to "
            f"{seconds(waited.high)})"
        )
    return f"{seconds(abs(waited.value))} {word} on average ({seconds(ends[0])} to " + (
        f"{seconds(ends[1])})"
    )


def _utilisation(of: Figures) -> str:
    return percent(of.utilisation)


def _waited(of: Figures) -> str:
    return seconds(of.waited_s)


def _slowdown(of: Figures) -> str:
    return significant(of.slowdown)


def _held(of: Figures) -> str:
    return core_time(of.core_hours)


def _lost(of: Figures) -> str:
    return core_time(of.lost_core_hours)


_CELLS = {
    "cores in use": _utilisation,
    "waiting, mean": _waited,
    "slowdown, mean": _slowdown,
    "held": _held,
    "lost to each other": _lost,
}
