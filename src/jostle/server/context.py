"""The context of all routes: the job service, access control, and caches of results."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, HTTPException, Request

from jostle.names.batch_jobs import job_of_part
from jostle.report.models.now import Now
from jostle.repository.store.owner_names import login_name
from jostle.server.access import Access, Viewer
from jostle.server.cache.background_cache import BackgroundCache
from jostle.server.job_service import JobService
from jostle.server.live import LiveEvents
from jostle.server.system.queries import Life, lives


class ServerContext:
    """The objects that a route needs to answer.

    Attributes:
        job_service: Service that answers requests about jobs.
        access: Access control.
        flag: Option that commands need to find the repository; "": none.
        live: The streams of changes.
        matrices: The interference matrix, for each set of users whose jobs a viewer may see.
        node_reports: The comparison of nodes.
        advice: Advice on jobs and on the site, for each such set of users.
        now: Current losses of running jobs.
    """

    def __init__(self, job_service: JobService, access: Access, flag: str = "") -> None:
        self.job_service = job_service
        self.access = access
        self.flag = flag
        self.live = LiveEvents(job_service)
        self.matrices = BackgroundCache()
        self.node_reports = BackgroundCache()
        self.advice = BackgroundCache()
        self.now = Now(job_service.repository)

    def lives(self) -> list[Life]:
        """Return the run time of every job on each of its nodes."""
        return self.job_service.cached(("lives",), lambda: lives(self.job_service.repository))

    def rows(self, viewer: Viewer) -> dict[str, dict[str, Any]]:
        """Return the rows of all jobs that a viewer may see, by name."""
        rows = self.job_service.rows()
        if viewer.sees_all:
            return rows
        return {job: row for job, row in rows.items() if viewer.sees(row["uid"])}

    def job(self, viewer: Viewer, job: str) -> str:
        """Return the full name of a job that a viewer may see; record access to others' jobs.

        Raises:
            HTTPException: 404: There is no such job, or the viewer may not see it. Both cases get
                the same answer, so that nobody can find out whether a job exists.
            AuditError: The access cannot be recorded.
        """
        full = self.full_name(viewer, job)
        row = self.job_service.rows().get(full)
        if row is None or not viewer.sees(row["uid"]):
            raise HTTPException(404, f"There is no job {job!r}.")
        if self.access.audit is not None and row["uid"] != viewer.uid:
            self.access.audit.record(viewer, full, row["uid"])
        return full

    def full_name(self, viewer: Viewer, job: str) -> str:
        """Return the name of a job in the repository, from the name that the viewer used.

        The viewer's name may be that of a step (`12.0`), and the owner of a job may leave out
        @user. So every name of a job in a request must be resolved by this function.
        """
        rows = self.job_service.rows()
        if job not in rows:
            job = job_of_part(job) or job
        row = rows.get(job)
        if (row is None or not viewer.sees(row["uid"])) and viewer.uid is not None:
            own = f"{job}@{login_name(viewer.uid)}"
            return own if own in rows else job
        return job


async def _context(request: Request) -> ServerContext:  # async: needs no thread of its own
    context: ServerContext = request.app.state.context
    return context


#: A parameter of every route that answers from the repository, or about access.
Context = Annotated[ServerContext, Depends(_context)]
