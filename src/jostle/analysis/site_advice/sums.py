"""Sums up what a user may know of a site's losses: those of the user's own jobs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from jostle.analysis.interval import Interval
from jostle.analysis.site_advice.model import Cost, SiteEvidence, added
from jostle.analysis.site_advice.outcome import lost_core_hours
from jostle.values.plain_values import plain
from jostle.values.storage_servers import mount_of, resource_name


@dataclass(frozen=True)
class ResourceSum:
    """What the jobs of a user lost on a resource.

    Attributes:
        where: The resource.
        lost: Core hours.
        to_own: Core hours of these that other jobs of the same user cost.
    """

    where: str
    lost: Interval
    to_own: Interval


@dataclass(frozen=True)
class SiteSums:
    """What the jobs of a user lost in a period.

    Attributes:
        from_s, to_s: The period, s since the epoch.
        jobs: His jobs that ran in it.
        evaluated: How many of them have a verdict.
        core_hours: Core hours that they held.
        lost: Core hours that they lost to others.
        resources: The same by resource, the greatest loss first.
    """

    from_s: float
    to_s: float
    jobs: int
    evaluated: int
    core_hours: float
    lost: Interval
    resources: tuple[ResourceSum, ...]

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain values."""
        found: dict[str, Any] = plain(self)
        return found


def site_sums(evidence: SiteEvidence) -> SiteSums:
    """Return what the jobs of a user lost in total, and what they lost to the user's other jobs.

    Args:
        evidence: What is known of the jobs of this user alone.
    """
    by_resource: dict[str, list[Cost]] = defaultdict(list)
    for cost in evidence.costs:
        by_resource[_where(cost, evidence)].append(cost)
    rows = []
    for where, costs in by_resource.items():
        own = [cost for cost in costs if cost.cause in evidence.jobs]
        rows.append(ResourceSum(where, _sum(costs, evidence), _sum(own, evidence)))
    jobs = evidence.jobs.values()
    return SiteSums(
        from_s=evidence.from_s,
        to_s=evidence.to_s,
        jobs=len(evidence.jobs),
        evaluated=sum(job.evaluated for job in jobs),
        core_hours=sum(job.core_hours for job in jobs),
        lost=_sum(evidence.costs, evidence),
        resources=tuple(sorted(rows, key=lambda row: (-row.lost.value, row.where))),
    )


def _where(cost: Cost, evidence: SiteEvidence) -> str:
    mount = mount_of(cost.resource)
    path = evidence.names.get(mount, mount)
    if cost.kind in ("object servers", "metadata server"):
        return resource_name(cost.kind, path)
    return path


def _sum(costs: Iterable[Cost], evidence: SiteEvidence) -> Interval:
    return added(lost_core_hours(cost, evidence.jobs) for cost in costs)
