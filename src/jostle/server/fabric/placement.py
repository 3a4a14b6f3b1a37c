"""The placement of a job in its fabric, with the co-running jobs that a viewer may see."""

from __future__ import annotations

from typing import Any

from jostle.errors import UsageError
from jostle.report.format.placement import job_answer, shape_rows
from jostle.report.models.job.placement import job_placement
from jostle.repository import Repository
from jostle.server.access import Viewer
from jostle.values.plain_values import plain


def placement_report(repository: Repository, job: str, viewer: Viewer) -> dict[str, Any]:
    """Return the content of `jostle placement JOB`.

    A viewer who may not see all jobs gets the job's own placement, and the links that it shares
    with visible jobs. The number of links shared with all other jobs is left out, since these may
    be a single job (docs/adr/0030).

    Args:
        repository: Repository of the job.
        job: Name of the job.
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
