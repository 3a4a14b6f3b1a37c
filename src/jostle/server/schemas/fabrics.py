"""Schemas of answers about fabrics and their links."""

from __future__ import annotations

from pydantic import BaseModel, Field


class Fabric(BaseModel):
    """A version of a fabric."""

    name: str
    kind: str = Field(description="torus, mesh, fat tree, dragonfly, tree or graph")
    valid_from_ns: int = Field(description="valid since this time; 0: always")
    nodes: int
    switches: int
    links: int = Field(description="a cable counts as two: one in each direction")
    dimensions: list[str]
    sizes: list[int]
    wraps: list[bool] = Field(description="of each dimension, whether its ends are joined")
    origin: str = Field(description="where it was read from")
    notes: list[str] = Field(description="what could not be read, or was guessed")


class Fabrics(BaseModel):
    """All versions of all fabrics, and the time in which jobs that the viewer may see ran."""

    fabrics: list[Fabric]
    first_ns: int
    last_ns: int


class Shape(Fabric):
    """The vertices and links of a fabric; each list has one entry per vertex, or per link."""

    vertices: list[str] = Field(description="names of nodes' adapters and of switches")
    hosts: list[str] = Field(description="of each vertex, the node; empty: a switch")
    levels: list[int]
    groups: list[int]
    planes: list[int]
    coordinates: list[list[int]]
    kinds: list[str] = Field(description="the words for link_kinds")
    sources: list[int] = Field(description="of each link, the vertex where it begins")
    targets: list[int]
    rates: list[float] = Field(description="bit/s; 0: not known")
    lanes: list[int]
    link_kinds: list[int]
    link_dimensions: list[int]
    link_signs: list[int]
    link_names: list[str]


class FabricJob(BaseModel):
    """A job with traffic on a fabric."""

    job: str = Field(description="empty: traffic of no job that is known")
    program: str
    bytes: float = Field(description="bytes times links that they crossed")
    modelled: float = Field(description="the part of it that comes from models of collectives")
    spread: float = Field(description="the part whose partners are not known: divided evenly")
    lost_bytes: float = Field(description="bytes between nodes that are not in the fabric")


class FabricOverview(BaseModel):
    """The load of a fabric's busiest link in each step of a span, and the jobs with traffic."""

    start_ns: int
    step_ns: int
    steps: int
    links: int
    peaks: list[float] = Field(description="per step, the load of the busiest link, bytes/s")
    greatest: float
    measured: int = Field(description="links whose ports count")
    low_high: bool = Field(description="adaptive routing: loads lie between two values")
    waiting: bool = Field(description="some ports count how long data waited")
    jobs: list[FabricJob] = Field(description="the greatest first")


class JobOnLink(BaseModel):
    """A job with traffic on a link or a switch."""

    job: str = Field(description="empty: traffic of no job that is known")
    program: str
    bytes: float
    share: float = Field(description="of what all these jobs carried there")
    modelled: float = Field(description="the part of the job's traffic that is modelled")
    spread: float = Field(description="the part whose partners are not known: divided evenly")
    seconds_lost: float | None = Field(
        description="what the job lost here to others; null: its verdict is not made yet"
    )
    seconds_cost: float = Field(description="what others lost here to it")
    values: list[float] = Field(description="per step, bytes/s")


class OnLink(BaseModel):
    """The jobs with traffic on a link or a switch."""

    name: str
    resource: str = Field(description="as verdicts name it")
    rate: float = Field(description="bytes/s; 0: not known")
    links: int = Field(description="1, or how many lead into the switch")
    start_ns: int
    step_ns: int
    load: list[float] = Field(description="per step, bytes/s")
    low: list[float] = Field(description="the least that adaptive routing can have put there")
    high: list[float] = Field(description="the most that adaptive routing can have put there")
    measured: bool = Field(description="the ports counted it; else it is routed")
    jobs: list[JobOnLink] = Field(description="the greatest first")


class Placed(BaseModel):
    """The job on each node at an instant."""

    jobs: list[str]
    job_of: dict[str, int] = Field(description="by node, a place in jobs")
    conflicting: list[str] = Field(description="jobs that share links with the one asked for")


class PlacementMeasure(BaseModel):
    """A measure of a job's placement."""

    name: str
    value: str
    what: str = Field(description="what it counts")


class PlacementMeeting(BaseModel):
    """A job that ran at the same time, and the links and switches that both may use."""

    job: str
    program: str
    share: float = Field(description="the part of the job's time in which it ran")
    nodes: int
    shared_routers: int = Field(description="switches on which both have nodes")
    shared_links: int = Field(description="links that the traffic of both may take")
    conflicting: bool


class PlacementReport(BaseModel):
    """The placement of a job in its fabric, and the jobs that may use the same links."""

    fabric: str = Field(description="its name; empty: none is known, or none has the job's nodes")
    why_not: str
    answer: str = Field(description="in words; empty for who may not see all jobs")
    measures: list[PlacementMeasure]
    meetings: list[PlacementMeeting] = Field(
        description="jobs that the viewer may see, those with most shared links first"
    )
    notes: list[str]
