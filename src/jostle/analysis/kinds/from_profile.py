"""Determines the kind of each job's load from its profile."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from jostle.analysis.access.model import NONE, AccessPattern
from jostle.analysis.access.reads import read_patterns
from jostle.analysis.access.writes import write_patterns
from jostle.analysis.kinds.model import COMPUTES, MESSAGES, METADATA, LoadKind, hardly_used
from jostle.repository.query.resources.co_running import JobFacts
from jostle.repository.query.resources.load_tables import LoadTables
from jostle.repository.types import JobTables
from jostle.values.arrow_columns import Floats, Ints, floats, ints
from jostle.values.file_metrics import file_metrics

#: Bytes per metadata operation: with fewer, a job works on metadata, not on data.
_FEW_BYTES = 4096
#: Most slices without a call within one use of a mount: a long call ends in a later slice.
_PAUSE = 2
_DATA_NS = file_metrics("read_ns", "write_ns", "sync_ns")
_METADATA_NS = file_metrics("meta_ns")
_METADATA_OPS = file_metrics("open_ops", "close_ops", "meta_ops")
_BYTES = file_metrics("read_bytes", "write_bytes")
_OF_MESSAGES = 0.05  # of processes' life inside MPI: with more, messages name the kind


def kinds_of(tables: LoadTables) -> dict[str, LoadKind]:
    """Return the kind of each job's load.

    Args:
        tables: The loads of all jobs, from Repository.load_tables.

    Returns:
        The kind of load by name of the job, for jobs with any recorded load.
    """
    nodes = {row["job"]: row for row in tables.nodes.to_pylist()}
    libraries = {row["job"]: row["library"] for row in tables.libraries.to_pylist()}
    shared = {
        (row["job"], row["mount"]): float(row["share"]) for row in tables.shared_files.to_pylist()
    }
    accesses = dict(_by_job(tables.accesses))
    kinds = {}
    for name, fact in tables.jobs.items():
        rows, node = accesses.get(name), nodes.get(name)
        if rows is None and node is None:
            continue
        used = None if rows is None else _on_files(fact, rows, libraries.get(name), shared)
        kinds[name] = _with_node(fact, used, node or {})
    return kinds


def _by_job(rows: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """Yield the name and the rows of each job; the rows of a job must be adjacent."""
    codes = rows.column("job").combine_chunks().dictionary_encode()
    places = np.asarray(codes.indices)
    edges = np.flatnonzero(np.diff(places, prepend=-1, append=-1))
    for first, last in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if last > first:
            yield codes.dictionary[int(places[first])].as_py(), rows.slice(first, last - first)


def _on_files(
    fact: JobFacts, rows: pa.Table, library: str | None, shared: dict[tuple[str, str], float]
) -> LoadKind | None:
    """Return a job's load on the mount where it spent most time; None if it used no mount."""
    spent = _sum(rows, *_DATA_NS, *_METADATA_NS)
    mounts = np.asarray(rows.column("mount").to_pylist(), dtype=object)
    by_mount = {name: float(spent[mounts == name].sum()) for name in sorted(set(mounts.tolist()))}
    mount = max(by_mount, key=lambda name: by_mount[name])
    if by_mount[mount] <= 0:
        return None
    here = rows.filter(pa.array(mounts == mount))
    active_s = _active_s(here)
    processes = max(int(ints(here, "count").max(initial=1)), 1)
    whole = active_s * processes
    data, metadata = (float(_sum(here, *names).sum()) / 1e9 for names in (_DATA_NS, _METADATA_NS))
    moved, asked = float(_sum(here, *_BYTES).sum()), float(_sum(here, *_METADATA_OPS).sum())
    run_s = max((fact.last_ns - fact.start_ns) / 1e9, active_s)
    scale = 1 / max(whole, data + metadata)  # several threads of a process may be in calls
    pattern, chunk, period_s = _pattern(here, library, processes, (moved, asked))
    return LoadKind(
        pattern,
        chunk_bytes=chunk,
        processes=processes,
        bytes_per_s=moved / whole,
        metadata_per_s=asked / whole,
        in_data=data * scale,
        in_metadata=metadata * scale,
        duty=active_s / run_s,
        period_s=period_s,
        shared_file=processes > 1 and shared.get((fact.job, mount), 0.0) > 0.5,
        mount=mount,
    )


def _sum(rows: pa.Table, *names: str) -> Floats:
    found: Floats = np.sum([floats(rows, name) for name in names], axis=0)
    return found


def _active_s(rows: pa.Table) -> float:
    """Return the time in which a job used the mount of these rows, in seconds."""
    slice_ns = int(np.median(ints(rows, "slice_ns")))
    any_use = _sum(rows, *_DATA_NS, *_METADATA_NS, *_BYTES) > 0
    at: Ints = np.unique(ints(rows, "slice")[any_use] * ints(rows, "slice_ns")[any_use] // slice_ns)
    steps = np.diff(at)
    inside = np.where(steps <= _PAUSE + 1, steps, 1)
    return float(inside.sum() + 1) * slice_ns / 1e9


def _pattern(
    rows: pa.Table, library: str | None, processes: int, done: tuple[float, float]
) -> tuple[str, float, float | None]:
    """Return how a job accessed a mount.

    Args:
        rows: Rows of the job on the mount.
        library: Version of the runtime that recorded the job.
        processes: Number of processes that used the mount.
        done: Bytes moved, and number of metadata operations.

    Returns:
        The access pattern; its chunk size in bytes (0: unknown); and the period of its bursts in
        seconds (None: not periodic).
    """
    moved, asked = done
    none = pa.table({"process": pa.array([], pa.int64())})
    runtimes = pa.table({"library": pa.array([library], pa.string())})
    # Which of them wrote does not matter: all processes that used the mount count.
    used = {"mount": rows.column("mount").to_pylist()[:1] * processes}
    used |= {name: [1] * processes for name in _BYTES}
    accesses = rows.drop_columns("job")
    tables = JobTables("", runtimes, none, none, pa.table(used), accesses=accesses)
    ways = [*write_patterns(tables), *read_patterns(tables)]
    way = max(ways, key=lambda each: each.bytes)
    if asked > 0 and moved < _FEW_BYTES * asked:
        return METADATA, 0.0, _period(way)
    calls = float(_sum(rows, *file_metrics("read_ops", "write_ops")).sum())
    chunk = way.chunk_bytes or (moved / calls if calls else 0.0)
    return (METADATA if way.pattern == NONE else way.pattern), chunk, _period(way)


def _period(way: AccessPattern) -> float | None:
    return way.period.seconds if way.period else None


def _with_node(fact: JobFacts, used: LoadKind | None, node: dict[str, Any]) -> LoadKind:
    """Return a job's kind with its activity on nodes (messages, cores, memory) added.

    If the job hardly used a mount, the kind is named by this activity.

    Args:
        fact: The job.
        used: Its load on a mount; None: none.
        node: Its activity on nodes.
    """
    life_s = max(float(node.get("process_ns") or 0) / 1e9, 1e-9)
    in_messages = min(float(node.get("message_ns") or 0) / 1e9 / life_s, 1.0)
    kind = used
    if kind is None or hardly_used(kind.in_calls, kind.duty):
        pattern = MESSAGES if in_messages >= _OF_MESSAGES else COMPUTES
        kind = LoadKind(pattern, processes=max(fact.ranks or fact.processes, 1))
    return replace(
        kind,
        messages_per_s=float(node.get("messages") or 0) / life_s if node else 0.0,
        in_messages=in_messages,
        cores=float(node.get("cpu_ns") or 0) / 1e9 / life_s if node else 0.0,
        memory_bytes=float(node.get("memory_bytes") or 0),
    )
