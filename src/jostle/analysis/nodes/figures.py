"""Defines the figures (measures) by which components are compared, one for each kind of fault.

A figure has one value per component and slice (or day), on a logarithmic scale, so that a
difference of 0.1 means 10 %. It is compared among components of one kind on similar machines, at
similar loads: loads are divided into bins.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from jostle.repository.store.layout import NO_GPU

#: Fewest slices of a bin in which a component was busy, for a figure in it on that day.
LEAST_SLICES = 10


@dataclass(frozen=True)
class Figure:
    """A figure by which components are compared, as SQL conditions and expressions.

    Attributes:
        name: Name of the figure, as shown to users.
        kinds: Kinds of components that have the figure.
        worse: Whether more or less of the figure is worse.
        least: Least persistent difference, in addition to the spread of healthy components, that
            is reported; on the logarithmic scale.
        busy: SQL condition for slices in which the component was busy enough to be compared.
        value: SQL for the value in a slice; for a rate, SQL for the events that are counted.
        load: SQL for the bin of load, which must be equal in slices that are compared; "0": slices
            of all loads are compared.
        per: For a rate, SQL for what the count of a day is divided by; "" if the figure is no rate.
        lower_bound: Lower bound of rates; smaller rates do not matter.
        unit: For a rate, the unit of its divisor.
    """

    name: str
    kinds: tuple[str, ...]
    worse: Literal["more", "less"]
    least: float
    busy: str
    value: str
    load: str = "0"
    per: str = ""
    lower_bound: float = 0.0
    unit: str = ""

    @property
    def sign(self) -> int:
        """1 if more of the figure is worse, -1 if less of it is worse."""
        return 1 if self.worse == "more" else -1


_S = "(slice_ns * span)"
_STORAGE = (
    "disk",
    "nfs_mount",
    "lustre_mount",
    "gpfs_mount",
    "ceph_mount",
    "lustre_ost",
    "gpfs_disk",
    "ceph_osd",
)
_METADATA = ("nfs_mount", "lustre_mount", "ceph_mount", "lustre_mdt", "ceph_mds")
_LINKS = ("port", "interface")
_OPS = "(storage_read_ops + storage_write_ops)"
_BYTES = "(storage_read_bytes + storage_write_bytes)"
_NS = "(CASE WHEN storage_wait_ops > 0 THEN storage_wait_ns / storage_wait_ops ELSE "
_NS += f"(storage_read_ns + storage_write_ns) / nullif({_OPS}, 0) END)"
_CPU = "(cpu_user_ns + cpu_system_ns)"
_CORES = f"greatest({_CPU} + cpu_idle_ns, 1)"
_PACKETS = "(link_receive_packets + link_send_packets)"
_LINK_BYTES = "(link_receive_bytes + link_send_bytes)"
#: Requests per second, and bytes per request, in powers of two.
_LIKE_REQUESTS = (
    f"round(log2(1 + {_OPS} * 1e9 / {_S}))::BIGINT * 100 "
    f"+ round(log2(1 + {_BYTES} / greatest({_OPS}, 1)))::BIGINT"
)
#: Requests at once, and bytes per request, in powers of two.
_LIKE_QUEUES = (
    "round(log2(1 + storage_wait_ns / greatest(storage_busy_ns, 1)))::BIGINT * 100 "
    f"+ round(log2(1 + {_BYTES} / greatest({_OPS}, 1)))::BIGINT"
)
#: GPUs with as much memory and the same highest clock, at a like load.
_LIKE_GPUS = (
    f"round(memory_limit_bytes / 1e9)::BIGINT * 10000000 + (device_clock_limit_khz // 1000) * 100 "
    f"+ round(8 * device_busy_ns / {_S})::BIGINT"
)
_GPU_BUSY = f"device_busy_ns >= 0.25 * {_S} AND device_clock_limit_khz > 0"

FIGURES: tuple[Figure, ...] = (
    Figure(
        "time per request",
        _STORAGE,
        "more",
        0.10,
        f"{_OPS} >= 16 AND {_NS} > 0",
        _NS,
        _LIKE_REQUESTS,
    ),
    Figure(
        "time per metadata request",
        _METADATA,
        "more",
        0.10,
        "storage_meta_ops >= 16 AND storage_meta_ns > 0",
        "storage_meta_ns / storage_meta_ops",
        f"round(log2(1 + storage_meta_ops * 1e9 / {_S}))::BIGINT",
    ),
    Figure(
        "throughput when busy",
        ("disk",),
        "less",
        0.10,
        f"storage_busy_ns >= 0.25 * {_S} AND {_BYTES} > 0",
        f"{_BYTES} / storage_busy_ns",
        _LIKE_QUEUES,
    ),
    Figure(
        "failed or repeated requests",
        _STORAGE,
        "more",
        0.7,
        f"{_OPS} > 0",
        "storage_error_ops + storage_retry_ops",
        per=_OPS,
        lower_bound=1e-5,
        unit="request",
    ),
    Figure(
        "frequency under load",
        ("machine",),
        "less",
        0.02,
        f"cpu_frequency_khz > 0 AND {_CPU} >= 0.25 * {_CORES}",
        "cpu_frequency_khz",
        f"round(8 * {_CPU} / {_CORES})::BIGINT",
    ),
    Figure(
        "throttled time",
        ("machine",),
        "more",
        0.7,
        f"{_CPU} > 0",
        "cpu_throttle_ns",
        per=_CPU,
        lower_bound=1e-3,
        unit="s of CPU time",
    ),
    Figure(
        "stolen time",
        ("machine",),
        "more",
        0.7,
        f"{_CPU} > 0",
        "cpu_steal_ns",
        per=f"({_CPU} + cpu_steal_ns)",
        lower_bound=2e-3,
        unit="s of CPU time",
    ),
    Figure("memory", ("machine",), "less", 0.02, "memory_limit_bytes > 0", "memory_limit_bytes"),
    Figure("link rate", _LINKS, "less", 0.02, "link_rate_bytes > 0", "link_rate_bytes"),
    Figure(
        "waiting to send",
        _LINKS,
        "more",
        0.25,
        "link_wait_ticks > 0 AND link_send_bytes > 65536",
        "link_wait_ticks / link_send_bytes",
        f"round(log2(1 + link_send_bytes * 1e9 / {_S}))::BIGINT",
    ),
    Figure(
        "errors, drops and repeats",
        _LINKS,
        "more",
        0.7,
        f"{_PACKETS} > 0",
        "link_error_ops + link_drop_ops + link_retry_ops",
        per=_PACKETS,
        lower_bound=1e-7,
        unit="packet",
    ),
    Figure(
        "times down",
        _LINKS,
        "more",
        0.7,
        f"{_PACKETS} > 0",
        "link_down_ops",
        per=f"{_S} / 86400e9",
        lower_bound=0.5,
        unit="day",
    ),
    Figure(
        "clock under load",
        ("gpu",),
        "less",
        0.02,
        f"{_GPU_BUSY} AND device_clock_khz > 0",
        "device_clock_khz",
        _LIKE_GPUS,
    ),
    Figure(
        "time slowed by power or heat",
        ("gpu",),
        "more",
        0.7,
        _GPU_BUSY,
        "device_throttle_ns",
        _LIKE_GPUS,
        per="device_busy_ns",
        lower_bound=1e-3,
        unit="s of busy time",
    ),
    Figure(
        "PCIe rate under load",
        ("gpu",),
        "less",
        0.02,
        f"{_GPU_BUSY} AND link_rate_bytes > 0",
        "link_rate_bytes",
        _LIKE_GPUS,
    ),
    Figure(
        "errors of a GPU",
        ("gpu",),
        "more",
        0.7,
        "device_clock_limit_khz > 0",
        "device_error_ops",
        per=f"{_S} / 86400e9",
        lower_bound=0.5,
        unit="day",
    ),
)
#: Figures from the slices of jobs: components that one job used are compared.
JOB_FIGURES: tuple[Figure, ...] = (
    Figure(
        "time per call in jobs",
        ("job_mount",),
        "more",
        0.10,
        "posix_read_ops + posix_write_ops >= 4 AND posix_read_ns + posix_write_ns > 0",
        "(posix_read_ns + posix_write_ns) / (posix_read_ops + posix_write_ops)",
        "round(log2(1 + (posix_read_bytes + posix_write_bytes) "
        "/ (posix_read_ops + posix_write_ops)))::BIGINT",
    ),
    Figure(
        "frequency in jobs",
        ("job_cores",),
        "less",
        0.02,
        f"perf_cycles > 0 AND perf_task_clock_ns >= 0.25 * {_S}",
        "perf_cycles / perf_task_clock_ns",
    ),
    Figure(
        "rate of copies to it in jobs",
        ("job_gpu",),
        "less",
        0.10,
        "gpu_h2d_ops >= 4 AND gpu_h2d_ns > 0 AND gpu_h2d_bytes >= 65536 * gpu_h2d_ops",
        "gpu_h2d_bytes / gpu_h2d_ns",
        "round(log2(gpu_h2d_bytes / gpu_h2d_ops))::BIGINT",
    ),
    Figure(
        "memory latency in jobs",
        ("job_memory",),
        "more",
        0.10,
        "memory_probe_count > 0 AND memory_latency_ns > 0",
        "memory_latency_ns / memory_probe_count",
    ),
    Figure(
        "memory bandwidth in jobs",
        ("job_memory",),
        "less",
        0.10,
        "memory_probe_count > 0 AND memory_stream_ns > 0",
        "memory_probe_count / memory_stream_ns",
    ),
)
EVERY = FIGURES + JOB_FIGURES

BY_NAME = {figure.name: figure for figure in EVERY}


def days_sql(between: str) -> str:
    """Return SQL for the values of all figures per component, day and bin of load.

    The query reads the table component_slices once. Its columns are figure (index in FIGURES),
    kind, host, name, source, mount, day (since the epoch, UTC), load, slices (their number), and
    value (logarithmic; mean over the slices). Components that belong to a batch job are left out,
    since they are no hardware.

    Args:
        between: SQL condition for the slices to read.
    """
    kinds = sorted({f"'{kind}'" for figure in FIGURES for kind in figure.kinds})
    cases = ", ".join(_case(place, figure) for place, figure in enumerate(FIGURES))
    return f"""
SELECT f.figure AS figure, kind, host, name, source, mount, day, f.load AS load,
       count(*) AS slices,
       CASE WHEN max(f.per) > 0 THEN ln(sum(f.value) / sum(f.per) + max(f.lower_bound))
            ELSE avg(f.value) END AS value
FROM (SELECT kind, host, name, source, mount, slice * slice_ns // 86400000000000 AS day,
             unnest([{cases}]) AS f
      FROM component_slices
      WHERE kind IN ({", ".join(kinds)}) AND job = '' AND {between})
WHERE f IS NOT NULL
GROUP BY ALL HAVING count(*) >= {LEAST_SLICES}
"""


def job_days_sql(between: str) -> str:
    """Return SQL for values as those of `days_sql`, but from the slices of jobs.

    Slices of jobs show nodes without an agent, and how long copies to a GPU take, which no agent
    records. Only components that one job used in the same hour are compared, since its processes
    do similar work on all of them.

    Args:
        between: SQL condition for the slices to read.
    """
    calls, cores, copies, *memory = JOB_FIGURES
    place = len(FIGURES)
    without = f"{between} AND host NOT IN (SELECT host FROM machines)"
    alike = "(hash(job, slice * slice_ns // 3600000000000, {}) >> 2)::BIGINT"
    keys = "slice * slice_ns // 86400000000000 AS day"
    return f"""
SELECT {place} AS figure, 'job_mount' AS kind, host, mount AS name, '' AS source, mount, {keys},
       {alike.format(calls.load)} AS load, count(*) AS slices, avg(ln({calls.value})) AS value
FROM mount_slices
WHERE {without} AND {calls.busy} AND mount IN (SELECT mount FROM mounts WHERE shared)
GROUP BY ALL HAVING count(*) >= {LEAST_SLICES}
UNION ALL
SELECT {place + 1}, 'job_cores', host, host, '', '', {keys},
       {alike.format(cores.load)} AS load, count(*), avg(ln({cores.value}))
FROM slices
WHERE {without} AND {cores.busy}
GROUP BY ALL HAVING count(*) >= {LEAST_SLICES}
UNION ALL
SELECT {place + 2}, 'job_gpu', host, gpu, '', '', {keys},
       {alike.format(copies.load)} AS load, count(*), avg(ln({copies.value}))
FROM gpu_slices
WHERE {between} AND gpu <> '{NO_GPU}' AND {copies.busy}
GROUP BY ALL HAVING count(*) >= {LEAST_SLICES}
""" + "".join(
        f"""UNION ALL
SELECT {place + 3 + number}, 'job_memory', host, host, '', '', {keys},
       {alike.format(figure.load)} AS load, count(*), avg(ln({figure.value}))
FROM slices
WHERE {between} AND {figure.busy}
GROUP BY ALL HAVING count(*) >= {LEAST_SLICES}
"""
        for number, figure in enumerate(memory)
    )


def _case(place: int, figure: Figure) -> str:
    """Return SQL for the value of a figure in a row; NULL where the row has none."""
    kinds = ", ".join(f"'{kind}'" for kind in figure.kinds)
    known = " AND ".join(
        f"NOT contains(unknown, '{metric}')" for metric in _metrics_in(figure.value)
    )
    value = figure.value if figure.per else f"ln({figure.value})"
    return (
        f"CASE WHEN kind IN ({kinds}) AND {figure.busy} AND {known} THEN "
        f"{{'figure': {place}, 'load': ({figure.load})::BIGINT, 'value': ({value})::DOUBLE, "
        f"'per': ({figure.per or 0})::DOUBLE, 'lower_bound': {figure.lower_bound}::DOUBLE}} END"
    )


def _metrics_in(sql: str) -> list[str]:
    modules = r"(storage|link|cpu|memory|power|pressure|device)_"
    return sorted({word for word in re.findall(r"\w+", sql) if re.match(modules, word)})
