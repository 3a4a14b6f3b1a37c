"""Writes a job for trace viewers: its processes, neighbours, loads on mounts, and losses."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from jostle.report.models.job.background import background_of
from jostle.report.models.job.gpu_steps import gpu_steps
from jostle.report.models.jobs import job_row, job_rows
from jostle.report.models.metrics import View, view

if TYPE_CHECKING:
    from jostle.analysis.estimation.model import Hit, RunEstimate
    from jostle.report.models.steps import Steps
    from jostle.repository import Repository

#: Numbers of the groups of tracks.
_LOSSES, _NEIGHBOURS, _MOUNTS, _GPUS, _NODES = 1, 2, 3, 4, 10


def job_trace(
    store: Repository, job: str, estimate: RunEstimate | None, users: frozenset[int] | None = None
) -> dict[str, Any]:
    """Return a job in the Trace Event Format, which Perfetto and Chrome read.

    Args:
        store: The repository.
        job: The job's full name.
        estimate: Estimate of the job's loss; None where there is none.
        users: Users (uids) whose jobs may be named. Jobs of other users are left out, and so are
            sums of other jobs' load. None: all users, and nothing is left out.
    """
    events = list(_job_events(store, job, estimate, users))
    return {"traceEvents": events, "displayTimeUnit": "ms"}


def _job_events(
    store: Repository, job: str, estimate: RunEstimate | None, users: frozenset[int] | None
) -> Iterator[dict[str, Any]]:
    """Yield the events of a job; times are microseconds since the Unix epoch.

    Each node is a group with a track per process. Each other job that ran meanwhile has a track.
    One counter shows the load of the job on all mounts, in bytes/s; one per mount shows the load of
    all other jobs. Each GPU has counters of the job's copies to the GPU and back, and of the time
    in which the GPU computed.
    """
    if estimate is not None:
        yield from trace_events(estimate)["traceEvents"]
    loads = background_of(store, job, view("bytes"))
    yield from _processes(store, job)
    yield from _neighbours(store, loads.jobs, users)
    yield _named("process_name", _MOUNTS, 0, "background on mounts")
    lines = [("this job, all mounts", loads.own)]
    if users is None:
        lines += [(f"others on {load.resource}", load.lines) for load in loads.resources]
    for name, steps in lines:
        yield from _counter(f"{name} (bytes/s)", _MOUNTS, loads.view, steps)
    yield from _gpus(store, job)


def _gpus(store: Repository, job: str) -> Iterator[dict[str, Any]]:
    """Yield counters of the job's GPUs, in a group that a job without GPUs does not get."""
    row, named = job_row(store, job), False
    for metric, what in (("gpu", "bytes/s"), ("gpu_busy_ns", "share of the time")):
        shown = view(metric)
        for gpu in gpu_steps(store, row, shown):
            if not any(line.values.any() for line in gpu.lines):
                continue
            if not named:
                yield _named("process_name", _GPUS, 0, "GPUs")
            named = True
            yield from _counter(f"{gpu.title} ({what})", _GPUS, shown, gpu.lines)


def _counter(name: str, group: int, shown: View, steps: list[Steps]) -> Iterator[dict[str, Any]]:
    """Yield the rate of a view per second in each slice."""
    length_s = steps[0].slice_ns / 1e9
    scale = length_s * (1e9 if shown.unit == "ns" else 1)
    for number, edge in enumerate(steps[0].edges[:-1].tolist()):
        rates = {
            line.label: float(each.values[number]) / scale
            for line, each in zip(shown.lines, steps, strict=True)
        }
        yield {"ph": "C", "name": name, "pid": group, "tid": 0, "ts": edge / 1000, "args": rates}


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


def _neighbours(
    store: Repository, jobs: list[str], users: frozenset[int] | None
) -> Iterator[dict[str, Any]]:
    """Yield a track per other job that used the job's mounts while it ran, and may be named."""
    rows = job_rows(store, jobs, traffic=False) if jobs else []
    yield _named("process_name", _NEIGHBOURS, 0, "other jobs alongside it")
    shown = [row for row in rows if users is None or row["uid"] in users]
    for track, row in enumerate(shown, 1):
        yield _named("thread_name", _NEIGHBOURS, track, row["job"])
        yield _span(row["job"], row["start_ns"], row["end_ns"], _NEIGHBOURS, track)


def _named(kind: str, group: int, track: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": kind, "pid": group, "tid": track, "args": {"name": name}}


def _span(name: str, start_ns: int, end_ns: int, group: int, track: int) -> dict[str, Any]:
    return {
        "ph": "X",
        "name": name,
        "cat": "run",
        "pid": group,
        "tid": track,
        "ts": start_ns / 1000,
        "dur": max(end_ns - start_ns, 0) / 1000,
        "args": {},
    }


def trace_events(estimate: RunEstimate) -> dict[str, Any]:
    """Return the spans of lost time in the Trace Event Format of Chrome, which Perfetto reads.

    Times are microseconds since the Unix epoch, so that other traces with this clock are aligned.
    Each cause and resource has tracks of its own. Events of one track must not overlap, so
    overlapping spans are put on several tracks.
    """
    events: list[dict[str, Any]] = [
        _named("process_name", _LOSSES, 0, f"{estimate.job}: interference"),
        _complete("assessed time", estimate.start_ns, estimate.end_ns, 1, _verdict(estimate)),
        _named("thread_name", _LOSSES, 1, "assessed time"),
    ]
    places: dict[tuple[str, str], list[Hit]] = {}
    for hit in estimate.hits:
        for part in hit.by_cause:
            own = replace(hit, seconds=part.seconds)
            places.setdefault((part.cause, part.resource), []).append(own)
    track = 1
    for (cause, resource), hits in places.items():
        name = f"{cause} {resource}".strip()
        lanes = lanes_of(hits)
        for lane in range(max(lanes) + 1):
            events.append(_named("thread_name", _LOSSES, track + 1 + lane, name))
        for hit, lane in zip(hits, lanes, strict=True):
            arguments = {"lost_s": hit.seconds, "resource": resource}
            if hit.cluster >= 0:
                arguments["cluster"] = hit.cluster
            events.append(
                _complete(f"lost to {cause}", hit.start_ns, hit.end_ns, track + 1 + lane, arguments)
            )
        track += max(lanes) + 1
    return {"traceEvents": events, "displayTimeUnit": "ms"}


def _verdict(estimate: RunEstimate) -> dict[str, Any]:
    return {
        "light": estimate.light,
        "sure": estimate.lit.sure,
        "undecided": estimate.lit.undecided,
        "percent": estimate.percent.value,
        "lost_s": estimate.lost_s.value,
        "run_s": estimate.run_s,
        "coverage": estimate.coverage,
        "method": estimate.method,
    }


def _complete(
    name: str, start_ns: int, end_ns: int, track: int, arguments: dict[str, Any]
) -> dict[str, Any]:
    return {
        "ph": "X",
        "name": name,
        "cat": "interference",
        "pid": _LOSSES,
        "tid": track,
        "ts": start_ns / 1000,
        "dur": (end_ns - start_ns) / 1000,
        "args": arguments,
    }


def lanes_of(hits: list[Hit]) -> list[int]:
    """Return for each span of lost time the first track that is free at its start."""
    lanes = [0] * len(hits)
    ends: list[tuple[int, int]] = []
    free: list[int] = []
    for place in sorted(range(len(hits)), key=lambda number: hits[number].start_ns):
        while ends and ends[0][0] <= hits[place].start_ns:
            heapq.heappush(free, heapq.heappop(ends)[1])
        lane = heapq.heappop(free) if free else len(ends)
        lanes[place] = lane
        heapq.heappush(ends, (hits[place].end_ns, lane))
    return lanes
