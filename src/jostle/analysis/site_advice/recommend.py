"""Collects the advice of all rules for a site, if its saving is certain and large enough."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from jostle.analysis.interval import saving_of
from jostle.analysis.site_advice.licences import licences
from jostle.analysis.site_advice.model import SiteAdvice, SiteEvidence, SiteRecommendation, added
from jostle.analysis.site_advice.nodes import exclusive_nodes, one_switch, slow_nodes, slow_servers
from jostle.analysis.site_advice.outcome import lost_core_hours
from jostle.analysis.site_advice.rate_limits import rate_limits

#: Least part of all core hours of the period that a change must save.
_WORTH = 0.0005
#: A licence is left out if another one of the same resource saves at least the first part of it
#: with at most the second part of its delay.
_NEARLY, _MUCH_LESS = 0.8, 0.5
#: Rules whose savings are bounds that may be 0.
_MAY_BE_NONE = ("one switch", "drain")


def recommend_site(evidence: SiteEvidence) -> SiteAdvice:
    """Return the advice for a site, the change that would have saved most in a period first.

    Args:
        evidence: Recorded data of the period.
    """
    jobs = evidence.jobs.values()
    hours = sum(job.core_hours for job in jobs)
    lost = added(lost_core_hours(cost, evidence.jobs) for cost in evidence.costs)
    every = [
        *_best_licences(licences(evidence)),
        *rate_limits(evidence),
        *exclusive_nodes(evidence),
        *one_switch(evidence),
        *slow_servers(evidence),
        *slow_nodes(evidence),
    ]
    found = [_with_error(each) for each in every if _is_worth(each, _WORTH * hours)]
    found.sort(key=lambda each: -(each.saving.value if each.saving else -1.0))
    evaluated = sum(job.evaluated for job in jobs)
    return SiteAdvice(
        from_s=evidence.from_s,
        to_s=evidence.to_s,
        jobs=len(evidence.jobs),
        evaluated=evaluated,
        core_hours=hours,
        lost=lost,
        found=tuple(found),
        nothing="" if found else _nothing(evidence, evaluated),
        limits=tuple(_limits(evidence, evaluated, found)),
    )


def _is_worth(one: SiteRecommendation, least: float) -> bool:
    if one.saving is None:
        return True
    certain = one.saving.low > 0 or one.rule in _MAY_BE_NONE
    return one.saving.value >= least and one.saving.value > 0 and certain


def _with_error(one: SiteRecommendation) -> SiteRecommendation:
    """Return advice whose intervals include the error of estimated losses."""
    if one.rule == "drain" and one.saving is not None and one.saving.low <= 0:
        return one  # a slow node: its saving does not follow from losses
    saving, kwh = (each and saving_of(each) for each in (one.saving, one.kwh))
    return replace(one, saving=saving, kwh=kwh)


def _best_licences(every: Iterable[SiteRecommendation]) -> list[SiteRecommendation]:
    """Return all advice, but only the best licence for each resource.

    The best licence is the one that saves most, or one that saves nearly as much with much less
    delay.
    """
    best: dict[str, SiteRecommendation] = {}
    for one in every:
        known = best.get(one.where)
        if known is None or _is_better(one, known):
            best[one.where] = one
    return list(best.values())


def _is_better(one: SiteRecommendation, other: SiteRecommendation) -> bool:
    saved, known = (each.saving.value if each.saving else 0.0 for each in (one, other))
    cost, known_cost = _delayed(one), _delayed(other)
    if saved >= known:
        return not (known >= _NEARLY * saved > 0 and known_cost <= _MUCH_LESS * cost)
    return saved >= _NEARLY * known > 0 and cost <= _MUCH_LESS * known_cost


def _delayed(one: SiteRecommendation) -> float:
    return sum(each.jobs * each.mean_s for each in one.delays)


def _nothing(evidence: SiteEvidence, evaluated: int) -> str:
    if not evidence.jobs:
        return "No job ran in this period."
    if not evaluated:
        return "No job of this period has a verdict, so it is not known what they cost each other."
    if not evidence.costs:
        return "Do nothing: there is no evidence that jobs of this period cost each other time."
    return (
        "Do nothing: no change that a site can make would certainly have saved 0.05 % of the "
        "core hours of this period."
    )


def _limits(
    evidence: SiteEvidence, evaluated: int, found: list[SiteRecommendation]
) -> Iterable[str]:
    missing = len(evidence.jobs) - evaluated
    if missing:
        yield (
            f"{missing} of {len(evidence.jobs)} jobs have no verdict (not evaluated yet, too "
            "short, or nothing could be compared), so their loss is in none of the figures."
        )
    if len(found) > 1:
        yield "Savings do not add up where two pieces of advice are about the same jobs."
    if any(each.rule == "licence" for each in found):
        yield (
            "Delays are computed for the jobs as they ran. In reality, a job that starts later may "
            "meet other jobs, and cores that nobody waits for are idle."
        )
