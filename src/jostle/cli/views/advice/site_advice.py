"""Shows the advice on a site as text, and the sums that a user may see."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from jostle.cli.output import heading, pasted
from jostle.report.format.values import (
    core_time,
    count,
    duration,
    energy_within,
    local_time,
    significant,
)
from jostle.values.plain_values import one_line

if TYPE_CHECKING:
    from jostle.analysis.interval import Interval
    from jostle.analysis.site_advice import SiteAdvice, SiteRecommendation, SiteSums

_MOST_DELAYS = 5


def site_advice_view(given: SiteAdvice) -> Iterator[Any]:
    """Yield the advice, the greatest saving first."""
    yield heading(
        _period(given),
        f": {_jobs(given.jobs)} used {core_time(given.core_hours)} and lost "
        f"{core_hours_within(given.lost)} to others.",
    )
    if given.nothing:
        yield from ("", given.nothing)
    for number, each in enumerate(given.found, 1):
        yield from ("", heading(f"{number}. {one_line(each.lever[:1].upper() + each.lever[1:])}"))
        yield f"   seen: {one_line(each.seen)}"
        yield from (pasted(f"   {text}") for text in each.texts)
        yield f"   would have saved: {_saving(each)}"
        yield f"   who pays: {one_line(each.pays)}"
        if len(each.delays) > 1:
            yield from (
                f"     {one_line(row.program)}: {_jobs(row.jobs)}, {duration(1e9 * row.mean_s)} "
                f"later on average, {duration(1e9 * row.most_s)} at most"
                for row in each.delays[:_MOST_DELAYS]
            )
        yield f"   not if: {one_line(each.unless)}"
    if given.limits:
        yield from ("", *given.limits)


def site_sums_view(sums: SiteSums) -> Iterator[Any]:
    """Yield the losses of a user's jobs."""
    yield heading(
        _period(sums),
        f": your {_jobs(sums.jobs)} used {core_time(sums.core_hours)} and lost "
        f"{core_hours_within(sums.lost)} to others.",
    )
    for row in sums.resources:
        own = f", {core_time(row.to_own.value)} of it to other jobs of yours"
        yield (
            f"  on {one_line(row.where)}: {core_hours_within(row.lost)}"
            f"{own if row.to_own.value > 0 else ''}"
        )
    if sums.jobs > sums.evaluated:
        yield f"{_jobs(sums.jobs - sums.evaluated)} could not be evaluated."
    yield "For advice on a job of yours: jostle advise JOB. Advice on the site is for operators."


def core_hours_within(hours: Interval) -> str:
    """Return core hours with their interval: `12.4 core-hours (10.1 to 14.8)`."""
    if hours.low == hours.high:
        return core_time(hours.value)
    unit = core_time(hours.value)
    factor = 3600.0 if unit.endswith("core-seconds") else 1.0
    return f"{unit} ({significant(factor * hours.low)} to {significant(factor * hours.high)})"


def _saving(each: SiteRecommendation) -> str:
    if each.saving is None:
        return each.saving_words
    energy = f" and {energy_within(each.kwh)}" if each.kwh is not None else ""
    return f"{core_hours_within(each.saving)}{energy}: {each.saving_words}"


def _period(of: SiteAdvice | SiteSums) -> str:
    if not of.jobs:
        return "No period"
    days = max(round((of.to_s - of.from_s) / 86400), 1)
    until = local_time(round(1e9 * of.to_s))
    return f"{count(days)} day{'s' * (days != 1)} until {until}"


def _jobs(number: int) -> str:
    return f"{count(number)} job{'s' * (number != 1)}"
