"""Schemas of answers about the whole system."""

from __future__ import annotations

from pydantic import BaseModel, Field

from jostle.values.storage_servers import FileKind


class Span(BaseModel):
    """The time in which jobs that the viewer may see ran, and the number of nodes in use."""

    first_ns: int
    last_ns: int
    live: bool = Field(description="whether one of these jobs runs now")
    nodes: int
    slice_ns: int = Field(description="length of the shortest slices of these jobs")
    start_ns: int = Field(description="start of the first step in `busy`")
    step_ns: int
    busy: list[int] = Field(description="number of nodes with a job in each step")


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
    total: float = Field(description="sum over the whole span, as far as the viewer may see it")
    jobs: int = Field(description="number of jobs with load on the mount that the viewer may see")
    layers: list[Layer] = Field(description="the jobs with most load, the largest load first")
    rest: list[float | None] | None = Field(
        description="load of all other jobs together; null: there are no other jobs"
    )
    few: bool = Field(
        description="true: some values in `rest` are null because they would be sums over too few "
        "other users"
    )


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
    mount: str = Field(
        description="file system that it serves; empty: no file system that visible jobs used"
    )
    part: FileKind = Field(
        description="part of the file system that it serves; `file system`: all of it, or not known"
    )
    bytes: list[float] | None = Field(
        description="bytes/s in each step; null: this viewer may not see them"
    )
    metadata: list[float] | None = Field(
        description="metadata requests/s in each step; null: this viewer may not see them"
    )
    request_ms: list[float | None] = Field(description="mean time of a request in each step, in ms")
    metadata_ms: list[float | None] = Field(
        description="mean time of a metadata request in each step, in ms"
    )
    busy: list[float | None] = Field(
        description="share of each step in which its disks were busy, 0 to 1"
    )


class NodeLane(BaseModel):
    """The activity of a node over time, as its agent recorded it; all values are shares, 0 to 1."""

    host: str
    cpu: list[float | None] = Field(description="share of the cores' time in which they were busy")
    waits_cpu: list[float | None] = Field(
        description="share of the time in which at least one task waited for a core (PSI)"
    )
    waits_io: list[float | None] = Field(
        description="share of the time in which at least one task waited for storage (PSI)"
    )
    waits_memory: list[float | None] = Field(
        description="share of the time in which at least one task waited for memory (PSI)"
    )


class GpuLine(BaseModel):
    """One line of a chart of a GPU's activity."""

    name: str
    values: list[float | None] = Field(
        description="a value per step; null: the node's agent recorded none"
    )


class GpuView(BaseModel):
    """One chart of a GPU's activity over time, such as its power."""

    name: str
    title: str
    unit: str = Field(description="%, bytes, MHz, W, bytes/s, or errors (number in each step)")
    lines: list[GpuLine]


class SlowedGpu(BaseModel):
    """A time in which power or heat lowered a GPU's clock."""

    start_ns: int
    end_ns: int
    share: float = Field(description="part of this time in which the clock was lowered, 0 to 1")
    words: str = Field(description="this slowdown in words, with power and temperature")


class NodeGpu(BaseModel):
    """The activity of a node's GPU over time, from the node's agent."""

    host: str
    gpu: str = Field(description="PCI bus id of the GPU; for a MIG instance its UUID")
    path: str = Field(description="folder of the GPU below /sys/devices; empty: not known")
    memory_bytes: int = Field(description="size of the GPU's memory; 0: not known")
    start_ns: int
    step_ns: int
    views: list[GpuView] = Field(description="all charts that have at least one value")
    slowed: list[SlowedGpu]


class NodeMemoryRow(BaseModel):
    """The load of a job on a node, and the speed of the node's memory for it."""

    job: str
    cores: float = Field(description="number of cores that the job kept busy, mean over its slices")
    latency_ns: float | None = Field(
        description="mean time of one read of main memory; null: the memory probe did not run"
    )
    slower: float | None = Field(
        description="time of a read that the slowest twentieth of the slices reach, as a multiple "
        "of the median over all slices; null: the memory probe did not run"
    )
    bandwidth: float | None = Field(
        description="bandwidth of one thread, bytes/s; null: the memory probe did not run"
    )
    missed: float | None = Field(
        description="bytes/s that cache misses of the job moved; null: misses were not counted"
    )


class NodeGpus(BaseModel):
    """The GPUs of a node over time, and its memory."""

    first_ns: int = Field(description="start of the node's first recorded slice")
    last_ns: int = Field(description="end of the node's last recorded slice")
    start_ns: int = Field(description="start of the span of this answer")
    end_ns: int = Field(description="end of the span of this answer")
    gpus: list[NodeGpu] = Field(description="empty: the node's agent found no GPU")
    memory: list[NodeMemoryRow] = Field(
        description="the jobs with most CPU time on the node in the span, the most first"
    )


class MachineLanes(BaseModel):
    """The activity of servers and nodes over time, from their agents."""

    start_ns: int
    step_ns: int
    columns: int
    servers: list[ServerLane]
    nodes: list[NodeLane] = Field(description="empty for viewers who may not see all jobs")
    few: bool = Field(
        description="true: some values are null because they would show the load of too few other "
        "users"
    )
