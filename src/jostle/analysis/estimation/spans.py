"""Estimates the time that a job without segments lost to interference, from its slices alone.

Slices show three kinds of loss: file calls that took longer than their work usually takes, time in
which threads waited for a core (starved.py), and, for MPI programs, time in which all ranks waited
at once. Slices do not show how long computation should take.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from jostle.analysis.estimation.attribute import (
    CauseSeconds,
    SliceEvidence,
    by_host,
    by_messages,
    causes,
    evidence,
    hits,
    spread_over,
)
from jostle.analysis.estimation.columns import Floats, Ints, share
from jostle.analysis.estimation.errors import EstimateError
from jostle.analysis.estimation.interval import doubt
from jostle.analysis.estimation.light import LEAST_SLICES
from jostle.analysis.estimation.model import RunEstimate
from jostle.analysis.estimation.robust import usual
from jostle.analysis.estimation.service import FileService, services
from jostle.analysis.estimation.starved import alive, own_limits, starved
from jostle.analysis.interval import Interval
from jostle.repository.types import RunTables
from jostle.values.arrow_columns import floats

_LEAST = 0.02  # of a slice
_MOST_SPANS = 2_000_000
# CPU time of other jobs on a node, as a share of the run, from which on its cores may be slower.
_CROWD = 0.05
# Share of computation time that may be lost then: it takes up to 1.5 times as long (core siblings).
_SLOWED = 1 / 3


@dataclass(frozen=True)
class _RunSlices:
    """The spans of time for which losses are computed: the slices of a run, without overlap.

    Attributes:
        start: Start of each span, ns, [spans].
        end: End of each span, ns, [spans].
    """

    start: Ints
    end: Ints

    @property
    def seconds(self) -> Floats:
        result: Floats = (self.end - self.start) / 1e9
        return result


def estimate_slices(tables: RunTables, *, seed: int = 0) -> RunEstimate:
    """Estimate the time that a job lost to interference, from its slices.

    Args:
        tables: The tables of the run.
        seed: Seed of the random steps.

    Raises:
        EstimateError: The job has no slices.
    """
    begin, end, processes = _life(tables)
    spans = _spans(tables.slices, begin, end)
    served = services(tables.mount_slices)
    shown = evidence(spans.start, spans.end, tables.slices, served)
    run = (end - begin) / 1e9
    mpi = bool(floats(tables.processes, "world_size").any())
    queue, most = (shown.queue, shown.queue) if mpi else _queue(tables.slices, spans, begin, end)
    parts = _parts(tables.slices, spans, shown, served, queue)
    lost = sum((part.seconds for part in parts), np.zeros(len(spans.start)))
    lost = np.minimum(lost, spans.seconds)
    total = min(float(lost.sum()), run)
    others = _others(tables, run)
    # Whether it had a core is always known; how fast the core was with others active is not.
    coverage = _coverage(tables, spans, served, run, computing=True)
    alone = _coverage(tables, spans, served, run, computing=False) if others else coverage
    slowed = _SLOWED * (coverage - alone) * run
    error = doubt(
        total,
        run,
        unsure=np.array([service.missed_s / 2 for service in served if service.assessed]),
        hidden=np.append(np.minimum(most - queue, spans.seconds - lost).clip(0), slowed),
        coverage=coverage,
        seed=seed,
    )
    bounded = error.around(total, run)
    return RunEstimate(
        job=tables.job,
        method="jostle",
        world=-1,
        ranks=processes,
        start_ns=begin,
        end_ns=end,
        run_s=run,
        lost_s=bounded,
        percent=Interval(*(100 * x / run for x in (bounded.value, bounded.low, bounded.high))),
        coverage=coverage,
        inferred_coverage=None,
        causes=causes(parts, lost, error, run),
        continuous=None,
        imbalance_s=None,
        clusters=[],
        hits=hits(
            spans.start, spans.end, lost, parts, np.full(len(lost), -1), _LEAST * spans.seconds
        ),
        limits=[*_limits(spans, served, coverage), *others, *own_limits(tables.slices, run)],
        segments=empty_segments(),
        seed=seed,
        doubts=(error.most[0], "shared nodes") if others else error.most,
    )


def empty_segments() -> pa.Table:
    """Return an empty table RunEstimate.segments, for a run without segments."""
    ints = ("start_ns", "end_ns", "duration_ns", "cluster", "threshold_ns", "excess_ns", "lost_ns")
    order = ("start_ns", "end_ns", "duration_ns", "work", *ints[3:])
    return pa.table(
        {name: pa.array([], pa.int64() if name in ints else pa.float64()) for name in order}
    )


def _life(tables: RunTables) -> tuple[int, int, int]:
    """Return start and end (ns) of the job's processes, and their number.

    Processes too short for a profile do not count, unless all are short.
    """
    if not tables.slices.num_rows or not tables.processes.num_rows:
        raise EstimateError(
            f"Job {tables.job!r} has no slices: nothing was recorded from which a loss can be "
            "estimated.",
            hint="Programs shorter than 0.1 s record no slices; `jostle jobs` lists all jobs.",
        )
    rows = tables.processes.select(["start_ns", "end_ns", "last_slice", "slice_ns", "short"])
    long = [row for row in rows.to_pylist() if not row["short"]] or rows.to_pylist()
    begin = min(row["start_ns"] for row in long)
    end = max(row["end_ns"] or (row["last_slice"] + 1) * row["slice_ns"] for row in long)
    first, last = _recorded(tables.slices)
    if last <= begin or max(end, begin + 1) <= first:  # profiles contradict themselves
        begin, end = first, last
    return int(begin), int(max(end, begin + 1)), len(long)


def _recorded(slices: pa.Table) -> tuple[int, int]:
    """Return the start of the first slice and the end of the last slice, in ns."""
    number, length = slices.column("slice").to_numpy(), slices.column("slice_ns").to_numpy()
    return int((number * length).min()), int(((number + 1) * length).max())


def _spans(slices: pa.Table, begin: int, end: int) -> _RunSlices:
    length = int(slices.column("slice_ns").to_numpy().min())
    first, last = _recorded(slices)
    if (last - first) // length < _MOST_SPANS:
        edges = np.arange(first, last + 1, length, dtype=np.int64)
    else:  # clocks that differ, or a process that slept for weeks
        edges = np.linspace(first, last, _MOST_SPANS).astype(np.int64)
    start, until = edges[:-1].clip(begin, end), edges[1:].clip(begin, end)
    some = until > start
    return _RunSlices(start[some], until[some])


def _parts(
    slices: pa.Table,
    spans: _RunSlices,
    shown: SliceEvidence,
    served: list[FileService],
    queue: Floats,
) -> list[CauseSeconds]:
    """Return the loss to each cause in each span; the sum of a span is at most its length."""
    seconds = spans.seconds
    queue = np.minimum(queue, seconds)
    parts = by_host("cpu", queue, shown, measured=True)
    # A process that waits for a core inside a file call is late there too: one loss, not two.
    late = (shown.late - queue * _in_files(served, spans)).clip(0)
    late = np.minimum(late, seconds - queue)
    part = share(late, shown.late)
    parts += [
        CauseSeconds("file system", mount, True, own * part) for mount, own in shown.storage.items()
    ]
    left = seconds - queue - late
    kept = np.minimum(_kept(slices, spans), left)
    parts += by_host("cpu", kept, shown, measured=True, kind="steal")
    network = np.minimum(_everybody_waits(slices, spans), left - kept)
    parts.append(by_messages(network, shown.hosts))
    return parts


def _kept(slices: pa.Table, spans: _RunSlices) -> Floats:
    """Return the seconds of each span that the job lost to steal time, by the core-speed probe."""
    used = floats(slices, "os_user_ns_sum") + floats(slices, "os_system_ns_sum")
    length = floats(slices, "slice_ns").clip(1)
    return _over(
        slices, spans, floats(slices, "core_probe_steal_ns_max") / 1e9 * (used / length).clip(0, 1)
    )


def _beyond(amount: Floats, seconds: Floats) -> Floats:
    """Return by how many seconds the amount of each span exceeds its usual share of the time.

    Args:
        amount: Seconds spent in some state in each span, [spans].
        seconds: Length of each span, seconds, [spans].
    """
    if len(amount) < LEAST_SLICES:
        return np.zeros(len(amount))
    share = amount / seconds
    undisturbed_range = usual(share)
    hit = share > undisturbed_range.threshold(_LEAST)
    calm = float(share[~hit].mean()) if not hit.all() else undisturbed_range.centre
    beyond: Floats = np.where(hit, (share - calm).clip(0) * seconds, 0.0)
    return beyond


def _over(slices: pa.Table, spans: _RunSlices, amount: Floats) -> Floats:
    """Return the sum in each span of an amount that is given for each row of slices."""
    begin = slices.column("slice").to_numpy() * slices.column("slice_ns").to_numpy()
    until = begin + slices.column("slice_ns").to_numpy()
    life = int(spans.start[0]), int(spans.end[-1])  # the first and last slice are partial
    return spread_over(begin.clip(*life), until.clip(*life), amount, spans.start, spans.end)


def _queue(slices: pa.Table, spans: _RunSlices, begin: int, end: int) -> tuple[Floats, Floats]:
    """Return for how many seconds of each span others had the cores that a job wanted.

    Processes without MPI do not wait for each other across nodes. So the result is the mean over
    the nodes, weighted by the number of cores that the job wanted on each.

    Returns:
        A lower bound and an upper bound, seconds, [spans].
    """
    hosts = np.array(slices.column("host").to_pylist(), dtype=object)
    lost, most, wanted = (np.zeros(len(spans.start)) for _ in range(3))
    for host in sorted(set(hosts.tolist())):
        rows = slices.filter(pa.array(hosts == host))
        found = starved(rows, begin, end)
        weight = _over(rows, spans, found.wanted * alive(rows, begin, end))
        lost += _over(rows, spans, found.lost) * weight
        most += _over(rows, spans, found.most) * weight
        wanted += weight
    return _fitted(share(lost, wanted), spans), _fitted(share(most, wanted), spans)


def _fitted(amount: Floats, spans: _RunSlices) -> Floats:
    """Move seconds that exceed their span to other spans, since the kernel recorded them late."""
    inside = np.minimum(amount, spans.seconds)
    room = spans.seconds - inside
    over = float((amount - inside).sum())
    result: Floats = inside + room * min(over / max(float(room.sum()), 1e-12), 1.0)
    return result


def _in_files(served: list[FileService], spans: _RunSlices) -> Floats:
    """Return the share of each span for which a process was in file calls, mean over processes."""
    inside = np.zeros(len(spans.start))
    for service in served:
        time = service.time_s / service.processes
        inside += spread_over(
            service.start_ns, service.start_ns + service.slice_ns, time, spans.start, spans.end
        )
    return (inside / spans.seconds).clip(0, 1)


def _everybody_waits(slices: pa.Table, spans: _RunSlices) -> Floats:
    """Return for how many seconds of each span all ranks waited in MPI, beyond what is usual."""
    waited = floats(slices, "wait_mpi_ns_min") / 1e9
    if not waited.any():
        return np.zeros(len(spans.start))
    hosts = np.array(slices.column("host").to_pylist(), dtype=object)
    least = np.full(len(spans.start), np.inf)
    for host in sorted(set(hosts.tolist())):
        least = np.minimum(least, _over(slices, spans, np.where(hosts == host, waited, 0.0)))
    return _beyond(least, spans.seconds)


def _others(tables: RunTables, run: float) -> list[str]:
    """Return a sentence for each node on which other jobs computed, as a limit of the estimate.

    Slices do not show by how much such jobs slowed the computation of this one.
    """
    return [
        f"Other jobs computed on {host} meanwhile, {spent:.2g} s of CPU: slices do not show "
        "by how much that slowed the job's computation (shared cores, memory, clock)."
        for host, spent in sorted(tables.others_cpu_s.items())
        if spent >= _CROWD * run
    ]


def _coverage(
    tables: RunTables, spans: _RunSlices, served: list[FileService], run: float, *, computing: bool
) -> float:
    """Return the share of the run that can be evaluated.

    This is the time in file calls, the time in the run queue, and the time on a core.

    Args:
        tables: The tables of the run.
        spans: The slices of the run.
        served: Times of file calls on the job's mounts.
        run: Length of the run, in seconds.
        computing: Whether time on a core counts. It does not count if other jobs may have slowed
            the cores.
    """
    assessed = [service for service in served if service.assessed]
    files = _in_files(assessed, spans) * spans.seconds
    kinds = (*(("os_user_ns", "os_system_ns") if computing else ()), "os_runqueue_ns")
    count = floats(tables.slices, "count").clip(1)
    mean = sum((floats(tables.slices, f"{kind}_sum") for kind in kinds), 0 * count) / count
    # The others wait for the process that never sleeps.
    busiest = sum((floats(tables.slices, f"{kind}_max") for kind in kinds), 0 * count)
    nodes = len(set(tables.slices.column("host").to_pylist()))
    cores = _over(tables.slices, spans, np.maximum(mean, busiest)) / 1e9 / nodes
    cores = _fitted(cores, spans)
    return float(np.minimum(files + cores, spans.seconds).sum()) / max(run, 1e-9)


def _limits(spans: _RunSlices, served: list[FileService], coverage: float) -> list[str]:
    limits = [
        "The run has no execution segments, so its loss is estimated from slices, which do not "
        "show how long computation should take."
    ]
    for service in served:
        if not service.assessed:
            limits.append(
                f"There were too few file operations on {service.mount} to know how long they "
                "usually take."
            )
    if len(spans.start) < LEAST_SLICES:
        many = "1 slice" if len(spans.start) == 1 else f"{len(spans.start)} slices"
        limits.append(f"The run has only {many}. Record shorter ones (--slice 250ms).")
    if coverage < 0.5:
        limits.append(f"Only {100 * coverage:.2g} % of the run could be evaluated.")
    return limits
