"""Computes the rows of the matrix of programs: loads and times of jobs on resources, by slice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from jostle.analysis.identification.model import OTHERS, ResourceKind, Visibility
from jostle.analysis.identification.resources.shared import DATA_PER_REQUEST, OPERATION, Floats
from jostle.analysis.identification.runs.flows import Flows
from jostle.names.basis import TIMES, basis_of
from jostle.repository.query.lifetimes import spans
from jostle.repository.query.resources.co_running import JobFacts
from jostle.repository.query.resources.gpu_programs import BUS_CLASSES
from jostle.repository.query.resources.programs import FILE_CLASSES, MPI_CLASSES
from jostle.values.memory_probe import STREAM_WEIGHT
from jostle.values.storage_servers import has_metadata_server

Ints = NDArray[np.int64]

#: Part of all load on a resource: a smaller load cannot be what slowed a run.
DOSE = 0.05
_QUIET = 5  # fewest slices for a reference
_MOSTLY = 0.5  # of a job's rows: it was alone most of the time


@dataclass
class ResourceRows:
    """Jobs on resources of one kind: one row for each job, resource and slice.

    Attributes:
        kind: Kind of the resources.
        job: Number of the job, its position in Roles.jobs.
        program: Number of the job's program, its position in Roles.names.
        like: Number of the group that the job is compared with. The group has the runs of the same
            program. If times are known only for whole runs, it has only runs on about as many
            ranks.
        resource: Number of the resource.
        start: Start of the part of the slice in which the job ran, µs since the first row.
        end: End of that part, µs since the first row.
        step: Length of the longest slice, µs.
        load: The job's load on the resource.
        expected: Time that its operations would have taken undisturbed; 0: not known.
        spent: Measured time of the same operations, in the same unit; 0: not known.
    """

    kind: ResourceKind
    job: Ints
    program: Ints
    like: Ints
    resource: Ints
    start: Ints
    end: Ints
    step: int
    load: Floats
    expected: Floats
    spent: Floats

    def own(self) -> Ints:
        """Return one number per row that identifies its job and its resource."""
        found: Ints = self.job * (int(self.resource.max(initial=0)) + 1) + self.resource
        return found

    def while_there(self, flows: Flows, channel: Ints) -> Floats:
        """Return for each row the amount that moved in its channel during the row's time.

        Args:
            flows: The amounts.
            channel: For each row, its channel.
        """
        return flows.between(channel, self.start, self.end)


@dataclass(frozen=True)
class Roles:
    """The program of each job, as far as the viewer may know it.

    Attributes:
        jobs: Names of all jobs.
        names: Names of the programs.
        program: For each job, the number of its program.
        own: For each job, whether the viewer may see by how much it was slowed.
        whole: For each job, whether the time of its calls is known only for the whole run. Such
            jobs are compared run by run, the others slice by slice.
        ranks: For each job, the number of its ranks.
    """

    jobs: tuple[str, ...]
    names: tuple[str, ...]
    program: Ints
    own: NDArray[np.bool_]
    whole: NDArray[np.bool_]
    ranks: Ints


def roles_of(jobs: Mapping[str, JobFacts], visibility: Visibility) -> Roles:
    """Return the program of each job; programs that the viewer may not see are merged into one."""
    programs = [
        fact.program if visibility.knows(fact.program, fact.user) else OTHERS
        for fact in jobs.values()
    ]
    names = tuple(sorted(set(programs)))
    number = {name: k for k, name in enumerate(names)}
    return Roles(
        tuple(jobs),
        names,
        np.array([number[name] for name in programs], dtype=np.int64),
        np.array([visibility.own(fact.user) for fact in jobs.values()], dtype=bool),
        np.array([TIMES not in basis_of(fact.basis).has for fact in jobs.values()], dtype=bool),
        np.array([max(fact.ranks, fact.processes, 1) for fact in jobs.values()], dtype=np.int64),
    )


def tables_of(kind: str, table: pa.Table) -> dict[ResourceKind, pa.Table]:
    """Divide the rows of one of Programs.kinds into tables for the kinds of resources in it.

    A mount of a file system with metadata servers is two resources: the object servers and the
    metadata server, which serve different calls. A node, too, is two resources: its cores and its
    memory. The rows of two such resources are the same.

    Args:
        kind: A kind of Programs.kinds.
        table: Rows of that kind.
    """
    if kind == "node":
        both: dict[ResourceKind, pa.Table] = {"node": table, "memory": table}
        probed = _numbers(table, "memory_probe_count").any()
        return both if probed else {"node": table}
    if kind != "file system":
        return {kind: table}  # type: ignore[dict-item]  # the other kinds have one name
    mounts = table.column("resource").combine_chunks().dictionary_encode()
    apart = np.array(
        [has_metadata_server(name) for name in mounts.dictionary.to_pylist()] or [False]
    )
    split = apart[mounts.indices.to_numpy()] if table.num_rows else np.zeros(0, dtype=bool)
    if not split.any():
        return {"file system": table}
    both = table.filter(pa.array(split))
    tables: dict[ResourceKind, pa.Table] = (
        {} if split.all() else {"file system": table.filter(pa.array(~split))}
    )
    return tables | {"object servers": both, "metadata server": both}


def file_rows(table: pa.Table, roles: Roles, around: int) -> ResourceRows:
    """Return the rows of mounts, where each mount is one resource, also with metadata servers.

    The load is the time spent in calls, since few metadata requests may be a large load.

    Args:
        table: All rows of the mounts, in the order of resource and time.
        roles: Roles of all jobs that are in the table.
        around: A job counts as alone on a mount if no other job used it within so many slices. The
            slice itself is not enough: a long call of another job may pass through it without a
            record.
    """
    in_calls = np.sum([_numbers(table, f"{name}_ns") for name in FILE_CLASSES], axis=0)
    return _service("file system", table, FILE_CLASSES, in_calls, roles, around)


def rows_of(kind: ResourceKind, table: pa.Table, roles: Roles) -> ResourceRows:
    """Return the rows of some resources of one kind.

    Args:
        kind: Kind of the resources.
        table: All rows of these resources, in the order of resource and time, from `tables_of`.
        roles: Roles of all jobs that are in the table.
    """
    if kind == "file system":
        return _service(kind, table, FILE_CLASSES, _moved(table, FILE_CLASSES), roles)
    if kind == "object servers":
        data = [name for name in FILE_CLASSES if not name.endswith("meta")]
        return _service(kind, table, data, _moved(table, FILE_CLASSES), roles)
    if kind == "metadata server":
        meta = [name for name in FILE_CLASSES if name.endswith("meta")]
        return _service(kind, table, meta, _asked(table, meta), roles)
    if kind == "network":
        return _service(kind, table, MPI_CLASSES, _moved(table, MPI_CLASSES), roles)
    if kind == "bus":
        return _service(kind, table, BUS_CLASSES, _moved(table, BUS_CLASSES), roles)
    if kind == "memory":
        return _memory(table, roles)
    return _gpus(table, roles) if kind == "gpu" else _nodes(table, roles)


def _numbers(table: pa.Table, name: str) -> Floats:
    if name not in table.column_names:
        return np.zeros(table.num_rows)
    return np.maximum(np.asarray(table.column(name).to_numpy(), dtype=np.float64), 0)


def _rows(kind: ResourceKind, table: pa.Table, roles: Roles, load: Floats) -> ResourceRows:
    """Return rows with a load, but with `expected` and `spent` still 0."""
    jobs = table.column("job").combine_chunks().dictionary_encode()
    names = jobs.dictionary.to_pylist()
    order = {name: k for k, name in enumerate(roles.jobs)}
    job = np.array([order[name] for name in names] or [-1])[jobs.indices.to_numpy()]
    codes = table.column("resource").combine_chunks().dictionary_encode()
    start, length = spans(table)
    whole = np.asarray(table.column("slice_ns").to_numpy(), dtype=np.int64)
    first = int(start.min(initial=2**62)) // 1000 * 1000  # the same in each part
    begin, end = (start - first) // 1000, (start - first + length) // 1000
    return ResourceRows(
        kind,
        job,
        roles.program[job],
        roles.program[job] * 64
        + np.where(roles.whole, np.rint(np.log2(roles.ranks)), 0).astype(np.int64)[job],
        codes.indices.to_numpy().astype(np.int64),
        begin,
        np.maximum(end, begin + 1),
        max(int(whole.max(initial=0)) // 1000, 1),
        load,
        np.zeros(len(job)),
        np.zeros(len(job)),
    )


def _moved(table: pa.Table, classes: Sequence[str]) -> Floats:
    """Return loads in bytes: the bytes moved, and a fixed amount for each operation."""
    return np.asarray(
        sum(
            _numbers(table, f"{name}_bytes") + OPERATION * _numbers(table, f"{name}_ops")
            for name in classes
        ),
        dtype=np.float64,
    )


def _asked(table: pa.Table, meta: Sequence[str]) -> Floats:
    """Return loads on metadata servers, in operations.

    Bytes of data count as a small number of operations, since they cause metadata operations, too.
    """
    asked = sum(_numbers(table, f"{name}_ops") for name in meta)
    moved = sum(_numbers(table, f"{name}_bytes") for name in FILE_CLASSES)
    return np.asarray(asked + moved / DATA_PER_REQUEST, dtype=np.float64)


def _service(
    kind: ResourceKind,
    table: pa.Table,
    classes: Sequence[str],
    load: Floats,
    roles: Roles,
    around: int = 0,
) -> ResourceRows:
    columns = []
    for name in classes:
        ops, moved = _numbers(table, f"{name}_ops"), _numbers(table, f"{name}_bytes")
        # Most calls of stdio make no system call: bytes are their work.
        in_pieces = "stdio" in name and name.endswith(("read", "write"))
        columns.append(
            (moved / OPERATION if in_pieces else ops, moved, _numbers(table, f"{name}_ns"))
        )
    rows = _rows(kind, table, roles, load)
    quiet = _alone(rows, around)
    even = _evenly(rows, roles)
    for ops, moved, ns in columns:
        _expect(rows, even(ops), even(moved), even(ns), quiet, by_job=around > 0)
    return rows


def _evenly(rows: ResourceRows, roles: Roles) -> Callable[[Floats], Floats]:
    """Return a function that divides the totals of a run among its slices in proportion to load.

    It changes only runs whose times are known only as totals. Their numbers of calls per slice are
    rounded estimates, which would suggest a service time that was not measured.
    """
    whole = roles.whole[rows.job]
    if not whole.any():
        return lambda values: values
    _, run = np.unique(rows.own()[whole], return_inverse=True)
    run = run.reshape(-1)
    part = rows.load[whole] / np.maximum(np.bincount(run, rows.load[whole]), 1e-9)[run]

    def even(values: Floats) -> Floats:
        divided = values.copy()
        divided[whole] = np.bincount(run, values[whole])[run] * part
        return divided

    return even


def _nodes(table: pa.Table, roles: Roles) -> ResourceRows:
    """Return the rows of nodes: the work is CPU time, and its time includes the wait for a core."""
    cpu, queued = _numbers(table, "cpu_ns"), _numbers(table, "queued_ns")
    rows = _rows("node", table, roles, cpu)
    _expect(rows, cpu, np.zeros(len(cpu)), cpu + queued, _alone(rows))
    return rows


def _memory(table: pa.Table, roles: Roles) -> ResourceRows:
    """Return the rows of nodes' memory: the work is CPU time, and its time that of the probe.

    The time is the CPU time multiplied by the time that the memory probe measured for a read. A
    job's load is its cache misses. If the cache misses of some job were not counted, the load of
    all jobs is their CPU time.
    """
    cpu, misses = _numbers(table, "cpu_ns"), _numbers(table, "llc_misses")
    rows = _rows("memory", table, roles, cpu)
    _, job = np.unique(rows.job, return_inverse=True)
    job = job.reshape(-1)
    if (np.bincount(job, misses) > 0).all():
        rows.load = misses
    time, probes = (
        _numbers(table, "memory_latency_ns") + STREAM_WEIGHT * _numbers(table, "memory_stream_ns"),
        _numbers(table, "memory_probe_count"),
    )
    each = np.divide(time, probes, out=np.zeros(len(time)), where=probes > 0)
    _expect(rows, np.where(each > 0, cpu, 0), np.zeros(len(cpu)), cpu * each, _alone(rows))
    return rows


def _gpus(table: pa.Table, roles: Roles) -> ResourceRows:
    """Return the rows of GPUs: the work is launches, and its time is the job's wait for the GPU."""
    launches = _numbers(table, "launches")
    rows = _rows("gpu", table, roles, _numbers(table, "busy_ns"))
    _, own = np.unique(rows.own(), return_inverse=True)
    own = own.reshape(-1)
    # Where kernels are not recorded, the GPU is taken as busy at a job's usual launches or more.
    recorded = np.bincount(own, rows.load) > 0
    on = launches > 0
    usual = quantile_of(own[on], launches[on], len(recorded), 0.5)
    whole = _numbers(table, "slice_ns")
    presumed = np.minimum(launches / np.maximum(usual[own], 1), 1) * whole
    rows.load = np.where(recorded[own], rows.load, presumed)
    _expect(rows, launches, np.zeros(len(launches)), _numbers(table, "wait_ns"), _alone(rows))
    return rows


def _alone(rows: ResourceRows, around: int = 0) -> NDArray[np.bool_]:
    """Find the rows of jobs that had a resource nearly to themselves, within `around` slices."""
    start = np.maximum(rows.start - around * rows.step, 0)
    end = rows.end + around * rows.step
    own, every = (
        Flows(channel, rows.start, rows.end, rows.load).between(channel, start, end)
        for channel in (rows.own(), rows.resource)
    )
    alone = np.asarray(own >= (1 - DOSE) * every)
    return _mostly_alone(rows, alone) if around else alone


def _mostly_alone(rows: ResourceRows, alone: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Keep only rows of jobs that were alone most of the time, if their program has such jobs.

    In a single row without other jobs, a job may still be disturbed by the backlog of servers.

    Args:
        rows: All rows.
        alone: Rows in which the job is alone.
    """
    share = np.bincount(rows.job, alone) / np.maximum(np.bincount(rows.job), 1)
    mostly = alone & (share[rows.job] >= _MOSTLY)
    has_some = np.bincount(rows.program, mostly) > 0
    return mostly | (alone & ~has_some[rows.program])


def load_at(rows: ResourceRows) -> Floats:
    """Return for each row the load of all jobs on its resource during its time."""
    return rows.while_there(Flows(rows.resource, rows.start, rows.end, rows.load), rows.resource)


def _expect(
    rows: ResourceRows,
    ops: Floats,
    moved: Floats,
    ns: Floats,
    quiet: NDArray[np.bool_],
    *,
    by_job: bool = False,
) -> None:
    """Add the measured and the undisturbed time of operations of one class to the rows."""
    on = np.flatnonzero((ops > 0) & (ns > 0))
    if not len(on):
        return
    rate = ns[on] / ops[on]
    mean = moved[on] / ops[on]
    level = np.where(mean > 0, np.rint(np.log2(np.maximum(mean, 1))) + 1, 0).astype(np.int64)
    many = int(rows.resource.max()) + 1
    group = (rows.like[on] * many + rows.resource[on]) * 64 + np.clip(level, 0, 63)
    jobs = (rows.job[on], ops[on]) if by_job else None
    reference = _references(group, rate, quiet[on], jobs)
    known = reference > 0
    rows.expected[on[known]] += (ops[on] * reference)[known]
    rows.spent[on[known]] += ns[on[known]]


def _references(
    group: Ints, rate: Floats, quiet: NDArray[np.bool_], jobs: tuple[Ints, Floats] | None = None
) -> Floats:
    """Return for each row the undisturbed rate of its group; 0 if the group has too few rows.

    The undisturbed rate is the median of the group's quiet rows. If these are too few, it is the
    lower quartile of all rows of the group. With `jobs`, it is the median over jobs of the mean
    rate of each job in its quiet rows, so that a slow job with many rows counts no more than
    another.

    Args:
        group: Number of the group of each row.
        rate: Time per operation of each row.
        quiet: Rows in which the job is alone.
        jobs: The job and the number of operations of each row.
    """
    ids, where = np.unique(group, return_inverse=True)
    where = where.reshape(-1)
    found = quantile_of(where, rate, len(ids), 0.25)
    found[np.bincount(where, minlength=len(ids)) < _QUIET] = 0.0
    at, each = where[quiet], rate[quiet]
    if jobs is not None:
        at, each = _of_jobs(at, each, jobs[0][quiet], jobs[1][quiet])
    calm = quantile_of(at, each, len(ids), 0.5)
    enough = np.bincount(where[quiet], minlength=len(ids)) >= _QUIET
    found[enough] = calm[enough]
    return np.asarray(found[where])


def _of_jobs(where: Ints, rate: Floats, job: Ints, ops: Floats) -> tuple[Ints, Floats]:
    """Return for each pair of a group and one of its jobs the group and the job's mean rate."""
    many = int(job.max(initial=0)) + 1
    pairs, place = np.unique(where * many + job, return_inverse=True)
    place = place.reshape(-1)
    spent, done = (np.bincount(place, values, len(pairs)) for values in (rate * ops, ops))
    return pairs // many, np.asarray(spent / done)


def quantile_of(where: Ints, values: Floats, groups: int, part: float) -> Floats:
    """Return a quantile of the values of each group of `where`; 0 for groups without values."""
    order = np.lexsort((values, where))
    counts = np.bincount(where, minlength=groups)
    first = np.cumsum(counts) - counts
    pick = first + ((counts - 1) * part).astype(np.int64)
    found = np.zeros(groups)
    full = counts > 0
    found[full] = values[order][pick[full]]
    return found
