"""Reads the loads of many jobs on shared mounts, from which kinds of loads are found."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import pyarrow as pa

from jostle.repository.query.engine import Engine, total
from jostle.repository.query.resources.co_running import MPI_NS, MPI_OPS, JobFacts, added, facts
from jostle.repository.types import ACCESS_METRICS
from jostle.values.file_metrics import file_metrics

_MORE = file_metrics("sync_ops", "meta_ops")


@dataclass(frozen=True)
class LoadTables:
    """Loads of some jobs on shared mounts and on their nodes.

    Attributes:
        jobs: Facts on the jobs, by name.
        accesses: One row per job, shared mount and slice, sorted by these: job, mount, slice,
            slice_ns, count (processes with a record), and, summed over the processes,
            ACCESS_METRICS and the operations of sync and metadata.
        nodes: One row per job: job, cpu_ns, messages, message_ns, process_ns (length of the slices
            of all its processes), memory_bytes (largest resident memory of a process).
        shared_files: One row per job and mount: job, mount, share (0 to 1). The share is that of
            the bytes in files which several processes used, among the bytes in all known files.
        libraries: One row per job: job, library (version of the runtime that recorded it).
    """

    jobs: dict[str, JobFacts]
    accesses: pa.Table
    nodes: pa.Table
    shared_files: pa.Table
    libraries: pa.Table


def load_tables(engine: Engine, jobs: Collection[str]) -> LoadTables:
    """Return the loads of some jobs, with one pass over each table.

    Args:
        engine: The query engine.
        jobs: Names of the jobs; unknown ones are left out.
    """
    known = facts(engine, sorted(jobs))
    names = list(known)
    lo = min((fact.start_ns for fact in known.values()), default=0)
    hi = max((fact.last_ns + fact.slice_ns for fact in known.values()), default=0)
    mine = "job IN (SELECT unnest($1))"
    metrics = (*ACCESS_METRICS, *_MORE)
    named = ["job", "mount", "slice", "slice_ns", "count", *(f"{name}_sum" for name in metrics)]
    sums = ", ".join(f"{total(f'{name}_sum')} AS {name}" for name in metrics)
    accesses = engine.ask(
        lambda: (
            f"SELECT job, mount, slice, slice_ns, {total('count')} AS count, {sums} "
            f"FROM {engine.stored('rollup', lo, hi, columns=named)} "
            f"WHERE {mine} AND (job, mount) IN "
            f"(SELECT DISTINCT (job, mount) FROM {engine.stored('mounts')} WHERE shared) "
            "GROUP BY job, mount, slice, slice_ns ORDER BY job, mount, slice * slice_ns"
        ),
        [names],
    )
    values = {
        "cpu_ns": total(added(("os_user_ns_sum", "os_system_ns_sum"))),
        "messages": total(added(f"{name}_sum" for name in MPI_OPS)),
        "message_ns": total(added(f"{name}_sum" for name in MPI_NS)),
        "process_ns": total("count * slice_ns"),
        "memory_bytes": "coalesce(max(os_rss_bytes_max), 0)::BIGINT",
    }
    nodes = engine.ask(
        lambda: (
            f"SELECT job, {', '.join(f'{sql} AS {name}' for name, sql in values.items())} "
            f"FROM {engine.stored('node_rollup', lo, hi)} WHERE {mine} GROUP BY job ORDER BY job"
        ),
        [names],
    )
    by_file = (
        "SELECT job, mount, hash, greatest(count(DISTINCT process), "
        "max(coalesce(shared_by, 0))) AS users, "
        "sum(coalesce(read_bytes, 0) + coalesce(write_bytes, 0)) AS bytes "
    )
    shared_files = engine.ask(
        lambda: (
            "SELECT job, mount, coalesce(sum(bytes) FILTER (users > 1) / nullif(sum(bytes), 0), 0)"
            f"::DOUBLE AS share FROM ({by_file} FROM {engine.stored('files')} "
            f"WHERE {mine} AND hash <> 0 GROUP BY job, mount, hash) "
            "GROUP BY job, mount ORDER BY job, mount"
        ),
        [names],
    )
    libraries = engine.ask(
        lambda: (
            f"SELECT job, max(library) AS library FROM {engine.stored('processes', lo, hi)} "
            f"WHERE {mine} GROUP BY job ORDER BY job"
        ),
        [names],
    )
    return LoadTables(known, accesses, nodes, shared_files, libraries)
