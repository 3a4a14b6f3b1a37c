"""Writes the logs that Darshan would have written for a repository's jobs.

Darshan logs have no time slices. So jostle's findings from the logs alone, compared with those from
the profiles and with the truth, show what slices are worth.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jostle.repository import Repository
from jostle_lab.synthetic.darshan_logs import LoggedFile, LoggedJob, write_log

#: Darshan's shortest bins, s, and how many it keeps at most before it doubles their width.
_SHORTEST_S, _MOST_BINS = 0.1, 200
_ROLLUP = """
SELECT job, mount, slice * slice_ns AS start_ns, any_value(slice_ns) AS slice_ns, {sums}
FROM rollup GROUP BY ALL ORDER BY job, mount, start_ns
"""
#: Counter of Darshan -> the metrics of jostle's whose sum it is.
_COUNTERS = {
    "POSIX_OPENS": ("posix_open_ops",),
    "POSIX_STATS": ("posix_meta_ops",),
    "POSIX_SEEKS": ("posix_seek_ops",),
    "POSIX_READS": ("posix_read_ops",),
    "POSIX_WRITES": ("posix_write_ops",),
    "POSIX_BYTES_READ": ("posix_read_bytes",),
    "POSIX_BYTES_WRITTEN": ("posix_write_bytes",),
}
_TIMES = {
    "POSIX_F_READ_TIME": "posix_read_ns",
    "POSIX_F_WRITE_TIME": "posix_write_ns",
    "POSIX_F_META_TIME": "posix_meta_ns",
}
#: Metric -> the stamps of its first and last operation.
_STAMPS = {"posix_read_ops": "READ", "posix_write_ops": "WRITE"}
_METRICS = tuple(
    dict.fromkeys((*(name for names in _COUNTERS.values() for name in names), *_TIMES.values()))
)


def write_logs(store: Repository, folder: Path, *, bins: bool = True) -> int:
    """Write the logs of all jobs of a repository.

    Args:
        store: The repository.
        folder: Folder for the logs; created if it does not exist.
        bins: Whether logs have heat maps, as those of Darshan 3.4 and newer; else they have only
            totals and the first and last access.

    Returns:
        Number of logs.

    Raises:
        OSError: A log cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    known = set(store.query("DESCRIBE rollup")["column_name"].to_pylist())
    sums = ", ".join(
        f"coalesce(sum({name}_sum), 0)::BIGINT AS {name}"
        if f"{name}_sum" in known
        else f"0 AS {name}"
        for name in _METRICS
    )
    by_job: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in store.query(_ROLLUP.format(sums=sums)).to_pylist():
        by_job[row["job"]].append(row)
    mounts: dict[str, dict[str, tuple[str, str]]] = defaultdict(dict)
    for row in store.query("SELECT DISTINCT job, mount, path, type FROM mounts").to_pylist():
        mounts[row["job"]][row["mount"]] = (row["path"], row["type"])
    jobs = store.jobs().to_pylist()
    for number, job in enumerate(jobs):
        logged = _log(number + 1, job, by_job[job["job"]], mounts[job["job"]], bins=bins)
        write_log(folder / f"{number:06d}.darshan", logged)
    return len(jobs)


def _log(
    number: int,
    job: Mapping[str, Any],
    rows: list[dict[str, Any]],
    mounts: Mapping[str, tuple[str, str]],
    *,
    bins: bool,
) -> LoggedJob:
    run_s = (job["end_ns"] - job["start_ns"]) / 1e9
    by_mount: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        by_mount[row["mount"]].append(row)
    files = [
        _file(mounts[mount][0], job, several, run_s)
        for mount, several in by_mount.items()
        if mount in mounts
    ]
    width = _SHORTEST_S
    while width * _MOST_BINS < run_s:
        width *= 2
    heat = {
        way: _binned(job, rows, f"posix_{way}_bytes", width, run_s) if bins else None
        for way in ("read", "write")
    }
    return LoggedJob(
        uid=int(job["uid"] or 0),
        job_id=number,
        processes=int(job["processes"]),
        start_ns=int(job["start_ns"]) | 1,  # to the nanosecond, as the clock of a new Darshan
        end_ns=int(job["end_ns"]),
        exe=f"/opt/{job['program']} input",
        mounts=[*mounts.values(), ("/", "ext4")],
        files=files,
        bin_s=width if bins else 0.0,
        read=heat["read"],
        written=heat["write"],
    )


def _file(
    path: str, job: Mapping[str, Any], rows: list[dict[str, Any]], run_s: float
) -> LoggedFile:
    """Return the one file of a job on a mount, which all of its processes share."""
    total = {name: sum(int(row[name]) for row in rows) for name in _METRICS}
    times = {name: total[metric] / 1e9 for name, metric in _TIMES.items()}
    for metric, name in _STAMPS.items():
        used = [row for row in rows if row[metric]]
        if used:
            begin = (used[0]["start_ns"] - job["start_ns"]) / 1e9
            end = (used[-1]["start_ns"] + used[-1]["slice_ns"] - job["start_ns"]) / 1e9
            times[f"POSIX_F_{name}_START_TIMESTAMP"] = min(max(begin, 1e-6), run_s)
            times[f"POSIX_F_{name}_END_TIMESTAMP"] = min(max(end, 1e-6), run_s)
    counters = {name: sum(total[each] for each in names) for name, names in _COUNTERS.items()}
    return LoggedFile(f"{path}/data", -1, counters, times)


def _binned(
    job: Mapping[str, Any], rows: list[dict[str, Any]], metric: str, width: float, run_s: float
) -> NDArray[np.int64]:
    """Return bytes by process and bin; the first process has the bytes of all, the others none."""
    many = max(int(np.ceil(run_s / width)), 1)
    edges = np.arange(many + 1) * width * 1e9
    start = np.array([row["start_ns"] - job["start_ns"] for row in rows], dtype=np.float64)
    length = np.array([row["slice_ns"] for row in rows], dtype=np.float64)
    moved = np.array([row[metric] for row in rows], dtype=np.float64)
    until = np.zeros(many + 1)
    for begin, span, bytes_ in zip(start, length, moved, strict=True):
        lo, hi = max(begin, 0.0), min(begin + span, run_s * 1e9)
        if bytes_ and hi > lo:
            until += bytes_ * np.clip((edges - lo) / (hi - lo), 0.0, 1.0)
    heat = np.zeros((int(job["processes"]), many), dtype=np.int64)
    heat[0] = np.diff(np.rint(until)).astype(np.int64)
    return heat
