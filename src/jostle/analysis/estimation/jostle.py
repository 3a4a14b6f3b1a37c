"""Estimates a run's loss by the method `jostle`: measured losses first, the rest from clusters.

The loss of a segment is the sum of four parts. M is the time in which all ranks waited for messages
at once. D is the time in which one rank was off its CPU and the others waited for it. I/O is the
time by which file calls took longer than usual. These three are measured. S is inferred: the time
that then remains beyond the reference of the segment's cluster. Without the measured parts, the
segments of a cluster scatter less.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from jostle.analysis.estimation.account import Account, SharedCores, account
from jostle.analysis.estimation.attribute import (
    CauseSeconds,
    SliceEvidence,
    by_host,
    by_messages,
    causes,
    evidence,
    hits,
    inferred_parts,
)
from jostle.analysis.estimation.columns import Floats, Ints, ordered, share
from jostle.analysis.estimation.continuous import continuous
from jostle.analysis.estimation.expected import Expected, expected
from jostle.analysis.estimation.interval import Doubt, doubt
from jostle.analysis.estimation.model import Cluster, Continuous, CoreSpeed, RunEstimate
from jostle.analysis.estimation.oversubscribed import Together, together
from jostle.analysis.estimation.service import FileService, services
from jostle.analysis.estimation.spans import estimate_slices
from jostle.analysis.estimation.speed import Speed, core_speed, level_of, netted, speed_limits
from jostle.analysis.estimation.starved import own_limits
from jostle.analysis.estimation.work import Work, work_of
from jostle.analysis.estimation.worlds import assessed_world, is_training, ranks_by_node
from jostle.analysis.interval import Interval
from jostle.repository.types import CoreReference, RunTables, WorldSegments
from jostle.values.arrow_columns import floats

_HIDDEN = 0.3  # part of the time between the edge of a kind and its threshold that may be loss
_WIDEST = 1.3  # times the edge: if members scatter more, most of the scatter is their own
_REPORTED = 0.05  # of a segment: smaller losses are not reported as hits
_MOST_CLUSTERS = 500


@dataclass(frozen=True)
class SegmentCosts:
    """The segments of an MPI world and their losses by cause, shape (segments,); seconds.

    Attributes:
        start: Start of each segment, ns since the epoch.
        end: End of each segment, ns since the epoch.
        duration: Length of each segment.
        account: Measured loss: waiting in MPI and time off the CPU.
        storage: Time by which file calls took longer than usual.
        inferred: Time beyond the segment's reference that is not in the measured losses; negative
            where the measured losses are too large.
        kept: Further loss to steal time (taken by the hypervisor); zeros without a core-speed
            probe.
        slow: Further loss since cores were slower than at their best; zeros without a core-speed
            probe.
        spent: As `slow`, but negative where cores ran faster than the minimum of the probe shows.
        lost: Sum of all losses.
        work: Calls and bytes of the segments.
        expected: References of the segments, which do not contain measured losses.
        evidence: What the slices show at the time of each segment.
        speed: Slowdown of the cores; None without a core-speed probe.
        level: Mean slowdown of the cores in the segments from which references are taken.
        all_waiting: When all ranks were in MPI at once. None if each rank has a core of its own,
            or if this was not recorded.
        sleeps: Whether ranks leave their cores of their own accord (see `account`).
    """

    start: Ints
    end: Ints
    duration: Floats
    account: Account
    storage: Floats
    inferred: Floats
    kept: Floats
    slow: Floats
    spent: Floats
    lost: Floats
    work: Work
    expected: Expected
    evidence: SliceEvidence
    speed: Speed | None
    level: float
    all_waiting: Together | None
    sleeps: bool


def estimate_jostle(tables: RunTables, *, seed: int = 0) -> RunEstimate:
    """Estimate the time that a run lost to interference, with its causes.

    Args:
        tables: The tables of the run.
        seed: Seed of the random steps.

    Raises:
        EstimateError: The job has neither segments nor slices.
    """
    world, limits = assessed_world(tables)
    if world is None:
        return estimate_slices(tables, seed=seed)
    served = services(tables.mount_slices)
    nodes = ranks_by_node(world, tables.processes)
    training = is_training(world, tables.processes)
    costs = segment_costs(world, tables.slices, served, nodes, tables.references, sleeps=training)
    begin, end = _assessed_time(tables, world, costs)
    run = max((end - begin) / 1e9, 1e-9)
    lost = min(float(costs.lost.sum()), run)
    part = lost / max(float(costs.lost.sum()), 1e-12)  # less than 1 only where clocks were set back
    coverage, inferred_coverage = _coverages(costs, run)
    idle = max(_idle(world, costs), min(_queued(costs), run))
    error = _doubt(costs, lost, run, coverage, seed, idle)
    bounded = error.around(lost, run)
    parts = _parts(costs, list(nodes))
    return RunEstimate(
        job=tables.job,
        method="jostle",
        world=world.number,
        ranks=len(world.ranks),
        start_ns=begin,
        end_ns=end,
        run_s=run,
        lost_s=bounded,
        percent=Interval(*(100 * x / run for x in (bounded.value, bounded.low, bounded.high))),
        coverage=coverage,
        inferred_coverage=inferred_coverage,
        causes=causes(parts, costs.lost * part, error, run),
        continuous=_continuous(world, costs, run),
        imbalance_s=_imbalance(world, costs),
        clusters=_clusters(world.segments, costs),
        hits=hits(
            costs.start, costs.end, costs.lost, parts, _number(costs), _REPORTED * costs.duration
        ),
        limits=[
            *limits,
            *_limits(costs, coverage, inferred_coverage),
            *own_limits(tables.slices, run),
        ],
        segments=_table(costs, part),
        seed=seed,
        core_speed=_core_speed(costs, part),
        doubts=error.most,
    )


def segment_costs(
    world: WorldSegments,
    slices: pa.Table,
    served: list[FileService],
    ranks: Mapping[str, int],
    references: Mapping[str, CoreReference],
    *,
    sleeps: bool = False,
) -> SegmentCosts:
    """Estimate the loss of each segment of a world.

    Args:
        world: The world, with at least one segment.
        slices: The job's slices by host.
        served: Times of file calls on the job's mounts.
        ranks: Number of ranks of the world by node.
        references: Minimum of the core-speed probe on the cores of each node, by node.
        sleeps: Whether ranks leave their cores of their own accord (see `account`).
    """
    segments = world.segments
    start = segments.column("start_ns").to_numpy().astype(np.int64)
    end = segments.column("end_ns").to_numpy().astype(np.int64)
    duration = floats(segments, "duration_ns").clip(0) / 1e9
    work = work_of(segments)
    shown = evidence(start, end, slices, served, ranks)
    crowds = shown.crowds.values()
    all_waiting = together(slices, int(start[0]), int(end[-1])) if crowds else None
    shared = None
    if crowds:
        shared = SharedCores(shown.queue, max(crowd.turns for crowd in crowds), all_waiting)
    short = _short(slices)
    seen = account(segments, len(world.ranks), work.kind, shared, short, shown.queue, sleeps)
    storage = np.minimum(
        shown.late_share * floats(segments, "io_ns_max") / 1e9, duration - seen.network - seen.cpu
    ).clip(0)
    rest = (duration - seen.network - seen.cpu - storage).clip(0)
    uneven = None if shown.crowds else share(_uneven(world), duration)
    # On oversubscribed cores ranks would have waited during a part of the time that others took, so
    # the missing CPU time is only a bound. If it were subtracted first, disturbed segments would
    # seem to be the fastest.
    reference = expected(rest + seen.cpu if shown.crowds else rest, work, uneven)
    inferred = _inferred(rest, reference, seen.cpu + storage + seen.anywhere)
    if not shown.crowds:
        inferred = np.minimum(inferred, _explained(world, duration, work))
    speed = core_speed(slices, start, end, references)
    level, kept, slow = 1.0, np.zeros(len(rest)), np.zeros(len(rest))
    spent = slow
    if speed is not None:
        level = level_of(speed, rest, reference.seconds)
        kept = np.minimum(speed.kept(seen.cpu + inferred.clip(0)), rest - inferred.clip(0))
        spent = speed.lost(rest - kept, inferred, level)
        explained = np.minimum(inferred.clip(0), speed.longer(rest, level))
        slow, left = netted(spent, explained)
        spent, inferred = spent + explained - left, inferred - explained + left
    lost = (seen.network + seen.cpu + storage + inferred + kept + slow).clip(0, duration)
    return SegmentCosts(
        start,
        end,
        duration,
        seen,
        storage,
        inferred,
        kept,
        slow,
        spent,
        lost,
        work,
        reference,
        shown,
        speed,
        level,
        all_waiting,
        sleeps,
    )


def _short(slices: pa.Table) -> float:
    """Return the share of the waiting in MPI that is in short waits; 0 if it was not recorded."""
    waited = float(floats(slices, "wait_mpi_ns_sum").sum())
    return float(floats(slices, "wait_short_ns_sum").sum()) / max(waited, 1.0)


def _inferred(rest: Floats, reference: Expected, doubtful: Floats) -> Floats:
    """Return the loss of each segment that was not measured, seconds.

    It is the time beyond the reference, if it exceeds the threshold. It is negative where too much
    was measured as lost, so that the remaining time is far below the reference.

    Args:
        rest: Duration of each segment without the measured losses, seconds.
        reference: References of the segments.
        doubtful: The part of the measured losses that may be too large, seconds.
    """
    away = np.where(reference.usable, rest - reference.seconds, 0.0)
    margin = np.where(reference.usable, reference.threshold - reference.seconds, np.inf)
    inferred: Floats = np.where(away > margin, away, 0.0)
    over = away < -margin
    inferred[over] = np.maximum(away[over], -doubtful[over])
    return inferred


def _continuous(world: WorldSegments, costs: SegmentCosts, run: float) -> Continuous | None:
    """Return a warning if interference was present most of the time, else None.

    Jobs whose ranks share cores get no warning: the order in which their ranks take turns may
    change by itself for a while.
    """
    if costs.evidence.crowds:
        return None
    return continuous(
        costs.duration,
        _beyond(costs),
        costs.expected,
        run,
        float((_slowed(costs) + costs.kept).sum()),
        _uneven(world),
    )


def _assessed_time(tables: RunTables, world: WorldSegments, costs: SegmentCosts) -> tuple[int, int]:
    """Return start and end of the evaluated time, ns: those of the first and last segment."""
    return int(costs.start[0]), int(max(costs.end[-1], costs.start[0] + 1))


def _coverages(costs: SegmentCosts, run: float) -> tuple[float, float | None]:
    """Return which shares of the run could be evaluated.

    Returns:
        The share of the run that was evaluated; and the share of the time after set-up that is in
        usable clusters. Set-up is the time before the first segment in a usable cluster.
    """
    usable = costs.expected.usable
    if not usable.any():
        return 0.0, 0.0
    first, last = int(np.argmax(usable)), len(usable) - int(np.argmax(usable[::-1]))
    inside = float(costs.duration[usable].sum())
    after = float(costs.duration[first:last].sum())
    # The account needs no clusters, but calls with a usual time, so a program that repeats itself.
    coverage = min(after / run, 1.0) if inside > 0.5 * after else inside / run
    return coverage, min(inside / max(after, 1e-9), 1.0)


def _doubt(
    costs: SegmentCosts, lost: float, run: float, coverage: float, seed: int, idle: float
) -> Doubt:
    """Return the uncertainty of the loss, with the error of each reference as one source.

    Args:
        costs: The segments.
        lost: The loss, seconds.
        run: Length of the evaluated time, seconds.
        coverage: Share of the run that was evaluated.
        seed: Seed of the random draws.
        idle: Upper bound of the loss of ranks that share cores or sleep, seconds.
    """
    kind, count = costs.work.kind, int(costs.work.kind.max()) + 1
    usable = costs.expected.usable
    scatter = np.zeros(len(kind))
    scatter[usable] = np.log(costs.expected.threshold[usable] / costs.expected.seconds[usable])
    inferred = usable & (costs.inferred > 0)
    members = np.bincount(kind[usable], minlength=count).clip(1)
    spread = np.bincount(kind[usable], scatter[usable], count) / members / 4 * 1.5
    reference_s = np.bincount(kind[inferred], costs.expected.seconds[inferred], count)
    unsure = spread * reference_s / np.sqrt(members)
    # Segments below their threshold may have lost time as well, all of them alike.
    calm = usable & ~inferred
    most = np.minimum(costs.expected.threshold, _WIDEST * costs.expected.edge)
    hidden = _HIDDEN * (most - costs.expected.edge)[calm].clip(0)
    found = doubt(
        lost,
        run,
        unsure=unsure,
        hidden=hidden,
        coverage=coverage,
        seed=seed,
        oversubscribed=bool(costs.evidence.crowds),
        speed=_speed_doubt(costs),
    )
    if idle - lost <= found.above:
        return found
    return Doubt(found.below, idle - lost, (found.most[0], "shared cores"))


def _queued(costs: SegmentCosts) -> float:
    """Return an upper bound of the loss of ranks that sleep of their own accord, in seconds.

    It assumes that all their waiting for cores delayed the job. For other ranks it is 0.
    """
    if not np.any(costs.account.queued):
        return 0.0
    hidden = (costs.account.queued - costs.inferred.clip(0)).clip(0)
    return float((costs.lost + hidden).sum())


def _idle(world: WorldSegments, costs: SegmentCosts) -> float:
    """Return the seconds in which cores shared by several ranks computed nothing for them.

    Ranks that take turns wait anyway, so a delay of every step shows in no segment. The sum of such
    delays is at most this time. It is 0 if a node has a core for each rank. The time for which the
    ranks recorded when all of them waited is left out.
    """
    crowds = costs.evidence.crowds
    if len(crowds) < len(costs.evidence.hosts):
        return 0.0
    cores = sum(crowd.cores for crowd in crowds.values())
    away = (floats(world.segments, "mpi_ns") + floats(world.segments, "offcpu_ns")) / 1e9
    computed = (len(world.ranks) * costs.duration - away).clip(0)
    idle = (costs.duration - computed / cores) * _blind(costs)
    return max(float(idle.sum()), 0.0)


def _blind(costs: SegmentCosts) -> Floats:
    """Return the share of each segment for which it was not recorded when all ranks waited."""
    if costs.all_waiting is None:
        return np.ones(len(costs.start))
    before = (costs.all_waiting.begin[0] - costs.start) / 1e9
    return share(before.clip(0), costs.duration).clip(0, 1)


def _speed_doubt(costs: SegmentCosts) -> Doubt | None:
    """Return the uncertainty of the loss to slow cores; None without a core-speed probe."""
    if costs.speed is None:
        return None
    calm = costs.duration - costs.lost  # with the cores at their best
    return costs.speed.doubt(calm, float(costs.kept.sum()))


def _core_speed(costs: SegmentCosts, part: float) -> CoreSpeed | None:
    """Return the speed of the cores by the core-speed probe; None without a probe.

    Args:
        costs: The segments.
        part: Factor by which the losses of segments are scaled to that of the run.
    """
    if costs.speed is None:
        return None
    slow = float(costs.slow.sum()) * part
    error = costs.speed.doubt(costs.duration - costs.lost, 0.0)
    run = float(costs.duration.sum())
    return CoreSpeed(
        costs.speed.core_probe,
        costs.speed.jobs,
        error.around(slow, run),
        costs.speed.steal,
        float(costs.kept.sum()) * part,
    )


def _parts(costs: SegmentCosts, nodes: Sequence[str]) -> list[CauseSeconds]:
    """Divide the lost time of the segments by cause.

    Args:
        costs: The segments.
        nodes: Nodes of the ranks.
    """
    shown = costs.evidence
    # A rank descheduled inside an MPI call makes all wait: the run queue explains this part of M.
    queued = np.minimum(costs.account.network, (shown.queue - costs.account.cpu).clip(0))
    parts = [by_messages(costs.account.network - queued, nodes)]
    parts += by_host("cpu", costs.account.cpu + queued, shown, measured=True)
    for mount, late in shown.storage.items():
        share = np.divide(late, shown.late, out=np.zeros(len(late)), where=shown.late > 0)
        parts.append(CauseSeconds("file system", mount, True, costs.storage * share))
    if costs.speed is not None:
        parts += costs.speed.parts(costs.slow, "core speed")
        parts += costs.speed.parts(costs.kept, "steal")
    stolen = 0 * costs.kept if costs.speed is None else costs.speed.stolen
    parts += inferred_parts(
        costs.inferred,
        shown,
        costs.storage,
        costs.account.cpu + queued,
        {"steal": stolen, "core speed": _slowed(costs)},
    )
    return parts


def _slowed(costs: SegmentCosts) -> Floats:
    """Return by how many seconds each segment took longer since cores were slower.

    Cores are compared with their speed in the segments from which references are taken.
    """
    if costs.speed is None:
        return np.zeros(len(costs.duration))
    rest = costs.duration - costs.account.network - costs.account.cpu - costs.storage
    return costs.speed.longer(rest, costs.level)


def _imbalance(world: WorldSegments, costs: SegmentCosts) -> float:
    """Return the seconds for which the mean rank waited for slower ranks of its own job.

    The others waited for the rank with the least time in MPI. Waiting that is explained by delays
    from outside is not counted.
    """
    return float((_uneven(world) - costs.account.cpu - costs.inferred.clip(0)).clip(0).sum())


def _uneven(world: WorldSegments) -> Floats:
    """Return, for each segment, how much longer the mean rank was in MPI than the slowest rank, s.

    The slowest rank is the one that was in MPI for the shortest time.
    """
    mean = floats(world.segments, "mpi_ns") / max(len(world.ranks), 1)
    waited: Floats = (mean - floats(world.segments, "mpi_ns_min")) / 1e9
    return waited


def _explained(world: WorldSegments, duration: Floats, work: Work) -> Floats:
    """Return an upper bound of the delay of each segment, from the additional time of its ranks.

    A segment becomes longer if a rank is delayed, but also if work moves from other ranks to one
    rank. The second case is no loss. In it, the segment's duration without the mean rank's waiting
    for the slowest rank stays the same, since the others have less work. In the first case, with
    one of R ranks delayed, that time grows by at least the R-th part of the delay. Segments without
    a global collective are not bounded, since some ranks wait for the delay only in a later one.
    """
    done = (duration - _uneven(world)).clip(0)
    usual = expected(done, work)
    more = len(world.ranks) * (done - usual.seconds).clip(0)
    together = floats(world.segments, "globals") >= 1
    return np.where(usual.usable & together, more, np.inf)


def _beyond(costs: SegmentCosts) -> Floats:
    """Return the loss of each segment without further losses to slow cores and steal time."""
    return costs.lost - costs.slow - costs.kept


def _number(costs: SegmentCosts) -> Ints:
    """Return the number of each segment's cluster, from 1; 0 if the cluster is not usable."""
    return np.where(costs.expected.usable, costs.work.cluster + 1, 0)


def _clusters(segments: pa.Table, costs: SegmentCosts) -> list[Cluster]:
    cluster = costs.work.cluster
    count = int(cluster.max()) + 1
    order = ordered(cluster)
    edges = np.concatenate([[0], np.cumsum(np.bincount(cluster, minlength=count))])
    total = np.bincount(cluster, costs.duration, count)
    largest = np.sort(np.argsort(-total, kind="stable")[:_MOST_CLUSTERS])
    names = segments.column("function").take(pa.array(order[edges[largest]])).to_pylist()
    beyond = _beyond(costs)
    rows = []
    for number, name in zip(largest.tolist(), names, strict=True):
        at = order[edges[number] : edges[number + 1]]
        reference = costs.expected.seconds[at]
        rest = costs.duration[at] - beyond[at]
        middle = float(np.median(rest))
        usable = bool(costs.expected.usable[at].all())
        rows.append(
            Cluster(
                number=number + 1,
                name=name or ("the end" if costs.sleeps else "MPI_Finalize"),
                members=len(at),
                reference_s=float(reference.mean()) if usable else middle,
                mad_s=float(np.median(np.abs(rest - middle))),
                threshold_s=float(costs.expected.threshold[at].mean()) if usable else 0.0,
                hit=int((beyond[at] > _REPORTED * costs.duration[at]).sum()),
                excess_s=float(beyond[at].sum()),
                total_s=float(total[number]),
                usable=usable,
            )
        )
    return rows


def _limits(costs: SegmentCosts, coverage: float, inferred: float | None) -> list[str]:
    limits = []
    if len(costs.duration) < 20:
        many = "1 segment" if len(costs.duration) == 1 else f"{len(costs.duration)} segments"
        limits.append(
            f"The run has only {many}, too few to know how long its work usually takes. A longer "
            "run has more."
        )
    if inferred is not None and inferred < 0.5:
        limits.append(
            f"Only {100 * inferred:.0f} % of the time after set-up lies in segments that recur. "
            "Outside these segments, only waiting and time off the CPU are evaluated."
        )
    if coverage < 0.5:
        limits.append(f"Only {100 * coverage:.2g} % of the run could be evaluated.")
    for name, crowd in costs.evidence.crowds.items():
        limits.append(
            f"{name} seems to have more ranks than cores: {crowd.processes} had {crowd.cores:.1f} "
            "cores at most. Ranks take turns on the cores; this is not counted as loss. The "
            "loss caused by others is less certain"
            + (
                ", and a delay of every step is only part of the interval."
                if _blind(costs).all()
                else "."
            )
        )
    if costs.speed is not None:
        limits += speed_limits(costs.speed)
    if not costs.work.measured:
        limits.append(
            "Instructions were not counted, so segments are compared by their calls and bytes."
        )
    return limits


def _table(costs: SegmentCosts, part: float) -> pa.Table:
    """Return the table of evaluated segments, RunEstimate.segments.

    Args:
        costs: The segments.
        part: Factor by which the losses of segments are scaled to that of the run.
    """
    work = None
    if costs.work.measured:
        work = costs.work.amounts[:, costs.work.names.index(costs.work.measured)]
    usable = costs.expected.usable
    threshold = np.where(usable, costs.expected.threshold, 0.0)
    return pa.table(
        {
            "start_ns": costs.start,
            "end_ns": costs.end,
            "duration_ns": np.rint(costs.duration * 1e9).astype(np.int64),
            "work": pa.nulls(len(usable), pa.float64()) if work is None else pa.array(work),
            "cluster": _number(costs),
            "threshold_ns": pa.array(np.rint(threshold * 1e9).astype(np.int64), mask=~usable),
            "excess_ns": np.rint(_beyond(costs) * 1e9).astype(np.int64),
            "slow_ns": np.rint((costs.spent + costs.kept) * 1e9).astype(np.int64),
            "lost_ns": np.rint(costs.lost * part * 1e9).astype(np.int64),
        }
    )
