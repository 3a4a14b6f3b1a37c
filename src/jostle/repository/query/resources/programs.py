"""Reads the loads of all jobs on shared resources: the input of the interference matrix."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jostle.repository.query.divided import Question
from jostle.repository.query.engine import ALWAYS, Engine, total
from jostle.repository.query.lifetimes import Life, lived_of
from jostle.repository.query.resources.co_running import (
    COLLECTIVE,
    P2P,
    JobFacts,
    added,
    facts,
    family_bytes,
)
from jostle.repository.query.resources.gpu_programs import buses, gpus

_KINDS = ("posix", "stdio")
#: Classes of file operations: columns <class>_ops, <class>_bytes (read, write) and <class>_ns.
FILE_CLASSES = tuple(
    f"{kind}_{what}" for kind in _KINDS for what in ("read", "write", "sync", "meta")
)
MPI_CLASSES = ("p2p", "collective")
#: Number of parts into which resources are divided: all rows of a resource are in one part, and
#: parts are computed separately.
SHARES = 64
_NO_ROWS = pa.table({name: pa.array([], pa.string()) for name in ("job", "resource")})


@dataclass(frozen=True)
class Programs:
    """All jobs, and their loads on shared resources per slice, sorted.

    Attributes:
        jobs: Facts on the jobs, by name.
        mounts: job, resource, slice, slice_ns, start_ns and length_ns (the part of the slice in
            which the job ran), and ops, bytes and ns of FILE_CLASSES.
        network: The columns of mounts, but for MPI_CLASSES instead of FILE_CLASSES, of jobs with
            ranks on several nodes; the resource is "network".
        nodes: job, resource (a node that several jobs used at the same time), slice, slice_ns,
            cpu_ns, queued_ns, and the columns of _MEMORY.
        gpus: The first columns of mounts, with a GPU of a node as resource, then launches, busy_ns
            and wait_ns.
        buses: The columns of mounts, but for BUS_CLASSES instead of FILE_CLASSES; the resource is
            a PCI root complex or an NVLink domain of a node.
    """

    jobs: dict[str, JobFacts]
    mounts: pa.Table
    network: pa.Table
    nodes: pa.Table
    gpus: pa.Table = field(default_factory=lambda: _NO_ROWS)
    buses: pa.Table = field(default_factory=lambda: _NO_ROWS)

    def kinds(self) -> dict[str, pa.Table]:
        """Return the tables by kind of resource."""
        return {
            "file system": self.mounts,
            "network": self.network,
            "node": self.nodes,
            "gpu": self.gpus,
            "bus": self.buses,
        }


#: Columns of nodes -> metrics: the speed of memory by the probe, and cache misses of processes.
_MEMORY = {
    "memory_latency_ns": "memory_latency_ns",
    "memory_stream_ns": "memory_stream_ns",
    "memory_probe_count": "memory_probe_count",
    "llc_misses": "perf_llc_misses",
}


def programs_alongside(engine: Engine, span: tuple[int, int] = ALWAYS) -> Programs:
    """Return the input of `jostle.analysis.matrix`, in one pass over each rollup.

    Args:
        engine: The query engine.
        span: Time in which the slices begin, ns since the epoch.
    """
    everyone = alive(facts(engine), span)
    tables = [engine.divided.ask(question) for question in questions(everyone, span).values()]
    lives = engine.lives.known()
    return Programs(everyone, *(of_jobs(table, lives, everyone) for table in tables))


def alive(everyone: Mapping[str, JobFacts], span: tuple[int, int]) -> dict[str, JobFacts]:
    """Return the jobs that ran in a span of time, ns since the epoch."""
    return {
        name: fact
        for name, fact in everyone.items()
        if fact.start_ns < span[1] and fact.last_ns > span[0]
    }


def questions(
    everyone: Mapping[str, JobFacts], span: tuple[int, int] = ALWAYS
) -> dict[str, Question]:
    """Return queries for the tables of Programs, by kind of resource; slices are not cut yet."""
    keys = "slice, slice_ns"
    within = f"slice * slice_ns >= {span[0]} AND slice * slice_ns < {span[1]}"
    order = ("resource", "start", "slice_ns", "job")
    files = ", ".join(f"{total(value)} AS {name}" for name, value in _file_columns().items())
    wide = [name for name, fact in everyone.items() if fact.ranks > 1 and len(fact.nodes) > 1]
    calls = ", ".join(f"{total(value)} AS {name}" for name, value in _mpi_columns().items())
    cpu = added(("os_user_ns_sum", "os_system_ns_sum"))
    memory = ", ".join(f"{total(f'{metric}_sum')} AS {name}" for name, metric in _MEMORY.items())
    shared = _shared(everyone)
    return {
        "file system": Question(
            f"SELECT job, mount AS resource, {keys}, slice * slice_ns AS start, {files} "
            f"FROM stored_rollup WHERE {within} GROUP BY job, mount, {keys}",
            order,
            (),
            span,
        ),
        "network": Question(
            f"SELECT job, 'network' AS resource, {keys}, slice * slice_ns AS start, {calls} "
            f"FROM stored_node_rollup WHERE list_contains($1, job) AND {within} "
            f"GROUP BY job, {keys}",
            order,
            (wide,),
            span,
        ),
        "node": Question(
            f"SELECT job, host AS resource, {keys}, slice * slice_ns AS start, "
            f"{total(cpu)} AS cpu_ns, {total('os_runqueue_ns_sum')} AS queued_ns, {memory} "
            f"FROM stored_node_rollup WHERE list_contains($1, host) AND {within} "
            f"GROUP BY job, host, {keys}",
            order,
            (shared,),
            span,
        ),
        "gpu": gpus(shared, within, order, span),
        "bus": buses(shared, within, order, span),
    }


def of_jobs(table: pa.Table, lives: Mapping[str, Life], jobs: Collection[str]) -> pa.Table:
    """Cut slices to the lives (run times) of their jobs, and leave out slices of other jobs.

    A job may be missing in `jobs` since retention removed its processes, or since it was ingested
    while the queries ran.
    """
    known = pc.is_in(table.column("job"), value_set=pa.array(list(jobs), pa.string()))
    return lived_of(table.filter(known), lives)


def shares(table: pa.Table) -> list[tuple[int, pa.Table]]:
    """Divide rows into shares by their resources, in the same way on all machines.

    Returns:
        The number of each share and its rows, in the order of the table; the lowest number first.
    """
    resource = table.column("resource").combine_chunks().dictionary_encode()
    numbers = [zlib.crc32(name.encode()) % SHARES for name in resource.dictionary.to_pylist()]
    share = np.array(numbers or [0])[resource.indices.to_numpy()]
    return [
        (number, table.filter(pa.array(share == number))) for number in np.unique(share).tolist()
    ]


def _file_columns() -> dict[str, str]:
    columns = {}
    for kind in _KINDS:
        for operation in ("read", "write", "sync", "meta"):
            ops = ("open", "close", "meta") if operation == "meta" else (operation,)
            columns[f"{kind}_{operation}_ops"] = added(
                f"{kind}_{counter}_ops_sum" for counter in ops
            )
            if operation in ("read", "write"):
                columns[f"{kind}_{operation}_bytes"] = f"{kind}_{operation}_bytes_sum"
            columns[f"{kind}_{operation}_ns"] = f"{kind}_{operation}_ns_sum"
    return columns


def _mpi_columns() -> dict[str, str]:
    columns = {}
    for name, families, waits in (("p2p", P2P, ("wait",)), ("collective", COLLECTIVE, ())):
        columns[f"{name}_ops"] = added(f"mpi_{family}_ops_sum" for family in families)
        columns[f"{name}_bytes"] = added(
            f"{metric}_sum" for family in families for metric in family_bytes(family)
        )
        columns[f"{name}_ns"] = added(f"mpi_{family}_ns_sum" for family in (*families, *waits))
    return columns


def _shared(everyone: Mapping[str, JobFacts]) -> list[str]:
    """Find the nodes that several jobs used at the same time."""
    spans: dict[str, list[tuple[int, int]]] = {}
    for fact in everyone.values():
        for node in fact.nodes:
            spans.setdefault(node, []).append((fact.start_ns, fact.last_ns))
    shared = []
    for node, times in spans.items():
        times.sort()
        latest = -1
        for begin, end in times:
            if begin < latest:
                shared.append(node)
                break
            latest = max(latest, end)
    return sorted(shared)
