"""Row types of the API's tables that have a fixed set of columns.

Times are `datetime` in UTC. Names of other quantities end in their unit, such as `read_bytes` and
`read_ns`. A value of None is not known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    AnyRow = TypeVar("AnyRow", bound=DataclassInstance)


@dataclass(frozen=True)
class Process:
    """A process of a job; the table has more columns (docs/reference/repository.md).

    Attributes:
        process: Stable id of the process.
        host: Name of its node.
        pid: Process id on its node.
        ppid: Process id of its parent.
        uid: Uid of its user, as the process reported it.
        program: Executable of the process.
        script: The script that its interpreter ran; "" or None for other programs.
        start: Start of the process.
        end: End of the process; None while it runs.
        end_reason: How the process ended: exit, _exit, exec, abort, continued, killed, or end not
            seen (its profile was removed before it showed an end); "" while the process runs.
        world_rank: MPI rank; None or 0 without MPI.
        world_size: Number of ranks of its MPI world; None or 0 without MPI.
    """

    process: int
    host: str
    pid: int
    ppid: int
    uid: int
    program: str
    script: str | None
    start: datetime
    end: datetime | None
    end_reason: str
    world_rank: int | None
    world_size: int | None


@dataclass(frozen=True)
class Mount:
    """A mount that processes of a job used.

    Attributes:
        mount: Identity of the resource: type:source, or host:device.
        host: Name of the node.
        path: Path under which the processes used it.
        type: Type of the file system.
        source: Source of the mount: server and path, or device.
        shared: Whether several nodes share it.
    """

    mount: str
    host: str
    path: str
    type: str
    source: str
    shared: bool


@dataclass(frozen=True)
class FileUse:
    """Use of one file by the ended processes of a job.

    All files that have no row of their own are summed in one further row, the row of other files.
    Times are sums over processes and threads.

    Attributes:
        mount: Identity of the file's mount; "" in the row of other files.
        path: Path of the file; "" where names are not recorded, and in the row of other files.
        format: HDF5 or netCDF, recognised by the file's first bytes; "" for all other formats, and
            in the row of other files.
        files: Number of files that the row sums: 1, except in the row of other files.
        processes: Number of processes that used the file.
        opens: Number of calls that opened the file.
        reads: Number of read calls.
        writes: Number of write calls.
        syncs: Number of calls that synchronised or flushed the file.
        read_bytes: Bytes read.
        write_bytes: Bytes written.
        read_ns: Time in calls that read, in ns.
        write_ns: Time in calls that wrote, in ns.
        sync_ns: Time in calls that synchronised, in ns.
        meta_ns: Time in open, close and other metadata calls, in ns.
    """

    mount: str
    path: str
    format: str
    files: int
    processes: int
    opens: int
    reads: int
    writes: int
    syncs: int
    read_bytes: int
    write_bytes: int
    read_ns: int
    write_ns: int
    sync_ns: int
    meta_ns: int


@dataclass(frozen=True)
class Gpu:
    """A GPU that processes of a job used, or one instance of a GPU that is divided.

    Attributes:
        gpu: Name of the GPU on its node: PCI bus id, or the UUID of an instance.
        host: Name of the node.
        name: Model name; "" unknown.
        pci: PCI bus id; "" unknown.
        uuid: UUID from its driver; "" unknown.
        pci_path: Path of the GPU in the PCI tree, below /sys/devices; "" unknown.
        numa: NUMA node to which it is attached; -1: unknown.
        memory_bytes: Size of its memory; 0: unknown.
    """

    gpu: str
    host: str
    name: str
    pci: str
    uuid: str
    pci_path: str
    numa: int
    memory_bytes: int


@dataclass(frozen=True)
class Step:
    """The value of one line of a timeline or background in one slice.

    Attributes:
        resource: The mount or node that the other jobs used; None: values of the job itself.
        line: Name of the line: `written`, `read`, or the metric.
        start: Start of the slice.
        end: End of the slice.
        value: Sum over the processes in the metric's unit; for a gauge, the mean.
    """

    resource: str | None
    line: str
    start: datetime
    end: datetime
    value: float


def row_of(kind: type[AnyRow]) -> Callable[[dict[str, Any]], AnyRow]:
    """Return a function that creates a row of a type from its values by column."""
    names = [field.name for field in fields(kind)]
    return lambda values: kind(**{name: values[name] for name in names})


def columns_of(kind: type[DataclassInstance]) -> list[str]:
    """Return the names of the fields of a row type."""
    return [field.name for field in fields(kind)]


def as_dict(values: dict[str, Any]) -> dict[str, Any]:
    """Return a row of a table without fixed columns, as its values by column."""
    return values
