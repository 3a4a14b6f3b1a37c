"""Fabrics and the loads of their links, as far as they may be shown to a viewer.

A viewer who may not see all jobs gets only the routed traffic of visible jobs, not the counters of
ports. By subtraction these would reveal the load of all other jobs, which may be that of a single
job (docs/adr/0030).
"""

from __future__ import annotations

import json
import struct
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from jostle.network import link_loads, shared_links
from jostle.network.zone_pairs import Zones, zone_loads
from jostle.report.models.machines.link_facts import NO_JOB, FabricLoads
from jostle.repository import Repository
from jostle.repository.store.fabrics import fabrics_folder
from jostle.server.access import Viewer
from jostle.server.system.node_grid import GridAxis
from jostle.server.system.queries import Life
from jostle.topology import Topology, valid_at

#: The longest span that is routed at once, ns.
LONGEST_NS = 86_400 * 10**9


def all_fabrics(repository: Repository) -> list[Topology]:
    """Return all versions of all fabrics, by name and time."""
    found = repository.topologies()
    return sorted(found, key=lambda each: (each.name, each.valid_from_ns))


def fabrics_mark(repository: Repository) -> tuple[tuple[str, int], ...]:
    """Return names and times of the fabrics' files, a key that changes with each import."""
    folder = fabrics_folder(repository.path)
    files = folder.iterdir() if folder.is_dir() else ()
    return tuple(sorted((file.name, file.stat().st_mtime_ns) for file in files))


def fabric_at(repository: Repository, name: str, time_ns: int) -> Topology | None:
    """Return the version of a fabric at a time, else its first version; None: no such fabric."""
    versions = [each for each in all_fabrics(repository) if each.name == name]
    return valid_at(versions, name, time_ns) or (versions[0] if versions else None)


def fabric_of(repository: Repository, hosts: Collection[str], time_ns: int) -> Topology | None:
    """Return the fabric that has most of some nodes at a time; None: no fabric has any."""
    names = dict.fromkeys(each.name for each in all_fabrics(repository))
    fabrics = [each for name in names if (each := fabric_at(repository, name, time_ns))]
    best = max(fabrics, key=lambda each: len(each.adapters_of.keys() & hosts), default=None)
    return best if best is not None and best.adapters_of.keys() & hosts else None


def fabric_loads(
    repository: Repository,
    topology: Topology,
    lives: Sequence[Life],
    viewer: Viewer,
    span: tuple[int, int],
    steps: int,
) -> FabricLoads:
    """Return the loads of a fabric's links over a span, as far as a viewer may see them.

    Args:
        repository: The repository.
        topology: The fabric.
        lives: Run times of all jobs on their nodes.
        viewer: The viewer.
        span: Start and end, ns since the epoch. The span is cut to the time of visible jobs, and to
            its last LONGEST_NS, since all messages in it must be read.
        steps: Largest number of steps.
    """
    visible = [life for life in lives if viewer.sees(life.uid)]
    end = min(span[1], max((life.end_ns for life in visible), default=0))
    axis = GridAxis.of((max(span[0], end - LONGEST_NS), span[1]), visible, steps)
    jobs = None if viewer.sees_all else sorted({life.job for life in visible})
    traffic = repository.traffic((axis.start_ns, axis.end_ns), jobs)
    # Ports count the traffic of all users.
    ports = repository.port_counters((axis.start_ns, axis.end_ns)) if viewer.sees_all else None
    return FabricLoads(
        link_loads(topology, traffic, (axis.start_ns, axis.step_ns, axis.columns), ports)
    )


def packed_loads(fabric: FabricLoads, first: int, count: int, before: str = "") -> bytes:
    """Return the loads of some steps as numbers after a header.

    Args:
        fabric: Loads of the links.
        first: Number of the first step.
        count: Number of steps; cut to the existing ones.
        before: Job that is preferred to busier ones, as for `FabricLoads.busiest_jobs`.

    Returns:
        Bytes, little endian:

        - the length of the header, uint32;
        - the header, JSON, padded to four bytes: start_ns, step_ns, first, steps, links, low_high,
          waiting, and measured (the links whose ports have counters);
        - the loads, steps x links, float32, bytes per second;
        - if low_high: the highest loads that adaptive routing can have caused, in the same form;
        - if waiting: the share of the time that data waited, in the same form, NaN where the port
          has no counters;
        - the index of the busiest job in the overview's jobs, steps x links, uint16.
    """
    start, step, steps = fabric.loads.axis
    first = min(first, steps)
    count = min(count, steps - first)
    low, high = fabric.rates(first, count)
    header = {
        "start_ns": start,
        "step_ns": step,
        "first": first,
        "steps": count,
        "links": low.shape[1],
        "low_high": fabric.has_range,
        "waiting": fabric.has_waiting,
        "measured": np.flatnonzero(fabric.loads.is_measured).tolist(),
    }
    parts = [low, *([high] if fabric.has_range else [])]
    if fabric.has_waiting:
        parts.append(fabric.waiting(first, count))
    numbers = [part.astype("<f4").tobytes() for part in parts]
    who = fabric.busiest_jobs(first, count, before).astype("<u2").tobytes()
    return headed(header, b"".join(numbers) + who)


def zone_steps(
    repository: Repository,
    fabric: FabricLoads,
    zones: Zones,
    viewer: Viewer,
    lives: Sequence[Life],
    steps: range,
    before: str = "",
) -> bytes:
    """Return the traffic between zones in some steps, as numbers after a header.

    Args:
        repository: The repository.
        fabric: Loads with the same steps and jobs.
        zones: The zones.
        viewer: The viewer; jobs that the viewer may not see are left out.
        lives: Run times of all jobs on their nodes.
        steps: The steps.
        before: Job that is preferred to busier ones, as for `FabricLoads.busiest_jobs`.

    Returns:
        Bytes as in `packed_loads`:

        - the header: start_ns, step_ns, first, steps, modelled, and zones ([{name, vertices}]);
        - the traffic from zone to zone, steps x zones x zones, float32, bytes per second;
        - the index of the busiest job, steps x zones x zones, uint16.
    """
    start, step, _ = fabric.loads.axis
    begin = start + steps.start * step
    jobs = (
        None if viewer.sees_all else sorted({life.job for life in lives if viewer.sees(life.uid)})
    )
    traffic = repository.traffic((begin, begin + len(steps) * step), jobs)
    topology = fabric.loads.topology
    found = zone_loads(topology, traffic, (begin, step, len(steps)), zones)
    cells = len(zones.names) ** 2
    best, total = np.zeros((2, len(steps), cells))
    who = np.full(best.shape, NO_JOB, np.uint16)
    for place, job in enumerate(fabric.jobs[:NO_JOB]):
        if job in found.jobs:
            load = found.jobs[job].toarray()
            more = load > (0 if job == before else best)
            who[more] = place
            best[more] = np.inf if job == before else load[more]
            total = total + load
    header = {
        "start_ns": start,
        "step_ns": step,
        "first": steps.start,
        "steps": len(steps),
        "modelled": found.modelled,
        "zones": [
            {"name": name, "vertices": list(vertices)}
            for name, vertices in zip(zones.names, zones.vertices, strict=True)
        ],
    }
    numbers = (total / fabric.step_s).astype("<f4").tobytes() + who.astype("<u2").tobytes()
    return headed(header, numbers)


def headed(header: dict[str, Any], numbers: bytes) -> bytes:
    """Return the length of a header, the header, padded to four bytes, and the numbers."""
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    return struct.pack("<I", len(text)) + text + numbers


def placed(lives: Sequence[Life], viewer: Viewer, at_ns: int) -> dict[str, Any]:
    """Return the visible jobs on each node at a time."""
    there = [
        life for life in lives if viewer.sees(life.uid) and life.start_ns <= at_ns < life.end_ns
    ]
    jobs = list(dict.fromkeys(life.job for life in there))
    place = {job: number for number, job in enumerate(jobs)}
    return {"jobs": jobs, "job_of": {life.host: place[life.job] for life in there}}


def jobs_alongside(fabric: FabricLoads, job: str) -> list[str]:
    """Return the jobs that share links with a job, those with the most traffic first."""
    others = [other for other in fabric.jobs if other not in ("", job)]
    return [other for other in others if len(shared_links(fabric.loads, job, other).places)]
