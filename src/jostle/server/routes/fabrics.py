"""Routes of fabrics: their shape, the loads of their links, and the jobs on one of them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Annotated, Any, Literal

from fastapi import Depends, HTTPException, Path, Query, Request
from fastapi.responses import Response

from jostle.network.zone_pairs import zones_of
from jostle.report.models.machines.link_facts import (
    FabricLoads,
    fabric_row,
    fabric_shape,
    link_report,
)
from jostle.server.access import Looking, Viewer
from jostle.server.context import Context, ServerContext
from jostle.server.fabric.loads import (
    all_fabrics,
    fabric_at,
    fabric_loads,
    fabrics_mark,
    jobs_alongside,
    packed_loads,
    placed,
    zone_steps,
)
from jostle.server.routes.query import BINARY, FAR, FromNs, Points, ToNs
from jostle.server.schemas.fabrics import FabricOverview, Fabrics, OnLink, Placed, Shape
from jostle.server.transport.routers import api_router
from jostle.topology import Topology

router = api_router()

FabricName = Annotated[str, Path(max_length=200, description="name of a fabric")]
AtNs = Annotated[
    int, Query(ge=0, le=FAR, description="instant that the answer describes, ns since the epoch")
]
First = Annotated[int, Query(ge=0, le=4000, description="number of the first requested step")]
Count = Annotated[int, Query(ge=1, le=64, description="number of requested steps")]
By = Annotated[
    Literal["switch", "group"], Query(description="a zone is a switch with nodes, or a group")
]
Of = Annotated[
    list[int],
    Query(max_length=16, description="numbers of the groups to include; without it, all groups"),
]
MOST_ZONES = 1024
PreferredJob = Annotated[
    str,
    Query(
        max_length=400,
        description="name of a job: where it has traffic, the answer names it instead of a busier "
        "job; empty: always the busiest job",
    ),
]
SharingJob = Annotated[
    str,
    Query(
        max_length=400,
        description="name of a job: the answer also names the jobs that share links with it; "
        "empty: no such jobs",
    ),
]
LinkIndex = Annotated[
    int | None, Query(ge=0, le=2**31, description="index of the link in the answer of `shape`")
]
SwitchIndex = Annotated[
    int | None,
    Query(
        ge=0, le=2**31, description="index of the switch among `vertices` in the answer of `shape`"
    ),
]


class _Answers:
    """Functions that the routes of fabrics share."""

    def __init__(self, context: ServerContext) -> None:
        self._service = context.job_service
        self._context = context

    def fabric(self, name: str, at_ns: int) -> Topology:
        """Return a fabric at an instant.

        Raises:
            HTTPException: 404: There is no fabric of this name.
        """
        topology = fabric_at(self._service.repository, name, at_ns)
        if topology is None:
            raise HTTPException(404, f"There is no fabric {name!r}.")
        return topology

    def key(self, topology: Topology) -> tuple[Hashable, ...]:
        """Return a key that differs between versions of a fabric, and after each new import."""
        versions = fabrics_mark(self._service.repository)
        return topology.name, topology.valid_from_ns, versions

    def loads(self, name: str, viewer: Viewer, span: tuple[int, int], steps: int) -> FabricLoads:
        topology = self.fabric(name, span[0])
        return self._service.cached(
            ("fabric loads", self.key(topology), viewer.users, span, steps),
            lambda: fabric_loads(
                self._service.repository, topology, self._context.lives(), viewer, span, steps
            ),
        )

    def programs(self, viewer: Viewer) -> dict[str, str]:
        rows = self._context.rows(viewer)
        return {job: row["program"] for job, row in rows.items()}


async def _answers(context: Context) -> _Answers:
    return _Answers(context)


Answers = Annotated[_Answers, Depends(_answers)]


@router.get("/api/v1/fabric", operation_id="fabrics", tags=["fabric"])
def fabrics(context: Context, viewer: Looking) -> Fabrics:
    """List the versions of all fabrics, and the time in which jobs that you may see ran."""
    seen = [life for life in context.lives() if viewer.sees(life.uid)]
    return Fabrics.model_validate(
        {
            "fabrics": [fabric_row(each) for each in all_fabrics(context.job_service.repository)],
            "first_ns": min((life.start_ns for life in seen), default=0),
            "last_ns": max((life.end_ns for life in seen), default=0),
        }
    )


@router.get(
    "/api/v1/fabric/{name}/shape",
    operation_id="fabric_shape",
    tags=["fabric"],
    response_model=Shape,
)
def shape(
    context: Context,
    answers: Answers,
    request: Request,
    viewer: Looking,
    name: FabricName,
    at_ns: AtNs = FAR,
) -> Response:
    """Return the vertices and links of a fabric."""
    topology = answers.fabric(name, at_ns)
    key = ("fabric shape", answers.key(topology))
    return context.job_service.answer(request, key, lambda: fabric_shape(topology))


@router.get(
    "/api/v1/fabric/{name}/overview",
    operation_id="fabric_overview",
    tags=["fabric"],
    response_model=FabricOverview,
)
def overview(
    context: Context,
    answers: Answers,
    request: Request,
    viewer: Looking,
    name: FabricName,
    from_ns: FromNs = 0,
    to_ns: ToNs = FAR,
    steps: Points = 240,
) -> Response:
    """Return the load of the busiest link over time, and the jobs with traffic.

    A viewer who may not see all jobs gets only the routed traffic of visible jobs.
    """
    loads = answers.loads(name, viewer, (from_ns, to_ns), steps)
    span = (viewer.users, from_ns, to_ns, steps)
    key = ("fabric overview", answers.key(loads.loads.topology), *span)
    return context.job_service.answer(
        request, key, lambda: loads.overview(answers.programs(viewer))
    )


@router.get(
    "/api/v1/fabric/{name}/loads",
    operation_id="fabric_loads",
    tags=["fabric"],
    response_class=Response,
    responses=BINARY,
)
def link_steps(
    context: Context,
    answers: Answers,
    request: Request,
    viewer: Looking,
    name: FabricName,
    from_ns: FromNs = 0,
    to_ns: ToNs = FAR,
    steps: Points = 240,
    first: First = 0,
    count: Count = 16,
    before: PreferredJob = "",
) -> Response:
    """Return the load of every link in some of the steps of an overview.

    The answer has, little endian:

    - the length of the header, uint32;
    - the header, JSON, padded to four bytes: start_ns, step_ns, first, steps, links, low_high,
      waiting, and measured (the links whose ports have counters);
    - the loads, steps x links, float32, bytes per second;
    - if low_high: the highest loads that adaptive routing can have caused, in the same form;
    - if waiting: the share of the time that data waited, in the same form, NaN: not known;
    - the index of the busiest job in the overview's jobs, steps x links, uint16, 65535: none. On
      links where job `before` has traffic, it is shown in place of busier jobs.
    """
    before = context.full_name(viewer, before)
    loads = answers.loads(name, viewer, (from_ns, to_ns), steps)
    span = (viewer.users, from_ns, to_ns, steps)
    key = ("fabric steps", answers.key(loads.loads.topology), *span, first, count, before)
    return context.job_service.answer(
        request, key, lambda: packed_loads(loads, first, count, before), "application/octet-stream"
    )


@router.get(
    "/api/v1/fabric/{name}/zones",
    operation_id="fabric_zones",
    tags=["fabric"],
    response_class=Response,
    responses=BINARY,
)
def zones(
    context: Context,
    answers: Answers,
    request: Request,
    viewer: Looking,
    name: FabricName,
    by: By = "switch",
    of: Of = [],  # noqa: B006
    from_ns: FromNs = 0,
    to_ns: ToNs = FAR,
    steps: Points = 240,
    first: First = 0,
    count: Count = 4,
    before: PreferredJob = "",
) -> Response:
    """Return the traffic between the leaves or the groups of a fabric, step by step.

    The answer has, little endian:

    - the length of the header, uint32;
    - the header, JSON, padded to four bytes: start_ns, step_ns, first, steps, modelled, and zones
      (name and vertices of each zone);
    - the traffic, steps x sending zones x receiving zones, float32, bytes per second;
    - the index of the busiest job in the overview's jobs, in the same order, uint16, 65535: none.
    """
    before = context.full_name(viewer, before)
    loads = answers.loads(name, viewer, (from_ns, to_ns), steps)
    topology, span = loads.loads.topology, (viewer.users, from_ns, to_ns, steps)
    parts = zones_of(topology, by, of)
    if len(parts.names) > MOST_ZONES:
        raise HTTPException(400, f"More than {MOST_ZONES} zones cannot be drawn.")
    begin = min(first, loads.loads.axis[2])
    wanted = range(begin, min(begin + count, loads.loads.axis[2]))
    return context.job_service.answer(
        request,
        ("zones", answers.key(topology), *span, by, tuple(of), wanted, before),
        lambda: zone_steps(
            context.job_service.repository, loads, parts, viewer, context.lives(), wanted, before
        ),
        "application/octet-stream",
    )


@router.get(
    "/api/v1/fabric/{name}/link", operation_id="on_link", tags=["fabric"], response_model=OnLink
)
def on_link(
    context: Context,
    answers: Answers,
    request: Request,
    viewer: Looking,
    name: FabricName,
    link: LinkIndex = None,
    switch: SwitchIndex = None,
    from_ns: FromNs = 0,
    to_ns: ToNs = FAR,
    steps: Points = 240,
) -> Response:
    """Return the jobs on a link or switch: bytes over time, time lost there, time cost to others.

    The time lost is the time that other jobs cost the job on this link or switch; the time cost is
    the time that the job cost other jobs there. Jobs that the viewer may not see are left out.
    """
    loads = answers.loads(name, viewer, (from_ns, to_ns), steps)
    topology = loads.loads.topology
    wanted, there = (
        (switch, len(topology.vertices)) if link is None else (link, len(topology.sources))
    )
    if wanted is None or wanted >= there:
        raise HTTPException(404, "There is no such link or switch in this fabric.")
    key = (viewer.users, from_ns, to_ns, steps, link, switch)

    def make() -> dict[str, Any]:
        return link_report(
            loads,
            link=link,
            switch=switch,
            programs=answers.programs(viewer),
            disturbed_slices=lambda job: context.job_service.disturbed(job, viewer),
        )

    return context.job_service.answer(
        request, ("on link", answers.key(topology), *key), make, has_verdicts=True
    )


@router.get("/api/v1/fabric/{name}/placement", operation_id="fabric_placement", tags=["fabric"])
def placement(
    context: Context,
    answers: Answers,
    viewer: Looking,
    name: FabricName,
    at_ns: AtNs = FAR,
    job: SharingJob = "",
    from_ns: FromNs = 0,
    to_ns: ToNs = FAR,
    steps: Points = 240,
) -> Placed:
    """Return the job on each node at an instant, of the jobs that you may see.

    If `job` is given, also return the jobs that share links with it from `from_ns` to `to_ns`.
    """
    answers.fabric(name, at_ns)
    shared: list[str] = []
    if job:
        fabric = answers.loads(name, viewer, (from_ns, to_ns), steps)
        shared = jobs_alongside(fabric, context.full_name(viewer, job))
    return Placed(**placed(context.lives(), viewer, at_ns), conflicting=shared)
