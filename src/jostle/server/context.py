"""What all routes share: the repository's stories, and the door to each job."""

from __future__ import annotations

from typing import Any

from fastapi import HTTPException

from jostle.repository.store.owner_names import login_name
from jostle.server.access import Access, Viewer
from jostle.server.job_service import Stories


class Site:
    """What is served.

    Attributes:
        stories: What is told of jobs.
        access: Who may look.
        flag: What commands need to find the repository; "": nothing.
    """

    def __init__(self, stories: Stories, access: Access, flag: str = "") -> None:
        self.stories = stories
        self.access = access
        self.flag = flag

    def rows(self, viewer: Viewer) -> dict[str, dict[str, Any]]:
        """Return the rows of all jobs that a viewer may see, by name."""
        rows = self.stories.rows()
        if viewer.sees_all:
            return rows
        return {job: row for job, row in rows.items() if viewer.sees(row["uid"])}

    def job(self, viewer: Viewer, job: str) -> str:
        """Return the name of a job that a viewer may see, and records his look at others' jobs.

        Raises:
            HTTPException: 404: there is none, or he may not know of it. The same answer, for a
                name is a secret.
            AuditError: The look cannot be recorded.
        """
        rows = self.stories.rows()
        row = rows.get(job)
        if (row is None or not viewer.sees(row["uid"])) and viewer.uid is not None:
            own = f"{job}@{login_name(viewer.uid)}"  # as he called it himself
            job, row = (own, rows[own]) if own in rows else (job, row)
        if row is None or not viewer.sees(row["uid"]):
            raise HTTPException(404, f"There is no job {job!r}.")
        if self.access.audit is not None and row["uid"] != viewer.uid:
            self.access.audit.look(viewer, job, row["uid"])
        return job
