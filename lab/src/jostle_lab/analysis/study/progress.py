"""Computes the progress of a job's processes per slice from repository tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from jostle.values.arrow_columns import ints
from jostle.values.mpi_metrics import SENT
from jostle_lab.analysis.study.pairs import JobProgress

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_FILES = ("posix", "stdio")
_CALLS = ("open_ops", "close_ops", "read_ops", "write_ops", "seek_ops", "sync_ops", "meta_ops")
_COLLECTIVES = ("one_to_all", "all_to_one", "all_to_all", "barrier", "scan", "neighbor")


def _files(*endings: str) -> tuple[str, ...]:
    return tuple(f"{kind}_{ending}" for kind in _FILES for ending in endings)


#: Metrics of progress, as sums of columns of mount_slices.
ON_MOUNTS: Mapping[str, tuple[str, ...]] = {
    "bytes": _files("write_bytes"),
    "read_bytes": _files("read_bytes"),
    "write_ops": _files("write_ops"),
    "read_ops": _files("read_ops"),
    "closes": _files("close_ops"),
    "operations": _files(*_CALLS),
    # Time and number of the calls that make a write durable, which co-running jobs slow.
    "service_ns": _files("write_ns", "sync_ns", "meta_ns"),
    "service_ops": _files("write_ops", "sync_ops", "open_ops", "close_ops", "meta_ops"),
}
#: Metrics of progress, as sums of columns of slices.
OF_PROCESSES: Mapping[str, tuple[str, ...]] = {
    "collectives": tuple(f"mpi_{i}{name}_ops" for name in _COLLECTIVES for i in ("", "i")),
    "messages": ("mpi_send_ops", "mpi_isend_ops", "mpi_sendrecv_ops"),
    "message_bytes": SENT,
    "mpiio_bytes": tuple(f"mpiio_write{kind}_bytes" for kind in ("", "_all", "_shared", "_split")),
    "cpu_ns": ("os_user_ns", "os_system_ns"),
    "instructions": ("perf_instructions",),
    # Time in calls that move files' bytes, in the slice in which it passed.
    "busy_ns": ("state_io_ns", "state_mpiio_ns"),
}
METRICS = (*ON_MOUNTS, *OF_PROCESSES)
# Metrics that `evaluate` needs besides those of progress.
_ALWAYS = ("bytes", "write_ops", "read_ops", "service_ns", "service_ops", "busy_ns", "mpiio_bytes")


def columns(metrics: Iterable[str], *, on_mounts: bool) -> list[str]:
    """Return the names of the columns that an evaluation needs.

    Args:
        metrics: Metrics of progress; unknown ones need no columns.
        on_mounts: Return the columns of mount_slices, else those of slices.
    """
    table = ON_MOUNTS if on_mounts else OF_PROCESSES
    wanted = dict.fromkeys([*_ALWAYS, *metrics])
    return list(
        dict.fromkeys(name for metric_name in wanted for name in table.get(metric_name, ()))
    )


def progress_of(
    job: str, rows: pa.Table, metric: str, resource: str | None = None, begin_ns: int | None = None
) -> JobProgress:
    """Return the progress of every process of a job in every slice.

    A record that covers several slices gives each the same share; slices without a record are 0.
    The first record of a process covers about a second. If the job is known to have begun its work
    in that time, slices before the begin get 0. A job uses only part of its first and last slices;
    callers that compute rates must take that into account.

    Args:
        job: The job.
        rows: Repository.job_mount_slices for the metrics of ON_MOUNTS, Repository.job_slices for
            those of OF_PROCESSES.
        metric: Metric of progress.
        resource: Count only this mount; None: all mounts.
        begin_ns: Begin of the job's work, ns since the epoch, if known.

    Returns:
        Amounts per process and slice. Processes without progress (launchers, shells) are left out;
        a job without progress has no processes.

    Raises:
        ValueError: The metric is unknown, or the slices of the job differ in length.
    """
    names = ON_MOUNTS.get(metric) or OF_PROCESSES.get(metric)
    if names is None:
        raise ValueError(f"progress cannot be counted in {metric!r}; known: {', '.join(METRICS)}")
    if resource is not None and metric in ON_MOUNTS:
        rows = rows.filter(pc.equal(rows.column("mount"), resource))
    amount = np.zeros(rows.num_rows)
    for name in names:
        if name in rows.column_names:
            amount += ints(rows, name)
    lengths = np.unique(ints(rows, "slice_ns"))
    if len(lengths) > 1:
        raise ValueError(f"slices of {job} differ in length: {', '.join(map(str, lengths))} ns")
    moved = np.flatnonzero(amount > 0)
    if not len(moved):
        return JobProgress(job, int(lengths[0]) if len(lengths) else 0, 0, np.zeros((0, 0)))
    process, first, span = (ints(rows, name)[moved] for name in ("process", "slice", "span"))
    span = np.maximum(span, 1)
    if begin_ns is not None:
        begin = begin_ns // int(lengths[0])
        within = (first < begin) & (begin < first + span)
        span = np.where(within, first + span - begin, span)
        first = np.where(within, begin, first)
    return _laid(job, int(lengths[0]), (process, first, span), amount[moved])


def _laid(job: str, slice_ns: int, keys: tuple[Ints, Ints, Ints], amount: Floats) -> JobProgress:
    process, first, span = keys
    known, row = np.unique(process, return_inverse=True)
    begin = int(first.min())
    width = int((first + span).max()) - begin
    values = np.zeros((len(known), width))
    source = np.repeat(np.arange(len(row)), span)
    within = np.arange(len(source)) - np.repeat(np.cumsum(span) - span, span)
    place = first[source] - begin + within
    np.add.at(values, (row[source], place), amount[source] / span[source])
    # Only the first record of a process can cover the time before profiling began.
    youth = np.full(len(known), np.iinfo(np.int64).max)
    np.minimum.at(youth, row, first)
    long = (first == youth[row]) & (span > 1)
    certain = int((first + span)[long].max(initial=begin))
    return JobProgress(job, slice_ns, begin, values, tuple(known.tolist()), certain)


@dataclass
class ProgressTables:
    """Progress of jobs by name, for `evaluate`; each job is queried once.

    Attributes:
        mount_slices: Repository.job_mount_slices.
        slices: Repository.job_slices.
        resource: The shared mount, the same for all jobs or by job; None: all mounts.
        own: Progress from another source by (job, metric), such as a signal's log, for loads that
            profiles do not show.
        begins: Function that returns the begin of a job's work, ns since the epoch, if known.
    """

    mount_slices: Callable[[str], pa.Table]
    slices: Callable[[str], pa.Table]
    resource: str | Callable[[str], str | None] | None = None
    own: Mapping[tuple[str, str], JobProgress] = field(default_factory=dict)
    begins: Callable[[str], int | None] = lambda job: None
    _tables: dict[tuple[str, bool], pa.Table] = field(default_factory=dict, repr=False)

    def __call__(self, job: str, metric: str) -> JobProgress | None:
        """Return a job's progress, or None if it is unknown.

        Includes bytes written through an MPI-IO that bypasses POSIX calls, whatever the mount.
        """
        if (job, metric) in self.own:
            return self.own[job, metric]
        resource = self.resource(job) if callable(self.resource) else self.resource
        begin = self.begins(job)
        job_progress = progress_of(
            job, self._table(job, metric in ON_MOUNTS), metric, resource, begin
        )
        if not len(job_progress.values) and metric == "bytes":
            job_progress = progress_of(
                job, self._table(job, mounts=False), "mpiio_bytes", None, begin
            )
        return job_progress if len(job_progress.values) else None

    def _table(self, job: str, mounts: bool) -> pa.Table:
        if (job, mounts) not in self._tables:
            ask = self.mount_slices if mounts else self.slices
            self._tables[job, mounts] = ask(job)
        return self._tables[job, mounts]


def progress_of_log(job: str, slices: pa.Table, slice_ns: int, column: str) -> JobProgress:
    """Return progress from a signal's log, for loads that profiles do not show (memory, CPU).

    Args:
        job: The job.
        slices: The log's slices: host, pid, slice, operations, bytes (jostle_lab.signals.read_log).
        slice_ns: Slice length of the log, in ns.
        column: "operations" or "bytes".
    """
    if not slices.num_rows:
        return JobProgress(job, slice_ns, 0, np.zeros((0, 0)))
    hosts, pids = (slices.column(name).to_pylist() for name in ("host", "pid"))
    names = [f"{host} {pid}" for host, pid in zip(hosts, pids, strict=True)]
    process = np.unique(np.array(names), return_inverse=True)[1].astype(np.int64)
    first = ints(slices, "slice")
    ones = np.ones(len(first), dtype=np.int64)
    return _laid(job, slice_ns, (process, first, ones), ints(slices, column).astype(np.float64))
