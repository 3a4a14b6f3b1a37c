"""Schemas of answers about fabrics and their links."""

from __future__ import annotations

from pydantic import BaseModel, Field


class Fabric(BaseModel):
    """A version of a fabric."""

    name: str
    kind: str = Field(description="torus, mesh, fat tree, dragonfly, tree or graph")
    valid_from_ns: int = Field(description="this version is valid from this time on; 0: always")
    nodes: int
    switches: int
    links: int = Field(description="number of links; a cable is two links, one in each direction")
    dimensions: list[str]
    sizes: list[int]
    wraps: list[bool] = Field(description="for each dimension, whether its two ends are joined")
    origin: str = Field(description="the source from which this version was read")
    notes: list[str] = Field(description="sentences on data that could not be read, or was guessed")


class Fabrics(BaseModel):
    """All versions of all fabrics, and the time in which jobs that the viewer may see ran."""

    fabrics: list[Fabric]
    first_ns: int
    last_ns: int


class Shape(Fabric):
    """The vertices and links of a fabric; each list has one entry per vertex, or per link."""

    vertices: list[str] = Field(description="name of each vertex: a node's adapter, or a switch")
    hosts: list[str] = Field(description="node of each vertex; empty: the vertex is a switch")
    levels: list[int]
    groups: list[int]
    planes: list[int]
    coordinates: list[list[int]]
    kinds: list[str] = Field(description="names of all kinds of links")
    sources: list[int] = Field(description="index of the vertex where each link begins")
    targets: list[int] = Field(description="index of the vertex where each link ends")
    rates: list[float] = Field(description="data rate of each link, bit/s; 0: not known")
    lanes: list[int]
    link_kinds: list[int] = Field(description="kind of each link, as an index in `kinds`")
    link_dimensions: list[int]
    link_signs: list[int]
    link_names: list[str]


class FabricJob(BaseModel):
    """A job with traffic on a fabric."""

    job: str = Field(description="name of the job; empty: it is not known which job sent this")
    program: str
    bytes: float = Field(
        description="the job's bytes, added up over links: a byte on two links counts twice"
    )
    modelled: float = Field(
        description="part of `bytes` that was computed from models of collectives, 0 to 1"
    )
    spread: float = Field(
        description="part of `bytes` whose receivers are not known, 0 to 1; it is divided evenly "
        "among possible ones"
    )
    lost_bytes: float = Field(
        description="bytes that crossed no link, since sender or receiver is not in the fabric"
    )


class FabricOverview(BaseModel):
    """The load of a fabric's busiest link in each step of a span, and the jobs with traffic."""

    start_ns: int
    step_ns: int
    steps: int
    links: int
    peaks: list[float] = Field(description="load of the busiest link in each step, bytes/s")
    greatest: float = Field(description="the largest value of `peaks`, bytes/s")
    measured: int = Field(description="number of links whose ports count bytes")
    low_high: bool = Field(
        description="true: routing is adaptive, so that of some loads only a range is known"
    )
    waiting: bool = Field(description="true: some ports count how long data waited there")
    jobs: list[FabricJob] = Field(description="the job with most bytes first")


class JobOnLink(BaseModel):
    """A job with traffic on a link or a switch."""

    job: str = Field(description="name of the job; empty: it is not known which job sent this")
    program: str
    bytes: float
    share: float = Field(
        description="the job's part of the bytes of all jobs on this link or switch, 0 to 1"
    )
    modelled: float = Field(
        description="part of the job's bytes on all links that was computed from models of "
        "collectives, 0 to 1"
    )
    spread: float = Field(
        description="part of the job's bytes on all links whose receivers are not known, 0 to 1; "
        "it is divided evenly among possible ones"
    )
    seconds_lost: float | None = Field(
        description="time that other jobs cost this job here; null: this job has no verdict yet"
    )
    seconds_cost: float = Field(description="time that this job cost other jobs here")
    values: list[float] = Field(description="load of the job in each step, bytes/s")


class OnLink(BaseModel):
    """The jobs with traffic on a link or a switch."""

    name: str
    resource: str = Field(description="name in verdicts, such as `link leaf1 > spine2`")
    rate: float = Field(
        description="data rate of the link, or of all links into the switch together, bytes/s; "
        "0: not known"
    )
    links: int = Field(description="for a link 1; for a switch, the number of links into it")
    start_ns: int
    step_ns: int
    load: list[float] = Field(description="load of all jobs in each step, bytes/s")
    low: list[float] = Field(
        description="lowest load in each step that adaptive routing can have caused, bytes/s"
    )
    high: list[float] = Field(
        description="highest load in each step that adaptive routing can have caused, bytes/s"
    )
    measured: bool = Field(
        description="true: ports counted the load; false: it was computed from messages and routes"
    )
    jobs: list[JobOnLink] = Field(description="the job with most bytes here first")


class Placed(BaseModel):
    """The job on each node at an instant."""

    jobs: list[str]
    job_of: dict[str, int] = Field(description="for each node, the index of its job in `jobs`")
    conflicting: list[str] = Field(
        description="jobs that share links with job `job` of the request; empty without that job"
    )


class PlacementMeasure(BaseModel):
    """A measure of a job's placement."""

    name: str
    value: str
    what: str = Field(description="what the measure counts, in words")


class PlacementMeeting(BaseModel):
    """A job that ran at the same time, and the links and switches that both may use."""

    job: str
    program: str
    share: float = Field(
        description="part of the examined job's run time in which this job ran, 0 to 1"
    )
    nodes: int
    shared_routers: int = Field(description="number of switches with nodes of both jobs")
    shared_links: int = Field(description="number of links that traffic of both jobs may take")
    conflicting: bool = Field(
        description="true: traffic of both jobs may take at least one common link"
    )


class PlacementReport(BaseModel):
    """The placement of a job in its fabric, and the jobs that may use the same links."""

    fabric: str = Field(
        description="name of the fabric; empty: no fabric is known, or none has the job's nodes"
    )
    why_not: str = Field(description="why `fabric` is empty, a sentence; else empty")
    answer: str = Field(
        description="the result in words; empty for viewers who may not see all jobs"
    )
    measures: list[PlacementMeasure]
    meetings: list[PlacementMeeting] = Field(
        description="concurrent jobs that the viewer may see, those with most shared links first"
    )
    notes: list[str]
