"""The load patterns of signals: the resource that each loads, and its unit of work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Resource = Literal["files", "network", "node", "gpu"]


@dataclass(frozen=True)
class Pattern:
    """One pattern of `jostle signal`.

    Attributes:
        name: Name of the pattern on the command line.
        resource: Resource that the pattern loads: files (a file system), network, node (memory,
            cores), or gpu (a GPU, and the bus to it).
        operation: Description of one operation, as counted and timed in the log.
        needs_mpi: Whether only the builds with MPI have the pattern.
        writes_files: Whether the pattern writes files to a folder (`--dir`) and removes them at the
            end.
    """

    name: str
    resource: Resource
    operation: str
    needs_mpi: bool = False
    writes_files: bool = False


def _files(name: str, operation: str) -> Pattern:
    return Pattern(name, "files", operation, writes_files=True)


def _network(name: str, operation: str) -> Pattern:
    return Pattern(name, "network", operation, needs_mpi=True)


#: name -> pattern, in the order of the help text. Shah, 2020, section 3.1.1 has the first three.
PATTERNS: dict[str, Pattern] = {
    pattern.name: pattern
    for pattern in (
        _files("open-write-close", "open a new file, write a chunk, flush, close"),
        _files("write-seek", "seek to the beginning, write a chunk, flush"),
        _files("aggregate-write", "write a chunk behind the last one; nothing is flushed"),
        _files("read", "read the chunk behind the last one"),
        _files("write-seek-read", "seek, write a chunk, flush, seek back, read it"),
        _network("ping", "rank i sends a chunk to rank i+n/2, which sends it back"),
        _network("all-to-all", "every rank gives a chunk to every rank (MPI_Alltoall)"),
        _network("incast", "all ranks send a chunk to rank 0 at once"),
        Pattern("memory", "node", "a[i] = b[i] + s*c[i] over the next block of three large arrays"),
        Pattern("cache", "node", "4096 dependent loads at random places of a working set"),
        Pattern("cpu", "node", "a fixed number of multiplications and additions in registers"),
        Pattern("pcie", "gpu", "copy a chunk to the GPU, back, or both at once"),
        Pattern("gpu-compute", "gpu", "a kernel that keeps all of the GPU computing"),
        Pattern("gpu-memory", "gpu", "copy a chunk within the GPU's memory"),
        Pattern("gpu-multiply", "gpu", "copy two matrices to the GPU, multiply, copy back"),
        Pattern("nccl", "gpu", "an all-reduce of a chunk among all processes, each with a GPU"),
        _files("metadata", "create, stat and unlink one empty file"),
        _files("create-files", "create and close one empty file"),
        _files("stat-files", "stat the next of 1000 files"),
        _files("list-folder", "list a folder of 1000 files"),
        _files("unlink-files", "unlink the next of 1000 files"),
        _files("lock-file", "lock one byte of a file of all processes, and unlock it"),
    )
}
