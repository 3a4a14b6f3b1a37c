"""Row types of the API's tables that have a fixed set of columns.

Times are `datetime` in UTC; bytes and seconds as the names say; None: not known.
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
        process: Its stable id.
        host: Its node.
        pid: Process id on its node.
        ppid: Process id of its parent.
        uid: Number of its user, as the process reported it.
        program: Its executable.
        script: The script that its interpreter ran; "" or None for other programs.
        start: Start of the process.
        end: End of the process; None while it runs.
        end_reason: exit, _exit, exec, abort, continued, killed, end not seen (its profile was
            removed); "" while it runs.
        world_rank: Its MPI rank; None or 0 without MPI.
        world_size: Ranks of its world; None or 0 without MPI.
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
        host: The node.
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
    """Use of one file, or of all files without a row, by the ended processes of a job.

    Attributes:
        mount: Identity of the mount that it is on; "" in the row of the other files.
        path: Its path; "" where names are not recorded, and in the row of the others.
        format: HDF5 or netCDF, by its first bytes; "" for other formats, unknown ones, and in the
            row of the others.
        files: 1; in the row of the others, their number.
        processes: Processes that used it.
        opens: Calls that opened it.
        reads: Calls that read.
        writes: Calls that wrote.
        syncs: Calls that synchronised or flushed it.
        read_bytes: Bytes read.
        write_bytes: Bytes written.
        read_ns: Time in calls that read, ns, over processes and threads.
        write_ns: The same of calls that wrote.
        sync_ns: The same of calls that synchronised.
        meta_ns: The same of open, close and the like.
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
    """A GPU that processes of a job used, or an instance of one that is divided.

    Attributes:
        gpu: Its name on its node: PCI bus id, or the UUID of an instance.
        host: The node.
        name: Its model; "" unknown.
        pci: Its PCI bus id; "" unknown.
        uuid: UUID from its driver; "" unknown.
        pci_path: Its place in the PCI tree, below /sys/devices; "" unknown.
        numa: NUMA node to which it is attached; -1: unknown.
        memory_bytes: Its memory; 0: unknown.
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
        end: Its end.
        value: The sum over the processes in the metric's unit; of a gauge, the mean.
    """

    resource: str | None
    line: str
    start: datetime
    end: datetime
    value: float


def row_of(kind: type[AnyRow]) -> Callable[[dict[str, Any]], AnyRow]:
    """Return a function that makes a row of this type from its values by column."""
    names = [field.name for field in fields(kind)]
    return lambda values: kind(**{name: values[name] for name in names})


def columns_of(kind: type[DataclassInstance]) -> list[str]:
    """Return the names of a row's fields."""
    return [field.name for field in fields(kind)]


def as_dict(values: dict[str, Any]) -> dict[str, Any]:
    """Return a row of a table whose columns depend on the question: its values by column."""
    return values
