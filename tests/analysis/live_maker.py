"""Makes the slices of running jobs, with noise and slow-downs whose truth is known."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from jostle.repository.query.live import LiveJob, LiveRows, MountRow, NodeRow

EPOCH_NS = 1_700_000_000_000_000_000
SLICE_NS = 4_000_000_000
MOUNT, HOST = "nfs:server:/scratch", "node1"
Floats = NDArray[np.float64]


def noise(rng: np.random.Generator, size: int, spread: float, memory: float = 0.2) -> Floats:
    """Return autocorrelated noise of a logarithm, with lone slices that are much slower."""
    values = rng.normal(0, spread * math.sqrt(1 - memory**2), size)
    for at in range(1, size):
        values[at] += memory * values[at - 1]
    lone = rng.random(size) < 0.002
    values[lone] += rng.uniform(0.05, 0.5, int(lone.sum()))
    return values


def reader(job: str, slow: Floats, ops: float | Floats = 1000.0) -> list[MountRow]:
    """Return the slices of a job of one process that reads.

    Args:
        job: Its name.
        slow: Natural logarithm of what its reads take, as a multiple of 2 ms.
        ops: Reads in a slice.
    """
    many = np.broadcast_to(ops, slow.shape)
    return [
        MountRow(
            job,
            MOUNT,
            EPOCH_NS + at * SLICE_NS,
            SLICE_NS,
            1,
            (int(n), 0, 0, 0),
            (int(n) * 0.002 * math.exp(log), 0.0, 0.0, 0.0),
            (int(n) << 20, 0, 0, 0),
            (int(n) * 0.002 * math.exp(log), 0.0, 0.0, 0.0),
        )
        for at, (log, n) in enumerate(zip(slow.tolist(), many.tolist(), strict=True))
        if n
    ]


def stencil(job: str, iteration_s: Floats, work_s: Floats, ranks: int = 4) -> list[NodeRow]:
    """Return the slices of an MPI job: iterations of a length, and what is computed in each."""
    rows = []
    for at, (length, work) in enumerate(zip(iteration_s.tolist(), work_s.tolist(), strict=True)):
        calls = round(4 / length * ranks * 100)
        busy = calls / 100 * work
        start = EPOCH_NS + at * SLICE_NS
        mpi = 4.0 * ranks - busy
        rows.append(
            NodeRow(
                job, HOST, start, SLICE_NS, ranks, 4.0 * ranks, 0.0, calls, calls << 10, ranks, mpi
            )
        )
    return rows


def busy(job: str, cores: Floats, count: int = 1, queue_s: Floats | None = None) -> list[NodeRow]:
    """Return the slices of a job that computes on a number of cores, and waits for them."""
    waits = np.zeros(len(cores)) if queue_s is None else queue_s
    return [
        NodeRow(job, HOST, EPOCH_NS + at * SLICE_NS, SLICE_NS, count, 4 * used, waited)
        for at, (used, waited) in enumerate(zip(cores.tolist(), waits.tolist(), strict=True))
        if used
    ]


def together(
    mounts: Sequence[MountRow] = (), nodes: Sequence[NodeRow] = (), ranks: int = 0
) -> LiveRows:
    """Return rows of jobs that still run, in time."""
    first: dict[str, int] = {}
    for row in (*mounts, *nodes):
        if isinstance(row, MountRow) or row.count:
            first[row.job] = min(first.get(row.job, row.start_ns), row.start_ns)
    jobs = tuple(
        LiveJob(job, job.partition("-")[0], 1000, start, 0, 1, ranks, (HOST,), SLICE_NS)
        for job, start in sorted(first.items())
    )
    newest = max(row.start_ns + row.length_ns for row in (*mounts, *nodes))
    return LiveRows(
        jobs,
        tuple(sorted(mounts, key=lambda row: row.start_ns)),
        tuple(sorted(nodes, key=lambda row: row.start_ns)),
        newest,
    )


def until(rows: LiveRows, slices: int, since: int = 0) -> LiveRows:
    """Return the rows of the slices from one number to another."""
    lo, hi = EPOCH_NS + since * SLICE_NS, EPOCH_NS + slices * SLICE_NS
    mounts = tuple(row for row in rows.mounts if lo <= row.start_ns < hi)
    nodes = tuple(row for row in rows.nodes if lo <= row.start_ns < hi)
    seen = [row.start_ns + row.length_ns for row in (*mounts, *nodes)]
    return LiveRows(rows.jobs, mounts, nodes, max(seen, default=0))
