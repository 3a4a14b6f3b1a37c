"""Schemas of answers about the whole system."""

from __future__ import annotations

from pydantic import BaseModel, Field

from jostle.values.storage_servers import FileKind


class Span(BaseModel):
    """The time in which jobs that the viewer may see ran, and the number of nodes in use."""

    first_ns: int
    last_ns: int
    live: bool = Field(description="whether a job runs now")
    nodes: int
    slice_ns: int = Field(description="length of the shortest slices")
    start_ns: int = Field(description="start of the curve")
    step_ns: int
    busy: list[int] = Field(description="number of nodes with a job, per step")


class Layer(BaseModel):
    """The load of one job on a mount over time."""

    job: str
    total: float
    values: list[float | None]


class MountLoad(BaseModel):
    """The load on a mount over time: of the jobs with most load, and of all others together."""

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
    """A server of a file system over time, as its agent recorded it.

    For viewers who may not see all jobs, all servers of a file system are shown as one.
    """

    host: str
    mount: str = Field(description="the file system; empty: none that a job used")
    part: FileKind = Field(
        description="the part that it serves; file system: all of it, or unknown"
    )
    bytes: list[float] | None = Field(description="bytes/s; null: not for this viewer")
    metadata: list[float] | None = Field(
        description="metadata requests/s of a metadata server; null: not for this viewer"
    )
    request_ms: list[float | None] = Field(description="mean time of a request, ms")
    metadata_ms: list[float | None] = Field(description="mean time of a metadata request, ms")
    busy: list[float | None] = Field(description="share of the time that its disks were busy")


class NodeLane(BaseModel):
    """The activity of a node over time, as its agent recorded it; all values are shares, 0 to 1."""

    host: str
    cpu: list[float | None] = Field(description="share of its cores that was busy")
    waits_cpu: list[float | None] = Field(description="some task waited for a core")
    waits_io: list[float | None] = Field(description="some task waited for storage")
    waits_memory: list[float | None] = Field(description="some task waited for memory")


class GpuLine(BaseModel):
    """One line of a chart of a GPU's activity."""

    name: str
    values: list[float | None] = Field(description="one per step; null: no data from its agent")


class GpuView(BaseModel):
    """One chart of a GPU's activity over time, such as its power."""

    name: str
    title: str
    unit: str = Field(description="%, bytes, MHz, W, bytes/s, or errors (in a step)")
    lines: list[GpuLine]


class SlowedGpu(BaseModel):
    """A time in which power or heat lowered a GPU's clock."""

    start_ns: int
    end_ns: int
    share: float = Field(description="of this time, 0 to 1")
    words: str


class NodeGpu(BaseModel):
    """The activity of a node's GPU over time, from the node's agent."""

    host: str
    gpu: str = Field(description="its PCI bus id, or the UUID of an instance")
    path: str = Field(description="its folder below /sys/devices; empty: not known")
    memory_bytes: int = Field(description="0: not known")
    start_ns: int
    step_ns: int
    views: list[GpuView] = Field(description="those with any value")
    slowed: list[SlowedGpu]


class NodeMemoryRow(BaseModel):
    """The load of a job on a node, and the speed of the node's memory for it."""

    job: str
    cores: float = Field(description="kept busy, mean over its slices")
    latency_ns: float | None = Field(description="of one read of main memory; null: no probe")
    slower: float | None = Field(
        description="the slowest twentieth of its slices, as a multiple of the median one"
    )
    bandwidth: float | None = Field(description="that one thread had, bytes per second")
    missed: float | None = Field(
        description="bytes per second that its cache misses moved; null: not counted"
    )


class NodeGpus(BaseModel):
    """The GPUs of a node over time, and its memory."""

    first_ns: int = Field(description="start of the node's slices")
    last_ns: int = Field(description="their end")
    start_ns: int = Field(description="of the span")
    end_ns: int
    gpus: list[NodeGpu] = Field(description="empty where its agent saw none")
    memory: list[NodeMemoryRow] = Field(description="who computed there most, in the span")


class MachineLanes(BaseModel):
    """The activity of servers and nodes over time, from their agents."""

    start_ns: int
    step_ns: int
    columns: int
    servers: list[ServerLane]
    nodes: list[NodeLane] = Field(description="empty for who may not see all jobs")
    few: bool = Field(description="null values hide what too few other users did")
