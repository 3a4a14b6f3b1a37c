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
