"""Sums up what a user's own jobs lost, for users who may not see the losses of other jobs."""

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
    """The loss of a user's jobs on one resource.

    Attributes:
        where: Name of the resource.
        lost: Core hours that were lost on the resource.
        to_own: Core hours of these that were lost to other jobs of the same user.
    """

    where: str
    lost: Interval
    to_own: Interval


@dataclass(frozen=True)
class SiteSums:
    """The loss of a user's jobs in a period.

    Attributes:
        from_s: Start of the period, s since the epoch.
        to_s: End of the period, s since the epoch.
        jobs: Number of the user's jobs that ran in the period.
        evaluated: Number of these jobs with a verdict.
        core_hours: Core hours that these jobs held.
        lost: Core hours that these jobs lost to others.
        resources: Loss on each resource, the greatest loss first.
    """

    from_s: float
    to_s: float
    jobs: int
    evaluated: int
    core_hours: float
    lost: Interval
    resources: tuple[ResourceSum, ...]

    def to_json(self) -> dict[str, Any]:
        """Return all fields as JSON-compatible values."""
        found: dict[str, Any] = plain(self)
        return found


def site_sums(evidence: SiteEvidence) -> SiteSums:
    """Return the loss of a user's jobs in total, and the part caused by the user's other jobs.

    Args:
        evidence: Recorded data of this user's jobs alone.
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
