"""Schemas of what the API answers about the whole system."""

from __future__ import annotations

from pydantic import BaseModel, Field


class Span(BaseModel):
    """The time that the repository covers."""

    first_ns: int
    last_ns: int
    live: bool = Field(description="a job runs now")
    nodes: int
    start_ns: int = Field(description="of the curve")
    step_ns: int
    busy: list[int] = Field(description="nodes with a job")


class Layer(BaseModel):
    """A job's load on a mount."""

    job: str
    total: float
    values: list[float | None]


class MountLoad(BaseModel):
    """Who put how much load on a mount."""

    mount: str
    path: str
    type: str
    total: float = Field(description="of the span")
    jobs: int = Field(description="that had load there, as far as the viewer may know")
    layers: list[Layer] = Field(description="the largest jobs, the largest first")
    rest: list[float | None] | None = Field(description="all others; null: there are none")
    few: bool = Field(description="where rest is null too few others were at work to be told of")


class MountLoads(BaseModel):
    """The load on all mounts."""

    unit: str
    start_ns: int
    step_ns: int
    columns: int
    mounts: list[MountLoad]
