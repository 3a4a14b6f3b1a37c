"""Loads what all jobs did on shared resources: the input of the interference matrix."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from jostle.repository.query.co_running import COLLECTIVE, P2P, JobFacts, added, facts, family_bytes
from jostle.repository.query.engine import Engine, total
from jostle.repository.query.lifetimes import lived

_KINDS = ("posix", "stdio")
#: Classes of file operations: columns <class>_ops, <class>_bytes (read, write) and <class>_ns.
FILE_CLASSES = tuple(f"{kind}_{what}" for kind in _KINDS
                     for what in ("read", "write", "sync", "meta"))  # fmt: skip
MPI_CLASSES = ("p2p", "collective")


@dataclass(frozen=True)
class Programs:
    """All jobs, and what they did on resources that jobs share, slice by slice, in order.

    Attributes:
        jobs: Who they are, by name.
        mounts: job, resource, slice, slice_ns, start_ns and length_ns (the part of the slice in
            which the job lived), and ops, bytes and ns of FILE_CLASSES.
        network: The same of MPI_CLASSES, of jobs with ranks on several nodes; resource "network".
        nodes: job, resource (a node that several jobs used at a time), slice, slice_ns, cpu_ns
            and queued_ns.
    """

    jobs: dict[str, JobFacts]
    mounts: pa.Table
    network: pa.Table
    nodes: pa.Table


def programs_beside(engine: Engine) -> Programs:
    """Return what `jostle.analysis.matrix` needs, in one pass over each rollup."""
    everyone = facts(engine)
    keys = "slice, slice_ns"
    files = ", ".join(f"{total(value)} AS {name}" for name, value in _file_columns().items())
    mounts = engine.ask(
        lambda: (
            f"SELECT job, mount AS resource, {keys}, {files} FROM {engine.stored('rollup')} "
            f"GROUP BY job, mount, {keys} ORDER BY mount, slice * slice_ns, job"
        )
    )
    wide = [name for name, fact in everyone.items() if fact.ranks > 1 and len(fact.nodes) > 1]
    calls = ", ".join(f"{total(value)} AS {name}" for name, value in _mpi_columns().items())
    network = engine.ask(
        lambda: (
            f"SELECT job, 'network' AS resource, {keys}, {calls} "
            f"FROM {engine.stored('node_rollup')} WHERE list_contains($1, job) "
            f"GROUP BY job, {keys} ORDER BY slice * slice_ns, job"
        ),
        [wide],
    )
    cpu = added(("os_user_ns_sum", "os_system_ns_sum"))
    nodes = engine.ask(
        lambda: (
            f"SELECT job, host AS resource, {keys}, {total(cpu)} AS cpu_ns, "
            f"{total('os_runqueue_ns_sum')} AS queued_ns FROM {engine.stored('node_rollup')} "
            f"WHERE list_contains($1, host) GROUP BY job, host, {keys} "
            "ORDER BY host, slice * slice_ns, job"
        ),
        [_shared(everyone)],
    )
    lives = engine.lives
    return Programs(
        everyone, *(lived(_known(table, everyone), lives) for table in (mounts, network, nodes))
    )


def _known(table: pa.Table, everyone: dict[str, JobFacts]) -> pa.Table:
    """Leave out jobs whose processes expired, or were ingested during the queries."""
    names = pa.array(list(everyone), pa.string())
    return table.filter(pc.is_in(table.column("job"), value_set=names))


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


def _shared(everyone: dict[str, JobFacts]) -> list[str]:
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
