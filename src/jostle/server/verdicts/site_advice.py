"""Advice on a site from the stored verdicts, or the sums of losses that a viewer may see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jostle.analysis.site_advice import recommend_site, site_sums
from jostle.report.verdict.batch_loss import too_short
from jostle.report.verdict.site_advice import site_evidence
from jostle.server.access import Viewer

if TYPE_CHECKING:
    from jostle.server.job_service import JobService


def site_report(service: JobService, viewer: Viewer, days: int) -> dict[str, Any]:
    """Return the advice on a site, or sums of losses, as JSON-compatible values.

    Args:
        service: The job service, with the verdicts.
        viewer: The viewer. A viewer who may not see all jobs gets the sums of losses of visible
            jobs, since the advice contains delays and causes of all users' jobs.
        days: Number of days, up to the end of the newest job.
    """
    evidence = site_evidence(
        service.repository, days, lambda job: service.costs(job, viewer), user=viewer.users
    )
    rows = service.rows()
    waiting = sum(
        not service.has_verdict(job, viewer) and not too_short(row)
        for job, row in rows.items()
        if viewer.sees(row["uid"]) and row["end_ns"] > evidence.from_s * 1e9
    )
    if viewer.sees_all:
        return {"waiting": waiting, "advice": recommend_site(evidence).to_json(), "sums": None}
    return {"waiting": waiting, "advice": None, "sums": site_sums(evidence).to_json()}
