"""Schemas of answers about the whole system."""

from __future__ import annotations

from pydantic import BaseModel, Field


class Span(BaseModel):
    """The time that the repository covers."""

    first_ns: int
    last_ns: int
    live: bool = Field(description="whether a job runs now")
    nodes: int
    slice_ns: int = Field(description="length of the shortest slices")
    start_ns: int = Field(description="start of the curve")
    step_ns: int
    busy: list[int] = Field(description="number of nodes with a job, per step")


class Layer(BaseModel):
    """A job's load on a mount."""

    job: str
    total: float
    values: list[float | None]


class MountLoad(BaseModel):
    """The load on a mount, by job."""

    mount: str
    path: str
    type: str
    total: float = Field(description="over the span")
    jobs: int = Field(description="jobs with load there, as far as the viewer may know")
    layers: list[Layer] = Field(description="the largest jobs, the largest first")
    rest: list[float | None] | None = Field(description="sum of all others; null: there are none")
    few: bool = Field(description="null values of rest hide sums of too few other users")


class MountLoads(BaseModel):
    """The load on all mounts."""

    unit: str
    start_ns: int
    step_ns: int
    columns: int
    mounts: list[MountLoad]


class ServerLane(BaseModel):
    """A server of a file system; of who may not see all jobs, all its servers together."""

    host: str
    mount: str = Field(description="the file system; empty: none that a job used")
    bytes: list[float] | None = Field(description="bytes/s; null: not for this viewer")
    request_ms: list[float | None] = Field(description="mean time of a request, ms")
    busy: list[float | None] = Field(description="share of the time that its disks were busy")


class NodeLane(BaseModel):
    """A node as its agent saw it; shares of the time, 0 to 1."""

    host: str
    cpu: list[float | None] = Field(description="share of its cores that was busy")
    waits_cpu: list[float | None] = Field(description="some task waited for a core")
    waits_io: list[float | None] = Field(description="some task waited for storage")
    waits_memory: list[float | None] = Field(description="some task waited for memory")


class MachineLanes(BaseModel):
    """Servers and nodes over time, by their agents."""

    start_ns: int
    step_ns: int
    columns: int
    servers: list[ServerLane]
    nodes: list[NodeLane] = Field(description="empty for who may not see all jobs")
    few: bool = Field(description="null values hide what too few other users did")
