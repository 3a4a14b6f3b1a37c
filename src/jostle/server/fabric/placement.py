"""Where a job sits in its fabric, as far as a viewer may know who is beside it."""

from __future__ import annotations

from typing import Any

from jostle.errors import UsageError
from jostle.report.format.placement import job_answer, shape_rows
from jostle.report.models.placement import job_placement
from jostle.repository import Repository
from jostle.server.access import Viewer
from jostle.values.plain_values import plain


def placement_report(repository: Repository, job: str, viewer: Viewer) -> dict[str, Any]:
    """Return what `jostle placement JOB` says.

    Who may not see all jobs gets the job's own placement, and what it shares with jobs that he may
    see: a number of links shared with all others may be that of one (docs/adr/0030).

    Args:
        repository: Where the job is.
        job: Its name.
        viewer: The viewer.
    """
    nothing: dict[str, Any] = {
        "fabric": "",
        "why_not": "",
        "answer": "",
        "measures": [],
        "meetings": [],
        "notes": [],
    }
    try:
        content, stays = job_placement(repository, job)
    except UsageError as error:
        return nothing | {"why_not": str(error)}
    rows = shape_rows(content.shape, stays.fabric_map.topology.dimensions)
    return {
        "fabric": content.shape.fabric,
        "why_not": "",
        "answer": job_answer(content) if viewer.sees_all else "",
        "measures": [{"name": name, "value": value, "what": what} for name, value, what in rows],
        "meetings": [
            plain(each) | {"conflicting": each.conflicting}
            for each in content.company.meetings
            if viewer.sees(each.user)
        ],
        "notes": list(content.notes),
    }
