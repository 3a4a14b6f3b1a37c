"""A whole job for trace viewers: its processes, neighbours, loads on mounts, and losses."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jostle.cli.views.interval_files import trace_events
from jostle.report.models.background import background_of
from jostle.report.models.metrics import view
from jostle.repository.store.files import cannot_write

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import Estimate
    from jostle.repository import Repository

#: Numbers of the groups of tracks (losses have 1, see `trace_events`).
_NEIGHBOURS, _MOUNTS, _NODES = 2, 3, 10


def write_job_trace(store: Repository, job: str, estimate: Estimate | None, path: Path) -> int:
    """Write a job in the Trace Event Format, which Perfetto and Chrome read.

    Args:
        store: The repository.
        job: The job's full name.
        estimate: What it lost, and when; None where that could not be estimated.
        path: The file; replaced whole when it is there.

    Returns:
        How many events there are.

    Raises:
        RepositoryError: The file cannot be written.
    """
    events = list(job_events(store, job, estimate))
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        document = {"traceEvents": events, "displayTimeUnit": "ms"}
        temporary.write_text(json.dumps(document, ensure_ascii=False) + "\n", encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        raise cannot_write(path, error) from error
    finally:
        temporary.unlink(missing_ok=True)
    return len(events)


def job_events(store: Repository, job: str, estimate: Estimate | None) -> Iterator[dict[str, Any]]:
    """Yield the events of a job; times are microseconds since the Unix epoch.

    Each node is a group with a track per process; the other jobs that ran meanwhile have a track
    each; each mount has two counters, the job's own load and that of all others, in bytes/s.
    """
    if estimate is not None:
        yield from trace_events(estimate)["traceEvents"]
    loads = background_of(store, job, view("bytes"))
    yield from _processes(store, job)
    yield from _neighbours(store, loads.jobs)
    yield _named("process_name", _MOUNTS, 0, "background on mounts")
    lines = [("this job, all mounts", loads.own)]
    lines += [(f"others on {load.resource}", load.lines) for load in loads.resources]
    for name, steps in lines:
        labels = [line.label for line in loads.view.lines]
        for number, edge in enumerate(steps[0].edges[:-1].tolist()):
            length_s = steps[0].slice_ns / 1e9
            rates = {
                label: float(line.values[number]) / length_s
                for label, line in zip(labels, steps, strict=True)
            }
            yield {"ph": "C", "name": f"{name} (bytes/s)", "pid": _MOUNTS, "tid": 0,
                   "ts": edge / 1000, "args": rates}  # fmt: skip


def _processes(store: Repository, job: str) -> Iterator[dict[str, Any]]:
    """Yield a group per node, with a track per process."""
    rows = store.job_processes(job).to_pylist()
    hosts = {host: _NODES + n for n, host in enumerate(sorted({row["host"] for row in rows}))}
    for host, number in hosts.items():
        yield _named("process_name", number, 0, f"node {host}")
    for track, row in enumerate(rows, 1):
        group = hosts[row["host"]]
        name = f"{row['program'] or '?'} {row['pid']}"
        end = row["end_ns"] or (row["last_slice"] + 1) * row["slice_ns"]
        yield _named("thread_name", group, track, name)
        yield _span(name, row["start_ns"], end, group, track)


def _neighbours(store: Repository, jobs: list[str]) -> Iterator[dict[str, Any]]:
    """Yield a track per other job that ran meanwhile on the job's mounts."""
    yield _named("process_name", _NEIGHBOURS, 0, "other jobs beside it")
    for track, row in enumerate(store.jobs(jobs).to_pylist() if jobs else [], 1):
        yield _named("thread_name", _NEIGHBOURS, track, row["job"])
        yield _span(row["job"], row["start_ns"], row["end_ns"], _NEIGHBOURS, track)


def _named(kind: str, group: int, track: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": kind, "pid": group, "tid": track, "args": {"name": name}}


def _span(name: str, start_ns: int, end_ns: int, group: int, track: int) -> dict[str, Any]:
    return {"ph": "X", "name": name, "cat": "run", "pid": group, "tid": track,
            "ts": start_ns / 1000, "dur": max(end_ns - start_ns, 0) / 1000, "args": {}}  # fmt: skip
