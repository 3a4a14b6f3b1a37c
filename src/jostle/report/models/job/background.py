"""The background of a job: the load of all other jobs on its resources while it ran."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jostle.report.models.jobs import job_row
from jostle.report.models.metrics import View

if TYPE_CHECKING:
    from jostle.report.models.machines.machine_steps import ServerLoad
    from jostle.report.models.steps import Steps
    from jostle.repository import Repository


@dataclass(frozen=True)
class ResourceLoad:
    """The load of other jobs on one resource of a job.

    Attributes:
        resource: Mount or node.
        share: Share of the other jobs in all traffic on the resource, 0 to 1; None for levels
            (gauges).
        lines: Time series of each line of the view.
    """

    resource: str
    share: float | None
    lines: list[Steps]


@dataclass(frozen=True)
class JobBackground:
    """A job and its background (the load of all other jobs on its resources).

    Attributes:
        row: The job's row of the list of jobs.
        view: The view that is shown.
        own: Time series of the job's own load, for each line of the view.
        resources: Resources on which other jobs had a load, the busiest first.
        servers: Traffic of all clients that the servers of the job's mounts served; empty if no
            agent runs on these servers.
        jobs: Names of the other jobs that used a mount of the job while it ran.
    """

    row: dict[str, Any]
    view: View
    own: list[Steps]
    resources: list[ResourceLoad]
    servers: list[ServerLoad]
    jobs: list[str]

    def to_json(self) -> dict[str, Any]:
        """Return the background as JSON-compatible values."""
        from jostle.report.models.steps import steps_json

        def plain(lines: list[Steps]) -> list[dict[str, Any]]:
            return [steps_json(*both) for both in zip(self.view.lines, lines, strict=True)]

        return {
            "job": self.row["job"],
            "metric": self.view.name,
            "unit": self.view.unit,
            "own": plain(self.own),
            "background": [
                {
                    "resource": resource_load.resource,
                    "share": resource_load.share,
                    "series": plain(resource_load.lines),
                }
                for resource_load in self.resources
            ],
            "servers": [
                {
                    "mount": each.mount,
                    "servers": each.servers,
                    "kind": each.kind,
                    "unprofiled_share": each.unprofiled,
                    "series": plain(each.lines),
                }
                for each in self.servers
            ],
            "jobs": self.jobs,
        }


def background_of(store: Repository, job: str, view: View) -> JobBackground:
    """Sum, per slice, the load of all other jobs on the resources of a job.

    Args:
        store: The repository.
        job: The job's full name.
        view: The requested view.
    """
    from jostle.report.models.machines.machine_steps import server_loads
    from jostle.report.models.steps import JobSpan, lines_of

    row = job_row(store, job)
    span = JobSpan.of(row)
    own = lines_of(view, span, functools.partial(store.series, job))
    ids = [metric for line in view.lines for metric in line.metrics]
    tables: dict[str, Any] = {metric: store.background(job, metric) for metric in ids}
    shares = {} if view.level else _foreign_shares(store, job, tables)
    resources = [
        ResourceLoad(
            resource,
            shares.get(resource),
            lines_of(view, span, functools.partial(_at, tables, resource)),
        )
        for resource in _resources(tables)
    ]
    mounts = store.job_mounts(job).select(["mount", "shared"]).to_pylist()
    shared = sorted({each["mount"] for each in mounts if each["shared"]})
    servers = server_loads(store, shared, span, view)
    return JobBackground(row, view, own, resources, servers, _neighbours(store, job, row))


_NEIGHBOURS = """
SELECT DISTINCT job FROM jobs JOIN mounts USING (job)
WHERE job <> $1 AND start_ns < $3 AND end_ns > $2
  AND mount IN (SELECT mount FROM mounts WHERE job = $1)
ORDER BY job
"""


def _neighbours(store: Repository, job: str, row: dict[str, Any]) -> list[str]:
    """Return the other jobs that used a mount of the job while it ran."""
    found = store.query(_NEIGHBOURS, [job, row["start_ns"], row["end_ns"]])
    return [str(name) for name in found.column("job").to_pylist()]


def _resources(tables: dict[str, Any]) -> list[str]:
    """Return the resources on which others had traffic, the busiest first."""
    totals: dict[str, float] = {}
    for table in tables.values():
        names, sums = table.column("resource").to_pylist(), table.column("sum").to_pylist()
        for resource, value in zip(names, sums, strict=True):
            totals[resource] = totals.get(resource, 0.0) + float(value or 0)
    return [
        resource
        for resource in sorted(totals, key=lambda p: (-totals[p], p))
        if totals[resource] > 0
    ]


def _foreign_shares(store: Repository, job: str, tables: dict[str, Any]) -> dict[str, float]:
    """Return, for each resource, the share of other jobs in all traffic there, 0 to 1."""
    from jostle.analysis import background

    own: dict[str, float] = {}
    others: dict[str, float] = {}
    for metric, table in tables.items():
        for resource in background(job, metric, store.series(job, metric), table).resources:
            own[resource.resource] = own.get(resource.resource, 0.0) + sum(resource.own)
            others[resource.resource] = others.get(resource.resource, 0.0) + sum(resource.others)
    return {name: others[name] / total for name in own if (total := own[name] + others[name]) > 0}


def _at(tables: dict[str, Any], resource: str, metric: str) -> Any:
    """Return a metric's rows of one resource."""
    import pyarrow.compute as pc

    rows = tables[metric]
    return rows.filter(pc.equal(rows.column("resource"), resource))
