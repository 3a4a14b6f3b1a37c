"""Makes the processes of a simulated site's jobs: IDs, nodes and rows."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from jostle.repository.writing import mount_identity, process_id
from jostle_lab.synthetic.injected.rows import mount_of
from jostle_lab.synthetic.site.mix import JobMix
from jostle_lab.synthetic.site.programs import Program
from jostle_lab.synthetic.site.spec import SiteSpec

Ints = NDArray[np.int64]
HOME = 1  # number of the file system of homes, an NFS server; scratch ones have even numbers


def host_name(node: int) -> str:
    """Return the name of a node."""
    return f"node{node:05d}"


def scratch(number: int) -> tuple[str, str, str]:
    """Return mount path, type and source (the server) of the scratch file system of a number."""
    return mount_of(2 * number)


def identity(path: str, kind: str, source: str) -> str:
    """Return the name of a network file system in the column `mount` of a repository."""
    return mount_identity("", path, kind, source)


def boot_id(spec: SiteSpec, node: int, boot: int = 0) -> str:
    """Return the boot id of a node."""
    name = f"{spec.seed}/{node}/{boot}".encode()
    text = blake2b(name, digest_size=16).hexdigest()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def job_name(number: int) -> str:
    """Return the name of a job; names sort as jobs were submitted."""
    return f"slurm-{1_000_000 + number}"


@dataclass(frozen=True)
class Ranks:
    """The processes of a job, by rank: those of a node follow each other.

    Attributes:
        job: Number of the job.
        program: The job's program.
        start_ns: Start of the processes, in ns.
        ids: IDs of the processes in the repository.
        nodes: Node of each process.
        boots: Number of previous reboots of each process's node.
        pids: Process ID of each process on its node.
        local: Number of each process on its node.
        by_id: Ranks in the order of ids.
        moving: 1 for each process that writes and reads, 0 for the others.
    """

    job: int
    program: Program
    start_ns: int
    ids: Ints
    nodes: Ints
    boots: Ints
    pids: Ints
    local: Ints
    by_id: Ints
    moving: NDArray[np.float32]

    def __len__(self) -> int:
        """Return the number of processes."""
        return len(self.ids)


def ranks_of(
    spec: SiteSpec, jobs: JobMix, job: int, nodes: Ints, boots: Ints, start_ns: int
) -> Ranks:
    """Return the processes of a job, given its nodes and the numbers of their reboots."""
    program = jobs.programs[jobs.program[job]]
    each = program.per_node or spec.processes_per_node
    node = np.repeat(nodes, each)
    local = np.tile(np.arange(each), len(nodes))
    pids = 2000 + (job % 300) * 100 + local
    names = {
        number: boot_id(spec, number, boot)
        for number, boot in zip(nodes.tolist(), boots.tolist(), strict=True)
    }
    ids = np.array(
        [
            process_id(None, names[number], pid, start_ns, 0)
            for number, pid in zip(node.tolist(), pids.tolist(), strict=True)
        ],
        dtype=np.int64,
    )
    moving = np.ones(len(ids), np.float32)
    if program.writers == "leaders":
        moving = (local == 0).astype(np.float32)
    if program.writers == "root":
        moving = (np.arange(len(ids)) == 0).astype(np.float32)
    return Ranks(
        job,
        program,
        start_ns,
        ids,
        node,
        np.repeat(boots, each),
        pids,
        local,
        np.argsort(ids),
        moving,
    )
